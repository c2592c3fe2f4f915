"""Adjoint of a step program: the program itself, followed by its transposed instructions in reverse order.

With cotangents x̄ of all values x, the instruction y = f(x) adds (∂f/∂x)ᵀ ȳ to x̄. `vector_rules` contains the rules of
vectors and group elements, `templates/c/adjoint/adjoint_stages.h` those of stages, `implicit_ends.h` those of Newton's
method, and `discrete_cotangents.h` those of variational steps.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Collection, Sequence

from symlie.runtime.steps.adjoint.instructions import (
    CarriedAtEnd,
    CarriedCotangents,
    EndCotangents,
    FinishCotangents,
    StartCotangents,
    StartOfCarried,
    Transpose,
)
from symlie.runtime.steps.adjoint.vector_rules import KERNELS, VectorRules, kind_of
from symlie.runtime.steps.equations import Solve
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.implicit_instructions import ImplicitEnd
from symlie.runtime.steps.instructions import (
    CONTACTS,
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
from symlie.runtime.steps.program import Line, Program
from symlie.runtime.steps.stage_instructions import NextPoint, Stage
from symlie.runtime.steps.values import (
    START_LAMBDA,
    START_Q,
    START_V,
    STEP_LENGTH,
    Algebra,
    Configuration,
    Multiplier,
    Velocity,
)

TRANSPOSED = (
    At, Carried, Carry, End, ErrorNorm, ImplicitEnd, Kernel, Operation, OrderChoice, Residuals, Result, Solve, Stage,
    StartingStep, Sum, Where,
)  # fmt: skip
"""Instructions with transposed rules."""

_WITHOUT_VALUES = (Carry, End, OrderChoice, Residuals, Result)
"""Instructions that adjoint steps do not repeat."""

_CHECKS = (Kernel, Stage)
"""Instructions whose checks adjoint steps do not repeat."""


def transposed(
    program: Program, carried: Collection[str], *, passes_acceleration: bool, is_finished: bool = False
) -> Program:
    """Return the adjoint of a step program, all of whose instructions have transposed rules, for carried arrays with
    the names of `differentiated_arrays`, and whether v' at its end is a value of the state, and whether its end is
    projected onto the constraints or has multipliers of minimal norm."""
    adjoint = _Transposition(program, carried, passes_acceleration=passes_acceleration)
    return adjoint.program(is_finished=is_finished)


def differentiated_arrays(programs: Sequence[Program], *, passes_acceleration: bool) -> frozenset[str]:
    """Return the names of arrays of the method history on which states depend; others serve initial guesses alone."""
    found: frozenset[str] = frozenset()
    while True:
        adjoints = [transposed(x, found, passes_acceleration=passes_acceleration) for x in programs]
        lines = (line for x in adjoints for line in x.lines)
        starts = (x.instruction for x in lines if isinstance(x.instruction, StartOfCarried))
        wider = found.union(x.name for x in starts if x.x is not None)
        if wider == found:
            return found
        found = wider


def missing_rule(program: Program) -> str:
    """Return the name of the first instruction without a transposed rule, or an empty text."""
    found = (x.instruction for x in program.lines if not x.for_estimate)
    return next((x.title for x in found if not _has_rule(x)), "")


def _has_rule(instruction: Instruction) -> bool:
    """Return whether an instruction has a transposed rule; those for contacts and earlier states have none."""
    match instruction:
        case Where(_, condition):
            return condition != CONTACTS
        case Kernel(name):
            return name in KERNELS
        case Carried(_, _, steps) | Carry(_, _, steps):
            return not steps
        case Solve():
            return instruction.entry.transposed is not None
    return isinstance(instruction, TRANSPOSED)


def _end_values(line: Line) -> tuple[Configuration, Velocity]:
    """Return q and v that a line defines at the end of a step."""
    q, v = (line.instruction.q, line.instruction.v) if isinstance(line.instruction, End) else line.results[:2]
    assert isinstance(q, Configuration) and isinstance(v, Velocity)
    return q, v


class _Transposition(VectorRules):
    def __init__(self, program: Program, carried: Collection[str], *, passes_acceleration: bool) -> None:
        self._program, self._carried, self._passes_acceleration = program, carried, passes_acceleration
        values = (x.number for line in program.lines for x in (*line.results, *line.instruction.inputs))
        super().__init__(max(values, default=STEP_LENGTH) + 1)
        self._terms: dict[int, list[tuple[float | Scalar, Value]]] = defaultdict(list)

    def program(self, *, is_finished: bool) -> Program:
        lines = [line for line in self._program.lines if not line.for_estimate]
        for line in lines:
            instruction = line.instruction
            if isinstance(instruction, Stage) and not self._passes_acceleration:
                instruction = dataclasses.replace(instruction, is_first=False)
            if not isinstance(instruction, _WITHOUT_VALUES):
                self.lines.append(dataclasses.replace(line, instruction=instruction))
            elif isinstance(instruction, OrderChoice):
                self.lines.append(self._choice(line))
        if self._program.has_end:
            self._end = self.append(EndCotangents())
        if self._program.has_end and is_finished:
            self._finish()
        for line in reversed(lines):
            self._transpose(line)
        self._unread_arrays()
        multiplier = self._total(START_LAMBDA, Multiplier)
        are_added = not self._program.has_end
        self.append(StartCotangents(self._total(START_Q), self._total(START_V), multiplier, are_added))
        return Program(self._needed(), self._program.features, self._program.coordinates)

    def _finish(self) -> None:
        """Replace the cotangents at the end of the step by those before its projection and choice of λ."""
        *cotangents, of_acceleration = self._end
        multiplier = next((x for x in self._program.results("lambda") if isinstance(x, Multiplier)), None)
        q, v = next(
            _end_values(line) for line in self._program.lines if isinstance(line.instruction, End | StartingStep)
        )
        *found, start_q, start_v = self.append(FinishCotangents(q, v, multiplier, tuple(cotangents)))
        self._end = *found, of_acceleration
        self._add(START_Q, start_q)
        self._add(START_V, start_v)

    def _unread_arrays(self) -> None:
        """Append the cotangents of arrays that the step does not read, which are zero."""
        read = {x.instruction.name for x in self._program.lines if isinstance(x.instruction, Carried)}
        for carry in self._program.carried if self._program.has_end else ():
            is_unread = carry.name in self._carried and carry.name not in read
            if isinstance(carry.x, Value) and is_unread:
                self.append(StartOfCarried(carry.name, kind_of(carry.x), None))

    def _choice(self, line: Line) -> Line:
        """Return a line that reads the numbers of a choice of order from the method history at the end of the step."""
        names = {carry.x.number: carry.name for carry in self._program.carried if isinstance(carry.x, Scalar)}
        return Line(CarriedAtEnd(tuple(names[x.number] for x in line.results)), line.results, for_estimate=False)

    def _needed(self) -> tuple[Line, ...]:
        """Return the lines whose results are read, or which have effects other than checks."""
        found: list[Line] = []
        read: set[int] = set()
        for line in reversed([*self.products, *self.lines]):
            is_pure = bool(line.results) and not line.instruction.has_effects
            if not (is_pure or isinstance(line.instruction, _CHECKS)) or any(x.number in read for x in line.results):
                found.append(line)
                read |= {x.number for x in line.instruction.inputs}
        return tuple(reversed(found))

    def _add(self, value: Value | None, cotangent: Value | None, weight: float | Scalar = 1.0) -> None:
        """Add weight·x to the cotangent of a value."""
        if value is not None and cotangent is not None:
            self._terms[value.number].append((weight, cotangent))

    def _total(self, value: Value, kind: type[Value] = Algebra) -> Value | None:
        """Return the cotangent of a value, or None if it is zero."""
        terms = self._terms.pop(value.number, [])
        if not terms:
            return None
        if len(terms) == 1 and terms[0][0] == 1.0:
            return terms[0][1]
        weights, values = zip(*terms, strict=True)
        return self.one(Sum(kind, None, 1.0, weights, values))

    def _transpose(self, line: Line) -> None:
        instruction, results = line.instruction, line.results
        match instruction:
            case End() | Result():
                self._end_of_step(instruction, line)
                return
            case Carried(name):
                if not isinstance(results[0], Scalar):
                    kind = kind_of(results[0])
                    x = self._total(results[0], kind)
                    if x is not None or name in self._carried:
                        self.append(StartOfCarried(name, kind, x))
                return
            case Carry(name, x):
                if isinstance(x, Value) and name in self._carried:
                    self._add(x, self.one(CarriedCotangents(name, kind_of(x))))
                return
            case ImplicitEnd():
                self._implicit_end(instruction, line)
                return
            case StartingStep():
                self._starting_step(line)
                return
            case Solve():
                self._solution(instruction, line)
                return
            case Residuals() | Kernel("jacobian"):
                return
            case _ if isinstance(results[0], Scalar):
                return
            case Stage():
                self._stage(instruction, line)
                return
            case At():
                self._motions(instruction, line)
                return
        found = self._total(results[0], kind_of(results[0]))
        if found is None:
            return
        for value, cotangent, weight in self.contributions(instruction, results[0], found):
            self._add(value, cotangent, weight)

    def _end_of_step(self, instruction: End | Result, line: Line) -> None:
        q, v, multiplier, acceleration = self._end
        match instruction:
            case End():
                self._add(line.results[0], q)
                self._add(instruction.q, self._total(line.results[0]))
                self._add(instruction.v, v)
            case Result("lambda", x):
                self._add(x, multiplier)
            case Result("acceleration", x) if self._passes_acceleration:
                self._add(x, acceleration)

    def _implicit_end(self, end: ImplicitEnd, line: Line) -> None:
        of_results = tuple(self._total(x, kind_of(x)) for x in line.results)
        read = *end.inputs, *line.results
        of_q, *found = self.append(Transpose(end, read, of_results, (Algebra,) * (4 + len(end.points))))
        of_formulas, of_points = found[:3], found[3:]
        self._add(START_Q, of_q)
        for point, theta, x in zip(end.points, line.results[7:], of_points, strict=True):
            self._add(point.element, self.one(Kernel("inverse_tangent_transpose", (theta, x))))
        for formula, x in zip(end.formulas, of_formulas, strict=True):
            for weight, term in zip(*formula, strict=True):
                if term not in end.unknowns:
                    self._add(term, x, weight)

    def _solution(self, solve: Solve, line: Line) -> None:
        """Append the cotangents of a solution of equations."""
        rule = solve.entry.transposed
        assert rule is not None
        totals = [None if isinstance(x, Scalar) else self._total(x, kind_of(x)) for x in line.results]
        of_results = tuple(totals[k] for k in rule.results)
        if not any(of_results):
            return
        values = [x for x in (solve.values[k] for k in rule.inputs) if isinstance(x, Value)]
        read = *solve.inputs, *(line.results[k] for k in rule.read)
        self._transposed(Transpose(solve, read, of_results, tuple(map(kind_of, values))), values)

    def _transposed(self, transpose: Transpose, values: Sequence[Value]) -> None:
        """Append a transposed instruction, and add its results to the cotangents of values."""
        for value, x in zip(values, self.append(transpose), strict=True):
            self._add(value, x)

    def _starting_step(self, line: Line) -> None:
        q, v, acceleration, theta = line.results
        assert self._total(acceleration) is None, "the carried v' serves initial guesses alone"
        end_q, end_v, end_multiplier, end_acceleration = self._end
        of_theta = self._total(theta)
        if of_theta is not None:
            for value, x, weight in self.between(theta, START_Q, q, of_theta):
                self._add(value, x, weight)
        self._add(q, end_q)
        self._add(v, end_v)
        values = START_Q, START_V, START_LAMBDA
        found = self._total(q), self._total(v), end_multiplier, end_acceleration
        self._transposed(Transpose(line.instruction, (), found, tuple(map(kind_of, values))), values)

    def _motions(self, at: At, line: Line) -> None:
        q, v = (at.q, *line.results) if at.is_placed else line.results
        of_q = None if at.is_placed else self._total(q)
        of_v = self._total(v)
        if of_q is not None or of_v is not None:
            self._transposed(Transpose(at, (q, v), (of_q, of_v), (Algebra, Algebra)), (at.q, at.v))

    def _stage(self, stage: Stage, line: Line) -> None:
        a, multiplier = line.results
        of_a, of_multiplier = self._total(a), self._total(multiplier, Multiplier)
        values: tuple[Value, ...] = stage.q, stage.v
        read, is_first = (*stage.inputs, a, multiplier), stage.is_first
        match stage.condition:
            case Multiplier() as known:
                self._add(known, of_multiplier)
                values, of_multiplier, read = (*values, known), None, (*stage.inputs, a)
            case NextPoint() as following:
                values = *values, following.q, following.known
            case None if self._passes_acceleration and stage.is_first:
                values = *values, START_LAMBDA
            case None:
                is_first = False
        if of_a is None and of_multiplier is None:
            return
        stage = dataclasses.replace(stage, is_first=is_first)
        self._transposed(Transpose(stage, read, (of_a, of_multiplier), tuple(map(kind_of, values))), values)
