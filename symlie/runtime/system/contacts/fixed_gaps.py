"""Gaps of contacts that constraints fix, as in ``contact_rows.h``.

A row w of a contact acts as the force w. Constraints fix it if their forces balance it in every free component:
w = Bᵀλ, up to rounding.
"""

from __future__ import annotations

import numpy as np

from symlie.contract.constants import FIXED_GAP
from symlie.errors import FixedGapError
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.mechanics import Mechanics


def check_gap(mechanics: Mechanics, t: float, contact: int, B: Array, w: Array, response: tuple[Array, Array]) -> None:
    """Raise FixedGapError if constraints fix the gap of a contact, or if its gradient w vanishes, for the acceleration
    and the multipliers λ that the force w along the gap causes with their B."""
    name, (acceleration, multipliers) = mechanics.layout.contact_names[contact], response
    if not w.any():
        raise FixedGapError(
            f"The gradient of the gap of contact '{name}', which closes at t = {t:.9g}, vanishes there: its force has "
            "no direction. Use a gap that changes with the distance at first order, such as a signed distance."
        )
    pull = mechanics.algebra.pull
    left = np.abs(w - pull(B, multipliers))
    terms = np.abs(w) + pull(np.abs(B), np.abs(multipliers))
    if ((acceleration == 0) | (left <= FIXED_GAP * terms)).all():
        raise FixedGapError(
            f"Constraints fix the gap of contact '{name}', which closes at t = {t:.9g}: its force is not determined. "
            "Remove the contact, or the joint, constraint or prescribed motion along its gap."
        )
