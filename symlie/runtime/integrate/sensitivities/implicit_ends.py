"""Derivatives of the ends of implicit steps, by the implicit function theorem.

    dq = Ad(exp(-θ)) dq_n + T(θ) dθ,   dw = dθ + d(B_nᵀ η),   dv = γ' dw + …,   dv̇ = β' dw + …
    d(M v̇ + g + Bᵀλ) = 0,   dΦ = 0,   d(B v + b) = 0  (with η, or for nonholonomic constraints),   dv̇ = df  (states)

These equations are linear in the unknown tangents dθ, dλ and dη. Unit tangents of the unknowns are further directions
of the same formulas, so that their residuals are the matrix of the linear system. The solution of the step itself is
known from the run: θ and η follow from the states at both ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.errors import SingularSystemError
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
        self._operators = derivatives.operators
        self._vector, self._tangent, self._number = vector, tangent, number

    def results(self, end: ImplicitEnd, ends: StepEnds, *, has_eta: bool) -> list[tuple[Array, Array]]:
        """Return q, v, v', λ, θ and w with their tangents; in coordinates at the end also exp(θ) and the increments."""
        layout, sought = self._layout, np.flatnonzero(self._layout.sought)
        rows = layout.rows
        eta_rows = np.flatnonzero(layout.holonomic) if has_eta else np.zeros(0, dtype=np.intp)
        count, directions = ends.dq_n.shape[:2]
        unknowns = len(sought) + rows + len(eta_rows)
        known = self._known(end, ends, has_eta=has_eta)
        theta, w = known.theta, known.w
        a = np.where(layout.has_velocity, *(self._total(f, known.values) for f in (end.acceleration, end.rate)))

        d_theta = np.zeros((count, unknowns + directions, layout.dimension))
        d_lambda = np.zeros((count, unknowns + directions, rows))
        d_theta[:, np.arange(len(sought)), sought] = 1.0
        d_lambda[:, len(sought) + np.arange(rows), np.arange(rows)] = 1.0
        dq = np.where(layout.sought, self._operators.advanced(theta, _widened(ends.dq_n, unknowns), d_theta), 0.0)
        correction = np.zeros_like(d_theta)
        if has_eta:
            start = Points(ends.t_n, ends.q_n, 0 * ends.v, _widened(ends.dq_n, unknowns), 0 * dq)
            at = Points(ends.t, ends.q, 0 * ends.v, dq, 0 * dq) if end.sees_end else start
            correction = self._along_constraints(at, w - theta, len(sought) + rows, eta_rows)
        dw = d_theta + correction
        tangents = {end.unknowns[0].number: dw}
        if end.sees_end:
            of_points = self._of_points(end, known, d_theta)
            unknown = (d_theta, correction, np.zeros_like(dq), *of_points)
            tangents = {x.number: tangent for x, tangent in zip(end.unknowns, unknown, strict=True)}
        dv = np.where(layout.free, self._d_total(end.velocity, tangents, unknowns), 0.0)
        if end.sees_end:
            tangents[end.unknowns[2].number] = dv
        of_rate = self._d_total(end.rate, tangents, unknowns) if end.rate.terms else 0.0
        da = np.where(layout.has_velocity, self._d_total(end.acceleration, tangents, unknowns), of_rate)
        da = np.where(layout.sought, da, 0.0)

        residual = self._residual(
            Points(ends.t, ends.q, ends.v, dq, dv), (a, ends.multipliers), (da, d_lambda), sought, eta_rows
        )
        left, right = residual[:, :unknowns], residual[:, unknowns:]
        try:
            solution = -np.swapaxes(np.linalg.solve(np.swapaxes(left, 1, 2), np.swapaxes(right, 1, 2)), 1, 2)
        except np.linalg.LinAlgError as error:
            raise SingularSystemError(f"The linear system of the tangents of a step is singular ({error}).") from error
        values = [ends.q, ends.v, a, ends.multipliers, theta, w]
        found = [dq, dv, da, d_lambda, d_theta, dw]
        if end.sees_end:
            values += [known.element, *known.relative]
            found += [self._operators.along(theta, d_theta), *self._of_points(end, known, d_theta)]
        return [(x, dx[:, unknowns:] + solution @ dx[:, :unknowns]) for x, dx in zip(values, found, strict=True)]

    def _known(self, end: ImplicitEnd, ends: StepEnds, *, has_eta: bool) -> _KnownEnd:
        """Return the increments of the run: w from the velocities and the rates of first-order states at the end."""
        layout, number = self._layout, end.unknowns[0].number
        if end.sees_end:
            theta = np.where(layout.sought, self._nodes.difference(ends.q_n, ends.q), 0.0)
            kernels = self._of.elements
            element = kernels.exponential(theta)
            relative = [kernels.increment(element, self._vector(x.element)) for x in end.points]
            nothing = np.zeros_like(theta)
            unknowns = (theta, nothing, nothing, *relative)
            values = {x.number: value for x, value in zip(end.unknowns, unknowns, strict=True)}
            weight = next(w for w, x in zip(*end.velocity, strict=True) if x.number == end.unknowns[1].number)
            correction = (ends.v - self._total(end.velocity, values)) / self._number(weight)
            correction = np.where(layout.free & has_eta, correction, 0.0)
            values |= {end.unknowns[1].number: correction, end.unknowns[2].number: ends.v}
            return _KnownEnd(theta, theta + correction, values, element, relative)
        resting = {number: np.zeros_like(ends.v)}
        w = (ends.v - self._total(end.velocity, resting)) / self._number(end.slopes[0])
        if layout.has_fields:
            a = np.where(layout.has_velocity, self._total(end.acceleration, {number: w}), 0.0)
            p = self._of.system.prepared
            rate = self._nodes.field(p, ends.t, ends.q, a, ends.multipliers, ends.v)
            of_states = (rate - self._total(end.rate, resting)) / self._number(end.slopes[2])
            w = np.where(layout.has_velocity, w, of_states)
        w = np.where(layout.sought, w, 0.0)
        theta = np.where(layout.free, self._nodes.difference(ends.q_n, ends.q), w) if has_eta else w
        return _KnownEnd(theta, w, {number: w}, np.zeros(0), [])

    def _of_points(self, end: ImplicitEnd, known: _KnownEnd, d_theta: Array) -> list[Array]:
        """Return the tangents of the increments from the end to earlier configurations."""
        d_element, operators = self._operators.along(known.theta, d_theta), self._operators
        extra = d_theta.shape[1]
        return [
            operators.between(relative, d_element, _widened(tangent, extra - tangent.shape[1]))
            for relative, tangent in zip(known.relative, (self._tangent(x.element) for x in end.points), strict=True)
        ]

    def _along_constraints(self, at: Points, along_B: Array, first: int, eta_rows: NDArray[np.intp]) -> Array:
        """Return d(Bᵀ η) for unit tangents of η, and for the tangents of a configuration."""
        layout, of, free = self._layout, self._of, np.flatnonzero(self._layout.free)
        count, nothing = len(at.t), np.zeros_like(at.v)
        values = of.terms(States(at.t, at.q, nothing, np.zeros((count, layout.rows))), "jacobian")
        B = of.system.algebra.jacobian_matrix(values)[:, eta_rows]
        Bf = B[..., free]
        eta = np.zeros((count, layout.rows))
        normal = Bf @ np.swapaxes(Bf, 1, 2)
        eta[:, eta_rows] = np.linalg.solve(normal, Bf @ along_B[:, free, None])[..., 0]
        found = of.balance(at, nothing, eta) - of.balance(at, nothing, np.zeros_like(eta))
        found[:, first : first + len(eta_rows)] += B
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

    def _total(self, formula: Formula, known: Mapping[int, Array]) -> Array:
        """Return Σ weight·x for values of the unknowns."""
        total = np.zeros_like(next(iter(known.values())))
        for weight, x in zip(*formula, strict=True):
            total = total + self._number(weight) * (known[x.number] if x.number in known else self._vector(x))
        return total

    def _d_total(self, formula: Formula, known: Mapping[int, Array], unknowns: int) -> Array:
        """Return the tangents of Σ weight·x for tangents of the unknowns."""
        total = np.zeros_like(next(iter(known.values())))
        for stated, x in zip(*formula, strict=True):
            weight = self._number(stated)
            lifted = weight[:, :, None] if isinstance(weight, np.ndarray) else weight
            tangent = known[x.number] if x.number in known else _widened(self._tangent(x), unknowns)
            total = total + lifted * tangent
        return total


@dataclass(frozen=True, eq=False)
class _KnownEnd:
    """Solution of a step: θ, w, all unknowns by number, exp(θ), and the increments to earlier configurations."""

    theta: Array
    w: Array
    values: dict[int, Array]
    element: Array
    relative: list[Array]


def _widened(tangents: Array, count: int) -> Array:
    """Return tangents preceded by those of unknowns, on which they do not depend."""
    return np.concatenate([np.zeros((len(tangents), count, tangents.shape[2])), tangents], axis=1)
