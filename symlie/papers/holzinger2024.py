"""Items of [Holzinger2024]: an evaluation of Lie group methods."""

from __future__ import annotations

from collections.abc import Sequence

from symlie.papers.items import Item, Paper


def items(quick: bool) -> Sequence[Item]:
    """All items."""
    return []


PAPER = Paper(
    "holzinger2024",
    "Holzinger2024",
    "S. Holzinger, M. Arnold, J. Gerstmayr: Evaluation and implementation of Lie group integration methods for "
    "rigid multibody systems. Multibody Syst. Dyn., 2024",
    "10.1007/s11044-024-09970-8",
    items,
)
