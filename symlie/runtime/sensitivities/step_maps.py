"""Derivatives of steps as matrices: x_{n+1} = A_n x_n + B_n p with the tangents of states x and of variables p."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from symlie.errors import UnsupportedMethodError
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.sensitivities.differentiated_steps import DifferentiatedSteps, StepBatch
from symlie.runtime.sensitivities.point_derivatives import PointDerivatives, Points
from symlie.runtime.sensitivities.recorded_steps import RecordedSteps
from symlie.runtime.sensitivities.saddle_points import SaddlePoints
from symlie.runtime.sensitivities.variables import Directions
from symlie.runtime.steps.program import Program, features_of
from symlie.runtime.steps.stage_instructions import StageWithMultipliers
from symlie.runtime.system.system import System

CHUNK = 1 << 21
"""Largest number of entries of one tangent array: bounds the memory of a chunk of steps."""


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


class Linearization:
    """Derivatives of the steps of a run.

    The tangent of a state consists of δq and δv on free components, of δλ, and of δv' if steps start from v'.
    """

    def __init__(self, system: System, recorded: RecordedSteps, directions: Directions) -> None:
        self.system, self.recorded, self._layout = system, recorded, system.layout
        check_differentiable(system, recorded)
        assert isinstance(recorded.method, ProgrammedMethod)
        self._program: Program = recorded.method.program(features_of(system.mechanics, compiled=False))
        self.derivatives = PointDerivatives(system, directions)
        saddle = SaddlePoints(self.derivatives)
        self._execute = DifferentiatedSteps(self.derivatives, saddle, self._program, recorded.control.baumgarte)
        self._directions = directions

    @cached_property
    def _starts_from_multipliers(self) -> bool:
        return self._program.has(StageWithMultipliers)

    @cached_property
    def parts(self) -> tuple[NDArray[np.intp], NDArray[np.intp], slice, NDArray[np.intp]]:
        """Components of δq, δv, δλ and δv' in tangents of states."""
        layout = self._layout
        free = np.flatnonzero(layout.free)
        moving = np.flatnonzero(layout.free & layout.has_velocity)
        carries = self._starts_from_multipliers and bool(self.recorded.knows_acceleration.any())
        return free, moving, slice(0, layout.rows), moving if carries else moving[:0]

    @cached_property
    def size(self) -> int:
        """Number of components of the tangent of a state."""
        q, v, multipliers, a = self.parts
        return len(q) + len(v) + multipliers.stop + len(a)

    def tangents(self, rows: Array) -> tuple[Array, Array, Array, Array]:
        """Return δq, δv, δλ and δv' of tangents of states in rows, shape (..., size)."""
        layout, (q, v, multipliers, a) = self._layout, self.parts
        places = ((q, layout.dimension), (v, layout.dimension), (multipliers, layout.rows), (a, layout.dimension))
        found, begin = [], 0
        for place, width in places:
            part = np.zeros((*rows.shape[:-1], width))
            count = place.stop if isinstance(place, slice) else len(place)
            part[..., place] = rows[..., begin : begin + count]
            found.append(part)
            begin += count
        dq, dv, dl, da = found
        return dq, dv, dl, da

    def row(self, dq: Array, dv: Array, dl: Array, da: Array) -> Array:
        """Return tangents of states, shape (..., size)."""
        places = self.parts
        return np.concatenate([x[..., place] for x, place in zip((dq, dv, dl, da), places, strict=True)], axis=-1)

    def begin(self, dq: Array, dv: Array) -> Array:
        """Return the tangents of the initial state, shape (variables, size), for tangents of q and v."""
        r = self.recorded
        at = Points(r.t[:1], r.q[:1], r.v[:1], dq[None], dv[None])
        if not self._layout.rows:
            dl = np.zeros((len(dq), 0))
        else:
            a, _ = self.derivatives.accelerations(at)
            system = SaddlePoints(self.derivatives).at(at, at)
            multipliers = r.multipliers[:1]
            right = -self.derivatives.balance(at, a, multipliers), -self.derivatives.curvature(at, a)
            dl = system.solve(*right)[1][0]
        return self.row(dq, dv, dl, np.zeros_like(dv))

    def chunks(self, *, backwards: bool = False) -> Iterator[StepMaps]:
        """Yield the maps of all steps, a bounded number at a time."""
        columns = self.size + self._directions.count
        most = max(1, CHUNK // max(1, columns * max(self._layout.dimension + self._layout.rows, 1)))
        chunks = list(self._of_one_kind(most))
        for steps in reversed(chunks) if backwards else chunks:
            yield self._maps(steps)

    def _of_one_kind(self, most: int) -> Iterator[slice]:
        """Yield ranges of steps that all know v' at their start, or all do not."""
        knows, first = self.recorded.knows_acceleration, 0
        for k in range(1, self.recorded.count + 1):
            if k == self.recorded.count or k - first == most or knows[k] != knows[first]:
                yield slice(first, k)
                first = k

    def _maps(self, steps: slice) -> StepMaps:
        r, directions = self.recorded, self._directions.count
        count = steps.stop - steps.start
        seeds = np.zeros((count, self.size + directions, self.size))
        seeds[:, : self.size] = np.eye(self.size)
        state = r.q[steps], r.v[steps], r.multipliers[steps], r.acceleration[steps]
        knows = bool(r.knows_acceleration[steps.start])
        times = r.begin[steps], r.lengths[steps]
        end = self._execute(StepBatch(times, state, self.tangents(seeds), knows_acceleration=knows))
        found = np.swapaxes(self.row(end.dq, end.dv, end.dl, end.da), 1, 2)
        return StepMaps(steps, found[..., : self.size], found[..., self.size :])


def check_differentiable(system: System, recorded: RecordedSteps) -> None:
    """Raise UnsupportedMethodError if steps of the method, or for the system, have no derivatives."""
    layout, method = system.layout, recorded.method
    reason = ""
    if not isinstance(method, ProgrammedMethod):
        reason = f"method '{method.name}' is not a step program"
    elif method.coordinates != "exp":
        reason = f"method '{method.name}' steps in other local coordinates than exp"
    elif method.own:
        reason = f"method '{method.name}' carries data from step to step"
    elif layout.has_placed_nodes:
        reason = "it has dependent nodes"
    elif layout.has_coordinate_rates:
        reason = "it steps in stored coordinates of rotations"
    elif system.mechanics.takes_redundant_rows:
        reason = "its constraint equations may be redundant"
    elif layout.has_nonlinear_rows:
        reason = "a constraint is nonlinear in the velocities"
    elif recorded.control.project_position or recorded.control.project_velocity:
        reason = "steps are projected"
    if reason:
        raise UnsupportedMethodError(
            f"Runs of '{layout.name}' with method '{method.name}' have no sensitivities: {reason}."
        )


