"""Small models with every kind of term, on any groups; coefficients are reproducible random rationals."""

from __future__ import annotations

import functools
import random
from typing import Any

import sympy
from sympy import Expr, Rational

import symlie as sl
from symlie.modeling.node import Node
from tests.derive.definition import Statement

SINGLE = ("R2", "R3", "SO3", "S3", "SE3", "S3sR3", "SO3xR3", "S3xR3")
PAIRS = ("S3,R2", "S3sR3,S3sR3", "SO3,SO3", "R3,S3sR3", "SO3xR3,SE3")


class Sampler:
    """Random rationals, and polynomials with such coefficients."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def rational(self) -> Rational:
        """A non-zero rational of size about one."""
        return Rational(self._random.choice([-1, 1]) * self._random.randint(1, 9), self._random.randint(3, 7))

    def vector(self, n: int) -> sympy.ImmutableDenseMatrix:
        """A column of rationals."""
        return sl.vector(*(self.rational() for _ in range(n)))

    def positive(self, n: int) -> sympy.Matrix:
        """A full symmetric positive definite matrix: I + A Aᵀ."""
        a = sympy.Matrix(n, n, lambda i, j: self.rational() / 2)
        return sympy.eye(n) + a * a.T

    def polynomial(self, variables: list[Expr], terms: int = 3) -> Expr:
        """Products of up to three of the variables."""
        total: Expr = sympy.Integer(0)
        for _ in range(terms):
            count = self._random.randint(1, 3)
            total += self.rational() * sympy.prod(self._random.choice(variables) for _ in range(count))
        return total


def coordinates(node: Node) -> list[Expr]:
    """Stored quantities that a user would write: entries of R, components of x."""
    found: list[Expr] = []
    if node.group.rotation is not None:
        found += list(node.R)
    if any(f.name == "x" for f in node.group.storage_fields):
        found += list(node.x)
    return found


def turns(node: Node) -> bool:
    """Whether the node has a rotation."""
    return node.group.rotation is not None


def moves(node: Node) -> bool:
    """Whether the node has a position in space."""
    return node.group.name == "R3" or (turns(node) and any(f.name == "x" for f in node.group.storage_fields))


def point(node: Node, lever: Any) -> Any:
    """A point in space that the node carries."""
    if not turns(node):
        return node.x
    return node.x + node.R * lever if moves(node) else node.R * lever


@functools.cache
def start(groups: str) -> tuple[str, ...]:
    """Groups of a case such as ``SE3,R2``."""
    return tuple(groups.split(","))


def sample(groups: str, seed: int, *, varying: bool, gyroscopic: bool) -> Statement:
    """A model with full mass, potentials, springs, dissipation, forces, torques, and constraints.

    Parameters
    ----------
    groups
        Names of the groups of the nodes, separated by commas.
    seed
        Of the coefficients.
    varying
        Whether the mass depends on configuration and time, rather than being constant.
    gyroscopic
        Whether the kinetic energy has terms that are linear in the velocities, and terms without velocities.
    """
    draw = Sampler(seed)
    model = sl.Model("sample")
    stiffness = model.parameter("stiffness", 1.7)
    nodes = [model.node(f"node{k}", name) for k, name in enumerate(start(groups))]
    statement = Statement(model)
    variables = [c for node in nodes for c in coordinates(node)]
    t = model.t

    velocity = sympy.ImmutableDenseMatrix(sympy.Matrix.vstack(*[n.v for n in nodes]))
    mass = draw.positive(velocity.rows)
    model.kinetic_energy((velocity.T * mass * velocity / 2)[0])
    if varying:
        factor = 2 + sl.sin(draw.polynomial(variables)) + sl.cos(t) / 3
        projected = draw.vector(velocity.rows).dot(velocity)
        model.kinetic_energy(factor * projected**2)

    if gyroscopic:
        model.kinetic_energy(draw.vector(velocity.rows).dot(velocity) * (draw.polynomial(variables) + sl.sin(t)))
        model.kinetic_energy(draw.polynomial(variables) * sl.cos(t) + 1)

    model.potential_energy(draw.polynomial(variables) + stiffness * sl.cos(t) * draw.polynomial(variables))
    for node in nodes:
        strain = node.log()
        model.potential_energy(stiffness * (strain.T * draw.positive(strain.rows) * strain)[0] / 2)
    if len(nodes) == 2 and nodes[0].group is nodes[1].group:
        strain = (nodes[0].inverse() * nodes[1]).log() - draw.vector(nodes[0].group.dimension) / 5
        model.potential_energy((strain.T * draw.positive(strain.rows) * strain)[0])

    model.dissipation((velocity.T * draw.positive(velocity.rows) * velocity)[0] ** 2 / 40)
    model.dissipation(stiffness * variables[0] ** 2 * velocity[0] ** 2)
    for node in nodes:
        statement.generalized_force(node, [draw.rational() * sl.sin(t) * c for c in node.v])
        if turns(node):
            statement.torque(sl.vector(sl.sin(3 * t), variables[-1], node.v[0]), on=node)
        if turns(node) or node.group.name == "R3":
            statement.force(sl.vector(variables[0], sl.cos(t), node.v[-1]), at=point(node, draw.vector(3)))
    if len(nodes) == 2 and moves(nodes[0]) and moves(nodes[1]):
        # Action and reaction along the line between two points.
        ends = [point(node, draw.vector(3)) for node in nodes]
        statement.force(stiffness * (ends[1] - ends[0]), at=ends[0])
        statement.force(stiffness * (ends[0] - ends[1]), at=ends[1])

    model.constraint("polynomial", sl.vector(draw.polynomial(variables), draw.polynomial(variables) + sl.sin(2 * t)))
    model.nonholonomic_constraint(
        "rolling", sympy.cos(draw.polynomial(variables)) * velocity[0] + velocity[-1] * t + draw.polynomial(variables)
    )
    if len(nodes) == 2 and nodes[0].group is nodes[1].group:
        model.constraint("relative", (nodes[0].inverse() * nodes[1]).log()[:2, :])
    return statement
