"""Standalone source code of the operators of a group."""
