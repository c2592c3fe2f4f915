"""Paths of equilibria over a parameter, through limit points, with their bifurcation points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from symlie.errors import EquilibriumPathError, ModelError, UnknownNameError
from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.layout import Array
from symlie.runtime.statics.continuation import Continuation, CorrectionError, PathPoint
from symlie.runtime.statics.critical import critical_stiffness
from symlie.runtime.statics.equilibrium import Equilibrium, static_equilibrium
from symlie.runtime.statics.parameter_family import ParameterFamily
from symlie.utilities.showing import Brief
from symlie.warnings import warn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from symlie.runtime.system.system import System

LEAST_STEP = 1e-7
"""Arc length of a step below which the path cannot be continued."""

SMALLEST_COSINE, GOOD_COSINE = 0.85, 0.97
"""Cosine of the angle between tangents below which a step is too long, and above which the next one is longer."""

GROWTH = 1.6
"""Growth factor of steps."""

LOCATED = 1e-10
"""Tolerance of the arc length of end points and critical points, relative to the step."""

SAME_POINT = 1e-4
"""Difference of arc lengths, relative to the step, up to which singular points coincide."""


@dataclass(frozen=True, eq=False, repr=False)
class CriticalPoint(Brief):
    """Point of a path of equilibria at which the stiffness matrix is singular on the constraints."""

    kind: Literal["limit", "bifurcation"]
    """``"limit"`` if the parameter has an extremum along the path, ``"bifurcation"`` if other paths cross."""
    value: float
    """Value of the parameter."""
    q: Array
    """Configuration, shape (storage,)."""
    multipliers: Array
    """λ, shape (constraint equations,)."""
    arc_length: float
    """Arc length of the path up to this point, dimensionless."""
    directions: Array
    """Directions without stiffness in the Lie algebra, shape (multiplicity, dimension)."""


@dataclass(frozen=True, eq=False, repr=False)
class EquilibriumPath(Brief):
    """Path of equilibria over a parameter, from `System.equilibrium_path`.

    Arc lengths are dimensionless: relative to the size of the system and the range of the parameter.
    """

    system: System
    """The system."""
    parameter: str
    """Name of the parameter."""
    values: Array
    """Values of the parameter, shape (points,)."""
    q: Array
    """Configurations, shape (points, storage)."""
    multipliers: Array
    """λ, shape (points, constraint equations)."""
    arc_lengths: Array
    """Arc lengths, shape (points,), from 0."""
    unstable: Array
    """Number of negative eigenvalues of the stiffness matrix on the constraints, shape (points,); for more than 90 free
    velocity components, among the 12 eigenvalues nearest to zero."""
    outputs: dict[str, Array]
    """Outputs of the model at rest by name, shape (points,) or (points, components)."""
    limit_points: tuple[CriticalPoint, ...]
    """Points at which the parameter has a maximum or a minimum."""
    bifurcation_points: tuple[CriticalPoint, ...]
    """Points at which other paths cross."""
    end: Literal["until", "max_points", "failed"]
    """Reason for the end of the path: the last value, the number of points, or a failure."""

    @property
    def is_stable(self) -> Array:
        """True at points without negative stiffness, shape (points,).

        Under loads without a potential, such points may be unstable by flutter, which `System.linearize` detects.
        """
        return np.asarray(self.unstable == 0)

    def equilibrium(self, point: int) -> Equilibrium:
        """Return the equilibrium at a point, for example as ``start`` of another search.

        Parameters
        ----------
        point
            Index of the point.
        """
        return Equilibrium(self.q[point], self.multipliers[point], 0)

    def plot(self, output: str | None = None) -> Figure:
        """Plot the parameter versus an output, with limit and bifurcation points.

        Parameters
        ----------
        output
            Name of a scalar output; default: the arc length.

        Raises
        ------
        UnknownNameError
            If the output does not exist or is not scalar.
        MissingDependencyError
            If Matplotlib is not installed.
        """
        from symlie.runtime.plot.path_figure import plot_path

        return plot_path(self, output)

    def field(self, node: str, name: str) -> Array:
        """Return a field of the configuration of a node along the path.

        Parameters
        ----------
        node
            Name of a node or a node array.
        name
            Name of the stored field, such as ``"x"``.

        Returns
        -------
        Array
            Components in storage order, shape (points, components), or (points, count, components) for an array.

        Raises
        ------
        UnknownNameError
            If the node does not exist, or stores no such field.
        """
        part = self.system.layout.node(node)
        stored = next((f for f in part.type.storage_fields if f.name == name), None)
        if stored is None:
            known = ", ".join(f.name for f in part.type.storage_fields)
            raise UnknownNameError(f"Node '{node}' has no stored field '{name}'; it has: {known}.")
        return part.by_node(self.q, velocity=False)[..., stored.part]


def equilibrium_path(
    system: System,
    parameter: str,
    until: float,
    *,
    t: float = 0.0,
    start: Equilibrium | None = None,
    first_step: float = 0.02,
    largest_step: float = 0.1,
    max_points: int = 200,
    tolerance: float = 1e-9,
) -> EquilibriumPath:
    """See `symlie.runtime.system.system.System.equilibrium_path`."""
    family = ParameterFamily(system, parameter, t)
    begin = family.value
    if not (np.isfinite(until) and until != begin):
        raise ModelError(
            f"until must be finite and differ from {begin!r}, the initial value of '{parameter}', but is {until!r}."
        )
    if not (isinstance(max_points, int | np.integer) and max_points >= 2):
        raise ModelError(f"max_points must be a whole number of at least 2, not {max_points!r}.")
    if not 0 < first_step <= largest_step < np.inf:
        raise ModelError("first_step must be positive, and largest_step finite and not smaller than first_step.")
    rest = static_equilibrium(system, t, tolerance=tolerance, start=start, stable=start is None)
    scale = abs(float(until) - begin)
    followed = _Follower(family, Continuation(family, scale, tolerance), float(until), largest_step, max_points)
    return followed.path(rest, 1.0 if until > begin else -1.0, begin, first_step)


class _Follower:
    """Steps along a path, and the critical points between them."""

    def __init__(
        self, family: ParameterFamily, continuation: Continuation, until: float, largest: float, most: int
    ) -> None:
        self.family, self.continuation, self.until, self.largest, self.most = family, continuation, until, largest, most
        self.points: list[PathPoint] = []
        self.arcs: list[float] = [0.0]
        self.limits: list[CriticalPoint] = []
        self.bifurcations: list[CriticalPoint] = []

    def path(self, rest: Equilibrium, sign: float, begin: float, h: float) -> EquilibriumPath:
        """Return the path that starts at an equilibrium."""
        rows = self.family.statics(begin).rows
        try:
            self.points.append(self.continuation.first(rest.q, rest.multipliers[rows], begin, sign))
        except CorrectionError:
            raise EquilibriumPathError(
                f"The path over '{self.family.name}' has no tangent at {begin:.6g}: its first equilibrium is a "
                "critical point, or its constraints are dependent; use another initial equilibrium."
            ) from None
        while len(self.points) < self.most:
            before = self.points[-1]
            try:
                after = self.continuation.next(before, h)
                cosine = self.continuation.dot(before, after)
            except CorrectionError:
                cosine = -1.0
            if cosine < SMALLEST_COSINE:
                h /= 2
                if h < LEAST_STEP:
                    raise self._lost()
                continue
            ends = (after.value - self.until) * sign >= 0 > (before.value - self.until) * sign
            if ends:
                h, after = self._located(before, h, after, lambda p: p.value - self.until)
            self._look_between(before, after, h)
            self.points.append(after)
            self.arcs.append(self.arcs[-1] + h)
            if ends:
                return self._path("until")
            if cosine > GOOD_COSINE:
                h = min(GROWTH * h, self.largest)
        warn(
            f"The path over '{self.family.name}' ends after {self.most} points at {self.points[-1].value:.6g} without "
            f"reaching {self.until:.6g}; increase max_points or largest_step to continue it."
        )
        return self._path("max_points")

    def _located(
        self, before: PathPoint, h: float, after: PathPoint, function: Callable[[PathPoint], float]
    ) -> tuple[float, PathPoint]:
        """Return arc length and point at which a function vanishes between two points."""
        from scipy.optimize import brentq

        known = {0.0: before, h: after}

        def value(length: float) -> float:
            if length not in known:
                known[length] = self.continuation.next(before, length)
            return function(known[length])

        try:
            root = float(brentq(value, 0.0, h, xtol=LOCATED * h, rtol=1e-12))
            value(root)
        except CorrectionError:
            raise self._lost() from None
        return root, known[root]

    def _look_between(self, before: PathPoint, after: PathPoint, h: float) -> None:
        """Find the limit and bifurcation points within a step."""
        limit: float | None = None
        if before.value_step * after.value_step < 0:
            limit, point = self._located(before, h, after, lambda p: p.value_step)
            self.limits.append(self._critical("limit", point, limit, 1, min(before, after, key=_neutral)))
        few, many = sorted((before.unstable, after.unstable))
        end = min(before, after, key=_neutral)
        crossings: list[tuple[float, PathPoint]] = []
        for k in range(few, many):
            stiffness = partial(_stiffness, _neutral(end), k)
            if stiffness(before) * stiffness(after) <= 0:  # also if it is zero at a point
                crossings.append(self._located(before, h, after, stiffness))
        crossings.sort(key=lambda found: found[0])
        if limit is not None and crossings:
            nearest = min(crossings, key=lambda found: abs(found[0] - limit))
            if abs(nearest[0] - limit) <= SAME_POINT * h:
                crossings.remove(nearest)
        while crossings:
            length, point = crossings[0]
            together = [c for c in crossings if c[0] - length <= SAME_POINT * h]
            self.bifurcations.append(self._critical("bifurcation", point, length, len(together), end))
            crossings = crossings[len(together) :]

    def _critical(
        self, kind: Literal["limit", "bifurcation"], point: PathPoint, length: float, count: int, end: PathPoint
    ) -> CriticalPoint:
        """Return a critical point on a step to or from a point with the neutral directions of the whole step."""
        statics = self.family.statics(point.value)
        lengths = statics.sizes(point.q).length
        values, vectors = critical_stiffness(statics, point.q, point.multipliers, lengths)
        shapes = vectors[:, np.argsort(np.abs(values), kind="stable")[: count + _neutral(end)]]
        if _neutral(end):
            assert self.continuation.lengths is not None
            shapes = shapes / self.continuation.lengths[:, None]
            moving = shapes - end.neutral @ (end.neutral.T @ shapes)
            shapes = self.continuation.lengths[:, None] * np.linalg.svd(moving, full_matrices=False)[0][:, :count]
        directions = np.array([statics.spread(x / np.abs(x).max()) for x in shapes.T])
        return CriticalPoint(
            kind, point.value, point.q, statics.all_multipliers(point.multipliers), self.arcs[-1] + length, directions
        )

    def _path(self, end: Literal["until", "max_points", "failed"]) -> EquilibriumPath:
        points, system = self.points, self.family.system
        statics = self.family.statics(points[-1].value)
        multipliers = np.array([statics.all_multipliers(p.multipliers) for p in points])
        return EquilibriumPath(
            system,
            self.family.name,
            np.array([p.value for p in points]),
            np.array([p.q for p in points]),
            multipliers,
            np.array(self.arcs),
            np.array([p.unstable for p in points]),
            self._outputs(multipliers),
            tuple(self.limits),
            tuple(self.bifurcations),
            end,
        )

    def _outputs(self, multipliers: Array) -> dict[str, Array]:
        layout = self.family.system.layout
        names = tuple(layout.outputs)
        if not names:
            return {}
        rows = []
        for point, λ in zip(self.points, multipliers, strict=True):
            statics = self.family.statics(point.value)
            at = States(np.array([statics.t]), point.q[None], np.zeros((1, layout.dimension)), λ[None])
            rows.append(statics.system.kernels.observe(statics.mechanics.p, at, (), names)["outputs"][0])
        values, found, first = np.array(rows), {}, 0
        for name in names:
            part = layout.outputs[name][0]
            size = part.stop - part.start
            found[name] = values[:, first] if size == 1 else values[:, first : first + size]
            first += size
        return found

    def _lost(self) -> EquilibriumPathError:
        value = self.points[-1].value
        return EquilibriumPathError(
            f"The path over '{self.family.name}' ends at {value:.6g} after {len(self.points)} points: Newton's "
            "method did not converge to a next point; equilibria may cease to exist there, or a law is not smooth. "
            "The path so far is attached to the error.",
            self._path("failed"),
        )


def _stiffness(neutral: int, k: int, point: PathPoint) -> float:
    """Return a stiffness without those of directions that are neutral on a whole step, in ascending order."""
    kept = np.argsort(np.abs(point.stiffness), kind="stable")[neutral:]
    return float(np.sort(point.stiffness[kept])[k])


def _neutral(point: PathPoint) -> int:
    """Return the number of directions without stiffness."""
    return int(point.neutral.shape[1])
