"""Studies that compare several runs: convergence, refinement, timing."""
