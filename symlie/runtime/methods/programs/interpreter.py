"""Step programs in NumPy."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.contract.sets import COORDINATE_RATES, CORE
from symlie.runtime.implicit.implicit_step import without_traces
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.bdf.orders import NextOrder, StepSizes, next_order
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.implicit import Implicit
from symlie.runtime.methods.programs.implicit_end import EndFormula
from symlie.runtime.methods.programs.solutions import Solutions
from symlie.runtime.methods.programs.starting_step import starting_step
from symlie.runtime.steps.equations import Solve
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.implicit_instructions import ImplicitEnd
from symlie.runtime.steps.instructions import (
    MOVING,
    STATES,
    At,
    Carried,
    Carry,
    End,
    ErrorNorm,
    Instruction,
    Kernel,
    Operation,
    Residuals,
    Result,
    Sum,
    Where,
)
from symlie.runtime.steps.multistep_instructions import OrderChoice, StartingStep
from symlie.runtime.steps.program import Program
from symlie.runtime.steps.stage_instructions import NextPoint, Stage
from symlie.runtime.steps.values import PROJECTS, START_LAMBDA, START_Q, START_V, STEP_LENGTH, Acceleration, Multiplier

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial


OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda x, y: float(np.divide(x, y)),
    "<=": lambda x, y: float(x <= y),
}
"""Operations on numbers."""


def interpreted(
    program: Program,
    stepper: Stepper,
    state: State,
    h: float,
    parts: Mapping[str, slice],
    starter: Method | None = None,
) -> Trial:
    """Compute a step of length h with a method history of the given parts, and a method of starting steps."""
    own = np.zeros(0) if state.own is None else state.own.copy()
    step = _Step(program, stepper, state, h, own, parts, starter)
    step.execute()
    assert step.trial is not None
    if program.carried:
        step.trial.own = own
    return step.trial


def first_values(
    program: Program, stepper: Stepper, state: State, h: float, own: Array, parts: Mapping[str, slice]
) -> Array:
    """Write the initial values of carried arrays to the method history, and return it."""
    _Step(program, stepper, state, h, own, parts).execute()
    return own


class _Step:
    """A step in progress.

    Attributes
    ----------
    arrays
        Values by number.
    trial
        Result of the step, from its end on.
    """

    def __init__(
        self,
        program: Program,
        stepper: Stepper,
        state: State,
        h: float,
        own: Array,
        parts: Mapping[str, slice],
        starter: Method | None = None,
    ) -> None:
        self._program, self._stepper, self._state, self._h = program, stepper, state, h
        self._own, self._parts, self._starter = own, parts, starter
        self._coordinates = None if program.coordinates == "exp" else stepper.further
        self._stages: list[Array] = []
        self._solutions = Solutions(stepper, state.t, h)
        start = {START_Q: state.q, START_V: state.v, START_LAMBDA: state.multipliers}
        self.arrays: dict[int, Array | float] = {value.number: array for value, array in start.items()}
        self.arrays[STEP_LENGTH] = h
        self.arrays[PROJECTS] = float(stepper.control.is_projected)
        self.trial: Trial | None = None
        self._next: NextOrder | None = None
        self._difference: Array | None = None

    def execute(self) -> None:
        """Execute the program."""
        for line in self._program.lines:
            if line.for_estimate and not self._stepper.control.with_estimate:
                break
            found = self.results(line.instruction)
            self.arrays.update(zip((x.number for x in line.results), found, strict=True))

    def __getitem__(self, value: Value) -> Array:
        found = self.arrays[value.number]
        assert not isinstance(found, float)
        return found

    def _number(self, value: Scalar | float) -> float:
        return float(self.arrays[value.number]) if isinstance(value, Scalar) else value

    def results(self, instruction: Instruction) -> tuple[Array | float, ...]:
        """Return the results of an instruction."""
        stepper, h, t = self._stepper, self._h, self._state.t
        m = stepper.mechanics
        match instruction:
            case Stage():
                return self._stage(instruction)
            case Kernel():
                return (self._kernel(instruction),)
            case Sum(kind, base, scale, weights, terms):
                weighted = (self._number(w) * self[x] for w, x in zip(weights, terms, strict=True))
                total = sum(weighted, self._zero(kind))
                if isinstance(scale, Scalar):
                    total = self._number(scale) * total
                return (total if base is None else self[base] + total,)
            case Operation(name, x, y):
                return (OPERATORS[name](self._number(x), self._number(y)),)
            case Where(_, Scalar() as condition, x, y):
                chosen = x if self._number(condition) else y
                return (self.arrays[chosen.number] if isinstance(chosen, Value) else chosen,)
            case Where(_, str(name), x, y):
                values = (self[value] if isinstance(value, Value) else value for value in (x, y))
                return (np.where(self._components(name), *values),)
            case Solve(name, values, c):
                given = (self.arrays[x.number] if isinstance(x, Value) else x for x in values)
                found: tuple[Array | float, ...] = getattr(self._solutions, name)(c, *given)
                return found
            case Carried(name, kind, steps):
                return (self._carried(name, kind, steps),)
            case StartingStep(acceleration):
                return self._starting_step(acceleration)
            case ErrorNorm(theta, theta_hat, v_n, v, v_hat):
                self._difference = np.concatenate([self[theta_hat] - self[theta], self[v_hat] - self[v]])
                return (stepper.control.error(self[theta], self._difference, self[v_n], self[v]),)
            case OrderChoice():
                return self._order_choice(instruction)
            case ImplicitEnd():
                return self._implicit_end(instruction)
            case At(c, q, v, is_placed):
                at = self[q].copy(), self[v].copy()
                m.prescribe(t + c * h, *at)
                return at[1:] if is_placed else at
            case End(q, v, theta, is_on_group):
                self.trial = stepper.trial(self._state, self[q], self[v], self._stages, len(self._stages), self[theta])
                if self._program.is_implicit:
                    self.trial.rhs_evaluations = stepper.newton.evaluations
                if self._next is not None:
                    self.trial.order, self.trial.error, self.trial.factor = self._next[4:]
                if not is_on_group:
                    self.trial.q = self[q]
                return (self.trial.q,)
            case _:
                self._complete(instruction)
                return ()

    def _zero(self, kind: type[Value]) -> Array:
        """Return a zero vector of a kind."""
        layout = self._stepper.mechanics.layout
        return np.zeros({"STORAGE": layout.storage, "ROWS": self._stepper.rows}.get(kind.size, layout.dimension))

    def _components(self, name: str) -> NDArray[np.bool_]:
        """Return a mask of a set of components."""
        layout = self._stepper.mechanics.layout
        if name == STATES:
            return ~layout.has_velocity
        return layout.moves if name == MOVING else self._stepper.contacts[0].rows

    def _kernel(self, kernel: Kernel) -> Array | float:
        stepper, name, values = self._stepper, kernel.name, [self[x] for x in kernel.values]
        if name == "advance":
            q, theta = values
            return stepper.advance(q, theta, self._coordinates)
        found: Array
        if kernel.has_time:
            found = getattr(stepper.mechanics, name)(self._state.t + kernel.c * self._h, *values)
            return found
        local = self._coordinates if name == "inverse_tangent_operator" else None
        further = None if kernel.entry.set in (CORE, COORDINATE_RATES) else stepper.further
        found = getattr(local or further or stepper.mechanics.kernels, name)(*values)
        if kernel.entry.is_value:
            return float(found)
        return stepper.moving(found) if kernel.entry.of_increments else found

    def _carried(self, name: str, kind: type[Value], steps: int) -> Array | float:
        """Return a value from the previous step, or from a number of steps before."""
        assert self._state.own is not None
        kept = self._state.own[self._parts[name]]
        if steps:
            kept = kept.reshape(-1, 1 if kind is Scalar else len(self._zero(kind)))[steps - 1]
        return float(kept[0]) if kind is Scalar else kept.copy()

    def _carry(self, carry: Carry) -> None:
        """Keep a value for the next step, or add it to the values of the latest steps."""
        place = self._parts[carry.name]
        is_number = isinstance(carry.x, Scalar | float)
        new = np.atleast_1d(self.arrays[carry.x.number] if isinstance(carry.x, Value) else carry.x)
        if carry.steps:
            new = np.concatenate([new, self._own[place]])[: place.stop - place.start]
        self._own[place] = new if is_number or carry.steps else without_traces(new)

    def _stage(self, stage: Stage) -> tuple[Array, Array]:
        stepper, state, h, t = self._stepper, self._state, self._h, self._state.t + stage.c * self._h
        q, v, constrained = self[stage.q], self[stage.v], self._solutions.constrained
        jacobian = q[:0] if stage.jacobian is None else self[stage.jacobian]
        match stage.condition:
            case None:
                found = stepper.stage(state, 0 if stage.is_first else 1, t, q, v)
            case Multiplier() as known if state.acceleration is not None:
                found = state.acceleration, self[known]
            case Multiplier() as known:
                found = constrained.with_multipliers(t, q, v, jacobian, self[known]), self[known]
            case NextPoint(next_c, next_q, next_jacobian, known_v, weight, about, _):
                guess = None if about is None else self[about]
                following = state.t + next_c * h, self[next_q], self[next_jacobian]
                found = constrained.between((t, q, v, jacobian), following, self[known_v], h * weight, guess)
        self._stages.append(found[0])
        if self.trial is not None and stage.condition is None:
            self.trial.rhs_evaluations += 1
        return found

    def _implicit_end(self, end: ImplicitEnd) -> tuple[Array | float, ...]:
        stepper, method = self._stepper, self._stepper.method
        assert isinstance(method, Implicit)
        has_velocity = stepper.mechanics.layout.has_velocity
        formula = EndFormula(end, self.__getitem__, self._number, stepper.further, has_velocity)
        multipliers = np.zeros(stepper.rows) if end.multiplier is None else self[end.multiplier]
        step, at = method.end_of_step(stepper, self._state, self._h, formula, self[end.guess], multipliers)
        if method.keeps_factors:
            record = step.record_after(stepper.newton.iterations, renews=method.renews_factors)
            self._own[len(self._own) - len(record) :] = record
        found = at.q, without_traces(at.v), without_traces(at.acceleration), at.multipliers, at.theta, at.w
        return (*found, formula.element, *formula.relative) if end.sees_end else found

    def _starting_step(self, acceleration: Acceleration) -> tuple[Array, ...]:
        stepper, state = self._stepper, self._state
        assert stepper.further is not None and self._starter is not None
        self.trial = trial = starting_step(stepper, self._starter, state, self._h)
        found = self[acceleration] if trial.acceleration is None else trial.acceleration
        return trial.q, trial.v, found, stepper.further.increment(state.q, trial.q)

    def _order_choice(self, choice: OrderChoice) -> tuple[float, ...]:
        """Choose the order of the next step; the result of the step takes its error when the step ends."""
        known = [int(self._number(x)) for x in (choice.known, choice.order, choice.equal)]
        lengths, norms = ([self._number(x) for x in values] for values in (choice.lengths, choice.norms))
        sizes, rotation = StepSizes(self._h, self._state.planned, lengths), self._number(choice.rotation)
        self._next = next_order(self._stepper.control, sizes, known, norms, rotation)
        return tuple(map(float, self._next[:4]))

    def _complete(self, instruction: Instruction) -> None:
        """Complete the result of the step, or change the data for the next one."""
        stepper, trial, t = self._stepper, self.trial, self._state.t + self._h
        match instruction:
            case Carry():
                self._carry(instruction)
            case Result("first_acceleration", x):
                self._stages.append(self[x])
            case Result("lambda", x) if trial is not None:
                trial.multipliers = self[x]
            case Result("acceleration", x) if trial is not None:
                trial.acceleration = self[x]
            case Result("angle", Scalar() as x):
                stepper.check_angle(self._number(x))
            case Result("error", Scalar() as x) if trial is not None:
                trial.difference, trial.error = self._difference, self._number(x)
            case Residuals(q, v, jacobian) if trial is not None:
                at_end = stepper.mechanics.jacobian(t, self[q], self[v]) if jacobian is None else self[jacobian]
                stepper.measure(trial, t, self[q], self[v], at_end)
            case _:
                raise AssertionError(instruction)
