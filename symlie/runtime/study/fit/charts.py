"""Coordinates of unknowns in which the optimiser moves, so that masses and inertias remain those of bodies.

    J = tr(Σ) 1 - Σ,   Σ = L Lᵀ  (1)

The second moments of mass Σ are positive semidefinite if and only if the principal moments of J are positive and
satisfy the triangle inequality. Principal moments have Σ = diag(σ) with bounds σ ≥ 0. A matrix J has its own entries as
coordinates unless a minimum violates this law, and then L, a lower triangular matrix. Source: [Wensing2018].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symlie.errors import ModelError
from symlie.inertia import ROUNDING
from symlie.runtime.layout.layout import Array
from symlie.runtime.study.fit.unknowns import Group

ROWS, COLUMNS = np.triu_indices(3)
"""Rows and columns of the unknowns of an inertia matrix, the entries of its upper triangle."""

PRINCIPAL = np.ones((3, 3)) - np.eye(3)
"""Principal moments of inertia for second moments of mass."""


INSIDE = 1e-6
"""Smallest second moment of a body from which a fit starts, relative to their sum; L has no derivative at zero."""


@dataclass(frozen=True)
class Chart:
    """Coordinates z of the unknowns of a group: the unknowns themselves."""

    def coordinates(self, x: Array) -> Array:
        """Return the coordinates of values."""
        return x

    def values(self, z: Array) -> Array:
        """Return the values at coordinates."""
        return z

    def slopes(self, z: Array) -> Array:
        """Return the derivatives of values by coordinates."""
        return np.eye(len(z))

    def curvature(self, gradient: Array) -> Array:
        """Return rows C with CᵀC = Σ gradient_k ∂²x_k, the curvature of the values, where it is positive."""
        return np.zeros((0, len(gradient)))


@dataclass(frozen=True)
class PrincipalMoments(Chart):
    """Coordinates σ of three principal moments."""

    def coordinates(self, x: Array) -> Array:
        return np.asarray(x.sum() / 2 - x)

    def values(self, z: Array) -> Array:
        return np.asarray(PRINCIPAL @ z)

    def slopes(self, z: Array) -> Array:
        return PRINCIPAL


@dataclass(frozen=True)
class InertiaMatrix(Chart):
    """Coordinates L of an inertia matrix."""

    def coordinates(self, x: Array) -> Array:
        moments, axes = np.linalg.eigh(second_moments(x))
        inside = np.maximum(moments, INSIDE * moments.sum())
        return np.asarray(np.linalg.cholesky((axes * inside) @ axes.T)[COLUMNS, ROWS])

    def values(self, z: Array) -> Array:
        L = self._lower(z)
        return self._upper(L @ L.T)

    def slopes(self, z: Array) -> Array:
        L, found = self._lower(z), []
        for unit in np.eye(6):
            dL = self._lower(unit)
            found.append(self._upper(dL @ L.T + L @ dL.T))
        return np.array(found).T

    def curvature(self, gradient: Array) -> Array:
        """Return rows with the curvature of tr(G J) = tr(Lᵀ (tr(G) 1 - G) L), which determines L on the boundary, where
        the derivatives of values vanish."""
        G = np.zeros((3, 3))
        G[ROWS, COLUMNS] += gradient / 2
        G[COLUMNS, ROWS] += gradient / 2
        sizes, axes = np.linalg.eigh(2 * (np.trace(G) * np.eye(3) - G))
        root = (axes * np.sqrt(np.maximum(sizes, 0.0))).T
        return np.array([(root @ self._lower(unit)).ravel() for unit in np.eye(6)]).T

    def _lower(self, z: Array) -> Array:
        L = np.zeros((3, 3))
        L[COLUMNS, ROWS] = z
        return L

    def _upper(self, second: Array) -> Array:
        return np.asarray((np.trace(second) * np.eye(3) - second)[ROWS, COLUMNS])


@dataclass(frozen=True, eq=False)
class Charts:
    """Coordinates of all unknowns, with bounds.

    Attributes
    ----------
    parts
        Charts of consecutive unknowns.
    lower, upper
        Bounds of the coordinates, shape (unknowns,).
    """

    parts: Sequence[tuple[slice, Chart]]
    lower: Array
    upper: Array

    def coordinates(self, x: Array) -> Array:
        """Return the coordinates of values."""
        return np.concatenate([chart.coordinates(x[part]) for part, chart in self.parts])

    def values(self, z: Array) -> Array:
        """Return the values at coordinates."""
        return np.concatenate([chart.values(z[part]) for part, chart in self.parts])

    @property
    def without_factors(self) -> Charts:
        """The same coordinates, except that inertia matrices are their own ones and may leave those of bodies."""
        parts = [(part, Chart() if isinstance(chart, InertiaMatrix) else chart) for part, chart in self.parts]
        return Charts(parts, self.lower, self.upper)

    def accepts(self, x: Array) -> bool:
        """Return whether all inertia matrices are those of bodies."""
        matrices = [x[part] for part, chart in self.parts if isinstance(chart, InertiaMatrix)]
        return all(np.linalg.eigvalsh(second_moments(matrix)).min() >= 0 for matrix in matrices)

    def along(self, derivative: Array, z: Array) -> Array:
        """Return derivatives by coordinates, shape (..., unknowns), from those by values."""
        return np.concatenate([derivative[..., part] @ chart.slopes(z[part]) for part, chart in self.parts], axis=-1)

    def curvature(self, gradient: Array) -> Array:
        """Return rows of the curvatures of all charts, shape (rows, unknowns)."""
        found = [np.zeros((0, len(gradient)))]
        for part, chart in self.parts:
            rows = chart.curvature(gradient[part])
            found.append(np.zeros((len(rows), len(gradient))))
            found[-1][:, part] = rows
        return np.concatenate(found)


def charts_of(groups: Sequence[Group], start: Array, lower: Array, upper: Array, *, physical: bool) -> Charts:
    """Return the coordinates of groups for bounds of values, shape (unknowns,); raise ModelError for a start outside of
    the bounds."""
    parts: list[tuple[slice, Chart]] = []
    lower, upper, first = lower.copy(), upper.copy(), 0
    for group in groups:
        part = slice(first, first + group.count)
        first = part.stop
        is_free = bool(np.isinf(lower[part]).all() and np.isinf(upper[part]).all())
        chart = Chart()
        if physical and is_free and (group.is_mass or group.is_inertia):
            chart = _physical(group, start[part])
            if not isinstance(chart, InertiaMatrix):
                on_diagonal = np.array([len(group.base) < 9 or c in (0, 4, 8) for c in group.firsts])
                lower[part] = np.where(on_diagonal, 0.0, -np.inf)
        parts.append((part, chart))
        z = chart.coordinates(start[part])
        if (z < lower[part]).any() or (z > upper[part]).any():
            if is_free:
                raise _impossible(group)
            k = int(np.flatnonzero((z < lower[part]) | (z > upper[part]))[0])
            raise ModelError(
                f"The bounds of '{group.variables[group.firsts[k]].label}', {lower[part][k]:g} to {upper[part][k]:g}, "
                f"exclude its start value {z[k]:g}; start between them."
            )
    return Charts(parts, lower, upper)


def _physical(group: Group, start: Array) -> Chart:
    if not (group.is_inertia and group.is_whole) or len(group.base) == 1:
        return Chart()
    if len(group.base) == 3:
        return PrincipalMoments()
    moments = np.linalg.eigvalsh(second_moments(start))
    if moments.min() < -ROUNDING * moments.max() or moments.max() <= 0:
        raise _impossible(group)
    return InertiaMatrix()


def second_moments(x: Array) -> Array:
    """Return Σ for the entries of the upper triangle of J."""
    J = np.zeros((3, 3))
    J[ROWS, COLUMNS] = J[COLUMNS, ROWS] = x
    return np.asarray(np.trace(J) / 2 * np.eye(3) - J)


def _impossible(group: Group) -> ModelError:
    law = "must not be negative" if group.is_mass else "must be positive and satisfy the triangle inequality"
    return ModelError(f"The start value of '{group.name}' {law}; start from another one, or give physical=False.")
