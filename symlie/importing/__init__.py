"""Import of robots from URDF and MJCF files."""
