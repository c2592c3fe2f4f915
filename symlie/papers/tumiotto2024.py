"""Items of [Tumiotto2024]: half-explicit methods on the heavy top and on two rods."""

from __future__ import annotations

from collections.abc import Sequence

from symlie.papers.items import Curve, Item, Number, Panel, Paper
from symlie.papers.measures import largest_residual, residuals
from symlie.papers.studies import Case, Course

ORDERS = (2, 3, 4, 5)
METHODS = tuple(f"half_explicit_{p}" for p in ORDERS)

GROUPS = {
    "SO3xR3": "SO(3) × R³",
    "SE3": "SE(3)",
    "S3xR3": "S³ × R³",
    "S3sR3": "S³ ⋉ R³",
}
TOPS = {group: Case("heavy_top", (("group", group),)) for group in GROUPS}

STEP = 2.0**-11
"""Step of the figures of drift, in s."""


def drift(group: str, p: int, quick: bool) -> Course:
    """The run of a group and an order whose residuals figures 3 and 6 show."""
    return Course(TOPS[group], 2.0 if quick else 10.0, f"half_explicit_{p}", STEP)


def drift_panel(group: str, quick: bool) -> Panel:
    """Residuals over time, of four orders."""
    curves = [Curve(f"order {p}", drift(group, p, quick), residuals) for p in ORDERS]
    return Panel(GROUPS[group], "time in s", "largest |Φ| in m", curves, "semilogy")


DIRECT = {2: 3.23e-4, 3: 8.51e-7, 4: 1.71e-8, 5: 1.08e-11}
"""Largest residuals on the direct products with this step, in m, from an independent prototype."""


def drift_numbers(direct: str, semidirect: str, quick: bool) -> Sequence[Number]:
    """Largest residuals, and how much they grow."""
    at = "largest residual"
    source = "an independent prototype in NumPy"
    on_direct = [
        Number(f"{at} on {GROUPS[direct]}, order {p}", largest_residual(), [drift(direct, p, quick)],
               0.98 * DIRECT[p], 1.02 * DIRECT[p], "m", source=source)
        for p in ORDERS
    ]  # fmt: skip
    on_semidirect = [
        Number(f"{at} on {GROUPS[semidirect]}, order {p}", largest_residual(), [drift(semidirect, p, quick)],
               None, 1e-12 if p > 3 else (2.1e-4 if p == 2 else 3e-7), "m", source=source)
        for p in ORDERS
    ]  # fmt: skip
    return [*on_direct, *on_semidirect]


def drift_figure(number: str, direct: str, semidirect: str, text: str, quick: bool) -> Item:
    """Figures 3 and 6."""
    return Item(
        "figure",
        number,
        "reproduced" if number == "3" else "corrected",
        f"residual of the position constraint, {GROUPS[direct]} and {GROUPS[semidirect]}",
        text,
        [drift_panel(direct, quick), drift_panel(semidirect, quick)],
        numbers=drift_numbers(direct, semidirect, quick),
    )


def items(quick: bool) -> Sequence[Item]:
    """All items."""
    return [
        drift_figure(
            "3", "SO3xR3", "SE3",
            "The heavy top with h = 2⁻¹¹ s, a step that the paper leaves open. On the direct product the residual is "
            "of the order of the method; for this fast top it oscillates with the spin and hardly grows. On SE(3) the "
            "methods of order 4 and 5 stay at round-off; those of order 2 and 3 do not, because their λ is not the "
            "exact multiplier of the next step.", quick,
        ),
        drift_figure(
            "6", "S3xR3", "S3sR3",
            "As figure 3 with unit quaternions; the caption names the direct product twice, and the second panel is of "
            "the semidirect one. The residuals are those of rotation matrices, since the local coordinates are the "
            "same; |p| drifts by round-off.", quick,
        ),
    ]  # fmt: skip


PAPER = Paper(
    "tumiotto2024",
    "Tumiotto2024",
    "D. Tumiotto, M. Arnold: Local coordinates on Lie groups for half-explicit time integration of Cosserat-rod models "
    "with constraints. Multibody Syst. Dyn., 2024",
    "10.1007/s11044-024-10002-8",
    items,
)
