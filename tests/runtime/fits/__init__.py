"""Fits of parameters to records."""
