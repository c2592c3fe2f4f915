"""What implicit methods share: equations at the end of a step that Newton's method solves, and its options.

`symlie.runtime.implicit.implicit_step` says what the equations are; a method says what v and v̇ are for an increment.
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
    """One implicit stage.

    Attributes
    ----------
    index
        3, or 2 for the stabilised form.
    """

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
"""What options of Newton's method may be."""

MATRIX_OPTIONS: Mapping[str, Option] = {"tangent": Choice((True, False)), "scaling": Choice((True, False))}
"""What options of its matrix may be."""


@dataclass(frozen=True, repr=False)
class Implicit(Method):
    """A method with one implicit stage.

    Parameters
    ----------
    newton : str
        ``"full"``: a matrix in each iteration; ``"modified"``: factors are kept over steps.
    newton_renewal : str
        Where kept factors contract poorly, or after `newton_patience` corrections: ``"restart"`` begins the step again
        with a new matrix, and steps of many corrections are followed by one; ``"continue"`` only renews it.
    newton_patience : int
        Corrections of a step with kept factors at most.
    newton_contraction : float
        Factor by which kept factors must reduce the residual, from the third correction on.
    tangent : bool
        Whether T(θ) is in the matrix.
    stiffness : str
        ``"full"``; ``"reduced"``: K without derivatives of M v̇ and of Bᵀλ; ``"none"``: without K.
    newton_rtol, newton_atol, newton_max
        When Newton's method ends: norm of the residual relative to the first ones, or as such, and iterations.
    newton_halvings : int
        How often a correction that does not reduce the residual is halved at most; 0: corrections are taken as they
        are.
    scaling : bool
        Whether dynamic rows are divided by β', and multipliers multiplied.
    """

    tableau: ImplicitTableau
    newton: str = "full"
    newton_renewal: str = "restart"
    newton_patience: int = NEWTON_PATIENCE
    newton_contraction: float = 0.5
    tangent: bool = True
    stiffness: str = "full"
    newton_rtol: float = 1e-8
    newton_atol: float = 1e-10
    newton_max: int = 25
    newton_halvings: int = NEWTON_HALVINGS
    scaling: bool = True

    stated_options: ClassVar[Mapping[str, Option]] = {**NEWTON_OPTIONS, **MATRIX_OPTIONS}
    """What options may be."""
    option_values: ClassVar[Mapping[str, str]] = {name: option.text for name, option in stated_options.items()}
    refused: ClassVar[tuple[str, ...]] = (
        "constraints of accelerations",
        "nodes that are placed by others",
    )
    takes_constraints: ClassVar[bool] = True

    @property
    def keeps_hidden_constraints(self) -> bool:
        return not self.is_index_3

    @property
    def restarts_at_switches(self) -> bool:
        return True

    @property
    def is_index_3(self) -> bool:
        """Whether the velocities at the end of a step are not on the hidden constraints."""
        return self.tableau.index == 3

    @property
    def keeps_factors(self) -> bool:
        return self.newton == "modified"

    @property
    def renews_factors(self) -> bool:
        """Whether factors are renewed within an iteration."""
        return self.keeps_factors and self.newton_renewal == "continue"

    @property
    def options(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.option_values}

    def _with(self, options: Mapping[str, object]) -> Self:
        return replace(self, **self._read(options))

    def _read(self, options: Mapping[str, object]) -> dict[str, Any]:
        return {name: self.stated_options[name].read(self.name, name, stated) for name, stated in options.items()}

    def refusal(self, layout: Layout) -> str | None:
        what = ""
        if layout.has_placed_nodes:
            what = "nodes are placed by others"
        elif not layout.of_velocities.all():
            what = "constraints restrict accelerations"
        if not what:
            return super().refusal(layout)
        return (
            f"Method '{self.name}' does not integrate '{layout.name}': {what}; use rkmk_dopri5, or index1_dopri5 with "
            "constraints."
        )

    @property
    def record_arrays(self) -> tuple[OwnArray, ...]:
        """Where factors that are kept were taken, the last arrays of what is carried."""
        return tuple(OwnArray(*part) for part in RECORD) if self.keeps_factors else ()

    def iteration(self, layout: Layout) -> bool:
        return bool(layout.rows) and not self.is_index_3

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
        }
        return [
            *(f"#define {name} {c_number(value)}" for name, value in numbers.items()),
            *(f"#define {name} {int(value)}" for name, value in choices.items()),
        ]

    def solved(
        self, stepper: Stepper, state: State, h: float, formula: Formula, theta: Array, multipliers: Array
    ) -> tuple[ImplicitStep, Point, Trial]:
        """The step of a formula, its end, and the trial that it leaves, from a first θ and λ."""
        assert state.own is not None
        step = ImplicitStep(
            stepper.system,
            formula,
            state.t,
            state.q,
            state.t + h,
            has_eta=not self.is_index_3,
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
        v, acceleration = without_traces(at.v), without_traces(at.acceleration)
        evaluations = stepper.newton.evaluations
        trial = stepper.trial(state, at.q, v, [formula.before], evaluations, at.theta)
        trial.multipliers, trial.acceleration, trial.rhs_evaluations = at.multipliers, acceleration, evaluations
        if stepper.rows:
            stepper.measure(trial, at.t, trial.q, trial.v, stepper.mechanics.jacobian(at.t, trial.q, trial.v))
        return step, at, trial
