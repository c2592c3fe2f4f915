"""What implicit steps have in common: their equations, the matrix of Newton's method, and its iteration."""
