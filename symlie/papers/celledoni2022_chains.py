"""Items of [Celledoni2022], section 5: chains of spherical pendulums on (TS²)^N."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from symlie.papers.adaptivity import Adaptivity, Gain
from symlie.papers.items import Curve, Item, Number, Panel, Points
from symlie.papers.measures import SMALLEST, accepted, error, largest, order, step_sizes
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
"""The six methods of figure 5, with their orders."""

PAIR = "rkmk_dopri5"
"""RKMK(5,4), the pair of Dormand and Prince."""

SPATIAL = (
    ("links", "directions", ((0.6, 0.0, 0.8), (0.0, 0.6, -0.8))),
    ("links", "angular_velocities", ((0.8, 1.5, -0.6), (1.0, 0.8, 0.6))),
)
"""A start in space, since that of the paper stays in a plane."""

TOLERANCE = 1e-6
"""Tolerance of the adaptive runs, absolute."""

FINEST = ("rkmk_rk67", 3.0 / 2**14)
"""What adaptive runs are compared with."""

ON_MANIFOLD = {"rkmk_euler": "Lie–Euler", "rkmk_rk44": "RKMK4", "cf4": "CF4"}
IN_SPACE = {"ambient_rk4": "RK4, ambient", "ambient_dopri5": "DOPRI5, ambient"}
MOST_ROUND_OFF = 1e-13
"""What round-off gathers in 500 steps."""
LEAST_AMBIENT = 1e-9
"""What methods of order 4 and 5 on the stored components miss by at least with this step."""


def chain(links: int, length: float = 1.0, *, in_space: bool = False) -> Case:
    """A chain; all rods of one length, in m."""
    parameters = () if length == 1.0 else (("lengths", length),)
    return Case("pendulum_chain", (("links", links),), parameters, SPATIAL if in_space else ())


TWO = chain(2)


def lengths_of(deviation: bool) -> Callable[[Solution], Points]:
    """Largest 1 - q_i·q_i, or q_i·ω_i, over time."""

    def points(solution: Solution) -> Points:
        q, w = (solution.field("links", name) for name in ("directions", "angular_velocities"))
        values = 1 - (q * q).sum(axis=2) if deviation else (q * w).sum(axis=2)
        return solution.t[1:], np.maximum(np.abs(values).max(axis=1)[1:], SMALLEST)

    return points


def component(field: str, link: int, axis: int, since: float = 0.0) -> Callable[[Solution], Points]:
    """One stored component over time."""

    def points(solution: Solution) -> Points:
        kept = solution.t >= since
        return solution.t[kept], solution.field("links", field)[kept, link, axis]

    return points


def acceleration(link: int) -> Callable[[Solution], Points]:
    """The rate of the second component of an angular velocity, by differences of a fine run."""

    def points(solution: Solution) -> Points:
        t, values = component("angular_velocities", link, 1)(solution)
        return t, np.gradient(values, t)

    return points


def time_of_peak(link: int) -> Callable[[Solution], float]:
    """When that rate is largest, in s."""

    def time(solution: Solution) -> float:
        t, rate = acceleration(link)(solution)
        return float(t[np.abs(rate).argmax()])

    return time


def time_of_smallest_step(solution: Solution) -> float:
    """When the smallest step begins, after those of the start, in s."""
    t, h = step_sizes(solution)
    return float(t[t >= 0.5][h[t >= 0.5].argmin()])


def orders(in_space: bool, quick: bool) -> Ladder:
    """Errors at t = 1 s."""
    steps = tuple(2.0**-k for k in (range(7, 10) if quick else range(5, 11)))
    return Ladder(chain(2, in_space=in_space), tuple(METHODS), steps, 1.0, ("rkmk_rk67", 2.0**-11))


def drift(method: str) -> Course:
    """Five seconds with a step of 0.01 s."""
    return Course(chain(2, in_space=True), 5.0, method, 0.01)


def gains(scaled: bool, quick: bool) -> Adaptivity:
    """Chains of rods of 1 m, or of 5 m together."""
    numbers = (2, 4, 20) if quick else (2, 4, 6, 8, 10, 12, 14, 16, 18, 20)
    cases = tuple((str(n), chain(n, 5.0 / n if scaled else 1.0)) for n in numbers)
    return Adaptivity(cases, PAIR, TOLERANCE, 3.0, "links", FINEST)


def over_links(part: str) -> Callable[[Mapping[str, Gain]], Points]:
    """Errors over the number of links."""
    return lambda found: (np.array([float(n) for n in found]), np.array([getattr(g, part) for g in found.values()]))


def gain_of(links: int) -> Callable[[Mapping[str, Gain]], float]:
    """Error of fixed steps over that of adaptive ones."""
    return lambda found: found[str(links)].factor


def _orders_figure(quick: bool) -> Item:
    plane, space = orders(False, quick), orders(True, quick)
    panels = [
        Panel(
            title, "step size in s", "error of (q, ω)",
            [Curve(name, study, error(m, "q"), marked=True) for m, (name, _) in METHODS.items()],
            "loglog", [p for _, p in METHODS.values()],
        )
        for title, study in (("start of the paper, in a plane", plane), ("start in space (ours)", space))
    ]  # fmt: skip
    numbers = [
        Number(f"order of {name}, {where}", order(m, "q", above=1e-11), [study], p - 0.2, p + 0.2, printed=f"{p}")
        for where, study in (("in a plane", plane), ("in space", space))
        for m, (name, p) in METHODS.items()
    ]
    text = (
        "Errors at t = 1 s, a time that the paper leaves open, against a method of order 6 with a fine step. The start "
        "that the paper gives stays in a plane, where half of all terms vanish; beside it one in space."
    )
    return Item("figure", "5", "reproduced", "orders of six methods on two pendulums", text, panels, numbers=numbers)


def _drift_figure(number: str, deviation: bool) -> Item:
    reader = lengths_of(deviation)
    named = ON_MANIFOLD | IN_SPACE
    y = "largest |1 - q·q|" if deviation else "largest |q·ω| in rad/s"
    panel = Panel("step 0.01 s", "time in s", y, [Curve(n, drift(m), reader) for m, n in named.items()], "semilogy")
    numbers = [
        Number(f"largest value, {n}", largest(reader), [drift(m)], None, MOST_ROUND_OFF, printed="1e-14")
        for m, n in ON_MANIFOLD.items()
    ]
    numbers += [Number(f"largest value, {n}", largest(reader), [drift(m)], LEAST_AMBIENT) for m, n in IN_SPACE.items()]
    what = "|q_i| = 1" if deviation else "q_i·ω_i = 0"
    text = (
        "Methods on the manifold keep it to round-off, whatever their order; the same tableaux on stored components do "
        "not. The paper's start stays in a plane, where q·ω vanishes by symmetry, so ours is one in space; step and "
        "tolerances are not given there, and Dormand–Prince takes the place of ODE45 with steps of one length."
    )
    return Item(
        "figure", number, "corrected", f"preservation of {what} by two pendulums", text, [panel], numbers=numbers
    )


def _gain_figure(number: str, scaled: bool, quick: bool) -> Item:
    study = gains(scaled, quick)
    twenty = dict(study.cases)["20"]
    panels = [
        Panel(
            "errors at 3 s", "number of links", "error of (q, ω)",
            [Curve("adaptive steps", study, over_links("adaptive"), marked=True),
             Curve("as many fixed steps", study, over_links("fixed"), marked=True)], "semilogy",
        ),
        Panel("steps, 20 links", "time in s", "step size in s",
              [Curve("adaptive steps", study.course(twenty), step_sizes)]),
    ]  # fmt: skip
    label = "error of fixed steps over that of adaptive ones, {} links"
    if scaled:
        numbers = [Number(label.format(20), gain_of(20), [study], 10.0)]
        how = (
            "With rods of 5/N m the chain gets a limit, and its end lashes like a whip: there adaptive "
            "steps pay again, as the paper says."
        )
    else:
        numbers = [
            Number(label.format(2), gain_of(2), [study], 10.0),
            Number(label.format(20), gain_of(20), [study], None, 4.0),
        ]
        how = "Adaptive steps pay for two links, and not for twenty."
    numbers.append(Number("steps, 20 links", accepted, [study.course(twenty)]))
    text = (
        f"RKMK(5,4) with an absolute tolerance of 10⁻⁶, and with as many steps of one length. {how} The exponent of "
        "the tolerance is not legible in the sentence on N; that of the caption is 10⁻⁶."
    )
    title = f"accuracy of fixed and adaptive steps, rods of {'5/N' if scaled else '1'} m"
    return Item("figure", number, "reproduced", title, text, panels, numbers=numbers)


def _peak_figures(quick: bool) -> list[Item]:
    study = gains(False, quick)
    adaptive = study.course(TWO)
    exact, ambient = Course(TWO, 3.0, *FINEST), Course(TWO, 3.0, "ambient_dopri5", rtol=1e-6, atol=1e-9, trace=True)
    fixed = Course(TWO, 3.0, PAIR, 0.03)
    runs = [("adaptive RKMK(5,4)", adaptive), ("fixed steps of 0.03 s", fixed), ("order 6, fine steps", exact)]
    fields = (("q", "directions"), ("ω", "angular_velocities"))
    panels = [
        Panel(f"{'xyz'[k]} of {letter}, link {link + 1}", "time in s", "component" if letter == "q" else "rad/s",
              [Curve(n, s, component(field, link, k)) for n, s in runs])
        for letter, field in fields for link in range(2) for k in range(3)
    ]  # fmt: skip
    peaks = [
        Number(f"time of the largest rate of ω_y, link {k + 1}", time_of_peak(k), [exact], 2.15, 2.35, "s",
               printed="about 2.2")
        for k in range(2)
    ]  # fmt: skip
    in_plane = Number(
        "largest y of q, and x and z of ω",
        lambda s: float(max(
            np.abs(s.field("links", "directions")[..., 1]).max(),
            np.abs(s.field("links", "angular_velocities")[..., ::2]).max(),
        )),
        [exact], None, MOST_ROUND_OFF,
    )  # fmt: skip
    zoom = [
        Panel("step sizes", "time in s", "step size in s",
              [Curve("adaptive RKMK(5,4)", adaptive, step_sizes),
               Curve("adaptive, on components", ambient, step_sizes)], "semilogy"),
        *(Panel(f"y of ω, link {k + 1}", "time in s", "rad/s",
                [Curve(n, s, component("angular_velocities", k, 1, 2.1)) for n, s in runs]) for k in range(2)),
        Panel("rate of y of ω", "time in s", "rad/s²",
              [Curve(f"link {k + 1}", exact, acceleration(k)) for k in range(2)]),
    ]  # fmt: skip
    smallest = Number(
        "smallest step after 0.5 s begins at", time_of_smallest_step, [adaptive], 2.1, 2.4, "s", printed="about 2.2"
    )
    return [
        Item(
            "figure", "9", "reproduced", "the twelve components of two pendulums",
            "Adaptive and fixed steps beside a method of order 6 with fine steps. The motion is in a plane, so that "
            "six of the twelve components vanish; the paper does not say so.", panels, 3, numbers=[*peaks, in_plane],
        ),
        Item(
            "figure", "11", "reproduced", "step sizes, and the peak that they follow",
            "Steps of RKMK(5,4), and of the same tableau on stored components, which takes the place of ODE45 with a "
            "relative tolerance of 10⁻⁶; fixed steps of RKMK5 are 0.03 s long. All shrink at the peak of "
            "the angular accelerations.", zoom, numbers=[smallest, *peaks],
        ),
    ]  # fmt: skip


def figures(quick: bool) -> list[Item]:
    """Figures 4 to 11."""
    nine, eleven = _peak_figures(quick)
    return [
        Item("figure", "4", "schematic", "three pendulums at one time", "It shows what the angles and lengths are."),
        _orders_figure(quick),
        _drift_figure("6", True),
        _drift_figure("7", False),
        _gain_figure("8", False, quick),
        nine,
        _gain_figure("10", True, quick),
        eleven,
    ]


def claims(quick: bool) -> list[Item]:
    """Sentences on methods and steps."""
    study, two = gains(False, quick), orders(True, quick)
    scaled = gains(True, quick)
    label = "error of fixed steps over that of adaptive ones"
    full, short = (order(m, "q", above=1e-11) for m in ("rkmk_rk44", "rkmk4_two_commutators"))
    exact = Course(TWO, 3.0, *FINEST)
    return [
        Item(
            "claim", "truncation", "confirmed", "Truncated series of dexp⁻¹ give the same orders",
            "RKMK4 with the closed form of dexp⁻¹, and with two commutators in its place.",
            numbers=[
                Number("order with the closed form", full, [two], 3.8, 4.2),
                Number("order with two commutators", short, [two], 3.8, 4.2),
            ],
        ),
        Item(
            "claim", "adaptivity", "confirmed", "Adaptive steps pay for two links, not for twenty, again for L = 5/N",
            "Errors at 3 s of the same number of steps.",
            numbers=[
                Number(f"{label}, 2 links", gain_of(2), [study], 10.0),
                Number(f"{label}, 20 links of 1 m", gain_of(20), [study], None, 4.0),
                Number(f"{label}, 20 links of 0.25 m", gain_of(20), [scaled], 10.0),
            ],
        ),
        Item(
            "claim", "peak", "confirmed", "The angular accelerations of two links have a peak at t ≈ 2.2",
            "The second link is at its largest a little later than the first.",
            numbers=[
                Number(f"time of the largest rate of ω_y, link {k + 1}", time_of_peak(k), [exact], 2.15, 2.35, "s",
                       printed="about 2.2")
                for k in range(2)
            ],
        ),
    ]  # fmt: skip
