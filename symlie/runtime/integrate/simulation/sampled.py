"""Controllers in Python that are called at sample times."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.integrate.segments import GRID_TOLERANCE
from symlie.runtime.integrate.simulation.simulator_inputs import check_held
from symlie.runtime.solution.outputs import output_names
from symlie.runtime.system.system import System
from symlie.utilities.number_checks import is_number
from symlie.utilities.showing import Brief, line

OF_EVERY_STATE = ("q", "v", "state")
"""Names of the configuration, the velocity and the state among the quantities that a controller reads."""


@dataclass(frozen=True, eq=False, repr=False)
class Sampled(Brief):
    """Controller in Python that `solve` and `Simulator` call at sample times.

    At the times t₀ + k period, where t₀ is the start of the run, the function is called with the time, in s, and the
    values that it reads, and returns the values that it writes. Steps reach these times exactly. A value is held from
    its sample time, or from ``delay`` later, until the next one; before, the input has the value of its table of one
    point from `System.with_input`, or is zero. All controllers of one sample time read the state and the inputs
    before it.

    Attributes
    ----------
    function
        ``function(t, *values)``, with one value for each name in ``reads``, where outputs are numbers or arrays. It
        returns the value of an input, a number or of shape (size,), or a sequence of values if ``writes`` has several
        names. It can be an object with a method ``__call__`` that changes its own attributes.
    period
        Time between two samples, in s; with fixed steps a multiple of the step size.
    reads
        Names of outputs, as in `System.outputs`, or ``"q"``, ``"v"`` and ``"state"``, which are the configuration, the
        velocity and the `State`, unless an output has this name.
    writes
        Names of inputs, which no other controller writes.
    delay
        Time from a sample to the change of the inputs, in s; with fixed steps a multiple of the step size.
    """

    function: Callable[..., object]
    _: KW_ONLY
    period: float
    reads: Sequence[str] = ()
    writes: Sequence[str]
    delay: float = 0.0

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ModelError(f"A controller must be a function, not {self.function!r}.")
        if not (is_number(self.period) and 0 < self.period < math.inf):
            raise ModelError(f"The period of {self.title} must be a positive number of seconds, not {self.period!r}.")
        if not (is_number(self.delay) and 0 <= self.delay < math.inf):
            raise ModelError(f"The delay of {self.title} must not be negative, but it is {self.delay!r} s.")
        for what in ("reads", "writes"):
            stated = getattr(self, what)
            names = (stated,) if isinstance(stated, str) else tuple(stated)
            if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
                raise ModelError(f"The argument {what} of {self.title} must be different names, not {stated!r}.")
            object.__setattr__(self, what, names)
        if not self.writes:
            raise ModelError(f"The controller '{self.name}' writes no input; name one in writes.")
        object.__setattr__(self, "period", float(self.period))
        object.__setattr__(self, "delay", float(self.delay))

    def __repr__(self) -> str:
        parts = [self.name, f"period={self.period:g} s", f"reads={', '.join(self.reads)}"]
        return line("Sampled", [*parts, f"writes={', '.join(self.writes)}", f"delay={self.delay:g} s"])

    @property
    def name(self) -> str:
        """Name of the function, or of its class."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    @property
    def title(self) -> str:
        """Name for messages."""
        return f"the controller '{self.name}'"


def checked_controllers(
    system: System, controllers: Sequence[Sampled] | Sampled, h: float | None
) -> tuple[Sampled, ...]:
    """Return the controllers of a system, for steps of the size h in s or adaptive ones; raise ModelError,
    UnknownNameError or SmoothnessError."""
    found = tuple(controllers) if isinstance(controllers, Sequence) else (controllers,)
    known, owners = [*output_names(system.layout), *OF_EVERY_STATE], dict[str, Sampled]()
    for controller in found:
        if not isinstance(controller, Sampled):
            raise ModelError(f"A controller must be an sl.Sampled, not {controller!r:.40}.")
        for name in controller.reads:
            if name not in known:
                raise UnknownNameError(
                    f"The controller '{controller.name}' reads '{name}', but '{system.name}' has no output of this "
                    f"name; it has: {', '.join(known)}."
                )
        for name in controller.writes:
            check_held(system, name)
            if name in owners:
                raise ModelError(
                    f"The controllers '{owners[name].name}' and '{controller.name}' both write the input '{name}'; "
                    "each input needs one controller."
                )
            owners[name] = controller
        if h is not None and is_number(h) and h > 0:
            _check_multiples(controller, h)
    return found


def _check_multiples(controller: Sampled, h: float) -> None:
    """Raise ModelError unless period and delay are multiples of a step size, in s."""
    for what in ("period", "delay"):
        ratio = getattr(controller, what) / h
        if abs(ratio - round(ratio)) > GRID_TOLERANCE * ratio:
            raise ModelError(
                f"The {what} of {controller.title}, {getattr(controller, what):g} s, is not a multiple of the step "
                f"size h = {h:g} s; change one of them, or use adaptive steps."
            )
