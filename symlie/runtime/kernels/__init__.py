"""Functions of a whole system, evaluated in C or NumPy."""
