"""Derivatives along a vector that a loop sets to one unit vector after the other, so that their text is there once."""

from __future__ import annotations

from sympy import Symbol

from symlie.ir.program import Vector
from symlie.ir.straightline import Operand, StraightLine

VECTOR = "along"
"""Name of the vector in bodies."""

LOOPED = 8
"""Components from which on a loop pays: fewer unit vectors fill no registers, in which its passes stand side by side.

Its text, and the time that compilers take, are a fraction of those of columns one by one, in which zeros are known.
"""


def direction(size: int) -> tuple[Vector, dict[Symbol, str]]:
    """Symbols of the vector, and the operand that is each of them."""
    symbols = tuple(Symbol(f"{VECTOR}{k}", real=True) for k in range(size))
    return symbols, {s: f"{VECTOR}[{k}]" for k, s in enumerate(symbols)}


def components_seen(body: StraightLine, size: int) -> dict[Operand, int]:
    """The components of the vector that operands are computed from, as bits; operands without any are not there."""
    seen: dict[Operand, int] = {operand: 1 << k for k, operand in enumerate(direction(size)[1].values())}
    for instruction in body.instructions:
        bits = 0
        for operand in instruction.operands:
            bits |= seen.get(operand, 0)
        if bits:
            seen[instruction.target] = bits
    return seen


def all_see_all(body: StraightLine, size: int) -> bool:
    """Whether every output is computed from every component of the vector: of a matrix no entry is known to vanish."""
    seen = components_seen(body, size)
    return all(seen.get(o) == (1 << size) - 1 for o in body.outputs)
