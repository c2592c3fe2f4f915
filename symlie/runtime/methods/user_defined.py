"""User-defined methods: functions that write a step to a recorder."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Self

from symlie.errors import FormatError, ModelError
from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.library import method as method_of_library
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.steps.calls import Call, repeat
from symlie.runtime.steps.instructions import Bracket, Earlier, Estimate, InverseTangent, Multipliers, StageBetween
from symlie.runtime.steps.program import Features, Program
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.tableau import Tableau

FIRST_STEPS = "half_explicit_5"
"""Default method of the first steps if a step reads earlier states."""

_ALL = Features(
    constrained=True,
    has_fields=True,
    has_coordinate_rates=True,
    has_motions=True,
    has_resting_types=True,
    has_redundant_rows=True,
    has_nonlinear_rows=True,
)
"""Features for which no instruction is omitted and no results coincide."""


@dataclass(frozen=True, repr=False)
class UserDefined(ProgrammedMethod):
    """User-defined method for systems without constraints."""

    calls: str = field(default="[]", kw_only=True)
    """Calls of the recorder as JSON text."""
    first_steps: str = field(default=FIRST_STEPS, kw_only=True)
    """Method of the first steps if the step reads earlier states."""

    family: ClassVar[str] = "user_defined"
    takes_coordinate_rates: ClassVar[bool] = True
    has_coefficients: ClassVar[bool] = False

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        calls, first = reader.entry.get("calls"), reader.entry.get("first_steps", FIRST_STEPS)
        if not isinstance(calls, list) or not all(isinstance(call, list) and len(call) == 4 for call in calls):
            raise FormatError(f"The step program of method '{reader.name}' is damaged.")
        found = cls(Tableau(**reader.common(), c=()), calls=json.dumps(calls), first_steps=str(first))
        return replace(found, entry=reader.entry)

    @cached_property
    def full(self) -> Program:
        """The step for systems with all features."""
        return self.program(_ALL)

    def _has(self, *kinds: type) -> bool:
        return any(isinstance(line.instruction, kinds) for line in self.full.lines)

    @property
    def is_free_of_commutators(self) -> bool:
        return not self._has(InverseTangent, Bracket)

    @property
    def start(self) -> ProgrammedMethod | None:
        if not self.full.history:
            return None
        found = method_of_library(self.first_steps)
        if not isinstance(found, ProgrammedMethod) or found.start is not None:
            raise ModelError(f"Method {self.name}: {self.first_steps} cannot take the first steps; use {FIRST_STEPS}.")
        return found

    @property
    def restarts_at_switches(self) -> bool:
        return bool(self.full.history)

    @property
    def restarts_at_kinks(self) -> bool:
        return bool(self.full.history) and self.order > 2

    def refusal(self, layout: Layout) -> str | None:
        if (found := super().refusal(layout)) or not (layout.has_fields and self._has(Earlier)):
            return found
        return (
            f"Method '{self.name}' reads earlier states, which contain no rates of first-order states, as in "
            f"'{layout.name}'; use cf4 or another method with a single step."
        )

    def write_step(self, s: StepRecorder) -> None:
        repeat((Call(*call) for call in json.loads(self.calls)), s)


@dataclass(frozen=True, repr=False)
class UserDefinedWithConstraints(UserDefined):
    """User-defined method that determines multipliers."""

    takes_constraints: ClassVar[bool] = True

    @property
    def keeps_hidden_constraints(self) -> bool:
        return self._has(StageBetween)


def user_defined(name: str, entry: Mapping[str, object]) -> UserDefined:
    """Return the method of recorded calls."""
    found = UserDefined.read(EntryReader(name, entry))
    return UserDefinedWithConstraints.read(EntryReader(name, entry)) if found._has(Multipliers) else found


def method(
    *, order: int, order_hat: int | None = None, first_steps: str = FIRST_STEPS, name: str | None = None
) -> Callable[[Callable[[StepRecorder], None]], UserDefined]:
    """Decorate a function that writes a step, so that it becomes an integration method.

    The method is an argument ``method=`` of `solve`, or ``FILE.py:name`` on the command line. Its step runs in compiled
    code and in NumPy. Solutions and checkpoints contain the step, so that they can be continued without the function.

    Parameters
    ----------
    order
        Order of q and v, at least 1; ``symlie order FILE.py:name`` measures it.
    order_hat
        Order of the embedded formula if the step has an estimate, which adaptive steps need.
    first_steps
        Explicit method of the first steps, and of the steps after jumps, if the step reads ``s.previous(k)``.
    name
        Name of the method; by default that of the function.

    Returns
    -------
    A decorator for functions of one argument ``s``, a `StepRecorder`.

    Raises
    ------
    ModelError
        The step is incomplete, or contains a mistake; the message names its line.

    Examples
    --------
    The midpoint rule of Runge–Kutta–Munthe-Kaas type:

    >>> import symlie as sl
    >>> @sl.method(order=2)
    ... def midpoint(s):
    ...     first = s.stage(0, s.q, s.v)
    ...     theta = s.increment([1 / 2], [s.slope(first)])
    ...     middle = s.stage(1 / 2, s.advance(s.q, theta), s.velocity(s.v, [1 / 2], [first.acceleration]))
    ...     theta = s.increment([1], [s.inverse_tangent(theta, s.slope(middle))])
    ...     s.end(s.advance(s.q, theta), s.velocity(s.v, [1], [middle.acceleration]), theta)
    """

    def decorated(function: Callable[[StepRecorder], None]) -> UserDefined:
        s = StepRecorder(_ALL)
        function(s)
        program = s.program()
        stated = name or function.__name__
        if (order_hat is None) == any(isinstance(line.instruction, Estimate) for line in program.lines):
            detail = "has an estimate, but no order_hat" if order_hat is None else "has order_hat, but no estimate"
            raise ModelError(f"Method {stated} {detail}.")
        entry = {"family": UserDefined.family, "order": order, "first_steps": first_steps}
        entry |= {"calls": [list(call) for call in s.calls]} | ({} if order_hat is None else {"order_hat": order_hat})
        return user_defined(stated, entry)

    return decorated
