"""Newton matrices of a rod segment against differences of its forces in 50 digits, and their cost."""

from __future__ import annotations

from collections.abc import Sequence

import mpmath
import pytest
from mpmath import mpf
from sympy import Expr, Symbol

from symlie.derive.derived_statement import DerivedStatement, derive_statement
from symlie.derive.kernels import _ElementBuilder as ElementBuilder
from symlie.derive.matrices.newton import NewtonMatrices
from symlie.derive.sets import derive_set
from symlie.emit.sets import emit_set
from symlie.ir.hoisting import ParameterHoisting
from symlie.modeling.model import Model
from symlie.models import roll_up
from symlie.models.flying_spaghetti import build
from tests import tolerances
from tests.evaluation import Evaluation
from tests.groups.numeric import DIGITS, derivative, numeric, random_vector, scaled

MOST_OPERATIONS = 5000
"""Bound on force, B, Z, K and C of a segment together; a coefficient function counts one."""


def segment() -> tuple[Model, DerivedStatement, NewtonMatrices]:
    """A viscous Kirchhoff segment with its derived terms."""
    model = build(segments=2, constraint="kirchhoff")
    derived = derive_statement(next(i.element for i in model.instances if i.element.name == "rod_segment"))
    return model, derived, derived.newton


@pytest.mark.slow
@pytest.mark.parametrize("moved", ["configuration", "velocity"])
def test_newton_matrices_are_derivatives(moved: str) -> None:
    """K w and C w are the rates of g + Bᵀ λ along q∘exp(ε w) and along v + ε w."""
    with mpmath.workdps(DIGITS):
        model, derived, matrices = segment()
        statement, group = derived.statement, numeric("S3sR3")
        values: dict[Symbol, mpf] = {statement.time: mpf(0)}
        parameters = [s for p in (*model.parameters, *statement.parameters) for s in p.symbols]
        for k, symbol in enumerate(parameters):
            values[symbol] = mpf(3 + k % 7) / 2
        values |= dict(zip(matrices.multipliers, random_vector(2, 5), strict=True))
        elements = [group.exp(random_vector(6, 10 + k)) for k in range(2)]
        velocities = [random_vector(6, 20 + k) for k in range(2)]
        directions = [random_vector(6, 30 + k) for k in range(2)]
        pulled = [
            sum((row[k] * m for row, m in zip(derived.constraints.jacobian, matrices.multipliers, strict=True)), g)
            for k, g in enumerate(derived.dynamics.force)
        ]

        def at(epsilon: mpf) -> dict[Symbol, mpf]:
            state = dict(values)
            for node, q, v, w in zip(statement.nodes, elements, velocities, directions, strict=True):
                step = scaled(epsilon, w)
                there = group.compose(q, group.exp(step)) if moved == "configuration" else q
                rate = [a + b for a, b in zip(v, step, strict=True)] if moved == "velocity" else v
                state |= dict(zip(node.value.components, there, strict=True))
                state |= dict(zip(node.velocity.components, rate, strict=True))
            return state

        def evaluated(expressions: Sequence[Expr], epsilon: mpf) -> list[mpf]:
            return list(Evaluation(statement.program, expressions)(at(epsilon)))

        expected = derivative(lambda epsilon: evaluated(pulled, epsilon))
        matrix = matrices.stiffness if moved == "configuration" else matrices.damping
        w = [c for direction in directions for c in direction]
        largest = max(abs(rate) for rate in expected)
        entries = evaluated([c for row in matrix for c in row], mpf(0))
        for i, rate in enumerate(expected):
            product = sum(entries[12 * i + k] * w[k] for k in range(12))
            assert abs(product - rate) <= tolerances.DIFFERENCE * largest


def test_operations_per_segment_are_bounded() -> None:
    """Force, B, Z and both Newton matrices share their work."""
    model, derived, matrices = segment()
    builder = ElementBuilder(model, derived.statement, ParameterHoisting(99, "p"))
    builder.references |= {s: f"lambda[{i}]" for i, s in enumerate(matrices.multipliers)}
    terms = [
        derived.dynamics.force,
        *derived.constraints.jacobian,
        derived.constraints.curvature,
        *matrices.stiffness,
        *matrices.damping,
    ]
    kernel = builder.kernel("everything", [c for term in terms for c in term], row="force")
    assert 3000 < kernel.body.operation_count <= MOST_OPERATIONS


@pytest.mark.slow
def test_text_of_a_set_does_not_depend_on_previous_sets() -> None:
    """Sets of a model are parts of one program, and come from the cache or are derived, in any order."""
    first, second = (roll_up.build(2).derive() for _ in range(2))
    alone = emit_set(derive_set(first, "ports"), "")
    newton = emit_set(derive_set(second, "newton"), "")
    assert emit_set(derive_set(second, "ports"), "") == alone
    assert emit_set(derive_set(first, "newton"), "") == newton
