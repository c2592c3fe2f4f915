"""Sensitivities and gradients of runs."""
