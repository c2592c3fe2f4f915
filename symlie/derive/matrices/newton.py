"""Newton matrices of a statement: trivialised derivatives of the forces and of the constraints on velocities.

    K = D_q(M a + g + Bᵀ λ),   C = ∂(g + Bᵀ λ)/∂v,   H = D_q(B v + b),   d/dε g(q∘exp(ε w))|_{ε=0} = K w   (a = λ = 0)

K is not symmetric: second trivialised derivatives do not commute. Source: [Hante2022], section 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Add, Expr, Integer, Symbol

from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.dynamics import own_inverse_dynamics
from symlie.derive.kernels import configuration_symbols
from symlie.groups.operations import Difference
from symlie.ir.differentiate import Matrix, columns
from symlie.ir.program import Assignment, Program, Value, depends_on, needed_statements


@dataclass(frozen=True)
class NewtonMatrices:
    """Stiffness matrix, damping matrix and derivative of the hidden constraints, as expressions in the program of a
    definition."""

    acceleration: tuple[Symbol, ...]
    """Symbols of a in K; none if M does not depend on the configuration."""
    multipliers: tuple[Symbol, ...]
    """Symbols of λ in K."""
    stiffness: Matrix
    """K, by velocity component."""
    damping: Matrix
    """C, by velocity component."""
    hidden: Matrix
    """H, one row for each constraint equation; zero for acceleration-level constraints."""
    sees_configuration: bool
    """True if M a + g + Bᵀ λ depends on the configuration; for jumps this holds although K = 0."""

    @property
    def matrices(self) -> tuple[Matrix, Matrix, Matrix]:
        """K, C and H."""
        return self.stiffness, self.damping, self.hidden


def balance(derived: DerivedStatement, acceleration: Sequence[Symbol], multipliers: Sequence[Symbol]) -> list[Expr]:
    """Return M a + g + Bᵀ λ, without M a if no acceleration is given."""
    dynamics, pulled = derived.dynamics, constraint_forces(derived, multipliers)
    return [
        g + sum((m * a for m, a in zip(row, acceleration, strict=False)), Integer(0)) + reaction
        for g, row, reaction in zip(dynamics.force, dynamics.mass, pulled, strict=True)
    ]


def constraint_forces(
    derived: DerivedStatement, multipliers: Sequence[Symbol], *, with_friction: bool = False
) -> list[Expr]:
    """Return Bᵀ λ, or Cᵀ λ with the friction of sliding contacts."""
    constraints = derived.constraints
    matrix = (with_friction and constraints.columns) or constraints.jacobian
    return [
        sum((b[k] * m for b, m in zip(matrix, multipliers, strict=True)), Integer(0))
        for k in range(len(derived.dynamics.force))
    ]


def _own_balance(derived: DerivedStatement, acceleration: Sequence[Expr], multipliers: Sequence[Symbol]) -> list[Expr]:
    """Return the balance without joint trees in the form whose differentiation costs least: without entries of a
    variable M."""
    if not acceleration:
        own = derived.dynamics.own.force
    else:
        own = own_inverse_dynamics(derived.statement, derived.dynamics, acceleration)
    return [a + b for a, b in zip(own, constraint_forces(derived, multipliers), strict=True)]


def derive_newton_matrices(derived: DerivedStatement) -> NewtonMatrices:
    """Derive K, C and H by forward differentiation of the derived forces and of the hidden constraints."""
    statement, program, dynamics = derived.statement, derived.statement.program, derived.dynamics
    jacobian = derived.constraints.jacobian
    dimension = len(dynamics.force)
    acceleration = () if dynamics.mass_is_constant else program.fresh("a", dimension)
    multipliers = program.fresh("lambda", len(jacobian)) if jacobian else ()
    residual = program.vector(_own_balance(derived, acceleration, multipliers))
    values = [n.value for n in statement.moving_nodes]
    stiffness = by_configuration(program, residual, values)
    velocities = [n.velocity for n in statement.moving_nodes]
    resisting = list(dynamics.own.force)
    if not all(c.is_affine for c in statement.constraints):
        resisting = [a + b for a, b in zip(resisting, constraint_forces(derived, multipliers), strict=True)]
    damping = columns(program, program.vector(resisting), velocities)
    hidden = columns(program, derived.constraints.hidden, values)
    sees = bool(dynamics.trees) or depends_on(program, residual, configuration_symbols(statement))
    flat = [s for v in velocities for s in v.components]
    for tree in dynamics.trees:
        of_tree = tree.newton_matrices(tuple(zip(flat, acceleration, strict=False)))
        stiffness, damping = (_sum(a, b) for a, b in zip((stiffness, damping), of_tree, strict=True))
    return NewtonMatrices(acceleration, multipliers, stiffness, damping, hidden, sees)


def _sum(a: Matrix, b: Matrix) -> Matrix:
    return tuple(tuple(x + y for x, y in zip(*rows, strict=True)) for rows in zip(a, b, strict=True))


def by_configuration(program: Program, outputs: Sequence[Expr], values: Sequence[Value]) -> Matrix:
    """Return the derivatives of outputs of a program with respect to configurations."""
    return _through_differences(program, outputs, values) or columns(program, outputs, values)


def _through_differences(program: Program, outputs: Sequence[Expr], values: Sequence[Value]) -> Matrix | None:
    """Differentiate with respect to θ = log(a⁻¹∘b) if outputs depend on the configuration only through θ; this halves
    the number of directions."""
    storage = {c for v in values for c in v.components}
    differences: list[Value] = []
    for statement in needed_statements(program, outputs):
        if isinstance(statement, Assignment):
            seen = statement.expression.free_symbols
        elif isinstance(statement.operation, Difference):
            differences.append(statement.result)
            continue
        else:
            seen = {c for a in statement.arguments for c in a.components}
        if not storage.isdisjoint(seen):
            return None
    if not differences or any(not storage.isdisjoint(e.free_symbols) for e in outputs):
        return None
    theta = tuple(c for d in differences for c in d.components)
    outer = [tuple(program.scalar(e) for e in row) for row in columns(program, outputs, differences)]
    inner = [tuple(program.scalar(e) for e in row) for row in columns(program, theta, values)]
    return tuple(
        tuple(Add(*[a * row[k] for a, row in zip(left, inner, strict=True) if a != 0 and row[k] != 0])
              for k in range(len(inner[0])))
        for left in outer
    )  # fmt: skip


def derive_variations(
    derived: DerivedStatement,
) -> tuple[tuple[Symbol, ...], tuple[Symbol, ...], tuple[Matrix, Matrix]]:
    """Return symbols of a and λ, and D_q(B a + Z) and ∂Z/∂v of B a + Z, which vanishes for solutions."""
    # All sets are statements of one program. Variations are derived after the Newton matrices, so that generated code
    # is unique.
    _ = derived.newton
    statement, program, constraints = derived.statement, derived.statement.program, derived.constraints
    moving = statement.moving_nodes
    acceleration = [s for n in moving for s in n.acceleration.components]
    moved = program.vector(
        z + sum((b * a for b, a in zip(row, acceleration, strict=True)), Integer(0))
        for z, row in zip(constraints.curvature, constraints.jacobian, strict=True)
    )
    everything = tuple(s for n in statement.nodes for s in n.acceleration.components)
    by_configuration = columns(program, moved, [n.value for n in statement.nodes])
    by_velocity = columns(program, program.vector(constraints.curvature), [n.velocity for n in moving])
    return everything, (), (by_configuration, by_velocity)
