"""Checked claims of [Holzinger2024]."""

from __future__ import annotations

import numpy as np

from symlie.papers.formulations import Formulations, Found, iterations
from symlie.papers.holzinger2024.compared import (
    EP,
    FREE_TOP,
    FULL,
    HELD_TOP,
    REDUCED,
    RV,
    RXYZ,
    SE3,
    WITH_TANGENT,
    halved,
    least_ratio,
    study,
)
from symlie.papers.holzinger2024.puma import puma_studies
from symlie.papers.holzinger2024.rotor import counted_study
from symlie.papers.holzinger2024.slider_crank import crank_study
from symlie.papers.items import Item, Number
from symlie.papers.studies import Course
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution

SMALL_STEPS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
"""Step sizes at which, according to the paper, the iteration matrix becomes ill-conditioned, in s."""
FEW = 20
"""Number of steps of such a run."""


def small_steps(h: float, *, scaled: bool) -> Course:
    """Return a short run of the constrained heavy top, with or without scaling."""
    return Course(HELD_TOP, FEW * h, "generalized_alpha", h, method_options=(*REDUCED, ("scaling", scaled)))


def reached_multipliers(h: float) -> Course:
    """Return the reference run for the multipliers at the end of these steps."""
    return Course(HELD_TOP, FEW * h, "half_explicit_5", h / 4, multipliers="index1")


def apart(a: Solution, b: Solution) -> float:
    """Return the relative difference of the final multipliers."""
    return float(np.linalg.norm(a.multipliers[-1] - b.multipliers[-1]) / np.linalg.norm(b.multipliers[-1]))


def scaling_claim() -> Item:
    """Return the claim that precedes section 4."""
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
        "On the constrained heavy top with the matrix of the paper, runs with step sizes from 1e-3 s to 1e-8 s give "
        "the same multipliers and need the same number of iterations with and without the scaling of the paper. The "
        "linear solver normalises the rows of the matrix and uses partial pivoting. At the smallest step sizes, the "
        "multipliers are inaccurate in both cases: they are second differences of the positions divided by h², and "
        "the positions are known to round-off only.",
        numbers=[
            Number("largest relative difference of λ with and without scaling", largest, pairs, None, 1e-6),
            Number("largest difference in the number of Newton iterations", iterations_apart, pairs, 0, 0),
            *errors_of,
        ],
    )  # fmt: skip


def se3_claim(quick: bool) -> Item:
    """Return the conjecture at the end of section 5."""
    held = study(HELD_TOP, [RV, SE3], "generalized_alpha", halved(2.5e-3, 5), 1.0, "center_of_mass", WITH_TANGENT)
    examples: dict[str, tuple[Formulations, float | None, float | None]] = {
        "constrained heavy top": (held, None, 1.0),
        "rotor": (counted_study(quick), None, 1.02),
        "slider-crank": (crank_study(quick), 1.0, None),
        "Puma": (puma_studies(quick)[0], 1.0, None),
    }

    def ratios(found: Found) -> Array:
        return iterations(SE3)(found)[1] / iterations(RV)(found)[1]

    return Item(
        "claim", "se3", "confirmed", "SE(3) may need fewer Newton iterations",
        "The paper leaves this conjecture to future work. It is checked on all examples of the paper with "
        "positions, at the step sizes of tables 5 and 7 and of figures 17 and 21. On the constrained heavy top and "
        "on the rotor, SE(3) needs at most as many iterations as RV. At the largest step size of the top, it needs "
        "a third fewer. On the slider-crank and the Puma, where joints connect moving bodies, SE(3) needs more "
        "iterations at some step sizes and nowhere fewer.",
        numbers=[
            number
            for name, (found, least, most) in examples.items()
            for number in (
                Number(f"{name}: iterations on SE(3) / iterations of RV, maximum",
                       lambda f: float(np.nanmax(ratios(f))), [found], least, most),
                Number(f"{name}: iterations on SE(3) / iterations of RV, minimum",
                       lambda f: float(np.nanmin(ratios(f))), [found]),
            )
        ],
    )  # fmt: skip


def claims(quick: bool) -> list[Item]:
    """Return the claims."""
    steps = halved(1e-4, 4 if quick else 6)
    implicit = study(FREE_TOP, [RV, RXYZ, EP], "generalized_alpha", steps, 1.0, "center_of_mass", FULL)
    near, far = (
        [study(HELD_TOP, [RV], "generalized_alpha", (h,), 1.0, "center_of_mass", o) for o in (WITH_TANGENT, REDUCED)]
        for h in (3.9e-5, 1.56e-4)
    )  # fmt: skip

    def difference(with_tangent: Found, without: Found) -> float:
        return float(iterations(RV)(without)[1][0] - iterations(RV)(with_tangent)[1][0])

    return [
        Item(
            "claim", "euler-parameters", "confirmed", "Implicit steps are most accurate with Euler parameters",
            f"The claim is checked on the free heavy top at the {len(steps)} largest step sizes of figure 3.",
            numbers=[
                Number(f"error of {name} / error of EP, minimum over step sizes", least_ratio(name, EP), [implicit],
                       1.0, None)
                for name in (RV, RXYZ)
            ],
        ),
        Item(
            "claim", "tangent", "confirmed", "The tangent operator is negligible for steps below 4e-5 s",
            "The numbers are the iterations per step without T(θ) minus the iterations with it, on the constrained "
            "heavy top.",
            numbers=[
                Number("difference of iterations at h = 3.9e-5 s", difference, near, None, 0.1),
                Number("difference of iterations at h = 1.56e-4 s", difference, far, 0.5, None),
            ],
        ),
        se3_claim(quick),
        scaling_claim(),
    ]  # fmt: skip
