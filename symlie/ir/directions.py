"""Derivatives along a vector that a loop sets to each unit vector, so that their code is emitted only once."""

from __future__ import annotations

from sympy import Symbol

from symlie.ir.program import Vector
from symlie.ir.straightline import Operand, StraightLine

VECTOR = "along"
"""Name of the vector in kernel bodies."""

LOOPED = 8
"""Number of components above which a loop pays: fewer unit vectors do not fill the SIMD registers of its passes.

The loop takes a fraction of the text and compile time of separate columns, which exploit known zeros.
"""


def direction(size: int) -> tuple[Vector, dict[Symbol, str]]:
    """Return the symbols of the vector, and the operand of each."""
    symbols = tuple(Symbol(f"{VECTOR}{k}", real=True) for k in range(size))
    return symbols, {s: f"{VECTOR}[{k}]" for k, s in enumerate(symbols)}


def components_seen(body: StraightLine, size: int) -> dict[Operand, int]:
    """Return the vector components on which each operand depends, as a bit mask; independent operands are left out."""
    seen: dict[Operand, int] = {operand: 1 << k for k, operand in enumerate(direction(size)[1].values())}
    for instruction in body.instructions:
        bits = 0
        for operand in instruction.operands:
            bits |= seen.get(operand, 0)
        if bits:
            seen[instruction.target] = bits
    return seen


def all_see_all(body: StraightLine, size: int) -> bool:
    """Return whether every output depends on every vector component, so that no matrix entry is known to vanish."""
    seen = components_seen(body, size)
    return all(seen.get(o) == (1 << size) - 1 for o in body.outputs)
