"""Instructions of step programs. Fields that are values are inputs; all others are constants."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import ClassVar, get_args, get_type_hints

from symlie.contract.kernels import KERNELS, SystemKernel
from symlie.runtime.steps.expressions import Scalar, Value, Vector
from symlie.runtime.steps.values import (
    Acceleration,
    Algebra,
    Configuration,
    Jacobian,
    Multiplier,
    StoredRate,
    Velocity,
)


@dataclass(frozen=True)
class Instruction:
    """Operation on vectors of a system; h is the length of the step, and t its start."""

    makes: ClassVar[tuple[type[Value], ...]] = ()
    """Kinds of the results."""
    arrays: ClassVar[tuple[str, ...]] = ()
    """Arrays in C that contain the results already, in the order of the results."""

    @property
    def title(self) -> str:
        """Name in messages."""
        return type(self).__name__

    @property
    def has_effects(self) -> bool:
        """True if the instruction is executed even if nothing reads its results, since it may fail or end the step."""
        return False

    @property
    def is_by_blocks(self) -> bool:
        """True if the result of each node depends on this node alone: blocks of nodes are processed in turn, so that
        their increments and rates stay in the cache."""
        return False

    @property
    def is_elementwise(self) -> bool:
        """True if the result may overwrite any input."""
        return False

    @property
    def overwritten(self) -> tuple[Value, ...]:
        """Inputs that the results overwrite, in the order of the results."""
        return ()

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

    def mistakes(self) -> Iterator[str]:
        """Yield a phrase for each input of the wrong kind, also in the parts of named tuples."""
        stated = (getattr(self, f.name) for f in fields(self))
        for part in (self, *(x for x in stated if hasattr(x, "_fields"))):
            for name, kinds in _kinds(type(part)).items():
                yield from mistakes_of(name, getattr(part, name), kinds)


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


def mistakes_of(name: str, found: object, kinds: tuple[type, ...]) -> Iterator[str]:
    """Yield a phrase for an input of the wrong kind."""
    if not isinstance(found, kinds) and not (float in kinds and isinstance(found, int)):
        wanted = " or ".join(kind.kind for kind in kinds if issubclass(kind, Value))
        yield f"{name} must be a value of the kind {wanted}, not {described(found)}"


def described(value: object) -> str:
    """Return the kind of a value, or the representation of another object."""
    return value.kind if isinstance(value, Value) else repr(value)


_LETTERS: Mapping[str, type[Value]] = {
    "q": Configuration, "b": Configuration, "v": Velocity, "a": Acceleration, "λ": Multiplier, "u": Algebra,
    "w": Algebra, "x": Algebra,
}  # fmt: skip
"""Kinds of the arguments of system kernels."""

_RESULTS: Mapping[str, type[Value]] = {"jacobian": Jacobian, "storage_rate": StoredRate}
"""Kinds of the results of system kernels, where they do not follow from their size."""

SEPARATE = frozenset({
    "advance", "bracket", "bracket_transpose", "coordinate_rate", "field", "inverse_tangent_gradient",
    "inverse_tangent_operator", "inverse_tangent_transpose", "jacobian", "tangent_transpose",
})  # fmt: skip
"""System kernels that C calls by functions of ``steps.h``, which are inlined into the steps of small models."""


@dataclass(frozen=True)
class Kernel(Instruction):
    """System kernel, at t + c h if it depends on time.

    ``advance`` and ``inverse_tangent_operator`` belong to the local coordinates of the step, and ``advance`` checks
    their domain. The results of ``field`` and ``coordinate_rate`` overwrite velocities.
    """

    name: str
    values: tuple[Value, ...]
    """Arguments without the time."""
    c: float = 0.0

    @property
    def title(self) -> str:
        return self.name

    @property
    def entry(self) -> SystemKernel:
        """Entry of the table of system kernels."""
        return KERNELS[self.name]

    @property
    def has_time(self) -> bool:
        """True if the kernel depends on time."""
        return self.entry.arguments.startswith("t")

    @property
    def results(self) -> tuple[type[Value], ...]:
        usual = Scalar if self.entry.is_value else Configuration if self.entry.size == "storage" else Algebra
        return (_RESULTS.get(self.name, usual),)

    @property
    def has_effects(self) -> bool:
        return self.name == "advance"

    @property
    def is_by_blocks(self) -> bool:
        return self.name in SEPARATE and not self.overwritten and not self.has_time

    @property
    def overwritten(self) -> tuple[Value, ...]:
        return (self.values[1],) if self.name in ("field", "coordinate_rate") else ()

    def mistakes(self) -> Iterator[str]:
        for letter, value in zip(self.entry.arguments.removeprefix("t"), self.values, strict=True):
            kind = Vector if self.name == "bracket" else _LETTERS[letter]
            yield from mistakes_of(letter, value, (kind,))


@dataclass(frozen=True)
class Sum(Instruction):
    """base + scale Σ weight·x, in the order of the terms; the base is zero if it is None, and the scale h or 1."""

    kind: type[Value]
    base: Value | None
    scale: Scalar | float
    weights: tuple[float | Scalar, ...]
    terms: tuple[Value, ...]

    is_elementwise: ClassVar[bool] = True

    @property
    def results(self) -> tuple[type[Value], ...]:
        return (self.kind,)

    @property
    def is_by_blocks(self) -> bool:
        return self.kind is Algebra


@dataclass(frozen=True)
class Operation(Instruction):
    """Sum, difference, product, quotient or comparison of two numbers."""

    operator: str
    x: Scalar | float
    y: Scalar | float

    makes: ClassVar[tuple[type[Value], ...]] = (Scalar,)


STATES, MOVING, CONTACTS = "states", "moving", "contacts"
"""Components of first-order states, those of nodes that increments move, and multipliers of contacts."""


@dataclass(frozen=True)
class Where(Instruction):
    """x where a condition holds, otherwise y: numbers, or vectors of the same kind.

    The condition is a number that is not 0, or the name of a set of components.
    """

    kind: type[Value]
    condition: Scalar | str
    x: Value | float
    y: Value | float

    @property
    def results(self) -> tuple[type[Value], ...]:
        return (self.kind,)

    @property
    def is_elementwise(self) -> bool:
        return isinstance(self.condition, Scalar) or self.condition == MOVING

    @property
    def is_by_blocks(self) -> bool:
        return self.condition == MOVING

    @property
    def overwritten(self) -> tuple[Value, ...]:
        return (self.y,) if self.condition == STATES and isinstance(self.y, Value) else ()

    def mistakes(self) -> Iterator[str]:
        yield from super().mistakes()
        for value in (self.x, self.y):
            is_number = self.kind is Scalar or isinstance(self.condition, str)
            if not isinstance(value, (self.kind, float) if is_number else self.kind):
                yield f"both values must be of the kind {self.kind.kind}, but one is {described(value)}"


@dataclass(frozen=True)
class At(Instruction):
    """q and v with prescribed and dependent nodes at t + c h; v alone if q has them already."""

    c: float
    q: Configuration
    v: Velocity
    is_placed: bool = False

    @property
    def results(self) -> tuple[type[Value], ...]:
        return (Velocity,) if self.is_placed else (Configuration, Velocity)

    @property
    def overwritten(self) -> tuple[Value, ...]:
        return (self.v,) if self.is_placed else (self.q, self.v)


HISTORY: dict[str, type[Value]] = {
    "lengths": Scalar,
    "configurations": Configuration,
    "velocities": Velocity,
    "accelerations": Acceleration,
}
"""Parts of the state that later steps can read, in the order in which they are stored."""


@dataclass(frozen=True)
class Carried(Instruction):
    """Vector or number from the previous step, or, if it is part of `HISTORY`, from a number of steps before."""

    name: str
    kind: type[Value]
    steps: int = 0

    @property
    def results(self) -> tuple[type[Value], ...]:
        return (self.kind,)


@dataclass(frozen=True)
class Carry(Instruction):
    """Value for the next step; vectors without components that numerical damping has made negligible.

    With a number of steps, the value is added to the values of the latest steps, which remain unchanged.
    """

    name: str
    x: Value | float
    steps: int = 0


RESULTS: Mapping[str, type[Value]] = {
    "lambda": Multiplier, "acceleration": Acceleration, "first_acceleration": Acceleration, "error": Scalar,
    "angle": Scalar,
}  # fmt: skip
"""λ and v' at the end of the step, v' at its start if no stage computes it, the norm of its error, and the square of an
angle; the step fails if it reaches 2π."""


@dataclass(frozen=True)
class Result(Instruction):
    """Part of the result of the step with a name in `RESULTS`."""

    name: str
    x: Value

    def mistakes(self) -> Iterator[str]:
        yield from mistakes_of(self.name, self.x, (RESULTS[self.name],))


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
class Residuals(Instruction):
    """Largest entries of Φ and of B v + b at the end of the step; B is evaluated if it is None."""

    q: Configuration
    v: Velocity
    jacobian: Jacobian | None


@dataclass(frozen=True)
class ErrorNorm(Instruction):
    """Norm of the error of (θ, v), relative to the tolerances."""

    theta: Algebra
    theta_hat: Algebra
    v_n: Velocity
    v: Velocity
    v_hat: Velocity

    makes: ClassVar[tuple[type[Value], ...]] = (Scalar,)
