"""Positions of the parts of a system in its arrays."""
