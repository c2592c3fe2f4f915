"""Items of [Celledoni2022], section 2: cost of the methods on the systems of sections 3, 5 and 6."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile

import numpy as np

from symlie.papers.items import Curve, Item, Number, Panel, Points
from symlie.papers.measures import Rungs, error_at, order
from symlie.papers.studies import Case, Ladder

LOWER = ("rkmk_euler", "lie_euler_heun", "rkmk_bs32", "cf32a", "cg3")
HIGHER = ("rkmk_rk44", "rkmk4_two_commutators", "cf4", "cg4", "rkmk_dopri5", "cg5", "rkmk_rk67")
"""Methods of orders one to three, and of orders four to six, from each family."""

START = (
    ("links", "directions", ((0.6, 0.0, 0.8), (0.0, 0.6, -0.8))),
    ("links", "angular_velocities", ((0.8, 1.5, -0.6), (1.0, 0.8, 0.6))),
)
"""Initial values of a motion in space of two pendulums of unit length."""

SYSTEMS = {
    "double pendulum on (TS²)²": (Case("pendulum_chain", (("links", 2),), initial=START), 1.0, 50),
    "heavy top on se(3)*": (Case("heavy_top", (("formulation", "se3_dual"),)), 0.1, 100),
    "two quadrotors": (Case("quadrotors", (("control", "tracking"),)), 1.0, 50),
}
"""Case, end time in s, and number of steps of the coarsest run, by system."""

ROUND_OFF = 5e-11
"""Error below which round-off dominates: such points and all smaller steps are left out."""
REPETITIONS = 5
BASE = "cf4"
"""Method whose time at the largest step size is the unit of time."""
RIVAL = "cg4"
"""Method of the same order with three times as many exponentials."""


def ladder(system: str, quick: bool) -> Ladder:
    """Return the ladder of errors of all methods on a system."""
    case, t_end, coarsest = SYSTEMS[system]
    steps = tuple(t_end / (coarsest * 2**k) for k in range(5 if quick else 7))
    finest = ("rkmk_rk67", t_end / (coarsest * 2**7))
    return Ladder(case, (*LOWER, *HIGHER), steps, t_end, finest, repetitions=1 if quick else REPETITIONS)


def work(method: str) -> Callable[[Rungs], Points]:
    """Return a reader of errors versus processor times, down to round-off."""

    def points(rungs: Rungs) -> Points:
        rows = list(takewhile(lambda row: row.errors.get("q", 0.0) > ROUND_OFF, rungs[method]))
        return np.array([row.seconds / rungs[BASE][0].seconds for row in rows]), np.array([r.errors["q"] for r in rows])

    return points


def dearer(rungs: Rungs) -> float:
    """Return the processor time of `RIVAL` relative to `BASE` at the smallest step size."""
    return rungs[RIVAL][-1].seconds / rungs[BASE][-1].seconds


def less_accurate(h: float) -> Callable[[Rungs], float]:
    """Return a reader of the error of `RIVAL` relative to `BASE` at a step size."""
    return lambda rungs: error_at(RIVAL, "q", h)(rungs) / error_at(BASE, "q", h)(rungs)


def exponentials_claim(quick: bool) -> Item:
    """Return the claim on exponentials of section 2.2."""
    studies = {system: ladder(system, quick) for system in SYSTEMS}
    panels = [
        Panel(system, f"processor time, relative to {BASE} at the largest step", "error at the end",
              [Curve(method, study, work(method), marked=True) for method in methods], "loglog")
        for methods in (LOWER, HIGHER)
        for system, study in studies.items()
    ]  # fmt: skip
    numbers = []
    for system, study in studies.items():
        numbers += [
            Number(f"{system}: error of {RIVAL} / error of {BASE} at the largest step size",
                   less_accurate(study.steps[0]), [study], 2.0, None),
            Number(f"{system}: time of {RIVAL} / time of {BASE}", dearer, [study]),
            *(Number(f"{system}: order of {method}", order(method, "q", above=1e-9), [study], p - 0.3, p + 0.4)
              for method, p in (("cf4", 4), ("cg4", 4), ("rkmk_rk44", 4), ("rkmk_bs32", 3))),
        ]  # fmt: skip
    return Item(
        "claim", "exponentials", "confirmed", "It makes sense to keep the number of exponentials low",
        "The diagrams show the error versus the processor time of methods on manifolds, of orders one to three in "
        "the upper row and of orders four to six in the lower row. Times depend on the machine and are not checked. "
        "The Crouch–Grossman method cg4 and the commutator-free method cf4 have order four. With fifteen "
        "exponentials per step instead of five, cg4 takes about twice as long as cf4 and is less accurate. Methods "
        "with and without commutators perform similarly, because dexp⁻¹ costs as little as an exponential here.",
        panels, 3, numbers=numbers,
    )  # fmt: skip
