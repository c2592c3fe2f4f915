"""Both stages of a variational step by themselves: what Newton's iterations leave, and what bands the matrices have."""

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
from symlie.runtime.methods.stepper import Stepper
from symlie.runtime.methods.variational import DiscreteTableau
from symlie.runtime.solution.solution import Solution

ITERATIONS = 6
"""Newton steps that are taken, past the last one that gains."""


@dataclass(frozen=True)
class Stage:
    """A stage of one step.

    Attributes
    ----------
    residuals
        Norms of the residual at the first guess, which the last velocity gives, and after each Newton step with the
        derived matrix; relative to the first.
    half_bandwidth
        Largest distance of an entry of the matrix from the diagonal, with the unknowns in the order of s: velocities of
        a node, multipliers of the segment after it.
    unknowns
        Their number.
    """

    residuals: tuple[float, ...]
    half_bandwidth: int
    unknowns: int


@dataclass(frozen=True)
class Stages:
    """The stages for q and for v of the step of a variational integrator after a run; the result is a pair of `Stage`.

    Attributes
    ----------
    course
        The run by the method, with a fixed step.
    """

    course: Course

    def run(self, session: Session) -> tuple[Stage, Stage]:
        """Run it, and take the step after it."""
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
    """The place of each unknown in the order of s, of one rod whose segments all have the same constraints."""
    (nodes,) = layout.nodes
    segments = nodes.count - 1
    of_nodes = np.repeat(np.arange(nodes.count), layout.dimension // nodes.count)
    of_rows = np.repeat(np.arange(segments) + 0.5, layout.rows // segments)
    return np.argsort(np.argsort(np.concatenate([of_nodes, of_rows]), kind="stable"), kind="stable")
