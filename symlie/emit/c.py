"""Kernels as C: coefficient functions, kernels, and the loops that assemble them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy

from symlie.emit.environment import render
from symlie.emit.printing import INFIX, print_statements
from symlie.ir.kernels import ElementTypeKernels, Kernel, ModelKernels
from symlie.ir.program import Program
from symlie.ir.schemes import POLE_HIGH, POLE_LOW, Scheme, closed_form
from symlie.ir.straightline import flatten

LARGEST_UNROLLED = 800
"""Operations of one stage up to which a time loop unrolls its stages; beyond, compile time would grow without gain."""

FUNCTIONS = {"abs": "fabs", "maximum": "fmax", "minimum": "fmin", "sign": "symlie_sign"}


class CPrinter:
    """Operators and constants of C."""

    def constant(self, value: float) -> str:
        """A decimal constant that reads back exactly."""
        text = repr(value)
        return f"({text})" if value < 0 else text

    def operation(self, operator: str, operands: Sequence[str]) -> str:
        """An operator or a function call."""
        if operator in INFIX:
            return f"({operands[0]} {INFIX[operator]} {operands[1]})"
        if operator == "neg":
            return f"(-{operands[0]})"
        if operator.startswith("call "):
            return f"symlie_{operator[5:]}({', '.join(operands)})"
        return f"{FUNCTIONS.get(operator, operator)}({', '.join(operands)})"


def horner(coefficients: Sequence[float], variable: str, printer: CPrinter) -> str:
    """A polynomial in Horner form."""
    text = printer.constant(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        text = f"({text} * {variable} + {printer.constant(coefficient)})"
    return text


def polynomial(scheme: Scheme, printer: CPrinter) -> str:
    """The polynomial of a scheme in z, and in zz = z² if it is split."""
    if not scheme.is_split:
        return horner(scheme.coefficients, "z", printer)
    odd, even = horner(scheme.coefficients[1::2], "zz", printer), horner(scheme.coefficients[::2], "zz", printer)
    return f"({odd} * z + {even})"


def coefficient_function(scheme: Scheme) -> dict[str, object]:
    """A coefficient function as text: its polynomial and the closed form beyond."""
    printer = CPrinter()
    z = sympy.Symbol("z", nonnegative=True)
    body = flatten(Program(), [closed_form(scheme.base_name, z)], {z: "z"})
    statements, (result,) = print_statements(body, printer)
    return {
        "name": scheme.function,
        "upper": printer.constant(scheme.upper),
        "is_split": scheme.is_split,
        "polynomial": polynomial(scheme, printer),
        "pole_order": scheme.pole_order,
        "statements": statements,
        "result": result,
    }


@dataclass(frozen=True)
class PrintedKernel:
    """A kernel as text."""

    description: str
    prototype: str
    unused: tuple[str, ...]
    statements: list[tuple[str, str]]
    stores: list[tuple[str, str]]
    operations: int


def print_kernel(kernel: Kernel) -> PrintedKernel:
    """Print one kernel."""
    printer = CPrinter()
    statements, results = print_statements(kernel.body, printer)
    stores = []
    position = 0
    for argument, operands in kernel.outputs:
        for k in range(len(operands)):
            stores.append((f"{argument.name}[{k}]", results[position]))
            position += 1
    text = " ".join(e for _, e in (*statements, *stores))
    used = {name for name in (a.name for a in kernel.signature.arguments) if _mentions(text, name)}
    unused = tuple(a.name for a in kernel.signature.arguments if not a.is_output and a.name not in used)
    return PrintedKernel(
        kernel.description, kernel.signature.prototype(), unused, statements, stores, kernel.body.operation_count
    )


def _mentions(text: str, name: str) -> bool:
    import re

    return re.search(rf"(?<![A-Za-z0-9_.]){re.escape(name)}(?![A-Za-z0-9_(.])", text) is not None


def _element_view(model: ModelKernels, element: ElementTypeKernels) -> dict[str, object]:
    storage_offsets, velocity_offsets = [0], [0]
    for node in model.nodes:
        node_type = model.node_type(node.type)
        storage_offsets.append(storage_offsets[-1] + node_type.storage)
        velocity_offsets.append(velocity_offsets[-1] + node_type.dimension)
    local = []
    storage = dimension = 0
    for name in element.node_types:
        node_type = model.node_type(name)
        local.append({"storage": node_type.storage, "dimension": node_type.dimension,
                      "storage_offset": storage, "velocity_offset": dimension})  # fmt: skip
        storage += node_type.storage
        dimension += node_type.dimension
    names = {k.signature.name.removeprefix(f"{element.name}_") for k in element.kernels}
    return {
        "name": element.name,
        "count": len(element.instances),
        "local": local,
        "storage": storage,
        "dimension": dimension,
        "rows": element.rows,
        "mass_values": element.mass.count,
        "jacobian_values": element.jacobian.count,
        "outputs": sum(o.size for o in element.outputs),
        "kernels": names,
        "storage_of": [[storage_offsets[n] for n in instance] for instance in element.instances],
        "velocity_of": [[velocity_offsets[n] for n in instance] for instance in element.instances],
    }


def _node_groups(model: ModelKernels) -> list[dict[str, object]]:
    groups = []
    storage = dimension = 0
    for node_type in model.node_types:
        count = sum(n.type == node_type.name for n in model.nodes)
        groups.append({"name": node_type.name, "count": count, "storage": node_type.storage,
                       "dimension": node_type.dimension, "storage_offset": storage,
                       "velocity_offset": dimension})  # fmt: skip
        storage += count * node_type.storage
        dimension += count * node_type.dimension
    return groups


def _assembled_positions(model: ModelKernels, which: str) -> tuple[list[int], list[int]]:
    offsets = [0]
    for node in model.nodes:
        offsets.append(offsets[-1] + model.node_type(node.type).dimension)
    rows: list[int] = []
    columns: list[int] = []
    row = 0
    for element in model.element_types:
        pattern = element.mass if which == "mass" else element.jacobian
        for instance in element.instances:
            place = [k for n in instance for k in range(offsets[n], offsets[n + 1])]
            for i, j in zip(pattern.rows, pattern.columns, strict=True):
                rows.append(place[i] if which == "mass" else row + i)
                columns.append(place[j])
            row += element.rows
    return rows, columns


def stage_operations(model: ModelKernels) -> int:
    """Operations of one stage of a half-explicit method."""
    counts = {k.signature.name: k.body.operation_count for k in model.kernels}
    nodes = sum(counts[f"{n.type}_advance"] + counts[f"{n.type}_rate"] for n in model.nodes)
    elements = sum(
        len(e.instances) * (counts[f"{e.name}_force"] + counts.get(f"{e.name}_jacobian", 0)) for e in model.element_types
    )
    return nodes + elements + counts.get("solve_saddle", 0)


def emit_c(model: ModelKernels, interface_hash: str) -> dict[str, str]:
    """Source files of a model in C.

    Returns
    -------
    dict
        File name to text: ``NAME.h`` with all kernels as inline functions, ``NAME.c`` with the exported functions.
    """
    mass_rows, mass_columns = _assembled_positions(model, "mass")
    jacobian_rows, jacobian_columns = _assembled_positions(model, "jacobian")
    values = {
        "model": model,
        "hash": interface_hash,
        "functions": [coefficient_function(s) for s in model.schemes],
        "uses_logarithm": True,
        "pole_high": repr(POLE_HIGH),
        "pole_low": repr(POLE_LOW),
        "kernels": [print_kernel(k) for k in model.kernels],
        "nodes": _node_groups(model),
        "elements": [_element_view(model, e) for e in model.element_types],
        "mass_rows": mass_rows,
        "mass_columns": mass_columns,
        "jacobian_rows": jacobian_rows,
        "jacobian_columns": jacobian_columns,
        "mass_is_constant": all(e.mass_is_constant for e in model.element_types),
        "has_constraint_rate": any(e.has_constraint_rate for e in model.element_types),
        "output_count": sum(o.size for e in model.element_types for o in e.outputs),
        "unroll_stages": stage_operations(model) <= LARGEST_UNROLLED,
        "derived_elimination": bool(model.linear_algebra),
    }
    return {
        f"{model.name}.h": render("c/model.h.jinja", **values),
        f"{model.name}.c": render("c/model.c.jinja", **values),
    }
