"""Sensitivities: derivatives of runs with respect to parameters, inputs and initial values."""
