"""Step programs: recorder, arrays, and each instruction in C and NumPy."""
