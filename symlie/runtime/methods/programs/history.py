"""Method history of step programs: earlier states, latest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.family import OwnArray
from symlie.runtime.steps.expressions import Value
from symlie.runtime.steps.instructions import (
    HISTORY,
)

COUNT = "count"
"""Name of the number of known earlier states."""


def arrays_of_history(history: Sequence[tuple[str, int]]) -> tuple[OwnArray, ...]:
    """Return the arrays of a history, the number of known states first."""
    arrays = [OwnArray(part, steps, _size(HISTORY[part])) for part, steps in history]
    return (OwnArray(COUNT, 1), *arrays) if arrays else ()


def arrays_of_carried(carried: Sequence[tuple[str, type[Value]]]) -> tuple[OwnArray, ...]:
    """Return the arrays that a method carries from step to step."""
    return tuple(OwnArray(name, 1, _size(kind)) for name, kind in carried)


def _size(kind: type[Value]) -> str:
    return kind.size.lower().replace("1", "")


def shifted(own: Array, parts: Mapping[str, slice], newest: Mapping[str, Array], steps: int) -> Array:
    """Return the history after a step, whose start becomes the latest earlier state."""
    found = own.copy()
    found[parts[COUNT]] = min(own[0] + 1, steps)
    for part, place in parts.items():
        if part != COUNT:
            new = np.atleast_1d(newest[part])
            found[place] = np.concatenate([new, own[place]])[: place.stop - place.start]
    return found
