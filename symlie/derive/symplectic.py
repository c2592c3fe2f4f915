"""Step of the symplectic θ-family for a Hamiltonian system on cotangent bundles: residual, Newton matrix, end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, Integer, Matrix, Symbol

from symlie.groups.homogeneous import HomogeneousSpace
from symlie.ir.differentiate import forward
from symlie.ir.program import Vector, at_values
from symlie.modeling.statement import Statement


@dataclass(frozen=True)
class SymplecticStep:
    """Step as expressions of the statement's program, with h in s: ``residual`` is u - h f(t, stage(q, u)) in u = (ξ,
    n)."""

    increments: tuple[Symbol, ...]
    step_size: Symbol
    theta: Symbol
    residual: Vector
    newton_matrix: Vector
    end: Vector


def symplectic_step(statement: Statement, fields: Sequence[Sequence[Expr]]) -> SymplecticStep | None:
    """Derive the step; return None if a node does not belong to a cotangent bundle or has no vector field."""
    # The Newton matrix is I - h F Z, where F is the derivative of f along the stage and Z the derivative of the stage
    # with respect to u.
    nodes = []
    for node in statement.nodes:
        space = node.group
        if not isinstance(space, HomogeneousSpace) or space.theta_step is None:
            return None
        nodes.append((node.value, space.dimension, space.theta_step))
    if not nodes or len(fields) != len(nodes):
        return None
    program = statement.program
    (step_size,), (theta,) = program.fresh("h", 1), program.fresh("theta", 1)
    increments = program.fresh("u", sum(dimension for _, dimension, _ in nodes))
    field = [c for f in fields for c in f]
    along: list[Vector] = []
    at_stage: dict[Symbol, Expr] = {}
    end: list[Expr] = []
    tangents = []
    offset = 0
    for value, dimension, step_of in nodes:
        for k in range(dimension):
            unit = tuple(Integer(int(i == k)) for i in range(dimension))
            along.append(forward(program, field, [(value, unit)]))
        step = step_of(program, value.components, increments[offset : offset + dimension], theta)
        at_stage |= {s: c for s, c in zip(value.components, step.stage, strict=True) if isinstance(s, Symbol)}
        tangents.append(step.tangent)
        end += step.end
        offset += dimension
    there = program.vector(at_values(program, [*field, *(c for column in along for c in column)], at_stage))
    n = len(increments)
    derivative = Matrix(n, n, there[n:]).T
    residual = tuple(u - step_size * f for u, f in zip(increments, there[:n], strict=True))
    newton = sympy.eye(n) - step_size * derivative * sympy.diag(*tangents)
    return SymplecticStep(increments, step_size, theta, residual, tuple(newton), tuple(end))
