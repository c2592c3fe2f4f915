"""Second derivatives of runs: products of Hessians with directions."""
