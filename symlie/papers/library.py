"""Papers by name, and their items by kind and number."""

from __future__ import annotations

from collections.abc import Sequence

from symlie.errors import UnknownNameError
from symlie.papers.items import Item, Paper


def papers() -> dict[str, Paper]:
    """Return all papers by short name."""
    from symlie.papers import tumiotto2024a
    from symlie.papers.celledoni2022 import paper as celledoni2022
    from symlie.papers.hante2022 import paper as hante2022
    from symlie.papers.holzinger2024 import paper as holzinger2024
    from symlie.papers.tumiotto2024 import paper as tumiotto2024

    modules = (tumiotto2024, tumiotto2024a, hante2022, holzinger2024, celledoni2022)
    return {module.PAPER.name: module.PAPER for module in modules}


def paper_of(name: str) -> Paper:
    """Return a paper by its short name."""
    found = papers()
    if name not in found:
        raise UnknownNameError(f"Unknown paper '{name}'; the papers are {', '.join(found)}.")
    return found[name]


def item_of(paper: Paper, items: Sequence[Item], kind: str, number: str) -> Item:
    """Return an item of a paper by kind and number."""
    numbers = [item.number for item in items if item.kind == kind]
    if number in numbers:
        return next(item for item in items if (item.kind, item.number) == (kind, number))
    known = f"{kind}s {', '.join(numbers)} are available" if numbers else f"none of its {kind}s is available"
    raise UnknownNameError(f"Unknown {kind} {number} of {paper.name}; {known}.")
