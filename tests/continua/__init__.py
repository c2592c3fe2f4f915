"""Continua: densities, their equations, and their elements."""
