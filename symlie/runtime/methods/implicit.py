"""Common part of implicit methods: Newton's method for the equations at the end of a step, and its options.

`symlie.runtime.implicit.implicit_step` contains the equations; each method defines v and v̇ as functions of an
increment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from symlie.contract.constants import NEWTON_HALVINGS, NEWTON_PATIENCE
from symlie.runtime.implicit.implicit_step import RECORD, Formula, ImplicitStep, without_traces
from symlie.runtime.implicit.iteration_matrix import MatrixParts, Point
from symlie.runtime.implicit.newton_iteration import NewtonPolicy, newton_solution
from symlie.runtime.kernels.c_text import c_number
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.family import Method, OwnArray
from symlie.runtime.methods.options import Bounded, Choice, Option
from symlie.runtime.tableaux.tableau import Tableau

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial


@dataclass(frozen=True, kw_only=True, repr=False)
class ImplicitTableau(Tableau):
    """One implicit stage, of index 3, or 2 for the stabilised form."""

    index: int


NEWTON_OPTIONS: Mapping[str, Option] = {
    "newton_rtol": Bounded(0, 1),
    "newton_atol": Bounded(0),
    "newton_max": Bounded(1, 1e6, is_whole=True),
    "newton_halvings": Bounded(0, 100, is_whole=True),
    "newton": Choice(("full", "modified")),
    "newton_renewal": Choice(("restart", "continue")),
    "newton_patience": Bounded(1, 1e6, is_whole=True),
    "newton_contraction": Bounded(0.001, 1),
    "stiffness": Choice(("full", "reduced", "none")),
}
"""Options of Newton's method with their values."""

MATRIX_OPTIONS: Mapping[str, Option] = {"tangent": Choice((True, False)), "scaling": Choice((True, False))}
"""Options of the Newton matrix with their values."""


