"""Corners of piecewise laws at which a motion or an input rests, or at which parameters or an equilibrium are: runs and
equilibria have no derivatives there."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np

from symlie.errors import SmoothnessError
from symlie.runtime.integrate.sensitivities.variables import InputVariable, ParameterVariable, Variable
from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System

WITHIN = 0.38
"""Place between two knots, for which a table that crosses zero is not zero by symmetry."""

GENERIC = 0.1
"""Size of changes of a state, in rad, m and per second, that have no zero by chance."""

SHORT = 2.0**-10
"""Time within which a motion leaves a corner at which it does not rest, in s."""

NEAR = 2.0**-20
"""Changes of variables on both sides, relative to their size."""

CORNER = 1e-3
"""Deviation of changes of rates from linear ones, relative to them, above which there is a corner or a jump; that of
smooth functions is `NEAR` times a second derivative."""

GROWTH = 3
"""Growth of this deviation with doubled changes, below which it belongs to a corner or a jump: by 2 or 1, and by 4 for
smooth functions."""

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
    for variable, dq, dv in zip(variables, *tangents, strict=True):
        if _has_corner(_rates_along(system, t, state, variable, (dq, dv))):
            raise SmoothnessError(
                f"The motion of '{system.name}' begins at rest at a corner of a piecewise law, such as the zero of an "
                f"absolute value, where it has no derivative by '{variable.label}'; begin away from the corner, or "
                "replace the law by a smooth one."
            )


def check_parameter_corners(system: System, variables: Sequence[Variable], values: Callable[[System], Array]) -> None:
    """Raise SmoothnessError if a parameter is at a corner of a function that parameters alone determine, such as the
    zero of its absolute value, for values of all functions of a system."""
    if not system.layout.manifest.branches_by_parameters:
        return
    for variable in variables:
        if isinstance(variable, ParameterVariable) and _has_corner(_values_along(system, variable, values)):
            raise SmoothnessError(
                f"Parameter '{variable.label}' of '{system.name}' is at a corner of a piecewise law, such as the zero "
                "of its absolute value, where runs and equilibria have no derivatives by it; give it another value, or "
                "replace the law by a smooth one."
            )


def check_input_corners(system: System, t: float, state: tuple[Array, Array], variables: Sequence[Variable]) -> None:
    """Raise SmoothnessError if an input rests, next to a knot, at a corner of a law that it alone determines, after
    time t; the law is evaluated near a state (q, v)."""
    at = _near(system, *state)
    for variable in variables:
        if not isinstance(variable, InputVariable):
            continue
        for time in _times_near(system, variable):
            if time < t or not _is_at_zero(system, time, *at):
                continue
            if _has_corner(_values_along(system, variable, functools.partial(_rates, t=time, q=at[0], v=at[1]))):
                raise _at_input_corner(system, variable, "runs")


def check_equilibrium_corners(
    system: System,
    t: float,
    equilibrium: Array,
    variables: Sequence[Variable],
    motions: Callable[[], Sequence[Array]],
    values: Callable[[System, Array], Array],
) -> None:
    """Raise SmoothnessError if an equilibrium at time t is at a corner of a piecewise law from which variables move it,
    or inputs are, for motions of its configuration of size one and values of all functions."""
    if not _is_at_zero(system, t, equilibrium, np.zeros(system.layout.dimension)):
        return
    for variable, motion in zip(variables, motions(), strict=True):
        if _has_corner(_values_near(system, equilibrium, motion, values)):
            raise SmoothnessError(
                f"The equilibrium of '{system.name}' is at a corner of a piecewise law, such as the zero of an "
                f"absolute value, where it has no derivative by '{variable.label}'; change the loads, or replace the "
                "law by a smooth one."
            )
        if isinstance(variable, InputVariable) and _has_corner(
            _values_along(system, variable, lambda moved: values(moved, equilibrium))
        ):
            raise _at_input_corner(system, variable, "equilibria")


def _at_input_corner(system: System, variable: Variable, results: str) -> SmoothnessError:
    """Return the error if an input is at a corner."""
    return SmoothnessError(
        f"Input '{variable.label}' of '{system.name}' is at a corner of a piecewise law, such as the zero of its "
        f"absolute value, where {results} have no derivatives by it; give it another value, or replace the law by a "
        "smooth one."
    )


def _times_near(system: System, variable: InputVariable) -> list[float]:
    """Return a time in each interval of a table that begins or ends at a knot."""
    table, knot = system.inputs[variable.name], variable.index[0]
    if not table.is_of_time:
        return []
    ends = [table.times[0] - 1.0, *table.times, table.times[-1] + 1.0]
    return [float(a + WITHIN * (b - a)) for a, b in zip(ends[knot : knot + 2], ends[knot + 1 : knot + 3], strict=True)]


def _is_at_zero(system: System, t: float, q: Array, v: Array) -> bool:
    """Return whether a switching function is zero."""
    if not any(e.switches for e in system.layout.elements):
        return False
    mechanics = system.mechanics
    return bool((np.asarray(mechanics.kernels.switches(mechanics.p, t, q, v)) == 0).any())


def _near(system: System, q: Array, v: Array) -> tuple[Array, Array]:
    """Return a state near another one at which no function of states is zero by chance."""
    dimension = system.layout.dimension
    change = np.where(system.layout.free, GENERIC * np.cos(np.arange(1.0, dimension + 1)), 0.0)
    return system.mechanics.moved(q, change), v + change


def functions_of_runs(system: System, t: float, q: Array, v: Array) -> Array:
    """Return rates and outputs at a state and at one near it, at time t, and the specified initial values."""
    layout, stated = system.layout, system.stated_state()
    found = [stated.q, stated.v]
    for at, velocity in ((q.copy(), v.copy()), _near(system, q, v)):
        system.mechanics.prescribe(t, at, velocity)
        rates = _rates(system, t, at, velocity)
        multipliers = rates[len(rates) - layout.rows :]
        state = States(np.array([t]), at[None], velocity[None], multipliers[None])
        found += [rates, system.kernels.observe(system.prepared, state, (), list(layout.outputs))["outputs"][0]]
    return np.concatenate(found)


def _rates_along(
    system: System, t: float, state: tuple[Array, Array], variable: Variable, tangent: tuple[Array, Array]
) -> Callable[[float], Array]:
    """Return the rates at a state that moves with small changes of a variable."""
    (q, v), (dq, dv), step = state, tangent, NEAR * variable.size(system)

    def rates(k: float) -> Array:
        moved = variable.moved(system, k * step)
        return _rates(moved, t, system.mechanics.moved(q, k * step * dq), v + k * step * dv)

    return rates


def _values_along(system: System, variable: Variable, values: Callable[[System], Array]) -> Callable[[float], Array]:
    """Return values for small changes of a variable."""
    step = NEAR * variable.size(system)
    return lambda k: values(variable.moved(system, k * step))


def _values_near(
    system: System, q: Array, motion: Array, values: Callable[[System, Array], Array]
) -> Callable[[float], Array]:
    """Return values at configurations that move from q."""
    return lambda k: values(system, system.mechanics.moved(q, k * NEAR * motion))


def _has_corner(values: Callable[[float], Array]) -> bool:
    """Return whether functions of one number have a corner or a jump at zero, for changes of this number of size 1."""
    with np.errstate(all="ignore"):
        here = values(0.0)
        changes = {k: values(k) - here for k in (2.0, 1.0, 0.5, -1.0, -2.0)}
    near, far = (np.abs([changes[k] + changes[-k], changes[k] - 2 * changes[k / 2]]).max(axis=0) for k in (1.0, 2.0))
    size = np.abs([changes[1.0], changes[-1.0]]).max(initial=0.0)
    threshold = max(CORNER * size, ROUNDING * np.abs(here).max(initial=0.0))
    return bool(((near > threshold) & (far < GROWTH * near)).any())


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
