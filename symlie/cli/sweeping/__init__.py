"""What members of a sweep differ in, what executes them, and what is told of them."""
