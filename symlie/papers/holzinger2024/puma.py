"""Items of [Holzinger2024], section 4.4: a Puma 560 with controlled joints."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symlie.models import puma560
from symlie.papers.formulations import Formulations, Found, error_at, errors, iterations, iterations_at, ran, times
from symlie.papers.holzinger2024.compared import (
    COORDINATES,
    EP,
    FULL,
    ITERATIONS,
    MINIMAL,
    OURS,
    RELATIVE,
    RV,
    RXYZ,
    TIMES,
    WITH_TANGENT,
    curves,
    halved,
    over_rv,
    panel,
    study,
)
from symlie.papers.items import Curve, Item, Number, Panel, Points, Table
from symlie.papers.studies import Case, Course
from symlie.runtime.solution.solution import Solution

PUMA = Case("puma560")

PRINTED_ACCELERATIONS = (-8.3776, 4.1888, -13.9626, 6.2832, 6.2832, 3.1416)
"""Accelerations of table 9, in rad/s²."""
PRINTED_DIGITS = 5e-5

PRINTED_GAINS = ((4e4, 400), (4e4, 400), (4e4, 100), (100, 1), (100, 1), (10, 0.1))
"""Gains of table 10, in N m/rad and N m s/rad."""

START = (
    "The motion starts at zero joint angles, because the printed accelerations correspond to this initial condition "
    "and not to the printed initial angles."
)


def accelerations(variant: str) -> list[float]:
    """Return the accelerations of the profiles in the first half of the motion, in rad/s²."""
    return [4 * float(goal - start) for goal, start in zip(puma560.GOAL, puma560.START[variant], strict=True)]


def joint_angle(k: int) -> Callable[[Solution], Points]:
    """Return a reader of a joint angle versus time, in degrees."""
    return lambda solution: (solution.t, np.degrees(solution.outputs["joint_angles"][:, k]))


def runs_at_all_steps(name: str) -> Callable[[Found], float]:
    """Return a reader that is 1 if a formulation runs at all step sizes, and 0 otherwise."""
    return lambda found: float(not any(row.failure for row in found[name]))


def puma_studies(quick: bool) -> tuple[Formulations, Formulations]:
    """Return the study of all formulations with T(θ) in the matrix, and the study of rotation vectors without it."""
    steps = halved(0.1, 6 if quick else 11)
    names = [*COORDINATES, MINIMAL, *OURS]
    return (
        study(PUMA, names, "generalized_alpha", steps, 1.0, "joint_angles", WITH_TANGENT),
        study(PUMA, [RV], "generalized_alpha", steps, 1.0, "joint_angles", FULL),
    )


def puma(quick: bool) -> list[Item]:
    """Return the items of section 4.4."""
    found, without = puma_studies(quick)
    fine, coarse = found.steps[-1], found.steps[0]
    course = Course(
        found.case_of(EP), 1.0, "generalized_alpha", 1e-3 if quick else 1e-4, method_options=WITH_TANGENT
    )  # fmt: skip
    both = [*curves(found, errors), Curve(f"{RV}, without T", without, errors(RV), True)]
    counts = [*curves(found, iterations), Curve(f"{RV}, without T", without, iterations(RV), True)]
    return [
        Item(
            "table", "9", "reproduced", "accelerations of the joint profiles",
            "The motion takes one second, so that each acceleration in rad/s² is four times the joint displacement "
            "in rad. The printed values correspond to zero initial angles. With the printed initial angles, the "
            "values of joints 2, 3 and 5 would differ.",
            table=Table(["link", "acceleration in rad/s²", "printed", "with the printed initial angles"],
                        acceleration_rows),
            numbers=[
                Number("largest difference from the printed accelerations", lambda: difference("A"), [], None,
                       PRINTED_DIGITS, "rad/s²"),
                Number("the same with the printed initial angles", lambda: difference("B"), [], 1.0, None, "rad/s²"),
            ],
        ),
        Item(
            "figure", "19", "corrected", "joint angles of the Puma",
            f"The joint angles are computed with Euler parameters. {START}",
            [Panel("angles", "time in s", "angle in degrees",
                   [Curve(f"joint {k + 1}", course, joint_angle(k)) for k in range(6)])], 1,
            numbers=[
                Number("error of EP at the smallest step size of figure 20", error_at(EP, fine), [found], None, 2e-8,
                       "rad"),
                *(Number(f"the same with {name}", error_at(name, fine), [found], None, 2e-8, "rad") for name in OURS),
            ],
        ),
        Item(
            "table", "10", "reproduced", "gains of the joint controllers",
            "The table lists the gains of the model, P in N m/rad and D in N m s/rad.",
            table=Table(["link", "P", "D"], gain_rows),
            numbers=[
                Number("number of joints whose gains differ from the printed ones",
                       lambda: sum(a != b for a, b in zip(puma560.GAINS, PRINTED_GAINS, strict=True)), [], 0, 0),
            ],
        ),
        Item(
            "figure", "20", "corrected", "errors of the Puma versus step size",
            "The curves show the error of the joint angles at 1 s, relative to a solution of order six in minimal "
            f"coordinates. Rotation vectors and Euler parameters are equally accurate at small steps. {START} Euler "
            "angles fail where the first link has rotated by 90°: in its Denavit–Hartenberg frame, cos b = 0 "
            "exactly there, and symlie reports the singularity. Among our formulations, S³ × R³ has the same error "
            "as RV. At small steps, the errors on SE(3) and S³ ⋉ R³ are 0.3 times that of RV.",
            [panel("generalized-α", "error in rad", both)], 1,
            numbers=[
                Number("smallest step size: error of RV / error of EP",
                       lambda f: error_at(RV, fine)(f) / error_at(EP, fine)(f), [found], 0.95, 1.05,
                       printed="above 1"),
                Number("RV completes at the largest step size (1 = yes, 0 = no)", ran(RV, coarse), [found], 1, 1),
                Number("EP completes at the largest step size (1 = yes, 0 = no)", ran(EP, coarse), [found], 1, 1),
                Number("smallest step size: error of minimal coordinates / error of EP",
                       lambda f: error_at(MINIMAL, fine)(f) / error_at(EP, fine)(f), [found], None, 1.05),
                *(Number(f"smallest step size: error of {name} / error of RV", over_rv(name, fine), [found])
                  for name in OURS),
                Number("minimal coordinates complete at the largest step size (1 = yes, 0 = no)", ran(MINIMAL, coarse),
                       [found], 1, 1),
                Number("Rxyz completes at the smallest step size (1 = yes, 0 = no)", ran(RXYZ, fine), [found], 0, 0,
                       printed="runs"),
            ],
        ),
        Item(
            "figure", "21", "corrected", "Newton iterations and processor times of the Puma",
            f"The panels show Newton iterations per step and processor times. {TIMES} {START} With T(θ) in the "
            "iteration matrix, rotation vectors need fewer iterations than Euler parameters even at large steps.",
            [panel("iterations", ITERATIONS, counts),
             panel("time", RELATIVE, curves(found, lambda name: times(name, RV)))],
            numbers=[
                Number("smallest step size: iterations of RV / iterations of EP", ratio(fine), [found], None, 1.0),
                Number("smallest step size: iterations of minimal coordinates / iterations of EP",
                       lambda f: iterations_at(MINIMAL, fine)(f) / iterations_at(EP, fine)(f), [found]),
                Number("largest step size: iterations of RV / iterations of EP", ratio(coarse), [found], None, 1.0,
                       printed="above 1"),
                *(Number(f"smallest step size: iterations of {name}", iterations_at(name, fine), [found])
                  for name in (RV, *OURS)),
            ],
        ),
        Item(
            "claim", "minimal", "confirmed", "Minimal coordinates are the most accurate on the Puma at all step sizes",
            "The model in minimal coordinates has the same joint definitions as the others. The error is measured "
            "in the joint angles, which are the unknowns of this model.",
            numbers=[
                Number("error / smallest error of the other formulations, maximum over step sizes", worst_of_minimal,
                       [found], None, 1.0),
            ],
        ),
        Item(
            "claim", "puma-tolerance", "refuted", "Rotation vectors need a relative tolerance of 1e-5 on the Puma",
            "If the iteration matrix contains T(θ), rotation vectors complete the runs at all step sizes with the "
            "tolerance of the other examples. Without T(θ), Newton's method fails at large steps.",
            numbers=[
                Number("RV with T completes at all step sizes (1 = yes, 0 = no)", runs_at_all_steps(RV), [found], 1, 1),
                Number("RV without T completes at the largest step size (1 = yes, 0 = no)", ran(RV, coarse), [without],
                       0, 0),
            ],
        ),
    ]  # fmt: skip


def ratio(h: float) -> Callable[[Found], float]:
    """Return a reader of the Newton iterations of rotation vectors relative to Euler parameters."""
    return lambda found: iterations_at(RV, h)(found) / iterations_at(EP, h)(found)


def worst_of_minimal(found: Found) -> float:
    """Return the largest ratio of the error in minimal coordinates to the smallest error of the other formulations."""
    own, *others = (errors(name)(found)[1] for name in (MINIMAL, RV, RXYZ, EP))
    return float(np.max(own / np.nanmin(others, axis=0)))


def difference(variant: str) -> float:
    """Return the largest difference of accelerations from the printed ones, in rad/s²."""
    return float(np.abs(np.subtract(accelerations(variant), PRINTED_ACCELERATIONS)).max())


def acceleration_rows() -> list[list[str]]:
    """Return the contents of table 9."""
    rows = zip(accelerations("A"), PRINTED_ACCELERATIONS, accelerations("B"), strict=True)
    return [[str(k), *(f"{value:.5g}" for value in row)] for k, row in enumerate(rows, 1)]


def gain_rows() -> list[list[str]]:
    """Return the contents of table 10."""
    return [[str(k), f"{p:g}", f"{d:g}"] for k, (p, d) in enumerate(puma560.GAINS, 1)]
