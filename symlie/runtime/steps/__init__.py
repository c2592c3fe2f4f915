"""Steps of integration methods as programs on vectors of a system, recorded once and printed as C."""
