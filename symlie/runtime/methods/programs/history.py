"""Method history of step programs: earlier states, latest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.family import OwnArray
from symlie.runtime.steps.instructions import HISTORY

COUNT = "count"
"""Name of the number of known earlier states."""


def arrays_of_history(history: Sequence[tuple[str, int]]) -> tuple[OwnArray, ...]:
    """Return the arrays of a history, the number of known states first."""
    sizes = {part: kind.size.lower().replace("1", "") for part, kind in HISTORY.items()}
    arrays = [OwnArray(part, steps, sizes[part]) for part, steps in history]
    return (OwnArray(COUNT, 1), *arrays) if arrays else ()


def shifted(own: Array, parts: Mapping[str, slice], newest: Mapping[str, Array], steps: int) -> Array:
    """Return the history after a step, whose start becomes the latest earlier state."""
    found = own.copy()
    found[parts[COUNT]] = min(own[0] + 1, steps)
    for part, place in parts.items():
        if part != COUNT:
            new = np.atleast_1d(newest[part])
            found[place] = np.concatenate([new, own[place]])[: place.stop - place.start]
    return found
