"""Node kernels over blocks of nodes and node by node are bit-identical."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import symlie as sl
from symlie.emit.c.blocks import BLOCKS, block_kernels
from symlie.models import pendulum_chain
from symlie.runtime.layout.layout import Array

LINKS = 2 * BLOCKS[0] + 2 * BLOCKS[1] + 3
LARGE = 12.0
"""Squared angle beyond the polynomials, which end at 10, and within the chart."""


@functools.cache
def chain(links: int, backend: str = "c") -> sl.System:
    """One library serves all numbers of links."""
    return pendulum_chain.build(links=links).derive().compile(backend=backend)


def states(large: int | None) -> tuple[Array, Array, Array]:
    """Configurations, increments and rates of all links; the increment of one of them turns by a large angle."""
    rng = np.random.default_rng(1)
    q, u, w = rng.normal(size=(3, LINKS, 6))
    u[:, :3] *= (rng.uniform(0, 9, LINKS) ** 0.5 / np.linalg.norm(u[:, :3], axis=1))[:, None]
    if large is not None:
        u[large, :3] *= LARGE**0.5 / np.linalg.norm(u[large, :3])
    return q, u, w


def call(system: sl.System, name: str, first: Array, second: Array) -> Array:
    """A kernel of the links."""
    layout = system.layout
    links = layout.node("links")
    from_storage = name == "advance"
    places = [(links.storage, layout.storage) if from_storage else (links.velocity, layout.dimension)]
    places.append((links.velocity, layout.dimension))
    inputs = []
    for values, (place, size) in zip((first, second), places, strict=True):
        inputs.append(np.zeros(size))
        inputs[-1][place] = values.ravel()
    return np.asarray(getattr(system.kernels, name)(*inputs)[places[0][0]].reshape(-1, 6))


@pytest.mark.parametrize("large", [None, 0, BLOCKS[0] + 2, 2 * BLOCKS[0] + 1, LINKS - 1])
def test_blocks_are_bit_identical_to_single_nodes(large: int | None) -> None:
    q, u, w = states(large)
    for name, inputs in [("advance", (q, u)), ("inverse_tangent_operator", (u, w))]:
        together = call(chain(LINKS), name, *inputs)
        alone = np.array([call(chain(1), name, *(x[k : k + 1] for x in inputs))[0] for k in range(LINKS)])
        assert np.isfinite(alone).all()
        assert np.array_equal(together, alone), name


def test_blocks_are_bit_identical_to_numpy() -> None:
    q, u, w = states(None)
    for name, inputs in [("advance", (q, u)), ("inverse_tangent_operator", (u, w))]:
        assert np.array_equal(call(chain(LINKS), name, *inputs), call(chain(LINKS, "numpy"), name, *inputs)), name


def test_nan_does_not_spread_to_other_nodes() -> None:
    q, u, _ = states(None)
    u[3] = np.nan
    assert np.array_equal(np.isnan(call(chain(LINKS), "advance", q, u)).any(axis=1), np.arange(LINKS) == 3)


def test_only_kernels_with_coefficient_functions_have_blocks() -> None:
    types = pendulum_chain.build(links=2).derive().emitted.types.node_types
    assert set(block_kernels(types)["kernels"]) == {
        "link_advance",
        "link_inverse_tangent_operator",
        "link_tangent_operator",
    }
