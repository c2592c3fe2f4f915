"""C code of coefficient functions and kernels."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from symlie.contract.kernels import REAL
from symlie.emit.printing import Printer, print_closed_form, print_statements
from symlie.ir.directions import VECTOR
from symlie.ir.kernels import Kernel
from symlie.ir.schemes import POLES, Piece, Scheme
from symlie.ir.series import is_series, tail_of
from symlie.utilities.templating import render

ROW = "symlie_row"
"""Type of SIMD vectors: numbers of several nodes or elements, one in each lane."""

FUSED = {REAL: "FUSED", ROW: "FUSED_ROWS"}
"""Functions that multiply and add by number type, with a single rounding on processors with fused operations."""

PRIMITIVES = {"maximum", "minimum", "sign", "select"}
"""Functions of ``primitives.h`` with the same names in NumPy or the NumPy primitives."""


class CPrinter(Printer):
    """Operators and constants of C.

    The type `real` is the type of the interface, with double constants, or ``double`` or ``float``. Names of
    coefficient functions, listed in `functions` (default: all called functions), start with the prefix `coefficients`,
    other functions with `primitives`. Products and sums are fused by the function `fuses` of ``jet_rows.h``, if any.
    """

    def __init__(
        self,
        real: str = REAL,
        coefficients: str = "symlie_",
        primitives: str = "symlie_",
        functions: Collection[str] | None = None,
        fuses: str = "",
    ) -> None:
        self.real, self.coefficients, self.primitives, self.functions = real, coefficients, primitives, functions
        self.fuses = fuses

    def literal(self, value: float) -> str:
        return f"{np.float32(value)!s}f" if self.real == "float" else super().literal(value)

    def function(self, name: str, operands: Sequence[str]) -> str:
        """Return a call of the mathematical library or of ``primitives.h``."""
        if name in PRIMITIVES:
            return f"{self.primitives}{name}({', '.join(operands)})"
        return f"{'fabs' if name == 'abs' else name}{'f' if self.real == 'float' else ''}({', '.join(operands)})"

    def fused(self, operator: str, operands: Sequence[str], factors: Sequence[tuple[str, str] | None]) -> str | None:
        if not self.fuses:
            return None
        minus = "-" if operator == "sub" else ""
        if factors[1]:
            return f"{self.fuses}({minus}{factors[1][0]}, {factors[1][1]}, {operands[0]})"
        if factors[0]:
            return f"{self.fuses}({factors[0][0]}, {factors[0][1]}, {minus}{operands[1]})"
        return None

    def call(self, name: str, operands: Sequence[str]) -> str:
        is_coefficient = self.functions is None or name in self.functions
        return f"{self.coefficients if is_coefficient else self.primitives}{name}({', '.join(operands)})"

    def table(self, name: str, position: str, abscissa: str, value: str, count: int) -> str:
        """Return a table lookup by addresses."""
        return f"{self.primitives}{name}({position}, &{abscissa}, &{value}, {count})"

    def input(self, name: str, position: str, slot: str, component: int, derivative: int) -> str:
        """Return a lookup in a run-time table by the address of its slot."""
        return f"{self.primitives}{name}({position}, &{slot}, {component}, {derivative})"

    def chosen_input(self, name: str, position: str, slot: str, component: str, derivative: int) -> str:
        """Return a lookup in a run-time table at an index of the parameters."""
        at = f"&p[SYMLIE_INDEX({slot})], (int)SYMLIE_INDEX({component})"
        return f"{self.primitives}{name}({position}, {at}, {derivative})"


def horner(coefficients: Sequence[float], variable: str, printer: CPrinter) -> str:
    """Return a polynomial in Horner form."""
    text = printer.constant(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        text = f"({text} * {variable} + {printer.constant(coefficient)})"
    return text


def _printed_piece(piece: Piece, printer: CPrinter, shifted_before: int) -> dict[str, object]:
    """Return one interval of a scheme as text: its polynomial in z, z - shift or z/4, numbered after the first
    interval.
    """
    variable = f"x{shifted_before + 1}" if shifted_before else "x"
    powers = {1: variable if piece.doubles_angle or piece.shift else "z", 2: "zz", 4: "z4"}
    parts = [horner(part, powers[piece.chains], printer) for part in piece.parts]
    forms = {1: "{}", 2: "({} * z + {})", 4: "(({} * z + {}) * zz + ({} * z + {}))"}
    return {
        "upper": printer.constant(piece.upper),
        "chains": piece.chains,
        "variable": variable,
        "shift": printer.constant(piece.shift) if piece.shift else "",
        "quarter": printer.constant(0.25) if piece.doubles_angle else "",
        "constant": printer.constant(piece.constant) if piece.constant is not None else "",
        "pole_order": piece.pole_order,
        "polynomial": forms[piece.chains].format(*parts),
    }


def coefficient_function(scheme: Scheme, printer: CPrinter | None = None) -> dict[str, object]:
    """Return a coefficient function as text: its polynomials and its closed form, if any, in the scheme's precision."""
    printer = printer or CPrinter(scheme.precision)
    statements, result = print_closed_form(scheme, printer)
    return {
        "name": scheme.function,
        "definition": _definition(scheme.base_name),
        "upper": printer.constant(scheme.upper),
        "pieces": [
            _printed_piece(piece, printer, sum(p.shift != 0 for p in scheme.pieces[:k]))
            for k, piece in enumerate(scheme.pieces)
        ],
        "pole": [printer.constant(p) for p in POLES[scheme.precision]],
        "one": printer.constant(1.0),
        "two": printer.constant(2.0),
        "statements": statements,
        "result": result,
    }


