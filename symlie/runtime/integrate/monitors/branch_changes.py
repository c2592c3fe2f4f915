"""Steps of a run in which piecewise laws change their branches."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import Status
from symlie.runtime.integrate.run import MOST_STEPS, Run
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.recorder import Recorder
from symlie.runtime.system.mechanics import Mechanics

HALVINGS = 40
"""Halvings of a step around a change of a branch: both sides are then apart by rounding."""

JUMP = 1e-6
"""Change of accelerations and rates across a change of a branch, relative to their size, above which they jump: those
of a kink change by round-off."""


class BranchChange(NamedTuple):
    """Step of a run in which a piecewise law changes its branch, from `Sensitivity.branch_changes`."""

    t: float
    """Time of the first change in the step, interpolated, in s."""
    jumps: bool
    """True if accelerations or rates of first-order states jump there, which derivatives of the branches do not
    contain; they are exact across kinks."""


def branch_changes(run: Run) -> tuple[BranchChange, ...]:
    """Return the changes of branches in the steps of a run, which is repeated."""
    layout = run.system.layout
    if not any(e.switches for e in layout.elements):
        return ()
    t, q, v = _states(run)
    mechanics = run.system.mechanics
    signs = np.array([_signs(mechanics, *state) for state in zip(t.tolist(), q, v, strict=True)])
    found = []
    for k in np.flatnonzero((signs[1:] != signs[:-1]).any(axis=1)):
        if t[k + 1] > t[k]:
            found.append(_change(mechanics, (t[k], q[k], v[k]), (t[k + 1], q[k + 1], v[k + 1])))
    return tuple(found)


def _states(run: Run) -> tuple[Array, Array, Array]:
    """Return all states of a run that is known to succeed."""
    at, recorder = run.begin.at, Recorder(run.system.layout)
    recorder.add_state(float(run.settings["t_span"][0]), at.q, at.v, at.multipliers, at.carried)
    loop, status = dataclasses.replace(run, record_every=1).loop(run.begin), Status.BUDGET
    while status in (Status.BUDGET, Status.BUFFER_FULL):
        status = loop.advance(MOST_STEPS)
        loop.drain(recorder)
    return recorder.taken_states()[:3]


def _signs(mechanics: Mechanics, t: float, q: Array, v: Array) -> NDArray[np.bool_]:
    with np.errstate(all="ignore"):
        return np.asarray(mechanics.kernels.switches(mechanics.p, t, q, v)) > 0


def _change(mechanics: Mechanics, start: tuple[float, Array, Array], end: tuple[float, Array, Array]) -> BranchChange:
    """Return the first change between two states, by halving an interpolated motion."""
    (t, q, v), (t_end, q_end, v_end) = start, end
    apart, before = mechanics.kernels.difference(q, q_end), _signs(mechanics, t, q, v)

    def between(s: float) -> tuple[float, Array, Array]:
        at = t + s * (t_end - t), mechanics.kernels.advance(q, s * apart), v + s * (v_end - v)
        mechanics.prescribe(*at)
        return at

    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.array_equal(_signs(mechanics, *between(middle)), before) else (low, middle)
    sides = [between(s) for s in (low, high)]
    first, second = (_rates(mechanics, *side) for side in sides)
    size = max(np.abs(first).max(initial=0.0), np.abs(second).max(initial=0.0))
    return BranchChange(float(sides[1][0]), bool(np.abs(second - first).max(initial=0.0) > JUMP * size))


def _rates(mechanics: Mechanics, t: float, q: Array, v: Array) -> Array:
    """Accelerations, and rates of first-order states."""
    acceleration, multipliers = mechanics.index1(t, q, v)
    return np.concatenate([acceleration, mechanics.rate(t, q, v, acceleration, multipliers) - v])
