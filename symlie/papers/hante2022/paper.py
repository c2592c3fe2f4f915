"""Items of [Hante2022]: a variational integrator for rods."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from symlie.papers.hante2022 import algorithm
from symlie.papers.items import Curve, Item, Number, Panel, Paper, Table
from symlie.papers.measures import at_end, error, order, output, spread, trend
from symlie.papers.refinements import Refinement
from symlie.papers.rod_measures import centre_line, distance_of_ends, largest_turn, speed_of_end
from symlie.papers.studies import Case, Course, Ladder, Options
from symlie.runtime.solution.solution import Solution

SPAGHETTI = Case("flying_spaghetti", (("segments", 8),))

UNLOADED = 5.0
"""Time after which no load acts, in s."""
METHODS = {"rattlie": "variational integrator", "generalized_alpha": "generalized-α"}


def long_run(method: str, quick: bool) -> Course:
    """Return a run of the undamped rod that continues long after the load has ended."""
    return Course(SPAGHETTI, 30.0 if quick else 110.0, method, 2.0**-8, record_every=32)


def energy_figure(quick: bool) -> Item:
    """Return figure 7."""
    panels = [
        Panel(name, "time in s", "energy in J", [Curve("energy", long_run(method, quick), output("energy", UNLOADED))])
        for method, name in METHODS.items()
    ]
    variational, damped = (long_run(method, quick) for method in METHODS)
    return Item(
        "figure", "7", "reproduced", "energy of the flying spaghetti once its load is gone",
        "Without damping, 8 segments, steps of 2⁻⁸ s. The energy of the variational integrator oscillates without "
        "trend; the numerical damping of generalized-α, which we add, takes energy away.",
        panels,
        numbers=[
            Number("oscillation, variational integrator", spread("energy", UNLOADED), [variational], None, 5e-3, "J"),
            Number("trend, variational integrator", trend("energy", UNLOADED), [variational], -1e-5, 1e-5, "J/s"),
            Number("trend, generalized-α", trend("energy", UNLOADED), [damped], -1e-1, -1e-4, "J/s"),
        ],
    )  # fmt: skip


LENGTH = 10.0
"""Length of both rods, in m."""
REST = 30.0
"""Time at which the rolled-up rod is almost at rest, in s."""

KNOWN_GAPS = {1.0: 6.75605, 2.5: 2.17747, 5.0: 1.82599, 10.0: 0.472461, REST: 0.00275422}
"""Distances between the ends by time, for 8 segments, in m."""
GAP_DIGITS = 5e-3
"""Relative tolerance of these distances, of which pages print three digits."""
LAWS = "a solution of high order in extended precision"


def rolled_up(segments: int = 8, t_end: float = REST, group: str | None = None) -> Course:
    """Return a run of the roll-up manoeuvre; the damping of shorter segments requires shorter steps."""
    h = 2.0**-10 if segments <= 8 else 2.0**-11
    options: Options = (("segments", segments), *((("group", group),) if group else ()))
    return Course(Case("roll_up", options), t_end, "rattlie", h, record_every=16)


def gap(t: float) -> Callable[[Solution], float]:
    """Return a reader of the distance between the ends at a time, in m."""

    def distance(solution: Solution) -> float:
        times, distances = output("tip_distance")(solution)
        return float(np.interp(t, times, distances))

    return distance


def roll_up_figures() -> list[Item]:
    """Return figures 1 and 2."""
    run, times = rolled_up(), (0.0, 1.0, 2.0, 3.0, 5.0, 10.0, REST)
    shapes = [Curve(f"{t:g} s", run, centre_line(t, LENGTH, 0, 2)) for t in times]
    gaps = [
        Number(f"distance of the ends after {t:g} s", gap(t), [run], *bounds(known, GAP_DIGITS), "m", source=LAWS)
        for t, known in KNOWN_GAPS.items()
    ]
    distance = Curve("(p, x)", run, distance_of_ends)
    speed = Curve("(Ω, U)", run, speed_of_end)
    return [
        Item(
            "figure", "1", "reproduced", "snapshots of the roll-up manoeuvre",
            "8 segments, steps of 2⁻¹⁰ s; lines between nodes are interpolated as in the discretization. The paper "
            "does not specify the times.",
            [Panel("centre line", "x in m", "z in m", shapes, "plane")], 1, numbers=gaps,
        ),
        Item(
            "figure", "2", "reproduced", "distance of the ends and velocity of the free end, roll-up",
            "Norms of differences of (p, x) and of (Ω, U). The last cross section has made a whole turn, after which "
            "its quaternion is the negative of the first one, which is the same rotation: the distance is taken to "
            "the nearer sign. It has a kink where they change.",
            [
                Panel("distance of both ends", "time in s", "norm of the difference of (p, x)", [distance], "semilogy"),
                Panel("velocity of the free end", "time in s", "norm of (Ω, U)", [speed], "semilogy"),
            ],
            numbers=[
                Number("distance after 30 s", at_end(distance_of_ends), [run], 2.7e-3, 3.0e-3),
                Number("norm of the velocity after 30 s", at_end(speed_of_end), [run], None, 0.05),
            ],
        ),
    ]  # fmt: skip


STIFFNESS = (
    "Stiffness in bending and torsion is 500 N m², as in all files of the benchmark: with the printed 50 neighbouring "
    "cross sections rotate by almost half a turn relative to each other within 1.5 s."
)
SOFT = Case("flying_spaghetti", SPAGHETTI.options, (("bending_stiffness", 50.0),))


def snapshots_figure() -> Item:
    """Return figure 4."""
    run, soft = Course(SPAGHETTI, 15.0, h=2.0**-9, record_every=8), Course(SOFT, 1.5, h=2.0**-9, record_every=8)
    times = (0.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
    views = {"in space": (0, 1, 2), "seen along z": (0, 1), "seen along y": (0, 2)}
    panels = [
        Panel(f"centre line {name}", f"{'xyz'[axes[0]]} in m", f"{'xyz'[axes[1]]} in m",
              [Curve(f"{t:g} s", run, centre_line(t, LENGTH, *axes)) for t in times],
              "space" if len(axes) == 3 else "plane", z="z in m")
        for name, axes in views.items()
    ]  # fmt: skip
    return Item(
        "figure", "4", "corrected", "snapshots of the flying spaghetti",
        f"8 segments. {STIFFNESS} The paper does not specify the times.",
        panels, 3,
        numbers=[
            Number("largest turn between neighbours in 15 s", largest_turn, [run], None, 1.0, "rad"),
            Number("the same with 50 N m² in 1.5 s", largest_turn, [soft], 2.8, 3.0, "rad", source=LAWS),
        ],
    )  # fmt: skip


def time_figure(quick: bool) -> Item:
    """Return figure 5."""
    steps = tuple(2.0**-k for k in (range(8, 11) if quick else range(8, 13)))
    study = Ladder(SPAGHETTI, ("rattlie",), steps, 1.0, ("half_explicit_5", 2.0**-14), norm="l2")
    return Item(
        "figure", "5", "corrected", "order in time of the variational integrator",
        f"The largest L² error within the first second, against a method of order 5. {STIFFNESS}",
        [Panel("8 segments", "step size in s", "largest L² error", over_sizes(study, "rattlie"), "loglog", (2,))], 1,
        numbers=[
            Number(f"order of {part}", order("rattlie", part), [study], 1.9, 2.1, printed="2") for part in ("q", "v")
        ],
    )  # fmt: skip


def space_figure(quick: bool) -> Item:
    """Return figure 6."""
    numbers = (4, 8, 16, 32, 128) if quick else (4, 8, 16, 32, 64, 256)
    points = tuple(LENGTH / 8 * k for k in range(9))
    method, h = "half_explicit_5", 2.0**-12
    kinked, smooth = (
        Refinement(Case("flying_spaghetti", (("load", load),)), numbers, LENGTH, points, 1.0, method, h)
        for load in ("kinked", "smooth")
    )
    return Item(
        "figure", "6", "corrected", "order in space",
        "The largest L² error within the first second at s = 0, L/8, …, L, against four times as many segments as the "
        "finest that is shown. q has order 2. v does not under the load of the paper: its kink at t = 0 excites waves "
        "with kinks on each grid. Of a kink that has run for a time t at c = √(500/10) m/s, segments of length Δs "
        "leave an Airy function of the width (c t Δs²/8)^(1/3), so that v has order 2/3. The paper names other "
        "reasons, too long steps and the interpolation of velocities; both are the same under the second load, which "
        f"begins with t⁴, and v has order 2. {STIFFNESS}",
        [
            Panel(title, "length of a segment in m", "largest L² error", over_sizes(study, method), "loglog", (2,))
            for title, study in (("load of the paper", kinked), ("load that begins smoothly (ours)", smooth))
        ],
        numbers=[
            Number("order of q", order(method, "q"), [kinked], 1.8, 2.2, printed="2"),
            Number("order of v", order(method, "v"), [kinked], None, 1.5, printed="2, then less"),
            Number("order of q, smooth load", order(method, "q"), [smooth], 1.8, 2.2),
            Number("order of v, smooth load", order(method, "v"), [smooth], 1.8, 2.2),
        ],
    )  # fmt: skip


def over_sizes(study: Ladder | Refinement, method: str) -> list[Curve]:
    """Return the curves of the errors of q and v."""
    return [Curve(part, study, error(method, part), marked=True) for part in ("q", "v")]


def bounds(known: float, relative: float) -> tuple[float, float]:
    """Return the lower and upper bound of a number with a known value."""
    return (1 - relative) * known, (1 + relative) * known


STILL = 100.0
"""End time at which the rolled-up rod is at rest, in s; its oscillation decays at 0.2/s."""


GROUPS = {"S3sR3": "S³ ⋉ R³", "SE3": "SE(3)", "S3xR3": "S³ × R³"}
SEGMENTS = (4, 8, 16)


def still_apart(solution: Solution) -> float:
    """Return the largest distance between the ends in the last five seconds, in m."""
    return float(output("tip_distance", STILL - 5)(solution)[1].max())


def gap_rows(*found: Solution) -> list[list[str]]:
    """Return the table of groups, numbers of segments and distances between the ends."""
    cases = [(name, n) for name in GROUPS.values() for n in SEGMENTS]
    return [
        [name, str(n), *(f"{value:.2g}" for value in (gap(5.0)(run), gap(REST)(run), still_apart(run)))]
        for (name, n), run in zip(cases, found, strict=True)
    ]


def locking_claim() -> Item:
    """Return the claim at the end of section 5.1."""
    runs = {(group, n): rolled_up(n, STILL, group) for group in GROUPS for n in SEGMENTS}
    head = ["group", "segments", "gap at 5 s in m", "gap at 30 s in m", "largest from 95 s on in m"]
    return Item(
        "claim", "locking", "confirmed", "There is no shear locking, even with few segments",
        "A model that locks would not complete the ring. Here the ends meet for all numbers of segments, once the "
        "damped oscillation is over: a circle is an equilibrium of the discretization, too. So they do on the direct "
        "product, where nodes are joined by straight lines and the ring is a polygon whose sides are as long as the "
        "segments, because strains are taken in the middle of each segment.",
        table=Table(head, gap_rows, list(runs.values())),
        numbers=[
            Number(f"largest distance of the ends between 95 s and 100 s, {n} segments, {GROUPS[group]}", still_apart,
                   [run], None, 1e-6, "m")
            for (group, n), run in runs.items()
        ],
    )  # fmt: skip


def items(quick: bool) -> Sequence[Item]:
    """Return all items."""
    return [
        *roll_up_figures(),
        Item("figure", "3", "schematic", "the flying spaghetti at the start, and its loads", "A drawing without data."),
        snapshots_figure(),
        time_figure(quick),
        space_figure(quick),
        energy_figure(quick),
        locking_claim(),
        *algorithm.claims(),
    ]


PAPER = Paper(
    "hante2022",
    "Hante2022",
    "S. Hante, D. Tumiotto, M. Arnold: A Lie group variational integration approach to the full discretization "
    "of a constrained geometrically exact Cosserat beam model. Multibody Syst. Dyn. 54, 97–123, 2022",
    "10.1007/s11044-021-09807-8",
    items,
)
