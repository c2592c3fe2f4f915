"""Items of [Tumiotto2024b]: an extended abstract on the drift of half-explicit methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symlie.papers.items import Curve, Item, Number, Panel, Paper
from symlie.papers.measures import (
    error,
    largest_residual,
    largest_step,
    order,
    order_of_residuals,
    reduction,
    residual_at,
    residuals,
)
from symlie.papers.studies import Case, Course, Ladder
from symlie.papers.tumiotto2024.rods import ATOL, FINEST, ROLL_UP, RTOL, ladder
from symlie.papers.tumiotto2024.tops import METHODS, ORDERS, SLOW, TOPS
from symlie.runtime.solution.solution import Solution

LABELS = {
    "q": ("q", "largest error of q of a node"),
    "v": ("v", "error of v"),
    "multipliers": ("λ", "relative error of λ"),
}
LEAST_OF_Q, MOST_OF_Q = (1.65, 2.65, 3.65, 4.65), (2.35, 3.35, 4.35, 5.6)
LEAST_OF_MULTIPLIERS = {"S3sR3": (0.9, 1.9, 2.9, 3.9), "S3xR3": (0.9, 1.9, 2.85, 3.9)}
MOST_OF_MULTIPLIERS = {"S3sR3": (1.1, 2.3, 4.3, 5.6), "S3xR3": (1.1, 2.3, 3.15, 5.6)}
"""Bounds of the order observed between the two finest steps, by method; for order 4 on S³ × R³ the order of λ is 3 ±
0.15."""
CLEAR = {"q": 1e-12, "multipliers": 1e-10}
"""Errors below which round-off dominates and no order is visible."""

ROD_STEP = 2.0**-10
"""Step size at which the residuals of the rod are compared with the printed value, in s."""


def on(case: Case, group: str) -> Case:
    """Return a rod on a group; S³ ⋉ R³ is the default of the models."""
    return case if group == "S3sR3" else replace(case, options=(*case.options, ("group", group)))


GROUPS = {"S3sR3": "S³ ⋉ R³", "S3xR3": "S³ × R³"}
"""Groups of the model of the cited paper and of the abstract."""


def orders_figure(quick: bool) -> Item:
    """Return figure 1."""
    panels, numbers = [], []
    for group, group_name in GROUPS.items():
        study = ladder(on(ROLL_UP, group), quick)
        fine = Ladder(study.case, METHODS[:1], (2.0**-14, 2.0**-15), study.t_end, study.reference)
        panels += [
            Panel(
                f"{group_name}, error of {name}", "step size in s", label,
                [Curve(f"order {p}", study, error(m, part), marked=True) for p, m in zip(ORDERS, METHODS, strict=True)],
                "loglog", ORDERS,
            )
            for part, (name, label) in LABELS.items()
        ]  # fmt: skip
        numbers += [
            Number(
                f"order of {LABELS[part][0]}, method of order {p}, {group_name}",
                order(m, part, above=CLEAR[part]),
                [fine if p == 2 else study],
                low,
                high,
            )
            for part, least, most in (
                ("q", LEAST_OF_Q, MOST_OF_Q),
                ("multipliers", LEAST_OF_MULTIPLIERS[group], MOST_OF_MULTIPLIERS[group]),
            )
            for p, m, low, high in zip(ORDERS, METHODS, least, most, strict=True)
        ]
    return Item(
        "figure", "1", "corrected", "orders on the roll-up manoeuvre",
        "The runs have 8 segments and end after 0.5 s. The abstract does not specify these data. It names the "
        "direct product of S³ and R³, but the model of the cited paper has the semidirect product. The figure shows "
        "both. q and v converge with the order of the method. The order of λ is smaller by one for the methods of "
        "order 2 and 3, and on the direct product also for order 4. The orders of the method of order 2 are "
        "observed at the step sizes 2⁻¹⁴ s and 2⁻¹⁵ s, because λ approaches its order slowly.",
        panels, 3, numbers=numbers,
    )  # fmt: skip


TOPS_OF_FIGURE = {
    "fast top": (TOPS["SO3xR3"], 10.0, (9, 10, 11)),
    "slow top": (
        Case("heavy_top", (("group", "SO3xR3"),), initial=(("top", "Omega", (0.0, 1.5, -0.0461538)),)),
        40.0,
        (5, 6, 7),
    ),
}
"""Tops of figure 2, with their end times in s and the exponents k of the step sizes 2⁻ᵏ s."""

ALPHA = 2
WAYS = {"none": "α = 0", f"baumgarte:{ALPHA}": f"α = {ALPHA}/s"}
RANGES = {"fast top": (2e-12, 5e-8), "slow top": (1e-13, 3e-6)}
"""Ranges of the plotted residuals, in m."""
LEAST_FACTOR, MOST_FACTOR = {"fast top": 1.1, "slow top": 18.0}, {"fast top": 1.4, "slow top": 50.0}
"""Bounds of the factors by which Baumgarte stabilisation reduces the largest residual."""


def run(top: str, k: int, way: str) -> Course:
    """Return the run of a top with a step size and a stabilisation."""
    case, end, _ = TOPS_OF_FIGURE[top]
    return Course(case, end, h=2.0**-k, stabilize=way)


def stabilisation_figure() -> Item:
    """Return figure 2."""
    panels = [
        Panel(
            f"{top}, {label}", "time in s", "largest |Φ| in m",
            [Curve(f"step {k + 1}", run(top, power, way), residuals) for k, power in enumerate(powers)], "semilogy",
            x_range=(0, end), y_range=RANGES[top],
        )
        for top, (_, end, powers) in TOPS_OF_FIGURE.items()
        for way, label in WAYS.items()
    ]  # fmt: skip
    numbers = [
        Number(
            f"largest residual without / with Baumgarte's term, {top}, h = {2.0**-k:.3g} s",
            reduction,
            [run(top, k, way) for way in WAYS],
            LEAST_FACTOR[top],
            MOST_FACTOR[top],
            printed="30",
        )
        for top, (_, _, powers) in TOPS_OF_FIGURE.items()
        for k in powers
    ]
    kept = [
        Number(f"largest residual with projection, {top}", largest_residual(), [run(top, powers[1], "projection")],
               None, 1e-15, "m")
        for top, (_, _, powers) in TOPS_OF_FIGURE.items()
    ]  # fmt: skip
    return Item(
        "figure", "2", "corrected", "residuals with and without Baumgarte's term",
        "The runs use the method of order 5 on SO(3) × R³, with B v + α Φ = 0 in the stages and α = 2/s. Steps 1, 2 "
        "and 3 are 2⁻⁹, 2⁻¹⁰ and 2⁻¹¹ s on the fast top, and 2⁻⁵, 2⁻⁶ and 2⁻⁷ s on the slow one. Baumgarte's term "
        "removes the accumulated residual but not the residual of each revolution. The factor of 30 in the abstract "
        "holds for a slow top. The reduction is small on the benchmark, where the oscillation with the spin "
        "dominates.",
        panels, numbers=[*numbers, *kept],
    )  # fmt: skip


ALPHAS = (0, 2, 10, 50, 200)
"""Coefficients of Baumgarte stabilisation, in 1/s."""
TRIED = (4e-3, 5e-3, 6e-3, 7e-3, 8e-3, 9e-3)
"""Step sizes of the damped rod below and above its stability limit, in s."""


def stable(alpha: int, quick: bool) -> Ladder:
    """Return the ladder of the roll-up with step sizes near the stability limit."""
    steps = TRIED[2:5] if quick else TRIED
    way = f"baumgarte:{alpha}" if alpha else "none"
    return Ladder(ROLL_UP, ("half_explicit_5",), steps, 2.0, FINEST, stabilize=way)


def rolled(group: str) -> Course:
    """Return the run of the roll-up until it is at rest, on a group."""
    return Course(on(ROLL_UP, group), 20.0, rtol=RTOL, atol=ATOL)


FLYING = Case("flying_spaghetti", (("constraint", "kirchhoff"), ("segments", 8)))


def drifting(case: Case, group: str, k: int) -> Course:
    """Return a run of a rod with fixed steps of a method of order 3, whose residuals exceed round-off."""
    t_end = 2.0 if case is ROLL_UP else 5.0
    return Course(on(case, group), t_end, "half_explicit_3", 2.0**-k, record_every=8)


def direct_product_claim() -> Item:
    """Return the claim on the residuals of the rod, for which the abstract names the direct product."""
    rods = {"roll-up": ROLL_UP, "flying spaghetti": FLYING}
    panels = [
        Panel(
            f"{name}, method of order 3", "time in s", "largest |Φ| in m",
            [Curve(label, drifting(case, group, 10), residuals) for group, label in GROUPS.items()], "semilogy",
        )
        for name, case in rods.items()
    ]  # fmt: skip
    numbers = [
        Number(f"largest residual over 20 s, {label}", largest_residual(), [rolled(group)], low, high, "m", "1e-11")
        for (group, label), (low, high) in zip(GROUPS.items(), ((None, 2e-11), (2e-11, 2e-10)), strict=True)
    ]
    for name, case in rods.items():
        pair = [drifting(case, group, 10) for group in ("S3xR3", "S3sR3")]
        numbers.append(Number(f"{name}, method of order 3: residual on S³ × R³ / on S³ ⋉ R³", reduction, pair, 5, 20))
        numbers += [
            Number(f"order of the residual, {name}, method of order 3, {label}", order_of_residuals,
                   [drifting(case, group, k) for k in (10, 11)], 3.0, 4.3)
            for group, label in GROUPS.items()
        ]  # fmt: skip
    return Item(
        "claim", "direct-product", "refuted", "On S³ × R³ the residuals of the rod are about 1e-11, without drift",
        "The abstract names the direct product. With the tolerances of the cited paper, the residuals are about "
        "1e-11 on the semidirect product, and six times as large on the direct product. There, the strains are Rᵀ "
        "x', and positions and rotations are integrated separately. With fixed steps of 2⁻¹⁰ s, as in the figure, "
        "the factor is about 12. Neither group is free of drift: the residuals accumulate while the rod moves and "
        "stay constant when it is at rest. They decrease with a power of the step size that exceeds the order of "
        "the method.",
        panels, numbers=numbers,
    )  # fmt: skip


SAME_END = 1e-9
"""Bound of the relative difference of two runs whose steps differ only by round-off."""


def difference_of_ends(one: Solution, other: Solution) -> float:
    """Return the relative difference of the final distance between the ends."""
    return float(one.outputs["tip_distance"][-1] / other.outputs["tip_distance"][-1]) - 1


def claims(quick: bool) -> Sequence[Item]:
    """Return the claims."""
    slow = Course(SLOW, 40.0, h=2.0**-6)
    return [
        Item(
            "claim", "rod-residuals", "confirmed", "Residuals of the position constraints on the rod are about 1e-11",
            "The roll-up was run for 20 s with the tolerances of the cited paper on S³ ⋉ R³ and on SE(3), and for "
            "0.5 s with a fixed step size on S³ ⋉ R³. The distance between the ends at 20 s is the same on both "
            "groups.",
            numbers=[
                Number(
                    f"largest residual over 20 s, {name}", largest_residual(), [rolled(group)], None, 5e-11, "m",
                    printed="1e-11",
                )
                for group, name in (("S3sR3", "S³ ⋉ R³"), ("SE3", "SE(3)"))
            ]
            + [
                Number("relative difference of the final distance between the ends, S³ ⋉ R³ and SE(3)",
                       difference_of_ends,
                       [rolled("S3sR3"), rolled("SE3")], -SAME_END, SAME_END),
                Number("largest residual over 0.5 s, method of order 5, h = 2⁻¹⁰ s",
                       residual_at("half_explicit_5", ROD_STEP),
                       [ladder(ROLL_UP, quick)], None, 2e-11, "m", printed="1e-11"),
            ],
        ),
        direct_product_claim(),
        Item(
            "claim", "stiffness", "confirmed", "Baumgarte's term adds no artificial stiffness",
            "Several step sizes were tested for the damped rod. The largest one with which it stays stable for 2 s "
            "is the same for all α.",
            numbers=[
                Number(f"largest stable step size, α = {alpha}/s", largest_step("half_explicit_5"),
                       [stable(alpha, quick)],
                       7e-3, 7e-3, "s")
                for alpha in ALPHAS
            ],
        ),
        Item(
            "claim", "drift", "confirmed", "On SO(3) × R³ the residual has the order of the method, 5",
            "The residuals are those of the fast top of the benchmark and of a slow top, which drifts.",
            numbers=[
                Number("order of the largest residual, fast top",
                       order_of_residuals, [run("fast top", k, "none") for k in (10, 11)], 4.8, 5.2),
                Number("largest residual after 40 s, slow top", largest_residual(), [slow], 1e-7, None, "m"),
            ],
        ),
    ]  # fmt: skip


def items(quick: bool) -> Sequence[Item]:
    """Return all items."""
    return [orders_figure(quick), stabilisation_figure(), *claims(quick)]


PAPER = Paper(
    "tumiotto2024a",
    "Tumiotto2024b",
    "D. Tumiotto, M. Arnold: Half-explicit Runge-Kutta Lie group integrators for flexible multibody systems, extended "
    "abstract. EasyChair preprint, 2024",
    "",
    items,
)
