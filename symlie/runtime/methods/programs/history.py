"""Arrays that step programs carry from step to step, and earlier states, latest first."""

from __future__ import annotations

from symlie.runtime.methods.family import OwnArray
from symlie.runtime.steps.expressions import Value
from symlie.runtime.steps.instructions import Carry

COUNT = "count"
"""Name of the number of known earlier states."""


def array_of(carry: Carry) -> OwnArray:
    """Return the array of a value, or of the values of several steps, in the method history."""
    size = carry.x.size if isinstance(carry.x, Value) else ""
    return OwnArray(carry.name, max(carry.steps, 1), size.lower().replace("1", ""))
