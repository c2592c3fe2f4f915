"""Joints between bodies: constraint equations between two frames, with one element type for each pair of groups."""
