"""Items of [Celledoni2022], section 5.3: adaptive steps on chains of pendulums, and the peak of angular velocities."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from symlie.papers.celledoni2022.chains import (
    MOST_ROUND_OFF,
    ON_COMPONENTS,
    T_END,
    TWO,
    Factors,
    adaptive,
    chain,
    known_end,
)
from symlie.papers.items import Curve, Item, Number, Panel, Points
from symlie.papers.measures import step_sizes
from symlie.papers.studies import Adaptivity, AsManySteps, Course, Gain, Study
from symlie.runtime.solution.solution import Solution

FINEST = ("rkmk_rk67", T_END / 2**14)
"""Method and step size, in s, of the reference for adaptive runs."""

SCRIPTS: Factors = (("exponent", 0.25),)
"""Exponent of the step size formula in the published scripts; the paper prints 1/(1 + min(5, 4))."""

PROTOTYPE = "an independent prototype in NumPy"
KNOWN_GAINS: dict[tuple[int, float, Factors], tuple[int, int, float, float]] = {
    (2, 1.0, ()): (119, 10, 1.0e-5, 8.2e-3),
    (2, 1.0, SCRIPTS): (117, 17, 1.1e-5, 3.7e-3),
    (20, 1.0, SCRIPTS): (362, 5, 1.5e-5, 3.0e-5),
    (20, 0.25, SCRIPTS): (795, 2, 6.8e-5, 1.4e-1),
}
"""Accepted and rejected steps, and errors with adaptive and with fixed steps, by number of links, length in m and
controller."""
GAIN_DIGITS = 0.05
"""Relative tolerance of these errors, which are known to two digits."""

PEAK, PEAK_DIGIT = 2.2, 0.1
"""Time of the peak in the paper and its reading accuracy, in s."""


def component(field: str, link: int, axis: int, since: float = 0.0) -> Callable[[Solution], Points]:
    """Return a reader of one stored component of a link versus time."""

    def points(solution: Solution) -> Points:
        kept = solution.t >= since
        return solution.t[kept], solution.field("links", field)[kept, link, axis]

    return points


def acceleration(link: int) -> Callable[[Solution], Points]:
    """Return a reader of the rate of the second angular velocity component, by finite differences of a fine run."""

    def points(solution: Solution) -> Points:
        t, values = component("angular_velocities", link, 1)(solution)
        return t, np.gradient(values, t)

    return points


def time_of_peak(reader: Callable[[Solution], Points]) -> Callable[[Solution], float]:
    """Return a reader of the time at which the magnitude of a curve is largest, in s."""

    def time(solution: Solution) -> float:
        t, values = reader(solution)
        return float(t[np.abs(values).argmax()])

    return time


def time_of_smallest_step(solution: Solution) -> float:
    """Return the time at which the smallest step begins, in s."""
    t, h = step_sizes(solution)
    return float(t[h.argmin()])


def out_of_plane(solution: Solution) -> float:
    """Return the largest magnitude of the components that vanish for motion in the x-z plane."""
    q, w = (solution.field("links", name) for name in ("directions", "angular_velocities"))
    return float(max(np.abs(q[..., 1]).max(), np.abs(w[..., ::2]).max()))


def gains(scaled: bool, quick: bool) -> Adaptivity:
    """Return the study of chains with rods of 1 m, or of 5 m in total (`scaled`)."""
    numbers = (2, 4, 20) if quick else (2, 4, 6, 8, 10, 12, 14, 16, 18, 20)
    runs = tuple((str(n), adaptive(chain(n, 5.0 / n if scaled else 1.0))) for n in numbers)
    return Adaptivity(runs, "links", FINEST)


def over_links(part: str) -> Callable[[Mapping[str, Gain]], Points]:
    """Return a reader of a field of `Gain` versus the number of links."""
    return lambda found: (np.array([float(n) for n in found]), np.array([getattr(g, part) for g in found.values()]))


def one_gain(links: int, length: float, options: Factors) -> Adaptivity:
    """Return the study of one chain."""
    return Adaptivity(((str(links), adaptive(chain(links, length), options=options)),), "links", FINEST)


def known_factor(links: int, length: float) -> Number:
    """Return the bounded ratio of errors with fixed and adaptive steps, for the exponent of the published scripts."""
    _, _, small, large = KNOWN_GAINS[links, length, SCRIPTS]
    bounds = (1 - 2 * GAIN_DIGITS) * large / small, (1 + 2 * GAIN_DIGITS) * large / small
    label = f"error of fixed steps / error of adaptive steps, {links} links of {length:g} m"
    study = one_gain(links, length, SCRIPTS)
    return Number(label, lambda found: found[str(links)].factor, [study], *bounds, source=PROTOTYPE)


def known_gain(links: int, length: float, options: Factors) -> list[Number]:
    """Return the steps and errors of a chain, bounded by known values."""
    accepted, rejected, *errors = KNOWN_GAINS[links, length, options]
    study = one_gain(links, length, options)
    where = f"{links} links of {length:g} m, exponent {'1/4' if options else '1/5'}"

    def value(part: str) -> Callable[[Mapping[str, Gain]], float]:
        return lambda found: float(getattr(found[str(links)], part))

    return [
        Number(f"accepted steps, {where}", value("accepted"), [study], accepted, accepted, source=PROTOTYPE),
        Number(f"rejected steps, {where}", value("rejected"), [study], rejected, rejected, source=PROTOTYPE),
        *(Number(f"error of {kind} steps, {where}", value(kind), [study], (1 - GAIN_DIGITS) * known,
                 (1 + GAIN_DIGITS) * known, source=PROTOTYPE)
          for kind, known in zip(("adaptive", "fixed"), errors, strict=True)),
    ]  # fmt: skip


RULE = (
    "The error estimate is the Euclidean norm of the difference in the Lie algebra. The first step is T/100 with "
    "the end time T. The exponent of the step size formula is 1/(1 + min(5, 4)) in the text of the paper and in the "
    "figure. It is 1/4 in the published scripts, which leads to more rejected steps. Results with both exponents "
    "are checked. The tolerance is illegible in our copy of the paper; we use an absolute tolerance of 10⁻⁶."
)


def _gain_figure(number: str, scaled: bool, quick: bool) -> Item:
    study = gains(scaled, quick)
    twenty = dict(study.courses)["20"]
    panels = [
        Panel(
            f"errors at {T_END:g} s", "number of links", "error of (q, ω)",
            [Curve("adaptive steps", study, over_links("adaptive"), marked=True),
             Curve("same number of fixed steps", study, over_links("fixed"), marked=True)], "semilogy",
        ),
        Panel("step sizes, 20 links", "time in s", "step size in s",
              [Curve("adaptive steps", twenty, step_sizes),
               Curve("same number of fixed steps", AsManySteps(twenty), step_sizes)]),
    ]  # fmt: skip
    cases = [(20, 0.25, SCRIPTS)] if scaled else [(2, 1.0, ()), (2, 1.0, SCRIPTS), (20, 1.0, SCRIPTS)]
    what = "5/N" if scaled else "1"
    return Item(
        "figure", number, "corrected", f"accuracy of fixed and adaptive steps, rods of {what} m",
        f"RKMK(5,4) with adaptive steps is compared with the same number of fixed steps. {RULE}", panels,
        numbers=[number for case in cases for number in known_gain(*case)],
    )  # fmt: skip


def _peak_figures() -> list[Item]:
    on_group, exact = adaptive(TWO), Course(TWO, T_END, *FINEST)
    runs: list[tuple[str, Study]] = [
        ("adaptive RKMK(5,4)", on_group),
        ("same number of fixed steps", AsManySteps(on_group)),
        ("reference", exact),
    ]
    fields = (("q", "directions", ""), ("ω", "angular_velocities", "rad/s"))
    panels = [
        Panel(f"{'xyz'[k]} component of {letter}, link {link + 1}", "time in s", unit,
              [Curve(n, s, component(field, link, k)) for n, s in runs])
        for link in range(2) for letter, field, unit in fields for k in range(3)
    ]  # fmt: skip
    on_components = adaptive(TWO, ON_COMPONENTS)
    adaptive_runs = {"adaptive RKMK(5,4)": on_group, "adaptive, ambient space": on_components}
    steps: list[tuple[str, Study]] = [*adaptive_runs.items(), ("same number of fixed steps", AsManySteps(on_group))]
    zoom = [
        Panel("step sizes", "time in s", "step size in s", [Curve(n, s, step_sizes) for n, s in steps], "semilogy"),
        *(Panel(f"y component of ω, link {k + 1}", "time in s", "ω in rad/s",
                [Curve(n, s, component("angular_velocities", k, 1, 2.1)) for n, s in runs]) for k in range(2)),
        Panel("rate of the y component of ω", "time in s", "rate in rad/s²",
              [Curve(f"link {k + 1}", exact, acceleration(k)) for k in range(2)]),
    ]  # fmt: skip
    smallest = [
        _time(f"start of the smallest step, {name}", time_of_smallest_step, run) for name, run in adaptive_runs.items()
    ]
    return [
        Item(
            "figure", "9", "reproduced", "the twelve components of q and ω of two pendulums",
            "The columns show the x, y and z components. The reference of the paper is a run of ODE45. Our "
            "reference is a fine run of a method of order 6, which is compared with a solution of higher accuracy. "
            "The motion is planar, so that six components vanish. The paper does not mention this.", panels, 3,
            numbers=[known_end(exact, T_END), Number("largest out-of-plane component", out_of_plane, [exact], None,
                                                     MOST_ROUND_OFF), *known_gain(2, 1.0, ())[2:]],
        ),
        Item(
            "figure", "11", "reproduced", "step sizes and the peak of the angular velocities",
            "Panel (a) compares the step sizes of three runs: adaptive RKMK(5,4), the same pair in the ambient "
            "space as in ODE45, and RKMK(5,4) with as many fixed steps as the first run. The adaptive runs have the "
            "same tolerance and step size formula. Near the peak of the angular accelerations, both adaptive runs "
            "reduce their steps. The fixed steps are too long there.", zoom, numbers=[*smallest, *_peaks()],
        ),
    ]  # fmt: skip


def _time(label: str, value: Callable[[Solution], float], study: Course) -> Number:
    bounds = PEAK - PEAK_DIGIT, PEAK + PEAK_DIGIT
    return Number(f"time of the {label}", value, [study], *bounds, "s", printed=f"≈ {PEAK:g}")


def _peaks() -> list[Number]:
    exact = Course(TWO, T_END, *FINEST)
    return [
        _time(f"largest {what}, link {k + 1}", time_of_peak(reader), exact)
        for k in range(2)
        for what, reader in (("|ω_y|", component("angular_velocities", k, 1)), ("|dω_y/dt|", acceleration(k)))
    ]


def figures(quick: bool) -> list[Item]:
    """Return figures 8 to 11."""
    nine, eleven = _peak_figures()
    return [_gain_figure("8", False, quick), nine, _gain_figure("10", True, quick), eleven]


def claims() -> list[Item]:
    """Return the claims on adaptive steps and the peak."""
    return [
        Item(
            "claim", "adaptivity", "confirmed",
            "Adaptive steps pay off for 2 links and for 20 links of length 5/N, but not for 20 links of 1 m",
            "The errors at 3 s of adaptive steps and of the same number of fixed steps are compared, as in figures "
            "8 and 10. The exponent is that of the published scripts, for which independent values of all three "
            "cases are known.",
            numbers=[known_factor(2, 1.0), known_factor(20, 1.0), known_factor(20, 0.25)],
        ),
        Item(
            "claim", "peak", "confirmed", "The angular velocities of two links peak at t ≈ 2.2 s",
            "The numbers are the times of the largest magnitudes of the y components of ω and of their rates.",
            numbers=_peaks(),
        ),
    ]  # fmt: skip
