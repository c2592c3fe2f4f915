"""Node kernels over blocks of nodes, in loops that C compilers vectorise.

A coefficient function is a branch and a long chain of operations that wait for each other. Its polynomial alone, for
several nodes at a time, is neither. A block in which an argument lies beyond its polynomial is done again node by node.

Where registers hold members side by side, coefficient functions of several nodes come first, in which all chains take
each step together, then the rest of each node.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from symlie.emit.c.printing import CPrinter, PrintedKernel, coefficient_function, print_kernel
from symlie.emit.printing import INFIX
from symlie.ir.kernels import Kernel, NodeTypeKernels
from symlie.ir.schemes import Scheme

BLOCKS = (16, 4)
"""Nodes of a block: two of the longest vectors, since shorter loops get shorter ones, and one vector for the rest."""

SIDE_BY_SIDE = 4
"""Nodes whose coefficient functions come first in lanes: as many as processors look ahead."""

VECTORISED = {*INFIX, "neg", "sqrt"}
"""Operators that compilers vectorise without a library."""


class PolynomialPrinter(CPrinter):
    """Calls the polynomials of coefficient functions, which note in ``beyond`` that an argument is not theirs."""

    def call(self, name: str, operands: Sequence[str]) -> str:
        """The polynomial of a coefficient function."""
        return super().call(f"{name}_polynomial", [*operands, "beyond"])


class ValuePrinter(CPrinter):
    """Reads values of coefficient functions, and collects the functions with their arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[str, str]] = []

    def call(self, name: str, operands: Sequence[str]) -> str:
        """A value by the place of its function, where those of all nodes lie side by side."""
        called = (name, operands[0])
        if called not in self.calls:
            self.calls.append(called)
        return f"value[{SIDE_BY_SIDE * self.calls.index(called)}]"


Statement = tuple[str, str]
"""What is written, and the expression for it."""


@dataclass(frozen=True)
class PartedKernel:
    """A kernel in parts: arguments of coefficient functions, their values at node n of some, and the rest."""

    statements: list[Statement]
    """Those that arguments need."""
    arguments: list[str]
    calls: list[Statement]
    """Values by the functions themselves."""
    bounds: list[tuple[str, str]]
    """Arguments, and up to where they belong to polynomials."""
    steps: list[Statement]
    """Values by polynomials, all of which take each step of Horner's scheme together."""
    rest: PrintedKernel


@dataclass(frozen=True)
class BlockKernel:
    """A kernel of two inputs and one output, and the same without branches."""

    name: str
    inputs: tuple[tuple[str, int], tuple[str, int]]
    """Names and sizes."""
    output: tuple[str, int]
    branch_free: PrintedKernel
    parted: PartedKernel | None
    """None where chains are short, or wait for each other."""


def has_blocks(kernel: Kernel) -> bool:
    """Whether blocks pay: coefficient functions enter, and all else can be vectorised."""
    functions = {f"call {s.function}" for s in kernel.body.schemes}
    signature = kernel.signature.arguments
    return (
        bool(functions)
        and [a.is_output for a in signature] == [False, False, True]
        and all(i.operator in VECTORISED | functions for i in kernel.body.instructions)
    )


def block_kernels(types: Sequence[NodeTypeKernels]) -> dict[str, object]:
    """What the template of blocks needs: coefficient functions and kernels, by name."""
    chosen = [k for t in types for k in t.kernels if has_blocks(k)]
    schemes = {s.function: s for k in chosen for s in k.body.schemes}
    return {
        "sizes": BLOCKS,
        "side_by_side": SIDE_BY_SIDE,
        "functions": [coefficient_function(schemes[name]) for name in sorted(schemes)],
        "kernels": {k.signature.name: _block_kernel(k) for k in chosen},
    }


def _block_kernel(kernel: Kernel) -> BlockKernel:
    first, second, output = ((a.name, a.size or 0) for a in kernel.signature.arguments)
    printed = print_kernel(kernel, PolynomialPrinter())
    return BlockKernel(kernel.signature.name, (first, second), output, printed, _parted(kernel))


def _parted(kernel: Kernel) -> PartedKernel | None:
    printer = ValuePrinter()
    printed = print_kernel(kernel, printer)
    statements = _needed(printed.statements, printer.calls)
    is_long = any(scheme.working.chains == 1 for scheme in kernel.body.schemes)
    if not is_long or any("value[" in text for _, text in (*printer.calls, *statements)):
        return None
    arguments = list(dict.fromkeys(text for _, text in printer.calls))
    schemes = {scheme.function: scheme for scheme in kernel.body.schemes}
    values = [
        (_of_node("value", k), _of_node("argument", arguments.index(text)), schemes[name])
        for k, (name, text) in enumerate(printer.calls)
    ]
    calls = [(value, _call(scheme, z)) for value, z, scheme in values]
    bounds = list(dict.fromkeys((z, printer.constant(scheme.upper)) for _, z, scheme in values))
    rest = replace(printed, statements=_needed(printed.statements, printed.stores))
    return PartedKernel(statements, arguments, calls, bounds, _steps(values, printer), rest)


def _call(scheme: Scheme, z: str) -> str:
    return CPrinter().call(scheme.function, [z])


def _of_node(name: str, k: int) -> str:
    """Number k of node n."""
    return f"{name}[{SIDE_BY_SIDE * k} + n]" if k else f"{name}[n]"


def _steps(values: Sequence[tuple[str, str, Scheme]], printer: CPrinter) -> list[Statement]:
    """Statements for values, by arguments and schemes; functions that are no plain polynomial are called."""
    chains: dict[tuple[str, tuple[float, ...]], list[Statement]] = {}
    copies, ends, calls = [], [], []
    for value, z, scheme in values:
        piece = scheme.working
        if piece.chains > 1 or piece.doubles_angle or piece.shift or piece.pole_order or piece.degree == 0:
            calls.append((value, _call(scheme, z)))
            continue
        known = chains.get((z, piece.coefficients))
        if known:
            copies.append((value, known[0][0]))
        else:
            first, *others = map(printer.constant, reversed(piece.coefficients))
            steps = [(value, f"{value if k else first} * {z} + {c}") for k, c in enumerate(others)]
            chains[z, piece.coefficients] = steps
        if piece.constant is not None:
            ends.append((value, f"{printer.constant(piece.constant)} - {z} * {value}"))
    together = [step for steps in zip_longest(*chains.values()) for step in steps if step is not None]
    return [*together, *copies, *ends, *calls]


def _needed(statements: Sequence[tuple[str, str]], results: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The statements that some results need, in their order."""
    known, wanted = dict(statements), [text for _, text in results]
    needed: set[str] = set()
    while wanted:
        words = {word for word in re.findall(r"\w+", wanted.pop()) if word in known} - needed
        needed |= words
        wanted += [known[word] for word in words]
    return [(name, text) for name, text in statements if name in needed]
