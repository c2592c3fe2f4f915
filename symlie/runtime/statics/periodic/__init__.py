"""Periodic motions by shooting, and their continuation in a parameter."""
