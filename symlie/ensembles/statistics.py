"""Running statistics over members: of numbers, and of nodes on groups about a reference.

Welford's recurrence adds numbers in the order of members, independent of chunks, so statistics are bitwise reproducible
for any schedule. Source: [Welford1962].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np

from symlie.ensembles.group_statistics import GroupSums
from symlie.ensembles.quantities import Recorded
from symlie.ensembles.results import MemberResults
from symlie.errors import ModelError, UnknownNameError
from symlie.options import Statistic
from symlie.runtime.layout.layout import Array, Layout

STATISTICS = get_args(Statistic)
"""Statistics that can replace the values of members."""


def check_statistics(
    layout: Layout, names: Sequence[Statistic], wanted: Sequence[Recorded], *, has_reference: bool
) -> dict[str, str]:
    """Validate statistics, and return the quantities on groups, which need a reference, with their nodes."""
    for name in names:
        if name not in STATISTICS:
            raise UnknownNameError(f"Unknown statistic '{name}'; use some of: {', '.join(STATISTICS)}.")
    found: dict[str, str] = {}
    recorded = {quantity.name for quantity in wanted}
    for quantity in wanted:
        node, field = quantity.node, quantity.field
        if quantity.output in layout.node_outputs:
            part, stated, _ = layout.node_outputs[quantity.output]
            node, field = part.name, stated.name
        kinds = [n.type for n in layout.nodes if n.name == node]
        stored = [f for kind in kinds for f in kind.storage_fields]
        if not any(f.name == field and np.any(kind.identity[f.part]) for kind in kinds for f in kind.storage_fields):
            continue
        if not has_reference or not recorded.issuperset(f"{node}.{f.name}" for f in stored) or quantity.output:
            raise ModelError(
                f"'{quantity.name}' is on a group, where the mean of the components is not an element; record "
                f"'{node}' as a whole, and give a reference= for its statistics, or take result.on_group without "
                "statistics."
            )
        found[quantity.name] = node
    return found


class RunningStatistics:
    """Sums over members that arrive in any order."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], groups: Sequence[GroupSums] = (), first: int = 0) -> None:
        self._next, self._groups = first, groups
        self._waiting: dict[int, MemberResults] = {}
        self._count = {name: np.zeros(shape) for name, shape in shapes.items()}
        self._mean = {name: np.zeros(shape) for name, shape in shapes.items()}
        self._squares = {name: np.zeros(shape) for name, shape in shapes.items()}
        self._least = {name: np.full(shape, np.inf) for name, shape in shapes.items()}
        self._most = {name: np.full(shape, -np.inf) for name, shape in shapes.items()}

    def add(self, found: MemberResults) -> None:
        """Add members of a chunk as soon as all previous members are available."""
        if len(found):
            self._waiting[int(found.members[0])] = found
        while self._next in self._waiting:
            part = self._waiting.pop(self._next)
            for row in range(len(part)):
                for name in self._count:
                    self._add(name, part.values[name][row])
            for group in self._groups:
                group.add(part.values, self._next)
            self._next += len(part)

    def _add(self, name: str, value: Array) -> None:
        here = np.isfinite(value)
        count, mean = self._count[name], self._mean[name]
        count += here
        delta = np.where(here, value - mean, 0.0)
        mean += delta / np.maximum(count, 1)
        self._squares[name] += np.where(here, delta * (value - mean), 0.0)
        np.fmin(self._least[name], value, out=self._least[name])
        np.fmax(self._most[name], value, out=self._most[name])

    def values(self, names: Sequence[str]) -> dict[str, dict[str, Array]]:
        """Return the requested statistics by quantity, and ``"count"``, the number of members that
        reached each time."""
        found = {}
        for quantity, count in self._count.items():
            with np.errstate(all="ignore"):
                known = {
                    "mean": self._mean[quantity],
                    "std": np.sqrt(self._squares[quantity] / (count - 1)),
                    "min": self._least[quantity],
                    "max": self._most[quantity],
                }
            missing = {"mean": count < 1, "std": count < 2, "min": count < 1, "max": count < 1}
            found[quantity] = {name: np.where(missing[name], np.nan, known[name]) for name in names}
            found[quantity]["count"] = count
        return found
