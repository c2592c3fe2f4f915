"""C text of instructions with Newton's method."""

from __future__ import annotations

from collections.abc import Iterator

from symlie.runtime.kernels.c_text import c_number
from symlie.runtime.steps.discrete_instructions import DiscreteEnd, DiscreteStart, Impulses, SymplecticStage
from symlie.runtime.steps.formula_text import formula_inputs, formula_results, member
from symlie.runtime.steps.implicit_instructions import HiddenViolation, ImplicitEnd
from symlie.runtime.steps.instructions import Instruction
from symlie.runtime.steps.program import Line
from symlie.runtime.steps.value_text import RETURN_FAILURE, ValueText, time_text


class NewtonText(ValueText):
    """Printer of instructions with Newton's method."""

    def newton_statements(self, instruction: Instruction, line: Line) -> Iterator[str]:
        """Yield the statements of an instruction with Newton's method."""
        out = [self._array(x) for x in line.results]
        match instruction:
            case HiddenViolation(q, v, needed):
                arguments = f"{self._array(q)}, {self._array(v)}, mass, {out[0]}"
                is_needed = self._real(1.0 if needed is None else needed)
                yield f"status = step_hidden_violation(P, work, t, {arguments}, control, {is_needed});"
                yield RETURN_FAILURE
            case ImplicitEnd():
                yield from self._implicit_end(instruction, line)
            case SymplecticStage(theta, q):
                arguments = f"{c_number(theta)}, {self._array(q)}, {', '.join(out)}, &trial->newton"
                yield f"status = symplectic_stage(P, t, h, {arguments});"
                yield RETURN_FAILURE
            case DiscreteStart():
                yield from self._discrete_start(instruction, line)
            case Impulses(c, q, v):
                arguments = f"{time_text(c)}, h, mass, {self._array(q)}, {self._array(v)}"
                yield f"status = step_impulses(P, work, {arguments}, {', '.join(out)}, &trial->newton);"
                yield RETURN_FAILURE
            case DiscreteEnd():
                vectors = ", ".join(self._array(x) for x in instruction.inputs if x != instruction.is_damped)
                yield f"symlie_real {out[3]} = {self._array(instruction.is_damped)};"
                function = "discrete_end" if instruction.mu is None else "contact_end"
                results = f"&{out[3]}, {', '.join([*out[:3], *out[4:]])}, &trial->newton"
                yield f"status = {function}(&problem, work, t, h, {vectors}, {results});"
                yield RETURN_FAILURE

    def _discrete_start(self, start: DiscreteStart, line: Line) -> Iterator[str]:
        time = f"{time_text(start.c)}, h, {self._array(start.q)}, {self._array(start.v)}"
        load = f"{self._array(start.load)}, {self._real(start.has_load)}"
        guess = f"{self._array(start.theta)}, {self._array(start.mu)}"
        solution = f"{self._real(start.is_solution)}, {self._array(start.rest)}, {int(start.c == 0)}"
        results = ", ".join(map(self._array, line.results))
        arguments = f"{time}, {load}, {guess}, {solution}, {results}, &trial->newton"
        function = "contact_start" if start.has_contacts else "discrete_start"
        yield f"status = {function}(&problem, work, {arguments});"
        yield RETURN_FAILURE

    def _implicit_end(self, end: ImplicitEnd, line: Line) -> Iterator[str]:
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
