"""Studies of many runs: convergence, refinement, timing."""
