"""Configurations that satisfy the constraints, near to a given one.

Steps -B⁺ Φ on the group lead to the constraints, and steps -(1 - B⁺B) η along the constraints reduce the distance from
q0. B⁺ is the pseudoinverse in the metric M, so that consistent redundant constraint equations are harmless.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symlie.contract.manifest import JointRate
from symlie.errors import InconsistentInitialValuesError
from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.least_change import CLOSED, LeastChange
from symlie.runtime.statics.residual import Statics
from symlie.runtime.system.output_jacobian import linear_outputs

MOST_ITERATIONS = 60
"""Largest number of steps to the constraints, and of steps along them; small corrections take five of each."""

SETTLED = 1e-9
"""Length of a step along the constraints, relative to component sizes, below which the change is minimal."""

LEAST_SHARE = 1e-3
"""Fraction of a step below which it is not shortened further."""

LARGEST_MOVE = 1.0
"""Largest rotation of one step, in rad."""


def assembled_configuration(statics: Statics, start: Array, begin: Array | None = None) -> tuple[Array, int]:
    """Return the configuration nearest to the start that satisfies the constraints, and the number of steps; the search
    begins there by default."""
    mechanics, free = statics.mechanics, statics.free
    metric = statics.kinetic_metric(start)
    q, iterations = closed(statics, start if begin is None else begin, metric)
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
    constraint = statics.constraint(q)
    if not len(constraint):
        return q, 0
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
    raise InconsistentInitialValuesError(_failure(statics, q, constraint / scale, iteration))


def _failure(statics: Statics, q: Array, relative: Array, iteration: int) -> str:
    """Return the reason why a configuration cannot be assembled, for the constraint values relative to their sizes."""
    layout, after = statics.system.layout, f"after {iteration} corrections"
    kept = (
        [f"{r.coordinate} of joint '{r.joint}'" for r in statics.kept] if isinstance(statics, KeptCoordinates) else []
    )
    given = f" with the given {', '.join(kept)}" if kept else ""
    if not len(statics.rows):
        return f"The configuration of '{layout.name}' cannot be found."
    row = int(np.argmax(np.abs(relative)[: len(statics.rows)]))
    remedy = "omit coordinates that others determine" if kept else "check that it exists"
    return (
        f"The initial configuration of '{layout.name}' cannot be assembled{given}: {after} "
        f"{layout.row_name(int(statics.rows[row]))} is still violated by {statics.constraint(q)[row]:.3g}; start "
        f"nearer to a configuration that satisfies all constraints, or {remedy}."
    )


class KeptCoordinates(Statics):
    """Constraints of a system, extended by specified joint coordinates that retain their initial values."""

    def __init__(self, statics: Statics, start: Array, kept: Sequence[JointRate]) -> None:
        super().__init__(statics.system, statics.t, np.isin(np.arange(statics.system.layout.rows), statics.rows))
        layout = self.system.layout
        self.kept = kept
        self._names = [f"{rate.joint}_{rate.coordinate}" for rate in kept]
        self._is_angle = np.array([layout.output_parts[name][0] == "rad" for name in self._names])
        self._values = rest_outputs(self, start, self._names)

    def constraint(self, q: Array) -> Array:
        """Return Φ(t, q) and the deviations of the coordinates."""
        off = rest_outputs(self, q, self._names) - self._values
        off = np.where(self._is_angle, np.remainder(off + np.pi, 2 * np.pi) - np.pi, off)
        return np.concatenate([super().constraint(q), off])

    def jacobian(self, q: Array) -> Sparse:
        """Return B and the derivatives of the coordinates."""
        from scipy.sparse import vstack

        rates = linear_outputs(self.mechanics, self.t, q, [rate.output for rate in self.kept])
        return vstack([super().jacobian(q), rates.matrix[:, self.free]], format="csr")


def rest_outputs(statics: Statics, q: Array, names: Sequence[str]) -> Array:
    """Return outputs at rest at a configuration."""
    system, layout = statics.system, statics.system.layout
    at = States(np.array([statics.t]), q[None], np.zeros((1, layout.dimension)), np.zeros((1, layout.rows)))
    return np.asarray(system.kernels.observe(system.prepared, at, (), names)["outputs"][0])
