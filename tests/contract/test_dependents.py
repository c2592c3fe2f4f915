"""Topological order of dependent nodes: batches of elements, and runs of consecutive elements."""

from __future__ import annotations

from symlie.contract.dependents import WHOLE, Batch, DependentPlaces, batches, runs

SUM = DependentPlaces(((1, 0),), ())
"""Node 1 is node 0 plus a rest."""

WHOLE_NODE = DependentPlaces(((1, WHOLE),), (0,))
"""Node 1 is a function of node 0."""

LINKS = [(k, k + 1) for k in range(4)]


def test_sums_along_chains_form_one_batch_in_either_direction() -> None:
    for links, numbers, run in ((LINKS, [0, 1, 2, 3], (0, 0, 4)), (LINKS[::-1], [3, 2, 1, 0], (0, 3, -1))):
        order, circle = batches([SUM], [links])
        assert order == [Batch(0, numbers)] and not circle
        assert runs(order) == [run]


def test_functions_along_chains_form_one_batch_for_each_element() -> None:
    order, circle = batches([WHOLE_NODE], [LINKS[::-1]])
    assert order == [Batch(0, [k]) for k in (3, 2, 1, 0)] and not circle
    assert runs(order) == [(0, 3, -1)]


def test_batches_follow_those_of_the_nodes_that_they_read() -> None:
    """The second type reads a node of the first one, and chains of opposite directions alternate."""
    sums = [("b", "c"), ("a", "b"), ("x", "y"), ("y", "z")]
    order, _ = batches([SUM, WHOLE_NODE], [sums, [("c", "d"), ("e", "f")]])
    assert order == [Batch(0, [1, 2, 0, 3]), Batch(1, [1]), Batch(1, [0])]
    assert runs(order) == [(0, 1, 3), (0, 0, 1), (0, 3, 4), (1, 1, -1)]


def test_circular_dependencies_are_found() -> None:
    order, circle = batches([SUM, WHOLE_NODE], [[("a", "b"), ("b", "c")], [("c", "a"), ("x", "y")]])
    assert order == [Batch(1, [1])] and circle == {"a", "b", "c"}
