"""C text of solutions of equations, and of ends of implicit steps."""

from __future__ import annotations

from collections.abc import Iterator

from symlie.runtime.kernels.c_text import c_number
from symlie.runtime.steps.equations import Solve
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.formula_text import formula_inputs, formula_results, member
from symlie.runtime.steps.implicit_instructions import ImplicitEnd
from symlie.runtime.steps.program import Line
from symlie.runtime.steps.value_text import RETURN_FAILURE, ValueText, time_text


class SolutionText(ValueText):
    """Printer of solutions of equations, and of ends of implicit steps."""

    def solution_statements(self, solve: Solve, line: Line) -> Iterator[str]:
        """Yield the statements of a solution of equations of the table."""
        for value, result in zip(solve.overwritten, line.results, strict=False):
            if isinstance(result, Scalar):
                yield f"symlie_real {self._array(result)} = {self._array(value)};"
            else:
                yield from self._copied(value, result)
        x, y = [self._given(value) for value in solve.values], [self._taken(value) for value in line.results]
        inputs = ", ".join(self._given(value) for value in solve.values if value not in solve.overwritten)
        texts = {"t": time_text(solve.c), "c": c_number(solve.c), "is_now": int(solve.c == 0)}
        yield f"status = {solve.entry.call.format(x=x, y=y, all_x=inputs, all_y=', '.join(y), **texts)};"
        yield RETURN_FAILURE

    def _given(self, value: Value | float) -> str:
        """Return an input of a call."""
        return self._array(value) if isinstance(value, Value) else self._real(value)

    def _taken(self, value: Value) -> str:
        """Return a result of a call."""
        return f"{'&' if isinstance(value, Scalar) else ''}{self._array(value)}"

    def implicit_end_statements(self, end: ImplicitEnd, line: Line) -> Iterator[str]:
        """Yield the statements of the end of an implicit step."""
        yield "IMPLICIT_STEP(end);"
        members = (*formula_inputs(end), *formula_results(line))
        yield f"const step_formula formula = {{{', '.join(f'.{member(x)} = {self._arrays[x]}' for x in members)}}};"
        relative = list(zip(end.points, map(self._array, line.results[7:]), strict=True))
        for point, x in relative:
            if point.needed is not None:
                yield f"EACH_COMPONENT(k, DIMENSION) {x}[k] = SYMLIE_NUMBER(0);"
        slopes = ", ".join(map(self._real, end.slopes))
        guess = "0" if end.multiplier is None else self._array(end.multiplier)
        arguments = f"{slopes}, q, {self._array(end.guess)}, {guess}, state, trial"
        yield f"status = take_implicit_step(&end, &formula, t, h, {arguments});"
        yield RETURN_FAILURE
        for point, x in relative:
            if point.needed is not None:
                arguments = f"P, {self._array(line.results[6])}, {self._array(point.element)}, {x}"
                yield f"if (SYMLIE_ANY({self._number(point.needed)} == 0)) system_increment({arguments});"
