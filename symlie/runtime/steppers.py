"""One step of each method in NumPy, written like the papers: the fallback and the oracle of the compiled loops."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from symlie.errors import NotFiniteError, OutsideChartError, SingularSystemError
from symlie.runtime.algebra import Algebra
from symlie.runtime.kernels import Kernels, Prepared
from symlie.runtime.layout import Array
from symlie.runtime.methods import Method
from symlie.runtime.tableau import HalfExplicitTableau
from symlie.runtime.tables import rkmk_table

CHART_LIMIT = 39.4
"""(2π)² = 39.478…, where T⁻¹ is singular; squared angles of one step stay below."""


@dataclass
class State:
    """What a step changes: time, configuration, velocity, multipliers, and statistics."""

    t: float
    q: Array
    v: Array
    multipliers: Array
    acceleration: Array | None = None
    """v' of the last stage where it equals that of the next first stage."""
    rhs_evaluations: int = 0
    largest_constraint: float = 0.0
    largest_velocity: float = 0.0
    steps: int = 0


@dataclass(frozen=True)
class Stepper:
    """Integrates one step with NumPy."""

    kernels: Kernels
    algebra: Algebra
    parameters: Prepared
    method: Method
    rows: int
    _solver_errors: tuple[type[Exception], ...] = field(default=(np.linalg.LinAlgError,), init=False)

    def step(self, state: State, h: float) -> None:
        """Advance the state by one step.

        Raises
        ------
        NotFiniteError, SingularSystemError, OutsideChartError
            The step failed; the state is unchanged.
        """
        try:
            if isinstance(self.method.tableau, HalfExplicitTableau):
                self._half_explicit(state, h, self.method.tableau)
            else:
                self._rkmk(state, h)
        except np.linalg.LinAlgError as error:
            raise SingularSystemError(f"The linear system of a stage is singular ({error}).") from error

    def _advance(self, q: Array, theta: Array) -> Array:
        if not np.all(np.isfinite(theta)):
            raise NotFiniteError("A rate became infinite or NaN.")
        if self.kernels.chart(theta) >= CHART_LIMIT:
            raise OutsideChartError("A rotation increment within one step reached 2π.")
        return self.kernels.advance(q, theta)

    def _half_explicit(self, state: State, h: float, tableau: HalfExplicitTableau) -> None:
        # Source: Tumiotto and Arnold 2024, equations (12) to (15).
        a, c, d = tableau.a_float(), tableau.c_float(), tableau.d_float()
        k, p, t = self.kernels, self.parameters, state.t
        q, v, multipliers = state.q, state.v, state.multipliers
        theta_dot, v_dot, stage_multipliers = [], [], []
        Theta, Q, V = np.zeros_like(v), q, v
        B = k.jacobian(p, t, q)
        final_q, final_v = q, v
        largest_constraint, largest_velocity = state.largest_constraint, state.largest_velocity
        for i in range(tableau.stages):
            theta_dot.append(v if i == 0 else k.rate(Theta, V))
            Theta = h * sum(a[i + 1, j] * theta_dot[j] for j in range(i + 1))
            next_Q = self._advance(q, Theta)
            next_t = t + c[i + 1] * h
            k.prescribe(p, next_t, next_Q, V.copy())
            next_B = k.jacobian(p, t + c[i + 1] * h, next_Q)
            bound = k.constraint_rate(p, t + c[i + 1] * h, next_Q) if self.rows else np.zeros(0)
            if i == 0 and state.acceleration is not None:
                v_dot.append(state.acceleration)
                stage_multipliers.append(multipliers)
            else:
                state.rhs_evaluations += 1
                force = -k.force(p, t + c[i] * h, Q, V)
                mass = k.mass(p, t + c[i] * h, Q)
                if i == 0 or not self.rows:
                    v_dot.append(self.algebra.solve_mass(mass, force - self.algebra.pull(B, multipliers)))
                    stage_multipliers.append(multipliers)
                else:
                    known = v + h * sum(a[i + 1, j] * v_dot[j] for j in range(i))
                    k.prescribe(p, next_t, next_Q, known)
                    right = -(self.algebra.multiply(next_B, known) + bound) / (h * a[i + 1, i])
                    acceleration, multiplier = self.algebra.solve_saddle(mass, B, next_B, force, right)
                    v_dot.append(acceleration)
                    stage_multipliers.append(multiplier)
            V = v + h * sum(a[i + 1, j] * v_dot[j] for j in range(i + 1))
            k.prescribe(p, next_t, next_Q, V)
            if i + 1 == tableau.s:
                final_q, final_v = next_Q, V
                if self.rows:
                    constraint = k.constraint(p, t + h, next_Q)
                    largest_constraint = max(largest_constraint, float(np.abs(constraint).max()))
                    largest_velocity = max(
                        largest_velocity, float(np.abs(self.algebra.multiply(next_B, V) + bound).max())
                    )
            Q, B = next_Q, next_B
        self._accept(state, h, final_q, final_v)
        state.multipliers = sum((d[i] * stage_multipliers[i] for i in range(tableau.stages)), np.zeros(self.rows))
        state.largest_constraint, state.largest_velocity = largest_constraint, largest_velocity
        if tableau.fsal:
            state.acceleration = v_dot[-1]

    def _rkmk(self, state: State, h: float) -> None:
        # Source: Celledoni et al. 2022, section 2, left-trivialised.
        a, c = rkmk_table(self.method.tableau)  # type: ignore[arg-type]
        k, p, t = self.kernels, self.parameters, state.t
        q, v = state.q, state.v
        rate: list[Array] = []
        v_dot: list[Array] = []
        Theta, Q, V = np.zeros_like(v), q, v
        for i in range(len(c)):
            exact = i > 0 and self.method.commutators is None
            rate.append(k.rate(Theta, V) if exact else V)
            force = -k.force(p, t + c[i] * h, Q, V)
            v_dot.append(self.algebra.solve_mass(k.mass(p, t + c[i] * h, Q), force))
            Theta = h * sum(a[i + 1, j] * rate[j] for j in range(i + 1))
            V = v + h * sum(a[i + 1, j] * v_dot[j] for j in range(i + 1))
            Q = self._advance(q, Theta)
            k.prescribe(p, t + (c[i + 1] if i + 1 < len(c) else 1.0) * h, Q, V)
        state.rhs_evaluations += len(c)
        self._accept(state, h, Q, V)

    def _accept(self, state: State, h: float, q: Array, v: Array) -> None:
        if not np.all(np.isfinite(v)):
            raise NotFiniteError("A velocity became infinite or NaN.")
        state.q, state.v = self.kernels.normalize(q), v
        state.steps += 1
