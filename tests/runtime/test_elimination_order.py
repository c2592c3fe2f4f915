"""Orders of instances in bands: chains get, without SciPy, the order of reverse Cuthill-McKee."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from symlie.runtime.linear.schur import band_order

Nodes = NDArray[np.int64]


def of_scipy(nodes: Nodes) -> NDArray[np.int32]:
    """The order by SciPy of instances that have a row of nodes each."""
    count, width = nodes.shape
    pairs = (np.ones(nodes.size), (np.repeat(np.arange(count), width), nodes.ravel()))
    incidence = coo_array(pairs, shape=(count, nodes.max() + 1)).tocsr()
    order: NDArray[np.int32] = reverse_cuthill_mckee((incidence @ incidence.T).tocsr(), symmetric_mode=True)
    return order


def order_of(nodes: Nodes) -> NDArray[np.int32]:
    """The order of the same instances."""
    return band_order(np.repeat(np.arange(len(nodes)), nodes.shape[1]), nodes.ravel(), len(nodes))


def chain(count: int, *further: int) -> Nodes:
    """Instances with nodes k and k + 1, and further private nodes."""
    nodes: Nodes = np.arange(count)[:, None] + np.array([0, 1, *(count * k + 5 for k in further)])
    return nodes


@pytest.mark.parametrize("count", [1, 2, 3, 16, 17, 64, 1000])
@pytest.mark.parametrize("further", [(), (1,), (1, 2)])
def test_chain_order_equals_scipy(count: int, further: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = chain(count, *further)
    expected = of_scipy(nodes)
    monkeypatch.setitem(sys.modules, "scipy.sparse.csgraph", None)
    assert order_of(nodes).tolist() == expected.tolist()


@pytest.mark.parametrize(
    "nodes",
    [
        np.array([[0, 1], [2, 3], [3, 4]]),
        np.array([[0, 1], [1, 2], [1, 3]]),
        np.array([[0, 1], [1, 2], [2, 0]]),
        np.array([[0, 1], [2, 3], [1, 2]]),
        np.concatenate([chain(20), chain(20) + 30]),
        np.random.default_rng(3).integers(0, 30, (30, 2)),
    ],
    ids=["apart", "star", "ring", "unordered", "two chains", "random"],
)
def test_graph_order_equals_scipy(nodes: Nodes) -> None:
    assert order_of(nodes).tolist() == of_scipy(nodes).tolist()
