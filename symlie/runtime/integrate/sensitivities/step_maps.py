"""Derivatives of steps as matrices: x_{n+1} = A_n x_n + B_n p with the tangents of states x and of variables p."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from symlie.errors import UnsupportedMethodError
from symlie.runtime.integrate.sensitivities.differentiated_steps import (
    DifferentiatedSteps,
    StepBatch,
    carried_name,
    earlier_name,
)
from symlie.runtime.integrate.sensitivities.point_derivatives import PointDerivatives, Points
from symlie.runtime.integrate.sensitivities.recorded_steps import RecordedSteps
from symlie.runtime.integrate.sensitivities.saddle_points import SaddlePoints
from symlie.runtime.integrate.sensitivities.variables import Directions
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.controllers import StepControl
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.implicit import Implicit
from symlie.runtime.methods.programs.history import COUNT
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.instructions import HISTORY
from symlie.runtime.steps.multistep_instructions import OrderChoice, StartingStep
from symlie.runtime.steps.program import Program, features_of
from symlie.runtime.steps.values import Multiplier
from symlie.runtime.system.system import System

WITHOUT_RULES = ("coordinate_rate", "storage_rate", "discrete_start", "contact_start", "symplectic_stage")
"""Instructions that are not differentiated by `symlie.runtime.integrate.sensitivities.differentiated_steps`."""

CHUNK = 1 << 17
"""Largest number of entries of one tangent array, which bounds the memory of a chunk of steps."""


@dataclass(frozen=True, eq=False)
class StepMaps:
    """Maps of consecutive steps.

    Attributes
    ----------
    steps
        Their numbers.
    by_state, by_variables
        A, shape (steps, size, size), and B, shape (steps, size, variables).
    """

    steps: slice
    by_state: Array
    by_variables: Array


@dataclass(frozen=True, eq=False)
class Part:
    """Part of the tangent of a state: the components of a vector that can vary."""

    name: str
    width: int
    components: NDArray[np.intp]


class Linearization:
    """Derivatives of the steps of a run.

    The tangent of a state consists of δq and δv on free components, δλ, δv' if steps start from v', and the vectors
    that the method carries.
    """

    def __init__(self, system: System, recorded: RecordedSteps, directions: Directions) -> None:
        self.system, self.recorded, self._layout = system, recorded, system.layout
        check_differentiable(system, recorded)
        method = recorded.method
        assert isinstance(method, ProgrammedMethod)
        self._method, self._directions = method, directions
        features = features_of(system.mechanics, compiled=False)
        self._program: Program = method.program(features)
        self.derivatives = PointDerivatives(system, directions)
        has_eta = isinstance(method, Implicit) and method.iteration(system.layout)
        alpha = recorded.control.baumgarte
        self._execute = DifferentiatedSteps(self.derivatives, self._program, alpha, has_eta=has_eta)
        start = method.start_program(features)
        begin = method.first_values(features)
        starter, self._starts_from_acceleration = None, self._program.starts_from_acceleration
        if start is not None and start.has(StartingStep) and method.starter is not None:
            substep = method.starter.program(features)
            self._starts_from_acceleration |= substep.starts_from_acceleration
            starter = DifferentiatedSteps(self.derivatives, substep, alpha, has_eta=False)
        self._first, self._begin = (
            None if x is None else DifferentiatedSteps(self.derivatives, x, alpha, has_eta=has_eta, starter=starter)
            for x in (start, begin)
        )

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Parts of the tangent of a state."""
        layout = self._layout
        sought, free = np.flatnonzero(layout.sought), np.flatnonzero(layout.free)
        found = [Part("q", layout.dimension, sought), Part("v", layout.dimension, free)]
        found.append(Part("multipliers", layout.rows, np.arange(layout.rows)))
        if self._starts_from_acceleration and self.recorded.knows_acceleration.any():
            found.append(Part("acceleration", layout.dimension, free))
        for carry in self._program.carried:
            if isinstance(carry.x, Value) and not isinstance(carry.x, Scalar) and not carry.steps:
                is_multiplier = isinstance(carry.x, Multiplier)
                width = layout.rows if is_multiplier else layout.dimension
                found.append(Part(carried_name(carry.name), width, np.arange(width) if is_multiplier else sought))
        for part, steps in self._program.history.items():
            places = {"configurations": sought, "velocities": free, "accelerations": free}.get(part)
            if places is not None:
                found += [Part(earlier_name(part, k), layout.dimension, places) for k in range(1, steps + 1)]
        return tuple(found)

    @cached_property
    def size(self) -> int:
        """Number of components of the tangent of a state."""
        return sum(len(part.components) for part in self.parts)

    def tangents(self, rows: Array) -> dict[str, Array]:
        """Return the tangents of states, shape (..., size), by part."""
        found, begin = {}, 0
        for part in self.parts:
            values = np.zeros((*rows.shape[:-1], part.width))
            values[..., part.components] = rows[..., begin : begin + len(part.components)]
            found[part.name] = values
            begin += len(part.components)
        return found

    def row(self, tangents: Mapping[str, Array]) -> Array:
        """Return tangents of states, shape (..., size); parts that are missing are zero."""
        like = tangents["q"]
        pieces = [
            tangents[part.name][..., part.components]
            if part.name in tangents
            else np.zeros((*like.shape[:-1], len(part.components)))
            for part in self.parts
        ]
        return np.concatenate(pieces, axis=-1)

    def begin(self, dq: Array, dv: Array) -> Array:
        """Return the tangents of the initial state, shape (variables, size), for tangents of q and v."""
        r = self.recorded
        at = Points(r.t[:1], r.q[:1], r.v[:1], dq[None], dv[None])
        if not self._layout.free.any():
            return self.row({"q": dq, "v": dv})
        _, tangents = self._accelerations(at)
        da, dl = tangents["acceleration"][0], tangents["multipliers"][0]
        return self.row({"q": dq, "v": dv, "multipliers": dl, "acceleration": da})

    def _accelerations(self, at: Points) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return v' and λ of the acceleration-level system with their tangents, by name."""
        of = self.derivatives
        a, multipliers = of.accelerations(at)
        below = of.curvature(at, a) if self._layout.rows else np.zeros((*at.dq.shape[:2], 0))
        da, dl = SaddlePoints(of, at, at).solve(-of.balance(at, a, multipliers), -below)
        return {"acceleration": a, "multipliers": multipliers}, {"acceleration": da, "multipliers": dl}

    def chunks(self, *, backwards: bool = False) -> Iterator[StepMaps]:
        """Yield the maps of all steps, a bounded number at a time."""
        columns = self.size + self._directions.count
        most = max(1, CHUNK // max(1, columns * max(self._layout.dimension + self._layout.rows, 1)))
        chunks = [slice(k, min(k + most, self.recorded.count)) for k in range(0, self.recorded.count, most)]
        for steps in reversed(chunks) if backwards else chunks:
            yield self._maps(steps)

    def _maps(self, steps: slice) -> StepMaps:
        size, columns = self.size, self.size + self._directions.count
        found = np.empty((steps.stop - steps.start, size, columns))
        numbers, kinds = np.arange(steps.start, steps.stop), self._kinds[steps]
        for kind in np.unique(kinds):
            found[kinds == kind] = self._of_one_kind(numbers[kinds == kind])
        return StepMaps(steps, found[..., :size], found[..., size:])

    @cached_property
    def _kinds(self) -> NDArray[np.intp]:
        """Numbers that are equal for steps that start from the same data."""
        knows_acceleration = self.recorded.knows_acceleration & self._starts_from_acceleration
        is_later = self._known_states >= self._program.first_steps
        jumps = self.recorded.follows_jump & self._starts_from_acceleration
        return np.asarray(8 * jumps + 4 * is_later + 2 * knows_acceleration + self.recorded.knows_own, dtype=np.intp)

    @cached_property
    def _known_states(self) -> Array:
        """Number of earlier states that each step knows, if the method reads any."""
        r = self.recorded
        if not self._program.first_steps:
            return np.zeros(r.count)
        place = self._method.own_parts(self._layout)[COUNT]
        return np.where(r.knows_own, r.own[:-1, place.start], 0)

    def _of_one_kind(self, steps: NDArray[np.intp]) -> Array:
        """Return the maps of steps that start from the same data, shape (steps, size, size + variables)."""
        r, directions, count = self.recorded, self._directions.count, len(steps)
        seeds = np.zeros((count, self.size + directions, self.size))
        seeds[:, : self.size] = np.eye(self.size)
        values, tangents = {"q": r.q[steps], "v": r.v[steps], "multipliers": r.multipliers[steps]}, self.tangents(seeds)
        if r.knows_acceleration[steps[0]] and self._starts_from_acceleration:
            values["acceleration"] = r.acceleration[steps]
        if r.follows_jump[steps[0]] and self._starts_from_acceleration:
            at = Points(r.begin[steps], values["q"], values["v"], tangents["q"], tangents["v"])
            known, of_known = self._accelerations(at)
            values, tangents = values | known, tangents | of_known
        end = {"q": r.q[steps + 1], "v": r.v[steps + 1], "multipliers": r.multipliers[steps + 1]}
        batch = StepBatch(r.begin[steps], r.lengths[steps], values, tangents, end)
        if r.knows_own[steps[0]]:
            for name, place in self._method.own_parts(self._layout).items():
                key = name if name in HISTORY else carried_name(name)
                values[key] = self._history(name, r.own[steps, place])
        elif self._begin is not None:
            first = self._begin(batch)
            nothing = {carried_name(x.name): self._empty(x.name, count) for x in self._program.carried}
            values |= nothing | first.values
            blank = {part.name: np.zeros_like(tangents[part.name]) for part in self.parts if part.name in nothing}
            tangents |= blank | first.tangents
        is_first = self._first is not None and self._known_states[steps[0]] < self._program.first_steps
        execute = self._first if is_first and self._first is not None else self._execute
        return np.swapaxes(self.row(execute(batch).tangents), 1, 2)

    def _history(self, name: str, values: Array) -> Array:
        """Return an array of the method history; parts of earlier states have one row for each of these."""
        steps = self._program.history.get(name)
        return values if steps is None else values.reshape(len(values), steps, -1)

    def _empty(self, name: str, count: int) -> Array:
        """Return the zeros with which a method starts to carry an array."""
        place = self._method.own_parts(self._layout)[name]
        return np.zeros((count, place.stop - place.start))


def check_differentiable(system: System, recorded: RecordedSteps) -> None:
    """Raise UnsupportedMethodError if steps of the method, or for the system, have no matrices."""
    if reason := refusal_of_matrices(system, recorded.method, recorded.control):
        raise UnsupportedMethodError(
            f"Runs of '{system.layout.name}' with method '{recorded.method.name}' have no sensitivities in NumPy: "
            f"{reason}."
        )


def refusal_of_matrices(system: System, method: Method, control: StepControl) -> str:
    """Return why steps of a method, or for a system, have no matrices; empty if they have."""
    layout = system.layout
    if not isinstance(method, ProgrammedMethod):
        return "its steps are no step program"
    if method.coordinates != "exp":
        return "it steps in other local coordinates than exp"
    program = method.program(features_of(system.mechanics, compiled=False))
    if program.has(OrderChoice):
        return "its steps choose their order"
    if method.composition is not None:
        return "its steps are composed of several ones"
    if unknown := next((title for x in program.lines if (title := x.instruction.title) in WITHOUT_RULES), ""):
        return f"rules for the instruction {unknown} are missing"
    reasons = {
        "events change the state or the constraints of the model": layout.changes_state or layout.has_activities,
        "the model has dependent nodes": layout.has_dependents,
        "the model has acceleration-level constraints": isinstance(method, Implicit) and not layout.of_velocities.all(),
        "the model is stepped in stored coordinates of rotations": layout.has_coordinate_rates,
        "constraint equations may be redundant": system.mechanics.takes_redundant_rows,
        "a constraint is nonlinear in the velocities": layout.has_nonlinear_rows,
        "steps are projected": control.is_projected,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")
