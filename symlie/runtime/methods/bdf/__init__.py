"""Backward differentiation formulas: constant steps, variable order and steps, and increments."""
