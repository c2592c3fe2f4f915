"""Numbers as C source code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symlie.contract.kernels import SCALAR
from symlie.runtime.layout.layout import Array


def c_number(value: float) -> str:
    return repr(float(value))


def c_vector(name: str, values: Iterable[float]) -> str:
    numbers = [*map(c_number, values)]
    return f"static const {SCALAR} {name}[{len(numbers)}] = {{{', '.join(numbers)}}};"


def c_integers(name: str, values: Sequence[int]) -> str:
    return f"static const int {name}[{len(values)}] = {{{', '.join(map(str, values))}}};"


def c_matrix(name: str, values: Array) -> str:
    rows = ",\n".join("    {" + ", ".join(map(c_number, row)) + "}" for row in values)
    return f"static const {SCALAR} {name}[{len(values)}][{values.shape[1]}] = {{\n{rows}}};"
