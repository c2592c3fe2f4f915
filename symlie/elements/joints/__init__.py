"""Joints between bodies: kinds as rows between two frames, one element type for each pair of groups."""
