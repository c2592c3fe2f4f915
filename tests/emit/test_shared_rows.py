"""Rows that the jets of a type share: one column for equal factors, one storage location for equal products."""

from __future__ import annotations

import functools

from symlie.contract.set_table import JetLayout
from symlie.derive.sets import derive_set
from symlie.emit.c.shared_rows import SharedRows, shared_rows
from symlie.ir.sets import ElementTypeSet
from symlie.models import pendulum_chain


@functools.cache
def rod() -> ElementTypeSet:
    """The rods of a chain of pendulums."""
    kernels = derive_set(pendulum_chain.build(links=3).derive(), "jets")
    return next(e for e in kernels.elements if e.name == "rod")


def of_rod() -> SharedRows:
    return shared_rows("rod", rod().jets, "COUNT_rod")


def jet(
    name: str, names: tuple[str, ...], products: tuple[tuple[int, int], ...], late: int = 0, new: int = 0
) -> JetLayout:
    """One of type e whose factors have these names."""
    return JetLayout(f"e_{name}_jet", 1, 0, len(names), late, products, True, new=new, names=names)


def test_chain_has_ten_shared_factors() -> None:
    """q, ω, a of both masses apart, and λ; q × ω, q × a, q·a, ω·ω and λ q are summed together, q × ω alone, too."""
    rows = of_rod()
    together, alone = (next(s for s in rows.sums if s.name == name) for name in ("rod_orders", "rod_dependent"))
    assert (rows.columns, len(together.products), len(alone.products)) == (10, 21, 6)
    assert rows.together == together
    put = [column for columns in rows.jets.values() for _, column in columns.put]
    ended = [column for columns in rows.jets.values() for _, column, _ in columns.ended]
    assert sorted(put + ended) == list(range(10))
    assert not rows.jets["rod_field_jet"].put


def test_sums_equal_separate_jets() -> None:
    """Each product of a jet has its factors, by their names."""
    rows = of_rod()
    columns: dict[str, int] = {}
    for jet in rod().jets:
        at = rows.jets[jet.name]
        columns |= {jet.names[k]: column for k, column in at.put}
        late = jet.factors - jet.late
        columns |= {jet.names[late + m]: column for m, column, _ in at.ended}
    for jet in rod().jets:
        at = rows.jets[jet.name]
        for place, (left, right) in zip(at.places, jet.products, strict=True):
            of_factors = {columns[jet.names[left]], columns[jet.names[right]]}
            assert set(at.sums.products[place]) == of_factors


def test_first_jet_stores_factors() -> None:
    """Jets of constraints in motion come first; later factors are completed by the first jet that has them."""
    hidden = jet("hidden", ("q[0]", "v[0]"), ((0, 1),), late=1)
    force = jet("force", ("q[0]", "v[0]", "a[0]"), ((0, 1), (0, 2)), late=1, new=1)
    field = jet("field", ("a[0]", "q[0]"), ((0, 1), (1, 1)))
    rows = shared_rows("e", (force, field, hidden), "COUNT_e")
    assert rows.columns == 3
    assert rows.jets["e_hidden_jet"].put == ((0, 0), (1, 1))
    assert rows.jets["e_hidden_jet"].ended == ((0, 1, True),)
    assert (rows.jets["e_force_jet"].put, rows.jets["e_force_jet"].ended) == ((), ((0, 2, False),))
    assert (rows.jets["e_field_jet"].put, rows.jets["e_field_jet"].ended) == ((), ())
    # a q is a product of both, whichever factor comes first.
    assert [rows.jets[f"e_{name}_jet"].places for name in ("force", "field")] == [(0, 1), (1, 2)]
    assert [(s.name, s.begin, len(s.products)) for s in rows.sums] == [("e_hidden", 0, 1), ("e_orders", 2, 3)]
    assert rows.sizes_of_sums == 8


def test_single_jets_have_separate_arrays() -> None:
    alone = JetLayout("e_force_jet", 1, 0, 1, 0, ((0, 0),), False, names=("q[0]",))
    rows = shared_rows("e", (alone,), "COUNT_e")
    assert (rows.columns, rows.sums, rows.jets, rows.together) == (0, (), {}, None)


def test_node_and_element_rates_have_different_names() -> None:
    rate = JetLayout("R3_rate_jet", 1, 0, 1, 0, ((0, 0),), True, names=("q[0]",))
    rows = shared_rows("R3", (rate,), "NODES_OF_R3")
    assert (rows.name, rows.jets["R3_rate_jet"].alone) == ("R3_rate", True)
