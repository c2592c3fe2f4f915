"""How a mechanism is written: units, inertial frame, origin of time, names and order of statements.

Descriptions are in SI units and one inertial frame. A `Writing` converts their numbers to those of a model, and results
of the model back, so that results of all writings of one mechanism are comparable.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from tests.metamorphic.mechanism import Array

Item = TypeVar("Item")

Dimension = tuple[int, int, int]
"""Exponents of kilogram, metre and second."""

NUMBER: Dimension = (0, 0, 0)
MASS: Dimension = (1, 0, 0)
LENGTH: Dimension = (0, 1, 0)
TIME: Dimension = (0, 0, 1)
RATE: Dimension = (0, 0, -1)
VELOCITY: Dimension = (0, 1, -1)
ACCELERATION: Dimension = (0, 1, -2)
FORCE: Dimension = (1, 1, -2)
MOMENT: Dimension = (1, 2, -2)
ENERGY: Dimension = (1, 2, -2)
POWER: Dimension = (1, 2, -3)
INERTIA: Dimension = (1, 2, 0)
STIFFNESS: Dimension = (1, 0, -2)
DAMPING: Dimension = (1, 0, -1)
ANGULAR_DAMPING: Dimension = (1, 2, -1)


@dataclass(frozen=True)
class Writing:
    """One way to write a mechanism.

    Attributes
    ----------
    units
        Kilogram, metre and second in units of the model: (1000, 1, 1) for grams.
    rotation
        Matrix of the rotation from the inertial frame of the description to that of the model.
    translation
        Position of the description's origin in the model's frame, in m.
    begin
        Time of the model at the description's time 0, in s.
    prefix
        Prefix of all names.
    order
        Seed of the order of statements; None for the order of the description.
    elements
        Whether statements on nodes are instances of element types.
    """

    units: tuple[float, float, float] = (1.0, 1.0, 1.0)
    rotation: Array = field(default_factory=lambda: np.eye(3))
    translation: Array = field(default_factory=lambda: np.zeros(3))
    begin: float = 0.0
    prefix: str = ""
    order: int | None = None
    elements: bool = False

    def scale(self, dimension: Dimension) -> float:
        """The unit of a quantity of SI in units of the model."""
        return float(np.prod([u**p for u, p in zip(self.units, dimension, strict=True)]))

    def number(self, value: Any, dimension: Dimension) -> Any:
        """A scalar, or components in axes of a body."""
        return (
            np.asarray(value, dtype=float) * self.scale(dimension) if np.ndim(value) else value * self.scale(dimension)
        )

    def vector(self, value: Sequence[float] | Array, dimension: Dimension) -> Array:
        """A vector in inertial axes."""
        return self.rotation @ np.asarray(value, dtype=float) * self.scale(dimension)

    def point(self, value: Sequence[float] | Array) -> Array:
        """A position."""
        return (self.rotation @ np.asarray(value, dtype=float) + self.translation) * self.scale(LENGTH)

    def time(self, value: Any) -> Any:
        """A time."""
        return (np.asarray(value, dtype=float) + self.begin) * self.scale(TIME)

    def name(self, name: str) -> str:
        """A name."""
        return self.prefix + name

    def ordered(self, items: Sequence[Item]) -> list[Item]:
        """Statements in the order in which they are written."""
        found = list(items)
        if self.order is not None:
            random.Random(self.order).shuffle(found)
        return found

    def read_number(self, value: Any, dimension: Dimension) -> Array:
        """A scalar, or components in axes of a body, in SI units."""
        return np.asarray(value, dtype=float) / self.scale(dimension)

    def read_vector(self, value: Any, dimension: Dimension) -> Array:
        """Vectors in the inertial axes of the description, (…, 3)."""
        return np.asarray(value, dtype=float) / self.scale(dimension) @ self.rotation

    def read_point(self, value: Any) -> Array:
        """Positions in the frame of the description, (…, 3)."""
        return (np.asarray(value, dtype=float) / self.scale(LENGTH) - self.translation) @ self.rotation

    def read_time(self, value: Any) -> Array:
        """Times of the description."""
        return np.asarray(value, dtype=float) / self.scale(TIME) - self.begin
