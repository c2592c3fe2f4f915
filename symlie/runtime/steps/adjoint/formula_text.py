"""C text of transposed formulas of an implicit step."""

from __future__ import annotations

from collections.abc import Iterator

from symlie.runtime.steps.expressions import Value
from symlie.runtime.steps.formula_text import member, weight_text, weighted_term
from symlie.runtime.steps.implicit_instructions import Formula, ImplicitEnd
from symlie.runtime.steps.program import Line

_HEAD = """/* Cotangents of v with those of v', of theta, of w - theta, and of the increments to earlier configurations,
 * from those of v and v'. */
static inline void formula_transpose(const symlie_problem *restrict P, const step_formula *restrict f,
                                     const symlie_real *restrict of_v, const symlie_real *restrict of_v_dot,
                                     symlie_real *restrict v, symlie_real *restrict theta,
                                     symlie_real *restrict correction, symlie_real *const *restrict points)
{"""


def transposed_formula(line: Line) -> Iterator[str]:
    """Yield the number of earlier configurations in a formula in local coordinates at the end of a step, and the
    transposed formula."""
    end = line.instruction
    assert isinstance(end, ImplicitEnd)
    if not end.sees_end:
        return
    theta, correction, v, *relative = end.unknowns
    targets = {theta: "theta", correction: "correction"} | {x: f"points[{i}]" for i, x in enumerate(relative)}
    yield from (f"#define POINTS {len(relative)}", _HEAD, "    for (int k = 0; k < DIMENSION; k++) {")
    yield f"        v[k] = of_v[k]{_term(end.acceleration, v, 'of_v_dot[k]')};"
    for x, name in targets.items():
        total = f"{_term(end.velocity, x, 'v[k]')}{_term(end.acceleration, x, 'of_v_dot[k]')}"
        yield f"        {name}[k] = {total.removeprefix(' + ').strip() or 'SYMLIE_NUMBER(0)'};"
    yield "    }"
    if end.rate.terms:
        yield "    for (int n = 0; n < COUNT_OF_STATE; n++) {"
        yield "        v[STATE[n]] = SYMLIE_NUMBER(0);"
        for x, name in targets.items():
            total = _term(end.rate, x, "of_v_dot[STATE[n]]")
            yield f"        {name}[STATE[n]] = {total.removeprefix(' + ').strip() or 'SYMLIE_NUMBER(0)'};"
        yield "    }"
    yield from ("}", "")
    yield "/* Increment to an earlier configuration. */"
    yield "static inline const symlie_real *formula_point(const step_formula *restrict f, int i)"
    increments = ", ".join(f"f->{member(x)}" for x in line.results[7:]) or "0"
    yield f"{{\n    const symlie_real *const increments[] = {{{increments}}};\n    return increments[i];\n}}\n"


def _term(formula: Formula, x: Value, entry: str) -> str:
    """Return the contribution of a formula to the cotangent of an unknown."""
    return "".join(weighted_term(weight_text(w), entry) for w, y in zip(*formula, strict=True) if y == x)
