"""Items of [Holzinger2024], section 4.2: a rotor at high speed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from symlie.papers.formulations import Formulations, error_at, errors, iterations_at, ran, times, work
from symlie.papers.holzinger2024.compared import (
    EP,
    EXPLICIT,
    FORM_1,
    FULL,
    OURS,
    RELATIVE,
    ROTOR,
    RV,
    RXYZ,
    TIMES,
    UNDAMPED,
    Reading,
    explicit_and_implicit,
    halved,
    iteration_table,
    over_rv,
    study,
)
from symlie.papers.items import Curve, Item, Number, Panel, Points
from symlie.papers.studies import Course
from symlie.runtime.solution.solution import Solution

NAMES = (RV, RXYZ, EP, *OURS)
AT = "p1"


def counted_study(quick: bool) -> Formulations:
    """Return the study of table 7."""
    return study(ROTOR, NAMES, "generalized_alpha", halved(5e-5, 6 if quick else 10), 0.1, AT, FULL)


def rotor(quick: bool) -> list[Item]:
    """Return the items of section 4.2."""
    t_end, steps, counted = (0.1 if quick else 4.0), halved(1e-4, 5 if quick else 8), counted_study(quick)
    of_paper = {
        name: study(ROTOR, [name], "generalized_alpha", counted.steps, 0.1, AT, UNDAMPED) for name in (RXYZ, RV, EP)
    }
    explicit = {
        name: study(ROTOR, [RV, RXYZ, FORM_1, *OURS], method, steps, t_end, AT) for name, method in EXPLICIT.items()
    }
    implicit = study(ROTOR, NAMES, "generalized_alpha", steps, t_end, AT, FULL)
    course = Course(ROTOR, t_end, "rkmk_rk67", 1e-5, record_every=20)

    def panels(y: str, reading: Reading, x: str = "step size in s") -> list[Panel]:
        ours = {"RK44": [*OURS], "RK67": [*OURS], "": [*OURS]}
        return explicit_and_implicit(y, reading, explicit, implicit, ours, x=x)

    def point(a: int, b: int | None) -> Callable[[Solution], Points]:
        def points(solution: Solution) -> Points:
            p = 1e3 * solution.outputs["p1"]
            return (solution.t, p[:, a]) if b is None else (p[:, a], p[:, b])

        return points

    printed: dict[str, Sequence[float | None]] = {
        RXYZ: [3.0, 3.0, 3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.23],
        RV: [2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        EP: [None, None, None, 3.17, 3.0, 2.81, 2.0, 2.0, 2.0, 2.0],
    }
    data = (
        "Mass and damping are those of a steel disk with the printed dimensions. The printed moments of inertia "
        "match this disk, but the printed mass of 1.223 kg does not."
    )
    return [
        Item(
            "figure", "10", "corrected", "motion of a point of the rotor",
            "The panels show the motion of the left support point, computed by RK67 with h = 1e-5 s: its path in a "
            f"plane normal to the shaft, and its coordinates. {data}",
            [
                Panel("path", "y in mm", "z in mm", [Curve("p1", course, point(1, 2))], "plane"),
                Panel("coordinates", "time in s", "position in mm",
                      [Curve("y", course, point(1, None)), Curve("z", course, point(2, None))]),
            ],
            numbers=[
                Number(f"RK67: smallest error of {name} over all step sizes",
                       lambda f, name=name: float(np.nanmin(errors(name)(f)[1])), [explicit["RK67"]], None, 1e-9, "m")
                for name in (RV, *OURS)
            ],
        ),
        Item(
            "figure", "11", "corrected", "errors of the rotor versus step size",
            "The curves show the error of the left support point at 4 s. Both forms of Rxyz have the same error. "
            "The lower panels compare our formulations with RV. The error on S³ × R³ equals that of RV. On SE(3) "
            "and S³ ⋉ R³, the velocity of the centre of mass is expressed in the rotating axes of the body. With "
            "RK44, the errors on these groups are 23 times as large as that of RV after 0.1 s, and 1.1 times as "
            f"large after 4 s. {data}",
            panels("error in m", errors),
            numbers=[
                Number("RK44, h = 2.5e-5 s: error of Rxyz / error of RV",
                       lambda f: error_at(RXYZ, 2.5e-5)(f) / error_at(RV, 2.5e-5)(f), [explicit["RK44"]]),
                Number("RK44, h = 2.5e-5 s: error of Rxyz in form 1 / error of RV", over_rv(FORM_1, 2.5e-5),
                       [explicit["RK44"]]),
                *(Number(f"RK44, h = 2.5e-5 s: error of {name} / error of RV", over_rv(name, 2.5e-5),
                         [explicit["RK44"]]) for name in OURS),
                Number("generalized-α, smallest step size: error of RV / error of EP",
                       lambda f: error_at(RV, steps[-1])(f) / error_at(EP, steps[-1])(f), [implicit], 1, None),
                *(Number(f"generalized-α, smallest step size: error of {name} / error of RV",
                         over_rv(name, steps[-1]), [implicit]) for name in OURS),
            ],
        ),
        Item(
            "figure", "12", "corrected", "processor times of the rotor",
            f"{TIMES} The left panels show explicit methods and the right panels implicit methods. The text of the "
            f"paper states the opposite. {data}",
            panels(RELATIVE, lambda name: times(name, RV)),
            numbers=[Number("generalized-α with EP completes at h = 1e-4 s (1 = yes, 0 = no)", ran(EP, 1e-4),
                            [implicit], None, 0, printed="fails")],
        ),
        Item(
            "figure", "13", "corrected", "work–precision diagrams of the rotor",
            f"The diagrams show the error versus the processor time. {TIMES} {data}",
            panels("error in m", lambda name: work(name, RV), RELATIVE),
            numbers=[
                Number("RK67, smallest step size: error of RV", error_at(RV, steps[-1]), [explicit["RK67"]], None,
                       1e-9, "m"),
            ],
        ),
        Item(
            "table", "7", "corrected", "Newton iterations per step, rotor",
            "The numbers are averages over 0.1 s and hardly depend on the end time. RV needs more than two "
            "iterations in steps where the residual reaches round-off before it falls below the tolerance of the "
            "paper. The matrix of the paper omits the derivatives of M v'. With it, Rxyz does not reproduce the "
            "printed numbers. RV and EP reproduce them at a few step sizes only: EP needs 3 iterations at 3.13e-6 "
            f"s, and 2 from 7.81e-7 s on. {data}",
            table=iteration_table(counted, of_paper, printed),
            numbers=[
                Number("RV at h = 5e-5 s, matrix of the paper", iterations_at(RV, 5e-5), [of_paper[RV]], 1.98, 2.02,
                       printed="2"),
                Number("EP at h = 3.13e-6 s, matrix of the paper", iterations_at(EP, 3.125e-6), [of_paper[EP]], 2.98,
                       3.02, printed="3"),
                Number("RV at h = 5e-5 s, derived matrix", iterations_at(RV, 5e-5), [counted], None, 2.05, printed="2"),
                *(Number(f"Rxyz at h = {h:.3g} s, derived matrix", iterations_at(RXYZ, h), [counted], None, stated,
                         printed=f"{stated:g}")
                  for h, stated in zip(counted.steps[:4], [3.0, 3.0, 3.0, 2.0], strict=False)),
                Number("EP completes at h = 5e-5 s, derived matrix (1 = yes, 0 = no)", ran(EP, 5e-5), [counted], None,
                       0, printed="fails"),
            ],
        ),
    ]  # fmt: skip
