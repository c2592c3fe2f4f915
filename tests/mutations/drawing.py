"""Numbered mutations of both trees, the package and its templates."""

from __future__ import annotations

import functools
import random
from pathlib import Path

from tests.mutations.mutation import Mutation
from tests.mutations.python_mutations import python_mutations
from tests.mutations.template_mutations import template_mutations

EXCLUDED = (
    "symlie/typeset/",
    "symlie/view/",
    "symlie/runtime/plot/",
    "symlie/papers/",
    "symlie/version.py",
    "symlie/utilities/paths.py",
    "symlie/utilities/progress_bar.py",
    "symlie/utilities/showing.py",
    "templates/viewer/",
    "templates/new/",
    "templates/fmi/",
    "templates/c/export/README.md.jinja",
    "templates/operators/README.md.jinja",
    "templates/equations.md.jinja",
    "templates/continuum.md.jinja",
)
"""Code without mutations: typeset text, figures and views, figures and tables of papers, start files for users, and
functional mock-up units, whose tests are not quick."""

_SEED = 20


def is_included(path: str) -> bool:
    """Return whether a file has mutations."""
    return path.endswith((".py", ".h", ".c", ".jinja")) and not path.startswith(EXCLUDED)


def mutations_of(path: str, source: bytes) -> list[Mutation]:
    """Return all mutations of a file."""
    return python_mutations(path, source) if path.endswith(".py") else template_mutations(path, source)


@functools.cache
def candidates(root: Path) -> dict[tuple[str, str], list[Mutation]]:
    """Return the mutations of all files, shuffled, by tree and kind."""
    found: dict[tuple[str, str], list[Mutation]] = {}
    for tree in ("symlie", "templates"):
        paths = (p.relative_to(root).as_posix() for p in (root / tree).rglob("*") if p.is_file())
        for path in sorted(filter(is_included, paths)):
            for mutation in mutations_of(path, (root / path).read_bytes()):
                found.setdefault((tree, mutation.kind), []).append(mutation)
    for key in found:
        random.Random(f"{_SEED} {key}").shuffle(found[key])
    return dict(sorted(found.items()))


def mutation(root: Path, number: int) -> Mutation:
    """Return a mutation by number: trees alternate, then kinds."""
    known = candidates(root)
    tree = ("symlie", "templates")[number % 2]
    kinds = [key for key in known if key[0] == tree]
    rank, position = divmod(number // 2, len(kinds))
    mutations = known[kinds[position]]
    return mutations[rank % len(mutations)]
