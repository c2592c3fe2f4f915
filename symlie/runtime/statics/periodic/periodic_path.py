"""`periodic_path`: periodic motions for several values of a parameter, each from those before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from symlie.errors import ModelError, PeriodicMotionError
from symlie.runtime.layout.layout import Array
from symlie.runtime.statics.monodromy import state_of_motion
from symlie.runtime.statics.parameter_family import ParameterFamily
from symlie.runtime.statics.periodic.periodic_motion import PeriodicMotion, periodic_motion
from symlie.runtime.system.parameters import real_array
from symlie.runtime.system.system import System
from symlie.utilities.showing import Brief

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from symlie.runtime.methods.chosen import MethodLike


@dataclass(frozen=True, eq=False, repr=False)
class PeriodicPath(Brief):
    """Periodic motions along a parameter, from `periodic_path`.

    Attributes
    ----------
    name
        Name of the parameter or input.
    values
        Its values, in its unit, shape (n,).
    motions
        Periodic motion for each value.
    """

    name: str
    values: Array
    motions: tuple[PeriodicMotion, ...]

    @property
    def periods(self) -> Array:
        """Periods, in s, shape (n,)."""
        return np.array([motion.period for motion in self.motions])

    @property
    def stable(self) -> Array:
        """True for motions without Floquet multipliers above 1 + 1e-6 in modulus, shape (n,)."""
        return np.array([bool(np.all(np.abs(m.monodromy.multipliers) <= 1 + UNSTABLE)) for m in self.motions])


UNSTABLE = 1e-6
"""Modulus of a Floquet multiplier minus one up to which a motion counts as stable: errors of steps and rounding."""


def periodic_path(
    system: System,
    name: str,
    values: ArrayLike,
    period: float | Callable[[float], float],
    q: Array | None = None,
    v: Array | None = None,
    *,
    t: float = 0.0,
    forced: bool = False,
    hold: str | Sequence[str] = (),
    steps: int = 128,
    method: MethodLike = "half_explicit_5",
) -> PeriodicPath:
    """Continue a periodic motion in a parameter.

    The motion of each value is found by `periodic_motion`, from a state on the line through the two motions before. The
    path does not pass turning points, at which no motion exists beyond a value.

    Source: [Deuflhard2004], section 7.3.

    Parameters
    ----------
    system
        The system.
    name
        Scalar parameter or input.
    values
        Its values in the order of the path, in its unit, shape (n,).
    period
        Period of the first motion, in s, an estimate unless ``forced``; or a function of the value, for excitations
        whose period depends on it.
    q, v
        Estimate of a state on the first motion, as for `periodic_motion`.
    t, forced, hold, steps, method
        As for `periodic_motion`.

    Returns
    -------
    PeriodicPath
        The motions.

    Raises
    ------
    UnknownNameError
        If the parameter or an output does not exist.
    PeriodicMotionError
        If a motion is not found; the message names the value.
    ModelError
        If the parameter has several components, values are missing or not finite, and as for `periodic_motion`.
    EquilibriumError, RedundantConstraintsError, UnsupportedMethodError, IntegrationError
        As for `System.monodromy`.
    """
    stated = real_array(f"The values of '{name}'", values).ravel()
    if not len(stated) or not np.isfinite(stated).all():
        raise ModelError(f"The values of '{name}' must be finite numbers, at least one.")
    family, found = ParameterFamily(system, name, t), list[PeriodicMotion]()
    if family.is_time:
        raise ModelError("A path of periodic motions needs a parameter or an input, not the time.")
    q, v = state_of_motion(family.at(float(stated[0])), q, v, t)
    for k, value in enumerate(stated.tolist()):
        moved = family.at(value)
        expected = float(period(value)) if callable(period) else found[-1].period if found else period
        if len(found) > 1:
            share = (value - stated[k - 1]) / (stated[k - 1] - stated[k - 2])
            last, before = found[-1], found[-2]
            q = system.kernels.advance(last.q, share * system.kernels.difference(before.q, last.q))
            v = last.v + share * (last.v - before.v)
            if not callable(period):
                expected += share * (last.period - before.period)
        elif found:
            q, v = found[-1].q, found[-1].v
        try:
            found.append(
                periodic_motion(moved, expected, q, v, t=t, forced=forced, hold=hold, steps=steps, method=method)
            )
        except PeriodicMotionError as error:
            raise PeriodicMotionError(f"The path ends before {name} = {value:.9g}: {error}") from None
    return PeriodicPath(name, stated, tuple(found))
