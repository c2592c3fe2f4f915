"""Cost of the formulas of a step alone: for a body whose accelerations cost nothing, and for a point."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symlie.papers.studies import Session
from symlie.runtime.integrate.solve import solve
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System

DRAG, SPEED = 0.1, (1.0, 2.0, 3.0)
"""Coefficient d and initial velocity v(0) of v' = -d v, for the body and the point."""

POINT = "x in R³"
STORED = {"rotation vector": ("SO3", "rotation_vector"), "rotation matrix": ("SO3", None), "quaternion": ("S3", None)}
"""Group and coordinates by representation of rotations; `None` stands for the storage of the group."""


@dataclass(frozen=True)
class FormulaTime:
    """Processor time of a step, in s, and flattened rotation matrix at the end, empty for the point."""

    seconds: float
    rotation: Array


@dataclass(frozen=True)
class FormulaTimes:
    """Steps of v' = -d v, which cost only the formulas of the method; the result is a `FormulaTime` by name."""

    method: str
    """Explicit method."""
    h: float = 1e-4
    """Step size, in s."""
    steps: int = 20_000
    """Number of steps of a run."""
    repetitions: int = 9
    """Number of runs whose median time is taken."""

    def run(self, session: Session) -> Mapping[str, FormulaTime]:
        """Time the point, and the body for each representation of its rotation."""
        session.progress(f"{self.method}, times of formulas")
        return {name: self._timed(*how) for name, how in {POINT: ("R3", None), **STORED}.items()}

    def _timed(self, group: str, coordinates: str | None) -> FormulaTime:
        system = _system(group, coordinates)
        runs = [
            solve(system, self.h * self.steps, method=self.method, h=self.h, record_every=0)
            for _ in range(self.repetitions)
        ]
        seconds = statistics.median(run.statistics.cpu_seconds for run in runs) / self.steps
        return FormulaTime(seconds, np.zeros(0) if group == "R3" else np.ravel(runs[0].outputs["rotation"][-1]))


def _system(group: str, coordinates: str | None) -> System:
    """Return a ball with unit moments of inertia, or a point with unit mass, with linear drag."""
    from symlie.modeling.model import Model

    model = Model("ball" if group != "R3" else "point")
    q = model.node("body", group, coordinates=coordinates)
    v = q.x_dot if group == "R3" else q.Omega
    model.kinetic_energy(v.dot(v) / 2)
    model.dissipation(model.parameter("drag", DRAG) * v.dot(v) / 2)
    if group == "R3":
        model.initial(q, x_dot=SPEED)
    else:
        model.output("rotation", [q.R[i, j] for i in range(3) for j in range(3)])
        model.initial(q, Omega=SPEED)
    return model.derive().compile()
