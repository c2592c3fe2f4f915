"""Equations of motion by Euler-Poincaré with left-trivialised derivatives.

d/dt(∂L/∂v) = ad_vᵀ ∂L/∂v + D_q L + f,   L = T - V,  ∂L/∂v = M v + p
M v' = -g,   g = Ṁ v + ṗ - ad_vᵀ (M v + p) - D_q T + D_q V + ∂D/∂v - f

T = vᵀM(t, q) v/2 + p(t, q)·v + T₀(t, q): p is the momentum at rest, of gyrostats and of moving coordinates.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sympy import Add, Expr, Integer, Poly, Symbol

from symlie.derive.tree_dynamics import TreeDynamics
from symlie.errors import ModelError
from symlie.groups.operators import ad
from symlie.ir.differentiate import columns, forward, gradient, reverse
from symlie.ir.program import Assignment, Vector, at_values, depends_on, lower, needed_statements
from symlie.modeling.statement import Statement
from symlie.utilities.showing import Brief


@dataclass(frozen=True, repr=False)
class EnergyTerms(Brief):
    """Equations of motion from energies and forces, without the bodies of a joint tree."""

    momentum: tuple[Expr, ...]
    """∂T/∂v, by node."""
    force: tuple[Expr, ...]
    """g(t, q, v), by node."""
    without_rate: tuple[Expr, ...]
    """-ad_vᵀ (M v + p) - D_q T + D_q V + ∂D/∂v - f, by node: g without the rate of the momentum."""


@dataclass(frozen=True, repr=False)
class Dynamics(Brief):
    """Terms of the equations of motion of one statement, as expressions of its program."""

    momentum: tuple[Expr, ...]
    """∂T/∂v, by node."""
    mass: tuple[tuple[Expr, ...], ...]
    """Symmetric matrix M(q), row by row."""
    mass_is_constant: bool
    force: tuple[Expr, ...]
    """g(t, q, v), by node."""
    load: tuple[Expr, ...]
    """D_q V + ∂D/∂v - f, by node: the part of g without inertia."""
    own: EnergyTerms
    """Terms that do not belong to a tree."""
    trees: tuple[TreeDynamics, ...]


def derive_dynamics(statement: Statement) -> Dynamics:
    """Derive M and g; raise `ModelError` if the kinetic energy is no polynomial of degree two in the velocities."""
    program, nodes = statement.program, statement.moving_nodes
    velocities = [n.velocity for n in nodes]
    flat = [s for v in velocities for s in v.components]
    trees = tuple(TreeDynamics(program, tree, flat) for tree in statement.trees)
    kinetic = Add(*_without(statement.kinetic_terms, [t for tree in statement.trees for t in tree.kinetic]))
    potential = Add(*_without(statement.potential_terms, [t for tree in statement.trees for t in tree.potential]))
    momenta = reverse(program, [(kinetic, Integer(1))], velocities)
    momentum = tuple(c for p in momenta for c in p)
    mass = _mass_matrix(statement, momentum)
    moving = [s for n in statement.nodes for s in n.value.components] + [statement.time]
    mass_is_constant = not depends_on(program, [c for row in mass for c in row], moving)

    if mass_is_constant:
        # M depends only on parameters, so M v costs one product, whereas the gradient of T may cost much more.
        mass = tuple(program.vector(row, "M") for row in mass)
        kinetic, *at_rest = at_values(program, [kinetic, *momentum], dict.fromkeys(flat, Integer(0)))
        kinetic += sum((p * v for p, v in zip(at_rest, flat, strict=True)), Integer(0))
        momentum = tuple(
            sum((m * v for m, v in zip(row, flat, strict=True)), p) for row, p in zip(mass, at_rest, strict=True)
        )
        momenta = _by_node(momentum, [n.group.dimension for n in nodes])

    sizes = [n.group.dimension for n in nodes]
    rates: list[Vector] = [(Integer(0),) * size for size in sizes]
    total = list(rates)
    if depends_on(program, [*momentum, kinetic], moving):
        found = forward(program, momentum, statement.motion())
        rates = [program.vector(part) for part in _by_node(found, sizes)]
        total = [_less(part) for part in reverse(program, [(kinetic, Integer(1))], [n.value for n in nodes])]
    for i, (node, p) in enumerate(zip(nodes, momenta, strict=True)):
        gyroscopic = ad(program, node.lie_group, node.velocity.components, program.vector(p), transpose=True)
        total[i] = _sum(total[i], _less(gyroscopic))
    loads = _loads(statement, potential)
    total = [_sum(a, b) for a, b in zip(total, loads, strict=True)]
    force = [_sum(a, b) for a, b in zip(rates, total, strict=True)]
    own = EnergyTerms(momentum, _joined(force), _joined(total))
    load = _joined(loads)
    if not trees:
        return Dynamics(momentum, mass, mass_is_constant, own.force, load, own, ())
    mass = tuple(
        tuple(Add(*entries) for entries in zip(*rows, strict=True))
        for rows in zip(mass, *(tree.mass() for tree in trees), strict=True)
    )
    return Dynamics(
        _total(momentum, *(tree.momentum() for tree in trees)),
        mass,
        not depends_on(program, [c for row in mass for c in row], moving),
        _total(own.force, *(tree.inverse_dynamics() for tree in trees)),
        _total(load, *(tree.weight() for tree in trees)),
        own,
        trees,
    )


def inverse_dynamics(statement: Statement, dynamics: Dynamics, acceleration: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return M a + g, with a by node, without the entries of M: about as many operations as g."""
    flat = [s for n in statement.moving_nodes for s in n.velocity.components]
    pairs = tuple(zip(flat, acceleration, strict=True))
    own = own_inverse_dynamics(statement, dynamics, acceleration)
    return _total(own, *(tree.inverse_dynamics(pairs) for tree in dynamics.trees))


