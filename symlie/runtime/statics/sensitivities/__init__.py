"""Derivatives of static equilibria by parameters, inputs and initial values."""
