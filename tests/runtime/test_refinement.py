"""Nodes and elements that grids have in common, and orders against a reference on a grid that is finite too."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import numpy as np
import pytest

import symlie as sl
from symlie.contract.manifest import read_manifest
from symlie.errors import ModelError
from symlie.publish.sets import generated_files
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.layout.topology import continues_another, links
from symlie.runtime.study.comparison import EndState, Measured
from symlie.runtime.study.convergence import read_end_state
from symlie.runtime.study.refinement import Grid, refinement, restricted, richardson_orders
from tests import tolerances

SHAPES = {"line": 1, "ring": 0, "tail": 0, "between": -1}
"""Chains by how many more nodes than segments are in their array: one, or fewer where a node is elsewhere."""


@functools.cache
def chain(segments: int, shape: str = "line") -> sl.Model:
    """Particles in a line, joined by springs of fixed length, two of which may be separate nodes."""
    model = sl.Model("chain")
    array = model.node_array("bead", "R3", segments + SHAPES[shape])
    nodes = [array[k] for k in range(len(array))]
    ends = [model.node(name, "R3") for name in ("head", "foot")[: {"tail": 1, "between": 2}.get(shape, 0)]]
    nodes = [*ends[:1], *nodes, *ends[1:]]
    particle = sl.ElementType("particle", at="R3")
    particle.kinetic_energy(particle.at.x_dot.dot(particle.at.x_dot) / 2)
    model.add(particle, nodes)
    rod = sl.ElementType("rod", left="R3", right="R3")
    distance = rod.right.x - rod.left.x
    rod.constraint("length", [distance.dot(distance) - 1, distance[0]])
    model.add(rod, list(zip(nodes, [*nodes[1:], *nodes[:1]] if shape == "ring" else nodes[1:], strict=False)))
    ends_apart = sl.ElementType("ends", first="R3", last="R3")
    ends_apart.constraint("apart", (ends_apart.last.x - ends_apart.first.x)[:1, :])
    model.add(ends_apart, [(nodes[0], nodes[-1])])
    return model


@functools.cache
def layout(segments: int, shape: str = "line") -> Layout:
    """The layout of a chain."""
    return Layout(read_manifest(generated_files(chain(segments, shape).derive())["manifest.json"]))


def state(part: Layout, shape: str) -> EndState:
    """A state whose values are arc lengths, in units of the whole chain; multipliers at the middle of their element."""
    segments = len(part.constraints["length"].rows)
    first = 1 if shape in ("tail", "between") else 0

    def along(node: str, count: int) -> Array:
        return {"head": np.zeros(1), "foot": np.ones(1)}.get(node, (np.arange(count) + first) / segments)

    q = np.concatenate([np.repeat(along(n.name, n.count), 3) for n in part.nodes])
    multipliers = np.full(part.rows, 7.0)
    multipliers[part.constraints["length"].rows] = np.outer((np.arange(segments) + 0.5) / segments, [1, 10])
    return EndState(q, 2 * q, multipliers)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("ratio", [1, 2, 3])
def test_common_nodes_are_compared(shape: str, ratio: int) -> None:
    coarse, fine = layout(4, shape), layout(4 * ratio, shape)
    common, expected = restricted(state(fine, shape), fine, coarse, ratio), state(coarse, shape)
    for part in ("q", "v", "multipliers"):
        np.testing.assert_allclose(getattr(common, part), getattr(expected, part), rtol=tolerances.EPSILON * 4)


def test_mismatched_grids_are_rejected() -> None:
    coarse, fine = layout(4), layout(8)
    with pytest.raises(ModelError, match="'bead' has 5 nodes, but 9 on a grid 3 times as fine"):
        restricted(state(fine, "line"), fine, coarse, 3)


def test_topology_is_refined() -> None:
    assert links(layout(4)).tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert links(layout(4, "ring")).tolist()[-1] == [3, 0]
    assert not continues_another(layout(4), "bead")
    assert not continues_another(layout(4, "ring"), "bead")
    assert continues_another(layout(4, "tail"), "bead")


@pytest.mark.parametrize("order", [0.5, 1.0, 2.0, 4.3])
@pytest.mark.parametrize("ratios", [(8, 4), (4, 2), (6, 1.5), (2, 4)])
def test_orders_account_for_a_finite_reference_grid(order: float, ratios: tuple[float, float]) -> None:
    first, second = ((ratio, Measured(q=3.0 * (ratio**order - 1))) for ratio in ratios)
    found = richardson_orders(first, second)
    assert found.q == pytest.approx(order, abs=tolerances.FOUND_ORDER)
    assert found.v is None


@pytest.mark.parametrize("errors", [(1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (1.0, None), (1.0, 1e-30)])
def test_undefined_orders_are_omitted(errors: tuple[float, float | None]) -> None:
    assert richardson_orders((4, Measured(errors[0])), (2, Measured(errors[1]))).q is None
    assert richardson_orders((2, Measured(1.0)), (1, Measured(0.5))).q is None, "the reference itself"


def test_values_without_refinement_are_rejected() -> None:
    system = chain(4).derive().compile(backend="numpy")

    def study(*values: float) -> None:
        list(refinement("segments", [Grid(v, system) for v in values], 0.1, ["half_explicit_2"], 0.1))

    with pytest.raises(ModelError, match="must be multiples of the smallest one, 4"):
        study(4, 6)
    with pytest.raises(ModelError, match="does not change the size of a node array"):
        study(4, 8)


def test_multipliers_of_a_file_match_their_constraints(tmp_path: Path) -> None:
    """Constraints of one element type take turns over its instances in the state, but not in a file."""
    model = sl.Model("pairs")
    array = model.node_array("bead", "R3", 3)
    array.initial(x=[[k, 0, 0] for k in range(3)])
    particle = sl.ElementType("particle", at="R3")
    particle.kinetic_energy(particle.at.x_dot.dot(particle.at.x_dot) / 2)
    particle.potential_energy(9.81 * particle.at.x[2] + particle.at.x[1])
    model.add(particle, [array[k] for k in range(3)])
    rod = sl.ElementType("rod", left="R3", right="R3")
    for name, axis in (("high", 2), ("wide", 1)):
        rod.constraint(name, (rod.right.x - rod.left.x)[axis : axis + 1, :])
    model.add(rod, [(array[0], array[1]), (array[1], array[2])])
    array.fix(0)
    system = model.derive().compile(backend="numpy")
    solution = sl.solve(system, 0.1, method="half_explicit_2", h=0.1, t_eval=[0.1])
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(solution.to_json()), encoding="utf-8")
    read, written = read_end_state(path, system.layout, 0.1), EndState.of(solution)
    assert len(set(written.multipliers.round(6))) == 4
    for part in ("q", "v", "multipliers"):
        np.testing.assert_array_equal(getattr(read, part), getattr(written, part))
