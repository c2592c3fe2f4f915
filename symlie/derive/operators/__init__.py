"""Stand-alone operators of a group: kernels, loops over matrices, and reference values."""
