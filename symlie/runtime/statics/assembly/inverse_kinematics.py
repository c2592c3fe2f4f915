"""Search for configurations at which outputs have given values."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symlie.errors import InconsistentInitialValuesError
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.least_change import LeastChange
from symlie.runtime.statics.assembly.configurations import (
    LARGEST_MOVE,
    LEAST_SHARE,
    MOST_ITERATIONS,
    assembled_configuration,
    closed,
)
from symlie.runtime.statics.assembly.targets import Targets, checked_limits, checked_targets, passed_limit
from symlie.runtime.statics.residual import Statics

NEARBY, NUDGE = 3, 0.1
"""Number of nearby configurations from which the search for targets is repeated, and their distance from the start,
relative to component sizes."""


def at_targets(
    statics: Statics, start: Array, targets: Mapping[str, object], limits: Mapping[str, tuple[float, float]]
) -> tuple[Array, int, dict[str, float]]:
    """Return the nearest configuration at which outputs have given values, the number of steps, and the deviations;
    limits that would be passed are reached."""
    wanted = checked_targets(statics.system, targets)
    bounds, steps = checked_limits(statics.system, limits), 0
    reached: dict[str, Array] = {}
    while True:
        whole = Targets(statics, wanted | reached)
        q, iterations = _nearest_to_targets(statics, whole, start)
        steps += iterations
        passed = passed_limit(whole, q, {name: pair for name, pair in bounds.items() if name not in reached})
        if passed is None:
            return q, steps, {name: size for name, size in whole.missed(q).items() if name in wanted}
        reached |= passed


def _nearest_to_targets(statics: Statics, whole: Targets, start: Array) -> tuple[Array, int]:
    """Return the nearest configuration and the number of steps; after a failure, as at singular configurations, the
    search is repeated from nearby configurations."""
    try:
        return assembled_configuration(whole, start)
    except InconsistentInitialValuesError as error:
        lengths = statics.sizes(start).length
        for k in range(1, NEARBY + 1):
            nudge = NUDGE * lengths * np.sin(k * np.arange(1, len(lengths) + 1))
            try:
                begin, _ = closed(statics, statics.moved(start, nudge))
                return assembled_configuration(whole, start, begin)
            except InconsistentInitialValuesError:
                continue
        raise InconsistentInitialValuesError(_missed_targets(statics, whole, start)) from error


def _missed_targets(statics: Statics, whole: Targets, start: Array) -> str:
    """Return the reason why targets are not reached, with the least deviation found on the constraints."""
    q, _ = closed(statics, start)
    metric, share = whole.kinetic_metric(q), 1.0
    size = float(np.linalg.norm(whole.constraint(q)))
    for _ in range(MOST_ITERATIONS):
        if share <= LEAST_SHARE:
            break
        step = -LeastChange(whole.jacobian(q), metric).inverse(whole.constraint(q))
        share = min(share, LARGEST_MOVE / max(whole.turned(q, step), LARGEST_MOVE))
        try:
            trial, _ = closed(statics, whole.moved(q, share * step), metric)
            after = float(np.linalg.norm(whole.constraint(trial)))
        except InconsistentInitialValuesError:
            after = np.inf
        if after < size:
            q, size, share = trial, after, min(1.0, 2 * share)
        else:
            share /= 2
    name, missed = whole.farthest(q)
    return (
        f"The targets of '{statics.system.name}' cannot be reached together with its constraints: the search "
        f"ends where output '{name}' misses its target by {missed:.3g}; start nearer to the targets, or change them."
    )
