"""Instructions of adjoint steps, which propagate cotangents from the end of a step to its start.

Cotangents of configurations are in the dual of the Lie algebra. All of them have the kind of the vectors whose
components they are paired with; inputs that are None are zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.instructions import Instruction, Kernel
from symlie.runtime.steps.values import Algebra, Configuration, Multiplier, Velocity


@dataclass(frozen=True)
class EndCotangents(Instruction):
    """Cotangents of q, v, λ and v' at the end of the step."""

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra, Algebra, Multiplier, Algebra)
    arrays: ClassVar[tuple[str, ...]] = ("after->q", "after->v", "after->lambda", "after->acceleration")


@dataclass(frozen=True)
class FinishCotangents(Instruction):
    """Cotangents of q, v and λ before the end of the step is projected onto the constraints and λ replaced by that of
    minimal norm, and of q and v at its start, from those at the end."""

    q: Configuration
    v: Velocity
    multiplier: Multiplier | None
    """λ; None: that of a starting method."""
    cotangents: tuple[Value, ...]

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra, Algebra, Multiplier, Algebra, Algebra)


@dataclass(frozen=True)
class CarriedCotangents(Instruction):
    """Cotangents of an array that the method carries to the next step."""

    name: str
    kind: type[Value]

    @property
    def results(self) -> tuple[type[Value], ...]:
        return (self.kind,)


@dataclass(frozen=True)
class StartOfCarried(Instruction):
    """Cotangents of an array that the method carries from the previous step."""

    name: str
    kind: type[Value]
    x: Value | None

    has_effects: ClassVar[bool] = True


@dataclass(frozen=True)
class CarriedAtEnd(Instruction):
    """Numbers of the step in the method history."""

    names: tuple[str, ...]

    @property
    def results(self) -> tuple[type[Value], ...]:
        return (Scalar,) * len(self.names)


@dataclass(frozen=True)
class Transpose(Instruction):
    """Cotangents of inputs of an instruction from those of its results; derivatives by parameters and inputs of the
    model are accumulated.

    `symlie.runtime.steps.adjoint.transposition` determines the inputs and results of each instruction. Those of a first
    stage, whose v' may be known from the previous step, are passed on in this case.
    """

    of: Instruction
    read: tuple[Value, ...]
    """Inputs and results of the instruction that determine its derivatives."""
    cotangents: tuple[Value | None, ...]
    """Cotangents of results."""
    kinds: tuple[type[Value], ...]

    @property
    def has_effects(self) -> bool:
        return not isinstance(self.of, Kernel) or self.of.has_time

    @property
    def results(self) -> tuple[type[Value], ...]:
        return self.kinds


@dataclass(frozen=True)
class StartCotangents(Instruction):
    """Cotangents of q, v and λ at the start of the step; those of initial values are added to others."""

    q: Value | None
    v: Value | None
    multiplier: Value | None
    are_added: bool

    has_effects: ClassVar[bool] = True
