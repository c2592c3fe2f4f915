"""Solutions: recorded states, derived quantities, and files."""
