"""Evaluation of the equations of motion at given states."""
