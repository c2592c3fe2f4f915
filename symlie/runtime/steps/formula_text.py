"""C text of the formulas of an implicit step: v and v' at its end as functions of its unknowns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symlie.runtime.kernels.c_text import c_number
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.implicit_instructions import Formula, ImplicitEnd
from symlie.runtime.steps.program import Line

_HEAD = """static inline void formula_at(const symlie_problem *restrict P, const step_formula *restrict f,
                              const symlie_real *restrict theta, const symlie_real *restrict w, symlie_real *restrict v,
                              symlie_real *restrict v_dot)
{"""
_ADVANCE = """static inline void formula_advance(const symlie_problem *restrict P, const step_formula *restrict f,
                                   const symlie_real *restrict q_n, const symlie_real *restrict theta,
                                   symlie_real *restrict q)
{"""


def formula_text(line: Line) -> Iterator[str]:
    """Yield the structure ``step_formula`` and the functions of formulas, with the header that calls them."""
    end = line.instruction
    assert isinstance(end, ImplicitEnd)
    yield from (f"#define SEES_END {int(end.sees_end)}", '#include "implicit_step.h"', "", "struct step_formula {")
    for x in formula_inputs(end):
        yield f"    {'symlie_real ' if isinstance(x, Scalar) else 'const symlie_real *'}{member(x)};"
    for x in formula_results(line):
        yield f"    symlie_real *{member(x)};"
    yield from ("};", "")
    yield from _at(end)
    if end.sees_end:
        yield from _at_end(end, *formula_results(line))


def formula_inputs(end: ImplicitEnd) -> list[Value]:
    """Return the vectors and numbers in the formulas."""
    of_formulas = (x for f in end.formulas for pair in zip(*f, strict=True) for x in pair)
    of_points = (x for point in end.points for x in point)
    of_end = (end.offset, end.slopes[0]) if end.sees_end else ()
    stated = (x for x in (*of_formulas, *of_points, *of_end) if isinstance(x, Value) and x not in end.unknowns)
    return list({x.number: x for x in stated}.values())


def formula_results(line: Line) -> tuple[Value, ...]:
    """Return exp(θ) and the increments to earlier configurations, which the functions of formulas compute."""
    return line.results[6:]


def member(x: Value) -> str:
    """Return the name of a vector or number in ``step_formula``."""
    return f"{'n' if isinstance(x, Scalar) else 'x'}{x.number}"


def weighted_term(weight: str, entry: str) -> str:
    """Return the term of a sum with its sign."""
    sign, size = (" - ", weight[1:]) if weight.startswith("-") else (" + ", weight)
    return f"{sign}{size} * {entry}"


def _at(end: ImplicitEnd) -> Iterator[str]:
    """Yield the function that computes v and v'."""
    names = ["theta", "", "v", *(f"f->{member(x)}" for x in end.unknowns[3:])] if end.sees_end else ["w"]
    entries: dict[Value, str] = {x: f"{name}[#]" for x, name in zip(end.unknowns, names, strict=True)}
    if end.sees_end:
        entries[end.unknowns[1]] = "(w[#] - theta[#])"
    yield _HEAD
    yield "    for (int k = 0; k < DIMENSION; k++) {"
    yield f"        v[k] = {_value(end.velocity, entries, 'k')};"
    yield f"        v_dot[k] = {_value(end.acceleration, entries, 'k')};"
    yield "    }"
    if end.rate.terms:
        yield "    for (int n = 0; n < COUNT_OF_STATE; n++) {"
        yield f"        v_dot[STATE[n]] = {_value(end.rate, entries, 'STATE[n]')};"
        yield "        v[STATE[n]] = SYMLIE_NUMBER(0);"
        yield "    }"
    yield from ("}", "")


def _at_end(end: ImplicitEnd, element: Value, *relative: Value) -> Iterator[str]:
    """Yield the functions of formulas in local coordinates at the end of the step."""
    assert end.offset is not None
    yield _ADVANCE
    yield f"    system_exponential(P, theta, f->{member(element)});"
    for point, x in zip(end.points, relative, strict=True):
        condition = "" if point.needed is None else f"if (SYMLIE_ANY(f->{member(point.needed)} != 0)) "
        yield f"    {condition}system_increment(P, f->{member(element)}, f->{member(point.element)}, f->{member(x)});"
    yield from (f"    system_compose(P, q_n, f->{member(element)}, q);", "}", "")
    yield "static inline const symlie_real *formula_offset(const step_formula *restrict f)"
    yield from ("{", f"    return f->{member(end.offset)};", "}", "")
    of_points = [w for w, x in zip(*end.velocity, strict=True) if x in (end.unknowns[0], *end.unknowns[3:])]
    total = " + ".join(f"fabs({weight_text(w)})" for w in of_points)
    yield "/* Points that are close together have large weights. */"
    yield "static inline symlie_real formula_span(const step_formula *restrict f)"
    yield f"{{\n    const symlie_real span = ({total}) / (2 * {weight_text(end.slopes[0])});"
    yield from (f"    return SYMLIE_LARGER(span, SYMLIE_NUMBER({1 + len(relative)}));", "}", "")


def _value(formula: Formula, entries: Mapping[Value, str], index: str) -> str:
    """Return a component of a formula."""
    named = ((w, entries.get(x, f"f->{member(x)}[#]")) for w, x in zip(*formula, strict=True))
    total = "".join(weighted_term(weight_text(w), entry.replace("#", index)) for w, entry in named)
    return total.removeprefix(" + ").strip()


def weight_text(weight: float | Scalar) -> str:
    """Return a weight of a formula as C."""
    return f"f->{member(weight)}" if isinstance(weight, Scalar) else c_number(weight)
