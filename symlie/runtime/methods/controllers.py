"""Step size controllers as data: one formula, h_new = h min(fac_max, max(fac_min, safety (1/err)^exponent)).

The error is a norm of ŷ - y for y = (θ, v), where θ are the local coordinates of the step, zero at its start. It is
relative to the tolerances, and a step is accepted if err ≤ 1.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from symlie.contract.constants import MOST_TIMES_OF_IMPACTS, NEWTON_IMPACTS, TIME_RESOLUTION
from symlie.errors import ModelError, UnknownNameError
from symlie.options import ControllerName
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.family import Method
from symlie.runtime.system.parameters import real_array
from symlie.utilities.showing import Brief


@dataclass(frozen=True)
class Controller:
    """Step size controller with dimensionless factors and bounds of the step size in s."""

    name: str
    safety: float
    fac_min: float
    fac_max: float
    is_mean: bool
    """True for the root mean square of the errors, False for their Euclidean norm."""
    source: str
    """Publication of the controller."""
    exponent: float | None = None
    """Exponent of 1/err; None: 1/(min(p, p̂) + 1) of the embedded pair."""
    h_min: float = 0.0
    h_max: float = math.inf

    def __post_init__(self) -> None:
        ordered = 0 <= self.fac_min < 1 < self.fac_max and 0 < self.safety <= 1 and 0 <= self.h_min < self.h_max
        if not (ordered and (self.exponent is None or 0 < self.exponent <= 1)):
            raise ModelError(
                f"Controller '{self.name}' needs 0 <= fac_min < 1 < fac_max, 0 < safety <= 1, 0 < exponent <= 1 and "
                f"0 <= h_min < h_max; it has fac_min={self.fac_min:g}, fac_max={self.fac_max:g}, "
                f"safety={self.safety:g}, exponent={self.exponent}, h_min={self.h_min:g}, h_max={self.h_max:g}."
            )

    def exponent_of(self, method: Method) -> float:
        """Return the exponent for the embedded pair of a method."""
        if self.exponent is not None:
            return self.exponent
        return 1 / (min(method.order, method.order_hat or method.order) + 1)


CONTROLLERS = {
    c.name: c
    for c in (
        Controller("tumiotto2024", 0.8, 0.2, 5.0, True, "[Tumiotto2024], equations (21) and (22)"),
        Controller("holzinger2024", 0.9, 0.0, 2.0, True, "[Holzinger2024], (B15) to (B21)"),
        Controller("celledoni2022", 0.85, 0.0, math.inf, False, "[Celledoni2022], equation (33)"),
    )
}
"""Controllers by name."""

MAX_STEPS = 10**9
"""Default limit of adaptive steps between two stop times: about a quarter of an hour of computation for the fastest
models."""

OPTIONS = ("safety", "exponent", "fac_min", "fac_max", "h_min", "h_max")
"""Options of a controller."""


def controller_by_name(name: ControllerName | Controller, options: Mapping[str, float] | None = None) -> Controller:
    """Return a controller by name, with changed factors."""
    if isinstance(name, str) and name not in CONTROLLERS:
        raise UnknownNameError(f"Unknown controller '{name}'; use one of: {', '.join(CONTROLLERS)}.")
    chosen = CONTROLLERS[name] if isinstance(name, str) else name
    for key in options or {}:
        if key not in OPTIONS:
            raise UnknownNameError(f"A controller has no option '{key}'; it has: {', '.join(OPTIONS)}.")
    changed: dict[str, Any] = {}
    for key, value in (options or {}).items():
        array = real_array(f"The option '{key}' of a controller", value)
        if array.size != 1:
            raise ModelError(f"The option '{key}' of a controller must be one number, not {value!r}.")
        changed[key] = array.item()
    return dataclasses.replace(chosen, **changed)


HOLD = 1.2
"""Growth factor up to which the step size remains unchanged to reuse factorisations, which depend on it.
Source: [HairerWanner1996], section IV.8.
"""


@dataclass(frozen=True, eq=False, repr=False)
class StepControl(Brief):
    """Control of the steps of one integration: step size, error estimate, stabilisation; arrays have shape (2
    dimension,)."""

    is_adaptive: bool
    with_estimate: bool
    rtol: Array
    atol: Array
    weight: Array
    safety: float = 1.0
    exponent: float = 1.0
    fac_min: float = 0.0
    fac_max: float = 1.0
    hold: float = 1.0
    """Growth factor up to which the step size remains unchanged."""
    h_min: float = 0.0
    h_max: float = math.inf
    baumgarte: float = 0.0
    project_position: bool = False
    project_velocity: bool = False
    max_steps: int = MAX_STEPS
    order: int = 0
    tolerance: float = 0.0
    """Smallest relative tolerance, or smallest absolute one if all relative ones are zero."""
    stiffness_limit: float = 0.0
    hidden_limit: float = 0.0
    """Limit of |B v + b| relative to max(1, |v|) with redundant constraints; 0: none."""
    watches_rank: int = 0
    """Treatment of singular configurations: 0 none, 1 count them, 2 project the state as well."""
    impacts: int = NEWTON_IMPACTS
    """Treatment of impacts of contacts at one time."""
    most_impacts: int = MOST_TIMES_OF_IMPACTS

    @property
    def is_projected(self) -> bool:
        """True if the ends of steps are projected onto the constraints."""
        return self.project_position or self.project_velocity

    def error(self, theta: Array, difference: Array, v_n: Array, v: Array) -> float:
        """Return the norm of a difference ŷ - y relative to the tolerances."""
        size = np.concatenate([np.abs(theta), np.maximum(np.abs(v_n), np.abs(v))])
        return float(np.sqrt(np.sum(self.weight * (difference / (self.atol + self.rtol * size)) ** 2)))

    def factor(self, error: float) -> float:
        """Return the factor of the step size after a step with this error."""
        proposed = self.safety * error**-self.exponent if error > 0 else self.fac_max
        factor = min(self.fac_max, max(self.fac_min, proposed))
        return 1.0 if 1 <= factor <= self.hold else factor

    def smallest_step(self, t: float, span: float) -> float:
        """Return the smallest step size that advances time by more than its rounding, at t and over the interval."""
        return max(self.h_min, TIME_RESOLUTION * max(abs(t), span))


def tolerances(what: str, value: ArrayLike, dimension: int) -> Array:
    """Return positive tolerances for the entries of (θ, v), shape (2 dimension,), from one number or one for each
    entry."""
    array = real_array(what, value)
    if array.size not in (1, dimension, 2 * dimension):
        raise ModelError(f"{what} needs 1, {dimension} or {2 * dimension} entries, not {array.size}.")
    if not (np.all(np.isfinite(array)) and np.all(array >= 0)):
        raise ModelError(f"{what} must be a number that is not negative, not {value!r}.")
    if array.size == 1:
        return np.full(2 * dimension, array.item())
    return np.tile(array, 2) if array.size == dimension else array.copy()


FIXED_STEPS = StepControl(False, False, np.zeros(1), np.ones(1), np.ones(1))
"""Fixed steps without error estimate and without stabilisation."""
