"""Assembly of configurations: constraints, given coordinates and targets of outputs."""
