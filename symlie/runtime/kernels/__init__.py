"""The functions of a whole system, from C or from NumPy."""
