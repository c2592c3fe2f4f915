"""Items of [Celledoni2022]: a survey of Lie group integrators."""

from __future__ import annotations

from collections.abc import Sequence

from symlie.papers.celledoni2022 import chains, quadrotors, steps, tops, work
from symlie.papers.items import Item, Paper


def items(quick: bool) -> Sequence[Item]:
    """Return all items."""
    return [
        *tops.figures(quick),
        *chains.figures(quick),
        *steps.figures(quick),
        *quadrotors.figures(quick),
        chains.truncation(),
        *steps.claims(),
        quadrotors.full_claim(),
        work.exponentials_claim(quick),
    ]


PAPER = Paper(
    "celledoni2022",
    "Celledoni2022",
    "E. Celledoni, E. Çokaj, A. Leone, D. Murari, B. Owren: Lie group integrators for mechanical systems. Int. "
    "J. Comput. Math. 99(1), 58–88, 2022",
    "10.1080/00207160.2021.1966772",
    items,
    "RKMK denotes Runge–Kutta–Munthe-Kaas methods; RKMK(5,4) uses the pair of Dormand and Prince. Methods in the "
    "ambient space integrate the stored components without regard to the manifold.",
)
