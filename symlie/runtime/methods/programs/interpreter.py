"""Step programs in NumPy."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.implicit.implicit_step import without_traces
from symlie.runtime.implicit.impulse_stage import step_impulses
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.bdf.orders import NextOrder, StepSizes, next_order
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.implicit import Implicit
from symlie.runtime.methods.programs.constrained_stages import ConstrainedStages, weighted_multipliers
from symlie.runtime.methods.programs.contact_stages import ContactStages
from symlie.runtime.methods.programs.discrete_stages import SLOW_ENOUGH, DiscreteStages
from symlie.runtime.methods.programs.history import shifted
from symlie.runtime.methods.programs.implicit_end import EndFormula, hidden_violation
from symlie.runtime.methods.programs.starting_step import starting_step
from symlie.runtime.methods.programs.symplectic_stage import symplectic_stage
from symlie.runtime.steps.discrete_instructions import (
    ContactEnd,
    DiscreteEnd,
    DiscreteStart,
    Impulses,
    OfContacts,
    Projects,
    SymplecticStage,
)
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.implicit_instructions import (
    Carried,
    Carry,
    CarryNumber,
    FirstAcceleration,
    HiddenViolation,
    ImplicitEnd,
)
from symlie.runtime.steps.instructions import (
    Add,
    Advance,
    At,
    Bracket,
    Combination,
    Difference,
    Earlier,
    End,
    Estimate,
    Instruction,
    InverseTangent,
    KeepHistory,
    Moving,
    Multipliers,
    NextStage,
    Operation,
    Residuals,
    Sum,
    VelocityAt,
    Where,
    WithStates,
)
from symlie.runtime.steps.multistep_instructions import (
    Compose,
    ErrorNorm,
    Exponential,
    Inverse,
    OrderChoice,
    Relative,
    Rotation,
    StartingStep,
)
from symlie.runtime.steps.program import Program
from symlie.runtime.steps.stage_instructions import (
    CoordinateRate,
    DependentRows,
    Field,
    JacobianAt,
    MinimalMultipliers,
    MultiplierSum,
    Stage,
    StageBetween,
    StageWithMultipliers,
    StorageRate,
)
from symlie.runtime.steps.values import START_LAMBDA, START_Q, START_V, STEP_LENGTH, Acceleration, Configuration

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
        self._constrained = ConstrainedStages(stepper)
        start = {START_Q: state.q, START_V: state.v, START_LAMBDA: state.multipliers}
        self.arrays: dict[int, Array | float] = {value.number: array for value, array in start.items()}
        self.arrays[STEP_LENGTH] = h
        self.trial: Trial | None = None
        self._next: NextOrder | None = None

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
        m, kernels = stepper.mechanics, stepper.mechanics.kernels
        match instruction:
            case Stage(c, q, v, is_first):
                return self._stage(t + c * h, self[q], self[v], is_first)
            case StageWithMultipliers() | StageBetween():
                return self._constrained_stage(instruction)
            case StorageRate(q, x):
                assert stepper.further is not None
                return (stepper.further.storage_rate(self[q], self[x]),)
            case JacobianAt(c, q, v):
                return (m.jacobian(t + c * h, self[q], self[v]),)
            case MinimalMultipliers(multiplier, jacobian, _):
                return (self._constrained.minimal(self[multiplier], self[jacobian]),)
            case MultiplierSum(weights, terms):
                numbers = [self._number(w) for w in weights]
                return (weighted_multipliers(numbers, [self[x] for x in terms], stepper.rows),)
            case VelocityAt(c, q, v):
                velocity = self[v].copy()
                m.prescribe(t + c * h, self[q].copy(), velocity)
                return (velocity,)
            case Field(c, q, acceleration, multiplier, v):
                return (m.field(t + c * h, self[q], self[v], self[acceleration], self[multiplier]),)
            case CoordinateRate(q, x):
                return (m.coordinate_rate(self[q], self[x]),)
            case Moving(x):
                return (stepper.moving(self[x]),)
            case InverseTangent(theta, x):
                operator = (self._coordinates or kernels).inverse_tangent_operator
                return (stepper.moving(operator(self[theta], self[x])),)
            case Bracket(x, y):
                return (kernels.bracket(self[x], self[y]),)
            case Sum(base, weights, terms):
                weighted = (self._number(w) * self[x] for w, x in zip(weights, terms, strict=True))
                zero = np.zeros_like(self._state.q if isinstance(base, Configuration) else self._state.v)
                total = h * sum(weighted, zero)
                return (total if base is None else self[base] + total,)
            case Operation(name, x, y):
                return (OPERATORS[name](self._number(x), self._number(y)),)
            case Where(_, condition, x, y):
                chosen = x if self._number(condition) else y
                return (self.arrays[chosen.number] if isinstance(chosen, Value) else chosen,)
            case Combination(_, weights, terms):
                zero = np.zeros_like(self._state.v)
                return (sum((self._number(w) * self[x] for w, x in zip(weights, terms, strict=True)), zero),)
            case WithStates(_, x, of_states):
                return (np.where(m.layout.has_velocity, self[x], self[of_states]),)
            case Carried(name, kind):
                kept = self._own[self._parts[name]]
                return (float(kept[0]) if kind is Scalar else kept.copy(),)
            case Exponential() | Inverse() | Compose() | Relative():
                return (self._element(instruction),)
            case Rotation(theta, steps):
                stepper.check_chart(self._state.q, self[theta], times=2 * steps)
                return (4 * steps * steps * kernels.chart(self._state.q, self[theta]),)
            case StartingStep(acceleration):
                return self._starting_step(acceleration)
            case ErrorNorm(theta, theta_hat, v_n, v, v_hat):
                difference = np.concatenate([self[theta_hat] - self[theta], self[v_hat] - self[v]])
                return (stepper.control.error(self[theta], difference, self[v_n], self[v]),)
            case OrderChoice():
                return self._order_choice(instruction)
            case HiddenViolation(q, v, needed):
                if needed is None or self._number(needed) != 0 or stepper.control.with_estimate:
                    return (hidden_violation(stepper, t, self[q], self[v]),)
                return (np.zeros_like(self._state.v),)
            case ImplicitEnd():
                return self._implicit_end(instruction)
            case Projects():
                return (float(stepper.control.project_position or stepper.control.project_velocity),)
            case SymplecticStage(theta, q):
                return symplectic_stage(stepper, t, self[q], h, theta)
            case DiscreteStart():
                return self._discrete_start(instruction)
            case ContactEnd(q_n, v_n, q, theta, rest, is_damped, mu):
                vectors = self[q], self[theta], self[rest]
                ends = (self[q_n], self[v_n]), *vectors, self._number(is_damped), self[mu]
                return ContactStages(stepper, h).end_with_contacts(t, *ends)
            case Impulses(c, q, v):
                state = self[q], self[v]
                return step_impulses(
                    stepper.mechanics, stepper.contacts, t + c * h, h, state, SLOW_ENOUGH, stepper.newton
                )
            case OfContacts(contacts, others):
                return (np.where(stepper.contacts[0].rows, self[contacts], self[others]),)
            case DiscreteEnd(q_n, v_n, q, theta, rest, is_damped):
                vectors = self[q], self[theta], self[rest]
                return DiscreteStages(stepper, h).end(t, (self[q_n], self[v_n]), *vectors, self._number(is_damped))
            case Earlier(part, steps):
                return (self._history(part)[steps - 1],)
            case Add(base, power, weight, x):
                return (self[base] + math.prod([h] * power) * weight * self[x],)
            case Advance(q, theta):
                return (stepper.advance(self[q], self[theta], self._coordinates),)
            case At(c, q, v):
                at = self[q].copy(), self[v].copy()
                m.prescribe(t + c * h, *at)
                return at
            case Difference(start, end):
                return (kernels.difference(self[start], self[end]),)
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

    def _history(self, part: str) -> Array:
        """Return a part of the earlier states, latest first."""
        assert self._state.own is not None
        kept = self._state.own[self._parts[part]]
        layout = self._stepper.mechanics.layout
        sizes = {"configurations": layout.storage, "velocities": layout.dimension, "accelerations": layout.dimension}
        return kept.reshape(-1, sizes[part]) if part in sizes else kept

    def _stage(self, t: float, q: Array, v: Array, is_first: bool) -> tuple[Array, Array]:
        acceleration, multipliers = self._stepper.stage(self._state, 0 if is_first else 1, t, q, v)
        self._stages.append(acceleration)
        if self.trial is not None:
            self.trial.rhs_evaluations += 1
        return acceleration, multipliers

    def _constrained_stage(self, stage: StageWithMultipliers | StageBetween) -> tuple[Array, Array]:
        t, h = self._state.t, self._h
        point = t + stage.c * h, self[stage.q], self[stage.v], self[stage.jacobian]
        if isinstance(stage, StageBetween):
            guess = None if stage.guess is None else self[stage.guess]
            following = t + stage.next_c * h, self[stage.next_q], self[stage.next_jacobian]
            found = self._constrained.between(point, following, self[stage.known], h * stage.weight, guess)
        elif self._state.acceleration is not None:
            found = self._state.acceleration, self[stage.multiplier]
        else:
            found = self._constrained.with_multipliers(*point, self[stage.multiplier]), self[stage.multiplier]
        self._stages.append(found[0])
        return found

    def _discrete_start(self, start: DiscreteStart) -> tuple[Array, ...]:
        kind = ContactStages if start.has_contacts else DiscreteStages
        stages, t = kind(self._stepper, self._h), self._state.t + start.c * self._h
        q, v, theta, mu = (self[x] for x in (start.q, start.v, start.theta, start.mu))
        if self._number(start.is_solution):
            found = (*stages.known(t, q, theta), mu, self[start.rest])
        else:
            load = self[start.load] if self._number(start.has_load) else stages.load(t, q, v)
            found = stages.start(t, q, v, load, theta, mu)
        if start.c == 0:
            self._stepper.check_chart(q, found[1])
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

    def _element(self, instruction: Exponential | Inverse | Compose | Relative) -> Array:
        """Return a group element, or the increment between two of them."""
        kernels = self._stepper.further
        assert kernels is not None
        match instruction:
            case Exponential(theta):
                return kernels.exponential(self[theta])
            case Inverse(x):
                return kernels.inverse(self[x])
            case Compose(x, y):
                return kernels.compose(self[x], self[y])
            case Relative(x, y):
                return kernels.increment(self[x], self[y])

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
        match instruction:
            case CarryNumber(name, x):
                self._own[self._parts[name]] = self._number(x)
                return
            case Carry(name, vector):
                self._own[self._parts[name]] = without_traces(self[vector])
                return
            case FirstAcceleration(first):
                self._stages.append(self[first])
                return
        stepper, trial, state, t = self._stepper, self.trial, self._state, self._state.t + self._h
        if isinstance(instruction, DependentRows):
            self._constrained.dependent = stepper.mechanics.dependent_rows(self[instruction.jacobian])
            return
        assert trial is not None
        match instruction:
            case KeepHistory(acceleration):
                assert state.own is not None
                newest = {"lengths": np.array([self._h]), "configurations": state.q, "velocities": state.v}
                if acceleration is not None:
                    newest["accelerations"] = self[acceleration]
                trial.own = shifted(state.own, self._parts, newest, self._program.earlier_steps)
            case Multipliers(multiplier):
                trial.multipliers = self[multiplier]
            case NextStage(acceleration):
                trial.acceleration = self[acceleration]
            case Residuals(q, v, jacobian):
                at_end = stepper.mechanics.jacobian(t, self[q], self[v]) if jacobian is None else self[jacobian]
                stepper.measure(trial, t, self[q], self[v], at_end)
            case Estimate():
                trial.estimate(stepper.control, *map(self.__getitem__, instruction.inputs))
            case _:
                raise AssertionError(instruction)
