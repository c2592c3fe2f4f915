"""Frozen parameters: constants of the generated code, whose values cannot change."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from symlie.errors import FrozenParameterError
from symlie.runtime.layout.layout import Array, Layout

Values: TypeAlias = tuple[Array, tuple[Array, ...]]
"""Values of the model's parameters and of the elements of each type, one row for all or one per element."""


def check_frozen(layout: Layout, known: Values, changed: Values) -> None:
    """Raise FrozenParameterError if the value of a frozen parameter changed; changed model parameters have shape
    (size,) or (members, size).
    """
    for name in layout.frozen:
        if name in layout.parameters:
            part = layout.parameters[name][0]
            before, after = known[0][part], changed[0][..., part]
        else:
            owner, _, own = name.rpartition(".")
            element, part = next(
                place for place in layout.parameters_of_elements[own] if layout.elements[place[0]].name == owner
            )
            before, after = known[1][element][:1, part], changed[1][element][:, part]
        if np.any(before != after):
            raise FrozenParameterError(
                f"Parameter '{name}' of '{layout.name}' is a compiled constant, {_text(before)}, and cannot be "
                f"changed; compile or generate again without '{name}' in freeze."
            )


def _text(values: Array) -> str:
    numbers = [f"{x:.12g}" for x in values.ravel()]
    return numbers[0] if len(numbers) == 1 else f"[{', '.join(numbers)}]"
