"""Matrices of derivatives of element types: one kernel for each set."""
