"""Symplectic θ family on cotangent bundles, right-trivialised.

    stage(q_n, u) = exp(θ ξ)·q_n with the momentum M(ξ, n) of the stage  (15)
    u = (ξ, n) = h f(t_n + θ h, stage(q_n, u))  (16)
    q_{n+1} = end(q_n, u)  (17)

Newton's method computes u with the derived matrix. Stage and end are kernels of the model.

Source: [Celledoni2022], equations (15) to (17).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from symlie.runtime.implicit.newton_iteration import NewtonPolicy, newton_solution
from symlie.runtime.kernels.c_text import c_number
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.options import Bounded, Option
from symlie.runtime.methods.refusals import refusal_of_constraints
from symlie.runtime.methods.self_adjoint import COMPOSE, SelfAdjoint
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.tableau import Tableau

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial

THETA = Bounded(0, 1)
"""Range of θ."""


@dataclass(frozen=True, repr=False)
class SymplecticTheta(SelfAdjoint):
    """Method with θ between 0 and 1: symplectic for all θ, symmetric and of order 2 for θ = 1/2, otherwise of order
    1."""

    theta: float = 0.5

    family: ClassVar[str] = "symplectic"
    header: ClassVar[str] = "symplectic_theta.h"
    stated_options: ClassVar[Mapping[str, Option]] = {"theta": THETA, **COMPOSE}
    option_values: ClassVar[Mapping[str, str]] = {name: option.text for name, option in stated_options.items()}
    refused: ClassVar[tuple[str, ...]] = ("systems that are not Hamiltonian on cotangent bundles",)
    members: ClassVar[str] = "symplectic_theta"

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        common = {**reader.common(), "order": 2}
        return cls(Tableau(**common, c=()), THETA.read(reader.name, "theta", reader.entry["theta"]))

    @property
    def is_self_adjoint(self) -> bool:
        return self.theta == 0.5

    @property
    def single_order(self) -> int:
        return self.tableau.order if self.theta == 0.5 else 1

    def refusal(self, layout: Layout) -> str | None:
        if layout.is_hamiltonian:
            return super().refusal(layout)
        return refusal_of_constraints(self, layout) or (
            f"Method '{self.name}' integrates Hamiltonian systems on cotangent bundles; not all nodes of "
            f"'{layout.name}' are on a cotangent_space(group) with the Hamiltonian of the model. Use rkmk_dopri5 or "
            "another explicit method."
        )

    def constants(self) -> list[str]:
        return [f"#define THETA {c_number(self.theta)}"]

    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        theta, k, p = self.theta, stepper.mechanics.kernels, stepper.mechanics.p
        t, q = state.t + theta * h, state.q
        zero = np.zeros_like(state.v)
        u = h * k.field(p, t, q, zero, zero[:0], zero)
        counts, stage = stepper.newton, _Stage(stepper, t, q, h, theta)
        counts.evaluations += 1
        u = newton_solution(stage, NewtonPolicy(), u, max(1.0, float(np.abs(q).max())), counts)
        stepper.check_chart(q, u)
        # (17)
        end = k.symplectic_end(p, t, q, u, h, theta)
        return stepper.trial(state, end, state.v, [zero], counts.evaluations, u)


class _Stage:
    """Residual u - h f(stage(q_n, u)) and its derivative with respect to u."""

    def __init__(self, stepper: Stepper, t: float, q: Array, h: float, theta: float) -> None:
        self.stepper, self.at = stepper, (t, q, h, theta)
        self.matrix = self.taken = np.zeros((0, 0))
        self.floor, self.has_factors = 0.0, False

    def residual(self, u: Array) -> Array:
        """Return the residual, and store the matrix, which the same kernel computes."""
        t, q, h, theta = self.at
        m = self.stepper.mechanics
        # (15), (16)
        residual, self.matrix = m.kernels.symplectic(m.p, t, q, u, h, theta)
        return residual

    def check(self, r: Array) -> None:
        """Raise an error that names the first component that is not finite."""
        self.stepper.check("residual of the implicit stage", r)

    def entry_name(self, entry: int) -> str:
        """Return the name of a component of the increment."""
        return self.stepper.system.layout.velocity_name(entry)

    def is_rounding(self, d: Array) -> bool:
        """Return False, since the Newton policy of this stage already bounds the corrections."""
        return False

    def refresh(self) -> None:
        """Use the matrix stored with the residual."""
        self.taken = self.matrix

    def correction(self, r: Array) -> Array:
        """Solve the linear system with the matrix."""
        return np.linalg.solve(self.taken, r).astype(float)
