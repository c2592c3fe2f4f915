"""Items of [Hante2022]: a variational integrator for rods."""

from __future__ import annotations

from collections.abc import Sequence

from symlie.papers.items import Item, Paper


def items(quick: bool) -> Sequence[Item]:
    """All items."""
    return []


PAPER = Paper(
    "hante2022",
    "Hante2022",
    "S. Hante, D. Tumiotto, M. Arnold: A Lie group variational integration approach to the full discretization "
    "of a constrained geometrically exact Cosserat beam model. Multibody Syst. Dyn. 54, 97–123, 2022",
    "10.1007/s11044-021-09807-8",
    items,
)
