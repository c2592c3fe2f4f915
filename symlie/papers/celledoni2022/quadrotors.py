"""Items of [Celledoni2022], section 6: two quadrotors that carry a point mass."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from symlie.papers.items import Curve, Item, Number, Panel, Points
from symlie.papers.measures import ROUND_OFF, at_end, error, largest, order
from symlie.papers.studies import Case, Course, Ladder
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution

TRACKING = Case("quadrotors", (("control", "tracking"),))
LENGTHS = (0.6, 0.8)
"""Lengths of the rods, in m."""

METHODS = {
    "rkmk_euler": ("RKMK1", 1),
    "lie_euler_heun": ("RKMK2", 2),
    "rkmk_kutta3": ("RKMK3", 3),
    "rkmk_rk44": ("RKMK4", 4),
}

FLIGHT = Course(TRACKING, 5.0, "rkmk_rk44", 0.01)
REFERENCE = ("rkmk_rk67", 2.0**-12)
"""Method and step size, in s, of the reference."""
IN_SPACE = Course(TRACKING, 5.0, "ambient_rk4", 0.01)

MOST_ROUND_OFF = 1e-13
"""Bound of the round-off accumulated in 500 steps."""


def target(t: Array) -> Array:
    """Return the target curve of the load, shape (times, 3), in m."""
    return np.column_stack([t - 2.5, 0 * t, (t - 2.5) ** 2 - 7])


def field(name: str, solution: Solution) -> Array:
    """Return a field of the only node versus time."""
    return solution.field("quadrotors", name)


def path(vehicle: int | None) -> Callable[[Solution], Points]:
    """Return a reader of the path of the load (`None`) or of a vehicle, with the third axis pointing upwards."""

    def points(solution: Solution) -> Points:
        x = field("y", solution)
        if vehicle is not None:
            x = x - LENGTHS[vehicle] * field(f"q{vehicle + 1}", solution)
        return x[:, 0], x[:, 1], -x[:, 2]

    return points


def rods(time: float) -> Callable[[Solution], Points]:
    """Return a reader of both rods at a time, as a line from one vehicle via the load to the other."""

    def points(solution: Solution) -> Points:
        k = int(np.argmin(np.abs(solution.t - time)))
        load = field("y", solution)[k]
        ends = [load - length * field(f"q{i + 1}", solution)[k] for i, length in enumerate(LENGTHS)]
        x = np.array([ends[0], load, ends[1]])
        return x[:, 0], x[:, 1], -x[:, 2]

    return points


def load(axis: int) -> Callable[[Solution], Points]:
    """Return a reader of a position component of the load versus time."""
    return lambda solution: (solution.t, field("y", solution)[:, axis])


def wanted(axis: int) -> Callable[[Solution], Points]:
    """Return a reader of a component of the target curve versus time."""
    return lambda solution: (solution.t, target(solution.t)[:, axis])


def deviation(solution: Solution) -> Points:
    """Return the distance of the load from its target versus time."""
    return solution.t, np.linalg.norm(field("y", solution) - target(solution.t), axis=1)


FULL = Case("quadrotors", (("control", "full"),))
FULL_FLIGHT = Course(FULL, 5.0, "rkmk_dopri5", rtol=1e-10, atol=1e-10, trace=True)
STIFFNESS, DAMPING, INERTIA = 40.0, 4.0, 0.0820
"""Gains of the attitude controllers, in N m and N m s, and first moment of inertia of a vehicle, in kg m²."""
SLOW_ROOT = (-DAMPING + math.sqrt(DAMPING**2 - 4 * INERTIA * STIFFNESS)) / (2 * INERTIA)
"""Slow root of J s² + k_Ω s + k_R, in 1/s, which determines the final decay of small attitude errors."""
BETWEEN = (0.5, 0.75)
"""Interval in which this decay is measured, in s."""

HALF_PERIOD = math.pi / math.sqrt(12.0 - 5.0**2 / 4)
"""Half the period, in s, of e″ + 5 e′ + 12 e = 0, the equation of the error of the load with its gains."""
DECAY = math.exp(-5.0 / 2 * HALF_PERIOD)
"""Factor by which |e| decreases in half a period."""
SETTLED = 0.02
"""Relative tolerance of this factor at the end, where the rods are still settling."""


def decay(solution: Solution) -> float:
    """Return the final distance from the target relative to the distance half a period earlier."""
    t, distance = deviation(solution)
    return float(distance[-1] / np.interp(t[-1] - HALF_PERIOD, t, distance))


KNOWN_LOAD = (-1.564102906732672, -0.053831958161607532, -3.546818982742295)
"""Position of the load at t = 1 s, in m, from two 113-bit integrations of two formulations."""


def distance_to_known(solution: Solution) -> float:
    """Return the distance of the load at the end from its known position."""
    return float(np.linalg.norm(field("y", solution)[-1] - np.array(KNOWN_LOAD)))


def from_unity(i: int) -> Callable[[Solution], Points]:
    """Return a reader of |1 - q·q| of a rod versus time."""

    def points(solution: Solution) -> Points:
        q = field(f"q{i}", solution)
        return solution.t[1:], np.maximum(np.abs(1 - (q * q).sum(axis=1))[1:], ROUND_OFF)

    return points


def from_orthogonality(i: int) -> Callable[[Solution], Points]:
    """Return a reader of the largest entry of |RᵀR - I| of a vehicle versus time."""

    def points(solution: Solution) -> Points:
        R = field(f"R{i}", solution).reshape(-1, 3, 3)
        off = np.abs(R.transpose(0, 2, 1) @ R - np.eye(3)).max(axis=(1, 2))
        return solution.t[1:], np.maximum(off[1:], ROUND_OFF)

    return points


def ladder(quick: bool) -> Ladder:
    """Return the ladder of errors at t = 1 s."""
    steps = tuple(2.0**-k for k in (range(7, 10) if quick else range(6, 12)))
    return Ladder(TRACKING, tuple(METHODS), steps, 1.0, REFERENCE)


def astray(i: int) -> Callable[[Solution], Points]:
    """Return a reader of the norm of the attitude error e_R of a vehicle versus time."""
    return lambda solution: (solution.t, np.linalg.norm(solution.outputs[f"attitude_error{i}"], axis=1))


def thrust(i: int) -> Callable[[Solution], Points]:
    """Return a reader of the thrust of a vehicle along its third axis versus time, in N."""
    return lambda solution: (solution.t, solution.outputs[f"thrust{i}"])


def attitude_decay(solution: Solution) -> float:
    """Return the ratio of the first component of e_R of vehicle 1 at the end of `BETWEEN` to its value at the start."""
    early, late = np.interp(BETWEEN, solution.t, solution.outputs["attitude_error1"][:, 0])
    return float(late / early)


def full_claim() -> Item:
    """Return the claim on the full model of section 6.2."""
    decay_of_law = math.exp(SLOW_ROOT * (BETWEEN[1] - BETWEEN[0]))
    steps = tuple(2.0**-k for k in (10, 11))
    study = Ladder(FULL, ("rkmk_rk44",), steps, 1.0, REFERENCE)
    runs = (("simplified", FLIGHT), ("full", FULL_FLIGHT))
    panels = [
        Panel("distance of the load from its target", "time in s", "distance in m",
              [Curve(n, run, deviation) for n, run in runs], "semilogy"),
        Panel("attitude errors", "time in s", "|e_R|",
              [Curve(f"quadrotor {i}", FULL_FLIGHT, astray(i)) for i in (1, 2)], "semilogy", y_range=(1e-12, 1)),
        Panel("thrusts", "time in s", "thrust in N", [Curve(f"quadrotor {i}", FULL_FLIGHT, thrust(i)) for i in (1, 2)]),
    ]  # fmt: skip
    return Item(
        "claim", "full-model", "confirmed", "With attitude controllers, the full model can be integrated as easily",
        "In the full model, the thrusts act along R e₃. The attitude controllers apply moments such that R follows "
        "the attitude required by the control law of the simplified model, including its time derivatives. We chose "
        "the gains 40 N m and 4 N m s, because neither the paper nor its scripts specify any. The vehicles start "
        "level. While they rotate towards the directions of their thrusts, the load deviates nearly as far as in "
        "the simplified model. It then follows the same law. The attitude errors decay according to their own law. "
        "At about 1.2 s, the thrusts are small and rotate fast: adaptive steps are a hundred times shorter than the "
        "longest ones. RKMK4 shows its order from a step size of 2⁻¹⁰ s on.",
        panels, 3,
        numbers=[
            Number("final distance from the target, simplified model", at_end(deviation), [FLIGHT], 4.5e-5, 5.5e-5,
                   "m"),
            Number("final distance from the target, full model", at_end(deviation), [FULL_FLIGHT], None, 1e-4, "m"),
            Number("largest distance in the full model / in the simplified model",
                   lambda full, simplified: largest(deviation)(full) / largest(deviation)(simplified),
                   [FULL_FLIGHT, FLIGHT], 0.9, 1.0),
            Number("attitude error of quadrotor 1 at 0.75 s / at 0.5 s, first component", attitude_decay, [FULL_FLIGHT],
                   0.98 * decay_of_law, 1.02 * decay_of_law, source="J e_Ω′ = −k_R e_R − k_Ω e_Ω"),
            Number("final attitude error |e_R|, quadrotor 1", at_end(astray(1)), [FULL_FLIGHT], None, 1e-7),
            Number("order of RKMK4", order("rkmk_rk44", "q", above=1e-11), [study], 3.7, 4.3, printed="4"),
            Number("largest entry of |RᵀR - I|, maximum over time, quadrotor 1", largest(from_orthogonality(1)),
                   [FULL_FLIGHT], None, 2 * MOST_ROUND_OFF),
        ],
    )  # fmt: skip


def _preserved(number: str, title: str, text: str, y: str, reader: Callable[[int], Callable[..., Points]]) -> Item:
    runs = (("RKMK4", FLIGHT), ("RK4, ambient space", IN_SPACE))
    panels = [
        Panel(f"quadrotor {i}", "time in s", y, [Curve(n, s, reader(i)) for n, s in runs], "semilogy") for i in (1, 2)
    ]
    numbers = [
        Number(f"{y}, maximum over time, RKMK4, quadrotor {i}", largest(reader(i)), [FLIGHT], None, MOST_ROUND_OFF)
        for i in (1, 2)
    ]
    numbers += [
        Number(f"{y}, maximum over time, RK4 in the ambient space, quadrotor {i}", largest(reader(i)), [IN_SPACE], 1e-9)
        for i in (1, 2)
    ]
    return Item("figure", number, "reproduced", title, text, panels, numbers=numbers)


def figures(quick: bool) -> list[Item]:
    """Return figures 12 to 18."""
    study = ladder(quick)
    times = (0.0, 1.0, 2.5, 5.0)
    orders = Panel(
        "errors at 1 s", "step size in s", "error of the state",
        [Curve(n, study, error(m, "q"), marked=True) for m, (n, _) in METHODS.items()],
        "loglog", [p for _, p in METHODS.values()],
    )  # fmt: skip
    snapshots = Panel(
        "rods at four times", "x in m", "y in m",
        [Curve("load", FLIGHT, path(None)), *(Curve(f"t = {t:g} s", FLIGHT, rods(t)) for t in times)],
        "space", z="height in m",
    )  # fmt: skip
    paths = Panel(
        "paths", "x in m", "y in m",
        [Curve("load", FLIGHT, path(None)), *(Curve(f"quadrotor {i + 1}", FLIGHT, path(i)) for i in range(2))],
        "space", z="height in m",
    )  # fmt: skip
    components = [
        Panel(f"{('x', 'y', 'z')[k]} component", "time in s", f"position {('', '', 'downwards ')[k]}in m",
              [Curve("load", FLIGHT, load(k)), Curve("target", FLIGHT, wanted(k))])
        for k in range(3)
    ]  # fmt: skip
    text = (
        "The paper prints no parameters. The parameters, the target curve and the gains are those that the authors "
        "published with the cited control law. e₃ points downwards, in agreement with the potential energy of the "
        "paper; its text defines the opposite direction. As in the simplified model of the paper, the moments are "
        "constant, and the thrusts do not follow the attitudes."
    )
    return [
        Item("figure", "12", "schematic", "two quadrotors with their load",
             "The drawing defines the axes and the vectors q."),
        Item(
            "figure", "13", "reproduced", "orders of four methods on two quadrotors", text, [orders],
            numbers=[
                Number(f"order of {n}", order(m, "q", above=1e-11), [study], p - 0.2, p + 0.2, printed=f"{p}")
                for m, (n, p) in METHODS.items()
            ] + [
                Number("position error of the load at 1 s in the reference run", distance_to_known,
                       [Course(TRACKING, 1.0, *REFERENCE)], None, 1e-12, "m", source="two integrators with 113 bits"),
            ],
        ),
        Item(
            "figure", "14", "reproduced", "snapshots of the transport, 0 ≤ t ≤ 5 s", text, [snapshots, paths],
            numbers=[Number("initial distance from the target", lambda s: float(deviation(s)[1][0]), [FLIGHT],
                            0.9005, 0.9025, "m",
                            source="the data: √(0.5² + 0.75²) m")],
        ),
        Item(
            "figure", "15", "reproduced", "position of the load and its target", text, components, 3,
            numbers=[Number("final distance from the target", at_end(deviation), [FLIGHT], 4.5e-5, 5.5e-5, "m",
                            source="an independent prototype in NumPy, 5.1e-5 m")],
        ),
        Item(
            "figure", "16", "reproduced", "distance of the load from its target",
            f"{text} Once the rods have reached their directions, the error e of the load satisfies e″ + 5 e′ + 12 e "
            "= 0 and changes sign after each half period.",
            [Panel("distance", "time in s", "distance in m", [Curve("RKMK4", FLIGHT, deviation)], "semilogy")],
            numbers=[Number("final distance / distance half a period earlier", decay, [FLIGHT],
                            (1 - SETTLED) * DECAY, (1 + SETTLED) * DECAY, source="the law of the error")],
        ),
        _preserved(
            "17", "orthogonality of the attitudes R",
            "The caption is missing in our copy of the paper. Between the deviation of the load and the norms of q, "
            "the remaining invariant is RᵀR = I. The orthogonality error is the largest entry of |RᵀR - I|. The "
            "moments are constant, so that the vehicles rotate faster and faster.",
            "orthogonality error of R", from_orthogonality,
        ),
        _preserved(
            "18", "preservation of the norms of q₁ and q₂",
            "The method on the manifold preserves the norms to round-off. A method of the same order in the ambient "
            "space does not.",
            "|1 - q·q|", from_unity,
        ),
    ]  # fmt: skip
