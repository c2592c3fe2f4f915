"""Node kernels over blocks of nodes, in loops that C compilers vectorise.

A coefficient function consists of a branch and a long chain of dependent operations. A loop over several nodes that
evaluates only its polynomial has no branch and hides the latency. A block with an argument outside the interval of its
polynomial is repeated node by node.

In the batched (SIMD) layout the coefficient functions of several nodes are evaluated first, with their Horner steps
interleaved, and then the remaining operations of each node.
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
"""Nodes of a block: two of the longest vectors, as compilers choose shorter vectors for shorter loops, and one vector
for the rest."""

SIDE_BY_SIDE = 4
"""Nodes whose coefficient functions are evaluated first in SIMD lanes; limited by the out-of-order window of
processors."""

VECTORISED = {*INFIX, "neg", "sqrt"}
"""Operators that compilers vectorise without a library."""


class PolynomialPrinter(CPrinter):
    """Printer of calls of polynomials, which report in ``beyond`` an argument outside their interval."""

    def call(self, name: str, operands: Sequence[str]) -> str:
        """Return the call of the polynomial of a coefficient function."""
        return super().call(f"{name}_polynomial", [*operands, "beyond"])


class ValuePrinter(CPrinter):
    """Printer that replaces coefficient functions by stored values and collects the functions with their arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[str, str]] = []

    def call(self, name: str, operands: Sequence[str]) -> str:
        """Return the stored value of a function; the values of all nodes of a block are contiguous."""
        called = (name, operands[0])
        if called not in self.calls:
            self.calls.append(called)
        return f"value[{SIDE_BY_SIDE * self.calls.index(called)}]"


Statement = tuple[str, str]
"""Target and expression."""


@dataclass(frozen=True)
class PartedKernel:
    """A kernel split into arguments of coefficient functions, their values at node n of a block, and other
    statements.
    """

    statements: list[Statement]
    """Statements for the arguments."""
    arguments: list[str]
    calls: list[Statement]
    """Values as function calls."""
    bounds: list[tuple[str, str]]
    """Arguments and the upper bounds of the polynomial intervals."""
    steps: list[Statement]
    """Values by polynomials, with interleaved Horner steps."""
    rest: PrintedKernel


@dataclass(frozen=True)
class BlockKernel:
    """A kernel with two inputs and one output, and its branch-free variant."""

    name: str
    inputs: tuple[tuple[str, int], tuple[str, int]]
    """Names and sizes."""
    output: tuple[str, int]
    branch_free: PrintedKernel
    parted: PartedKernel | None
    """None if chains are short or depend on each other."""


def has_blocks(kernel: Kernel) -> bool:
    """Return whether blocks are faster: coefficient functions occur and all other operations can be vectorised."""
    functions = {f"call {s.function}" for s in kernel.body.schemes}
    signature = kernel.signature.arguments
    return (
        bool(functions)
        and [a.is_output for a in signature] == [False, False, True]
        and all(i.operator in VECTORISED | functions for i in kernel.body.instructions)
    )


def block_kernels(types: Sequence[NodeTypeKernels]) -> dict[str, object]:
    """Return the data of the block template: coefficient functions and kernels, by name."""
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
    """Return element k of node n."""
    return f"{name}[{SIDE_BY_SIDE * k} + n]" if k else f"{name}[n]"


def _steps(values: Sequence[tuple[str, str, Scheme]], printer: CPrinter) -> list[Statement]:
    """Return statements for values from arguments and schemes; functions that are not a plain polynomial are called."""
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
    """Return the statements on which the results depend, in order."""
    known, wanted = dict(statements), [text for _, text in results]
    needed: set[str] = set()
    while wanted:
        words = {word for word in re.findall(r"\w+", wanted.pop()) if word in known} - needed
        needed |= words
        wanted += [known[word] for word in words]
    return [(name, text) for name, text in statements if name in needed]
