"""Monitors of a run: what its user should know although it did not fail."""
