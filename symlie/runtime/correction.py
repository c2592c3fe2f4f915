"""Assembly of inconsistent initial values: the smallest change that satisfies the constraints.

    min |η|²  with  Φ(t, q0∘exp(η)) = 0,      then  min |w|²  with  B (v0 + w) + b = 0

Steps -B⁺ Φ on the group lead to the constraints, and steps -(1 - B⁺B) η along them back towards q0 as far as that
makes the change smaller. B⁺ is the pseudoinverse, so that redundant rows do no harm as long as they can be satisfied.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from symlie.errors import InconsistentInitialValuesError
from symlie.runtime.layout import Array
from symlie.runtime.redundancy import RANK_TOLERANCE
from symlie.runtime.saddle import LARGEST_DENSE, SaddlePoint
from symlie.runtime.statics import Statics
from symlie.showing import Brief

if TYPE_CHECKING:
    from symlie.runtime.system import System

MOST_ITERATIONS = 60
"""Steps to the constraints, and steps along them; small corrections take five of each."""

CLOSED = 1e-13
"""Largest |Φ|, relative to max(1, |q|), of an assembled configuration."""

SETTLED = 1e-9
"""Length of a step along the constraints below which the change is the smallest one."""

LEAST_SHARE = 1e-3
"""Share of a step below which it leads nowhere."""

LARGEST_MOVE = 1.0
"""Largest rotation of one step, in rad."""

REGULARISATION = 1e-10
"""ε of large systems for redundant rows; the iteration removes its error."""


@dataclass(frozen=True, eq=False, repr=False)
class Assembly(Brief):
    """How far initial values were moved."""

    moved: dict[str, Array]
    """By node log(q0⁻¹∘q), shape (count, dimension), in rad and m."""
    velocity_changes: dict[str, Array]
    """By node changes of the velocities that were stated, shape (count, dimension)."""
    iterations: int

    @property
    def largest(self) -> dict[str, float]:
        """Largest component of the move of each node or node array."""
        return {name: float(np.abs(values).max(initial=0)) for name, values in self.moved.items()}


def assembled(system: System, t: float = 0.0, *, velocities: bool = True) -> System:
    """See `symlie.runtime.system.System.assembled`."""
    statics = Statics(system, t)
    stated = system.stated_state()
    start = statics.prescribed(stated.q)
    q, iterations = _assembled_configuration(statics, start)
    corrected = system.with_configuration(q)
    changes = np.zeros(system.layout.dimension)
    if velocities and system.layout.rows:
        changes = _velocity_changes(system, statics, q, stated.v, stated.given)
        if np.any(changes):
            corrected = _with_velocities(corrected, stated.v + changes, stated.given)
    moved = system.kernels.difference(start, q)
    report = Assembly(_by_node(system, moved), _by_node(system, changes), iterations)
    return dataclasses.replace(corrected, assembly=report)


def _by_node(system: System, vector: Array) -> dict[str, Array]:
    return {n.name: vector[n.velocity].reshape(n.count, -1) for n in system.layout.nodes}


class _Projection:
    """x ↦ B⁺ x and y ↦ B⁺B y."""

    def __init__(self, jacobian: Any) -> None:
        norms = np.sqrt(np.asarray(jacobian.multiply(jacobian).sum(axis=1)).ravel())
        self._scale = 1 / np.where(norms > 0, norms, 1.0)
        self._unit = (jacobian.multiply(self._scale[:, None])).tocsr()
        self._solve: Any
        if sum(jacobian.shape) <= LARGEST_DENSE:
            inverse = np.linalg.pinv(self._unit.toarray(), rcond=RANK_TOLERANCE)
            self._solve = lambda x: inverse @ x
        else:
            from scipy.sparse import eye_array

            n = jacobian.shape[1]
            factors = SaddlePoint(eye_array(n, format="csr"), self._unit, REGULARISATION)
            self._solve = lambda x: factors.solve(np.zeros(n), x)[0]

    def inverse(self, x: Array) -> Array:
        """B⁺ x."""
        return np.asarray(self._solve(self._scale * x))

    def along(self, y: Array) -> Array:
        """(1 - B⁺B) y."""
        return np.asarray(y - self._solve(self._unit @ y))


def _assembled_configuration(statics: Statics, start: Array) -> tuple[Array, int]:
    """The configuration on the constraints nearest to the start, and the number of steps."""
    kernels, free = statics.system.kernels, statics.free
    q, iterations = closed(statics, start)
    if not iterations:
        return q, 0
    moved, share = kernels.difference(start, q)[free], 1.0
    while iterations < MOST_ITERATIONS and share > LEAST_SHARE:
        sliding = -_Projection(statics.jacobian(q)).along(moved)
        if float(np.linalg.norm(sliding)) <= SETTLED:
            break
        iterations += 1
        try:
            trial, _ = closed(statics, statics.moved(q, share * sliding))
        except InconsistentInitialValuesError:
            share /= 2
            continue
        there = kernels.difference(start, trial)[free]
        if not float(there @ there) < float(moved @ moved):
            share /= 2
            continue
        q, moved, share = trial, there, min(1.0, 2 * share)
    return q, iterations


def closed(statics: Statics, q: Array) -> tuple[Array, int]:
    """A configuration on the constraints by steps -B⁺Φ, shortened where they do not help, and their number.

    Raises
    ------
    InconsistentInitialValuesError
        The steps lead nowhere.
    """
    if not len(statics.rows):
        return q, 0
    kernels, constraint = statics.system.kernels, statics.constraint(q)
    for iteration in range(MOST_ITERATIONS):
        size = float(np.linalg.norm(constraint))
        if float(np.abs(constraint).max()) <= CLOSED * max(1.0, float(np.abs(q).max())):
            return q, iteration
        step = -_Projection(statics.jacobian(q)).inverse(constraint)
        turned = float(np.sqrt(kernels.chart(statics.spread(step))))
        share = min(1.0, LARGEST_MOVE / turned) if turned > 0 else 1.0
        while share > LEAST_SHARE:
            trial = statics.moved(q, share * step)
            after = statics.constraint(trial)
            if float(np.linalg.norm(after)) < (1 - share / 4) * size:
                break
            share /= 2
        else:
            break
        q, constraint = trial, after
    layout, row = statics.system.layout, int(np.argmax(np.abs(constraint)))
    raise InconsistentInitialValuesError(
        f"The initial configuration of '{layout.name}' can not be assembled: after {iteration} corrections "
        f"{layout.row_name(int(statics.rows[row]))} is still violated by {constraint[row]:.3g}; start nearer to a "
        "configuration that satisfies all constraints, or check that there is one."
    )


def _velocity_changes(system: System, statics: Statics, q: Array, v: Array, given: Any) -> Array:
    """The smallest change of the velocities, first of those that were not stated, that satisfies B v + b = 0."""
    layout, kernels = system.layout, system.kernels
    everything = Statics(system, statics.t, np.ones(layout.rows, dtype=bool))
    v = np.where(given & layout.free, v, 0.0)
    kernels.prescribe(statics.p, statics.t, q.copy(), v)
    values = kernels.jacobian(statics.p, statics.t, q)
    jacobian, bound = everything.jacobian(q), kernels.constraint_rate(statics.p, statics.t, q)

    def hidden(v: Array) -> Array:
        return np.asarray(system.algebra.multiply(values, v) + bound)

    changes = np.zeros(layout.dimension)
    allowed = CLOSED * 10 * max(1.0, float(np.abs(v).max()))
    for wanted in (~given[everything.free], np.ones(len(everything.free), dtype=bool)):
        residual = hidden(v + changes)
        if float(np.abs(residual).max()) <= allowed or not wanted.any():
            continue
        changes[everything.free[wanted]] -= _Projection(jacobian[:, wanted]).inverse(residual)
    residual = hidden(v + changes)
    if not float(np.abs(residual).max()) <= 1e3 * allowed:
        row = int(np.argmax(np.abs(residual)))
        raise InconsistentInitialValuesError(
            f"The initial velocities of '{layout.name}' can not be made consistent: {layout.row_name(row)} has "
            f"B v + b = {residual[row]:.3g} whatever the free velocities are."
        )
    return np.where(given, changes, 0.0)


def _with_velocities(system: System, v: Array, given: Any) -> System:
    """The system with other values of the velocities that were stated."""
    for node in system.layout.nodes:
        rows, stated = v[node.velocity].reshape(node.count, -1), given[node.velocity].reshape(node.count, -1)
        for entry in node.type["velocity_fields"]:
            part = slice(entry["offset"], entry["offset"] + int(np.prod(entry["shape"])))
            if stated[~node.fixed, part].any():
                system = system.with_initial(node.name, **{entry["name"]: rows[:, part]})
    return system
