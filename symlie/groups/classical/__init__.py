"""Classical coordinates of rotations: Euler angles, Euler parameters, rotation vectors, and how bodies take them."""
