"""Many runs of one system: what they differ in, and what became of them."""
