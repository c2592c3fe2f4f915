"""Unit quaternions over time, scalar part first."""

from __future__ import annotations

import numpy as np

from symlie.runtime.layout.layout import Array


def rotate(quaternions: Array, vectors: Array) -> Array:
    """Rotate vectors, shape (…, 3), by quaternions, shape (…, 4)."""
    scalar, axis = quaternions[..., :1], quaternions[..., 1:]
    twice = 2 * np.cross(axis, vectors)
    return np.asarray(vectors + scalar * twice + np.cross(axis, twice))


def slerp(a: Array, b: Array, xi: Array) -> Array:
    """Interpolate between two rotations, shape (…, 4), at constant angular velocity; xi is between 0 and 1."""
    cosine = np.sum(a * b, axis=-1, keepdims=True)
    b = np.where(cosine < 0, -b, b)
    half = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.sin(half)
    is_small = sine < 1e-9
    safe = np.where(is_small, 1.0, sine)
    left = np.where(is_small, 1 - xi, np.sin((1 - xi) * half) / safe)
    right = np.where(is_small, xi, np.sin(xi * half) / safe)
    found = left * a + right * b
    return np.asarray(found / np.linalg.norm(found, axis=-1, keepdims=True))


def angle_between(a: Array, b: Array) -> Array:
    """Return angles between rotations, from 0 to π, shape (…)."""
    cosine = np.abs(np.sum(a * b, axis=-1))
    sine = np.sqrt(np.maximum(0.0, np.minimum(np.sum((a - b) ** 2, axis=-1), np.sum((a + b) ** 2, axis=-1))))
    return np.asarray(
        np.where(cosine > 0.9, 4 * np.arcsin(np.minimum(sine / 2, 1.0)), 2 * np.arccos(np.minimum(cosine, 1.0)))
    )
