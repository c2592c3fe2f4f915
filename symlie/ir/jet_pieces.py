"""Jets of what is stated in pieces: the piece at the begin of a step holds, until a function of its own says otherwise.

A piece is chosen by whether a function c of time is positive, as ``select(c, a, b)`` does. Such functions have jets as
others have, by which a step ends where one of them changes its sign. Of |x| it is x, of max(a, b) and min(a, b) it is
a - b, of sign(x) both x and -x, since zero is a piece of its own; a table has the distances from both ends of the
interval that x is in. At knots of run-time tables of time steps end anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from symlie.errors import ModelError
from symlie.ir.primitives import MAX_DEGREE
from symlie.ir.straightline import Instruction, Lines, Operand, StraightLine, pruned

if TYPE_CHECKING:
    from symlie.ir.jets import Derivation, Pass

STEPS = frozenset(
    {
        "copysign",
        "rint",
        "sign",
        "input input_begin",
        "input input_end",
        "table interpolate_slope",
        "table interval_begin",
        "table interval_end",
    }
)
"""Operators whose results do not change within a step. Turns that are counted jump where the angle does that they are
added to, so that the sum goes on as the angle's own series has it."""


def _chosen(p: Pass, condition: Operand, a: Operand | None, b: Operand | None) -> Operand | None:
    """a where a value of order 0 is positive, else b."""
    if a is None and b is None:
        return None
    return p.emit("select", p.value(condition), 0.0 if a is None else a, 0.0 if b is None else b)


def _select(p: Pass, target: Operand, condition: Operand, a: Operand, b: Operand) -> Operand | None:
    return _chosen(p, condition, p.derivative(a), p.derivative(b))


def _absolute(p: Pass, target: Operand, a: Operand) -> Operand | None:
    rate = p.derivative(a)
    return _chosen(p, a, rate, p.minus(None, rate))


def _maximum(p: Pass, target: Operand, a: Operand, b: Operand) -> Operand | None:
    return _chosen(p, p.of.begin.emit("sub", a, b), p.derivative(a), p.derivative(b))


def _minimum(p: Pass, target: Operand, a: Operand, b: Operand) -> Operand | None:
    return _chosen(p, p.of.begin.emit("sub", a, b), p.derivative(b), p.derivative(a))


def _table(p: Pass, target: Operand, x: Operand, *places: Operand) -> Operand | None:
    return p.times(p.value(p.at_begin("table interpolate_slope", x, *places)), p.derivative(x))


def _input(p: Pass, target: Operand, x: Operand, *places: Operand) -> Operand | None:
    """t' = f'(x) x' with the polynomial of the interval in which the step begins."""
    if (slope := _slope_of_input(p.of.begin, x, *places)) is None:
        return None
    return p.plus(p.times(p.value(slope), p.derivative(x)), p.weighted_sum(x, slope))


def _slope_of_input(lines: Lines, x: Operand, slot: Operand, component: Operand, derivative: Operand) -> Operand | None:
    """The derivative of a table by its argument; None where that vanishes."""
    known = int(float(derivative))
    return lines.emit("input input", x, slot, component, float(known + 1)) if known < MAX_DEGREE else None


TIME = "t"
"""The operand that is the time itself."""


def _needs_of_input(
    lines: Lines, target: Operand, x: Operand, slot: Operand, component: Operand, derivative: Operand
) -> None:
    """All derivatives of a table."""
    for known in range(int(float(derivative)), MAX_DEGREE):
        _slope_of_input(lines, x, slot, component, float(known))


NEEDS: Mapping[str, Callable[..., object]] = {"input input": _needs_of_input}
"""Functions of time beside its own that a rule needs."""


RULES: Mapping[str, Callable[..., Operand | None]] = {
    "select": _select,
    "abs": _absolute,
    "maximum": _maximum,
    "minimum": _minimum,
    "table interpolate": _table,
    "input input": _input,
}
"""The coefficient of order k of each operator in pieces."""


def _difference(lines: Lines, target: Operand, a: Operand, b: Operand) -> tuple[Operand, ...]:
    return (lines.emit("sub", a, b),)


def _interval(lines: Lines, target: Operand, x: Operand, *places: Operand) -> tuple[Operand, ...]:
    begin, end = (lines.emit(f"table interval_{which}", x, *places) for which in ("begin", "end"))
    return lines.emit("sub", begin, x), lines.emit("sub", x, end)


def _input_interval(lines: Lines, target: Operand, x: Operand, *places: Operand) -> tuple[Operand, ...]:
    if x == TIME:
        return ()
    begin, end = (lines.emit(f"input input_{which}", x, places[0], 0.0, 0.0) for which in ("begin", "end"))
    return lines.emit("sub", begin, x), lines.emit("sub", x, end)


CONDITIONS: Mapping[str, Callable[..., tuple[Operand, ...]]] = {
    "select": lambda lines, _, condition, *pieces: (condition,),
    "abs": lambda lines, _, a: (a,),
    "maximum": _difference,
    "minimum": _difference,
    "sign": lambda lines, _, a: (a, lines.emit("neg", a)),
    "table interpolate": _interval,
    "table interpolate_slope": _interval,
    "input input": _input_interval,
}
"""Functions of time whose signs choose the pieces of an operator."""


def conditions(lines: Lines, instructions: Sequence[Instruction]) -> Iterator[Operand]:
    """Those of instructions, which are added to lines where they are not there."""
    for instruction in instructions:
        if instruction.operator in CONDITIONS:
            yield from CONDITIONS[instruction.operator](lines, instruction.target, *instruction.operands)


def changing(of: Derivation, found: Sequence[Operand]) -> list[Operand]:
    """Those of them that are functions of time.

    Raises
    ------
    ModelError
        One depends on what is found from the results of an order.
    """
    moving = [c for c in found if not of.is_constant(c)]
    if any(map(of.is_later, moving)):
        raise ModelError("a condition that depends on accelerations or multipliers has no rule; state it without.")
    return moving


def size_of(lines: Lines, operand: Operand) -> Operand:
    """Σ|terms| of a sum, with which its rounding grows; it is added to lines."""
    if isinstance(operand, float):
        return abs(operand)
    found = next((i for i in lines.instructions if i.target == operand), None)
    if found is not None and found.operator in {"add", "sub"}:
        return lines.emit("add", *(size_of(lines, o) for o in found.operands))
    if found is not None and found.operator == "neg":
        return size_of(lines, found.operands[0])
    return lines.emit("abs", operand)


SWITCHES: Mapping[str, Callable[..., Operand]] = {
    "select": lambda lines, condition, *pieces: condition,
    "sign": lambda lines, a: a,
    "abs": lambda lines, a: a,
    "maximum": lambda lines, a, b: lines.emit("sub", a, b),
    "minimum": lambda lines, a, b: lines.emit("sub", a, b),
}
"""Operators in pieces, each with the function whose sign chooses one during a step of any method."""


def switches(body: StraightLine) -> StraightLine:
    """The functions that choose pieces of some values and change while a system moves, each once.

    Parameters
    ----------
    body
        The values, computed from ``t``, ``q[…]``, ``v[…]`` and parameters. Conditions that depend on accelerations or
        multipliers are left out.
    """
    lines = Lines(body.instructions)
    conditions = [SWITCHES[i.operator](lines, *i.operands) for i in body.instructions if i.operator in SWITCHES]
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
