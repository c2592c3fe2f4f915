"""Rows of orders that the jets of a type share, where its nodes or instances stand side by side.

Equal factors of several jets have one column, which the first one puts down. Sums of jets whose orders are found
together come from one pass over the rows, so that memory is read once, and products that several have are summed once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from symlie.contract.set_table import JetLayout

_IN_TURN = ("rate", "hidden", "force", "index1", "field", "event", "place")
"""Jets as an order takes them. What several have belongs to the first, and is complete when others sum it."""

_ALONE = ("rate", "hidden", "place")
"""Those of another order than the rest, or of node types: their sums are found when they are wanted."""


@dataclass(frozen=True)
class SharedSums:
    """Products whose sums of an order are found together.

    Attributes
    ----------
    name
        What they are called in C.
    begin
        Registers of a block before theirs: of the sums, and behind them of what is known of the next ones.
    products
        The columns of the factors of each.
    """

    name: str
    begin: int
    products: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class JetColumns:
    """Where the factors and sums of a jet are.

    Attributes
    ----------
    rows
        What the rows are called.
    put
        Factors that it puts down with an order, each with its column.
    ended
        Factors that are found later, counted from the first of them, each with its column and whether something was
        known before.
    sums
        Where its sums are.
    places
        The places of its sums in there.
    alone
        Whether they are found when it takes them.
    """

    rows: str
    put: tuple[tuple[int, int], ...]
    ended: tuple[tuple[int, int, bool], ...]
    sums: SharedSums
    places: tuple[int, ...]
    alone: bool


@dataclass(frozen=True)
class SharedRows:
    """Rows of a type: so many columns for each order, behind the registers of all sums."""

    name: str
    count: str
    """What says in C how many nodes or instances there are."""
    columns: int
    sums: tuple[SharedSums, ...]
    jets: dict[str, JetColumns]

    @property
    def sizes_of_sums(self) -> int:
        """Registers of a block before its rows."""
        return sum(2 * len(s.products) for s in self.sums)

    @property
    def together(self) -> SharedSums | None:
        """Sums of all jets that orders take together."""
        return next((s for s in self.sums if s.name.endswith("_orders") and s.products), None)


def shared_rows(owner: str, jets: Sequence[JetLayout], count: str, apart: Collection[str] = ()) -> SharedRows:
    """The rows of a type.

    Parameters
    ----------
    owner
        Its name.
    jets
        Its jets; those that do not stand side by side have rows of their own.
    count
        What says in C how many nodes or instances it has.
    apart
        Jets that go through the instances in another order, and share nothing.
    """
    kinds = {jet.name.removeprefix(f"{owner}_").removesuffix("_jet"): jet for jet in jets if jet.side_by_side}
    called = f"{owner}_rate" if "rate" in kinds else owner
    found = {kind: kinds[kind] for kind in _IN_TURN if kind in kinds}
    names = {k: tuple(f"{k} {name}" if k in apart else name for name in jet.names) for k, jet in found.items()}
    columns: dict[str, int] = {}
    first: dict[str, str] = {}
    for kind in found:
        for name in names[kind]:
            columns.setdefault(name, len(columns))
            first.setdefault(name, kind)
    groups: dict[str, list[tuple[int, int]]] = {}
    places: dict[str, tuple[int, ...]] = {}
    for kind, jet in found.items():
        products, of_factors = groups.setdefault(_group(kind), []), [columns[name] for name in names[kind]]
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
                *_owned(jet, {k: columns[name] for k, name in enumerate(names[kind]) if first[name] == kind}),
                sums[_group(kind)],
                places[kind],
                kind in _ALONE,
            )
            for kind, jet in found.items()
        },
    )


def _group(kind: str) -> str:
    """What sums belong together with those of a jet."""
    return kind if kind in _ALONE else "orders"


def _place(products: list[tuple[int, int]], left: int, right: int) -> int:
    """Where a product is among others, which are continued."""
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
    """Factors that a jet puts down, and those of them that it completes."""
    late, new = jet.factors - jet.late, jet.factors - jet.new
    put = tuple((k, column) for k, column in own.items() if k < new)
    return put, tuple((k - late, column, k < new) for k, column in own.items() if k >= late)
