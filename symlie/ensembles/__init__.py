"""Ensembles: many runs of one system with different data, and their results."""
