"""Parameters that are constants of the generated code: their values stay what they are there."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from symlie.errors import FrozenParameterError
from symlie.runtime.layout.layout import Array, Layout

Values: TypeAlias = tuple[Array, tuple[Array, ...]]
"""Values of the model's parameters, and of each element type's instances, one row for all or one for each."""


def check_frozen(layout: Layout, known: Values, changed: Values) -> None:
    """Check that no frozen parameter has another value than before.

    Parameters
    ----------
    layout
        Layout of a system.
    known, changed
        Values before and after; of the model's parameters also with members first, shape (members, size).

    Raises
    ------
    FrozenParameterError
        One has; the message says which.
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
                f"Parameter '{name}' of '{layout.name}' is a constant of its code, {_text(before)}, and can not be "
                f"changed; compile or generate it again without '{name}' in freeze."
            )


def _text(values: Array) -> str:
    numbers = [f"{x:.12g}" for x in values.ravel()]
    return numbers[0] if len(numbers) == 1 else f"[{', '.join(numbers)}]"
