"""Fits of parameters and initial values to measured outputs."""
