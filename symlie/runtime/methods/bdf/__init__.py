"""Backward differentiation formulas: fixed order, variable order and step size, and increments."""
