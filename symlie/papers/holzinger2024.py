"""Items of [Holzinger2024]: an evaluation of Lie group methods against Euler angles and Euler parameters.

Beside the formulations of the paper stand, marked as ours, those that its section 5 leaves to later work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from symlie.papers.formulations import (
    Found,
    error_at,
    errors,
    iterations,
    iterations_at,
    ran,
    times,
    work,
)
from symlie.papers.holzinger2024_data import data
from symlie.papers.holzinger2024_formulas import DRAWINGS, formulas
from symlie.papers.holzinger2024_puma import puma
from symlie.papers.holzinger2024_small_steps import small_steps_claim
from symlie.papers.holzinger2024_tops import (
    EP,
    EXPLICIT,
    FREE_TOP,
    FULL,
    HELD_TOP,
    ITERATIONS,
    OURS,
    REDUCED,
    RELATIVE,
    ROTOR,
    RV,
    RXYZ,
    SLIDER_CRANK,
    WITH_TANGENT,
    Reading,
    curves,
    free_top,
    halved,
    held_top,
    iteration_table,
    least_ratio,
    output_over_time,
    panel,
    study,
)  # fmt: skip
from symlie.papers.items import Curve, Item, Number, Panel, Paper, Points
from symlie.papers.studies import Course
from symlie.runtime.solution.solution import Solution


def rotor(quick: bool) -> list[Item]:
    """Section 4.2."""
    t_end, at = (0.1 if quick else 4.0), "p1"
    steps, printed_steps = halved(1e-4, 5 if quick else 8), halved(5e-5, 6 if quick else 10)
    explicit = {name: study(ROTOR, [RV, RXYZ], method, steps, t_end, at) for name, method in EXPLICIT.items()}
    names = [RV, RXYZ, EP, *OURS]
    implicit = study(ROTOR, names, "generalized_alpha", steps, t_end, at, FULL)
    counted = study(ROTOR, [RV, RXYZ, EP], "generalized_alpha", printed_steps, 0.1, at, FULL)
    course = Course(ROTOR, t_end, "rkmk_rk67", 1e-5, record_every=20)

    def both(reading: Reading) -> tuple[list[Curve], list[Curve]]:
        left = [c for name, found in explicit.items() for c in curves(found, reading, f"{name} ")]
        return left, curves(implicit, reading)

    def point(a: int, b: int | None) -> Callable[[Solution], Points]:
        def points(solution: Solution) -> Points:
            p = 1e3 * solution.outputs["p1"]
            return (solution.t, p[:, a]) if b is None else (p[:, a], p[:, b])

        return points

    error_left, error_right = both(errors)
    time_left, time_right = both(lambda name: times(name, RV))
    work_left, work_right = both(lambda name: work(name, RV))
    printed: dict[str, Sequence[float | None]] = {
        RXYZ: [3.0, 3.0, 3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.23],
        RV: [2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        EP: [None, None, None, 3.17, 3.0, 2.81, 2.0, 2.0, 2.0, 2.0],
    }
    data = (
        "Mass and damping are those of a disk of the printed size, which the printed inertia belongs to; the printed "
        "mass of 1.223 kg does not."
    )
    return [
        Item(
            "figure", "10", "corrected", "motion of a point of the rotor",
            f"The left support point by RK67 with h = 1e-5 s: its path across the shaft, and its coordinates. {data}",
            [
                Panel("path", "y in mm", "z in mm", [Curve("p1", course, point(1, 2))]),
                Panel("coordinates", "time in s", "position in mm",
                      [Curve("y", course, point(1, None)), Curve("z", course, point(2, None))]),
            ],
            numbers=[Number("error of RK67 at h = 1e-5 s", lambda f: float(np.nanmin(errors(RV)(f)[1])),
                            [explicit["RK67"]], None, 1e-9, "m")],
        ),
        Item(
            "figure", "11", "corrected", "errors of the rotor over step sizes",
            f"Error of the left support point at the end. {data}",
            [panel("explicit", "error in m", error_left), panel("implicit", "error in m", error_right)],
            numbers=[
                Number("RK44, error of Rxyz over that of RV at h = 2.5e-5 s",
                       lambda f: error_at(RXYZ, 2.5e-5)(f) / error_at(RV, 2.5e-5)(f), [explicit["RK44"]]),
                Number("generalized-α, error of RV over that of EP at the smallest step",
                       lambda f: error_at(RV, steps[-1])(f) / error_at(EP, steps[-1])(f), [implicit], 1, None),
            ],
        ),
        Item(
            "figure", "12", "corrected", "processor times of the rotor",
            "In units of RV at the largest step; explicit left, implicit right, which the text has the other way "
            f"round. Times are of one machine and are not judged. {data}",
            [panel("explicit", RELATIVE, time_left), panel("implicit", RELATIVE, time_right)],
            numbers=[Number("generalized-α with EP runs at h = 1e-4 s (0: it fails)", ran(EP, 1e-4), [implicit], None,
                            0, printed="fails")],
        ),
        Item(
            "figure", "13", "corrected", "work and precision of the rotor",
            f"Errors over times in units of RV at the largest step. {data}",
            [panel("explicit", "error in m", work_left, RELATIVE),
             panel("implicit", "error in m", work_right, RELATIVE)],
            numbers=[
                Number("RK67 at the smallest step, error of RV", error_at(RV, steps[-1]), [explicit["RK67"]], None,
                       1e-9, "m"),
            ],
        ),
        Item(
            "table", "7", "corrected", "Newton iterations per step, rotor",
            "Over 0.1 s, which the numbers hardly depend on. Where RV takes more than two, these are steps whose "
            f"residual is at rounding before it is below the tolerance of the paper. {data}",
            table=iteration_table(counted, printed),
            numbers=[
                Number("RV at h = 5e-5 s", iterations_at(RV, 5e-5), [counted], None, 2.05, printed="2"),
                *(Number(f"Rxyz at h = {h:.3g} s", iterations_at(RXYZ, h), [counted], None, stated,
                         printed=f"{stated:g}")
                  for h, stated in zip(printed_steps[:4], [3.0, 3.0, 3.0, 2.0], strict=False)),
                Number("EP runs at h = 5e-5 s (0: it fails)", ran(EP, 5e-5), [counted], None, 0, printed="fails"),
            ],
        ),
    ]  # fmt: skip


def slider_crank(quick: bool) -> list[Item]:
    """Section 4.3."""
    t_end, at = (1.0 if quick else 5.0), "slider"
    steps = halved(4e-3, 6 if quick else 11)
    found = study(SLIDER_CRANK, [RV, RXYZ, EP], "generalized_alpha", steps, t_end, at, WITH_TANGENT)
    course = Course(SLIDER_CRANK, t_end, "half_explicit_5", 1e-3)
    data = "Data of the crank are those of the published benchmark; the printed ones are of its pivot."
    return [
        Item(
            "figure", "15", "corrected", "time histories of the slider-crank",
            f"Position of the slider and angle of the crank. {data} The deviation of 8.6e-3 m from the library is one "
            "of its samples; the solution is known to 1e-13.",
            [
                Panel("slider", "time in s", "position in m", [Curve("s", course, output_over_time("slider"))]),
                Panel("crank", "time in s", "angle in rad", [Curve("θ", course, output_over_time("crank_angle"))]),
            ],
            numbers=[Number("error of generalized-α with RV at the smallest step", error_at(RV, steps[-1]), [found],
                            None, 1e-3 if quick else 1e-5, "m", "8.6e-3")],
        ),
        Item(
            "figure", "16", "corrected", "errors of the slider-crank over step sizes",
            f"Error of the slider at the end by generalized-α. {data} The paper's ladder ends at h = 1e-6 s, where "
            "errors are those of Newton's method.",
            [panel("generalized-α", "error in m", curves(found, errors))],
            numbers=[
                Number("error of RV over that of EP at h = 1e-3 s",
                       lambda f: error_at(RV, 1e-3)(f) / error_at(EP, 1e-3)(f), [found], 1, None),
            ],
        ),
        Item(
            "figure", "17", "corrected", "Newton iterations and processor times of the slider-crank",
            f"Times are in units of RV at the largest step, of one machine, and are not judged. {data}",
            [panel("iterations", ITERATIONS, curves(found, iterations)),
             panel("time", RELATIVE, curves(found, lambda name: times(name, RV)))],
            numbers=[
                Number("iterations of Rxyz over those of RV at h = 1e-3 s",
                       lambda f: iterations_at(RXYZ, 1e-3)(f) / iterations_at(RV, 1e-3)(f), [found], None, 1.5),
            ],
        ),
    ]  # fmt: skip


SMALL_STEPS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
"""Steps over which the iteration matrix is said to become ill conditioned, in s."""
FEW = 20
"""So many steps are taken."""


def small_steps(h: float, *, scaled: bool) -> Course:
    """A few steps of the held heavy top, with or without scaling."""
    return Course(HELD_TOP, FEW * h, "generalized_alpha", h, method_options=(*REDUCED, ("scaling", scaled)))


def reached_multipliers(h: float) -> Course:
    """What multipliers are at the end of these steps."""
    return Course(HELD_TOP, FEW * h, "half_explicit_5", h / 4, multipliers="index1")


def apart(a: Solution, b: Solution) -> float:
    """Relative difference of the multipliers at the end."""
    return float(np.linalg.norm(a.multipliers[-1] - b.multipliers[-1]) / np.linalg.norm(b.multipliers[-1]))


def scaling_claim() -> Item:
    """The sentence before section 4."""
    pairs = [small_steps(h, scaled=scaled) for h in SMALL_STEPS for scaled in (True, False)]

    def largest(*found: Solution) -> float:
        return max(apart(a, b) for a, b in zip(found[::2], found[1::2], strict=True))

    def iterations_apart(*found: Solution) -> float:
        counts = [solution.statistics.newton_iterations for solution in found]
        return float(max(abs(a - b) for a, b in zip(counts[::2], counts[1::2], strict=True)))

    errors_of = [
        Number(f"relative error of λ after {FEW} steps of {h:g} s, scaled", apart,
               [small_steps(h, scaled=True), reached_multipliers(h)], least, most)
        for h, least, most in ((1e-5, None, 1e-2), (1e-8, 0.1, None))
    ]  # fmt: skip
    return Item(
        "claim", "scaling", "refuted", "Small steps need scaling of the iteration matrix",
        "On the held heavy top, with the matrix of the paper, steps from 1e-3 s to 1e-8 s give the same multipliers "
        "and take the same iterations with and without the scaling of the paper: rows of the matrix are brought to one "
        "size before it is factored, with partial pivoting. Multipliers of the smallest steps are lost either way, "
        "because positions are known to round-off and multipliers are their second differences over h².",
        numbers=[
            Number("largest relative difference of λ with and without scaling", largest, pairs, None, 1e-6),
            Number("largest difference of Newton iterations", iterations_apart, pairs, 0, 0),
            *errors_of,
        ],
    )  # fmt: skip


def claims(quick: bool) -> list[Item]:
    """Sentences."""
    steps = halved(1e-4, 4 if quick else 6)
    implicit = study(FREE_TOP, [RV, RXYZ, EP], "generalized_alpha", steps, 1.0, "center_of_mass", FULL)
    held = study(
        HELD_TOP, [RV, "SE(3), ours"], "generalized_alpha", halved(2.5e-3, 5), 1.0, "center_of_mass", WITH_TANGENT
    )
    near, far = (
        [study(HELD_TOP, [RV], "generalized_alpha", (h,), 1.0, "center_of_mass", o) for o in (WITH_TANGENT, REDUCED)]
        for h in (3.9e-5, 1.56e-4)
    )  # fmt: skip

    def difference(with_tangent: Found, without: Found) -> float:
        return float(iterations(RV)(without)[1][0] - iterations(RV)(with_tangent)[1][0])

    return [
        Item(
            "claim", "euler-parameters", "confirmed", "Implicit steps are most accurate with Euler parameters",
            "On the free heavy top, at all steps of figure 3 that are drawn here.",
            numbers=[
                Number(f"error of {name} over that of EP, least of all steps", least_ratio(name, EP), [implicit], 1.0,
                       None)
                for name in (RV, RXYZ)
            ],
        ),
        Item(
            "claim", "tangent", "confirmed", "The tangent operator is negligible for steps below 4e-5 s",
            "Iterations per step without it, less those with it, on the held heavy top.",
            numbers=[
                Number("at h = 3.9e-5 s", difference, near, None, 0.1),
                Number("at h = 1.56e-4 s", difference, far, 0.5, None),
            ],
        ),
        Item(
            "claim", "se3", "confirmed", "SE(3) may need fewer Newton iterations",
            "The paper's guess for later work, judged on the held heavy top with T(θ) in the matrix.",
            numbers=[
                Number("iterations on SE(3) over those of RV, largest of all steps",
                       lambda f: float(np.nanmax(iterations("SE(3), ours")(f)[1] / iterations(RV)(f)[1])), [held],
                       None, 1.0),
            ],
        ),
        scaling_claim(),
    ]  # fmt: skip


def items(quick: bool) -> Sequence[Item]:
    """All items."""
    return [
        *data(quick),
        *free_top(quick),
        *held_top(quick),
        *rotor(quick),
        *slider_crank(quick),
        *puma(quick),
        *claims(quick),
        small_steps_claim(quick),
        *formulas(),
        *DRAWINGS,
    ]


PAPER = Paper(
    "holzinger2024",
    "Holzinger2024",
    "S. Holzinger, M. Arnold, J. Gerstmayr: Evaluation and implementation of Lie group integration methods for "
    "rigid multibody systems. Multibody Syst. Dyn., 2024",
    "10.1007/s11044-024-09970-8",
    items,
)
