"""Node kernels over blocks of nodes, in loops that C compilers vectorise.

A coefficient function is a branch and a long chain of operations that wait for each other. Its polynomial alone, for
several nodes at a time, is neither. A block in which an argument lies beyond its polynomial is done again node by node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symlie.emit.c.printing import CPrinter, PrintedKernel, coefficient_function, print_kernel
from symlie.emit.printing import INFIX
from symlie.ir.kernels import Kernel, NodeTypeKernels

BLOCKS = (16, 4)
"""Nodes of a block: two of the longest vectors, since shorter loops get shorter ones, and one vector for the rest."""

VECTORISED = {*INFIX, "neg", "sqrt"}
"""Operators that compilers vectorise without a library."""


class PolynomialPrinter(CPrinter):
    """Calls the polynomials of coefficient functions, which note in ``beyond`` that an argument is not theirs."""

    def call(self, name: str, operands: Sequence[str]) -> str:
        """The polynomial of a coefficient function."""
        return super().call(f"{name}_polynomial", [*operands, "beyond"])


@dataclass(frozen=True)
class BlockKernel:
    """A kernel of two inputs and one output, and the same without branches."""

    name: str
    inputs: tuple[tuple[str, int], tuple[str, int]]
    """Names and sizes."""
    output: tuple[str, int]
    branch_free: PrintedKernel


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
        "functions": [coefficient_function(schemes[name]) for name in sorted(schemes)],
        "kernels": {k.signature.name: _block_kernel(k) for k in chosen},
    }


def _block_kernel(kernel: Kernel) -> BlockKernel:
    first, second, output = ((a.name, a.size or 0) for a in kernel.signature.arguments)
    return BlockKernel(kernel.signature.name, (first, second), output, print_kernel(kernel, PolynomialPrinter()))
