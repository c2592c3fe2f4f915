"""Continua: densities along a material coordinate, and the elements that they become on a grid."""
