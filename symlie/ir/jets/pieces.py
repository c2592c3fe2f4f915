"""Jets of piecewise laws: the branch at the start of a step is valid until a switching function changes sign.

A branch is selected by the sign of a function c of time, as in ``select(c, a, b)``. Such functions have jets like
others, and a step ends where one of them changes sign. For |x| the function is x, for max(a, b) and min(a, b) it is
a - b, for sign(x) both x and -x, since zero is a separate branch; for a table it is the distance from each end of the
interval that contains x. Steps always end at knots of run-time tables of time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from symlie.errors import ModelError
from symlie.ir.jets.one_pass import JetValues, Pass
from symlie.ir.primitives import MAX_DEGREE
from symlie.ir.straightline import Instruction, Lines, Operand, StraightLine, pruned


def _chosen(p: Pass, condition: Operand, a: Operand | None, b: Operand | None) -> Operand | None:
    """Return a if a value of order 0 is positive, else b."""
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
    """Return t' = f'(x) x' with the polynomial of the interval in which the step begins."""
    if (slope := _slope_of_input(p.of.begin, x, *places)) is None:
        return None
    return p.plus(p.times(p.value(slope), p.derivative(x)), p.weighted_sum(x, slope))


def _slope_of_input(lines: Lines, x: Operand, slot: Operand, component: Operand, derivative: Operand) -> Operand | None:
    """Return the derivative of a table by its argument; None if it vanishes."""
    known = int(float(derivative))
    return lines.emit("input input", x, slot, component, float(known + 1)) if known < MAX_DEGREE else None


TIME = "t"
"""Operand of the time."""


def _needs_of_input(
    lines: Lines, target: Operand, x: Operand, slot: Operand, component: Operand, derivative: Operand
) -> None:
    """Return all derivatives of a table."""
    for known in range(int(float(derivative)), MAX_DEGREE):
        _slope_of_input(lines, x, slot, component, float(known))


NEEDS: Mapping[str, Callable[..., object]] = {"input input": _needs_of_input}
"""Auxiliary functions of time that a rule needs."""


RULES: Mapping[str, Callable[..., Operand | None]] = {
    "select": _select,
    "abs": _absolute,
    "maximum": _maximum,
    "minimum": _minimum,
    "table interpolate": _table,
    "input input": _input,
}
"""Rules for the coefficients of order k of the piecewise operators."""


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
"""Functions of time whose signs select the branches of an operator."""


def conditions(lines: Lines, instructions: Sequence[Instruction]) -> Iterator[Operand]:
    """Return the switching functions of instructions; missing ones are added to ``lines``."""
    for instruction in instructions:
        if instruction.operator in CONDITIONS:
            yield from CONDITIONS[instruction.operator](lines, instruction.target, *instruction.operands)


def changing(of: JetValues, found: Sequence[Operand]) -> list[Operand]:
    """Return the switching functions of time; raise `ModelError` if one depends on results of an order."""
    moving = [c for c in found if not of.is_constant(c)]
    if any(map(of.is_later, moving)):
        raise ModelError(
            "a condition that depends on accelerations or multipliers has no rule; define it without them."
        )
    return moving


def size_of(lines: Lines, operand: Operand) -> Operand:
    """Return Σ|terms| of a sum, the scale of its rounding; it is added to ``lines``."""
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
"""Piecewise operators, each with the function whose sign selects a branch during a step of any method."""


def switches(body: StraightLine) -> StraightLine:
    """Return the distinct switching functions of (t, q, v) that vary during a motion."""
    # Conditions that depend on accelerations or multipliers are left out.
    lines = Lines(body.instructions)
    conditions = [SWITCHES[i.operator](lines, *i.operands) for i in body.instructions if i.operator in SWITCHES]
    moving = _depending(lines.instructions, ("t", "q[", "v["))
    unknown = _depending(lines.instructions, ("a[", "multipliers["))
    found = tuple(dict.fromkeys(c for c in conditions if c in moving and c not in unknown))
    return pruned(lines.instructions, found, {s.function: s for s in body.schemes})


PARAMETERS = ("p[", "e[")
"""Beginnings of the operands that are parameters of the model or of an instance."""


def branches_by_parameters(body: StraightLine) -> bool:
    """Return whether parameters alone, or constants computed from them, choose a branch."""
    lines = Lines(body.instructions)
    chosen = {SWITCHES[i.operator](lines, *i.operands) for i in body.instructions if i.operator in SWITCHES}
    targets = {i.target for i in lines.instructions}
    read = {o for i in lines.instructions for o in i.operands if isinstance(o, str)} - targets
    others = tuple(o for o in read if not o.startswith(PARAMETERS))
    return bool(chosen & _depending(lines.instructions, PARAMETERS) - _depending(lines.instructions, others))


def _depending(instructions: Sequence[Instruction], inputs: tuple[str, ...]) -> set[Operand]:
    """Return the operands that depend on some inputs, including these."""
    found: set[Operand] = set()
    vectors = tuple(name for name in inputs if name.endswith("["))
    for i in instructions:
        found |= {o for o in i.operands if isinstance(o, str) and (o in inputs or o.startswith(vectors))}
        if found.intersection(i.operands):
            found.add(i.target)
    return found
