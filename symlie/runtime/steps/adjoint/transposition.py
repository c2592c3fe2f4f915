"""Adjoint of a step program: the program itself, followed by its transposed instructions in reverse order.

With cotangents x̄ of all values x, the instruction y = f(x) adds (∂f/∂x)ᵀ ȳ to x̄. For configurations, x̄ is paired with
the tangent in the Lie algebra. The transposed rules of an increment Q = q∘exp(θ) and of a rate K = T⁻¹(θ) x are

    θ̄ += T(θ)ᵀ Q̄,  q̄ += Q̄ - ad(θ)ᵀ T(θ)ᵀ Q̄  (1)
    x̄ += T⁻¹(θ)ᵀ K̄,  θ̄ += ∂(K̄ᵀ T⁻¹(θ) x)/∂θ  (2)

`templates/c/adjoint/adjoint_stages.h` contains those of stages, and `implicit_ends.h` those of Newton's method.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Iterator

from symlie.runtime.steps.adjoint.instructions import (
    BracketTranspose,
    CarriedCotangents,
    DependentCotangents,
    EndCotangents,
    FieldCotangents,
    FirstStageCotangents,
    HiddenViolationCotangents,
    ImplicitEndCotangents,
    InverseTangentGradient,
    InverseTangentTranspose,
    KnownMultiplierCotangents,
    Part,
    StageBetweenCotangents,
    StageCotangents,
    StartCotangents,
    StartOfCarried,
    TangentTranspose,
    Total,
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
    End,
    Instruction,
    InverseTangent,
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
from symlie.runtime.steps.program import Line, Program
from symlie.runtime.steps.stage_instructions import (
    Field,
    JacobianAt,
    MultiplierSum,
    Stage,
    StageBetween,
    StageWithMultipliers,
)
from symlie.runtime.steps.values import (
    START_LAMBDA,
    START_Q,
    START_V,
    Algebra,
    Multiplier,
)

TRANSPOSED = (
    Add, Advance, At, Bracket, Carried, Carry, CarryNumber, Combination, End, Field, FirstAcceleration, HiddenViolation,
    ImplicitEnd, InverseTangent, JacobianAt, Moving, Multipliers, MultiplierSum, NextStage, Operation, Residuals, Stage,
    StageBetween, StageWithMultipliers, Sum, VelocityAt, Where, WithStates,
)  # fmt: skip
"""Instructions with transposed rules."""

_WITHOUT_VALUES = (Carry, CarryNumber, End, FirstAcceleration, Multipliers, NextStage, Residuals)
"""Instructions that adjoint steps do not repeat."""


_Contribution = tuple[Value | None, Value, float | Scalar, int]
"""Value, and x, weight and n of the contribution hⁿ weight·x to its cotangent."""


def transposed(program: Program) -> Program:
    """Return the adjoint of a step program, all of whose instructions have transposed rules."""
    return _Transposition(program).program()


def missing_rule(program: Program) -> str:
    """Return the name of the first instruction without a transposed rule, or an empty text."""
    found = (x.instruction for x in program.lines if not x.for_estimate)
    return next((type(x).__name__ for x in found if not _has_rule(x)), "")


def _has_rule(instruction: Instruction) -> bool:
    """Return whether an instruction has a transposed rule; formulas in coordinates at the end of a step have none."""
    if isinstance(instruction, Where):
        return instruction.kind is Scalar
    if isinstance(instruction, ImplicitEnd):
        return not instruction.sees_end
    return isinstance(instruction, TRANSPOSED)


class _Transposition:
    def __init__(self, program: Program) -> None:
        self._program = program
        values = (x.number for line in program.lines for x in (*line.results, *line.instruction.inputs))
        self._numbers = itertools.count(max(values) + 1)
        self._lines: list[Line] = []
        self._terms: dict[int, list[tuple[int, float | Scalar, Value]]] = defaultdict(list)
        # v' at the end is a value of the state only if the first stage of the next step cannot be repeated.
        self._carries_acceleration = program.starts_from_acceleration

    def program(self) -> Program:
        lines = [line for line in self._program.lines if not line.for_estimate]
        for line in lines:
            instruction = line.instruction
            if isinstance(instruction, Stage) and not self._carries_acceleration:
                instruction = dataclasses.replace(instruction, is_first=False)
            if not isinstance(instruction, _WITHOUT_VALUES):
                self._lines.append(dataclasses.replace(line, instruction=instruction))
        if self._program.has_end:
            self._end = self._append(EndCotangents())
        for line in reversed(lines):
            self._transpose(line)
        multiplier = self._total(START_LAMBDA, Multiplier)
        are_added = not self._program.has_end
        self._append(StartCotangents(self._total(START_Q), self._total(START_V), multiplier, are_added))
        return Program(self._needed(), self._program.features, self._program.coordinates)

    def _needed(self) -> tuple[Line, ...]:
        """Return the lines whose results are read, or which have effects other than checks of stages."""
        found: list[Line] = []
        read: set[int] = set()
        for line in reversed(self._lines):
            has_effects = line.instruction.has_effects and not isinstance(line.instruction, Stage | Advance)
            if has_effects or any(x.number in read for x in line.results):
                found.append(line)
                read |= {x.number for x in line.instruction.inputs}
        return tuple(reversed(found))

    def _append(self, instruction: Instruction) -> tuple[Value, ...]:
        results = tuple(kind(next(self._numbers)) for kind in instruction.results)
        self._lines.append(Line(instruction, results, for_estimate=False))
        return results

    def _one(self, instruction: Instruction) -> Value:
        (found,) = self._append(instruction)
        return found

    def _add(self, value: Value | None, cotangent: Value | None, weight: float | Scalar = 1.0, power: int = 0) -> None:
        """Add hⁿ weight·x to the cotangent of a value."""
        if value is not None and cotangent is not None:
            self._terms[value.number].append((power, weight, cotangent))

    def _total(self, value: Value, kind: type[Value] = Algebra) -> Value | None:
        """Return the cotangent of a value, or None if it is zero."""
        terms = self._terms.pop(value.number, [])
        if not terms:
            return None
        if len(terms) == 1 and terms[0][:2] == (0, 1.0):
            return terms[0][2]
        powers, weights, values = zip(*terms, strict=True)
        return self._one(Total(kind, powers, weights, values))

    def _transpose(self, line: Line) -> None:
        instruction, results = line.instruction, line.results
        if isinstance(instruction, End | Multipliers | NextStage):
            self._end_of_step(instruction, line)
            return
        match instruction:
            case Carried(name):
                if not isinstance(results[0], Scalar):
                    self._append(StartOfCarried(name, self._total(results[0])))
                return
            case Carry(name, x):
                self._add(x, self._one(CarriedCotangents(name)))
                return
            case ImplicitEnd():
                self._implicit_end(instruction, line)
                return
            case Residuals() | JacobianAt() | CarryNumber() | FirstAcceleration() | Operation() | Where():
                return
            case Stage() | StageWithMultipliers() | StageBetween():
                self._stage(instruction, line)
                return
            case At() | VelocityAt():
                self._dependents(instruction, line)
                return
        kind = Multiplier if isinstance(instruction, MultiplierSum) else Algebra
        found = self._total(results[0], kind)
        if found is None:
            return
        for value, cotangent, weight, power in self._contributions(instruction, found):
            self._add(value, cotangent, weight, power)

    def _end_of_step(self, instruction: End | Multipliers | NextStage, line: Line) -> None:
        q, v, multiplier, acceleration = self._end
        match instruction:
            case End():
                self._add(line.results[0], q)
                self._add(instruction.q, self._total(line.results[0]))
                self._add(instruction.v, v)
            case Multipliers():
                self._add(instruction.multiplier, multiplier)
            case NextStage():
                if self._carries_acceleration:
                    self._add(instruction.acceleration, acceleration)

    def _implicit_end(self, end: ImplicitEnd, line: Line) -> None:
        kinds = (Multiplier if isinstance(x, Multiplier) else Algebra for x in line.results)
        of_results = tuple(self._total(x, kind) for x, kind in zip(line.results, kinds, strict=True))
        of_q, *of_formulas = self._append(ImplicitEndCotangents(end, line.results, of_results))
        self._add(START_Q, of_q)
        for formula, x in zip(end.formulas, of_formulas, strict=True):
            for weight, term in zip(*formula, strict=True):
                if term not in end.unknowns:
                    self._add(term, x, weight)

    def _contributions(self, instruction: Instruction, x: Value) -> Iterator[_Contribution]:
        """Yield inputs of an instruction with the contributions to their cotangents, hⁿ weight·y, for the cotangent x
        of its result."""
        match instruction:
            case Sum(base, weights, terms):
                yield base, x, 1.0, 0
                yield from ((y, x, w, 1) for w, y in zip(weights, terms, strict=True))
            case MultiplierSum(weights, terms):
                yield from ((y, x, w, 0) for w, y in zip(weights, terms, strict=True))
            case Add(base, power, weight, y):
                yield base, x, 1.0, 0
                yield y, x, weight, power
            case Combination(_, weights, terms):
                yield from ((y, x, w, 0) for w, y in zip(weights, terms, strict=True))
            case WithStates(_, y, of_states):
                yield y, self._one(Part(x, of_states=False)), 1.0, 0
                yield of_states, self._one(Part(x, of_states=True)), 1.0, 0
            case HiddenViolation(q, v):
                found = self._append(HiddenViolationCotangents(instruction, x))
                yield from ((y, z, 1.0, 0) for y, z in zip((q, v), found, strict=True))
            case Moving(y):
                assert isinstance(x, Algebra)
                yield y, self._one(Moving(x)), 1.0, 0
            case Bracket(y, z):
                yield z, self._one(BracketTranspose(y, x)), 1.0, 0
                yield y, self._one(BracketTranspose(z, x)), -1.0, 0
            case InverseTangent(theta, y):
                yield y, self._one(InverseTangentTranspose(theta, x)), 1.0, 0
                yield theta, self._one(InverseTangentGradient(theta, y, x)), 1.0, 0
            case Field(_, q, a, multiplier, v):
                found = self._append(FieldCotangents(instruction, x))
                yield from ((y, z, 1.0, 0) for y, z in zip((q, v, a, multiplier), found, strict=True))
            case Advance(q, theta):
                moved = self._one(TangentTranspose(theta, x))
                yield theta, moved, 1.0, 0
                yield q, x, 1.0, 0
                yield q, self._one(BracketTranspose(theta, moved)), -1.0, 0
            case _:
                raise AssertionError(instruction)

    def _dependents(self, at: At | VelocityAt, line: Line) -> None:
        q, v = line.results if isinstance(at, At) else (at.q, line.results[0])
        of_q = self._total(q) if isinstance(at, At) else None
        of_v = self._total(v)
        if of_q is not None or of_v is not None:
            found = self._append(DependentCotangents(at.c, q, v, of_q, of_v))
            for value, x in zip((at.q, at.v), found, strict=True):
                self._add(value, x)

    def _stage(self, stage: Stage | StageWithMultipliers | StageBetween, line: Line) -> None:
        a, multiplier = line.results
        of_a, of_multiplier = self._total(a), self._total(multiplier, Multiplier)
        if isinstance(stage, StageWithMultipliers):
            self._add(stage.multiplier, of_multiplier)
            if of_a is not None:
                found = self._append(KnownMultiplierCotangents(stage, a, of_a))
                for value, x in zip((stage.q, stage.v, stage.multiplier), found, strict=True):
                    self._add(value, x)
            return
        if of_a is None and of_multiplier is None:
            return
        if isinstance(stage, Stage) and stage.is_first and self._carries_acceleration:
            found = self._append(FirstStageCotangents(stage, a, multiplier, of_a, of_multiplier))
            inputs: tuple[Value, ...] = (stage.q, stage.v, START_LAMBDA)
        elif isinstance(stage, Stage):
            stage = dataclasses.replace(stage, is_first=False)
            found = self._append(StageCotangents(stage, a, multiplier, of_a, of_multiplier))
            inputs = (stage.q, stage.v)
        else:
            found = self._append(StageBetweenCotangents(stage, a, multiplier, of_a, of_multiplier))
            inputs = (stage.q, stage.v, stage.next_q, stage.known)
        for value, x in zip(inputs, found, strict=True):
            self._add(value, x)
