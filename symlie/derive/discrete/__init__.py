"""Variational integrators: discrete Lagrangians, their momenta, and their kernels."""
