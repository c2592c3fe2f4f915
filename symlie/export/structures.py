"""C definitions of constant structures and arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symlie.contract.kernels import REAL
from symlie.runtime.kernels.c_structures import C_TYPES, Member, Structures

_WIDTH = 120


def c_array(name: str, values: NDArray[np.generic]) -> str:
    """Return the definition of an array; an empty array gets one zero."""
    flat = values.ravel()
    head = f"static const {C_TYPES[values.dtype]} {name}[{max(flat.size, 1)}] = {{"
    return _wrapped(head, [*map(_number, flat.tolist())] if any(flat.tobytes()) else ["0"], "};")


def c_structures(name: str, structures: Structures) -> str:
    """Return the definition of the first structure and all structures and arrays that it points to, named
    ``NAME_MEMBER``."""
    lines: list[str] = []

    def entries(owner: str, members: Mapping[str, Member]) -> list[str]:
        """Return the members of a structure with their values, and define the objects to which they point."""
        found = []
        for member, value in members.items():
            place = f"{owner}_{member}"
            if isinstance(value, Structures):
                parts = [_wrapped("{", entries(f"{place}_{k}", m), "}") for k, m in enumerate(value.members)]
                head = f"static const {value.kind} {place}[{max(len(parts), 1)}] = {{"
                lines.append("\n    ".join([head, ",\n    ".join(parts or ["{0}"])]) + "\n};")
            elif isinstance(value, np.ndarray):
                lines.append(c_array(place, value))
            found.append(f".{member} = {place if isinstance(value, np.ndarray | Structures) else _number(value)}")
        return found

    text = _wrapped(f"static const {structures.kind} {name} = {{", entries(name, structures.members[0]), "};")
    return "\n\n".join([*lines, text])


def _number(value: float) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return f"({REAL})NAN" if math.isnan(value) else f"({REAL})HUGE_VAL" if value > 0 else f"-({REAL})HUGE_VAL"
    return repr(value) if isinstance(value, float) else str(int(value))


def _wrapped(head: str, words: Sequence[str], end: str) -> str:
    """Join texts by commas in lines of limited length."""
    lines = [head]
    for word in [*(f"{word}, " for word in words[:-1]), *words[-1:]]:
        if len(lines[-1]) + len(word) > _WIDTH:
            lines.append("    ")
        lines[-1] += word
    return "\n".join(line.rstrip(" ") if line.strip() else line for line in lines) + end
