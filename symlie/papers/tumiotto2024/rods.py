"""Items of [Tumiotto2024], sections 3 and 4: error control, the roll-up manoeuvre and the flying spaghetti."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symlie.papers.facts import AtEquilibrium, Stated
from symlie.papers.items import Curve, Item, Number, Panel, Points, Table
from symlie.papers.measures import (
    ROUND_OFF,
    SMALLEST,
    accepted,
    accepted_steps,
    error,
    estimates,
    median_ratio,
    order,
    rejected,
    step_sizes,
    trace_of,
)
from symlie.papers.studies import Case, Course, Ladder
from symlie.papers.tumiotto2024.tops import METHODS, ORDERS
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System

ROLL_UP = Case("roll_up", (("constraint", "kirchhoff"), ("segments", 8)))
SPAGHETTI = Case("flying_spaghetti", (("constraint", "kirchhoff"), ("segments", 16)))
STIFF = Case("roll_up", ROLL_UP.options, (("bending_stiffness", 5e4),))
NAMES = {ROLL_UP: "roll-up, 8 segments", SPAGHETTI: "flying spaghetti, 16 segments"}

T_ORDER = {ROLL_UP.model: 0.5, SPAGHETTI.model: 1.0}
"""End times of figure 9, in s."""
FINEST = ("half_explicit_5", 2.0**-15)
CLEAR = 1e-13
"""Relative error of q below which round-off dominates and no order is visible."""
LESS, MORE = 0.35, 0.6
"""Tolerances of an observed order, below and above the order p of the method, which coarse steps of the damped rod
exceed."""

RTOL, ATOL = 1e-6, 1e-8
T_END = 5.0
MIDDLE = 9
"""Exponent k of the middle step size 2⁻ᵏ s of figure 10."""


def ladder(case: Case, quick: bool) -> Ladder:
    """Return the ladder of errors of all methods."""
    steps = tuple(2.0**-k for k in (range(9, 12) if quick else range(9, 13)))
    return Ladder(case, METHODS, steps, T_ORDER[case.model], FINEST, norm="relative")


def orders_figure(quick: bool) -> Item:
    """Return figure 9."""
    panels, numbers = [], []
    for case, name in NAMES.items():
        study = ladder(case, quick)
        curves = [Curve(f"order {p}", study, error(m, "q"), marked=True) for p, m in zip(ORDERS, METHODS, strict=True)]
        panels.append(Panel(name, "step size in s", "relative error of q", curves, "loglog", ORDERS))
        for p, method in zip(ORDERS, METHODS, strict=True):
            label = f"order of q, {name}, method of order {p}"
            value = order(method, "q", above=CLEAR)
            numbers.append(Number(label, value, [study], p - LESS, p + MORE, printed=f"{p}"))
    text = (
        "The curves show the relative error ‖q - q_ref‖/‖q_ref‖ of all stored components, at 0.5 s for the roll-up "
        "and at 1 s for the flying spaghetti. The reference is the method of order 5 with h = 2⁻¹⁵ s, and h = 1e-6 "
        "s in the paper. The paper specifies neither the norm nor the end times."
    )
    return Item("figure", "9", "reproduced", "orders on two rods", text, panels, numbers=numbers)


def traced(case: Case, power: int) -> Course:
    """Return a run with fixed steps that records error estimates."""
    return Course(case, T_END, h=2.0**-power, rtol=RTOL, atol=ATOL, trace=True, record_every=0)


LABELS = {"2h": MIDDLE - 1, "h": MIDDLE, "h/2": MIDDLE + 1}
LEAST_RATIO, MOST_RATIO = 28.0, 40.0
"""Bounds of median ratios that tend to 32 for small steps."""


def ratio_numbers() -> list[Number]:
    """Return the ratios of the error estimates of steps and half steps."""
    return [
        Number(
            f"median ratio of estimates {a} : {b}, {name}",
            median_ratio,
            [traced(case, LABELS[a]), traced(case, LABELS[b])],
            LEAST_RATIO, MOST_RATIO, printed="32",
        )
        for case, name in NAMES.items()
        for a, b in (("2h", "h"), ("h", "h/2"))
    ]  # fmt: skip


def estimates_figure() -> Item:
    """Return figure 10."""
    panels = [
        Panel(
            name, "time in s", "error estimate / tolerance",
            [Curve(label, traced(case, power), estimates) for label, power in LABELS.items()], "semilogy",
        )
        for case, name in NAMES.items()
    ]  # fmt: skip
    text = (
        "The fixed step sizes are 2h, h and h/2 with h = 2⁻⁹ s. The paper does not specify h. The absolute "
        "tolerance is 1e-8 and the relative one 1e-6. The estimate of the roll-up decays as the rod comes to rest. "
        "The estimate of the flying spaghetti follows the motion and has peaks after the load has passed its "
        "maximum at 2.5 s."
    )
    return Item("figure", "10", "reproduced", "estimates of the local error", text, panels, numbers=ratio_numbers())


def adaptive(case: Case) -> Course:
    """Return an adaptive run that records its steps."""
    return Course(case, T_END, rtol=RTOL, atol=ATOL, trace=True, record_every=0)


def steps_figure(number: str, title: str, text: str, cases: dict[str, Case], numbers: Sequence[Number]) -> Item:
    """Return figure 11 or 12: error estimates above step sizes."""
    panels = [
        Panel("error estimates", "time in s", "error estimate / tolerance",
              [Curve(label, adaptive(case), estimates) for label, case in cases.items()], "semilogy",
              x_range=(0, T_END), y_range=(1e-2, 2)),
        Panel("accepted steps", "time in s", "step size in s",
              [Curve(label, adaptive(case), step_sizes) for label, case in cases.items()], "semilogy",
              x_range=(0, T_END), y_range=(9e-4, 1e-2)),
    ]  # fmt: skip
    return Item("figure", number, "reproduced", title, text, panels, 1, numbers=numbers)


SAFETY, EXPONENT = 0.8, 1 / 5
"""Safety factor and exponent of the step size formula."""
LEAST_COUNT, MOST_COUNT = 0.95, 1.2
"""Bounds of the ratio of accepted to predicted steps; rejected steps and limited step size changes increase it."""


def over_predicted(run: Solution, fixed: Solution) -> float:
    """Return accepted steps relative to ∫ dt/h, where h is the step size that estimates of a fixed-step run allow, but
    at most the longest accepted one."""
    found, trace = trace_of(run), trace_of(fixed)
    allowed = SAFETY * trace.h * np.maximum(trace.error, SMALLEST) ** -EXPONENT
    return accepted(run) / float(np.sum(trace.h / np.minimum(allowed, found.h[found.accepted].max())))


def counts(label: str, case: Case) -> list[Number]:
    """Return the number of accepted steps, and its ratio to the predicted number."""
    return [
        Number(f"accepted steps, {label}", accepted, [adaptive(case)]),
        Number(
            f"accepted steps / number predicted from the estimates of fixed steps, {label}", over_predicted,
            [adaptive(case), traced(case, MIDDLE)], LEAST_COUNT, MOST_COUNT, source="the rule for the next step, (21)",
        ),
    ]  # fmt: skip


SCHEMATIC = (
    Item(
        "figure", "7", "schematic", "a Cosserat rod",
        "A drawing without data: the centre line with its cross sections and directors, and the nodes of the "
        "discretisation.",
    ),
    Item(
        "figure", "8", "schematic", "two test cases",
        "A drawing without data: the roll-up of a clamped rod by a torque at its end, and the free rod of the flying "
        "spaghetti with a force and a torque at one end.",
    ),
)  # fmt: skip


def figures(quick: bool) -> list[Item]:
    """Return figures 7 to 12."""
    return [*SCHEMATIC, orders_figure(quick), estimates_figure(), *adaptive_figures()]


def adaptive_figures() -> list[Item]:
    """Return figures 11 and 12."""
    rods = {NAMES[ROLL_UP]: ROLL_UP, NAMES[SPAGHETTI]: SPAGHETTI}
    stiffnesses = {"bending stiffness 5e2 N m²": ROLL_UP, "bending stiffness 5e4 N m²": STIFF}
    return [
        steps_figure(
            "11", "error estimates and step sizes of two rods",
            "The absolute tolerance is 1e-8 and the relative one 1e-6. The step size of the roll-up grows until "
            "stability limits it, because the damping has eigenvalues that limit explicit steps even at rest. The "
            "step size of the flying spaghetti stays bounded. The step that ends at 2.5 s is short because the load "
            "has a kink there.",
            rods,
            [
                *counts("roll-up", ROLL_UP), *counts("flying spaghetti", SPAGHETTI),
                Number("rejected steps, roll-up", rejected, [adaptive(ROLL_UP)], None, 5),
                Number("rejected steps, flying spaghetti", rejected, [adaptive(SPAGHETTI)], 20, 80),
            ],
        ),
        steps_figure(
            "12", "step sizes with two bending stiffnesses",
            "The applied torque is proportional to the stiffness, as in the formula of the paper. The stiff rod "
            "oscillates: its error estimates jump, and its step size repeatedly drops to one half.",
            stiffnesses,
            [*counts("stiffness 5e2", ROLL_UP), *counts("stiffness 5e4", STIFF)],
        ),
    ]  # fmt: skip


DISTURBED = Case(
    ROLL_UP.model, ROLL_UP.options, initial=(("rod", "U", tuple((0.0, 1e-9 * (k > 0), 0.0) for k in range(9))),)
)
"""Roll-up with an initial velocity normal to its plane."""


def out_of_plane(solution: Solution) -> Points:
    """Return the largest distance of a node from the plane versus time, without the initial value."""
    across = np.abs(solution.configuration("rod")[1:, :, 5]).max(axis=1)
    return solution.t[1:], np.maximum(across, ROUND_OFF)


def growth_rate(solution: Solution) -> float:
    """Return the growth rate of this distance between 12 s and 22 s, by linear regression of its logarithm, in 1/s."""
    t, y = out_of_plane(solution)
    kept = (t > 12) & (t < 22)
    return float(np.polyfit(t[kept], np.log(y[kept]), 1)[0])


def claims() -> list[Item]:
    """Return the claims on the rods."""
    run, ring, disturbed = adaptive(ROLL_UP), AtEquilibrium(ROLL_UP, 4), Course(DISTURBED, 28.0, rtol=RTOL, atol=1e-13)
    first, last = accepted_steps(0.1, 1.0), accepted_steps(4.0, T_END)
    return [
        Item(
            "claim", "local-errors", "confirmed", "Halving the step divides the estimate of the local error by 2⁵",
            "The numbers are medians over the runs of figure 10. The estimate belongs to an embedded formula of "
            "order 4.",
            numbers=ratio_numbers(),
        ),
        Item(
            "claim", "steps-at-rest", "confirmed", "The step size grows as the roll-up comes to rest",
            "The step size grows within the first 1.5 s. It does not grow without bound, because stability keeps it "
            "below 0.01 s.",
            numbers=[
                Number("median step size between 4 s and 5 s / between 0.1 s and 1 s",
                       lambda solution: last(solution) / first(solution), [run], 1.2),
                Number("median step size between 4 s and 5 s", last, [run], 5e-3, 1e-2, "s"),
            ],
        ),
        Item(
            "claim", "ring", "refuted", "The ring of the roll-up is a stable equilibrium",
            "The moment at the end keeps its direction in space. The ring is stable in its plane. Out of the plane, "
            "a pair of eigenvalues has a positive real part despite the damping: an oscillation grows by a factor "
            "of e in 1.3 s. The runs of the paper stay in the plane. The figure shows a run with an initial "
            "velocity of 1e-9 m/s normal to the plane.",
            [Panel("largest deflection out of the plane", "time in s", "deflection in m",
                   [Curve("disturbed by 1e-9 m/s", disturbed, out_of_plane)], "semilogy")],
            1,
            numbers=[
                Number("largest real part of the eigenvalues", lambda linear: float(linear.eigenvalues.real.max()),
                       [ring], 0.772, 0.774, "1/s"),
                Number("growth rate of the deflection between 12 s and 22 s", growth_rate, [disturbed], 0.75,
                       0.80, "1/s"),
            ],
        ),
    ]  # fmt: skip


PRINTED = (
    ("length in m", "10", "10", lambda s: s.layout.curves["rod"].arc[-1]),
    ("segments", "8", "16", lambda s: s.layout.options["segments"]),
    ("bending stiffness in N m²", "500", "500", lambda s: parameter(s, "bending_stiffness")),
    ("extension stiffness in N", "10000", "10000", lambda s: parameter(s, "extension_stiffness")),
    ("damping of bending", "100", "0", lambda s: parameter(s, "damping")),
)
"""Rows of table 3: quantity, printed values of both rods, and reader of the value in the model."""


def parameter(system: System, name: str) -> float:
    """Return the value of a scalar parameter."""
    part, _, _ = system.layout.parameters[name]
    return float(system.parameters[part][0])


def parameter_rows(*systems: System) -> list[list[str]]:
    """Return the contents of table 3."""
    return [[what, *printed, *(f"{value(s):g}" for s in systems)] for what, *printed, value in PRINTED]


def table() -> Item:
    """Return table 3."""
    studies = [Stated(ROLL_UP), Stated(SPAGHETTI)]
    head = ["quantity", "roll-up, printed", "flying spaghetti, printed", "roll-up, model", "flying spaghetti, model"]

    def differing(*systems: System) -> float:
        return float(sum(row[1:3] != row[3:5] for row in parameter_rows(*systems)))

    return Item(
        "table", "3", "reproduced", "data of the two rods",
        "The models have the printed values. The numbers of segments, 8 and 16, are options. The paper prints "
        "dimensionless data; the units are ours.",
        table=Table(head, parameter_rows, studies),
        numbers=[Number("number of rows that differ", differing, studies, 0, 0)],
    )  # fmt: skip