def _definition(base_name: str) -> str:
    """Return the definition of a user-defined series, as `symlie.certify` reads it from sources; empty for built-in
    ones."""
    if not is_series(base_name):
        return ""
    text = json.dumps({"name": base_name, **tail_of(base_name).to_json()})
    return "\n".join(textwrap.wrap(text, 116, break_long_words=False, break_on_hyphens=False))


def coefficient_source(scheme: Scheme, prefix: str = "symlie_", *, is_copy: bool = False) -> str:
    """Return the C source of a coefficient function as in model headers, or of its copy without a branch, in the
    precision of the scheme."""
    return render(
        "c/kernels/coefficient_source.jinja",
        f=coefficient_function(scheme),
        prefix=prefix,
        real=scheme.precision,
        is_copy=is_copy,
    )


@dataclass(frozen=True)
class PrintedKernel:
    """A kernel as text."""

    description: str
    prototype: str
    real: str
    unused: tuple[str, ...]
    statements: list[tuple[str, str]]
    stores: list[tuple[str, str]]
    operations: int
    directions: int = field(default=0, kw_only=True)
    """Iterations of a loop over the statements of `repeated` and all stores, or zero."""
    repeated: list[tuple[str, str]] = field(default_factory=list, kw_only=True)


def print_kernel(kernel: Kernel, printer: CPrinter | None = None, *, stores_early: bool = False) -> PrintedKernel:
    """Print one kernel; results are stored after all statements or, with `stores_early`, as soon as
    they are computed."""
    printer = printer or CPrinter()
    statements, results = print_statements(kernel.body, printer, kernel.repeated)
    targets = [f"{argument.name}[{k}]" for argument, operands in kernel.outputs for k in range(len(operands))]
    repeated: list[tuple[str, str]] = []
    if n := kernel.directions:
        statements, results, repeated = _in_passes(statements, results, n)
        rows = [(argument.name, k * n) for argument, operands in kernel.outputs for k in range(len(operands))]
        targets = [f"{name}[{begin} + k]" for name, begin in rows]
    if each := {REAL: "SYMLIE_NUMBER", ROW: "EACH"}.get(printer.real):
        statements = [(name, _of_lanes(text, each)) for name, text in statements]
        results = [_of_lanes(text, each) for text in results]
        repeated = [(name, _of_lanes(text, each)) for name, text in repeated]
    stores = list(zip(targets, results, strict=True))
    text = " ".join(e for _, e in (*statements, *repeated, *stores))
    used = {name for name in (a.name for a in kernel.signature.arguments) if _mentions(text, name)}
    unused = tuple(a.name for a in kernel.signature.arguments if (a.size == 0 if a.is_output else a.name not in used))
    if stores_early and not kernel.directions:
        statements, stores = _stored_early(statements, stores), []
    return PrintedKernel(
        kernel.description,
        kernel.signature.prototype(printer.real),
        printer.real,
        unused,
        statements,
        stores,
        kernel.body.operation_count,
        directions=kernel.directions,
        repeated=repeated,
    )


def _in_passes(
    statements: list[tuple[str, str]], results: list[str], n: int
) -> tuple[list[tuple[str, str]], list[str], list[tuple[str, str]]]:
    """Split statements into those before a loop over unit vectors, results, and those that depend on the vector."""

    def entry(match: re.Match[str]) -> str:
        return f"unit[{n - 1 - int(match[1])} + k]"

    before, repeated, seeing = [], [], {VECTOR}
    for name, text in statements:
        if seeing.isdisjoint(re.findall(r"\w+", text)):
            before.append((name, text))
        else:
            seeing.add(name)
            repeated.append((name, _ALONG.sub(entry, text)))
    return before, [_ALONG.sub(entry, text) for text in results], repeated


_ALONG = re.compile(rf"\b{VECTOR}\[(\d+)\]")


def _of_lanes(text: str, each: str) -> str:
    """Broadcast a plain number to all lanes; an expression with a variable already has vector type."""
    return text if re.search(r"(?<![\w.])[A-Za-z_]\w*(?![\w(])", text) else f"{each}({text})"


def _stored_early(statements: list[tuple[str, str]], stores: list[tuple[str, str]]) -> list[tuple[str, str]]:
    defined = {name: k + 1 for k, (name, _) in enumerate(statements)}
    places = [max((defined.get(word, 0) for word in re.findall(r"\w+", text)), default=0) for _, text in stores]
    numbered = [*enumerate(statements, start=1), *zip(places, stores, strict=True)]
    return [line for _, line in sorted(numbered, key=lambda pair: pair[0])]


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9_.]){re.escape(name)}(?![A-Za-z0-9_(.])", text) is not None
