"""Successive corrections of a stage with contacts, as `continue_contacts` in ``contact_solution.h``.

The linearisation omits the change of the slip rows. Where contacts nearly lock a body, corrections therefore decrease
slowly or grow, and Anderson's acceleration with one difference finds their limit.

Source: [WalkerNi2011].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symlie.contract.constants import CONTACT_STEPS
from symlie.runtime.layout.layout import Array


@dataclass(frozen=True, eq=False)
class Corrected:
    """Unknowns after a correction, and its part of the velocities or increments."""

    u: Array
    d: Array

    def extrapolated(self, before: Corrected | None, k: int) -> Array:
        """Return the unknowns of the next correction, after the one with the index k and the one before."""
        if before is None or k < CONTACT_STEPS:
            return self.u
        turned = self.d - before.d
        square = float(turned @ turned)
        share = float(self.d @ turned) / square if square > 0 else 0.0
        return np.asarray(self.u - share * (self.u - before.u))
