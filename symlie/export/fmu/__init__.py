"""Functional mock-up units."""
