"""Self-adjoint methods, whose step back undoes the step, and their compositions.

    Ψ_{-h} = Ψ_h⁻¹;  Φ_h = Ψ_{γ_s h}∘…∘Ψ_{γ_1 h} with γ from `symlie.runtime.tableaux.compositions`

Some γ_i are negative: a force that dissipates would feed its energy back there, and is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from symlie.errors import ModelError, UnsupportedMethodError
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.options import Choice, Option
from symlie.runtime.tableaux.compositions import COMPOSITIONS, Composition

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial
    from symlie.runtime.system.system import System

COMPOSE: Mapping[str, Option] = {"compose": Choice(("none", *COMPOSITIONS))}
"""What the option of all self-adjoint methods may be."""

ROUNDING = 1e-10
"""Power of a force, relative to the terms that it is a sum of, below which it is rounding."""

STATES = 3
"""Random velocities at which power is looked at."""


@dataclass(frozen=True, repr=False)
class SelfAdjoint(Method):
    """A method that is self-adjoint, for some options at least.

    Parameters
    ----------
    compose : str
        Name of a composition, or ``"none"``.

    Raises
    ------
    ModelError
        With the other options the method is not self-adjoint, or not of order two.
    """

    compose: str = field(default="none", kw_only=True)

    stated_options: ClassVar[Mapping[str, Option]] = COMPOSE
    """What options may be; families have others beside it."""

    def __post_init__(self) -> None:
        if self.composition is None:
            return
        if not self.is_self_adjoint:
            stated = ", ".join(f"{name}={value}" for name, value in self.options.items())
            raise ModelError(
                f"Method {self.name}: compose belongs to self-adjoint methods, and this is none with {stated}; leave "
                "compose out, or change the other options."
            )
        if self.single_order != 2:
            raise ModelError(
                f"Method {self.name}: compose raises methods of order 2, and this has order {self.single_order}."
            )

    @property
    def options(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.stated_options}

    def _with(self, options: Mapping[str, object]) -> Self:
        return replace(self, **{n: self.stated_options[n].read(self.name, n, x) for n, x in options.items()})

    @property
    def is_self_adjoint(self) -> bool:
        """Whether a step back undoes a step, with these options."""
        return True

    @property
    def single_order(self) -> int:
        """Order of a step that is not composed."""
        return self.tableau.order

    @property
    def composition(self) -> Composition | None:
        """The substeps of a step; ``None`` where a step is one."""
        return COMPOSITIONS.get(self.compose)

    @property
    def order(self) -> int:
        return self.single_order if self.composition is None else self.composition.order


def check_composition(system: System, method: Method, t: float, q: Array) -> None:
    """Check that substeps may go back: no force that depends on velocities does work at a configuration.

    Of g(t, q, v) = -M v̇ only what is odd in v can dissipate; its power v·(g(v) - g(-v))/2 is zero for inertial and
    gyroscopic forces. It is looked at with the system's parameters, so that dampers without damping are none.

    Parameters
    ----------
    system, method
        A system, and the method that shall integrate it.
    t, q
        Time, in s, and the configuration.

    Raises
    ------
    UnsupportedMethodError
        A force dissipates; the message names a component of the velocity on which it acts.
    """
    layout = system.layout
    own = layout.has_velocity & layout.integrated
    if method.composition is None or not own.any():
        return

    def dissipates(v: Array) -> bool:
        power = v * (system.mechanics.force(t, q, v) - system.mechanics.force(t, q, -v))
        return abs(float(power.sum())) > ROUNDING * float(np.abs(power).sum())

    for seed in range(STATES):
        v = np.where(own, np.random.default_rng(seed).normal(size=layout.dimension), 0.0)
        if dissipates(v):
            name = layout.velocity_name(_smallest_part(dissipates, v))
            raise UnsupportedMethodError(
                f"Method '{method.name}' with compose={method.options['compose']} goes back in between, where forces "
                f"that dissipate feed energy in, and such a force acts on {name} of '{layout.name}'; leave compose "
                "out, or set the damping to zero."
            )


def _smallest_part(dissipates: Callable[[Array], bool], v: Array) -> int:
    """A component of a velocity that a force dissipates, by halves."""
    places = np.flatnonzero(v)
    while len(places) > 1:
        halves = places[: len(places) // 2], places[len(places) // 2 :]
        found = next((h for h in halves if dissipates(np.where(np.isin(np.arange(len(v)), h), v, 0.0))), None)
        if found is None:
            break
        places = found
    return int(places[0])


def composed_step(stepper: Stepper, state: State, h: float, composition: Composition) -> Trial:
    """The result of the substeps of a step, one after the other; the NumPy form of ``substeps.h``.

    Counts of Newton's method add up.
    """
    at, increment = state, np.zeros_like(state.v)
    for start, length in zip(composition.starts, composition.lengths, strict=True):
        trial = stepper.single_step(replace(at, t=state.t + start * h), length * h)
        increment = increment + trial.increment
        at = replace(
            at, q=trial.q, v=trial.v, multipliers=trial.multipliers, acceleration=trial.acceleration, own=trial.own
        )
    trial.increment = increment
    return trial
