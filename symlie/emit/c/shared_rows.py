"""Coefficient arrays shared by the jets of a type in the batched (SIMD) layout.

Equal factors of several jets share one column, which the first jet writes. Sums of jets evaluated at the same order are
computed in one pass over the arrays, so memory is read once, and common products are summed once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symlie.contract.set_table import JetLayout

_IN_TURN = ("rate", "hidden", "force", "index1", "field", "event", "dependent")
"""Jets in evaluation order; a shared column belongs to the first and is complete when others sum it."""

_ALONE = ("rate", "hidden", "dependent")
"""Jets evaluated at a different order or for node types; their sums are computed on demand."""


@dataclass(frozen=True)
class SharedSums:
    """Products whose sums are computed together."""

    name: str
    """Name in C."""
    begin: int
    """Offset in the registers of a block: sums, followed by partial sums of the next order."""
    products: tuple[tuple[int, int], ...]
    """Columns of the two factors of each product."""


@dataclass(frozen=True)
class JetColumns:
    """Columns of the factors and sums of a jet."""

    rows: str
    """Name of the arrays."""
    put: tuple[tuple[int, int], ...]
    """Factors written by the jet, with their columns."""
    ended: tuple[tuple[int, int, bool], ...]
    """Factors completed later: index from the first of them, column, and whether a partial value exists."""
    sums: SharedSums
    """Sums that contain the products of the jet."""
    places: tuple[int, ...]
    """Indices of its products in these sums."""
    alone: bool
    """True if the sums are computed on demand."""


@dataclass(frozen=True)
class SharedRows:
    """Arrays of a type: columns for each order, preceded by the registers of all sums."""

    name: str
    count: str
    """C expression for the number of nodes or elements."""
    columns: int
    sums: tuple[SharedSums, ...]
    jets: dict[str, JetColumns]

    @property
    def sizes_of_sums(self) -> int:
        """Number of registers of a block before its arrays."""
        return sum(2 * len(s.products) for s in self.sums)

    @property
    def together(self) -> SharedSums | None:
        """Sums of all jets that are evaluated together."""
        return next((s for s in self.sums if s.name.endswith("_orders") and s.products), None)


def shared_rows(owner: str, jets: Sequence[JetLayout], count: str) -> SharedRows:
    """Return the arrays of a type."""
    kinds = {jet.name.removeprefix(f"{owner}_").removesuffix("_jet"): jet for jet in jets if jet.side_by_side}
    called = f"{owner}_rate" if "rate" in kinds else owner
    found = {kind: kinds[kind] for kind in _IN_TURN if kind in kinds}
    columns: dict[str, int] = {}
    first: dict[str, str] = {}
    for kind in found:
        for name in found[kind].names:
            columns.setdefault(name, len(columns))
            first.setdefault(name, kind)
    groups: dict[str, list[tuple[int, int]]] = {}
    places: dict[str, tuple[int, ...]] = {}
    for kind, jet in found.items():
        products, of_factors = groups.setdefault(_group(kind), []), [columns[name] for name in found[kind].names]
        places[kind] = tuple(_place(products, of_factors[a], of_factors[b]) for a, b in jet.products)
    sums = dict(_placed(called, groups))
    return SharedRows(
        called,
        count,
        len(columns),
        tuple(sums.values()),
        {
            jet.name: JetColumns(
                called,
                *_owned(jet, {k: columns[name] for k, name in enumerate(found[kind].names) if first[name] == kind}),
                sums[_group(kind)],
                places[kind],
                kind in _ALONE,
            )
            for kind, jet in found.items()
        },
    )


def _group(kind: str) -> str:
    """Return the group of sums to which a jet belongs."""
    return kind if kind in _ALONE else "orders"


def _place(products: list[tuple[int, int]], left: int, right: int) -> int:
    """Return the index of a product in a list, appended if it is new."""
    if (right, left) in products:
        return products.index((right, left))
    if (left, right) not in products:
        products.append((left, right))
    return products.index((left, right))


def _placed(owner: str, groups: dict[str, list[tuple[int, int]]]) -> Iterator[tuple[str, SharedSums]]:
    begin = 0
    for name, products in groups.items():
        yield name, SharedSums(f"{owner}_{name}", begin, tuple(products))
        begin += 2 * len(products)


def _owned(
    jet: JetLayout, own: dict[int, int]
) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int, bool], ...]]:
    """Return the factors that a jet computes, and the subset that it completes later."""
    late, new = jet.factors - jet.late, jet.factors - jet.new
    put = tuple((k, column) for k, column in own.items() if k < new)
    return put, tuple((k - late, column, k < new) for k, column in own.items() if k >= late)
