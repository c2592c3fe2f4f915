"""Items of [Holzinger2024], section 4.3: a slider-crank mechanism."""

from __future__ import annotations

from symlie.papers.formulations import Formulations, error_at, errors, iterations, iterations_at, times
from symlie.papers.holzinger2024.compared import (
    EP,
    ITERATIONS,
    OURS,
    RELATIVE,
    RV,
    RXYZ,
    SLIDER_CRANK,
    TIMES,
    WITH_TANGENT,
    curves,
    halved,
    output_over_time,
    over_rv,
    panel,
    study,
)
from symlie.papers.items import Curve, Item, Number, Panel
from symlie.papers.studies import Course


def crank_study(quick: bool) -> Formulations:
    """Return the study of figures 16 and 17."""
    t_end, steps = (1.0 if quick else 5.0), halved(4e-3, 6 if quick else 11)
    return study(SLIDER_CRANK, [RV, RXYZ, EP, *OURS], "generalized_alpha", steps, t_end, "slider", WITH_TANGENT)


def slider_crank(quick: bool) -> list[Item]:
    """Return the items of section 4.3."""
    found = crank_study(quick)
    t_end, steps = found.t_end, found.steps
    course = Course(SLIDER_CRANK, t_end, "half_explicit_5", 1e-3)
    data = "The data of the crank are those of the published benchmark, because the printed ones refer to its pivot."
    return [
        Item(
            "figure", "15", "corrected", "time histories of the slider-crank",
            f"The panels show the position of the slider and the angle of the crank. {data} The paper reports a "
            "deviation of 8.6e-3 m from the published benchmark solution at 5 s. This value is the deviation from "
            "the next sample of that solution, at 5.004 s. The reference solution of symlie is accurate to 1e-13 m.",
            [
                Panel("slider", "time in s", "position in m", [Curve("s", course, output_over_time("slider"))]),
                Panel("crank", "time in s", "angle in rad", [Curve("θ", course, output_over_time("crank_angle"))]),
            ],
            numbers=[
                Number(f"generalized-α, smallest step size: error of {name}", error_at(name, steps[-1]), [found],
                       None, 1e-3 if quick else 1e-5, "m", "8.6e-3" if name == RV else "")
                for name in (RV, *OURS)
            ],
        ),
        Item(
            "figure", "16", "corrected", "errors of the slider-crank versus step size",
            f"The curves show the error of the slider position at 5 s, computed by generalized-α. {data} The "
            "smallest step size of the paper is 1e-6 s, where the error of Newton's method dominates. Among our "
            "formulations, S³ × R³ has the same error as RV. The errors on SE(3) and S³ ⋉ R³ are 1.1 times as large "
            "as that of RV after 1 s, and 0.6 times as large after 5 s.",
            [panel("generalized-α", "error in m", curves(found, errors))],
            numbers=[
                Number("h = 1e-3 s: error of RV / error of EP",
                       lambda f: error_at(RV, 1e-3)(f) / error_at(EP, 1e-3)(f), [found], 1, None),
                *(Number(f"h = 1e-3 s: error of {name} / error of RV", over_rv(name, 1e-3), [found])
                  for name in OURS),
            ],
        ),
        Item(
            "figure", "17", "corrected", "Newton iterations and processor times of the slider-crank",
            f"The panels show Newton iterations per step and processor times. {TIMES} {data}",
            [panel("iterations", ITERATIONS, curves(found, iterations)),
             panel("time", RELATIVE, curves(found, lambda name: times(name, RV)))],
            numbers=[
                Number("h = 1e-3 s: iterations of Rxyz / iterations of RV",
                       lambda f: iterations_at(RXYZ, 1e-3)(f) / iterations_at(RV, 1e-3)(f), [found], None, 1.5),
                *(Number(f"h = 1e-3 s: iterations of {name}", iterations_at(name, 1e-3), [found])
                  for name in (RV, *OURS)),
            ],
        ),
    ]  # fmt: skip
