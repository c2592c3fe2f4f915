"""Items of [Tumiotto2024b]: an abstract on the drift of half-explicit methods."""

from __future__ import annotations

from collections.abc import Sequence

from symlie.papers.items import Item, Paper


def items(quick: bool) -> Sequence[Item]:
    """All items."""
    return []


PAPER = Paper(
    "tumiotto2024a",
    "Tumiotto2024b",
    "D. Tumiotto, M. Arnold: Half-explicit Runge-Kutta Lie group integrators for flexible multibody systems, "
    "extended abstract. EasyChair preprint, 2024",
    "",
    items,
)
