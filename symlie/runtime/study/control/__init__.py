"""Optimal inputs by direct single and multiple shooting."""
