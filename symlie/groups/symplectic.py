"""Stages of the symplectic θ-family on cotangent bundles T*G in right trivialisation.

With u = (ξ, n) = h f(stage) and E = exp(θξ), the stage of a step from (g₀, μ₀) is (E g₀, M),

    M = dexp*_{-ξ}(μ₀ + Ad*_E n) - θ dexp*_{-θξ} Ad*_E n,

and the end is (exp(ξ) g₀, Ad*_{exp(-ξ)}(μ₀ + Ad*_E n)). The method is symplectic for every θ, and symmetric of order 2
for θ = 1/2. Source: [Celledoni2022], equations (15) to (17).
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer, Matrix

from symlie.groups.group import LieGroup
from symlie.groups.operations import Compose, Exponential, Inverse
from symlie.groups.operators import ad, adjoint, tangent_operator
from symlie.ir.differentiate import forward
from symlie.ir.program import Euclidean, Program, Value, Vector


@dataclass(frozen=True)
class ThetaStep:
    """Step of the θ-family from one point, as expressions of a program."""

    stage: Vector
    """Stored components of the stage."""
    end: Vector
    """Stored components at the end of the step."""
    tangent: Matrix
    """Z: a change δu of the increment moves the stage by ψ_*(Z δu)."""


def theta_step(program: Program, group: LieGroup, y: Vector, u: Vector, theta: Expr) -> ThetaStep:
    """Return the stage and the end of a step with u = (ξ, n) = h f(stage) from y = (g₀, μ₀), see the module."""
    n, size = group.dimension, group.storage_dimension
    start, xi, momentum = Value(y[:size], group), u[:n], y[size:]
    increment = Value(u, Euclidean(2 * n))
    part = program.vector([theta * c for c in xi])
    turned = program.apply(Exponential(group), Value(part, Euclidean(n)))
    impulse = program.vector(adjoint(program, group, turned.components, u[n:], transpose=True))
    total = program.vector([a + b for a, b in zip(momentum, impulse, strict=True)])
    whole = tangent_operator(program, group, xi, total, transpose=True)
    correction = tangent_operator(program, group, part, impulse, transpose=True)
    reached = program.vector([a - theta * b for a, b in zip(whole, correction, strict=True)])
    columns = []
    for k in range(2 * n):
        unit = tuple(Integer(int(i == k)) for i in range(2 * n))
        turn = program.vector([theta * c for c in tangent_operator(program, group, part, unit[:n], negative=True)])
        # The momentum of ψ_*(η, m) at (g, μ) has the rate m - ad*_η μ.
        carried = ad(program, group, turn, reached, transpose=True)
        rates = forward(program, reached, [(increment, unit)])
        columns.append([*turn, *program.vector([a + b for a, b in zip(rates, carried, strict=True)])])
    step = program.apply(Exponential(group), Value(xi, Euclidean(n)))
    back = program.apply(Inverse(group), step)
    return ThetaStep(
        (*program.apply(Compose(group), turned, start).components, *reached),
        (
            *program.apply(Compose(group), step, start).components,
            *adjoint(program, group, back.components, total, transpose=True),
        ),
        Matrix(columns).T,
    )
