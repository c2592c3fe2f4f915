"""Instructions of step programs. Fields that are values are inputs; all others are constants."""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import ClassVar, get_args, get_type_hints

from symlie.runtime.steps.expressions import Scalar, Value, Vector
from symlie.runtime.steps.values import Acceleration, Algebra, Configuration, Jacobian, Multiplier, StoredRate, Velocity


@dataclass(frozen=True)
class Instruction:
    """Operation on vectors of a system; h is the length of the step, and t its start."""

    makes: ClassVar[tuple[type[Value], ...]] = ()
    """Kinds of the results."""
    has_effects: ClassVar[bool] = False
    """True if the instruction is executed even if nothing reads its results, since it may fail or end the step."""
    is_of_nodes: ClassVar[bool] = False
    """True if the result of each node depends on this node alone."""
    is_elementwise: ClassVar[bool] = False
    """True if the result may overwrite any input."""
    overwritten: ClassVar[tuple[str, ...]] = ()
    """Fields of inputs that the results overwrite, in the order of the results."""
    arrays: ClassVar[tuple[str, ...]] = ()
    """Arrays in C that contain the results already, in the order of the results."""

    @property
    def results(self) -> tuple[type[Value], ...]:
        """Kinds of the results."""
        return self.makes

    @property
    def inputs(self) -> tuple[Value, ...]:
        """All inputs."""
        stated = (getattr(self, f.name) for f in fields(self))
        parts = (x if isinstance(x, tuple) else (x,) for x in stated)
        return tuple(x for part in parts for x in part if isinstance(x, Value))

    @property
    def is_by_blocks(self) -> bool:
        """True if blocks of nodes are processed in turn, so that their increments and rates stay in the cache."""
        return self.is_of_nodes

    def mistakes(self) -> Iterator[str]:
        """Yield a phrase for each input of the wrong kind."""
        for name, kinds in _kinds(type(self)).items():
            found = getattr(self, name)
            if not isinstance(found, kinds) and not (float in kinds and isinstance(found, int)):
                wanted = " or ".join(kind.kind for kind in kinds if issubclass(kind, Value))
                yield f"{name} must be a value of the kind {wanted}, not {described(found)}"


_KINDS: dict[type[object], dict[str, tuple[type, ...]]] = {}
"""Admitted types of the fields of each instruction that are single values."""


def _kinds(instruction: type[object]) -> dict[str, tuple[type, ...]]:
    """Return the admitted types of the fields of an instruction that are single values."""
    if instruction not in _KINDS:
        found = {}
        for name, hint in get_type_hints(instruction).items():
            kinds = get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
            if any(isinstance(kind, type) and issubclass(kind, Value) for kind in kinds):
                found[name] = kinds
        _KINDS[instruction] = found
    return _KINDS[instruction]


def described(value: object) -> str:
    """Return the kind of a value, or the representation of another object."""
    return value.kind if isinstance(value, Value) else repr(value)


@dataclass(frozen=True)
class Moving(Instruction):
    """x, and zero for nodes of types that increments do not move."""

    x: Algebra

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra,)
    is_of_nodes: ClassVar[bool] = True
    is_elementwise: ClassVar[bool] = True


@dataclass(frozen=True)
class InverseTangent(Instruction):
    """T⁻¹(θ) x of the local coordinates."""

    theta: Algebra
    x: Algebra

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra,)
    is_of_nodes: ClassVar[bool] = True


@dataclass(frozen=True)
class Bracket(Instruction):
    """[x, y]."""

    x: Vector
    y: Vector

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra,)
    is_of_nodes: ClassVar[bool] = True


@dataclass(frozen=True)
class Sum(Instruction):
    """base + h Σ weight·x, in the order of the terms; the base is zero if it is None."""

    base: Configuration | Velocity | None
    weights: tuple[float | Scalar, ...]
    terms: tuple[StoredRate | Acceleration | Algebra, ...]

    is_elementwise: ClassVar[bool] = True

    @property
    def results(self) -> tuple[type[Value], ...]:
        return (Algebra if self.base is None else type(self.base),)

    @property
    def is_by_blocks(self) -> bool:
        return self.base is None


@dataclass(frozen=True)
class Combination(Instruction):
    """Σ weight·x, in the order of the terms."""

    kind: type[Vector]
    weights: tuple[float | Scalar, ...]
    terms: tuple[Vector, ...]

    is_elementwise: ClassVar[bool] = True

    @property
    def results(self) -> tuple[type[Value], ...]:
        return (self.kind,)


