"""Instructions of adjoint steps, which propagate cotangents from the end of a step to its start.

Cotangents of configurations are in the dual of the Lie algebra. All of them have the kind of the vectors whose
components they are paired with; inputs that are None are zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.instructions import Instruction, Kernel
from symlie.runtime.steps.stage_instructions import Stage, StageBetween
from symlie.runtime.steps.values import Algebra, Multiplier


@dataclass(frozen=True)
class EndCotangents(Instruction):
    """Cotangents of q, v, λ and v' at the end of the step."""

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra, Algebra, Multiplier, Algebra)
    arrays: ClassVar[tuple[str, ...]] = ("after->q", "after->v", "after->lambda", "after->acceleration")


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
class AdjointTranspose(Instruction):
    """Ad(x)ᵀ y or Ad(x⁻¹)ᵀ y of a group element x."""

    x: Value
    y: Value
    is_inverse: bool

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra,)


@dataclass(frozen=True)
class StageCotangents(Instruction):
    """Cotangents of q and v from those of v' and λ; derivatives by parameters and inputs are accumulated."""

    stage: Stage
    acceleration: Value
    multiplier: Value
    of_acceleration: Value | None
    of_multiplier: Value | None

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra, Algebra)
    has_effects: ClassVar[bool] = True

    @property
    def inputs(self) -> tuple[Value, ...]:
        return (*self.stage.inputs, *super().inputs)


@dataclass(frozen=True)
class FirstStageCotangents(StageCotangents):
    """The same for a stage at the start of a step; if v' and λ are known from the previous step, their cotangents are
    passed on, and those of q and v are zero."""

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra, Algebra, Multiplier)


@dataclass(frozen=True)
class KnownMultiplierCotangents(Instruction):
    """Cotangents of q, v and λ from that of v' at the start of a step; if v' is known from the previous step, they are
    zero, and its cotangent is passed on."""

    stage: Stage
    acceleration: Value
    of_acceleration: Value

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra, Algebra, Multiplier)
    has_effects: ClassVar[bool] = True

    @property
    def inputs(self) -> tuple[Value, ...]:
        return (*self.stage.inputs, *super().inputs)


@dataclass(frozen=True)
class StageBetweenCotangents(Instruction):
    """Cotangents of q and v of a stage, of q at the next point, and of the known part of the velocity there, from those
    of v' and λ."""

    stage: StageBetween
    acceleration: Value
    multiplier: Value
    of_acceleration: Value | None
    of_multiplier: Value | None

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra, Algebra, Algebra, Algebra)
    has_effects: ClassVar[bool] = True

    @property
    def inputs(self) -> tuple[Value, ...]:
        return (*self.stage.inputs, *super().inputs)


@dataclass(frozen=True)
class FieldCotangents(Instruction):
    """Cotangents of q, v, v' and λ from that of the rates of first-order states and of the velocities."""

    field: Kernel
    x: Value

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra, Algebra, Algebra, Multiplier)
    has_effects: ClassVar[bool] = True

    @property
    def inputs(self) -> tuple[Value, ...]:
        return (*self.field.inputs, self.x)


@dataclass(frozen=True)
class DependentCotangents(Instruction):
    """Cotangents of q and v without prescribed and dependent nodes, from those with them at t + c h."""

    c: float
    q: Value
    v: Value
    of_q: Value | None
    of_v: Value | None

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra, Algebra)
    has_effects: ClassVar[bool] = True


@dataclass(frozen=True)
class StartCotangents(Instruction):
    """Cotangents of q, v and λ at the start of the step; those of initial values are added to others."""

    q: Value | None
    v: Value | None
    multiplier: Value | None
    are_added: bool

    has_effects: ClassVar[bool] = True
