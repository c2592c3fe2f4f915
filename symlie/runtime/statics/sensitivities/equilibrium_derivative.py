"""Derivatives of a static equilibrium by the implicit function theorem.

    r = g + Bᵀ λ,   [ K  Bᵀ ] [δq]     [ ∂r/∂p δp + K' δq' ]
                    [ B  0  ] [δλ] = - [ ∂Φ/∂p δp + B' δq' ]  (1)
    δy = Y_q δq + Y_λ δλ + ∂y/∂p δp  (2)

q' are the components that loads do not move, of fixed and prescribed nodes, K' and B' their columns. In reverse, the
cotangent y̅ of the outputs y follows (1) with the transposed matrix, factorised once for both directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from symlie.contract.sets import SENSITIVITIES, SETS, sensitivity_set
from symlie.errors import EquilibriumError, UnsupportedFeatureError
from symlie.runtime.integrate.sensitivities.start import RELATIVE, WEIGHTS, in_algebra
from symlie.runtime.integrate.sensitivities.starts.corners import (
    ROUNDING,
    check_equilibrium_corners,
    check_parameter_corners,
)
from symlie.runtime.integrate.sensitivities.variables import InputVariable, Variable, directions_of
from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.layout.parameter_places import parameter_names
from symlie.runtime.linear.kkt import SaddlePoint, undetermined
from symlie.runtime.statics.equilibrium import Equilibrium
from symlie.runtime.statics.residual import Statics
from symlie.runtime.system.system import System

UNBALANCED = 1e-6
"""Largest Newton correction of an equilibrium, relative to the sizes of its components."""


class EquilibriumDerivative:
    """Derivatives of an equilibrium by variables.

    Attributes
    ----------
    system, t, equilibrium, variables
        The equilibrium of a system at a time, in s, and the variables.
    """

    def __init__(self, system: System, t: float, equilibrium: Equilibrium, variables: Sequence[Variable]) -> None:
        self.system, self.t, self.equilibrium, self.variables = system, float(t), equilibrium, variables
        self._statics = Statics(system, t)
        self._check_support()
        q, layout = equilibrium.q, system.layout
        matrices = system.newton_matrices(system.prepared, self.t, q, self._rest, self._rest, equilibrium.multipliers)
        jacobian = system.algebra.sparse_jacobian(system.mechanics.jacobian(self.t, q, self._rest))
        rows, free = self._statics.rows, self._statics.free
        held = np.flatnonzero(~layout.free)
        self._held = held
        self._by_held = matrices[0][free][:, held], jacobian[rows][:, held]
        self._factors = self._factorised(matrices[0][free][:, free], self._statics.jacobian(q))
        self._check_balance()
        check_parameter_corners(system, variables, lambda moved: self._functions(moved, q))
        check_equilibrium_corners(system, self.t, q, variables, self._motions, self._functions)

    @property
    def _rest(self) -> Array:
        return np.zeros(self.system.layout.dimension)

    def _check_support(self) -> None:
        layout, statics = self.system.layout, self._statics
        if layout.has_coordinate_rates:
            raise UnsupportedFeatureError(
                f"'{layout.name}' has rotation parameters with angular velocities, for which derivatives of equilibria "
                "are missing; use form=parameter_rates or step=lie."
            )
        if len(layout.dependent_components):
            raise UnsupportedFeatureError(
                f"'{layout.name}' has dependent nodes, for which derivatives of equilibria are missing; use bodies and "
                "joints without minimal coordinates."
            )
        before = len(statics.rows)
        statics.set_aside(self.equilibrium.q)
        if len(statics.rows) < before:
            raise UnsupportedFeatureError(
                f"Constraint equations of '{layout.name}' are redundant, so that the derivatives of λ are not "
                "determined; remove dependent equations."
            )

    def _factorised(self, stiffness: Sparse, jacobian: Sparse) -> SaddlePoint:
        try:
            return SaddlePoint(stiffness, jacobian, refinements=2, is_extended=True)
        except np.linalg.LinAlgError:
            layout, free = self.system.layout, self._statics.free
            direction = layout.velocity_name(int(free[undetermined(stiffness + jacobian.T @ jacobian)]))
            raise EquilibriumError(
                f"The equilibrium of '{layout.name}' has no derivatives: a motion along {direction} meets no "
                "stiffness, so that the loads do not determine its place; fix a node, or add a constraint.",
                0.0,
            ) from None

    def _check_balance(self) -> None:
        statics, q = self._statics, self.equilibrium.q
        multipliers = self.equilibrium.multipliers[statics.rows]
        correction, _ = self._factors.solve(-statics.force(q, multipliers), -statics.constraint(q))
        size = statics.sizes(q).largest(correction)
        if not size <= UNBALANCED:
            raise EquilibriumError(
                f"This is no equilibrium of '{self.system.name}' at t = {self.t:.9g} s: Newton's method would move it "
                f"by {size:.3g} of its size; compute it with static_equilibrium of this system.",
                size,
            )

    def _functions(self, system: System, q: Array) -> Array:
        """Return forces, constraints and outputs of a system at a configuration with the multipliers of the
        equilibrium."""
        statics, multipliers = Statics(system, self.t), self.equilibrium.multipliers
        outputs = outputs_at(system, self.t, self.equilibrium._replace(q=q)).values()
        parts = [statics.force(q, multipliers[statics.rows]), statics.constraint(q), *map(np.ravel, outputs)]
        return np.concatenate(parts)

    def _motions(self) -> list[Array]:
        """Return the derivatives of q by the variables, scaled to the size of the configuration, or zero if a variable
        moves it by rounding alone."""
        sizes, free = self._statics.sizes(self.equilibrium.q), self._statics.free
        found = []
        for variable, motion in zip(self.variables, self.forward[0].T, strict=True):
            size = sizes.largest(motion[free])
            is_moved = size * variable.size(self.system) > ROUNDING
            found.append(motion / size if is_moved else np.zeros_like(motion))
        return found

    @cached_property
    def _directions(self) -> tuple[Array, Array]:
        """Derivatives of all parameters and inputs by the variables, shape (parameters or inputs, variables)."""
        found = directions_of(self.system, self.variables)
        return found.parameters, found.inputs(np.array([self.t]))[0]

    @cached_property
    def _matrices(self) -> dict[str, Sparse]:
        """Matrices of the sets of derivatives by parameters and inputs, by name."""
        sets, (parameters, _) = self.system.sets, self._directions
        name = SENSITIVITIES
        if name not in sets.present:
            name = sensitivity_set(parameter_names(self.system.layout, np.asarray(parameters.any(axis=1)))).name
        found: dict[str, Sparse] = {}
        for kernels, stated in ((name, SENSITIVITIES), ("ports", "ports")):
            values = sets.matrices(kernels)(
                self.system.prepared, self.t, self.equilibrium.q, self._rest, self._rest, self.equilibrium.multipliers
            )
            found |= dict(zip([m.name for m in SETS[stated].matrices], values, strict=True))
        return found

    def _by_variables(self, quantity: str) -> Array:
        """Return the derivative of a quantity by the variables with constant q and λ."""
        parameters, inputs = self._directions
        matrices = self._matrices
        return np.asarray(matrices[f"{quantity}_by_parameter"] @ parameters + matrices[f"{quantity}_by_input"] @ inputs)

    @cached_property
    def _held_tangents(self) -> Array:
        """Derivatives of the components that loads do not move, shape (held components, variables)."""
        found = np.zeros((len(self.variables), self.system.layout.storage))
        if len(self._held):
            base = self._given(self.system)
            for k, variable in enumerate(self.variables):
                step = RELATIVE * variable.size(self.system)
                if isinstance(variable, InputVariable) and not self.system.layout.manifest.motions:
                    continue
                if np.array_equal(self._given(variable.moved(self.system, step)), base):
                    continue
                for j, weight in enumerate(WEIGHTS, start=1):
                    after, before = (self._given(variable.moved(self.system, s * j * step)) for s in (1, -1))
                    found[k] += weight * (after - before) / step
        return in_algebra(self.system, self.equilibrium.q, found)[:, self._held].T

    def _given(self, system: System) -> Array:
        """Return the stored components of a system before loads move it, zero where they do."""
        layout = system.layout
        is_held = np.zeros(layout.storage, dtype=bool)
        for node in layout.nodes:
            free = layout.free[node.velocity].reshape(node.count, -1).any(axis=1)
            is_held[node.storage] = np.repeat(~free, node.type.storage)
        return np.where(is_held, Statics(system, self.t).prescribed(system.stated_state().q), 0.0)

    @cached_property
    def _right(self) -> tuple[Array, Array]:
        """Right-hand side of (1) with the opposite sign, by column."""
        stiffness, jacobian = self._by_held
        force = self._by_variables("force")[self._statics.free] + stiffness @ self._held_tangents
        constraint = self._by_variables("constraint")[self._statics.rows] + jacobian @ self._held_tangents
        return force, constraint

    @cached_property
    def forward(self) -> tuple[Array, Array]:
        """Derivatives of q in the Lie algebra, shape (dimension, variables), and of λ, shape (rows, variables)."""
        layout = self.system.layout
        force, constraint = self._right
        moved, changed = self._factors.solve(-force, -constraint)
        configuration = np.zeros((layout.dimension, len(self.variables)))
        multipliers = np.zeros((layout.rows, len(self.variables)))
        configuration[self._statics.free], configuration[self._held] = moved, self._held_tangents
        multipliers[self._statics.rows] = changed
        return configuration, multipliers

    def outputs(self) -> Array:
        """Return the derivatives of all outputs, shape (components, variables)."""
        configuration, multipliers = self.forward
        found = self._matrices["output_by_configuration"] @ configuration
        found += self._matrices["output_by_multipliers"] @ multipliers
        return np.asarray(found + self._by_variables("output"))

    def reverse(self, weights: Array) -> Array:
        """Return the derivative of Σ w y for weights w of all outputs, shape (components,), by the variables."""
        statics = self._statics
        by_configuration = self._matrices["output_by_configuration"].T @ weights
        by_multipliers = self._matrices["output_by_multipliers"].T @ weights
        force, constraint = self._factors.solve(
            -by_configuration[statics.free], -by_multipliers[statics.rows], transposed=True
        )
        by_force, by_constraint = self._right
        held = by_configuration[self._held]
        direct = weights @ self._by_variables("output") + held @ self._held_tangents
        return np.asarray(direct + force @ by_force + constraint @ by_constraint)


def outputs_at(system: System, t: float, equilibrium: Equilibrium) -> dict[str, Array]:
    """Return the values of all outputs at an equilibrium by name, shape () or (components,)."""
    rest, names = np.zeros((1, system.layout.dimension)), list(system.layout.outputs)
    if not names:
        return {}
    state = States(np.array([t]), equilibrium.q[None], rest, equilibrium.multipliers[None])
    found = system.kernels.observe(system.prepared, state, (), names)["outputs"][0]
    parts = [found[part] for part, _ in system.layout.outputs.values()]
    return {n: x[0] if len(x) == 1 else x for n, x in zip(names, parts, strict=True)}