@dataclass(frozen=True)
class WithStates(Instruction):
    """x, with the components of another vector for first-order states."""

    kind: type[Vector]
    x: Vector
    of_states: Vector

    overwritten: ClassVar[tuple[str, ...]] = ("x",)

    @property
    def results(self) -> tuple[type[Value], ...]:
        return (self.kind,)


@dataclass(frozen=True)
class Operation(Instruction):
    """Sum, difference, product or quotient of two numbers."""

    operator: str
    x: Scalar | float
    y: Scalar | float

    makes: ClassVar[tuple[type[Value], ...]] = (Scalar,)


@dataclass(frozen=True)
class Where(Instruction):
    """x if a number is not 0, otherwise y: numbers, or vectors of the same kind."""

    kind: type[Value]
    condition: Scalar
    x: Value | float
    y: Value | float

    is_elementwise: ClassVar[bool] = True

    @property
    def results(self) -> tuple[type[Value], ...]:
        return (self.kind,)

    def mistakes(self) -> Iterator[str]:
        yield from super().mistakes()
        kinds = (Scalar, float) if self.kind is Scalar else (self.kind,)
        for value in (self.x, self.y):
            if not isinstance(value, kinds):
                yield f"both values must be of the kind {self.kind.kind}, but one is {described(value)}"


@dataclass(frozen=True)
class Earlier(Instruction):
    """Part of the state at the start of an earlier step, or the length of that step."""

    part: str
    """Name in `HISTORY`."""
    steps: int
    """Number of steps before the current one."""

    @property
    def results(self) -> tuple[type[Value], ...]:
        return (HISTORY[self.part],)


HISTORY: dict[str, type[Value]] = {
    "lengths": Scalar,
    "configurations": Configuration,
    "velocities": Velocity,
    "accelerations": Acceleration,
}
"""Parts of the state that later steps can read, in the order in which they are stored."""


@dataclass(frozen=True)
class Add(Instruction):
    """base + hⁿ weight·x."""

    base: Velocity | Algebra
    power: int
    weight: float
    x: Acceleration | Algebra

    is_elementwise: ClassVar[bool] = True

    @property
    def results(self) -> tuple[type[Value], ...]:
        return (type(self.base),)

    @property
    def is_by_blocks(self) -> bool:
        return isinstance(self.base, Algebra)


@dataclass(frozen=True)
class Advance(Instruction):
    """q∘exp(θ), or its counterpart in other local coordinates, with a check of the domain of these."""

    q: Configuration
    theta: Algebra

    makes: ClassVar[tuple[type[Value], ...]] = (Configuration,)
    has_effects: ClassVar[bool] = True
    is_of_nodes: ClassVar[bool] = True


@dataclass(frozen=True)
class At(Instruction):
    """q and v with prescribed and dependent nodes at t + c h."""

    c: float
    q: Configuration
    v: Velocity

    makes: ClassVar[tuple[type[Value], ...]] = (Configuration, Velocity)
    overwritten: ClassVar[tuple[str, ...]] = ("q", "v")


@dataclass(frozen=True)
class VelocityAt(Instruction):
    """v with prescribed and dependent nodes at t + c h, where q has them already."""

    c: float
    q: Configuration
    v: Velocity

    makes: ClassVar[tuple[type[Value], ...]] = (Velocity,)
    overwritten: ClassVar[tuple[str, ...]] = ("v",)


@dataclass(frozen=True)
class Difference(Instruction):
    """log(start⁻¹∘end)."""

    start: Configuration
    end: Configuration

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra,)


@dataclass(frozen=True)
class End(Instruction):
    """End of the step: checks of the state and of all increments; the result is q, on its group if it is to be."""

    q: Configuration
    v: Velocity
    theta: Algebra
    is_on_group: bool = True

    makes: ClassVar[tuple[type[Value], ...]] = (Configuration,)
    has_effects: ClassVar[bool] = True


@dataclass(frozen=True)
class KeepHistory(Instruction):
    """The start of the step becomes the latest one of the earlier states, with v' there."""

    acceleration: Acceleration | None


@dataclass(frozen=True)
class Multipliers(Instruction):
    """λ at the end of the step."""

    multiplier: Multiplier


@dataclass(frozen=True)
class NextStage(Instruction):
    """v' at the end of the step, for the first stage of the next one."""

    acceleration: Acceleration


@dataclass(frozen=True)
class Residuals(Instruction):
    """Largest entries of Φ and of B v + b at the end of the step; B is evaluated if it is None."""

    q: Configuration
    v: Velocity
    jacobian: Jacobian | None


@dataclass(frozen=True)
class Estimate(Instruction):
    """Norm of the error of (θ, v), from the embedded formula."""

    theta: Algebra
    theta_hat: Algebra
    v_n: Velocity
    v: Velocity
    v_hat: Velocity
