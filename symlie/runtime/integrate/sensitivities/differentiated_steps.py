"""Steps of a method with their derivatives: a step program is executed for many steps at once, each value with its
tangents.

Tangents of configurations are in the Lie algebra, δq = q∘(δ)~, those of all other values are differences; arrays have
the shape (steps, directions, components). The step length is constant. Stages have the rule

    M δa + Bᵀ δλ = -δr,  B' δa = -δc'  (1)

r = M a + g + Bᵀλ is differentiated with a and λ fixed, and c' is the constraint equation of the stage with a fixed.
`symlie.runtime.integrate.sensitivities.node_operators` contains the rules for group elements, and
`symlie.runtime.integrate.sensitivities.implicit_ends` those of Newton's method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from symlie.errors import UnsupportedMethodError
from symlie.runtime.integrate.sensitivities.implicit_ends import ImplicitEnds, StepEnds
from symlie.runtime.integrate.sensitivities.point_derivatives import PointDerivatives, Points
from symlie.runtime.integrate.sensitivities.saddle_points import SaddlePoints, hidden_violation
from symlie.runtime.integrate.sensitivities.starting_steps import starting_steps
from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.layout import Array
from symlie.runtime.steps.equations import Solve
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.implicit_instructions import ImplicitEnd
from symlie.runtime.steps.instructions import (
    At,
    Carried,
    Carry,
    End,
    Instruction,
    Kernel,
    Operation,
    Residuals,
    Result,
    Sum,
    Where,
)
from symlie.runtime.steps.multistep_instructions import StartingStep
from symlie.runtime.steps.program import Program
from symlie.runtime.steps.stage_instructions import NextPoint, Stage
from symlie.runtime.steps.values import (
    START_LAMBDA,
    START_Q,
    START_V,
    STEP_LENGTH,
    Acceleration,
    Multiplier,
)

OPERATORS: Mapping[str, Callable[[Array | float, Array | float], Array]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "<=": np.less_equal,
}  # fmt: skip
"""Operations on numbers of all steps."""


STATE = ("q", "v", "multipliers", "acceleration")
"""Names of the values from which steps of any method start."""


@dataclass(eq=False)
class StepBatch:
    """Steps to be executed at once, or their results, with tangents.

    Attributes
    ----------
    t, h
        Start times and lengths of the steps, in s, shape (n,).
    values, tangents
        State by name: ``q``, ``v``, ``multipliers``, ``acceleration`` of the first stage if it is known, and arrays
        that the method carries.
    end
        The state at the end of each step: ``q``, ``v`` and ``multipliers``.
    """

    t: Array
    h: Array
    values: dict[str, Array]
    tangents: dict[str, Array]
    end: dict[str, Array] = field(default_factory=dict)

    def only(self, k: int) -> StepBatch:
        """Return one step, without arrays that a method carries."""
        part = slice(k, k + 1)
        known = {name: x[part] for name, x in self.values.items() if name in STATE}
        tangents = {name: x[part] for name, x in self.tangents.items() if name in STATE}
        return StepBatch(self.t[part], self.h[part], known, tangents, {n: x[part] for n, x in self.end.items()})

    def moved(self, t: Array, h: Array) -> StepBatch:
        """Return steps of other lengths from these states."""
        return StepBatch(t, h, self.values, self.tangents)

    @staticmethod
    def joined(parts: Sequence[StepBatch]) -> StepBatch:
        """Return several batches of results as one."""
        first, *_ = parts
        return StepBatch(
            np.concatenate([x.t for x in parts]),
            np.concatenate([x.h for x in parts]),
            {name: np.concatenate([x.values[name] for x in parts]) for name in first.values},
            {name: np.concatenate([x.tangents[name] for x in parts]) for name in first.tangents},
        )


class DifferentiatedSteps:
    """Executes a step program for a batch."""

    def __init__(
        self,
        derivatives: PointDerivatives,
        program: Program,
        alpha: float,
        *,
        has_eta: bool,
        starter: DifferentiatedSteps | None = None,
    ) -> None:
        self._starter = starter
        self._of, self._program, self._alpha, self._has_eta = derivatives, program, alpha, has_eta
        self._nodes, self._layout = derivatives.nodes, derivatives.layout
        self._p = derivatives.system.prepared
        self._operators = derivatives.operators
        self._implicit = ImplicitEnds(derivatives, self.__getitem__, self._d, self._weight)

    def __call__(self, batch: StepBatch) -> StepBatch:
        """Return the states at the ends of the steps with their tangents; for initial values, carried arrays alone."""
        self._batch, h = batch, batch.h
        start = {START_Q.number: "q", START_V.number: "v", START_LAMBDA.number: "multipliers"}
        self._values: dict[int, Array] = {n: batch.values[name] for n, name in start.items()}
        self._tangents: dict[int, Array] = {n: batch.tangents[name] for n, name in start.items()}
        self._values[STEP_LENGTH] = h
        self._end = end = StepBatch(batch.t + h, h, {}, {})
        for line in self._program.lines:
            if line.for_estimate:
                break
            if self._ends(line.instruction, end):
                continue
            found = self._results(line.instruction)
            for value, (array, tangent) in zip(line.results, found, strict=True):
                self._values[value.number] = array
                if not isinstance(value, Scalar):
                    self._tangents[value.number] = tangent
        return end

    def _ends(self, instruction: Instruction, end: StepBatch) -> bool:
        """Take a result of the step; return whether the instruction computes nothing else."""
        match instruction:
            case End(q, v, _, _):
                end.values |= {"q": self._nodes.normalize(self[q]), "v": self[v]}
                end.tangents |= {"q": self._d(q), "v": self._d(v)}
                return False
            case Result("lambda", x):
                end.values["multipliers"], end.tangents["multipliers"] = self[x], self._d(x)
            case Result("acceleration", x):
                end.values["acceleration"], end.tangents["acceleration"] = self[x], self._d(x)
            case Carry(name, x, steps):
                self._carry(name, x, steps, end)
            case _:
                return isinstance(instruction, Residuals | Result)
        return True

    def _carry(self, name: str, x: Value | float, steps: int, end: StepBatch) -> None:
        """Take a value that the method carries, or the tangents of a part of the state at the start of the step."""
        if not isinstance(x, Value):
            end.values[carried_name(name)] = np.full((len(end.h), 1), x)
        elif not steps:
            end.values[carried_name(name)] = self[x][:, None] if isinstance(x, Scalar) else self[x]
        if not isinstance(x, Value) or isinstance(x, Scalar):
            return
        if not steps:
            end.tangents[carried_name(name)] = self._d(x)
        for k in range(1, steps + 1):
            kept = self._d(x) if k == 1 else self._batch.tangents[earlier_name(name, k - 1)]
            end.tangents[earlier_name(name, k)] = kept

    def __getitem__(self, value: Value) -> Array:
        return self._values[value.number]

    def _d(self, value: Value) -> Array:
        return self._tangents[value.number]

    def _weight(self, weight: float | Scalar) -> Array | float:
        return self[weight][:, None] if isinstance(weight, Scalar) else weight

    def _results(self, instruction: Instruction) -> list[tuple[Array, Array]]:
        """Return the results of an instruction with their tangents."""
        h = self._batch.h
        match instruction:
            case End(q, v, _, _):
                return [(self._nodes.normalize(self[q]), self._d(q))]
            case Stage(c, q, v, is_first, _, None):
                if is_first and "acceleration" in self._batch.values:
                    return [(self._batch.values[x], self._batch.tangents[x]) for x in ("acceleration", "multipliers")]
                return self._stage(self._point(c, q, v))
            case Stage(c, q, v, _, _, Multiplier() as known):
                return self._stage_with_multipliers(self._point(c, q, v), known)
            case Stage(c, q, v, _, _, NextPoint() as following):
                return self._stage_between(self._point(c, q, v), following)
            case Kernel(name, values, c):
                return [self._kernel(name, values, c)]
            case ImplicitEnd():
                return self._implicit.results(instruction, self._step_ends(), has_eta=self._has_eta)
            case Solve("hidden_violation", (Value() as q, Value() as v, needed)):
                return [self._hidden_violation(q, v, needed)]
            case Carried(name, kind, 0):
                value = self._batch.values[carried_name(name)]
                is_number = kind is Scalar
                tangent = np.zeros(0) if is_number else self._batch.tangents[carried_name(name)]
                return [(value[:, 0] if is_number else value, tangent)]
            case Carried(name, kind, steps):
                value = self._batch.values[name][:, steps - 1]
                value = value[:, 0] if kind is Scalar else value
                return [(value, self._batch.tangents.get(earlier_name(name, steps), np.zeros(0)))]
            case Operation(name, x, y):
                with np.errstate(all="ignore"):
                    return [(np.broadcast_to(OPERATORS[name](self._number(x), self._number(y)), h.shape), np.zeros(0))]
            case Where(_, Scalar() as condition, x, y):
                return [self._where(self[condition] != 0, x, y)]
            case Where(_, "moving", Value() as x, _):
                return [(self._moving(self[x]), self._moving(self._d(x)))]
            case Where(_, "states", Value() as x, Value() as y):
                mask = self._layout.has_velocity
                return [(np.where(mask, self[y], self[x]), np.where(mask, self._d(y), self._d(x)))]
            case Sum():
                return [self._sum(instruction)]
            case StartingStep(acceleration):
                return self._starting_steps(acceleration)
            case At(c, q, v, is_placed):
                at = self._prescribed(c, self[q], self[v])
                by_q = np.where(self._layout.sought, self._d(q), 0.0)
                found = list(zip(at, (by_q, np.where(self._layout.free, self._d(v), 0.0)), strict=True))
                return found[1:] if is_placed else found
            case _:
                raise UnsupportedMethodError(f"Steps with the instruction {instruction.title} have no derivatives.")

    def _point(self, c: float, q: Value, v: Value) -> Points:
        return Points(self._batch.t + c * self._batch.h, self[q], self[v], self._d(q), self._d(v))

    def _prescribed(self, c: float, q: Array, v: Array) -> tuple[Array, Array]:
        at = q.copy(), v.copy()
        self._nodes.prescribe(self._p, self._batch.t + c * self._batch.h, *at)
        return at

    def _number(self, x: Scalar | float) -> Array | float:
        return self[x] if isinstance(x, Scalar) else x

    def _where(self, chosen: Array, x: Value | float, y: Value | float) -> tuple[Array, Array]:
        if isinstance(x, Scalar | float) and isinstance(y, Scalar | float):
            return np.where(chosen, self._number(x), self._number(y)), np.zeros(0)
        assert isinstance(x, Value) and isinstance(y, Value)
        tangent = np.where(chosen[:, None, None], self._d(x), self._d(y))
        return np.where(chosen[:, None], self[x], self[y]), tangent

    def _step_ends(self) -> StepEnds:
        batch = self._batch
        known = (batch.end[name] for name in ("q", "v", "multipliers"))
        return StepEnds(batch.t, batch.t + batch.h, batch.values["q"], batch.tangents["q"], *known)

    def _hidden_violation(self, q: Value, v: Value, needed: Value | float) -> tuple[Array, Array]:
        """Return d = M⁻¹Bᵀμ with B d = B v + b, and its tangent; zero where it is not needed."""
        if isinstance(needed, Value) and not self[needed].any():
            return np.zeros_like(self[v]), np.zeros_like(self._d(v))
        return hidden_violation(self._of, self._point(0.0, q, v))

    def _moving(self, x: Array) -> Array:
        return np.where(self._layout.moves, x, 0.0)

    def _sum(self, stated: Sum) -> tuple[Array, Array]:
        size = self._layout.rows if stated.kind is Multiplier else self._layout.dimension
        value, tangent = self._total(stated.weights, stated.terms, size)
        if isinstance(stated.scale, Scalar):
            scale = self[stated.scale]
            value, tangent = scale[:, None] * value, scale[:, None, None] * tangent
        if stated.base is None:
            return value, tangent
        return self[stated.base] + value, self._d(stated.base) + tangent

    def _total(self, weights: Sequence[float | Scalar], terms: Sequence[Value], size: int) -> tuple[Array, Array]:
        """Return Σ weight·x."""
        count, directions = self._batch.tangents["q"].shape[:2]
        value, tangent = np.zeros((count, size)), np.zeros((count, directions, size))
        for stated, x in zip(weights, terms, strict=True):
            weight = self._weight(stated)
            value, tangent = value + weight * self[x], tangent + _lifted(weight) * self._d(x)
        return value, tangent

    def _starting_steps(self, acceleration: Acceleration) -> list[tuple[Array, Array]]:
        """Return q, v, v' and the increment of steps in substeps of the starting method."""
        assert self._starter is not None
        batch = self._batch
        found = starting_steps(self._starter, batch)
        self._end.values |= found.values
        self._end.tangents |= found.tangents
        theta = self._of.elements.increment(batch.values["q"], found.values["q"])
        tangents = self._operators.between(theta, batch.tangents["q"], found.tangents["q"])
        rate = self[acceleration], self._d(acceleration)
        if "acceleration" in found.values:
            rate = found.values["acceleration"], found.tangents["acceleration"]
        of_ends = [(found.values[name], found.tangents[name]) for name in ("q", "v")]
        return [*of_ends, rate, (theta, tangents)]

    def _kernel(self, name: str, values: Sequence[Value], c: float) -> tuple[Array, Array]:
        """Return the result of a system kernel with its tangent."""
        nodes, elements, operators = self._nodes, self._of.elements, self._operators
        x, y = self[values[0]], self[values[-1]]
        dx, dy = self._d(values[0]), self._d(values[-1])
        match name:
            case "jacobian":
                t = self._batch.t + c * self._batch.h
                states = States(t, x, y, self._batch.values["multipliers"])
                return self._of.terms(states, "jacobian"), np.zeros((len(t), 0, 0))
            case "chart":  # a check of the step, whose number has no tangent
                return np.zeros(len(x)), np.zeros(0)
            case "field":
                at, acceleration = self._point(c, *values[:2]), values[2]
                a = self[acceleration]
                rate = nodes.field(self._p, at.t, at.q, a, y, at.v)
                tangent = self._of.field(at, a, y, self._d(acceleration), dy)
                return rate, np.where(self._layout.has_velocity, at.dv, tangent)
            case "inverse_tangent_operator":
                rate = nodes.inverse_tangent_operator(x, y)
                return self._moving(rate), self._moving(operators.rate(x, y, dx, dy))
            case "bracket":
                first, second = (np.broadcast_to(k[:, None], dx.shape) for k in (x, y))
                return nodes.bracket(x, y), nodes.bracket(dx, second) + nodes.bracket(first, dy)
            case "advance":
                return nodes.advance(x, y), self._moving(operators.advanced(y, dx, dy))
            case "difference":
                theta = nodes.difference(x, y)
                return theta, operators.between(theta, dx, dy)
            case "exponential":
                return elements.exponential(x), operators.along(x, dx)
            case "inverse":
                return elements.inverse(x), operators.inverse(self._logarithm(x), dx)
            case "compose":
                # Ad(y⁻¹) δx + δy
                return elements.compose(x, y), dy - operators.inverse(-self._logarithm(y), dx)
            case "increment":
                theta = elements.increment(x, y)
                return theta, operators.between(theta, dx, dy)
            case _:
                raise UnsupportedMethodError(f"Steps with the system kernel {name} have no derivatives.")

    def _logarithm(self, element: Array) -> Array:
        identity = self._of.elements.exponential(np.zeros((1, self._layout.dimension)))
        return self._of.elements.increment(np.broadcast_to(identity, element.shape), element)

    def _stage(self, at: Points) -> list[tuple[Array, Array]]:
        a, multipliers = self._of.accelerations(at)
        system = SaddlePoints(self._of, at, at)
        below = self._of.curvature(at, a) if self._layout.rows else np.zeros((*at.dq.shape[:2], 0))
        da, dl = system.solve(-self._of.balance(at, a, multipliers), -below)
        return [(a, da), (multipliers, dl)]

    def _stage_with_multipliers(self, at: Points, known: Multiplier) -> list[tuple[Array, Array]]:
        multipliers, dl = self[known], self._d(known)
        if "acceleration" in self._batch.values:
            return [(self._batch.values["acceleration"], self._batch.tangents["acceleration"]), (multipliers, dl)]
        system = SaddlePoints(self._of, at, at)
        a = system.acceleration(multipliers)
        da = system.solve_mass(-self._of.balance(at, a, multipliers) - system.pulled(dl))
        return [(a, da), (multipliers, dl)]

    def _stage_between(self, at: Points, point: NextPoint) -> list[tuple[Array, Array]]:
        following, length = self._point(point.c, point.q, point.known), point.weight * self._batch.h
        known, dq, d_known = following.v, following.dq, following.dv
        system = SaddlePoints(self._of, at, following)
        residual = system.hidden_residual() + self._alpha * system.constraint_residual()
        a, multipliers = system.between(-residual / length[:, None])
        v = known + length[:, None] * a
        below = self._of.hidden(following._replace(v=v)) + system.pushed(d_known)
        if self._alpha:
            below = below + self._alpha * (self._of.constraint(following) + system.pushed(dq))
        da, dl = system.solve(-self._of.balance(at, a, multipliers), -below / length[:, None, None])
        return [(a, da), (multipliers, dl)]


def carried_name(name: str) -> str:
    """Return the name of an array that the method carries among the values of a step."""
    return f"carried {name}"


def earlier_name(part: str, steps: int) -> str:
    """Return the name of the tangent of a part of an earlier state."""
    return f"{part} {steps}"


def _lifted(weight: Array | float) -> Array | float:
    """Return a weight of each step, shape (n, 1), for tangents."""
    return weight[:, :, None] if isinstance(weight, np.ndarray) else weight
