"""Explicit Runge–Kutta methods on the stored components, which drift off the manifold, for comparison.

    Q_i = q_n + h Σ_{j<i} a_ij Q̇_j,  V_i = v_n + h Σ_{j<i} a_ij V̇_j  (1)
    M V̇_i = -g(t_n + c_i h, Q_i, V_i)  (2)
    Q̇_i = rate of the stored components at Q_i along V_i  (3)

For first-order states V_i is f, and the rate follows its generator. q is not projected back to the manifold. The error
estimate uses h Σ b_j V_j instead of local coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from symlie.runtime.kernels.c_text import c_matrix, c_vector
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.rkmk import ExplicitMethod
from symlie.runtime.methods.stepper import weighted

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial


@dataclass(frozen=True, repr=False)
class Ambient(ExplicitMethod):
    """Explicit method on the stored components."""

    family: ClassVar[str] = "ambient"
    header: ClassVar[str] = "ambient.h"
    required: ClassVar[tuple[str, ...]] = ()

    @property
    def is_free_of_commutators(self) -> bool:
        return True

    @property
    def kernel_set(self) -> str:
        return "ambient"

    def constants(self) -> list[str]:
        table = self.table
        return [
            f"#define STAGES {table.stages}",
            f"#define END_STAGE {int(table.has_end_stage)}",
            c_matrix("A", table.a),
            c_vector("C", table.c),
            *([] if table.b_hat is None else [c_vector("B_HAT", table.b_hat)]),
        ]

    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        table, ambient = self.table, stepper.further
        assert ambient is not None
        m, t = stepper.mechanics, state.t
        q, v, with_estimate = state.q, state.v, stepper.control.with_estimate
        rate: list[Array] = []
        v_dot: list[Array] = []
        stored: list[Array] = []
        Q, V = q, v
        for i in range(table.stages + int(table.has_end_stage and with_estimate)):
            stage_t = t + (table.c[i] if i < table.stages else 1.0) * h
            # (2)
            solved = stepper.stage(state, i, stage_t, Q, V)
            v_dot.append(solved[0])
            # (3)
            rate.append(m.field(stage_t, Q, V, *solved))
            stored.append(ambient.storage_rate(Q, rate[-1]))
            if i == table.stages:
                break
            # (1)
            Q, V = q + h * weighted(table.a[i + 1], stored), v + h * weighted(table.a[i + 1], v_dot)
            m.prescribe(t + (table.c[i + 1] if i + 1 < table.stages else 1.0) * h, Q, V)
        theta = h * weighted(table.a[table.stages], rate[: table.stages])
        trial = stepper.trial(state, Q, V, v_dot, len(rate), theta)
        trial.q = Q
        if with_estimate:
            trial.acceleration = v_dot[-1] if table.has_end_stage else None
            assert table.b_hat is not None
            theta_hat = h * weighted(table.b_hat, rate)
            trial.estimate(stepper.control, theta, theta_hat, v, V, v + h * weighted(table.b_hat, v_dot))
        if stepper.rows:
            # λ belongs to the end of the step, whose v' is reused as the first stage of the next step.
            if trial.acceleration is None:
                trial.acceleration, trial.multipliers = stepper.acceleration(t + h, Q, V, state.multipliers)
                trial.rhs_evaluations += 1
            stepper.measure(trial, t + h, Q, V, m.jacobian(t + h, Q, V))
        return trial
