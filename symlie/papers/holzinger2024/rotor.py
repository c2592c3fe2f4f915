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
        "Mass and damping belong to a disk of the printed size, as the printed inertia does; the printed mass of "
        "1.223 kg does not."
    )
    return [
        Item(
            "figure", "10", "corrected", "motion of a point of the rotor",
            f"The left support point by RK67 with h = 1e-5 s: its path across the shaft, and its coordinates. {data}",
            [
                Panel("path", "y in mm", "z in mm", [Curve("p1", course, point(1, 2))], "plane"),
                Panel("coordinates", "time in s", "position in mm",
                      [Curve("y", course, point(1, None)), Curve("z", course, point(2, None))]),
            ],
            numbers=[
                Number(f"least error of {name} by RK67", lambda f, name=name: float(np.nanmin(errors(name)(f)[1])),
                       [explicit["RK67"]], None, 1e-9, "m") for name in (RV, *OURS)
            ],
        ),
        Item(
            "figure", "11", "corrected", "errors of the rotor over step sizes",
            "Error of the left support point at the end. Both forms of Rxyz agree. Below, our formulations are "
            "compared with RV: S³ × R³ has its errors; those of SE(3) and S³ ⋉ R³, which turn the velocity of the "
            f"centre with the spin, are 23 times as large with RK44 after 0.1 s, and 1.1 times at 4 s. {data}",
            panels("error in m", errors),
            numbers=[
                Number("RK44, error of Rxyz over that of RV at h = 2.5e-5 s",
                       lambda f: error_at(RXYZ, 2.5e-5)(f) / error_at(RV, 2.5e-5)(f), [explicit["RK44"]]),
                Number("RK44, error of Rxyz in form 1 over error of RV at h = 2.5e-5 s", over_rv(FORM_1, 2.5e-5),
                       [explicit["RK44"]]),
                *(Number(f"RK44, error of {name} over that of RV at h = 2.5e-5 s", over_rv(name, 2.5e-5),
                         [explicit["RK44"]]) for name in OURS),
                Number("generalized-α, error of RV over error of EP at the smallest step",
                       lambda f: error_at(RV, steps[-1])(f) / error_at(EP, steps[-1])(f), [implicit], 1, None),
                *(Number(f"generalized-α, error of {name} over error of RV at the smallest step",
                         over_rv(name, steps[-1]), [implicit]) for name in OURS),
            ],
        ),
        Item(
            "figure", "12", "corrected", "processor times of the rotor",
            "In units of RV at the largest step; explicit left, implicit right, which the text has the other way "
            f"round. Times are of one machine and are not judged. {data}",
            panels(RELATIVE, lambda name: times(name, RV)),
            numbers=[Number("generalized-α with EP runs at h = 1e-4 s (0: it fails)", ran(EP, 1e-4), [implicit], None,
                            0, printed="fails")],
        ),
        Item(
            "figure", "13", "corrected", "work and precision of the rotor",
            f"Errors over times in units of RV at the largest step. {data}",
            panels("error in m", lambda name: work(name, RV), RELATIVE),
            numbers=[
                Number("RK67 at the smallest step, error of RV", error_at(RV, steps[-1]), [explicit["RK67"]], None,
                       1e-9, "m"),
            ],
        ),
        Item(
            "table", "7", "corrected", "Newton iterations per step, rotor",
            "Over 0.1 s; the numbers hardly depend on this time. RV takes more than two iterations in steps whose "
            "residual reaches round-off before it is below the tolerance of the paper. With the matrix of the paper, "
            "without derivatives of M v', the numbers of Rxyz are not the printed ones, and those of RV and EP at "
            f"few steps alone: EP with 3 at 3.13e-6 s and with 2 from 7.81e-7 s on. {data}",
            table=iteration_table(counted, of_paper, printed),
            numbers=[
                Number("RV at h = 5e-5 s, matrix of the paper", iterations_at(RV, 5e-5), [of_paper[RV]], 1.98, 2.02,
                       printed="2"),
                Number("EP at h = 3.13e-6 s, matrix of the paper", iterations_at(EP, 3.125e-6), [of_paper[EP]], 2.98,
                       3.02, printed="3"),
                Number("RV at h = 5e-5 s", iterations_at(RV, 5e-5), [counted], None, 2.05, printed="2"),
                *(Number(f"Rxyz at h = {h:.3g} s", iterations_at(RXYZ, h), [counted], None, stated,
                         printed=f"{stated:g}")
                  for h, stated in zip(counted.steps[:4], [3.0, 3.0, 3.0, 2.0], strict=False)),
                Number("EP runs at h = 5e-5 s (0: it fails)", ran(EP, 5e-5), [counted], None, 0, printed="fails"),
            ],
        ),
    ]  # fmt: skip
