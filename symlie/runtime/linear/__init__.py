"""Linear algebra of mechanics: M, the saddle point of M and B, dependent rows."""
