"""Error bounds of the Taylor coefficients f⁽ʲ⁾(z)/j! of ``function_series.h``, of all orders."""
