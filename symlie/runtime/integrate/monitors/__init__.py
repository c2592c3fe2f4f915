"""Monitors of a run, which report suspicious results."""
