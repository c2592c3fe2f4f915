"""Corners of piecewise laws at which a motion rests, where it has no derivatives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symlie.errors import SmoothnessError
from symlie.runtime.integrate.sensitivities.variables import Variable
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System

SHORT = 2.0**-10
"""Time within which a motion leaves a corner at which it does not rest, in s."""

NEAR = 2.0**-20
"""Changes of variables on both sides, relative to their size."""

CORNER = 1e-3
"""Deviation of changes of rates from linear ones, relative to them, above which there is a corner or a jump; that of
smooth functions is `NEAR` times a second derivative."""

ROUNDING = 2.0**-44
"""Largest changes of rates by rounding, relative to the rates."""


def check_corners(
    system: System, t: float, state: tuple[Array, Array], variables: Sequence[Variable], tangents: tuple[Array, Array]
) -> None:
    """Raise SmoothnessError if a motion rests at a corner of a piecewise law from which variables move it, for its
    state (q, v) at time t and the derivatives of q and v, shape (variables, dimension)."""
    q, v = state
    if not _rests(system, t, q, v):
        return
    here = _rates(system, t, q, v)
    for variable, dq, dv in zip(variables, *tangents, strict=True):
        step = NEAR * variable.size(system)
        after, before, half = (
            _rates(variable.moved(system, d), t, system.mechanics.moved(q, d * dq), v + d * dv) - here
            for d in (step, -step, step / 2)
        )
        size = np.abs([after, before]).max(initial=0.0)
        nonlinear = np.abs([after + before, after - 2 * half]).max(initial=0.0)
        if nonlinear > max(CORNER * size, ROUNDING * np.abs(here).max(initial=0.0)):
            raise SmoothnessError(
                f"The motion of '{system.name}' begins at rest at a corner of a piecewise law, such as the zero of an "
                f"absolute value, where it has no derivative by '{variable.label}'; begin away from the corner, or "
                "replace the law by a smooth one."
            )


def _rests(system: System, t: float, q: Array, v: Array) -> bool:
    """Return whether a switching function is zero and remains so."""
    if not any(e.switches for e in system.layout.elements):
        return False
    mechanics, h = system.mechanics, SHORT
    with np.errstate(all="ignore"):
        is_zero = np.asarray(mechanics.kernels.switches(mechanics.p, t, q, v)) == 0
        if not is_zero.any():
            return False
        a, multipliers = mechanics.index1(t, q, v)
        rate = mechanics.rate(t, q, v, a, multipliers)
        later = mechanics.kernels.advance(q, h * rate + h**2 / 2 * a), v + h * a
        mechanics.prescribe(t + h, *later)
        return bool((is_zero & (np.asarray(mechanics.kernels.switches(mechanics.p, t + h, *later)) == 0)).any())


def _rates(system: System, t: float, q: Array, v: Array) -> Array:
    """Accelerations, rates of first-order states, and multipliers."""
    a, multipliers = system.mechanics.index1(t, q, v)
    return np.concatenate([a, system.mechanics.rate(t, q, v, a, multipliers), multipliers])
