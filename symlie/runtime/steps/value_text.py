"""C text of values of step programs."""

from __future__ import annotations

from collections.abc import Iterator

from symlie.runtime.kernels.c_text import c_number
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.formula_text import weighted_term
from symlie.runtime.steps.lifetimes import arrays_of
from symlie.runtime.steps.program import Line, Program

RETURN_FAILURE = "if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;"
"""Statement after a call."""


class ValueText:
    """Names of the values of one program in C."""

    def __init__(self, program: Program) -> None:
        self._program, self._arrays = program, arrays_of(program)
        self._features = program.features
        self._used = {x.number for line in program.lines for x in line.instruction.inputs}
        self._by_blocks = not program.features.is_fixed
        self._offsets = {"DIMENSION": "", "STORAGE": ""}
        self._own = "trial->own" if program.has_end else "own"

    def _number(self, value: Scalar | float) -> str:
        return self._arrays[value] if isinstance(value, Scalar) else c_number(value)

    def _real(self, value: Scalar | float) -> str:
        """Return a number of type ``symlie_real``."""
        return self._number(value) if isinstance(value, Scalar) else f"SYMLIE_NUMBER({c_number(value)})"

    def _term(self, weight: Scalar | float, entry: str) -> str:
        return weighted_term(self._number(weight), entry)

    def _copied(self, value: Value, result: Value) -> Iterator[str]:
        """Yield a copy of a value to the array of a result that an instruction overwrites."""
        if self._array(value) != self._array(result):
            yield f"copy({value.size}, {self._array(value)}, {self._array(result)});"

    def _array(self, value: Value) -> str:
        offset = self._offsets.get(value.size, "")
        return f"{self._arrays[value]}{f' + {offset[0]}' if offset else ''}"

    def _entry(self, value: Value) -> str:
        return f"{self._arrays[value]}[{self._offsets.get(value.size, '')}k]"

    def _loop(self, line: Line, value: str) -> str:
        count = "DIMENSION_OF_BLOCK(&block)" if self._offsets["DIMENSION"] else line.results[0].size
        return f"EACH_COMPONENT(k, {count}) {self._entry(line.results[0])} = {value};"


def time_text(c: float) -> str:
    """Return the time t + c h as C."""
    return "t" if c == 0 else "t + h" if c == 1 else f"t + {c_number(c)} * h"
