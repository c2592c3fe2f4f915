"""Items of [Celledoni2022], section 5: chains of spherical pendulums on (TS²)^N."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symlie.papers.items import Curve, Item, Number, Panel, Points
from symlie.papers.measures import ROUND_OFF, error, largest, order
from symlie.papers.studies import Case, Course, Ladder
from symlie.runtime.solution.solution import Solution

METHODS = {
    "rkmk_euler": ("Lie–Euler", 1),
    "lie_euler_heun": ("Lie–Euler–Heun", 2),
    "rkmk_kutta3": ("RKMK3", 3),
    "rkmk_rk44": ("RKMK4", 4),
    "rkmk_38": ("RKMK4, 3/8 rule", 4),
    "rkmk4_two_commutators": ("RKMK4, two commutators", 4),
}
"""Names and orders of the six methods of figure 5."""

PAIR = "rkmk_dopri5"
"""RKMK(5,4) with the pair of Dormand and Prince."""
ON_COMPONENTS = "ambient_dopri5"
"""The same pair on the stored components, as in ODE45 of MATLAB."""

SPATIAL = (
    ("links", "directions", ((0.6, 0.0, 0.8), (0.0, 0.6, -0.8))),
    ("links", "angular_velocities", ((0.8, 1.5, -0.6), (1.0, 0.8, 0.6))),
)
"""Initial values of a motion in space; the paper has initial values of a planar motion."""

T_END = 3.0
"""End time of the adaptive runs, in s."""
TOLERANCE = 1e-6
"""Absolute tolerance of the adaptive runs."""
FIRST_STEP = T_END / 100
"""First step size of the adaptive runs, in s, as in the published scripts."""
Factors = tuple[tuple[str, float], ...]
"""Names and values of changed coefficients of the step size formula."""

REFERENCE_AT_1 = ("rkmk_rk67", 2.0**-11)
"""Method and step size, in s, of the reference at t = 1 s."""
KNOWN_ENDS = {
    1.0: (
        (-0.8466011958591085, 0.0, -0.5322277850412617, 0.0, 5.427834313615026, 0.0),
        (-0.7633284783901798, 0.0, -0.6460105526061727, 0.0, 1.706760398375958, 0.0),
    ),
    T_END: (
        (0.7139974591091463, 0.0, 0.7001482902826249, 0.0, -0.9658818133170265, 0.0),
        (-0.5777064140225461, 0.0, 0.8162446319561376, 0.0, 1.289147689707041, 0.0),
    ),
}
"""(q, ω) of both links by time, from two 113-bit integrations of two formulations that agree to 28 digits."""
MOST_OF_REFERENCE = {1.0: 1e-11, T_END: 1e-10}
"""Bounds of the errors of the reference runs, by time: round-off, a thousandth of the plotted errors."""
DIGITS = "two integrators with 113 bits"

ON_MANIFOLD = {"rkmk_euler": "Lie–Euler", "rkmk_rk44": "RKMK4", "cf4": "CF4"}
MOST_ROUND_OFF = 1e-13
"""Bound of the round-off accumulated in 500 steps."""
LEAST_AMBIENT = 1e-9
"""Lower bound of the violation by methods of order 4 and 5 on the stored components, far above round-off."""


def chain(links: int, length: float = 1.0, *, in_space: bool = False) -> Case:
    """Return a chain whose rods all have the same length, in m."""
    parameters = () if length == 1.0 else (("lengths", length),)
    return Case("pendulum_chain", (("links", links),), parameters, SPATIAL if in_space else ())


TWO = chain(2)


def distance_to_known(solution: Solution) -> float:
    """Return the Euclidean distance of the final (q, ω) of two links from the known solution."""
    known = KNOWN_ENDS[float(solution.t[-1])]
    return float(np.linalg.norm(solution.configuration("links")[-1] - np.array(known)))


def known_end(course: Course, t: float) -> Number:
    """Return the bounded distance of a run of two links from the known solution."""
    label = f"error of the reference run at {t:g} s"
    return Number(label, distance_to_known, [course], None, MOST_OF_REFERENCE[t], source=DIGITS)


def adaptive(case: Case, method: str = PAIR, options: Factors = (), t_end: float = T_END) -> Course:
    """Return an adaptive run with the step size formula of the paper."""
    return Course(
        case, t_end, method, rtol=0.0, atol=TOLERANCE, h0=FIRST_STEP, controller="celledoni2022",
        controller_options=options, trace=True,
    )  # fmt: skip


def lengths_of(deviation: bool) -> Callable[[Solution], Points]:
    """Return a reader of the largest |1 - q_i·q_i| (`deviation`) or of the largest |q_i·ω_i| versus time."""

    def points(solution: Solution) -> Points:
        q, w = (solution.field("links", name) for name in ("directions", "angular_velocities"))
        values = 1 - (q * q).sum(axis=2) if deviation else (q * w).sum(axis=2)
        return solution.t[1:], np.maximum(np.abs(values).max(axis=1)[1:], ROUND_OFF)

    return points


def orders(in_space: bool, quick: bool) -> Ladder:
    """Return the ladder of errors at t = 1 s."""
    steps = tuple(2.0**-k for k in (range(7, 10) if quick else range(5, 11)))
    return Ladder(chain(2, in_space=in_space), tuple(METHODS), steps, 1.0, REFERENCE_AT_1)


def drift_runs() -> dict[str, Course]:
    """Return runs of 5 s by label: with steps of 0.01 s, and with adaptive steps on the stored components."""
    case = chain(2, in_space=True)
    runs = {name: Course(case, 5.0, method, 0.01) for method, name in ON_MANIFOLD.items()}
    runs["RK4, ambient space"] = Course(case, 5.0, "ambient_rk4", 0.01)
    runs["adaptive, ambient space"] = adaptive(case, ON_COMPONENTS, t_end=5.0)
    return runs


def _orders_figure(quick: bool) -> Item:
    plane, space = orders(False, quick), orders(True, quick)
    panels = [
        Panel(
            title, "step size in s", "error of (q, ω)",
            [Curve(name, study, error(m, "q"), marked=True) for m, (name, _) in METHODS.items()],
            "loglog", sorted({p for _, p in METHODS.values()}),
        )
        for title, study in (("planar motion (paper)", plane), ("spatial motion (ours)", space))
    ]  # fmt: skip
    numbers = [
        Number(f"order of {name}, {where}", order(m, "q", above=1e-11), [study], p - 0.2, p + 0.2, printed=f"{p}")
        for where, study in (("planar motion", plane), ("spatial motion", space))
        for m, (name, p) in METHODS.items()
    ]
    numbers.append(known_end(Course(TWO, 1.0, *REFERENCE_AT_1), 1.0))
    text = (
        "The curves show the error at t = 1 s relative to a fine run of a method of order 6. The paper does not "
        "specify the end time. The only initial condition of the paper leads to a planar motion, in which all "
        "rotations commute. It is therefore a weak test. We added an initial condition that leads to a spatial "
        "motion."
    )
    return Item("figure", "5", "corrected", "orders of six methods on two pendulums", text, panels, numbers=numbers)


def _drift_figure(number: str, deviation: bool) -> Item:
    reader, runs = lengths_of(deviation), drift_runs()
    quantity, unit = ("|1 - q·q|", "") if deviation else ("|q·ω|", "rad/s")
    y = f"largest {quantity}" + (f" in {unit}" if unit else "")
    curves = [Curve(n, s, reader) for n, s in runs.items()]
    panel = Panel("spatial motion of two links", "time in s", y, curves, "semilogy")
    numbers = [
        Number(f"largest {quantity}, {n}", largest(reader), [s], None, MOST_ROUND_OFF, unit)
        if n in ON_MANIFOLD.values() else
        Number(f"largest {quantity}, {n}", largest(reader), [s], LEAST_AMBIENT, unit=unit)
        for n, s in runs.items()
    ]  # fmt: skip
    what = "|q_i| = 1" if deviation else "q_i·ω_i = 0"
    text = (
        f"Methods on the manifold preserve {what} to round-off for any order. Methods in the ambient space, which "
        "integrate the components of q and ω, do not. Our initial condition leads to a spatial motion; for a planar "
        "motion, q·ω = 0 holds by symmetry for every method. The paper specifies neither the step size nor the "
        "tolerances. Fixed steps are 0.01 s. The adaptive run uses the pair of Dormand and Prince, as ODE45 does, "
        "with a tolerance of 10⁻⁶."
    )
    return Item(
        "figure", number, "corrected", f"preservation of {what} for two pendulums", text, [panel], numbers=numbers
    )


def figures(quick: bool) -> list[Item]:
    """Return figures 4 to 7."""
    return [
        Item("figure", "4", "schematic", "a chain of three pendulums", "The drawing defines the angles and lengths."),
        _orders_figure(quick),
        _drift_figure("6", True),
        _drift_figure("7", False),
    ]


TRUNCATED = {"rkmk_kutta3": (3, 1), "rkmk_rk44": (4, 2), "rkmk_38": (4, 2), PAIR: (5, 2)}
"""Methods with their order p and the number of commutators that it requires: p - 2, of which the third has a zero
coefficient."""
TRUNCATION_STEPS = tuple(2.0**-k for k in (6, 7, 8))


def truncated(method: str, commutators: int | str) -> Ladder:
    """Return the ladder of errors at t = 1 s of the motion in space with a truncated series of dexp⁻¹."""
    options = (("commutators", commutators),)
    return Ladder(chain(2, in_space=True), (method,), TRUNCATION_STEPS, 1.0, REFERENCE_AT_1, method_options=options)


def truncation() -> Item:
    """Return the claim on truncated series of dexp⁻¹."""
    numbers = []
    for method, (p, count) in TRUNCATED.items():
        for commutators, expected in (("exact", p), (count, p), (count - 1, count + 1)):
            plural = "" if commutators == 1 else "s"
            how = "in closed form" if commutators == "exact" else f"with {commutators} commutator{plural}"
            label = f"order of {method}, dexp⁻¹ {how}"
            study = truncated(method, commutators)
            printed = f"{p}" if expected == p else ""
            bounds = expected - 0.3, expected + 0.3
            numbers.append(Number(label, order(method, "q", above=1e-11), [study], *bounds, printed=printed))
    return Item(
        "claim", "truncation", "confirmed", "Truncated series of dexp⁻¹ give the same orders",
        "The runs are spatial motions of two pendulums. dexp⁻¹ is evaluated in closed form, as a series with as "
        "many commutators as the order requires, and as a series with one commutator fewer. The last one reduces "
        "the order.",
        numbers=numbers,
    )  # fmt: skip
