"""Both stages of a variational step in isolation: residuals of Newton iterations, and bandwidths of the matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from symlie.contract.sets import discrete_set
from symlie.papers.studies import Course, Session
from symlie.runtime.implicit.variational_step import EndStage, StartStage
from symlie.runtime.kernels.iteration_tables import IterationTables
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.methods.controllers import FIXED_STEPS
from symlie.runtime.methods.programs.discrete_stages import DiscreteTableau
from symlie.runtime.methods.stepper import Stepper
from symlie.runtime.solution.solution import Solution

ITERATIONS = 6
"""Number of Newton iterations, more than reduce the residual."""


@dataclass(frozen=True)
class Stage:
    """Newton iterations and matrix of one stage."""

    residuals: tuple[float, ...]
    """Norms of the residual at the initial guess, from the last velocity, and after each Newton iteration, relative
    to the first."""
    half_bandwidth: int
    """Largest distance of a nonzero entry from the diagonal, with unknowns ordered along the rod: velocities of a
    node, then multipliers of the next segment."""
    unknowns: int


@dataclass(frozen=True)
class Stages:
    """Stages for q and v of the variational step after a run with fixed steps; the result is a pair of `Stage`."""

    course: Course

    def run(self, session: Session) -> tuple[Stage, Stage]:
        """Run the model and take the next step."""
        course, system = self.course, session.system(self.course.case)
        assert course.h is not None
        solution = cast(Solution, session.result(course))
        t, q, v, h = float(solution.t[-1]), solution.q[-1], solution.v[-1], course.h
        method = chosen_method(course.method, {"newton": "full"})
        assert isinstance(method.tableau, DiscreteTableau)
        stepper, m, layout = Stepper(system, method, FIXED_STEPS), system.mechanics, system.layout
        kernels, tables = stepper.discrete(discrete_set(method.tableau.discrete).name, True)
        assert tables is not None
        momentum = kernels("conjugate_momentum", m.p, t, q, v)
        first, last = kernels.weights
        start = StartStage(system, kernels, tables, t, q, h)
        start.begin(momentum - h * first * kernels("load", m.p, t, q, v), np.zeros(layout.dimension))
        found = _stage(start, tables, layout, np.concatenate([h * v, np.zeros(layout.rows)]))
        end = EndStage(system, kernels, tables, t, q, h)
        reached = m.kernels.normalize(start.q)
        end.begin(kernels("end_momentum", m.p, t, q, reached, start.theta, h), reached, last)
        return found, _stage(end, tables, layout, np.concatenate([start.theta / h, np.zeros(layout.rows)]))


def _stage(stage: StartStage | EndStage, tables: IterationTables, layout: Layout, u: Array) -> Stage:
    norms = [float(np.linalg.norm(stage.residual(u)))]
    for _ in range(ITERATIONS):
        stage.refresh()
        u = u - stage.correction(stage.residual(u))
        norms.append(float(np.linalg.norm(stage.residual(u))))
    rows, columns, places = tables.structure.entries()
    there = stage.values(tables)[places] != 0
    position = _along(layout)
    distance = np.abs(position[rows[there]] - position[columns[there]])
    return Stage(tuple(norm / norms[0] for norm in norms), int(distance.max()), len(u))


def _along(layout: Layout) -> NDArray[np.intp]:
    """Return the index of each unknown in the order along one rod whose segments all have the same constraints."""
    (nodes,) = layout.nodes
    segments = nodes.count - 1
    of_nodes = np.repeat(np.arange(nodes.count), layout.dimension // nodes.count)
    of_rows = np.repeat(np.arange(segments) + 0.5, layout.rows // segments)
    return np.argsort(np.argsort(np.concatenate([of_nodes, of_rows]), kind="stable"), kind="stable")
