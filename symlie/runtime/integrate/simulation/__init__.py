"""Simulations that are stepped from a loop in Python."""
