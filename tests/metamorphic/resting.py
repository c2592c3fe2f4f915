"""Equilibria of a mechanism and their eigenvalues, in SI units and the inertial frame of the description."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np

import symlie as sl
from tests.metamorphic import writing as w
from tests.metamorphic.building import Builder
from tests.metamorphic.mechanism import Array

MOST_ITERATIONS = 100
"""Steps of a search; those of most random mechanisms that have an equilibrium take less than thirty."""

STORED = {"R": "matrix", "p": "quaternion", "psi": "vector"}
"""Fields that store a rotation, and what of it."""


@dataclass(frozen=True)
class Place:
    """Positions, (count, 3), and rotation matrices, (count, 3, 3), of nodes by name."""

    positions: dict[str, Array]
    rotations: dict[str, Array]

    def distance(self, other: Place) -> float:
        """The largest difference of a component, in m or of matrices of rotation."""
        pairs = [(self.positions, other.positions), (self.rotations, other.rotations)]
        return max(float(np.abs(a[name] - b[name]).max()) for a, b in pairs for name in a)


@dataclass(frozen=True)
class Rest:
    """An equilibrium, or the error in its place."""

    place: Place | None = None
    eigenvalues: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=complex))
    accuracy: Array = field(default_factory=lambda: np.zeros(0))
    is_resolved: bool = False
    is_stable: bool = False
    error: Exception | None = None


@dataclass(frozen=True)
class Statics:
    """Searches for equilibria of one writing of a mechanism."""

    builder: Builder
    system: sl.System

    def rest(self, place: Place | None = None) -> Rest:
        """The equilibrium that is found from a place; None: from the configuration of the description."""
        system = self.system if place is None else self._placed(place)
        t = float(self.builder.writing.time(0.0))
        try:
            q, multipliers, _ = system.static_equilibrium(t, max_iterations=MOST_ITERATIONS)
            with warnings.catch_warnings():  # `is_resolved` is compared instead
                warnings.filterwarnings("ignore", "Stability", sl.SymlieWarning)
                linear = system.linearize(q, multipliers, t)
        except sl.errors.SymlieError as error:
            return Rest(error=error)
        unit = self.builder.writing.scale(w.TIME)
        return Rest(
            self._place(q), linear.eigenvalues * unit, linear.accuracy * unit, linear.is_resolved, linear.is_stable
        )

    def _place(self, q: Array) -> Place:
        found = Place({}, {})
        writing = self.builder.writing
        for node in self.system.layout.nodes:
            name, rows = node.name.removeprefix(writing.prefix), q[node.storage].reshape(node.count, -1)
            for stored in node.type.storage_fields:
                values = rows[:, stored.part]
                if stored.name in STORED:
                    option = STORED[stored.name]
                    turned = [sl.rotation(**{option: _shaped(option, value)}).matrix for value in values]
                    found.rotations[name] = writing.rotation.T @ np.array(turned, dtype=float).reshape(-1, 3, 3)
                else:
                    found.positions[name] = writing.read_point(values)
        return found

    def _placed(self, place: Place) -> sl.System:
        system, writing = self.system, self.builder.writing
        for node in system.layout.nodes:
            given: dict[str, Array] = {}
            for stored in node.type.storage_fields:
                name = node.name.removeprefix(writing.prefix)
                if stored.name in STORED:
                    turned = [sl.rotation(matrix=writing.rotation @ matrix) for matrix in place.rotations[name]]
                    values = np.array([getattr(rotation, STORED[stored.name]) for rotation in turned], dtype=float)
                else:
                    values = np.array([writing.point(position) for position in place.positions[name]])
                given[stored.name] = values if node.is_array else values[0]
            system = system.with_initial(node.name, **given)
        return system


def _shaped(option: str, value: Array) -> Array:
    return value.reshape(3, 3) if option == "matrix" else value