@dataclass(frozen=True, repr=False)
class Implicit(Method):
    """Method with one implicit stage."""

    tableau: ImplicitTableau
    newton: str = "full"
    """``"full"``: a new matrix in each iteration; ``"modified"``: factors are reused over steps."""
    newton_renewal: str = "restart"
    """Action on slow convergence: ``"restart"`` the step, or ``"continue"`` with a new matrix."""
    newton_patience: int = NEWTON_PATIENCE
    """Maximum number of corrections of a step with reused factors."""
    newton_contraction: float = 0.5
    """Required reduction of the residual with reused factors, from the third correction on."""
    tangent: bool = True
    """True if the matrix contains T(θ)."""
    stiffness: str = "full"
    """``"full"``; ``"reduced"``: K without derivatives of M v̇ and of Bᵀλ; ``"none"``: no K."""
    newton_rtol: float = 1e-8
    """Bound on the norm of the final residual, relative to the first residuals."""
    newton_atol: float = 1e-10
    """Absolute bound on the norm of the final residual."""
    newton_max: int = 25
    newton_halvings: int = NEWTON_HALVINGS
    """Maximum number of halvings of a correction; 0: full corrections."""
    scaling: bool = True
    """True if dynamic equations are divided by β' and multipliers are multiplied by it."""

    stated_options: ClassVar[Mapping[str, Option]] = {**NEWTON_OPTIONS, **MATRIX_OPTIONS}
    """Options with their values."""
    option_values: ClassVar[Mapping[str, str]] = {name: option.text for name, option in stated_options.items()}
    takes_constraints: ClassVar[bool] = True

    @property
    def keeps_hidden_constraints(self) -> bool:
        return not self.is_index_3

    @property
    def restarts_at_switches(self) -> bool:
        return True

    @property
    def is_index_3(self) -> bool:
        """True if the velocities at the end of a step violate the hidden constraints."""
        return self.tableau.index == 3

    @property
    def divides_increments(self) -> bool:
        return self.is_index_3

    @property
    def keeps_factors(self) -> bool:
        return self.newton == "modified"

    @property
    def renews_factors(self) -> bool:
        """True if factors are renewed within an iteration."""
        return self.keeps_factors and self.newton_renewal == "continue"

    @property
    def options(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.option_values}

    def _with(self, options: Mapping[str, object]) -> Self:
        return replace(self, **self._read(options))

    def _read(self, options: Mapping[str, object]) -> dict[str, Any]:
        return {name: self.stated_options[name].read(self.name, name, stated) for name, stated in options.items()}

    @property
    def record_arrays(self) -> tuple[OwnArray, ...]:
        """Arrays with the evaluation point of stored factors; they are the last arrays of the method history."""
        return tuple(OwnArray(*part) for part in RECORD) if self.keeps_factors else ()

    def iteration(self, layout: Layout) -> bool:
        return bool(layout.of_velocities.any()) and not self.is_index_3

    def constants(self) -> list[str]:
        numbers = {
            "NEWTON_RTOL": self.newton_rtol,
            "NEWTON_ATOL": self.newton_atol,
            "CONTRACTION": self.newton_contraction if self.keeps_factors else 0.0,
        }
        choices = {
            "KEEPS_FACTORS": self.keeps_factors,
            "RENEWS_FACTORS": self.renews_factors,
            "PATIENCE": self.newton_patience,
            "NEWTON_MAX": self.newton_max,
            "HALVINGS": self.newton_halvings,
            "TANGENT": self.tangent,
            "FULL_STIFFNESS": self.stiffness == "full",
            "HAS_STIFFNESS": self.stiffness != "none",
            "SCALED": self.scaling,
            "DIVIDES_INCREMENTS": self.divides_increments,
        }
        return [
            *(f"#define {name} {c_number(value)}" for name, value in numbers.items()),
            *(f"#define {name} {int(value)}" for name, value in choices.items()),
        ]

    def end_of_step(
        self, stepper: Stepper, state: State, h: float, formula: Formula, theta: Array, multipliers: Array
    ) -> tuple[ImplicitStep, Point]:
        """Solve the step equations of a formula from an initial θ and λ; return the step and its end."""
        assert state.own is not None
        step = ImplicitStep(
            stepper.system,
            formula,
            state.t,
            state.q,
            state.t + h,
            has_eta=self.iteration(stepper.system.layout),
            parts=MatrixParts(self.tangent, self.stiffness == "full", self.stiffness != "none", self.scaling),
            record=state.own[len(state.own) - sum(a.size(stepper.system.layout) for a in self.record_arrays) :],
            memory=stepper.memory,
        )
        policy = NewtonPolicy(
            iterations=self.newton_max,
            halvings=self.newton_halvings,
            correction=0.0,
            rtol=self.newton_rtol,
            atol=self.newton_atol,
            free=1,
            contraction=self.newton_contraction if self.keeps_factors else 0.0,
            patience=self.newton_patience,
            renews=self.renews_factors,
        )
        u = newton_solution(step, policy, step.guess(theta, multipliers), 1.0, stepper.newton)
        at = step.at(u)
        stepper.check_chart(state.q, at.theta)
        return step, at

    def solved(
        self,
        stepper: Stepper,
        state: State,
        h: float,
        formula: Formula,
        theta: Array,
        multipliers: Array,
        acceleration: Array,
    ) -> tuple[ImplicitStep, Point, Trial]:
        """Return the step, its end, and the trial; ``acceleration`` is v̇ at the start."""
        step, at = self.end_of_step(stepper, state, h, formula, theta, multipliers)
        v, v_dot = without_traces(at.v), without_traces(at.acceleration)
        evaluations = stepper.newton.evaluations
        trial = stepper.trial(state, at.q, v, [acceleration], evaluations, at.theta)
        trial.multipliers, trial.acceleration, trial.rhs_evaluations = at.multipliers, v_dot, evaluations
        if stepper.rows:
            stepper.measure(trial, at.t, trial.q, trial.v, stepper.mechanics.jacobian(at.t, trial.q, trial.v))
        return step, at, trial
