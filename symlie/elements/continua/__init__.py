"""Continua: densities along a material coordinate, and their elements on a grid."""
