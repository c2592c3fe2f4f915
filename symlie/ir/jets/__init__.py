"""Jets: coefficients of order k of all values of a straight line, for Taylor methods."""
