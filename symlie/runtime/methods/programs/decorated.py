"""Integration methods from functions that write a step."""

from __future__ import annotations

from collections.abc import Callable

from symlie.errors import ModelError
from symlie.runtime.methods.chosen import own_method
from symlie.runtime.methods.family import Method
from symlie.runtime.steps.implicit_instructions import ImplicitEnd
from symlie.runtime.steps.program import ALL_FEATURES
from symlie.runtime.steps.recorder import StepRecorder

START = "half_explicit_5"
"""Default method of the first steps if a step reads earlier states."""


BUILT_IN = ("discrete_start", "contact_start", "symplectic_stage", "StartingStep", "OrderChoice")
"""Instructions that need data of built-in methods."""


def method(
    *,
    order: int,
    order_hat: int | None = None,
    start: str = START,
    first_values: Callable[[StepRecorder], None] | None = None,
    index: int = 3,
    name: str | None = None,
) -> Callable[[Callable[[StepRecorder], None]], Method]:
    """Decorate a function that writes a step, so that it becomes an integration method.

    The method is an argument ``method=`` of `solve`, or ``FILE.py:name`` on the command line. Its step runs in compiled
    code and in NumPy. Checkpoints contain the step, so that `resume` does not need the function.

    Parameters
    ----------
    order
        Order of q and v, at least 1; ``symlie order FILE.py:name`` measures it.
    order_hat
        Order of the embedded formula if the step has an estimate, which adaptive steps need.
    start
        Explicit method of the first steps, and of the steps after jumps, if the step reads ``s.previous(k)``.
    first_values
        Function that writes the initial values of the arrays that the step carries, for a step of length ``s.h``;
        arrays without an initial value are zero.
    index
        3, or 2 for the stabilised form, of the constraints of an implicit step.
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

    def decorated(function: Callable[[StepRecorder], None]) -> Method:
        s = StepRecorder(ALL_FEATURES)
        function(s)
        program = s.program()
        titles = {line.instruction.title for line in program.lines}
        stated = name or function.__name__
        if (order_hat is None) == bool(program.results("error")):
            detail = "has an estimate, but no order_hat" if order_hat is None else "has order_hat, but no estimate"
            raise ModelError(f"Method {stated} {detail}.")
        unsupported = [title for title in BUILT_IN if title in titles]
        if program.first_steps > program.earlier_steps:
            unsupported.append("s.first_steps")
        if unsupported:
            raise ModelError(f"Method {stated} contains {unsupported[0]}, which belongs to built-in methods.")
        family = "user_defined_with_constraints" if program.results("lambda") else "user_defined"
        entry: dict[str, object] = {"family": family, "order": order, "start": start}
        if program.has(ImplicitEnd):
            if index not in (2, 3):
                raise ModelError(f"Method {stated}: index must be 2 or 3, not {index!r}.")
            entry |= {"family": "user_defined_implicit", "index": index}
        if first_values is not None:
            of_start = StepRecorder(ALL_FEATURES, is_step=False)
            first_values(of_start)
            unknown = {x.name for x in of_start.first_values().carried} - {x.name for x in program.carried}
            if unknown:
                raise ModelError(f"Method {stated} has an initial value of {unknown.pop()!r}, which it does not carry.")
            entry |= {"first_calls": [list(call) for call in of_start.calls]}
        entry |= {"calls": [list(call) for call in s.calls]} | ({} if order_hat is None else {"order_hat": order_hat})
        return own_method(stated, entry)

    return decorated
