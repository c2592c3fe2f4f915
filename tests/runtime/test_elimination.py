"""Eliminations of saddle point matrices, in C and in NumPy, against SciPy's SuperLU."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.linalg import splu

from symlie.contract.constants import LANES, Status
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.band import BandStructure
from symlie.runtime.linear.elimination import KINDS, SMALL, EliminationStructure, elimination_structure
from symlie.runtime.linear.factors import Factors, NotFiniteMatrixError, SingularMatrixError
from symlie.runtime.linear.ordering import minimum_degree, reverse_cuthill_mckee
from symlie.runtime.linear.unknowns import Unknowns
from tests import tolerances
from tests.runtime.saddles import Compiled, Edges, Saddle, chain, compiled, grid, ring, saddle, star, tree

GRAPHS: dict[str, Edges] = {
    "chain": chain(30),
    "tree": tree(31),
    "star": star(9, 3),
    "ring": ring(24),
    "grid": grid(5),
    "links of a four-bar": chain(3),
}

HAS_COMPILER = any(shutil.which(name) for name in ("cc", "gcc", "clang"))
with_compiler = pytest.mark.skipif(not HAS_COMPILER, reason="the eliminations in C need a C compiler")


def header(structure: EliminationStructure) -> Compiled:
    """The compiled header of a structure."""
    return compiled(structure.kind, **structure.constants)


def right_side(system: Saddle) -> Array:
    return np.random.default_rng(7).uniform(-1, 1, system.unknowns.size)


def conditioned(system: Saddle) -> float:
    """Bound on the relative difference of two solutions."""
    return tolerances.CONDITIONED * float(np.linalg.cond(system.matrix.toarray()))


def check(system: Saddle, kind: str, difference: float | None = None) -> None:
    """Both backends solve a system as SuperLU does, but for a relative difference, which follows from its condition."""
    difference = difference or conditioned(system)
    structure = elimination_structure(system.unknowns, (kind,))
    right = right_side(system)
    expected = splu(system.matrix).solve(right)
    values = system.stored(structure)
    solutions = [Factors(structure, values).solve(right)]
    if HAS_COMPILER:
        kept = values.copy()
        assert header(structure).factorise(structure, kept) == (Status.DONE, -1)
        solutions += [header(structure).solve(structure, kept, r) for r in (right, right)]
        assert np.array_equal(*solutions[1:]), "factors are kept"
        header(structure).clear(structure, kept)
        assert not kept[: structure.stored].any()
    for x in solutions:
        assert system.residual(x, right) <= tolerances.ELIMINATIONS
        assert np.allclose(x, expected, rtol=0, atol=difference * np.abs(expected).max())


@pytest.mark.slow
@pytest.mark.parametrize("stabilised", [False, True], ids=["index 3", "index 2"])
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("kind", ["band", "blocks"])
def test_graph_systems_are_solved(kind: str, graph: str, stabilised: bool) -> None:
    check(saddle(GRAPHS[graph], stabilised=stabilised), kind)


@pytest.mark.parametrize("kind", ["band", "blocks"])
@pytest.mark.parametrize("graph", GRAPHS)
def test_stiff_systems_are_solved(kind: str, graph: str) -> None:
    """Springs of 1e8 next to masses of size one, in all directions except rigid motions."""
    check(saddle(GRAPHS[graph], stiffness=1e8), kind, tolerances.STIFF)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["band", "blocks"])
@pytest.mark.parametrize("graph", GRAPHS)
def test_massless_components_are_solved(kind: str, graph: str) -> None:
    """M* is singular; constraints of edges, or of the nodes themselves, determine the massless components."""
    nodes = range(1 + max(n for edge in GRAPHS[graph] for n in edge))
    check(saddle(GRAPHS[graph], massless=nodes[1:]), kind)
    check(saddle(GRAPHS[graph], massless=nodes[::3], anchors=nodes[::3]), kind)


@pytest.mark.parametrize("kind", ["band", "blocks"])
def test_joints_with_five_constraints_are_solved(kind: str) -> None:
    """Three links with seventeen rows in a loop: one joint finds no node that is free to take it."""
    check(saddle(chain(3), rows=5, anchors=[0] * 5 + [2] * 2), kind)
    check(saddle(ring(8), rows=5), kind)


@pytest.mark.parametrize("kind", ["band", "blocks"])
def test_systems_without_constraints_are_solved(kind: str) -> None:
    check(saddle(grid(4), rows=0), kind)


@with_compiler
@pytest.mark.parametrize("size", [1, 5, 9, 12, SMALL, SMALL + 5])
def test_dense_systems_are_solved(size: int) -> None:
    check(saddle([], dimension=size), "dense")


@with_compiler
@pytest.mark.parametrize(
    ("kind", "system"),
    [
        *(("dense", saddle([], dimension=size)) for size in (1, 5, SMALL)),
        *((kind, saddle(edges)) for kind in ("band", "blocks") for edges in (chain(5), ring(24), grid(4))),
        *((kind, saddle(chain(3), rows=5, anchors=[0] * 5 + [2] * 2)) for kind in ("band", "blocks")),
    ],
)
def test_factors_solve_transposed_systems(kind: str, system: Saddle) -> None:
    structure, right = elimination_structure(system.unknowns, (kind,)), right_side(system)
    values = system.stored(structure)
    assert header(structure).factorise(structure, values) == (Status.DONE, -1)
    found, expected = (
        header(structure).solve_transposed(structure, values, right),
        splu(system.matrix.T.tocsc()).solve(right),
    )
    assert np.allclose(found, expected, rtol=0, atol=conditioned(system) * np.abs(expected).max())


@with_compiler
@pytest.mark.parametrize(
    ("kind", "system"),
    [
        *(("dense", saddle([], dimension=size)) for size in (5, 12, SMALL)),
        *((kind, saddle(edges)) for kind in ("band", "blocks") for edges in (chain(5), grid(4))),
    ],
)
def test_eliminations_in_lanes_have_the_bits_of_single_ones(kind: str, system: Saddle) -> None:
    """Row exchanges differ between lanes, and factors of one lane can be combined with those of another matrix."""
    structure, size = elimination_structure(system.unknowns, (kind,)), system.unknowns.size
    rng, lanes = np.random.default_rng(3), 4
    _, _, places = structure.entries()
    entries, rights = rng.uniform(-1, 1, (2 * lanes, len(places))), rng.uniform(-1, 1, (lanes, size))
    together = compiled(kind, SYMLIE_LANES=lanes, **structure.constants)
    values, others, found = (aligned((n, lanes)) for n in (structure.values, structure.values, size))
    for stored, numbers in ((values, entries[:lanes]), (others, entries[lanes:])):
        stored[places] = numbers.T
        assert together.factorise(structure, stored)[0] == Status.DONE
    values[:, 1::2] = others[:, 1::2]
    found[:] = rights.T
    together.solve_in_place(structure, values, found)
    exchanges = set()
    for k in range(lanes):
        alone = np.zeros(structure.values)
        alone[places] = entries[k + lanes * (k % 2)]
        rows, columns, _ = structure.entries()
        matrix = coo_array((alone[places], (rows, columns)), shape=(size, size)).toarray()
        assert header(structure).factorise(structure, alone)[0] == Status.DONE
        assert found[:, k].tobytes() == header(structure).solve(structure, alone, rights[k]).tobytes()
        if kind == "dense":  # pivots of random bands and blocks, unlike those of saddle points, may be small
            residual = matrix @ found[:, k] - rights[k]
            assert np.abs(residual).max() < tolerances.CONDITIONED * np.linalg.cond(matrix)
        exchanges.add(tuple(np.abs(matrix).argmax(axis=0)))
    assert len(exchanges) == lanes


def aligned(shape: tuple[int, int]) -> Array:
    """Zeros at an address that suits vectors."""
    memory = np.zeros(8 * shape[0] * shape[1] + 64, dtype=np.uint8)
    begin = -memory.ctypes.data % 64
    return memory[begin : begin + 8 * shape[0] * shape[1]].view(np.float64).reshape(shape)


@pytest.mark.slow
@given(
    edges=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda e: e[0] < e[1]), unique=True, max_size=14
    ),
    dimension=st.integers(1, 7),
    rows=st.integers(0, 3),
    stabilised=st.booleans(),
    seed=st.integers(0, 99),
)
@settings(max_examples=60, deadline=None)
def test_random_graph_systems_are_solved(edges: Edges, dimension: int, rows: int, stabilised: bool, seed: int) -> None:
    """Every regular matrix is solved; edges must not constrain more components than their nodes have."""
    nodes = 1 + max([0, *(n for edge in edges for n in edge)])
    if rows * len(edges) > dimension * nodes // 2:
        rows = 0
    system = saddle(edges, seed, dimension, rows, stabilised and rows > 0)
    if np.linalg.cond(system.matrix.toarray()) > 1e4:
        return
    for kind in KINDS if system.unknowns.size <= SMALL and system.unknowns.size % 4 == 0 else ("band", "blocks"):
        check(system, kind)


@pytest.mark.parametrize(
    ("constraints", "stabilised", "expected"), [(0, 0, 11), (2, 0, 13), (3, 0, 14), (2, 1, 15), (3, 1, 17)]
)
def test_rods_have_the_minimal_bandwidth(constraints: int, stabilised: int, expected: int) -> None:
    """11 + nc for index 3, 11 + 2 nc for the stabilised index 2, 11 without constraints."""
    for nodes in (3, 9, 64):
        unknowns = saddle(chain(nodes), rows=constraints, stabilised=bool(stabilised)).unknowns
        structure = BandStructure(unknowns)
        assert structure.half_bandwidth == expected
        groups = unknowns.group[structure.order]
        assert np.count_nonzero(np.diff(groups)) == len(unknowns.sizes) - 1, "groups stay together"


def shuffled(system: Saddle) -> Saddle:
    """The same matrix with nodes and edges numbered otherwise."""
    unknowns = system.unknowns
    number = np.random.default_rng(2).permutation(len(unknowns.sizes)).astype(np.intp)
    other = Unknowns(number[unknowns.group], number[unknowns.coupled], unknowns.acts_on, unknowns.massless)
    return Saddle(other, system.rows, system.columns, system.entries)


def test_bandwidth_is_independent_of_the_numbering() -> None:
    assert BandStructure(shuffled(saddle(chain(40))).unknowns).half_bandwidth == 13


def test_band_or_blocks_are_chosen_by_the_graph() -> None:
    """Chains of rods have a narrow band; graphs with branches or loops do not."""
    kinds = {name: elimination_structure(saddle(edges).unknowns).kind for name, edges in GRAPHS.items()}
    assert kinds.pop("links of a four-bar") == kinds.pop("chain") == "band"
    assert set(kinds.values()) == {"blocks"}
    assert elimination_structure(saddle([]).unknowns).kind == "dense"
    assert elimination_structure(saddle([(0, 1)]).unknowns).kind == "dense"


@pytest.mark.parametrize("kind", ["band", "blocks"])
def test_equal_input_gives_equal_structure(kind: str) -> None:
    first, second = (elimination_structure(saddle(grid(6), seed).unknowns, (kind,)) for seed in (1, 2))
    assert np.array_equal(first.tables, second.tables)
    assert first.operations == second.operations


@pytest.mark.parametrize("kind", ["chain", "ring", "tree", "star"])
def test_cost_is_linear(kind: str) -> None:
    """Operations and memory per node do not grow; branches at a node make no difference."""
    make = {"chain": chain, "ring": ring, "tree": lambda n: tree(n - 1), "star": lambda n: star(n // 8, 8)}[kind]
    costs = []
    for nodes in (64, 512):
        structure = elimination_structure(saddle(make(nodes)).unknowns, ("blocks",))
        costs.append((structure.operations / nodes, structure.values / nodes, len(structure.tables) / nodes))
        assert 8 * structure.values + 4 * len(structure.tables) <= 6000 * nodes
    assert np.allclose(*costs, rtol=tolerances.LINEAR_COST, atol=0)


def test_grid_cost_is_bounded() -> None:
    """Less than the square of the nodes, which a band takes, and hardly more than linear in room."""
    small, large = (elimination_structure(saddle(grid(side)).unknowns, ("blocks",)) for side in (8, 24))
    assert large.operations < 9**1.9 * small.operations
    assert large.values < 9**1.5 * small.values
    assert BandStructure(saddle(grid(24)).unknowns).operations > 2 * large.operations


@pytest.mark.parametrize("kind", ["band", "blocks"])
def test_no_long_row_is_searched_twice(kind: str) -> None:
    """A thousand branches at a node: the node is last, or the band is refused by its cost."""
    unknowns = saddle(star(1000, 1)).unknowns
    structure = elimination_structure(unknowns, (kind,))
    assert (structure.operations < 2e6) == (kind == "blocks")


def lost_in(system: Saddle, kind: str) -> set[int]:
    """The unknowns that C and NumPy name."""
    structure = elimination_structure(system.unknowns, (kind,))
    values = system.stored(structure)
    with pytest.raises(SingularMatrixError) as caught:
        Factors(structure, values)
    assert f"unknown {caught.value.unknown} " in str(caught.value)
    found = {caught.value.unknown}
    if HAS_COMPILER:
        status, lost = header(structure).factorise(structure, values)
        assert status == Status.SINGULAR
        found.add(lost)
    return found


def with_entries(system: Saddle, entries: Array) -> Saddle:
    return Saddle(system.unknowns, system.rows, system.columns, entries)


def without(system: Saddle, unknown: int) -> Saddle:
    """The matrix with zeros in a row and a column."""
    touched = (system.rows == unknown) | (system.columns == unknown)
    return with_entries(system, np.where(touched, 0.0, system.entries))


@pytest.mark.parametrize("nodes", [6, 40])
@pytest.mark.parametrize("kind", ["band", "blocks"])
def test_undetermined_unknowns_are_named(kind: str, nodes: int) -> None:
    """A component that neither mass nor constraint fixes, and a row of constraints that acts on nothing."""
    system = saddle(chain(nodes))
    for unknown in (0, 13, 6 * nodes - 1, 6 * nodes, 6 * nodes + 7):
        assert lost_in(without(system, unknown), kind) == {unknown}
    system = saddle(chain(nodes), massless=[3], anchors=[3])
    assert lost_in(without(system, system.unknowns.size - 1), kind) == {system.unknowns.size - 1}


@pytest.mark.parametrize("nodes", [6, 40])
@pytest.mark.parametrize("kind", ["band", "blocks"])
def test_dependent_constraint_equations_are_named(kind: str, nodes: int) -> None:
    """Two anchors of one node with proportional rows: one of them is named."""
    system = saddle(chain(nodes), rows=2, anchors=[4, 4])
    last = system.unknowns.size - 1
    entries = system.entries.copy()
    for along, across in ((system.rows, system.columns), (system.columns, system.rows)):
        one, other = along == last - 1, along == last
        assert np.array_equal(across[one], across[other])
        entries[other] = -2 * entries[one]
    assert lost_in(with_entries(system, entries), kind) < {last - 1, last}


@pytest.mark.parametrize("kind", ["band", "blocks"])
def test_solution_is_independent_of_scaling(kind: str) -> None:
    """Stiffness of 1e6 next to constraint rows of size one, and unknowns in other units."""
    system = saddle(chain(20), rows=2)
    random = np.random.default_rng(3)
    left, right = (10.0 ** random.integers(-6, 7, system.unknowns.size) for _ in range(2))
    scaled = with_entries(system, left[system.rows] * system.entries * right[system.columns])
    structure = elimination_structure(system.unknowns, (kind,))
    side = right_side(system)
    expected = splu(system.matrix).solve(side)
    values = scaled.stored(structure)
    solutions = [Factors(structure, values).solve(left * side)]
    if HAS_COMPILER:
        assert header(structure).factorise(structure, values) == (Status.DONE, -1)
        solutions.append(header(structure).solve(structure, values, left * side))
    for x in solutions:
        assert np.allclose(right * x, expected, rtol=0, atol=conditioned(system) * np.abs(expected).max())
    assert lost_in(without(scaled, 13), kind) == {13}


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("kind", KINDS)
def test_nonfinite_entries_are_reported(kind: str, bad: float) -> None:
    system = saddle(chain(2), dimension=4, rows=1)
    where = int(np.flatnonzero(system.rows == 5)[0])
    system.entries[where] = bad
    structure = elimination_structure(system.unknowns, (kind,))
    values = system.stored(structure)
    with pytest.raises(NotFiniteMatrixError, match="Row 5 "):
        Factors(structure, values)
    if HAS_COMPILER:
        assert header(structure).factorise(structure, values) == (Status.NOT_FINITE, 5)


@pytest.mark.parametrize("kind", KINDS)
def test_stored_entries_have_unique_positions(kind: str) -> None:
    """Each stored entry of the matrix has one place, within what is cleared; others are refused."""
    system = saddle(star(4, 2), dimension=3, rows=1)
    structure = elimination_structure(system.unknowns, (kind,))
    rows, columns, places = structure.entries()
    assert np.array_equal(structure.places(rows, columns), places)
    assert len(np.unique(places)) == len(places) and places.max() < structure.stored <= structure.values
    back = coo_array((system.stored(structure)[places], (rows, columns)))
    assert abs(back - system.matrix).max() == 0
    assert sorted(structure.order.tolist()) == list(range(system.unknowns.size))
    if kind != "dense":
        with pytest.raises(IndexError, match="not coupled"):
            structure.places(np.array([3 * 2]), np.array([3 * 8]))


def test_empty_groups_are_rejected() -> None:
    with pytest.raises(ValueError, match="no unknowns"):
        Unknowns(np.array([0, 2]))


def test_elimination_orders_are_permutations() -> None:
    """A path, two of them, and a vertex that waits for its neighbours."""
    path = [[1], [0, 2], [1, 3], [2]]
    assert reverse_cuthill_mckee(path, [1] * 4) in ([0, 1, 2, 3], [3, 2, 1, 0])
    assert sorted(reverse_cuthill_mckee([[1], [0], [], [4], [3]], [1] * 5)) == list(range(5))
    order, borders = minimum_degree(path, [1, 1, 1, 1], [[], [0, 2], [], []])
    assert order.index(1) > max(order.index(0), order.index(2))
    assert borders[-1] == [] and all(place < min(border) for place, border in enumerate(borders[:-1]))


def test_lanes_are_a_power_of_two() -> None:
    """Compilers have no other vectors."""
    assert LANES & (LANES - 1) == 0
