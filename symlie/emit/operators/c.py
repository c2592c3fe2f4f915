"""Standalone operators in C99: header, source and self-test."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symlie.contract.kernels import LANE, REAL, SCALAR
from symlie.contract.signature import Signature
from symlie.emit.c.printing import CPrinter, PrintedKernel, coefficient_function
from symlie.emit.operators.loops import BY_PRECISION, LOOPED_MATRICES, largest, looped_factors, with_operations
from symlie.emit.printing import loaded_components, print_statements
from symlie.ir import matrix_loops
from symlie.ir.group_operators import GroupOperators, Operator
from symlie.ir.kernels import Kernel
from symlie.utilities.paths import template_folder
from symlie.utilities.templating import render


@dataclass(frozen=True)
class PrintedOperator(PrintedKernel):
    """A kernel as text; inputs are read before outputs are written, so both may be the same array."""

    loads: list[tuple[str, str]]
    """Names and addresses of the input components used."""


def c_files(operators: GroupOperators, prefix: str, values: Mapping[str, object]) -> dict[str, str]:
    """Return header, source and self-test; `values` are template values common to all targets."""
    real = operators.real
    printer = CPrinter(real, coefficients=f"{prefix}_", primitives=f"{prefix}_")
    numbers = {name: printer.constant(value[real]) for name, value in BY_PRECISION.items()}
    view = {
        **values,
        "operators": [_declared(o, prefix, real, count) for o, count in with_operations(operators)],
        "kernels": _kernels(operators, prefix, printer),
        "factors": looped_factors(operators),
        "looped_matrices": LOOPED_MATRICES,
        "places_blocks": len(operators.factors) > 1,
        "largest": largest(operators),
        "loops": matrix_loops,
        "numbers": numbers,
        "fabs": "fabsf" if real == "float" else "fabs",
        "storage_rate": _printed(operators.storage_rate, "storage_rate", printer),
        "functions": [coefficient_function(s, printer) for s in operators.schemes],
        "primitives": primitives(operators.kernels, prefix, real),
        "rate_primitives": primitives([operators.storage_rate], prefix, real),
    }
    return {
        f"{prefix}.h": render("operators/operators.h.jinja", **view),
        f"{prefix}.c": render("operators/operators.c.jinja", **view),
        f"{prefix}_selftest.c": render("operators/selftest.c.jinja", **view),
    }


def _declared(operator: Operator, prefix: str, real: str, operations: int | None) -> dict[str, object]:
    """Return a public function as text."""
    (output,) = (a for a in operator.signature.arguments if a.is_output)
    return {
        "name": operator.signature.name,
        "prototype": _prototype(f"{prefix}_{operator.signature.name}", operator.signature, real),
        "inputs": [(a.name, "stored" if a.name == "q" else "begin") for a in operator.signature.arguments[:-1]],
        "output": output.name,
        "size": output.size,
        "part": {"q": "stored", "theta": "begin"}.get(output.name, ""),
        "description": operator.description,
        "operations": operations,
    }


def _kernels(operators: GroupOperators, prefix: str, printer: CPrinter) -> list[PrintedOperator]:
    """Return the operators if all have closed forms, else static functions for each factor."""
    if not operators.has_series:
        return [_printed(k, f"{prefix}_{k.signature.name}", printer) for k in operators.kernels]
    return [
        _printed(k, f"{prefix}_{i}_{k.signature.name}", printer, is_static=True)
        for i, factor in enumerate(operators.factors)
        for k in factor.kernels
    ]


def primitives(kernels: Sequence[Kernel], prefix: str, real: str) -> list[str]:
    """Return the sources of the functions of ``primitives.h`` that kernels use, in closed form valid
    for all arguments."""
    text = (template_folder() / "c" / "kernels" / "primitives.h").read_text(encoding="utf-8")
    operators = {i.operator.removeprefix("call ") for k in kernels for i in k.body.instructions}
    found = []
    heading, body = r"(symlie_(?:real|scalar|lane) symlie_(\w+)\([^)]*\)", r"(?: \{.*\}\n|\n\{\n(?:.*\n)*?\}\n))"
    for match in re.finditer(rf"(?:static inline|SYMLIE_COLD) {heading}{body}", text):
        name = match[2].removesuffix("_beyond")
        if name in operators and (name != match[2] or f"symlie_{name}_beyond(" not in text):
            source = f"static inline {match[1].rstrip()}".replace(f"{name}_beyond(", f"{name}(")
            source = (
                source.replace(REAL, real).replace(SCALAR, real).replace(LANE, real).replace("symlie_", f"{prefix}_")
            )
            if real == "float":
                source = re.sub(r"\b(sqrt|atan2?|fabs)\(", r"\1f(", source)
            found.append(source)
    return found


def _prototype(name: str, signature: Signature, real: str) -> str:
    inputs = [f"const {real} {a.name}[{a.size}]" for a in signature.arguments if not a.is_output]
    outputs = [f"{real} {a.name}[{a.size}]" for a in signature.arguments if a.is_output]
    return f"void {name}({', '.join([*inputs, *outputs])})"


def _printed(kernel: Kernel, name: str, printer: CPrinter, *, is_static: bool = False) -> PrintedOperator:
    real = printer.real
    statements, results = print_statements(kernel.body, printer)
    inputs = [a for a in kernel.signature.arguments if not a.is_output]
    loads = loaded_components(inputs, [*(e for _, e in statements), *results])
    loaded = {place.split("[")[0] for _, place in loads}
    (output,) = (a for a in kernel.signature.arguments if a.is_output)
    return PrintedOperator(
        kernel.description,
        f"{'static ' if is_static else ''}{_prototype(name, kernel.signature, real)}",
        real,
        tuple(a.name for a in inputs if a.name not in loaded),
        statements,
        [(f"{output.name}[{k}]", result) for k, result in enumerate(results)],
        kernel.body.operation_count,
        loads,
    )
