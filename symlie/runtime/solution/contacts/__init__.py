"""Impacts of contacts and work of friction in a solution."""
