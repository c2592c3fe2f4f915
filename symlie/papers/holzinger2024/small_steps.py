"""Item of [Holzinger2024], section 4.3, on errors at the smallest step sizes."""

from __future__ import annotations

from collections.abc import Callable

from symlie.papers.formulations import Formulations, Found, error_at
from symlie.papers.holzinger2024.compared import EP, RV, RXYZ, SLIDER_CRANK, WITH_TANGENT, study
from symlie.papers.items import Item, Number
from symlie.papers.studies import Options

STEP, QUICK_STEP = 4e-3 * 0.5**9, 4e-3 * 0.5**8
"""Step size of figure 16 below 1e-5 s, and one above it with the same result, in s."""
ROUNDING: Options = (("newton_rtol", 1e-13), ("newton_atol", 1e-14))
"""Tolerances with which Newton's method converges to round-off."""


def runs(h: float, options: Options = ()) -> Formulations:
    """Return the study of one second of the slider-crank at one step size."""
    return study(SLIDER_CRANK, [RV, RXYZ, EP], "generalized_alpha", (h,), 1.0, "slider", (*WITH_TANGENT, *options))


def over(name: str, h: float) -> Callable[[Found], float]:
    """Return a reader of the error of rotation vectors relative to another formulation."""
    return lambda found: error_at(RV, h)(found) / error_at(name, h)(found)


def small_steps_claim(quick: bool) -> Item:
    """Return the claim below figure 16."""
    h = QUICK_STEP if quick else STEP
    paper, tight = runs(h), runs(h, ROUNDING)
    return Item(
        "claim", "small-steps", "refuted", "On the slider-crank Lie group steps are partly more accurate below 1e-5 s",
        "This is true only with the Newton tolerances of the paper, where the error of the iteration is as large as "
        "the discretisation error. If the iteration converges to round-off, both Rxyz and EP are more accurate than "
        "RV at small steps, too.",
        numbers=[
            Number("error of RV / error of Rxyz, tolerances of the paper", over(RXYZ, h), [paper], None, 1.0,
                   printed="below 1"),
            Number("error of RV / error of Rxyz, iteration to round-off", over(RXYZ, h), [tight], 1.2, 1.5),
            Number("error of RV / error of EP, iteration to round-off", over(EP, h), [tight], 1.1, 1.4),
        ],
    )  # fmt: skip
