"""Second derivatives of weighted equations of an interval by inputs and by the states at both ends.

The equations e = log(q⁻¹∘φ) = 0 and w = v of the end (φ, w) of a run that starts at q₀∘exp(θ₀), with weights μ, have
the derivatives

    φ̄ = T⁻¹(e)ᵀ μ,   ∂/∂θ₀ = T(θ₀)ᵀ q̄₀,   ∂/∂θ = -T(θ)ᵀ T⁻¹(-e)ᵀ μ  for  q = q₁∘exp(θ)  (1)

with the cotangents q̄₀ that adjoint steps compute from φ̄. Their changes along directions of all unknowns are the second
derivatives; e changes by δe = T⁻¹(e) δφ - T⁻¹(-e) T(θ) δθ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.integrate.sensitivities.second_order.second_order_run import EndCotangents, SecondOrderRun
from symlie.runtime.integrate.sensitivities.variables import Variable
from symlie.runtime.layout.layout import Array
from symlie.runtime.study.control.local_operators import LocalOperators
from symlie.runtime.study.control.target import EndWeights, difference

Components = tuple[NDArray[np.intp], NDArray[np.intp]]
"""Components of q and v that are unknowns."""


@dataclass(frozen=True, eq=False)
class UnknownStart:
    """State at the start of an interval whose components are unknowns.

    Attributes
    ----------
    theta
        Local coordinates θ₀, shape (dimension,).
    tangents
        Tangents of q and v by the unknowns, shape (unknowns, dimension).
    components
        Components of θ₀ and v that are unknowns.
    """

    theta: Array
    tangents: tuple[Array, Array]
    components: Components


@dataclass(frozen=True, eq=False)
class IntervalHessian:
    """Second derivatives of the weighted equations at the end of an interval.

    Attributes
    ----------
    by_run
        Second derivatives by inputs and by the start, shape (n, n).
    """

    by_run: Array
    _operators: LocalOperators
    _weights: Array
    _apart: Array
    _along_end: Array

    @classmethod
    def of(
        cls,
        operators: LocalOperators,
        run: SecondOrderRun,
        variables: Sequence[Variable],
        start: UnknownStart | None,
        weights: EndWeights,
    ) -> IntervalHessian:
        """Return the second derivatives by values of inputs, and by the start of the run unless it is known."""
        system, count = run.run.system, len(variables)
        tangents = [np.zeros((0, system.layout.dimension))] * 2 if start is None else start.tangents
        directions = np.hstack([np.eye(count), np.zeros((count, len(tangents[0])))])
        dq, dv = (np.vstack([np.zeros((count, x.shape[1])), x]) for x in tangents)
        apart, outputs = np.zeros(system.layout.dimension), np.zeros((len(run.solution.t), len(weights.outputs)))
        if weights.reference is not None:
            apart = difference(system, weights.reference, run.solution.q[-1])
        outputs[-1], inverse = weights.outputs, operators.inverse(apart)

        def change(dq: Array, dv: Array) -> tuple[Array, Array]:
            return operators.change_of_inverse(apart, weights.q, dq @ inverse.T), np.zeros_like(dv)

        end = EndCotangents(inverse.T @ weights.q, weights.v, change)
        found = run.reversed(variables, directions, (dq, dv), outputs, end)
        columns = [found.variables]
        if start is not None:
            (of_q, of_v), units = start.components, np.eye(system.layout.dimension)
            of_theta = found.dq @ operators.tangent(start.theta)
            of_theta[count : count + len(of_q)] += operators.change_of_tangent(start.theta, found.q, units[of_q])
            columns += [of_theta[:, of_q], found.dv[:, of_v]]
        return cls(np.hstack(columns), operators, weights.q, apart, found.end @ inverse.T)

    def by_end(self, theta: Array, of_q: NDArray[np.intp]) -> tuple[Array, Array]:
        """Return the second derivatives by the run and by the local coordinates θ of the following state, shape (n, m),
        and by the latter alone, shape (m, m)."""
        operators, apart, weights = self._operators, self._apart, self._weights
        tangent, inverse, units = operators.tangent(theta), operators.inverse(-apart), np.eye(len(theta))[of_q]
        mixed = operators.change_of_inverse(-apart, weights, -self._along_end) @ tangent
        moved = units @ tangent.T @ inverse.T
        own = operators.change_of_tangent(theta, inverse.T @ weights, units)
        own += operators.change_of_inverse(-apart, weights, moved) @ tangent
        return -mixed[:, of_q], -own[:, of_q]
