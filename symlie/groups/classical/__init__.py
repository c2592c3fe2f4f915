"""Classical coordinates of rotations: Euler angles, Euler parameters and rotation vectors, for bodies."""
