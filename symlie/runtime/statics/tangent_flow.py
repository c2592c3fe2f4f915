"""Steps of half_explicit_5 with their derivative: the tangent map of the discrete flow.

Variations are η of q∘exp(ε η) and w of v + ε w. The derivative of each stage follows
`symlie.runtime.methods.half_explicit`, with the same equation numbers:

    δΘ_i = h Σ_{j<i} a_ij δΘ̇_j,   δΘ̇_i = T⁻¹(Θ_i) δV_i + D_Θ(T⁻¹(Θ_i) V_i) δΘ_i,   δV_i = w + h Σ_{j<i} a_ij δV̇_j
    ξ_i = Ad(exp(-Θ_i)) η + T(Θ_i) δΘ_i                                                                      (12)
    [M(Q_i) B(Q_i)ᵀ; B(Q_{i+1}) 0] [δV̇_i; δΛ_i]
        = [-K ξ_i - C δV_i; -(B(Q_{i+1}) (w + h Σ_{j<i} a_{i+1,j} δV̇_j) + H ξ_{i+1})/(h a_{i+1,i})],  i > 1   (14)

with K = D_q(M V̇_i + g + Bᵀ Λ_i) and C = ∂g/∂v at stage i, and H = D_q(B v + b) at argument i + 1. The first stage
reuses V̇ of the previous step. In the first step, V̇ and its derivative solve the acceleration-level system, whose
lower right-hand side is -(D_q(B v̇ + Z) η + ∂Z/∂v w). The result equals the method applied to the variational
equations. Source: [HairerLubichWanner2006], section VI.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import CHART_LIMIT
from symlie.contract.sets import SETS
from symlie.errors import NotFiniteError, OutsideChartError, SingularSystemError
from symlie.runtime.kernels.matrices import matrix_positions
from symlie.runtime.kernels.unwrapped import turned_angles
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.schur import DenseAlgebra
from symlie.runtime.methods.library import method
from symlie.runtime.statics.node_blocks import NodeBlocks
from symlie.runtime.tableaux.exact import rounded
from symlie.runtime.tableaux.half_explicit_tableau import HalfExplicitTableau

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

METHOD = "half_explicit_5"
"""Method whose steps are differentiated."""


@dataclass
class Varied:
    """State with its variations by column.

    Attributes
    ----------
    t, q, v, acceleration, multipliers
        Time, configuration, velocity, v̇ and λ.
    configuration, velocity, rate
        η, w and δv̇, shape (dimension, columns); zero for components that are not free.
    """

    t: float
    q: Array
    v: Array
    acceleration: Array
    multipliers: Array
    configuration: Array
    velocity: Array
    rate: Array


class TangentFlow:
    """Steps with their derivative; the required matrices of the system are derived if necessary."""

    def __init__(self, system: System) -> None:
        layout = system.layout
        self._system, self._layout, self._mechanics = system, layout, system.mechanics
        tableau = method(METHOD).tableau
        assert isinstance(tableau, HalfExplicitTableau) and tableau.fsal
        self._tableau = tableau
        self._blocks = NodeBlocks(layout, system.kernels)
        self._free = np.flatnonzero(layout.free)
        self._dense = DenseAlgebra(layout)
        self._newton = matrix_positions(layout, SETS["newton"], system.sets.table("newton"))

    def begin(self, t: float, q: Array, v: Array, configuration: Array, velocity: Array) -> Varied:
        """Return a state with v̇, λ and their variations, from a consistent state with η and w, shape (dimension,
        columns)."""
        m = self._mechanics
        acceleration, multipliers = m.index1(t, q, v)
        at = Varied(t, q, v, acceleration, multipliers, configuration, velocity, np.zeros_like(velocity))
        below = np.zeros((self._layout.rows, velocity.shape[1]))
        B = self.jacobian(t, q, v)
        if self._layout.rows:
            by_configuration, by_velocity = self._matrices("variations", t, q, v, acceleration, multipliers)
            below = -(by_configuration @ configuration + by_velocity @ velocity)
        at.rate = self._solve(self.mass(t, q), B, B, self._forces(at, configuration, velocity), below)
        return at

    def step(self, at: Varied, h: float) -> Varied:
        """Return the state after a step; raise OutsideChartError, NotFiniteError, SingularSystemError or
        AngleStepError."""
        tableau, m, kernels = self._tableau, self._mechanics, self._mechanics.kernels
        a, c, blocks = tableau.a_float(), rounded(tableau.c), self._blocks
        theta_dot: list[Array] = []
        v_dot: list[Array] = []
        d_theta_dot: list[Array] = []
        d_v_dot: list[Array] = []
        theta, d_theta = np.zeros_like(at.v), np.zeros_like(at.velocity)
        stage = at
        end = at
        for i in range(tableau.stages):
            weights = h * a[i + 1][: i + 1]
            # (12)
            slope = blocks.inverse_tangent(theta)
            theta_dot.append(self._moving(blocks.apply(slope, stage.v[:, None])[:, 0]))
            turning = blocks.derivative_of_rate(theta, stage.v)
            d_theta_dot.append(self._moving(blocks.apply(slope, stage.velocity) + blocks.apply(turning, d_theta)))
            next_theta, d_theta = _weighted(weights, theta_dot), _weighted(weights, d_theta_dot)
            if not kernels.chart(at.q, next_theta) < CHART_LIMIT:
                raise OutsideChartError("A rotation increment within one step reached 2π.")
            t = at.t + c[i + 1] * h
            q = kernels.advance(at.q, next_theta)
            m.prescribe(t, q, at.v.copy())
            tangent = blocks.tangent(next_theta)
            # Ad(exp(-Θ)) = T(Θ) T⁻¹(-Θ)
            turned = blocks.product(tangent, blocks.inverse_tangent(-next_theta))
            varied = blocks.apply(turned, at.configuration) + blocks.apply(tangent, d_theta)
            varied = np.where(self._layout.free[:, None], varied, 0.0)
            known, d_known = at.v + _weighted(weights[:-1], v_dot), at.velocity + _weighted(weights[:-1], d_v_dot)
            if i:
                # (14)
                self._add_rates(stage, (t, q, known, varied, d_known), weights[-1])
            v_dot.append(stage.acceleration)
            d_v_dot.append(stage.rate)
            v = at.v + _weighted(weights, v_dot)
            m.prescribe(t, q, v)
            nothing = np.zeros_like(d_known)
            theta = next_theta
            stage = Varied(t, q, v, 0 * v, at.multipliers, varied, at.velocity + _weighted(weights, d_v_dot), nothing)
            if i + 1 == tableau.s:
                end = stage
        if not np.all(np.isfinite(np.concatenate([end.q, end.v, v_dot[-1]]))):
            raise NotFiniteError("A state became infinite or NaN.")
        end.acceleration, end.rate = v_dot[-1], d_v_dot[-1]
        before, after = (at.t, at.q, at.v), (at.t + h, kernels.normalize(end.q), end.v)
        end.q = turned_angles(kernels, self._layout, m.p, before, after)
        return end

    def _add_rates(self, stage: Varied, later: tuple[float, Array, Array, Array, Array], weight: float) -> None:
        """Add V̇, Λ and their variations to a stage; the constraints hold at the next argument."""
        m, (t, q, known, varied, d_known) = self._mechanics, later
        mass, B = m.mass(stage.t, stage.q), m.jacobian(stage.t, stage.q, stage.v)
        force = -m.force(stage.t, stage.q, stage.v)
        if not self._layout.rows:
            stage.acceleration = m.algebra.solve_mass(mass, force)
            below, next_B = np.zeros((0, d_known.shape[1])), np.zeros((0, self._layout.dimension))
        else:
            stored = m.jacobian(t, q, known)
            m.prescribe(t, q, known)
            right = -m.hidden_residual(t, q, known, stored) / weight
            stage.acceleration, stage.multipliers = m.saddle(mass, B, stored, force, right)
            v = known + weight * stage.acceleration
            m.prescribe(t, q, v)
            hidden = self._matrices("newton", t, q, v, 0 * v, stage.multipliers)[2]
            next_B = self.jacobian(t, q, v)
            below = -(next_B @ d_known + hidden @ varied) / weight
        forces = self._forces(stage, stage.configuration, stage.velocity)
        stage.rate = self._solve(
            self.mass(stage.t, stage.q), self.jacobian(stage.t, stage.q, stage.v), next_B, forces, below
        )

    def _forces(self, at: Varied, configuration: Array, velocity: Array) -> Array:
        """Return -K η - C w."""
        K, C, _ = self._matrices("newton", at.t, at.q, at.v, at.acceleration, at.multipliers)
        return -(K @ configuration + C @ velocity)

    def _matrices(
        self, name: str, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array
    ) -> Sequence[Array]:
        system, layout = self._system, self._layout
        values = system.sets.matrices(name).kernels(self._mechanics.p, t, q, v, acceleration, multipliers)
        places = self._newton if name == "newton" else matrix_positions(layout, SETS[name], system.sets.table(name))
        return [_dense(p, shape, part) for (p, shape), part in zip(places, values, strict=True)]

    def mass(self, t: float, q: Array) -> Array:
        """Return M, shape (dimension, dimension)."""
        return self._dense.mass_matrix(self._mechanics.mass(t, q))

    def jacobian(self, t: float, q: Array, v: Array) -> Array:
        """Return B, shape (constraints, dimension)."""
        return self._dense.jacobian_matrix(self._mechanics.jacobian(t, q, v) if self._layout.rows else np.zeros(0))

    def _solve(self, mass: Array, right: Array, left: Array, forces: Array, below: Array) -> Array:
        """Return δv̇ of [M Bᵀ; B' 0][δv̇; δλ] = [f; c] on free components."""
        free, rows = self._free, self._layout.rows
        whole = np.block([[mass[np.ix_(free, free)], right[:, free].T], [left[:, free], np.zeros((rows, rows))]])
        try:
            found = np.linalg.solve(whole, np.concatenate([forces[free], below]))
        except np.linalg.LinAlgError as error:
            raise SingularSystemError(f"The linear system of a variation is singular ({error}).") from error
        rate = np.zeros_like(forces)
        rate[free] = found[: len(free)]
        return rate

    def _moving(self, rates: Array) -> Array:
        moves = self._layout.moves
        return np.where(moves if rates.ndim == 1 else moves[:, None], rates, 0.0)


def _weighted(weights: Array, slopes: Sequence[Array]) -> Array:
    return np.asarray(sum((w * s for w, s in zip(weights, slopes, strict=True)), np.zeros(())))


def _dense(places: tuple[NDArray[np.intp], NDArray[np.intp]], shape: tuple[int, int], values: Array) -> Array:
    """Return stored values as a matrix."""
    found = np.zeros(shape)
    np.add.at(found, places, values)
    return found
