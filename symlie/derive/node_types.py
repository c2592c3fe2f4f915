"""Kernels of a node type: all that an integrator needs to know of a configuration space."""

from __future__ import annotations

import functools

from sympy import Symbol

from symlie.groups import operators
from symlie.groups.group import Field, LieGroup
from symlie.groups.operations import Compose, Exponential, Inverse, Logarithm
from symlie.ir.kernels import FieldLayout, Kernel, NodeTypeKernels
from symlie.ir.program import Euclidean, Program, Value, Vector
from symlie.ir.signature import Argument, Signature
from symlie.ir.straightline import flatten


def array_symbols(name: str, count: int) -> tuple[Vector, dict[Symbol, str]]:
    """Symbols of an array argument and the text that refers to each."""
    symbols = tuple(Symbol(f"{name}{i}", real=True) for i in range(count))
    return symbols, {s: f"{name}[{i}]" for i, s in enumerate(symbols)}


def field_layouts(fields: tuple[Field, ...]) -> tuple[FieldLayout, ...]:
    """Layout of named fields."""
    return tuple(FieldLayout(f.name, f.offset, f.shape) for f in fields)


@functools.cache
def node_type_kernels(group: LieGroup) -> NodeTypeKernels:
    """Derive the kernels of the node type of a group under right multiplication q∘exp(u).

    ``advance`` q∘exp(u); ``rate`` T⁻¹(u) w; ``transport`` T(u) w; ``difference`` log(a⁻¹∘b); ``bracket`` [u, w];
    ``normalize``; ``chart`` the largest squared rotation angle of u, or what takes its place (`operators.chart`), which
    must stay below (2π)².
    """
    n, m = group.dimension, group.storage_dimension
    q, q_text = array_symbols("q", m)
    other, other_text = array_symbols("b", m)
    u, u_text = array_symbols("u", n)
    w, w_text = array_symbols("w", n)

    def kernel(
        name: str,
        inputs: list[tuple[str, int, dict[Symbol, str]]],
        program: Program,
        outputs: Vector,
        description: str,
    ) -> Kernel:
        references = {s: t for _, _, texts in inputs for s, t in texts.items()}
        arguments = [Argument(label, size) for label, size, _ in inputs]
        signature = Signature(f"{group.name}_{name}", (*arguments, Argument("out", len(outputs), True)))
        return Kernel(signature, flatten(program, outputs, references), description)

    at_q, at_u, at_w = ("q", m, q_text), ("u", n, u_text), ("w", n, w_text)
    kernels = []

    program = Program()
    step = program.apply(Exponential(group), Value(u, Euclidean(n)))
    moved = program.apply(Compose(group), Value(q, group), step)
    kernels.append(kernel("advance", [at_q, at_u], program, moved.components, "q∘exp(u)."))

    program = Program()
    rate = operators.tangent_operator(program, group, u, w, inverse=True)
    kernels.append(kernel("rate", [at_u, at_w], program, rate, "T⁻¹(u) w, the rate of local coordinates."))

    program = Program()
    transport = operators.tangent_operator(program, group, u, w)
    kernels.append(kernel("transport", [at_u, at_w], program, transport, "T(u) w."))

    program = Program()
    bracket = operators.ad(program, group, u, w)
    kernels.append(kernel("bracket", [at_u, at_w], program, bracket, "[u, w]."))

    program = Program()
    backward = program.apply(Inverse(group), Value(q, group))
    between = program.apply(Compose(group), backward, Value(other, group))
    logarithm = program.apply(Logarithm(group), between)
    kernels.append(kernel("difference", [at_q, ("b", m, other_text)], program, logarithm.components, "log(q⁻¹∘b)."))

    kernels.append(kernel("normalize", [at_q], Program(), tuple(group.normalize(q)), "One step back to the group."))
    program = Program()
    kernels.append(kernel("chart", [at_u], program, (operators.chart(program, group, u),), "Largest ω² of u."))
    return NodeTypeKernels(
        name=group.name,
        storage=m,
        dimension=n,
        identity=tuple(float(c) for c in group.identity),
        storage_fields=field_layouts(group.storage_fields),
        velocity_fields=field_layouts(group.velocity_fields),
        kernels=tuple(kernels),
    )
