"""Self-adjoint methods, for which a backward step inverts a forward step, and their compositions.

    Ψ_{-h} = Ψ_h⁻¹;  Φ_h = Ψ_{γ_s h}∘…∘Ψ_{γ_1 h} with γ from `symlie.runtime.tableaux.compositions`

Some γ_i are negative: a dissipative force would supply energy there, and is rejected.
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
"""Option of all self-adjoint methods with its values."""

ROUNDING = 1e-10
"""Power of a force, relative to its terms, below which it is attributed to rounding."""

STATES = 3
"""Number of random velocities at which the power is evaluated."""


@dataclass(frozen=True, repr=False)
class SelfAdjoint(Method):
    """Method that is self-adjoint, at least for some options."""

    compose: str = field(default="none", kw_only=True)
    """Name of a composition, or ``"none"``."""

    stated_options: ClassVar[Mapping[str, Option]] = COMPOSE
    """Options with their values; families add further ones."""

    def __post_init__(self) -> None:
        if self.composition is None:
            return
        if not self.is_self_adjoint:
            stated = ", ".join(f"{name}={value}" for name, value in self.options.items())
            raise ModelError(
                f"Method {self.name}: compose requires a self-adjoint method, and with {stated} this method is not "
                "self-adjoint; omit compose, or change the other options."
            )
        if self.single_order != 2:
            raise ModelError(
                f"Method {self.name}: compose applies to methods of order 2, but this method has order "
                f"{self.single_order}."
            )

    @property
    def options(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.stated_options}

    def _with(self, options: Mapping[str, object]) -> Self:
        return replace(self, **{n: self.stated_options[n].read(self.name, n, x) for n, x in options.items()})

    @property
    def is_self_adjoint(self) -> bool:
        """True if a backward step inverts a step with these options."""
        return True

    @property
    def single_order(self) -> int:
        """Order of a single step without composition."""
        return self.tableau.order

    @property
    def composition(self) -> Composition | None:
        """Substeps of a step; ``None`` for a single step."""
        return COMPOSITIONS.get(self.compose)

    @property
    def order(self) -> int:
        return self.single_order if self.composition is None else self.composition.order


def check_composition(system: System, method: Method, t: float, q: Array) -> None:
    """Raise an UnsupportedMethodError if contacts, or forces with a part that is odd in v, dissipate energy, since
    substeps may be backward."""
    layout = system.layout
    own = layout.has_velocity & layout.integrated
    if method.composition is None or not own.any():
        return
    options = f"compose={method.options['compose']}"
    backwards = f"Method '{method.name}' with {options} has substeps backwards in time, in which"
    if method.steps_over(layout):
        raise UnsupportedMethodError(
            f"{backwards} impacts and friction supply energy, and '{layout.name}' has contact "
            f"'{layout.contact_names[0]}'; omit compose."
        )

    def dissipates(v: Array) -> bool:
        power = v * (system.mechanics.force(t, q, v) - system.mechanics.force(t, q, -v))
        return abs(float(power.sum())) > ROUNDING * float(np.abs(power).sum())

    for seed in range(STATES):
        v = np.where(own, np.random.default_rng(seed).normal(size=layout.dimension), 0.0)
        if dissipates(v):
            name = layout.velocity_name(_smallest_part(dissipates, v))
            raise UnsupportedMethodError(
                f"{backwards} dissipative forces supply energy, and such a force acts on {name} of '{layout.name}'; "
                "omit compose, or set the damping to zero."
            )


def _smallest_part(dissipates: Callable[[Array], bool], v: Array) -> int:
    """Return one velocity component on which a dissipative force acts, found by bisection."""
    places = np.flatnonzero(v)
    while len(places) > 1:
        halves = places[: len(places) // 2], places[len(places) // 2 :]
        found = next((h for h in halves if dissipates(np.where(np.isin(np.arange(len(v)), h), v, 0.0))), None)
        if found is None:
            break
        places = found
    return int(places[0])


def composed_step(stepper: Stepper, state: State, h: float, composition: Composition) -> Trial:
    """Compute the substeps of a step sequentially, with summed Newton counts; the NumPy form of ``substeps.h``."""
    at, increment = state, np.zeros_like(state.v)
    for start, length in zip(composition.starts, composition.lengths, strict=True):
        trial = stepper.single_step(replace(at, t=state.t + start * h), length * h)
        increment = increment + trial.increment
        at = replace(
            at, q=trial.q, v=trial.v, multipliers=trial.multipliers, acceleration=trial.acceleration, own=trial.own
        )
    trial.increment = increment
    return trial
