"""Gradients of weighted terms, for adjoint steps."""
