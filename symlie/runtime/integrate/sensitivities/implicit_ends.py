"""Derivatives of the ends of implicit steps, by the implicit function theorem.

    dq = Ad(exp(-θ)) dq_n + T(θ) dθ,   dw = dθ + d(B_nᵀ η),   dv = γ' dw + …,   dv̇ = β' dw + …
    d(M v̇ + g + Bᵀλ) = 0,   dΦ = 0,   d(B v + b) = 0  (with η, or for nonholonomic constraints),   dv̇ = df  (states)

These equations are linear in the unknown tangents dθ, dλ and dη. Unit tangents of the unknowns are further directions
of the same formulas, so that their residuals are the matrix of the linear system. The solution of the step itself is
known from the run: θ and η follow from the states at both ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.errors import SingularSystemError
from symlie.runtime.integrate.sensitivities.node_operators import NodeOperators
from symlie.runtime.integrate.sensitivities.point_derivatives import PointDerivatives, Points, along
from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.layout import Array
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.implicit_instructions import Formula, ImplicitEnd


@dataclass(frozen=True, eq=False)
class StepEnds:
    """Both ends of the steps of a batch.

    Attributes
    ----------
    t_n, t
        Times, in s, shape (n,).
    q_n, dq_n
        Configurations at the start, with their tangents.
    q, v, multipliers
        States at the end, from the run.
    """

    t_n: Array
    t: Array
    q_n: Array
    dq_n: Array
    q: Array
    v: Array
    multipliers: Array


class ImplicitEnds:
    """Tangents of the end of an implicit step, whose formulas read other values of the step.

    Parameters
    ----------
    derivatives
        Derivatives of the equations of motion.
    vector, tangent, number
        Functions that return a vector of the step, its tangent, and a weight of shape (n, 1) or a number.
    """

    def __init__(
        self,
        derivatives: PointDerivatives,
        vector: Callable[[Value], Array],
        tangent: Callable[[Value], Array],
        number: Callable[[float | Scalar], Array | float],
    ) -> None:
        self._of, self._layout, self._nodes = derivatives, derivatives.layout, derivatives.nodes
        self._operators = NodeOperators(derivatives.layout)
        self._vector, self._tangent, self._number = vector, tangent, number

    def results(self, end: ImplicitEnd, ends: StepEnds, *, has_eta: bool) -> list[tuple[Array, Array]]:
        """Return q, v, v', λ, θ and w with their tangents."""
        layout, sought = self._layout, np.flatnonzero(self._layout.sought)
        rows = layout.rows
        eta_rows = np.flatnonzero(layout.holonomic) if has_eta else np.zeros(0, dtype=np.intp)
        count, directions = ends.dq_n.shape[:2]
        unknowns = len(sought) + rows + len(eta_rows)
        unknown = end.unknowns[0].number
        theta, w = self._increments(end, ends, has_eta=has_eta)
        a = np.where(layout.has_velocity, *(self._total(f, unknown, w) for f in (end.acceleration, end.rate)))

        d_theta = np.zeros((count, unknowns + directions, layout.dimension))
        d_lambda = np.zeros((count, unknowns + directions, rows))
        d_theta[:, np.arange(len(sought)), sought] = 1.0
        d_lambda[:, len(sought) + np.arange(rows), np.arange(rows)] = 1.0
        dw = d_theta.copy()
        if has_eta:
            dw = dw + self._along_constraints(ends, w - theta, len(sought) + rows, eta_rows, d_theta.shape)
        dq = self._advanced(theta, _widened(ends.dq_n, unknowns), d_theta)
        dv = np.where(layout.has_velocity, self._d_total(end.velocity, unknown, dw), 0.0)
        of_rate = self._d_total(end.rate, unknown, dw) if end.rate.terms else 0.0
        da = np.where(layout.has_velocity, self._d_total(end.acceleration, unknown, dw), of_rate)
        dq, dv, da = (np.where(layout.sought, x, 0.0) for x in (dq, dv, da))

        at = Points(ends.t, ends.q, ends.v, dq, dv)
        residual = self._residual(at, (a, ends.multipliers), (da, d_lambda), sought, eta_rows)
        left, right = residual[:, :unknowns], residual[:, unknowns:]
        try:
            solution = -np.swapaxes(np.linalg.solve(np.swapaxes(left, 1, 2), np.swapaxes(right, 1, 2)), 1, 2)
        except np.linalg.LinAlgError as error:
            raise SingularSystemError(f"The linear system of the tangents of a step is singular ({error}).") from error
        tangents = (x[:, unknowns:] + solution @ x[:, :unknowns] for x in (dq, dv, da, d_lambda, d_theta, dw))
        return list(zip((ends.q, ends.v, a, ends.multipliers, theta, w), tangents, strict=True))

    def _increments(self, end: ImplicitEnd, ends: StepEnds, *, has_eta: bool) -> tuple[Array, Array]:
        """Return θ and w of the run: w from the velocities and the rates of first-order states at the end."""
        layout, unknown = self._layout, end.unknowns[0].number
        nothing = np.zeros((len(ends.t), layout.dimension))
        w = (ends.v - self._total(end.velocity, unknown, nothing)) / self._number(end.slopes[0])
        if layout.has_fields:
            a = np.where(layout.has_velocity, self._total(end.acceleration, unknown, w), 0.0)
            p = self._of.system.prepared
            rate = self._nodes.field(p, ends.t, ends.q, a, ends.multipliers, ends.v)
            of_states = (rate - self._total(end.rate, unknown, nothing)) / self._number(end.slopes[2])
            w = np.where(layout.has_velocity, w, of_states)
        w = np.where(layout.sought, w, 0.0)
        if not has_eta:
            return w, w
        return np.where(layout.free, self._nodes.difference(ends.q_n, ends.q), w), w

    def _advanced(self, theta: Array, dq: Array, d_theta: Array) -> Array:
        """Return the tangents of q∘exp(θ)."""
        operators, nodes, first = self._operators, self._nodes, theta[:, None]
        inner = d_theta - operators.apply(operators.of(lambda x: nodes.bracket(first, x)), dq)
        return dq + operators.apply(operators.of(lambda x: nodes.tangent_operator(first, x)), inner)

    def _along_constraints(
        self, ends: StepEnds, along_B: Array, first: int, eta_rows: NDArray[np.intp], shape: tuple[int, ...]
    ) -> Array:
        """Return d(B_nᵀ η) for unit tangents of η, and for the tangents of the start."""
        layout, of, free = self._layout, self._of, np.flatnonzero(self._layout.free)
        count = len(ends.t)
        nothing = np.zeros((count, layout.dimension))
        values = of.terms(States(ends.t_n, ends.q_n, nothing, np.zeros((count, layout.rows))), "jacobian")
        B = of.system.algebra.jacobian_matrix(values)[:, eta_rows]
        Bf = B[..., free]
        eta = np.zeros((count, layout.rows))
        normal = Bf @ np.swapaxes(Bf, 1, 2)
        eta[:, eta_rows] = np.linalg.solve(normal, Bf @ along_B[:, free, None])[..., 0]
        found = np.zeros(shape)
        found[:, first : first + len(eta_rows)] = B
        start = Points(ends.t_n, ends.q_n, nothing, ends.dq_n, np.zeros_like(ends.dq_n))
        varied = of.balance(start, nothing, eta) - of.balance(start, nothing, np.zeros_like(eta))
        found[:, shape[1] - ends.dq_n.shape[1] :] = varied
        return np.where(layout.free, found, 0.0)

    def _residual(
        self,
        at: Points,
        state: tuple[Array, Array],
        tangents: tuple[Array, Array],
        sought: NDArray[np.intp],
        eta_rows: NDArray[np.intp],
    ) -> Array:
        """Return the tangents of the residuals, shape (n, directions, equations)."""
        of, layout, (a, multipliers), (da, dl) = self._of, self._layout, state, tangents
        terms = of.observe(States(at.t, at.q, at.v, multipliers), ("mass", "jacobian"))
        M = of.system.algebra.mass_matrix(terms["mass"])
        dynamic = of.balance(at, a, multipliers) + along(M, da)
        parts = []
        if layout.rows:
            B = of.system.algebra.jacobian_matrix(terms["jacobian"])
            dynamic += dl @ B
            position, hidden = of.constraint(at) + along(B, at.dq), of.hidden(at) + along(B, at.dv)
            parts = [np.where(layout.holonomic, position, hidden), hidden[..., eta_rows]]
        if layout.has_fields:
            dynamic = np.where(layout.has_velocity, dynamic, da - of.field(at, a, multipliers, da, dl))
        return np.concatenate([dynamic[..., sought], *parts], axis=2)

    def _total(self, formula: Formula, unknown: int, w: Array) -> Array:
        """Return Σ weight·x for values of the unknown."""
        total = np.zeros_like(w)
        for weight, x in zip(*formula, strict=True):
            total = total + self._number(weight) * (w if x.number == unknown else self._vector(x))
        return total

    def _d_total(self, formula: Formula, unknown: int, dw: Array) -> Array:
        """Return the tangents of Σ weight·x."""
        total = np.zeros_like(dw)
        for stated, x in zip(*formula, strict=True):
            weight = self._number(stated)
            lifted = weight[:, :, None] if isinstance(weight, np.ndarray) else weight
            tangent = dw if x.number == unknown else _widened(self._tangent(x), dw.shape[1] - self._tangent(x).shape[1])
            total = total + lifted * tangent
        return total


def _widened(tangents: Array, count: int) -> Array:
    """Return tangents preceded by those of unknowns, on which they do not depend."""
    return np.concatenate([np.zeros((len(tangents), count, tangents.shape[2])), tangents], axis=1)
