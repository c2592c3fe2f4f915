"""Recording of instructions with shared results, and errors at the line of a method."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from symlie.errors import ModelError
from symlie.runtime.steps.calls import Call, recorded
from symlie.runtime.steps.expressions import Scalar, Value, Vector
from symlie.runtime.steps.instructions import Instruction, Operation
from symlie.runtime.steps.program import Line
from symlie.runtime.steps.values import PROJECTS, START_LAMBDA, START_Q, START_V, STEP_LENGTH

Kind = TypeVar("Kind", bound=Value)
VectorKind = TypeVar("VectorKind", bound=Vector)


class Recording:
    """Recorded instructions.

    Parameters
    ----------
    folder
        Folder of the modules that record for methods; errors name the first line outside.

    Attributes
    ----------
    start
        Values at the start of the step: q, v, λ, h and ``projects``.
    h
        Length of the step.
    projects
        1 if the run projects the ends of steps onto the constraints, otherwise 0.
    for_estimate
        True if further instructions serve the error estimate only.
    calls
        Outer calls by the method in order, which `symlie.runtime.steps.calls` repeats.
    depth
        Number of calls in progress.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines: list[Line] = []
        self._known: dict[Instruction, tuple[Value, ...]] = {}
        self.h = Scalar(STEP_LENGTH, self._arithmetic)
        self.projects = Scalar(PROJECTS, self._arithmetic)
        self.start: tuple[Value, ...] = (START_Q, START_V, START_LAMBDA, self.h, self.projects)
        self._values = {x.number for x in self.start}
        self._numbers = itertools.count(max(self._values) + 1)
        self.for_estimate = False
        self.calls: list[Call] = []
        self.depth = 0

    @recorded
    def _arithmetic(self, operator: str, x: Scalar | float, y: Scalar | float) -> Scalar:
        """Return the result of an operation on two numbers."""
        x, y = (value if isinstance(value, Scalar) else float(value) for value in (x, y))
        return self._one(Scalar, Operation(operator, x, y))

    def _needed_lines(self) -> tuple[Line, ...]:
        """Return the lines without those that only compute unread values."""
        found: list[Line] = []
        read: set[int] = set()
        for line in reversed(self._lines):
            is_pure = bool(line.results) and not line.instruction.has_effects
            if not is_pure or any(x.number in read for x in line.results):
                found.append(line)
                read |= {x.number for x in line.instruction.inputs}
        return tuple(reversed(found))

    def _one(self, kind: type[Kind], instruction: Instruction) -> Kind:
        """Record an instruction with one result."""
        (found,) = self._record(instruction)
        assert isinstance(found, kind)
        return found

    def _next_number(self) -> int:
        return next(self._numbers)

    def _record(self, instruction: Instruction, given: Mapping[int, Value] | None = None) -> tuple[Value, ...]:
        """Record an instruction; some of its results may be unknowns that other values refer to already."""
        name = instruction.title
        for mistake in instruction.mistakes():
            raise self._error(f"{name}: {mistake}")
        if any(x.number not in self._values for x in instruction.inputs):
            raise self._error(f"{name}: an input is a value of another step")
        if instruction in self._known:
            return self._known[instruction]
        given, kinds = given or {}, enumerate(instruction.results)
        results = tuple(given[k] if k in given else self._value(kind, self._next_number()) for k, kind in kinds)
        self._values |= {x.number for x in results}
        self._known[instruction] = results
        self._lines.append(Line(instruction, results, self.for_estimate))
        return results

    def _value(self, kind: type[Value], number: int) -> Value:
        return Scalar(number, self._arithmetic) if issubclass(kind, Scalar) else kind(number)

    def _error(self, sentence: str) -> ModelError:
        """Return an error at the line of the method that records the current instruction."""
        frame = sys._getframe()
        while frame.f_back is not None and Path(frame.f_code.co_filename).parent == self._folder:
            frame = frame.f_back
        return ModelError(f"{Path(frame.f_code.co_filename).name}, line {frame.f_lineno}: {sentence}.")
