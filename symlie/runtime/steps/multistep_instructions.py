"""Instructions of multi-step methods: starting steps, and the choice of the order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.instructions import Instruction
from symlie.runtime.steps.values import Acceleration, Algebra, Configuration, Velocity


@dataclass(frozen=True)
class StartingStep(Instruction):
    """Step by the starting method, in substeps so short that halving them hardly changes velocities.

    The results are q, v, v' and the increment. If the starting method does not compute v' at the end, it is that of the
    input.
    """

    acceleration: Acceleration

    makes: ClassVar[tuple[type[Value], ...]] = (Configuration, Velocity, Acceleration, Algebra)
    has_effects: ClassVar[bool] = True


@dataclass(frozen=True)
class OrderChoice(Instruction):
    """Error of the step, order and length of the next one, from norms of divided differences.

    The results are the number of known points, the order, the number of steps since it changed, and 1 if the start of
    this step is omitted from the history.
    """

    known: Scalar
    """Number of known points before the start of the step."""
    order: Scalar
    equal: Scalar
    """Number of steps since the last change of order or length."""
    lengths: tuple[Scalar, ...]
    """Lengths of earlier steps, latest first."""
    norms: tuple[Scalar, ...]
    """Norms for the orders one, two, …; those of orders above the number of known points are not used."""
    rotation: Scalar
    """(2 n ϑ)² for the rotation angle ϑ of the step and the number n of points of the history."""

    makes: ClassVar[tuple[type[Value], ...]] = (Scalar, Scalar, Scalar, Scalar)
    has_effects: ClassVar[bool] = True
