"""Implicit steps: their equations, their Newton matrix and the Newton iteration."""
