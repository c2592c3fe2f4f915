"""Variational integrators, derived from a discrete Lagrangian by the trivialised rules.

    p⁺ = -D₁L_d(q₀, q₁, h),   p⁻ = D₂L_d(q₀, q₁, h)                                          (14)
    p₀ = p⁺ + h (w₀ l(t₀, q₀, v₀) + Bᵀ(q₀) λ⁺/2),   Φ(q₁) = 0                                (15a)
    p₁ = p⁻ - h (w₁ l(t₁, q₁, v₁) + Bᵀ(q₁) λ⁻/2),   B(q₁) v₁ + b = 0                         (15b)

with p = ∂T/∂v, the weights w₀, w₁ of V at both ends, the loads l = D_q V + ∂D/∂v - f there, and the samples between the
ends in p⁺ and p⁻. θ = log(q₀⁻¹∘q₁) is the unknown: its factors in D₁ and D₂, T⁻ᵀ(-θ) and T⁻ᵀ(θ), follow from the rule
of the difference of two configurations. Constraints without Φ hold at the velocity samples of the discrete Lagrangian.
Source: [Hante2022], equations 14 to 18.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sympy import Expr, Integer, Rational, Symbol

from symlie.contract.discrete import DiscreteLagrangian, Samples
from symlie.derive.derived_statement import DerivedStatement
from symlie.errors import GroupError
from symlie.groups.group import LieGroup
from symlie.groups.operations import Compose, Difference, Exponential
from symlie.ir.differentiate import gradient, reverse
from symlie.ir.program import Euclidean, Program, Value, Vector, at_values


@dataclass(frozen=True)
class VariationalStep:
    """Expressions of a step, in a program that continues the program of the statement."""

    # ``nodes`` are group, q₀, v, q₁ and θ of each node; ``step_size``, ``end`` and ``increment`` the symbols of h, of
    # the stored components of q₁, and of θ; ``momentum`` and ``load`` p and l at (t, q, v). ``by_increment``,
    # ``by_start`` and ``by_end`` are ∂L_d/∂θ, and D_{q₀}L_d and D_{q₁}L_d at fixed θ, without V at the ends, with
    # forces at samples between them. ``start_momentum`` and ``end_momentum`` are p⁺ and p⁻; ``between`` maps the sample
    # fractions ξ between the ends to the stored components of q₀∘exp(ξ θ) by node; ``rolling`` is h (B v + b) of
    # constraints without Φ as L_d samples it, zero for others.

    program: Program
    nodes: tuple[MovedNode, ...]
    step_size: Symbol
    end: tuple[Symbol, ...]
    increment: tuple[Symbol, ...]
    momentum: Vector
    load: Vector
    by_increment: Vector
    by_start: Vector
    by_end: Vector
    start_momentum: Vector
    end_momentum: Vector
    between: Mapping[Rational, tuple[Vector, ...]]
    rolling: Vector


class MovedNode(NamedTuple):
    """Symbols of a node in a step."""

    group: LieGroup
    start: Value
    velocity: Value
    end: Value
    increment: Value


class _Step:
    """Configurations and increments of a step in a program, and energies sampled there."""

    def __init__(self, derived: DerivedStatement) -> None:
        self.derived, self.program = derived, derived.stated.copy()
        self.statement = statement = derived.statement.with_program(self.program)
        program = self.program
        (self.h,) = program.fresh("h", 1)
        self.groups: list[LieGroup] = []
        self.starts = [node.value for node in statement.nodes]
        self.ends, self.increments = [], []
        for node in statement.nodes:
            if not (isinstance(node.group, LieGroup) and node.group.velocity_dimension):
                raise GroupError(
                    f"Node '{node.name}' of '{statement.name}' is on {node.group}, where variational methods have no "
                    "θ = log(q₀⁻¹∘q₁); they require nodes with a velocity on Lie groups."
                )
            self.groups.append(node.group)
            self.ends.append(Value(program.fresh("end", node.group.storage_dimension), node.group))
            size = node.group.dimension
            self.increments.append(Value(program.fresh("theta", size), Euclidean(size)))
        self.theta = tuple(s for i in self.increments for s in i.components)
        self.velocities = [s for n in statement.nodes for s in n.velocity.components]

    def at(self, part: Expr) -> list[Value]:
        """Return q₀∘exp(ξ θ) of all nodes."""
        if part in (0, 1):
            return self.ends if part == 1 else self.starts
        found = []
        for group, start, theta in zip(self.groups, self.starts, self.increments, strict=True):
            moved = Value(self.program.vector([part * c for c in theta.components]), theta.space)
            step = self.program.apply(Exponential(group), moved)
            found.append(self.program.apply(Compose(group), start, step))
        return found

    def sample(self, expressions: Sequence[Expr], part: Expr, velocity: Sequence[Expr]) -> tuple[Expr, ...]:
        """Return expressions of (t, q, v) at a fraction of the step."""
        values: dict[Symbol, Expr] = dict(zip(self.velocities, self.program.vector(velocity), strict=True))
        for start, there in zip(self.starts, self.at(part), strict=True):
            pairs = zip(start.components, there.components, strict=True)
            values |= {s: c for s, c in pairs if isinstance(s, Symbol) and s != c}
        if part != 0:
            values[self.statement.time] = self.program.scalar(self.statement.time + part * self.h)
        return at_values(self.program, expressions, values)

    def rate(self) -> list[Expr]:
        """Return θ/h."""
        return [self.program.scalar(c / self.h) for c in self.theta]


def derive_variational(derived: DerivedStatement, discrete: DiscreteLagrangian) -> VariationalStep:
    """Derive the momenta of a statement from a discrete Lagrangian; raise `GroupError` if a node is on no Lie group."""
    step = _Step(derived)
    program, statement, h = step.program, step.statement, step.h

    rate = step.rate()
    energy: list[tuple[Expr, Expr]] = []
    acting: list[tuple[Value, Vector]] = []
    kinetic = _kinetic(step)
    for part, weight in _exact(discrete.kinetic):
        energy += [(e, weight * h) for e in step.sample([kinetic], part, rate)]
    for part, weight in _exact(discrete.potential):
        if part not in (0, 1):
            energy += [(e, -weight * h) for e in step.sample([statement.potential], part, rate)]
            along, forces = _forces(step, part, rate)
            energy += [(position, weight * h * force) for position, force in along]
            acting += [(at, tuple(weight * h * c for c in force)) for at, force in forces]
    wanted = [*step.starts, *step.ends, *step.increments]
    found = reverse(program, energy, wanted, acting)
    n = len(step.starts)
    first, second, inner = found[:n], found[n : 2 * n], found[2 * n :]
    start_momentum: list[Expr] = []
    end_momentum: list[Expr] = []
    for k, group in enumerate(step.groups):
        if all(c == 0 for c in inner[k]):
            start_momentum += [-a for a in first[k]]
            end_momentum += second[k]
            continue
        # (4a, b)
        pulled = Difference(group).cotangent(program, [step.starts[k], step.ends[k]], step.increments[k], inner[k])
        start_momentum += [-a - b for a, b in zip(first[k], pulled[0], strict=True)]
        end_momentum += [a + b for a, b in zip(second[k], pulled[1], strict=True)]

    between = [part for part, _ in _exact(discrete.kinetic + discrete.potential) if part not in (0, 1)]
    rows = [c.level == 1 for c in statement.constraints for _ in c.rows]
    rolling: list[Expr] = [Integer(0)] * len(rows)
    if any(rows):
        for part, weight in _exact(discrete.kinetic):
            hidden = step.sample(derived.constraints.hidden, part, rate)
            rolling = [r + weight * h * b if of else r for r, b, of in zip(rolling, hidden, rows, strict=True)]
    bound = program.vector(start_momentum)
    outputs = [*bound, *program.vector(rolling)]
    size = len(bound)
    velocities = [node.velocity for node in statement.nodes]
    return VariationalStep(
        program,
        tuple(map(MovedNode, step.groups, step.starts, velocities, step.ends, step.increments)),
        h,
        tuple(s for e in step.ends for s in e.components if isinstance(s, Symbol)),
        step.theta,
        derived.dynamics.momentum,
        program.vector(derived.dynamics.load),
        _joined(inner),
        _joined(first),
        _joined(second),
        bound,
        program.vector(end_momentum),
        {part: tuple(value.components for value in step.at(part)) for part in between},
        tuple(outputs[size:]),
    )


def _joined(parts: Sequence[Vector]) -> Vector:
    return tuple(c for part in parts for c in part)


def _exact(samples: Samples) -> list[tuple[Rational, Rational]]:
    return [(Rational(str(part)), Rational(str(weight))) for part, weight in samples]


def _kinetic(step: _Step) -> Expr:
    """Return T, computed from M if M is constant, because M v costs less than the gradient of T."""
    statement, dynamics, v = step.statement, step.derived.dynamics, step.velocities
    if not dynamics.mass_is_constant:
        return statement.kinetic
    at_rest = at_values(step.program, [statement.kinetic, *dynamics.momentum], dict.fromkeys(v, Integer(0)))
    energy = at_rest[0] + sum((p * x for p, x in zip(at_rest[1:], v, strict=True)), Integer(0))
    for i, row in enumerate(dynamics.mass):
        for j in range(i + 1):
            energy += (Rational(1, 2) if i == j else Integer(1)) * row[j] * v[i] * v[j]
    return energy


def _forces(
    step: _Step, part: Rational, rate: Sequence[Expr]
) -> tuple[list[tuple[Expr, Expr]], list[tuple[Value, Vector]]]:
    """Return the forces at a sample: forces along expressions, and forces on nodes."""
    statement, program = step.statement, step.program
    places = step.at(part)
    along = []
    for position, force in statement.applied_forces:
        there = step.sample([position, force], part, rate)
        along.append((there[0], there[1]))
    acting = []
    for node, vector in statement.generalized_forces:
        acting.append((places[statement.nodes.index(node)], step.sample(vector, part, rate)))
    if statement.dissipated != 0:
        for place, node in zip(places, statement.nodes, strict=True):
            damped = gradient(program, statement.dissipated, node.velocity)
            acting.append((place, tuple(-c for c in step.sample(damped, part, rate))))
    return along, [(place, program.vector(force)) for place, force in acting]
