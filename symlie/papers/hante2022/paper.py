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
        "figure", "7", "reproduced", "energy of the flying spaghetti after the end of the load",
        "The rod is undamped and has 8 segments. The step size is 2⁻⁸ s. The energy of the variational integrator "
        "oscillates without trend. We added generalized-α, whose numerical damping dissipates energy.",
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
        Number(f"distance between the ends after {t:g} s", gap(t), [run], *bounds(known, GAP_DIGITS), "m", source=LAWS)
        for t, known in KNOWN_GAPS.items()
    ]
    distance = Curve("(p, x)", run, distance_of_ends)
    speed = Curve("(Ω, U)", run, speed_of_end)
    return [
        Item(
            "figure", "1", "reproduced", "snapshots of the roll-up manoeuvre",
            "The rod has 8 segments, and the step size is 2⁻¹⁰ s. The centre line between nodes is interpolated as "
            "in the discretisation. The paper does not specify the times of the snapshots.",
            [Panel("centre line", "x in m", "z in m", shapes, "plane")], 1, numbers=gaps,
        ),
        Item(
            "figure", "2", "reproduced", "distance between the ends and velocity of the free end, roll-up",
            "The curves show the norm of the difference of (p, x) between both ends, and the norm of (Ω, U) at the "
            "free end. Here p is the unit quaternion and x the position of a cross section, and Ω and U are its "
            "angular and translational velocity. The last cross section has made a full revolution. Its quaternion "
            "is then the negative of the first one and represents the same rotation. The distance is therefore "
            "computed with the sign that gives the smaller value. Its curve has a kink where this sign changes.",
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
    "The stiffness in bending and torsion is 500 N m², as in all files of the benchmark. With the printed value of "
    "50 N m², neighbouring cross sections rotate relative to each other by almost half a revolution within 1.5 s."
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
        f"The rod has 8 segments. {STIFFNESS} The paper does not specify the times of the snapshots.",
        panels, 3,
        numbers=[
            Number("largest relative rotation of neighbouring cross sections in 15 s", largest_turn, [run], None, 1.0,
                   "rad"),
            Number("the same with 50 N m² in 1.5 s", largest_turn, [soft], 2.8, 3.0, "rad", source=LAWS),
        ],
    )  # fmt: skip


def time_figure(quick: bool) -> Item:
    """Return figure 5."""
    steps = tuple(2.0**-k for k in (range(8, 11) if quick else range(8, 13)))
    study = Ladder(SPAGHETTI, ("rattlie",), steps, 1.0, ("half_explicit_5", 2.0**-14), norm="l2")
    return Item(
        "figure", "5", "corrected", "order of the variational integrator in time",
        "The curves show the largest L² error within the first second, relative to a fine run of a method of order "
        f"5. {STIFFNESS}",
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
        "The curves show the largest L² error within the first second, evaluated at s = 0, L/8, …, L. The reference "
        "has four times as many segments as the finest grid of the figure. q converges with order 2. With the load "
        "of the paper, v does not: the kink of this load at t = 0 excites waves with kinks on each grid. A kink "
        "travels with the speed c = √(500/10) m/s. After a time t, segments of length Δs have spread it to an Airy "
        "function of width (c t Δs²/8)^(1/3), which limits the order of v to 2/3. The paper suggests two other "
        "reasons: too large time steps and the interpolation of the velocities. Both remain the same with our "
        f"second load, which begins with t⁴, and v then has order 2. {STIFFNESS}",
        [
            Panel(title, "length of a segment in m", "largest L² error", over_sizes(study, method), "loglog", (2,))
            for title, study in (("load of the paper", kinked), ("smooth load (ours)", smooth))
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
    head = ["group", "segments", "gap at 5 s in m", "gap at 30 s in m", "largest gap after 95 s in m"]
    return Item(
        "claim", "locking", "confirmed", "There is no shear locking, even with few segments",
        "A model with shear locking would not complete the ring. Here, the ends meet for all numbers of segments "
        "after the damped oscillation has decayed, because a circle is also an equilibrium of the discretised rod. "
        "The ends also meet on the direct product, where straight lines join the nodes and the ring is a polygon. "
        "The sides of the polygon are as long as the segments, because the strains are evaluated at the middle of "
        "each segment.",
        table=Table(head, gap_rows, list(runs.values())),
        numbers=[
            Number(f"largest distance between the ends, 95 s to 100 s, {n} segments, {GROUPS[group]}", still_apart,
                   [run], None, 1e-6, "m")
            for (group, n), run in runs.items()
        ],
    )  # fmt: skip


def items(quick: bool) -> Sequence[Item]:
    """Return all items."""
    return [
        *roll_up_figures(),
        Item("figure", "3", "schematic", "initial state and loads of the flying spaghetti", "A drawing without data."),
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
