"""Starts of runs with derivatives: assembled configurations, and corners of piecewise laws."""
