"""Loss and equations of an optimal control problem at some values of its unknowns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Array


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Loss and equations.

    Attributes
    ----------
    loss, by_loss
        Loss and its derivatives by all unknowns, shape (unknowns,).
    defects, by_defects
        Left-hand sides of the equations, shape (m,), and their derivatives, shape (m, unknowns).
    """

    loss: float
    by_loss: Array
    defects: Array
    by_defects: Array


class Transcription(Protocol):
    """Optimal control problem with finitely many unknowns, of which the first ones are the values of the controls."""

    @property
    def start(self) -> Array:
        """Guess of the unknowns, shape (unknowns,)."""
        ...

    @property
    def groups(self) -> list[list[NDArray[np.intp]]]:
        """Numbers of the unknowns that have the same unit, in parts with the same component."""
        ...

    def evaluation(self, unknowns: Array) -> Evaluation:
        """Return loss and equations; raise the errors of `solve`."""
        ...

    def hessian(self, unknowns: Array, multipliers: Array, of_loss: float) -> Array:
        """Return the second derivatives of the weighted sum of loss and defects, shape (unknowns, unknowns); raise
        UnsupportedMethodError if runs have none, and the errors of `solve`."""
        ...
