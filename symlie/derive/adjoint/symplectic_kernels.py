"""Gradients of a step of the symplectic θ-family, multiplied by weights w, for its adjoint.

    wᵀ(u - h f(stage(q, u))),  wᵀδ  (1)

δ is the tangent of the end of the step. Gradients by q are trivialised, at fixed u.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from sympy import Expr, Symbol

from symlie.contract.signature import Argument
from symlie.derive.adjoint.gradient_kernel import gradient_kernel
from symlie.derive.adjoint.weighted import weighted_gradient
from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.fields import moved_nodes, total_field
from symlie.derive.kernels import configuration_symbols, instance_symbols, parameter_symbols, symbols_of
from symlie.derive.symplectic import SymplecticStep, symplectic_step
from symlie.groups.homogeneous import HomogeneousSpace
from symlie.ir.differentiate import stored_weights
from symlie.ir.kernels import Kernel
from symlie.ir.program import Euclidean, Program, Value, Vector
from symlie.ir.sets import GradientPlaces
from symlie.modeling.model import Model
from symlie.modeling.statement import Statement


def symplectic_gradients(model: Model, derived: DerivedStatement) -> list[tuple[Kernel, GradientPlaces]]:
    """Return the kernels with the places of their components; none if the model has no such step."""
    if derived.statement is not model or model.instances:
        return []
    statement = derived.statement.with_program(derived.stated.copy())
    step = symplectic_step(statement, [total_field(statement, k) for k in moved_nodes(statement)])
    if step is None:
        return []
    program, size = statement.program, len(step.increments)
    w = program.fresh("w", size)
    terms: dict[str, tuple[Sequence[Expr], Sequence[Expr]]] = {
        "symplectic_gradient": (step.residual, w),
        "symplectic_end_gradient": (step.end, tuple(_end_weights(statement, step.end, w))),
    }
    return [_kernel(model, statement, step, name, term, (factors, w)) for name, (term, factors) in terms.items()]


def _end_weights(statement: Statement, end: Vector, w: Sequence[Symbol]) -> Iterator[Expr]:
    """Yield weights of the stored components at the end of the step, for weights of tangents."""
    program, stored, moved = statement.program, 0, 0
    for node in statement.nodes:
        space = node.group
        assert isinstance(space, HomogeneousSpace)
        part, weights = end[stored : stored + space.storage_dimension], tuple(w[moved : moved + space.dimension])
        yield from stored_weights(program, functools.partial(_lift, space), program.vector(part), weights)
        stored, moved = stored + space.storage_dimension, moved + space.dimension


def _lift(space: HomogeneousSpace, program: Program, stored: Vector, rates: Vector) -> Vector:
    """Return the tangent of rates of a point of a cotangent bundle."""
    assert space.lift is not None
    return program.vector(space.lift(stored, rates))


def _kernel(
    model: Model,
    statement: Statement,
    step: SymplecticStep,
    name: str,
    term: Sequence[Expr],
    weights: tuple[Sequence[Expr], Sequence[Symbol]],
) -> tuple[Kernel, GradientPlaces]:
    """Return the kernel of the gradient of Σ factor·term, for factors that are functions of the weights w."""
    program, nodes = statement.program, statement.nodes
    factors, w = weights
    own = instance_symbols(statement)
    vectors: dict[str, Sequence[Symbol]] = {
        "q": configuration_symbols(statement), "u": step.increments, "w": w, "p": parameter_symbols(model), "e": own,
    }  # fmt: skip
    references = {s: f"{label}[{k}]" for label, symbols in vectors.items() for k, s in enumerate(symbols)}
    references |= {statement.time: "t", step.step_size: "h", step.theta: "theta"}
    states = [*(n.value for n in nodes), Value(step.increments, Euclidean(len(step.increments)))]
    weighted = list(zip(program.vector(term), factors, strict=True))
    found = weighted_gradient(statement, model.inputs, weighted, states, (symbols_of(model.parameters), own))
    by_configuration = tuple(c for part in found[: len(nodes)] for c in part)
    sizes = {"t": None, "q": len(vectors["q"]), "u": len(w), "h": None, "theta": None}
    sizes |= {label: len(vectors[label]) for label in "wpe"}
    arguments = [Argument(label, size) for label, size in sizes.items()]
    return gradient_kernel(
        statement.name, name, "fields", program, (by_configuration, *found[len(nodes) :]), arguments, references
    )
