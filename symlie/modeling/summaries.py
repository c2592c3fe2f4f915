"""Printed representations of models, element types, rotations and group elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import sympy
from sympy import Symbol

from symlie.groups.group import LieGroup
from symlie.groups.operations import Compose, Exponential, Inverse
from symlie.ir.program import Program, Vector
from symlie.utilities.showing import listed, table

if TYPE_CHECKING:
    from symlie.modeling.declarations import Stated
    from symlie.modeling.element_type import ElementInstances
    from symlie.modeling.node_array import NodeArray


def statement_parts(
    statement: Stated, arrays: Sequence[NodeArray] = (), instances: Sequence[ElementInstances] = ()
) -> list[str]:
    """Return nodes, instances of element types, parameters and constraints of a statement, as parts of one line."""
    nodes = [f"{n.name} on {n.group}" for n in statement.nodes] + [f"{a.name}[{a.count}] on {a.group}" for a in arrays]
    elements = [f"{len(i.nodes)} {i.element.name}" for i in instances]
    return [
        listed(nodes, "nodes"),
        *([listed(elements, "elements")] if elements else []),
        listed([p.name for p in statement.parameters], "parameters"),
        listed([c.name for c in statement.constraints], "constraints"),
    ]


def statement_html(
    statement: Stated, arrays: Sequence[NodeArray] = (), instances: Sequence[ElementInstances] = ()
) -> str:
    """Return nodes, elements, parameters, constraints and outputs of a statement as HTML tables."""
    nodes = [(n.name, n.group, 1) for n in statement.nodes] + [(a.name, a.group, a.count) for a in arrays]
    parameters = [(p.name, " ".join(f"{c:.6g}" for c in p.default[:9]), p.unit) for p in statement.parameters]
    outputs = [(o.name, len(o.components), o.unit) for o in statement.outputs]
    return (
        table(statement.name, nodes, ("node", "on", "count"))
        + table("elements", [(i.element.name, len(i.nodes)) for i in instances], ("element", "instances"))
        + table("parameters", parameters, ("name", "default", "unit"))
        + table("constraints", [(c.name, len(c.rows)) for c in statement.constraints], ("name", "rows"))
        + table("outputs", outputs, ("name", "components", "unit"))
    )


def element_text(program: Program, components: Vector, *, latex: bool = False) -> str:
    """Return a group element in mathematical notation: ``a⁻¹ ∘ b``."""
    known = {v.components: name.removesuffix(".q") for name, v in program.inputs.items()}
    if components in known:
        name = known[components]
        return f"q_{{\\mathrm{{{escaped(name)}}}}}" if latex else name
    definition = program.definition(components)
    if definition is None:
        return "q"
    parts = [element_text(program, a.components, latex=latex) for a in definition.arguments]
    operation = definition.operation
    if isinstance(operation, Compose):
        return f"{parts[0]} \\circ {parts[1]}" if latex else f"{parts[0]} ∘ {parts[1]}"
    if isinstance(operation, Inverse):
        inner = f"({parts[0]})" if " " in parts[0] else parts[0]
        return f"{inner}^{{-1}}" if latex else f"{inner}⁻¹"
    if isinstance(operation, Exponential):
        return "\\exp(\\theta)" if latex else "exp(θ)"
    return "q"


def rotation_latex(program: Program, group: LieGroup, storage: Vector, transposed: bool, matrix: sympy.Matrix) -> str:
    """Return a rotation matrix as its name and its entries in LaTeX, in the letters of the stored fields."""
    letters = {}
    for field in group.storage_fields:
        for k, symbol in enumerate(storage[field.offset : field.offset + field.size]):
            index = "".join(str(int(i) + 1) for i in divmod(k, field.shape[1])) if len(field.shape) == 2 else str(k)
            if isinstance(symbol, Symbol):
                letters[symbol] = f"{_LETTERS.get(field.name, field.name)}_{{{index}}}"
    upper = "^{\\mathsf{T}}" if transposed else ""
    entries = sympy.latex(sympy.Matrix(matrix), symbol_names=letters)
    return f"$\\displaystyle R{upper}({element_text(program, storage, latex=True)}) = {entries}$"


_LETTERS = {"psi": "\\psi"}
"""LaTeX letters of fields whose names differ from them."""


def escaped(name: str) -> str:
    """Return a name with escaped underscores for LaTeX."""
    return name.replace("_", "\\_")
