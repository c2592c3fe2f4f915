"""The equations of motion by their definition, in 50 digits, without derivatives from the package.

Along q(t)∘exp(ε w), with constant w, the velocity is v_ε = Ad(exp(-ε w)) v. With p = ∂T/∂v the principle of Lagrange
and d'Alembert therefore reads

    d/dt (p·w) - d/dε L(t, q∘exp(ε w), Ad(exp(-ε w)) v) = virtual power along w

for each constant w in the algebra; no structure constants enter. Derivatives are central differences; p·w and M are
exact differences because T is a polynomial of degree two in v. The energies are evaluated from the user's expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import mpmath
from mpmath import mpf
from sympy import Expr, Symbol

import symlie as sl
from symlie.derive.equations import DerivedStatement, Equations
from symlie.modeling.node import Node
from tests import tolerances
from tests.derive.matrices import MatrixGroup, Numbers, matrix_group, random_element, random_vector
from tests.evaluation import Evaluation


def difference(function: Callable[[mpf], Sequence[mpf]]) -> Numbers:
    """Derivative at 0 by a central difference."""
    h = mpf(tolerances.VARIATION_STEP)
    return [(a - b) / (2 * h) for a, b in zip(function(h), function(-h), strict=True)]


def second_difference(function: Callable[[mpf], Sequence[mpf]]) -> Numbers:
    """Second derivative at 0 by a central difference."""
    h = mpf(tolerances.SECOND_VARIATION_STEP)
    rows = zip(function(h), function(mpf(0)), function(-h), strict=True)
    return [(a - 2 * b + c) / h**2 for a, b, c in rows]


def unit(n: int, i: int) -> Numbers:
    """The i-th unit vector of R^n."""
    return [mpf(int(i == k)) for k in range(n)]


def dot(a: Sequence[mpf], b: Sequence[mpf]) -> mpf:
    """Scalar product."""
    return mpmath.fdot(a, b)


def plus(*vectors: Sequence[mpf]) -> Numbers:
    """Sum of vectors."""
    return [mpmath.fsum(c) for c in zip(*vectors, strict=True)]


@dataclass
class State:
    """Time, configuration and velocity of all nodes."""

    t: mpf
    q: list[Numbers]
    v: Numbers


@dataclass
class Statement:
    """A model with its forces defined by virtual power."""

    model: sl.Model
    points: list[tuple[Any, Any]] = field(default_factory=list)
    """Pairs (force in inertial axes, position of the point it acts at)."""
    torques: list[tuple[Any, Node]] = field(default_factory=list)
    """Pairs (torque in inertial axes, node)."""
    direct: list[tuple[Node, Any]] = field(default_factory=list)
    """Pairs (node, components along its velocity)."""

    def force(self, force: Any, at: Any) -> None:
        """State a force at a point."""
        self.model.force(force, at=at)
        self.points.append((force, at))

    def torque(self, torque: Any, on: Node) -> None:
        """State a torque."""
        self.model.torque(torque, on=on)
        self.torques.append((torque, on))

    def generalized_force(self, node: Node, vector: Any) -> None:
        """State components along the velocity of a node."""
        self.model.generalized_force(node, vector)
        self.direct.append((node, vector))

    @cached_property
    def groups(self) -> list[MatrixGroup]:
        """The groups of the nodes as matrices."""
        return [matrix_group(n.group.name) for n in self.model.nodes]

    @property
    def dimension(self) -> int:
        """Number of velocity components."""
        return sum(g.dimension for g in self.groups)

    @cached_property
    def equations(self) -> Equations:
        """The derived equations."""
        return self.model.derive()

    @property
    def derived(self) -> DerivedStatement:
        """The derived terms; the tests' models have one statement."""
        (only,) = self.equations.derived
        return only

    def state(self, seed: int, angle: float, speed: float = 1.5) -> State:
        """A reproducible generic state."""
        q = [random_element(g, seed + 10 * k, angle) for k, g in enumerate(self.groups)]
        return State(mpf("0.4"), q, random_vector(self.dimension, seed + 5, speed))

    def parts(self, w: Sequence[mpf]) -> list[Numbers]:
        """A velocity vector split by node."""
        result, offset = [], 0
        for g in self.groups:
            result.append(list(w[offset : offset + g.dimension]))
            offset += g.dimension
        return result

    def moved(self, q: Sequence[Numbers], w: Sequence[mpf], h: mpf) -> list[Numbers]:
        """q∘exp(h w)."""
        parts = self.parts([h * c for c in w])
        return [g.advance(a, b) for g, a, b in zip(self.groups, q, parts, strict=True)]

    def carried(self, w: Sequence[mpf], v: Sequence[mpf], h: mpf) -> Numbers:
        """Ad(exp(-h w)) v."""
        rows = zip(self.groups, self.parts([-h * c for c in w]), self.parts(v), strict=True)
        return [c for g, a, b in rows for c in g.carried(a, b)]

    def values(self, t: mpf, q: Sequence[Numbers], v: Sequence[mpf]) -> dict[Symbol, mpf]:
        """Numbers of all input symbols; parameters have their defaults."""
        model = self.model
        values: dict[Symbol, mpf] = {model.time: t}
        for parameter in model.parameters:
            values |= {s: mpf(c) for s, c in zip(parameter.symbols, parameter.default, strict=True)}
        for node, storage, velocity in zip(model.nodes, q, self.parts(v), strict=True):
            values |= dict(zip(node.value.components, storage, strict=True))
            values |= dict(zip(node.velocity.components, velocity, strict=True))
        return values

    def function(self, expressions: Sequence[Expr]) -> Callable[[mpf, Sequence[Numbers], Sequence[mpf]], Numbers]:
        """Expressions of the model's program as a function of (t, q, v)."""
        evaluation = Evaluation(self.model.program, list(expressions))
        return lambda t, q, v: evaluation(self.values(t, q, v))

    @cached_property
    def energies(self) -> Callable[[mpf, Sequence[Numbers], Sequence[mpf]], Numbers]:
        """Kinetic and potential energy of the model definition."""
        return self.function([self.model.kinetic, self.model.potential])

    @cached_property
    def _kinetic(self) -> Callable[[mpf, Sequence[Numbers], Sequence[mpf]], Numbers]:
        return self.function([self.model.kinetic])

    def directions(self) -> list[Numbers]:
        """Directions that components are compared along: all unit vectors of small models, else random ones.

        Any wrong component shows in a random direction.
        """
        n = self.dimension
        return [unit(n, i) for i in range(n)] if n <= 3 else [random_vector(n, 70 + k) for k in range(2)]

    def momentum(self, t: mpf, q: Sequence[Numbers], v: Sequence[mpf], w: Sequence[mpf]) -> mpf:
        """p·w with p = ∂T/∂v: a central difference, which is exact for polynomials of degree two."""
        forth, back = (self._kinetic(t, q, plus(v, [s * c for c in w]))[0] for s in (1, -1))
        return (forth - back) / 2

    def applied_power(self, state: State, w: Sequence[mpf]) -> mpf:
        """Virtual power along w of all forces that have no energy."""
        t, q, v = state.t, state.q, state.v
        total = mpf(0)
        for force, position in self.points:
            at = self.function(list(position))
            velocity = difference(lambda h, at=at: at(t, self.moved(q, w, h), v))
            total += dot(self.function(list(force))(t, q, v), velocity)
        for torque, node in self.torques:
            spin = self._inertial_spin(self.model.nodes.index(node), q, w)
            total += dot(self.function(list(torque))(t, q, v), spin)
        for node, components in self.direct:
            part = self.parts(w)[self.model.nodes.index(node)]
            total += dot(self.function(list(components))(t, q, v), part)
        if self.model.dissipated != 0:
            rate = self.function([self.model.dissipated])
            (slope,) = difference(lambda h: rate(t, q, plus(v, [h * c for c in w])))
            total -= slope
        return total

    def _inertial_spin(self, place: int, q: Sequence[Numbers], w: Sequence[mpf]) -> Numbers:
        """ω with R' = ω̃ R for the motion q∘exp(h w)."""
        group = self.groups[place]
        rotation = group.rotation(q[place])
        rate = difference(lambda h: list(group.rotation(self.moved(q, w, h)[place])))
        n = rotation.rows
        tilde = mpmath.matrix([rate[n * i : n * i + n] for i in range(n)]) * rotation.T
        return [tilde[1, 0]] if n == 2 else [tilde[2, 1], tilde[0, 2], tilde[1, 0]]

    def force_of_definition(self, state: State, w: Sequence[mpf]) -> mpf:
        """g·w with g of M v' = -g: the residual of the principle for v' = 0."""
        t, q, v = state.t, state.q, state.v
        (rate,) = difference(lambda h: [self.momentum(t + h, self.moved(q, v, h), v, w)])

        def lagrangian(h: mpf) -> Numbers:
            kinetic, potential = self.energies(t, self.moved(q, w, h), self.carried(w, v, h))
            return [kinetic - potential]

        (varied,) = difference(lagrangian)
        return rate - varied - self.applied_power(state, w)
