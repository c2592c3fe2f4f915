"""C text of the formulas of an implicit step: v and v' at its end as functions of the increment w."""

from __future__ import annotations

from collections.abc import Iterator

from symlie.runtime.kernels.c_text import c_number
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.implicit_instructions import Formula, ImplicitEnd

_HEAD = """static inline void formula_at(const symlie_problem *restrict P, const step_formula *restrict f,
                              const symlie_real *restrict theta, const symlie_real *restrict w, symlie_real *restrict v,
                              symlie_real *restrict v_dot)
{"""


def formula_text(end: ImplicitEnd) -> Iterator[str]:
    """Yield the structure ``step_formula`` and the function ``formula_at``, with the header that calls it."""
    yield from ("#define SEES_END 0", '#include "implicit_step.h"', "", "struct step_formula {")
    for x in formula_inputs(end):
        yield f"    {'symlie_real ' if isinstance(x, Scalar) else 'const symlie_real *'}{member(x)};"
    yield from ("};", "", _HEAD)
    yield "    for (int k = 0; k < DIMENSION; k++) {"
    yield f"        v[k] = {_value(end.velocity, 'k')};"
    yield f"        v_dot[k] = {_value(end.acceleration, 'k')};"
    yield "    }"
    if end.rate.depends_on_increment:
        yield "    for (int n = 0; n < COUNT_OF_STATE; n++) {"
        yield "        v[STATE[n]] = SYMLIE_NUMBER(0);"
        yield f"        v_dot[STATE[n]] = {_value(end.rate, 'STATE[n]')};"
        yield "    }"
    yield from ("}", "")


def formula_inputs(end: ImplicitEnd) -> list[Value]:
    """Return the vectors and numbers in the formulas."""
    found = {x.number: x for f in (end.velocity, end.acceleration, end.rate) for x in f.inputs}
    return list(found.values())


def member(x: Value) -> str:
    """Return the name of a vector or number in ``step_formula``."""
    return f"{'n' if isinstance(x, Scalar) else 'x'}{x.number}"


def weighted_term(weight: str, entry: str) -> str:
    """Return the term of a sum with its sign."""
    sign, size = (" - ", weight[1:]) if weight.startswith("-") else (" + ", weight)
    return f"{sign}{size} * {entry}"


def _value(formula: Formula, index: str) -> str:
    """Return a component of a formula."""
    terms = [(formula.slope, f"w[{index}]"), *((w, f"f->{member(x)}[{index}]") for w, x in _terms(formula))]
    total = "".join(weighted_term(_weight(w), entry) for w, entry in terms)
    return total.removeprefix(" + ").strip()


def _terms(formula: Formula) -> Iterator[tuple[float | Scalar, Value]]:
    yield from zip(formula.weights, formula.terms, strict=True)


def _weight(weight: float | Scalar) -> str:
    return f"f->{member(weight)}" if isinstance(weight, Scalar) else c_number(weight)
