"""Variational integrators: discrete Lagrangians, the momenta that follow from them, and their kernels."""
