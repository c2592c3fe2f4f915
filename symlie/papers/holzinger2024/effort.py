"""Claims of [Holzinger2024] that compare processor times or give a single number, checked by counts.

The counts are evaluations of the equations, of which each explicit step takes the same number in all formulations, and
Newton corrections. Their cost depends on the formulation and the program and is not checked.
"""

from __future__ import annotations

import math

import numpy as np

from symlie.papers.formulations import Found, corrections_for, ran, step_for
from symlie.papers.holzinger2024.compared import (
    EP,
    EXPLICIT,
    FORM_1,
    FREE_TOP,
    FULL,
    HELD_TOP,
    MODIFIED_WITH_TANGENT,
    ROTOR,
    RV,
    RXYZ,
    UNDAMPED,
    WITH_TANGENT,
    WITHOUT_STIFFNESS,
    halved,
    study,
)
from symlie.papers.items import Item, Number
from symlie.papers.studies import Course
from symlie.runtime.solution.solution import Solution

BY_COUNTS = "The processor times of the paper also depend on the cost of an evaluation in its program."


def effort(quick: bool) -> list[Item]:
    """Return the claims on effort, on the largest step size and on the precession of the rotor."""
    return [_angles_of_the_top(quick), _parameters_of_the_top(quick), _angles_of_the_rotor(quick), _largest_step(quick),
            _precession(quick)]  # fmt: skip


def _angles_of_the_top(quick: bool) -> Item:
    at, method = "center_of_mass", EXPLICIT["RK44"]
    angles = study(FREE_TOP, [RV, RXYZ, FORM_1], method, halved(1e-4, 5 if quick else 8), 1.0, at)
    longer = study(FREE_TOP, [RV], method, halved(1e-3, 4), 1.0, at)

    def evaluations(name: str) -> Number:
        return Number(
            f"RK44, error 1e-6 m: evaluations with {name} / evaluations with RV",
            lambda f, g: step_for(RV, 1e-6)(g) / step_for(name, 1e-6)(f), [angles, longer],
            *((28, 36) if name == RXYZ else (4, 6)), printed="about 40" if name == RXYZ else "",
        )  # fmt: skip

    return Item(
        "claim", "angles-of-the-top", "not reproduced", "Euler angles take 40 times the time of Lie steps for 1e-6 m",
        "On the free heavy top with RK44, Euler angles need 32 times as many evaluations as rotation vectors in "
        f"form 2, which the figure of the paper shows, and 5 times as many in form 1. {BY_COUNTS} A factor of 40 in "
        "time would require an evaluation with Euler angles to cost a quarter more than one with rotation vectors.",
        numbers=[evaluations(RXYZ), evaluations(FORM_1)],
    )  # fmt: skip


def _parameters_of_the_top(quick: bool) -> Item:
    steps = halved(1e-3, 6 if quick else 8)
    derived = study(FREE_TOP, [RV, EP], "generalized_alpha", steps, 1.0, "center_of_mass", FULL)
    of_paper = [
        study(FREE_TOP, [name], "generalized_alpha", steps, 1.0, "center_of_mass", options)
        for name, options in ((RV, WITHOUT_STIFFNESS), (EP, UNDAMPED))
    ]

    def corrections(f: Found, g: Found) -> float:
        return corrections_for(EP, 1e-4)(g) / corrections_for(RV, 1e-4)(f)

    return Item(
        "claim", "parameters-of-the-top", "not reproduced",
        "Implicit steps with Euler parameters take a quarter of the time of Lie steps for 1e-4 m",
        "On the free heavy top with generalized-α, Euler parameters need 0.3 times as many steps as rotation "
        "vectors, because their error at equal step size is eleven times smaller. Each step needs two Newton "
        "corrections instead of one, so the total number of corrections is 0.6 times that of rotation vectors. "
        f"{BY_COUNTS}",
        numbers=[
            Number("error 1e-4 m: steps with EP / steps with RV",
                   lambda f: step_for(RV, 1e-4)(f) / step_for(EP, 1e-4)(f), [derived], 0.29, 0.32),
            Number("corrections with EP / corrections with RV, derived matrix", lambda f: corrections(f, f), [derived],
                   0.58, 0.64, printed="about 0.25"),
            Number("corrections with EP / corrections with RV, matrix of the paper", corrections, of_paper, 0.58, 0.64,
                   printed="about 0.25"),
        ],
    )  # fmt: skip