def own_inverse_dynamics(statement: Statement, dynamics: Dynamics, acceleration: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the terms of M a + g that do not belong to a tree, from the rate of the momentum along (v, a)."""
    nodes = statement.moving_nodes
    parts = _by_node(acceleration, [n.group.dimension for n in nodes])
    along = [*statement.motion(), *((n.velocity, part) for n, part in zip(nodes, parts, strict=True))]
    rate = forward(statement.program, dynamics.own.momentum, along)
    return _sum(statement.program.vector(rate), dynamics.own.without_rate)


def _without(terms: Sequence[Expr], others: Sequence[Expr]) -> list[Expr]:
    """Return the terms without those of another list, counted with multiplicity."""
    left = list(terms)
    for term in others:
        left.remove(term)
    return left


def _total(*vectors: Sequence[Expr]) -> tuple[Expr, ...]:
    return tuple(Add(*parts) for parts in zip(*vectors, strict=True))


def _loads(statement: Statement, potential: Expr) -> list[Vector]:
    program, nodes = statement.program, statement.moving_nodes
    # One reverse sweep handles potential and applied forces together, so that forces along the same strain are pulled
    # back once.
    along = [(potential, Integer(1)), *((position, -force) for position, force in statement.applied_forces)]
    total = list(reverse(program, along, [n.value for n in nodes]))
    if statement.dissipated != 0:
        for i, node in enumerate(nodes):
            total[i] = _sum(total[i], gradient(program, statement.dissipated, node.velocity))
    for node, vector in statement.generalized_forces:
        i = nodes.index(node)
        total[i] = _sum(total[i], tuple(-c for c in vector))
    return total


def _sum(a: Vector, b: Vector) -> Vector:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _less(a: Vector) -> Vector:
    return tuple(-x for x in a)


def _joined(parts: Sequence[Vector]) -> Vector:
    return tuple(c for part in parts for c in part)


def conserves_energy(statement: Statement, dynamics: Dynamics, rate: Sequence[Expr]) -> bool:
    """Return whether T + V is conserved: T is quadratic in v, no term depends on time, and no other force does work."""
    if (
        statement.applied_forces
        or statement.fields
        or _has_forces_besides_friction(statement)
        or statement.dependents
        or statement.dissipated != 0
        or statement.energies != 0
        or _reactions_work(statement, rate)
    ):
        return False
    if any(c.level == 2 for c in statement.constraints):
        return False
    program, velocities = statement.program, [s for n in statement.moving_nodes for s in n.velocity.components]
    at_rest = at_values(program, [statement.kinetic, *dynamics.momentum], dict.fromkeys(velocities, Integer(0)))
    return not any(at_rest) and not depends_on(program, [statement.kinetic, statement.potential], [statement.time])


def _has_forces_besides_friction(statement: Statement) -> bool:
    """Return whether generalised forces do not vanish without friction, whose forces are linear in its directions."""
    directions = [d for c in statement.contacts for d in c.direction]
    forces = [e for _, vector in statement.generalized_forces for e in vector]
    return any(at_values(statement.program, forces, dict.fromkeys(directions, Integer(0))))


def _reactions_work(statement: Statement, rate: Sequence[Expr]) -> bool:
    """Return whether reactions may do work: λᵀB v vanishes if b = 0, and if ψ is homogeneous, since B v is then a
    multiple of ψ.
    """
    velocities = [s for n in statement.moving_nodes for s in n.velocity.components]
    places = iter(rate)
    for constraint in statement.constraints:
        rates = [b for _, b in zip(constraint.rows, places, strict=False)]
        if constraint.is_affine and any(b != 0 for b in rates):
            return True
        if not constraint.is_affine and not all(_is_homogeneous(statement, row, velocities) for row in constraint.rows):
            return True
    return False


def _is_homogeneous(statement: Statement, row: Expr, velocities: Sequence[Symbol]) -> bool:
    """Return whether an expression and all values on which it depends are homogeneous polynomials in the velocities."""
    program, (lowered,) = lower(statement.program, [row])
    degrees = dict.fromkeys(velocities, 1)
    for assignment in needed_statements(program, [lowered]):
        assert isinstance(assignment, Assignment)
        degree = _degree(assignment.expression, degrees)
        if degree is None:
            return False
        if degree:
            degrees[assignment.symbol] = degree
    return _degree(lowered, degrees) is not None


def _degree(expression: Expr, degrees: Mapping[Symbol, int]) -> int | None:
    """Return the common degree of the monomials of a polynomial in symbols with given degrees; None without one."""
    symbols = [s for s in expression.free_symbols if s in degrees]
    if not symbols:
        return 0
    if not expression.is_polynomial(*symbols):
        return None
    found = {
        sum(power * degrees[s] for power, s in zip(monomial, symbols, strict=True))
        for monomial in Poly(expression, *symbols).monoms()
    }
    return found.pop() if len(found) == 1 else None


def _by_node(vector: Sequence[Expr], dimensions: Sequence[int]) -> tuple[tuple[Expr, ...], ...]:
    bounds = list(itertools.accumulate(dimensions, initial=0))
    return tuple(tuple(vector[a:b]) for a, b in itertools.pairwise(bounds))


def _mass_matrix(statement: Statement, momentum: tuple[Expr, ...]) -> tuple[tuple[Expr, ...], ...]:
    program, nodes = statement.program, statement.moving_nodes
    mass = columns(program, momentum, [n.velocity for n in nodes])
    velocities = [s for n in nodes for s in n.velocity.components]
    if depends_on(program, [c for row in mass for c in row], velocities):
        raise ModelError(
            f"The kinetic energy of '{statement.name}' is not a polynomial of degree two in the velocities; define "
            "T(t, q, v) with ∂²T/∂v² independent of v and put other terms into forces."
        )
    return mass
