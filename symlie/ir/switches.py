"""Functions whose signs choose pieces of forces and constraints: where they vanish, accelerations may jump or bend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from symlie.ir.straightline import Instruction, Lines, Operand, StraightLine, pruned

CONDITIONS: Mapping[str, Callable[..., Operand]] = {
    "select": lambda lines, condition, *pieces: condition,
    "sign": lambda lines, a: a,
    "abs": lambda lines, a: a,
    "maximum": lambda lines, a, b: lines.emit("sub", a, b),
    "minimum": lambda lines, a, b: lines.emit("sub", a, b),
}
"""Operators in pieces, each with the function that chooses one by its sign."""


def switches(body: StraightLine) -> StraightLine:
    """The functions that choose pieces of some values and change while a system moves, each once.

    Parameters
    ----------
    body
        The values, computed from ``t``, ``q[…]``, ``v[…]`` and parameters. Conditions that depend on accelerations or
        multipliers are left out.
    """
    lines = Lines(body.instructions)
    conditions = [CONDITIONS[i.operator](lines, *i.operands) for i in body.instructions if i.operator in CONDITIONS]
    moving = _depending(lines.instructions, ("t", "q[", "v["))
    unknown = _depending(lines.instructions, ("a[", "multipliers["))
    found = tuple(dict.fromkeys(c for c in conditions if c in moving and c not in unknown))
    return pruned(lines.instructions, found, {s.function: s for s in body.schemes})


def _depending(instructions: Sequence[Instruction], inputs: tuple[str, ...]) -> set[Operand]:
    """The operands that depend on some inputs, those among them."""
    found: set[Operand] = set()
    for i in instructions:
        found |= {o for o in i.operands if isinstance(o, str) and (o in inputs or o.startswith(inputs[-2:]))}
        if found.intersection(i.operands):
            found.add(i.target)
    return found
