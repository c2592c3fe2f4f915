"""Assembly of inconsistent initial values: the smallest change that satisfies the constraints.

    min ηᵀ M(q0) η  with  Φ(t, q0∘exp(η)) = 0,   then velocities, see `symlie.runtime.statics.initial_velocities`.

The metric M makes the change independent of units. Steps -B⁺ Φ on the group lead to the constraints, and steps
-(1 - B⁺B) η along the constraints reduce the distance from q0. B⁺ is the pseudoinverse in the metric M, so that
consistent redundant constraint equations are harmless.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.contract.manifest import JointRate
from symlie.errors import InconsistentInitialValuesError
from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.joint_outputs import COORDINATES, joint_outputs
from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.least_change import CLOSED, LeastChange
from symlie.runtime.statics.initial_velocities import assembled_velocities
from symlie.runtime.statics.residual import Statics
from symlie.runtime.system.given_coordinates import given_coordinates, kept_rates
from symlie.runtime.system.output_jacobian import linear_outputs
from symlie.utilities.showing import Brief

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

MOST_ITERATIONS = 60
"""Largest number of steps to the constraints, and of steps along them; small corrections take five of each."""

SETTLED = 1e-9
"""Length of a step along the constraints, relative to component sizes, below which the change is minimal."""

LEAST_SHARE = 1e-3
"""Fraction of a step below which it is not shortened further."""

LARGEST_MOVE = 1.0
"""Largest rotation of one step, in rad."""


@dataclass(frozen=True, eq=False, repr=False)
class Assembly(Brief):
    """Changes of initial values by `System.assembled`.

    Arrays have one row per node; single nodes have one row.
    """

    moved: dict[str, Array]
    """log(q₀⁻¹∘q) by node, shape (count, dimension), in rad and the length unit of the model."""
    velocity_changes: dict[str, Array]
    """Changes of specified velocities by node, shape (count, dimension)."""
    completed: dict[str, Array]
    """Completed velocities by node, shape (count, dimension); zero for specified ones."""
    iterations: int
    """Number of steps of the search for the configuration."""
    coordinates: dict[str, float]
    """Coordinates of joints by output name, in rad and m, which identify the assembly branch of closed loops."""

    @property
    def largest(self) -> dict[str, float]:
        """Largest component of `moved`, in absolute value, by node."""
        return _largest(self.moved)

    @property
    def largest_change(self) -> dict[str, float]:
        """Largest component of `velocity_changes`, in absolute value, by node; without nodes that do not change."""
        return {name: size for name, size in _largest(self.velocity_changes).items() if size}

    @property
    def largest_completed(self) -> dict[str, float]:
        """Largest component of `completed`, in absolute value, by node; without nodes for which it is zero."""
        return {name: size for name, size in _largest(self.completed).items() if size}


def _largest(parts: dict[str, Array]) -> dict[str, float]:
    return {name: float(np.abs(values).max(initial=0)) for name, values in parts.items()}


def assembled(system: System, t: float = 0.0, *, velocities: bool = True) -> System:
    """See `symlie.runtime.system.system.System.assembled`."""
    statics = Statics(system, t, system.layout.holonomic & ~system.layout.is_balance)
    stated = system.stated_state()
    start = statics.prescribed(stated.q)
    kept = kept_rates(system.layout, given_coordinates(system))
    whole = KeptCoordinates(statics, start, kept) if kept else statics
    q, iterations = _assembled_configuration(whole, start)
    corrected = system.with_configuration(q)
    found = assembled_velocities(statics, q, stated, velocities=velocities)
    if np.any(found.changes) or np.any(found.completed):
        corrected = _with_velocities(corrected, found.v, stated.given | (found.completed != 0))
    difference = system.mechanics.apart(start, q)
    moved, changes, completed = (_by_node(system, part) for part in (difference, found.changes, found.completed))
    report = Assembly(moved, changes, completed, iterations, _coordinates(statics, q))
    return dataclasses.replace(corrected, assembly=report)


def _coordinates(statics: Statics, q: Array) -> dict[str, float]:
    names = joint_outputs(statics.system.layout, COORDINATES)
    return {name: float(value) for name, value in zip(names, _outputs(statics, q, names), strict=True)}


def _outputs(statics: Statics, q: Array, names: Sequence[str]) -> Array:
    system, layout = statics.system, statics.system.layout
    at = States(np.array([statics.t]), q[None], np.zeros((1, layout.dimension)), np.zeros((1, layout.rows)))
    return np.asarray(system.kernels.observe(system.prepared, at, (), names)["outputs"][0])


class KeptCoordinates(Statics):
    """Constraints of a system, extended by specified joint coordinates that retain their initial values."""

    def __init__(self, statics: Statics, start: Array, kept: Sequence[JointRate]) -> None:
        super().__init__(statics.system, statics.t, np.isin(np.arange(statics.system.layout.rows), statics.rows))
        layout = self.system.layout
        self.kept = kept
        self._names = [f"{rate.joint}_{rate.coordinate}" for rate in kept]
        self._is_angle = np.array([layout.output_parts[name][0] == "rad" for name in self._names])
        self._values = _outputs(self, start, self._names)

    def constraint(self, q: Array) -> Array:
        """Return Φ(t, q) and the deviations of the coordinates."""
        off = _outputs(self, q, self._names) - self._values
        off = np.where(self._is_angle, np.remainder(off + np.pi, 2 * np.pi) - np.pi, off)
        return np.concatenate([super().constraint(q), off])

    def jacobian(self, q: Array) -> Sparse:
        """Return B and the derivatives of the coordinates."""
        from scipy.sparse import vstack

        rates = linear_outputs(self.mechanics, self.t, q, [rate.output for rate in self.kept])
        return vstack([super().jacobian(q), rates.matrix[:, self.free]], format="csr")


def _by_node(system: System, vector: Array) -> dict[str, Array]:
    return {n.name: vector[n.velocity].reshape(n.count, -1) for n in system.layout.nodes}


def _assembled_configuration(statics: Statics, start: Array) -> tuple[Array, int]:
    """Return the configuration nearest to the start that satisfies the constraints, and the number of steps."""
    mechanics, free = statics.mechanics, statics.free
    metric = statics.kinetic_metric(start)
    q, iterations = closed(statics, start, metric)
    if not iterations:
        return q, 0
    moved, share = mechanics.apart(start, q)[free], 1.0
    while iterations < MOST_ITERATIONS and share > LEAST_SHARE:
        sliding = -LeastChange(statics.jacobian(q), metric).along(moved)
        if statics.sizes(start).norm(sliding) <= SETTLED:
            break
        iterations += 1
        try:
            trial, _ = closed(statics, statics.moved(q, share * sliding), metric)
        except InconsistentInitialValuesError:
            share /= 2
            continue
        there = mechanics.apart(start, trial)[free]
        if not float(there @ (metric @ there)) < float(moved @ (metric @ moved)):
            share /= 2
            continue
        q, moved, share = trial, there, min(1.0, 2 * share)
    return q, iterations


def closed(statics: Statics, q: Array, metric: Sparse | None = None) -> tuple[Array, int]:
    """Return a configuration that satisfies the constraints, by steps -B⁺Φ that are shortened if necessary, and the
    number of steps; raise InconsistentInitialValuesError if the steps do not converge.
    """
    if not len(statics.rows):  # then specified coordinates do not change, either
        return q, 0
    constraint = statics.constraint(q)
    metric = statics.kinetic_metric(q) if metric is None else metric
    for iteration in range(MOST_ITERATIONS):
        jacobian = statics.jacobian(q)
        scale = statics.constraint_scale(q, jacobian)
        size = float(np.linalg.norm(constraint / scale))
        if float(np.abs(constraint / scale).max()) <= CLOSED:
            return q, iteration
        step = -LeastChange(jacobian, metric).inverse(constraint)
        turned = statics.turned(q, step)
        share = min(1.0, LARGEST_MOVE / turned) if turned > 0 else 1.0
        while share > LEAST_SHARE:
            trial = statics.moved(q, share * step)
            after = statics.constraint(trial)
            if float(np.linalg.norm(after / scale)) < (1 - share / 4) * size:
                break
            share /= 2
        else:
            break
        q, constraint = trial, after
    layout, row = statics.system.layout, int(np.argmax(np.abs(constraint / scale)[: len(statics.rows)]))
    kept = (
        [f"{r.coordinate} of joint '{r.joint}'" for r in statics.kept] if isinstance(statics, KeptCoordinates) else []
    )
    given = f" with the given {', '.join(kept)}" if kept else ""
    remedy = "omit coordinates that others determine" if kept else "check that it exists"
    raise InconsistentInitialValuesError(
        f"The initial configuration of '{layout.name}' cannot be assembled{given}: after {iteration} corrections "
        f"{layout.row_name(int(statics.rows[row]))} is still violated by {constraint[row]:.3g}; start nearer to a "
        f"configuration that satisfies all constraints, or {remedy}."
    )


def _with_velocities(system: System, v: Array, given: NDArray[np.bool_]) -> System:
    """Return the system with other values of the specified velocities."""
    for node in system.layout.nodes:
        rows, stated = v[node.velocity].reshape(node.count, -1), given[node.velocity].reshape(node.count, -1)
        for field in node.type.velocity_fields:
            if stated[~(node.fixed | node.placed), field.part].any():
                system = system.with_initial(node.name, **{field.name: rows[:, field.part]})
    return system
