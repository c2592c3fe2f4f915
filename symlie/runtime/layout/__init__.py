"""Where the parts of a system sit in its arrays."""
