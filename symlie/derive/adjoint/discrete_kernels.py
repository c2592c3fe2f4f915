"""Gradients of the momenta of a discrete Lagrangian, multiplied by weights w, for adjoint variational steps.

    wᵀp⁺,  wᵀp⁻,  wᵀ(h (B v + b)) as L_d samples it,  wᵀ∂T/∂v,  wᵀl  (1)

Gradients by q₀ and q₁ are trivialised, at fixed θ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sympy import Expr, Symbol

from symlie.contract.kernels import KERNELS
from symlie.contract.sets import KernelSet
from symlie.contract.signature import Argument
from symlie.derive.adjoint.gradient_kernel import gradient_kernel
from symlie.derive.adjoint.weighted import weighted_gradient
from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.discrete.momenta import VariationalStep, derive_variational
from symlie.derive.kernels import configuration_symbols, instance_symbols, parameter_symbols, symbols_of
from symlie.ir.kernels import Kernel
from symlie.ir.sets import ElementTypeSet, GradientPlaces, NodePlace, SetKernels
from symlie.modeling.element_type import ElementType
from symlie.modeling.model import Model
from symlie.modeling.statement import Statement


def discrete_gradients(model: Model, derived: Sequence[DerivedStatement], chosen: KernelSet) -> SetKernels:
    """Return the gradients of a discrete Lagrangian; raise `GroupError` if a node is on no Lie group."""
    assert chosen.discrete is not None
    at_ends = replace(chosen.discrete, potential=())
    elements = (_element(model, d.statement, derive_variational(d, at_ends)) for d in derived)
    return SetKernels(model.name, chosen, elements=tuple(elements))


def _element(model: Model, statement: Statement, step: VariationalStep) -> ElementTypeSet:
    terms: dict[str, tuple[str, Sequence[Expr]]] = {
        "start_momentum_gradient": ("velocities", step.start_momentum),
        "end_momentum_gradient": ("velocities", step.end_momentum),
        "rolling_gradient": ("rows", step.rolling),
        "momentum_gradient": ("velocities", step.momentum),
        "load_gradient": ("velocities", step.load),
    }
    own = instance_symbols(statement)
    found = [_kernel(model, statement, step, name, *term) for name, term in terms.items()]
    present = [(kernel, places) for kernel, places in found if kernel.body.outputs]
    nodes = statement.nodes
    return ElementTypeSet(
        statement.name,
        len(configuration_symbols(statement)),
        sum(n.group.velocity_dimension for n in nodes),
        len(step.rolling),
        (),
        tuple(kernel for kernel, _ in present),
        places=tuple(
            NodePlace(n.group.name, n.group.storage_dimension, n.group.dimension, n.group.velocity_dimension)
            for n in nodes
        ),
        gradients=tuple(places for _, places in present),
        own_parameters=len(own),
        own_inputs=len(statement.inputs) if isinstance(statement, ElementType) else 0,
    )


def _kernel(
    model: Model, statement: Statement, step: VariationalStep, name: str, weights: str, term: Sequence[Expr]
) -> tuple[Kernel, GradientPlaces]:
    """Return the kernel of the gradient of a weighted term, and the places of its components."""
    program, parameters = step.program, (symbols_of(model.parameters), instance_symbols(statement))
    factors = program.fresh("w", len(term)) if term else ()
    before = [*(a.before for a in statement.angles), *(a.symbol for a in statement.activities)]
    vectors: dict[str, Sequence[Symbol]] = {
        "q": configuration_symbols(statement),
        "b": [*step.end, *before],
        "u": step.increment,
        "v": [s for n in statement.nodes for s in n.velocity.components],
        "w": factors,
        "p": parameter_symbols(model),
        "e": parameters[1],
    }
    references = {s: f"{label}[{k}]" for label, symbols in reversed(vectors.items()) for k, s in enumerate(symbols)}
    references |= {statement.time: "t", step.step_size: "h"}
    parts = [[getattr(node, part) for node in step.nodes] for part in ("start", "end", "increment", "velocity")]
    weighted = list(zip(program.vector(term), factors, strict=True))
    states = [value for part in parts for value in part]
    found = weighted_gradient(statement.with_program(program), model.inputs, weighted, states, parameters)
    count = len(step.nodes)
    by_part = (tuple(c for vector in found[k * count : (k + 1) * count] for c in vector) for k in range(len(parts)))
    by_value = (*by_part, *found[len(states) :])
    arguments = [
        *(Argument(x, len(vectors[x]) if x in vectors else None) for x in KERNELS[name].arguments),
        *(Argument(x, len(vectors[x])) for x in "wpe"),
    ]
    return gradient_kernel(statement.name, name, weights, program, by_value, arguments, references)
