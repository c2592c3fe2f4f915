"""Covering designs: with ``--covering``, quick tests with several factors run cases with each value of each factor.

A factor is the list of one ``parametrize`` decorator or fixture. The choice depends on the commit, so that other
combinations follow with other commits. Nightly runs take all combinations.
"""

from __future__ import annotations

import random
import subprocess
from collections import defaultdict
from collections.abc import Hashable, Iterable
from pathlib import Path

import pytest


def commit() -> str:
    """Return the hash of the commit, empty outside of a repository."""
    command = ["git", "rev-parse", "HEAD"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parent, check=False)
    except OSError:
        return ""
    return found.stdout.strip()


def levels(item: pytest.Item) -> frozenset[tuple[Hashable, ...]]:
    """Return the value of each factor of a case, with the names of its parameters."""
    params = dict(getattr(getattr(item, "callspec", None), "params", {}))
    factors: list[tuple[str, ...]] = []
    for mark in item.iter_markers("parametrize"):
        names = mark.args[0]
        factors.append(tuple(n.strip() for n in names.split(",")) if isinstance(names, str) else tuple(names))
    known = {name for factor in factors for name in factor}
    factors += [(name,) for name in params if name not in known]
    return frozenset((factor, tuple(_key(params[n]) for n in factor if n in params)) for factor in factors)


def _key(value: object) -> Hashable:
    return value if isinstance(value, str | int | float | bool | None) else id(value)


def chosen(items: Iterable[pytest.Item], seed: str) -> set[pytest.Item]:
    """Return cases in which each value of each factor of their functions occurs."""
    functions: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        functions[item.nodeid.partition("[")[0]].append(item)
    return {item for name, cases in functions.items() for item in _cover(cases, random.Random(f"{seed} {name}"))}


def _cover(cases: list[pytest.Item], source: random.Random) -> list[pytest.Item]:
    """Return few cases with all values, each time the one with the most that are missing."""
    known = {case: levels(case) for case in cases}
    shuffled = source.sample(cases, len(cases))
    missing = frozenset().union(*known.values())
    if not missing:
        return cases
    taken = []
    while missing:
        best = max(shuffled, key=lambda case: len(known[case] & missing))
        taken.append(best)
        missing -= known[best]
    return taken
