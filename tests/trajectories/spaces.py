"""Manifolds by hand: how points move with a value of the acting algebra, and with a Hamiltonian."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from tests.trajectories.groups import Slot, group, hat, position, unit_vector
from tests.trajectories.texts import Array, cross


@dataclass(frozen=True)
class Space:
    """A manifold as the oracle has it; all functions are of single states."""

    name: str
    storage: int
    algebra: int
    fields: Mapping[str, Slot]
    generator: Callable[[Array, Array], Array]
    """y' of an element of the algebra."""
    start: Callable[[random.Random, float], list[float]]
    hamiltonian: Callable[[Array, Array], Array] | None = None
    """y' from the gradient of H by stored components."""
    dimension: int = 0
    rotation: None = None
    logarithm: None = None

    def comparable(self, y: Array) -> Array:
        """Compared values of two runs."""
        return y


def _pair(draw: random.Random) -> list[float]:
    q = unit_vector(draw)
    w = np.array(position(draw, 3))
    return [*map(float, q), *map(float, w - (w @ q) * q)]


def _tangent(y: Array, f: Array) -> Array:
    return np.concatenate([cross(f[:3], y[:3]), cross(f[:3], y[3:]) + cross(f[3:], y[:3])])


def _dual(name: str, sign: int) -> Space:
    of = group(name)

    def moved(mu: Array, f: Array) -> Array:
        return -np.einsum("j,jik,k->i", f, of.brackets, mu)

    return Space(
        f"{'left' if sign < 0 else 'right'}_dual:{name}", of.dimension, of.dimension, {"mu": ("q", 0, of.dimension)},
        moved, lambda draw, angle: position(draw, of.dimension), lambda mu, g: moved(mu, sign * g),
    )  # fmt: skip


def _cotangent(name: str) -> Space:
    of, n = group(name), group(name).storage
    assert of.rate_right is not None
    right = of.rate_right

    def generator(y: Array, f: Array) -> Array:
        xi, beta = f[: of.dimension], f[of.dimension :]
        return np.concatenate([right(y[:n], xi), beta - np.einsum("j,jik,k->i", xi, of.brackets, y[n:])])

    def hamiltonian(y: Array, gradient: Array) -> Array:
        pulled = [gradient[:n] @ right(y[:n], e) for e in np.eye(of.dimension)]
        return generator(y, np.concatenate([gradient[n:], -np.array(pulled)]))

    fields: dict[str, Slot] = {f: s for f, s in of.fields.items() if s[0] == "q"}
    return Space(
        f"cotangent:{name}", n + of.dimension, 2 * of.dimension, {**fields, "mu": ("q", n, n + of.dimension)},
        generator, lambda draw, angle: of.start(draw, angle) + position(draw, of.dimension), hamiltonian,
    )  # fmt: skip


def _translation(name: str, side: str) -> Space:
    of = group(name)
    assert of.rate_right is not None
    return Space(
        f"{side}_translation:{name}", of.storage, of.dimension, {f: s for f, s in of.fields.items() if s[0] == "q"},
        of.rate_right if side == "left" else of.rate, of.start,
    )  # fmt: skip


def _power(base: str, count: int) -> Space:
    of = space(base)
    s, d = of.storage, of.algebra

    def generator(y: Array, f: Array) -> Array:
        return np.concatenate([of.generator(y[s * k : s * k + s], f[d * k : d * k + d]) for k in range(count)])

    return Space(
        "x".join([base] * count), s * count, d * count, {}, generator,
        lambda draw, angle: [c for _ in range(count) for c in of.start(draw, angle)],
    )  # fmt: skip


@functools.cache
def space(name: str) -> Space:
    """A manifold by name: ``S2``, ``left_dual:SE3``, ``cotangent:SO3``, ``right_translation:S3``, ``S2xS2``, …"""
    kind, _, of = name.partition(":")
    if kind in ("left_dual", "right_dual"):
        return _dual(of, -1 if kind == "left_dual" else 1)
    if kind == "cotangent":
        return _cotangent(of)
    if kind in ("left_translation", "right_translation"):
        return _translation(of, kind.partition("_")[0])
    if "x" in name:
        return _power(name.split("x")[0], len(name.split("x")))
    return _OWN[name]


_OWN = {
    "S2": Space("S2", 3, 3, {"q": ("q", 0, 3)}, lambda y, f: hat(f) @ y,
                lambda draw, angle: [float(c) for c in unit_vector(draw)]),
    "TS2": Space("TS2", 6, 6, {"q": ("q", 0, 3), "omega": ("q", 3, 6)}, _tangent, lambda draw, angle: _pair(draw)),
    "ball": Space("ball", 3, 3, {"y": ("q", 0, 3)}, lambda y, f: hat(f) @ y, lambda draw, angle: position(draw, 3)),
    "plane": Space("plane", 2, 3, {"y": ("q", 0, 2)},
                   lambda y, f: np.array([f[1] - f[0] * y[1], f[2] + f[0] * y[0]]),
                   lambda draw, angle: position(draw, 2)),
}  # fmt: skip


def known(name: str) -> bool:
    """Return True for names of manifolds without velocities."""
    return ":" in name or name.split("x")[0] in _OWN