def _angles_of_the_rotor(quick: bool) -> Item:
    t_end, steps = (0.1 if quick else 4.0), halved(5e-5, 4 if quick else 6)
    found = {name: study(ROTOR, [RV, RXYZ], EXPLICIT[name], steps, t_end, "p1") for name in ("DOPRI5", "RK67")}
    return Item(
        "claim", "angles-of-the-rotor", "not reproduced", "Euler angles take 10 times the time of Lie steps for 1e-9 m",
        "On the rotor at 4 s, Euler angles need 7.7 times as many evaluations as rotation vectors with DOPRI5, and "
        f"8 times as many with RK67. {BY_COUNTS}",
        numbers=[
            Number(f"{name}, error 1e-9 m: evaluations with Rxyz / evaluations with RV",
                   lambda f: step_for(RV, 1e-9)(f) / step_for(RXYZ, 1e-9)(f), [study_of],
                   1.0 if quick else BOUNDS[name][0], None if quick else BOUNDS[name][1], printed="about 10")
            for name, study_of in found.items()
        ],
    )  # fmt: skip


BOUNDS = {"DOPRI5": (7.4, 7.9), "RK67": (7.7, 8.2)}
"""Bounds of the ratios of evaluations at 4 s."""


def _largest_step(quick: bool) -> Item:
    steps = halved(2.5e-3, 5)
    found = {
        name: study(HELD_TOP, [RV, RXYZ, EP], "generalized_alpha", steps, 1.0, "center_of_mass", options)
        for name, options in (("full", WITH_TANGENT), ("modified", MODIFIED_WITH_TANGENT))
    }

    def longest(name: str) -> Number:
        return Number(
            f"largest step size with which {name} completes, full Newton",
            lambda f: max((row.h for row in f[name] if not row.failure), default=math.nan), [found["full"]], unit="s",
        )  # fmt: skip

    return Item(
        "claim", "largest-step", "confirmed", "Only Lie steps have a solution at the largest step",
        "The claim is checked on the constrained heavy top with generalized-α at 2.5e-3 s, the largest step size of "
        "table 5. Five step sizes were tested, each half of the previous one. Rxyz fails at all five.",
        numbers=[
            *(Number(f"{name} completes at h = 2.5e-3 s, {label} Newton (1 = yes, 0 = no)", ran(name, steps[0]), [runs],
                     wanted, wanted, printed="runs" if wanted else "fails")
              for label, runs in found.items() for name, wanted in ((RV, 1), (RXYZ, 0), (EP, 0))),
            longest(RV), longest(EP),
        ],
    )  # fmt: skip


def turn(solution: Solution) -> float:
    """Return the time of the first full revolution about the centre of the circle fitted to the path of the point, in
    s."""
    y, z = solution.outputs["p1"][:, 1:].T
    a, b, _ = np.linalg.lstsq(np.column_stack([2 * y, 2 * z, np.ones_like(y)]), y**2 + z**2, rcond=None)[0]
    angle = np.unwrap(np.arctan2(z - b, y - a))
    return float(np.interp(2 * np.pi, np.abs(angle - angle[0]), solution.t))


def _precession(quick: bool) -> Item:
    course = Course(ROTOR, 4.0, "rkmk_rk67", 5e-5 if quick else 2e-5, record_every=20)
    return Item(
        "claim", "precession", "confirmed", "The precession of the rotor has a period of about 2.5 s",
        "The period is the time in which the left support point, shown in figure 10, completes one revolution about "
        "the centre of its path. The frequency of 0.4 Hz in the paper follows from the rounded period.",
        numbers=[
            Number("period", turn, [course], 2.53, 2.54, "s", "about 2.5"),
            Number("frequency", lambda f: 1 / turn(f), [course], 0.39, 0.4, "Hz", "0.4"),
        ],
    )  # fmt: skip
