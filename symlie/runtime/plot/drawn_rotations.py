"""Rotations as continuous series for plots: quaternions and rotation vectors without jumps."""

from __future__ import annotations

import numpy as np

from symlie.runtime.layout.layout import Array


def quaternions_of(rotations: Array) -> Array:
    """Unit quaternions (n, 4), scalar part first, of rotation matrices (n, 3, 3).

    Source: [BarItzhack2000], dominant eigenvector of a symmetric 4 × 4 matrix.
    """
    n = len(rotations)
    r = rotations
    matrix = np.empty((n, 4, 4))
    spin = np.stack([r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]], axis=1)
    trace = np.trace(r, axis1=1, axis2=2)
    matrix[:, 0, 0] = trace
    matrix[:, 0, 1:] = matrix[:, 1:, 0] = spin
    matrix[:, 1:, 1:] = r + r.transpose(0, 2, 1) - trace[:, None, None] * np.eye(3)
    quaternions: Array = np.linalg.eigh(matrix)[1][:, :, -1]
    return quaternions


def continuous(quaternions: Array) -> Array:
    """Quaternions with continuous signs, starting with a nonnegative scalar part."""
    products = np.sum(quaternions[1:] * quaternions[:-1], axis=1)
    first = -1.0 if len(quaternions) and quaternions[0, 0] < 0 else 1.0
    signs = np.concatenate([[first], np.where(products < 0, -1.0, 1.0)])[: len(quaternions)]
    turned: Array = quaternions * np.cumprod(signs)[:, None]
    return turned


def continuous_rotation(vectors: Array) -> Array:
    """Angles (n, 1) or rotation vectors (n, 3) without jumps at half turns."""
    turned = vectors.copy()
    lengths = np.linalg.norm(vectors, axis=1)
    for k in range(1, len(vectors)):
        if lengths[k] > 0:
            axis = vectors[k] / lengths[k]
            turned[k] += 2 * np.pi * np.round((turned[k - 1] - vectors[k]) @ axis / (2 * np.pi)) * axis
    return turned
