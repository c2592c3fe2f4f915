"""What the formulas of a step cost by themselves: of a body whose accelerations cost nothing, and of a point."""

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
"""Of both: v' = -d v, from v(0)."""

POINT = "x in R³"
STORED = {"rotation vector": ("SO3", "rotation_vector"), "rotation matrix": ("SO3", None), "quaternion": ("S3", None)}
"""How rotations are stored: group, and coordinates where they are not those of the group, by name."""


@dataclass(frozen=True)
class FormulaTime:
    """Processor time of a step, in s, and the rotation matrix at the end, as a row; empty of the point."""

    seconds: float
    rotation: Array


@dataclass(frozen=True)
class FormulaTimes:
    """Steps with v' = -d v, where the formulas of the method are all there is; the result is a `FormulaTime` by name.

    Attributes
    ----------
    method
        An explicit method.
    h, steps
        Step size, in s, and steps of a run.
    repetitions
        Runs of which the median time is taken.
    """

    method: str
    h: float = 1e-4
    steps: int = 20_000
    repetitions: int = 9

    def run(self, session: Session) -> Mapping[str, FormulaTime]:
        """Time the point, and the body in each way to store its rotation."""
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
    """A ball with moments of inertia of one, or a point with a mass of one, and linear drag."""
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
