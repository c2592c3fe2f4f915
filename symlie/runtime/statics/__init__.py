"""Equilibria, small motions, and consistent initial values."""
