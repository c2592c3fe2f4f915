"""Solutions: states, what is computed from them, and files of them."""
