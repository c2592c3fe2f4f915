"""Items of [Hante2022], section 4: the fully discrete equations, and the systems of equations of its algorithm."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from symlie.papers.hante2022.full_discretization import ByLines, Residuals, Rod
from symlie.papers.hante2022.variational_stages import ITERATIONS, Stage, Stages
from symlie.papers.items import Curve, Item, Number, Panel, Points, Table
from symlie.papers.studies import Case, Course

LENGTH = 10.0
STIFFNESS, INERTIA = (500.0, 500.0, 500.0, 1e4, 1e4, 1e4), (10.0, 10.0, 10.0, 1.0, 1.0, 1.0)
STEP, T_END = 2.0**-9, 0.25
"""Step size and end time of runs that are inserted into the equations, in s."""
ROUNDING = 1e-11
"""Bound of the round-off of momenta M θ/h, for positions up to 10 m, relative to the largest momentum."""
HOLDS = 1e-13
"""Bound of constraint residuals, in m, and of their rates relative to velocities."""
ONE_STEP = 1e-12
"""Bound of the residual of a linear system after one Newton iteration, relative to the initial residual."""
ENOUGH = 1e-9
"""The same bound for line 3, where the round-off of Φ divided by h remains."""
SHORT, SHORT_TIME = 2.0**-10, 2.0**-4
"""Step size that is small enough for 64 segments, and end time, in s."""


def pulled(t: float) -> tuple[int, tuple[float, ...]]:
    """Return the loaded node of the flying spaghetti with its moment and force until 2.5 s, in N m and N."""
    size = 80.0 * t
    return 0, (0.0, -size / 2, -size, size / 10, 0.0, 0.0)


def bent(_: float) -> tuple[int, tuple[float, ...]]:
    """Return the loaded node of the roll-up with its moment, in N m."""
    return -1, (0.0, 2 * math.pi * STIFFNESS[0] / LENGTH, 0.0, 0.0, 0.0, 0.0)


def flying(segments: int, constraint: str = "kirchhoff") -> Case:
    """Return the flying spaghetti."""
    return Case("flying_spaghetti", (("constraint", constraint), ("segments", segments)))


ROLLING = Case("roll_up", (("segments", 8),))
RODS = {
    "flying spaghetti": (flying(8), Rod(LENGTH, STIFFNESS, INERTIA, 0.0, (3, 4), False, pulled)),
    "damped roll-up": (ROLLING, Rod(LENGTH, STIFFNESS, INERTIA, 100.0, (), True, bent)),
}
"""Models, and their data as in the paper."""


def by_lines(case: Case, rod: Rod, method: str) -> ByLines:
    """Return the study that inserts a run into the equations of the paper."""
    return ByLines(Course(case, T_END, method, STEP), rod)


def largest(found: Residuals) -> float:
    """Return the largest residual of the momentum equations."""
    return max(found.start, found.end)


def lines_claim() -> Item:
    """Return the claim at the beginning of section 5."""
    numbers = []
    for name, (case, rod) in RODS.items():
        study = by_lines(case, rod, "rattlie")
        numbers.append(Number(f"residual of the momentum equations, {name}", largest, [study], None, ROUNDING))
        if rod.held:
            numbers += [
                Number(
                    f"largest constraint residual Ψ, {name}", lambda found: found.constraint, [study], None, HOLDS, "m"
                ),
                Number(
                    f"largest rate of Ψ / largest velocity, {name}", lambda found: found.hidden, [study], None, HOLDS
                ),
            ]
        other = by_lines(case, rod, "half_explicit_5")
        numbers.append(
            Number(f"residual of the momentum equations, {name}, method of order 5", largest, [other], 1e-6, None)
        )
    return Item(
        "claim", "lines", "confirmed", "The full discretisation is RATTLie applied to the rod discretised in space",
        "Runs of RATTLie with the equations of motion derived by symlie are substituted into equations (17) and "
        "(18) as printed. The substitution evaluates T⁻¹ by its series and uses no code derived by symlie. The runs "
        "have 128 steps and 8 segments. The multipliers are determined by least squares. The residual relative to "
        "the largest momentum is then at round-off. For a run with another method, the residual is the error of "
        "that method.",
        numbers=numbers,
    )  # fmt: skip


def stages(case: Case, t_end: float = T_END, h: float = STEP) -> Stages:
    """Return the study of both systems of equations of the step that follows a run."""
    return Stages(Course(case, t_end, "rattlie", h))


Found = tuple[Stage, Stage]


def after(line: int, iterations: int) -> Callable[[Found], float]:
    """Return a reader of the residual of line 3 (0) or line 5 (1) after a number of iterations."""
    return lambda found: found[line].residuals[iterations]


def residuals(line: int) -> Callable[[Found], Points]:
    """Return a reader of residuals of line 3 (0) or line 5 (1) versus iterations."""

    def points(found: Found) -> Points:
        return np.arange(ITERATIONS + 1.0), np.array(found[line].residuals)

    return points


def newton_claim() -> Item:
    """Return the claim on line 5 of algorithm 1."""
    panels, numbers = [], []
    for name, (case, _) in RODS.items():
        study = stages(case)
        curves = [Curve(f"line {text}", study, residuals(k), marked=True) for k, text in ((0, "3"), (1, "5"))]
        panels.append(Panel(name, "Newton iterations", "residual / initial residual", curves, "semilogy"))
        numbers += [
            Number(f"line 5: residual after one iteration / initial residual, {name}", after(1, 1), [study], None,
                   ONE_STEP),
            Number(f"line 3: residual after one iteration / initial residual, {name}", after(0, 1), [study], ENOUGH,
                   None),
            Number(f"line 3: residual after two iterations / initial residual, {name}", after(0, 2), [study], None,
                   ENOUGH),
        ]  # fmt: skip
    return Item(
        "claim", "newton", "confirmed", "One Newton iteration suffices in line 5 of algorithm 1",
        "Line 3 is the system of equations for the configuration at the end of a step, and line 5 the system for "
        "the velocity. Both are solved with the derived Newton matrices. The initial guess follows from the "
        "velocity of the previous step. Line 5 is linear, even with internal damping, so that one iteration reaches "
        "round-off. Line 3 needs only two iterations, because the cross sections rotate by small angles in a step.",
        panels, numbers=numbers,
    )  # fmt: skip


SEGMENTS = (4, 16, 64)
HELD = {"none": 0, "kirchhoff": 2, "inextensible": 3}
"""Number of constraint equations of each segment, by type of constraint."""


def band_rows(*found: Found) -> list[list[str]]:
    """Return the table of constraints, numbers of segments and unknowns, and half bandwidths."""
    cases = [(constraint, n) for constraint in HELD for n in SEGMENTS]
    return [
        [constraint, str(n), str(one.unknowns), str(one.half_bandwidth), str(other.half_bandwidth)]
        for (constraint, n), (one, other) in zip(cases, found, strict=True)
    ]


def band_claim() -> Item:
    """Return the claim on the Jacobians of lines 3 and 5."""
    cases = [(constraint, n) for constraint in HELD for n in SEGMENTS]
    studies = {case: stages(flying(case[1], case[0]), SHORT_TIME, SHORT) for case in cases}
    numbers = [
        Number(
            f"half bandwidth, {n} segments, {constraint}, line {text}",
            lambda found, line=line: float(found[line].half_bandwidth), [studies[constraint, n]], 5 + nc, 5 + nc,
            source="6 velocities of a node and the multipliers next to it",
        )
        for constraint, nc in HELD.items() if nc
        for n in (SEGMENTS[0], SEGMENTS[-1])
        for line, text in ((0, "3"), (1, "5"))
    ]  # fmt: skip
    head = ["constraint", "segments", "unknowns", "half bandwidth, line 3", "half bandwidth, line 5"]
    return Item(
        "claim", "band", "confirmed", "The Jacobians of lines 3 and 5 have band structure",
        "The half bandwidth is the largest distance of a nonzero entry from the diagonal. The model is the flying "
        "spaghetti. The unknowns are ordered by s: the velocities of a node, then the multipliers of the next "
        "segment. The half bandwidth does not depend on the number of segments. The matrices contain no internal "
        "forces, so that only the multipliers couple the nodes.",
        table=Table(head, band_rows, list(studies.values())), numbers=numbers,
    )  # fmt: skip


def claims() -> Sequence[Item]:
    """Return the claims on the discrete equations and the algorithm."""
    return [newton_claim(), band_claim(), lines_claim()]
