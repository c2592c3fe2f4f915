"""Node kernels over blocks of nodes, in loops that C compilers vectorise.

A coefficient function is a branch and a long chain of operations that wait for each other. Its polynomial alone, for
several nodes at a time, is neither. A block in which an argument lies beyond its polynomial is done again node by node.

Where registers hold members side by side, chains of several nodes overlap in time once they follow each other: their
coefficient functions come first, then the rest of each node.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from symlie.emit.c.printing import CPrinter, PrintedKernel, coefficient_function, print_kernel
from symlie.emit.printing import INFIX
from symlie.ir.kernels import Kernel, NodeTypeKernels

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


@dataclass(frozen=True)
class PartedKernel:
    """A kernel in two parts: coefficient functions of its inputs, and the rest."""

    statements: list[tuple[str, str]]
    """Those that arguments need."""
    arguments: list[str]
    functions: list[tuple[str, int]]
    """Their names, and the places of their arguments."""
    bounds: list[tuple[int, str]]
    """Places of arguments, and up to where they belong to polynomials."""
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
    kernels = {k.signature.name: _block_kernel(k) for k in chosen}
    return {
        "sizes": BLOCKS,
        "side_by_side": SIDE_BY_SIDE,
        "functions": [coefficient_function(schemes[name]) for name in sorted(schemes)],
        "parted": {name for k in kernels.values() if k.parted for name, _ in k.parted.functions},
        "kernels": kernels,
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
    functions = [(name, arguments.index(text)) for name, text in printer.calls]
    uppers = {s.function: printer.constant(s.upper) for s in kernel.body.schemes}
    bounds = list(dict.fromkeys((place, uppers[name]) for name, place in functions))
    rest = replace(printed, statements=_needed(printed.statements, printed.stores))
    return PartedKernel(statements, arguments, functions, bounds, rest)


def _needed(statements: Sequence[tuple[str, str]], results: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The statements that some results need, in their order."""
    known, wanted = dict(statements), [text for _, text in results]
    needed: set[str] = set()
    while wanted:
        words = {word for word in re.findall(r"\w+", wanted.pop()) if word in known} - needed
        needed |= words
        wanted += [known[word] for word in words]
    return [(name, text) for name, text in statements if name in needed]
