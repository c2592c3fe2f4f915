"""Inverse kinematics: configurations at which outputs have given values.

Rows y(t, q) - y* are added to the constraints, and log(R*ᵀ R) for outputs that are rotation matrices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from symlie.errors import ModelError, UnknownNameError
from symlie.options import Axes
from symlie.rotations import with_rotations
from symlie.runtime.layout.layout import Array, Layout, Sparse
from symlie.runtime.linear.least_change import CLOSED
from symlie.runtime.solution.evaluation.outputs import output_jacobian, outputs
from symlie.runtime.solution.state import State
from symlie.runtime.statics.residual import Statics
from symlie.runtime.system.parameters import real_array

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

SIDES = {4: 2, 9: 3}
"""Sides of rotation matrices by their number of entries."""

PASSED = 1e-9
"""Part of the range between two limits by which an output may pass them due to rounding."""


def checked_targets(system: System, targets: Mapping[str, object]) -> dict[str, Array]:
    """Return the values of outputs; raise UnknownNameError or ModelError."""
    layout = system.layout
    if layout.has_dependents:
        raise ModelError(
            f"'{system.name}' has dependent nodes, to which targets of outputs do not apply; use the constrained form, "
            "with bodies and joints."
        )
    if not targets:
        raise ModelError(f"No target of '{system.name}' is given; its outputs are: {', '.join(layout.outputs)}.")
    return {name: _target(layout, name, value) for name, value in targets.items()}


def _target(layout: Layout, name: str, value: object) -> Array:
    size = _size(layout, name)
    if size in SIDES:
        side = SIDES[size]
        value = with_rotations(f"Target '{name}'", {"R": (side, side)}, {"R": value})["R"]
    found = real_array(f"The target '{name}'", value).ravel()
    if len(found) != size or not np.isfinite(found).all():
        raise ModelError(f"The target '{name}' of '{layout.name}' needs {size} finite numbers, not {value!r}.")
    return found


def _size(layout: Layout, name: str) -> int:
    if name not in layout.outputs:
        known = ", ".join(layout.outputs) or "none"
        raise UnknownNameError(f"Model '{layout.name}' has no output '{name}'; it has: {known}.")
    part = layout.outputs[name][0]
    return int(part.stop - part.start)


def checked_limits(system: System, limits: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Return limits of scalar outputs; raise UnknownNameError or ModelError."""
    found = {}
    for name, pair in limits.items():
        values = real_array(f"The limits of '{name}'", pair)
        if _size(system.layout, name) != 1 or values.shape != (2,) or not values[0] <= values[1]:
            raise ModelError(f"Limits of '{name}' must be a lower and an upper value of a scalar output, not {pair!r}.")
        found[name] = float(values[0]), float(values[1])
    return found


def passed_limit(statics: Targets, q: Array, limits: Mapping[str, tuple[float, float]]) -> dict[str, Array] | None:
    """Return the limit that is passed farthest, relative to its range, by output; None if none is."""
    values = statics.values(q, list(limits))
    worst, farthest = None, PASSED
    for name, (lower, upper) in limits.items():
        value = float(values[name])
        beyond = max(lower - value, value - upper) / max(upper - lower, np.finfo(float).tiny)
        if beyond > farthest:
            worst, farthest = {name: np.array([lower if value < lower else upper])}, beyond
    return worst


class Targets(Statics):
    """Constraints of a system, extended by outputs with given values.

    Attributes
    ----------
    targets
        Values by output; rotation matrices as vectors of their entries.
    """

    def __init__(self, statics: Statics, targets: Mapping[str, Array]) -> None:
        super().__init__(statics.system, statics.t, np.isin(np.arange(statics.system.layout.rows), statics.rows))
        self.targets = targets
        layout = self.system.layout
        self._are_rotations = {n: len(x) in SIDES and _is_rotation(x) for n, x in targets.items()}
        coordinates = {f"{r.joint}_{r.coordinate}" for r in layout.manifest.joint_rates if r.coordinate}
        self._are_angles = {n: n in coordinates and layout.outputs[n][1] == "rad" for n in targets}

    def _state(self, q: Array) -> State:
        layout = self.system.layout
        at_rest, no_reactions = np.zeros(layout.dimension), np.zeros(layout.rows)
        return State(self.system, self.t, q, at_rest, no_reactions, np.zeros(layout.carried_size))

    def values(self, q: Array, names: list[str]) -> dict[str, Array]:
        """Return outputs at rest."""
        return outputs(self.system, self._state(q), names, None) if names else {}

    def deviations(self, q: Array) -> dict[str, Array]:
        """Return y - y*, or log(R*ᵀ R), by output."""
        found = {}
        for name, value in self.values(q, list(self.targets)).items():
            target, value = self.targets[name], np.ravel(value)
            if self._are_rotations[name]:
                found[name] = _turn(target, value)
            elif self._are_angles[name]:
                found[name] = np.remainder(value - target + np.pi, 2 * np.pi) - np.pi
            else:
                found[name] = value - target
        return found

    def missed(self, q: Array) -> dict[str, float]:
        """Return the largest deviation of each output."""
        return {name: float(np.abs(part).max()) for name, part in self.deviations(q).items()}

    def farthest(self, q: Array) -> tuple[str, float]:
        """Return the output with the largest deviation relative to its size, and the deviation."""
        missed = self.missed(q)
        scale = {n: 1.0 if self._are_rotations[n] else max(CLOSED, np.abs(x).max()) for n, x in self.targets.items()}
        name = max(missed, key=lambda n: missed[n] / scale[n])
        return name, missed[name]

    def constraint(self, q: Array) -> Array:
        """Return Φ(t, q) and the deviations."""
        return np.concatenate([super().constraint(q), *self.deviations(q).values()])

    def jacobian(self, q: Array) -> Sparse:
        """Return B and the derivatives of the outputs; those of log(R*ᵀ R) near the target."""
        from scipy.sparse import csr_array, vstack

        rows, state = [], self._state(q)
        for name in self.targets:
            frame: Axes | None = "body" if self._are_rotations[name] else None
            rows.append(output_jacobian(self.system, state, name, "q", frame, None)[:, self.free])
        return vstack([super().jacobian(q), csr_array(np.vstack(rows))], format="csr")


def _is_rotation(value: Array) -> bool:
    R = value.reshape(SIDES[len(value)], -1)
    return bool(np.abs(R @ R.T - np.eye(len(R))).max() < np.sqrt(CLOSED) and np.linalg.det(R) > 0)


def _turn(target: Array, value: Array) -> Array:
    """Return the rotation vector of R*ᵀ R, or the angle in the plane."""
    from scipy.spatial.transform import Rotation

    side = SIDES[len(value)]
    R = target.reshape(side, side).T @ value.reshape(side, side)
    if side == 2:
        return np.array([np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])])
    return np.asarray(Rotation.from_matrix(R).as_rotvec())
