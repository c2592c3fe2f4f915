"""Derived terms become kernels: one set per node type and per element type, none per node or element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sympy import Expr, Symbol

from symlie.derive.elimination import LARGEST_DERIVED, derive_elimination
from symlie.derive.equations import DerivedStatement, Equations
from symlie.derive.node_types import node_type_kernels
from symlie.ir.hoisting import ParameterHoisting
from symlie.ir.kernels import (
    ConstraintRows,
    ElementTypeKernels,
    InitialMask,
    Kernel,
    ModelKernels,
    NodeLayout,
    OutputComponents,
    ParameterLayout,
    SparsePattern,
)
from symlie.ir.program import Program
from symlie.ir.signature import Argument, Signature
from symlie.ir.straightline import flatten
from symlie.modeling.model import Model
from symlie.modeling.node import Node


def model_kernels(equations: Equations) -> ModelKernels:
    """All kernels of a model."""
    model = equations.model
    node_types = tuple(dict.fromkeys(node_type_kernels(n.group) for n in model.nodes))
    nodes = nodes_by_type(model)
    hoisting = ParameterHoisting(sum(len(p.default) for p in model.parameters))
    elements = tuple(_element_kernels(model, nodes, d, hoisting) for d in equations.derived)
    elements = tuple(_with_parameter_count(e, hoisting.size) for e in elements)
    dimension = sum(n.group.dimension for n in model.nodes)
    rows = sum(e.rows * len(e.instances) for e in elements)
    linear_algebra: tuple[Kernel, ...] = ()
    factor_size, diagonal = 0, False
    if max(dimension, rows) <= LARGEST_DERIVED:
        mass, jacobian = assembled_patterns(nodes, elements)
        elimination = derive_elimination(mass, jacobian, dimension, rows)
        linear_algebra, factor_size = elimination.kernels, elimination.factor_size
        diagonal = elimination.mass_is_diagonal
    return ModelKernels(
        name=model.name,
        node_types=node_types,
        nodes=tuple(NodeLayout(n.name, n.group.name) for n in nodes),
        element_types=elements,
        parameters=tuple(ParameterLayout(p.name, p.shape, p.default, p.unit) for p in model.parameters),
        prepare=_prepare_kernel(model, hoisting),
        initial=_initial_kernel(model, nodes),
        initial_masks=_initial_masks(model, nodes),
        linear_algebra=linear_algebra,
        mass_is_diagonal=diagonal,
        factor_size=factor_size,
    )


def nodes_by_type(model: Model) -> list[Node]:
    """The nodes grouped by type, in the order of the state vectors."""
    order = list(dict.fromkeys(n.group.name for n in model.nodes))
    return sorted(model.nodes, key=lambda n: order.index(n.group.name))


def _pattern(entries: Sequence[tuple[int, int, Expr]]) -> SparsePattern:
    return SparsePattern(
        tuple(i for i, _, _ in entries),
        tuple(j for _, j, _ in entries),
        tuple(float(e) if e.is_Number else None for _, _, e in entries),
    )


def _with_parameter_count(element: ElementTypeKernels, size: int) -> ElementTypeKernels:
    """The element with the final length of the extended parameter vector in its signatures."""
    kernels = []
    for kernel in element.kernels:
        arguments = tuple(replace(a, size=size) if a.name == "p" else a for a in kernel.signature.arguments)
        kernels.append(replace(kernel, signature=replace(kernel.signature, arguments=arguments)))
    return replace(element, kernels=tuple(kernels))


def _prepare_kernel(model: Model, hoisting: ParameterHoisting) -> Kernel:
    arguments = (Argument("p", hoisting.count), Argument("out", hoisting.size, True))
    signature = Signature(f"{model.name}_prepare", arguments)
    return Kernel(signature, hoisting.prepare(), "Parameters, followed by the constants that depend on them alone.")


def _element_kernels(
    model: Model, nodes: Sequence[Node], derived: DerivedStatement, hoisting: ParameterHoisting
) -> ElementTypeKernels:
    statement, dynamics, constraints = derived.statement, derived.dynamics, derived.constraints
    references = _references(model, derived)
    storage = sum(n.group.storage_dimension for n in statement.nodes)
    dimension = sum(n.group.dimension for n in statement.nodes)
    inputs = {
        "t": Argument("t", None),
        "q": Argument("q", storage),
        "v": Argument("v", dimension),
        "p": Argument("p", hoisting.count),
    }

    def kernel(name: str, arguments: str, outputs: Sequence[tuple[str, Sequence[Expr]]], description: str) -> Kernel:
        expressions = [e for _, part in outputs for e in part]
        results = [Argument(label, len(part), True) for label, part in outputs if part]
        signature = Signature(f"{statement.name}_{name}", (*(inputs[a] for a in arguments), *results))
        body = hoisting.apply(flatten(statement.program, expressions, references))
        return Kernel(signature, body, description)

    mass = [(i, j, dynamics.mass[i][j]) for i in range(dimension) for j in range(i + 1) if dynamics.mass[i][j] != 0]
    jacobian = [
        (i, j, entry) for i, row in enumerate(constraints.jacobian) for j, entry in enumerate(row) if entry != 0
    ]
    has_rate = any(b != 0 for b in constraints.rate)
    outputs = [(o.name, o.components) for o in statement.outputs]
    kernels = [
        kernel("mass", "tqp", [("M", [e for _, _, e in mass])], "Lower triangle of M(q)."),
        kernel("force", "tqvp", [("g", dynamics.force)], "g(t, q, v) of M v' = -g - Bᵀ λ."),
        kernel("energy", "tqvp", [("E", [statement.kinetic, statement.potential])], "Kinetic and potential energy."),
    ]
    if outputs:
        kernels.append(kernel("outputs", "tqvp", [("out", [c for _, part in outputs for c in part])], "Named outputs."))
    if jacobian:
        kernels += [
            kernel("constraint", "tqp", [("Phi", constraints.position)], "Φ(t, q)."),
            kernel("jacobian", "tqp", [("B", [e for _, _, e in jacobian])], "Nonzeros of B(t, q)."),
            kernel("curvature", "tqvp", [("Z", constraints.curvature)], "Z of d²Φ/dt² = B v' + Z."),
        ]
        if has_rate:
            kernels.append(kernel("constraint_rate", "tqp", [("b", constraints.rate)], "b = ∂Φ/∂t."))
    return ElementTypeKernels(
        name=statement.name,
        node_types=tuple(n.group.name for n in statement.nodes),
        instances=(tuple(nodes.index(n) for n in statement.nodes),),
        mass=_pattern(mass),
        mass_is_constant=dynamics.mass_is_constant,
        jacobian=_pattern(jacobian),
        constraints=tuple(ConstraintRows(c.name, len(c.rows)) for c in statement.constraints),
        has_constraint_rate=has_rate,
        outputs=tuple(OutputComponents(o.name, len(o.components), o.unit) for o in statement.outputs),
        kernels=tuple(kernels),
    )


def _references(model: Model, derived: DerivedStatement) -> dict[Symbol, str]:
    statement = derived.statement
    references: dict[Symbol, str] = {statement.time: "t"}
    references |= _parameter_references(model)
    for label, values in (
        ("q", [n.value for n in statement.nodes]),
        ("v", [n.velocity for n in statement.nodes]),
    ):
        symbols = [s for value in values for s in value.components]
        references |= {s: f"{label}[{i}]" for i, s in enumerate(symbols)}
    return references


def _parameter_references(model: Model) -> dict[Symbol, str]:
    symbols = [s for p in model.parameters for s in p.symbols]
    return {s: f"p[{i}]" for i, s in enumerate(symbols)}


def _initial_kernel(model: Model, nodes: Sequence[Node]) -> Kernel:
    configuration: list[Expr] = []
    velocity: list[Expr] = []
    for node in nodes:
        storage, rate = list(node.group.identity), [node.v[0] * 0] * node.group.dimension
        for value in model.initial_values:
            if value.node == node.name:
                target = rate if value.is_velocity else storage
                target[value.field.offset : value.field.offset + value.field.size] = value.components
        configuration += storage
        velocity += rate
    signature = Signature(
        f"{model.name}_initial",
        (
            Argument("p", sum(len(p.default) for p in model.parameters)),
            Argument("q", len(configuration), True),
            Argument("v", len(velocity), True),
        ),
    )
    body = flatten(Program(), [*configuration, *velocity], _parameter_references(model))
    return Kernel(signature, body, "Initial values as stated; components that were not given are completed at load.")


def _initial_masks(model: Model, nodes: Sequence[Node]) -> tuple[InitialMask, ...]:
    masks = []
    for node in nodes:
        storage = [False] * node.group.storage_dimension
        velocity = [False] * node.group.dimension
        for value in model.initial_values:
            if value.node == node.name:
                mask = velocity if value.is_velocity else storage
                mask[value.field.offset : value.field.offset + value.field.size] = [True] * value.field.size
        masks.append(InitialMask(node.name, tuple(storage), tuple(velocity)))
    return tuple(masks)


def assembled_patterns(
    nodes: Sequence[Node], elements: Sequence[ElementTypeKernels]
) -> tuple[SparsePattern, SparsePattern]:
    """Patterns of the assembled M (lower triangle) and B: the values of all instances, one after the other."""
    offsets = [0]
    for node in nodes:
        offsets.append(offsets[-1] + node.group.dimension)
    mass: list[tuple[int, int, float | None]] = []
    jacobian: list[tuple[int, int, float | None]] = []
    row = 0
    for element in elements:
        for instance in element.instances:
            columns = [k for n in instance for k in range(offsets[n], offsets[n + 1])]
            for i, j, c in zip(element.mass.rows, element.mass.columns, element.mass.constants, strict=True):
                mass.append((max(columns[i], columns[j]), min(columns[i], columns[j]), c))
            pattern = element.jacobian
            for i, j, c in zip(pattern.rows, pattern.columns, pattern.constants, strict=True):
                jacobian.append((row + i, columns[j], c))
            row += element.rows
    return _joined(mass), _joined(jacobian)


def _joined(entries: Sequence[tuple[int, int, float | None]]) -> SparsePattern:
    return SparsePattern(tuple(e[0] for e in entries), tuple(e[1] for e in entries), tuple(e[2] for e in entries))
