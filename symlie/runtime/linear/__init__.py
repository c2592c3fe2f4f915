"""Linear algebra of mechanics: the mass matrix, the saddle point matrix, redundant constraints."""
