"""Proofs of the Taylor coefficients f⁽ʲ⁾(z)/j! that ``function_series.h`` finds, of all orders."""
