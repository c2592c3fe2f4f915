"""Operators of a group as source that stands alone."""
