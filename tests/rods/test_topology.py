"""Chains, trees and rings: the same code for every topology, and the same result from C and from NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.contract.manifest import read_manifest
from symlie.groups.group import LieGroup
from symlie.groups.standard import group_from_name
from symlie.models import flying_spaghetti, roll_up
from symlie.publish.sets import generated_files
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.linear.schur import BandedAlgebra, DenseAlgebra
from tests import tolerances
from tests.rods import topologies
from tests.rods.problems import random_state
from tests.rods.topologies import MODELS, system

STEP = 2e-3
SLOW = ("bodies_one_by_one", "ring")
"""Costly to compile, and those that others cover: the ring with a clamped node is a chain to the elimination."""

NAMES = [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in MODELS]


def layout_of(model: sl.Model) -> Layout:
    """Layout of a model, which needs no compiler."""
    return Layout(read_manifest(generated_files(model.derive())["manifest.json"]))


COMPARED = [name for name in MODELS if name not in (*SLOW, "chain", "free_ring")]
"""The tree has chains, and the free ring is a ring."""


@pytest.mark.filterwarnings("ignore:Initial velocities that are not given")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in COMPARED else pytest.mark.slow) for name in MODELS]
)
def test_c_and_numpy_take_the_same_steps(name: str) -> None:
    """States and multipliers after some steps; nothing else than the order of sums differs."""
    steps = 8 if name in COMPARED else 20
    compiled, plain = (sl.solve(system(name, backend), steps * STEP, h=STEP) for backend in ("c", "numpy"))
    assert len(compiled.t) == steps + 1
    for part, tolerance in (
        ("q", tolerances.ROD_BACKENDS),
        ("v", tolerances.ROD_BACKENDS),
        ("multipliers", tolerances.ROD_BACKENDS_MULTIPLIERS),
    ):
        a, b = getattr(compiled, part), getattr(plain, part)
        assert np.abs(a - b).max(initial=0.0) < tolerance * max(1.0, float(np.abs(b).max(initial=0.0)))
    assert np.abs(compiled.v[-1] - compiled.v[0]).max() > 1e-3
    assert compiled.statistics.max_constraint_residual < tolerances.TOPOLOGY_CONSTRAINT


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_banded_and_dense_elimination_agree(name: str) -> None:
    """The saddle point system with B at two random configurations, for arbitrary right-hand sides."""
    s = system(name, "numpy")
    layout, p = s.layout, s.prepared
    banded, dense = s.algebra, DenseAlgebra(s.layout)
    assert isinstance(banded, BandedAlgebra)
    generator = np.random.default_rng(4)
    r, c = generator.uniform(-1, 1, layout.dimension), generator.uniform(-1, 1, layout.rows)
    (q, _), (other, _) = (random_state(s, seed, 0.1) for seed in (1, 2))
    mass = s.kernels.mass(p, 0.0, q)
    expected = dense.solve_mass(mass, r)
    np.testing.assert_allclose(
        banded.solve_mass(mass, r), expected, rtol=0, atol=tolerances.ELIMINATIONS * np.abs(expected).max()
    )
    if not layout.rows:
        return
    right, left = (s.kernels.jacobian(p, 0.0, x, 0 * r) for x in (q, other))
    found, expected_pair = (a.solve_saddle(mass, right, left, r, c) for a in (banded, dense))
    assert np.all(found[0][~layout.free] == 0)
    for a, b in zip(found, expected_pair, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerances.ELIMINATIONS * np.abs(b).max())


@pytest.mark.parametrize("name", ["tree", "tapered", "rotation_matrices", "rope_with_body"])
def test_jacobian_and_curvature_match_differences(name: str) -> None:
    """B v = dΦ/dt and Z = d(B v)/dt - B v' along the motion q∘exp(t v), at a random state."""
    s = system(name, "numpy")
    q, v = random_state(s, 5)
    p, k = s.prepared, s.kernels
    h = 1e-4

    def rate(f: Callable[[float], Array]) -> Array:
        return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)

    def hidden(t: float) -> Array:
        return s.algebra.multiply(k.jacobian(p, 0.0, k.advance(q, t * v), v), v)

    curvature = k.curvature(p, 0.0, q, v)
    scale = np.abs(curvature).max()
    assert scale > 1e-2
    w = np.random.default_rng(2).uniform(-1, 1, len(v))
    moved = s.algebra.multiply(k.jacobian(p, 0.0, q, v), w)
    np.testing.assert_allclose(rate(hidden), curvature, rtol=0, atol=tolerances.ROD_DIFFERENCE * scale)
    np.testing.assert_allclose(
        rate(lambda t: k.constraint(p, 0.0, k.advance(q, t * w))), moved, rtol=0, atol=tolerances.ROD_DIFFERENCE
    )
    assert np.abs(moved).max() > 0.1


@pytest.mark.slow
def test_order_of_elements_does_not_matter() -> None:
    """Segments added in a random order: the elimination finds the chain, and the motion is the same."""
    model = topologies.chain(6)
    entry = next(i for i in model.instances if i.element.name == "rod_segment")
    order = np.random.default_rng(0).permutation(6)
    entry.nodes = [entry.nodes[k] for k in order]
    entry.parameters = [entry.parameters[0][order]]
    mixed, plain = model.derive().compile(), system("chain")
    assert isinstance(mixed.algebra, BandedAlgebra)
    assert mixed.algebra.bandwidth == BANDWIDTHS["chain"]
    runs = [sl.solve(s, 20 * STEP, h=STEP) for s in (mixed, plain)]
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=tolerances.ROD_BACKENDS)
    forces = [run.named_multipliers()["rod_segment_strain"] for run in runs]
    scale = np.abs(forces[1]).max()
    np.testing.assert_allclose(
        forces[0], forces[1][:, order], atol=tolerances.ROD_BACKENDS_MULTIPLIERS * max(1.0, scale)
    )


BANDWIDTHS = {"chain": 3, "tree": 5, "ring": 3, "free_ring": 7, "rope_with_body": 5}
"""Bandwidth of S with two or three rows per segment; branches of a tree run in parallel, and so do both halves of a
ring unless a clamped node opens it."""


@pytest.mark.slow
@pytest.mark.parametrize("name", BANDWIDTHS)
def test_bandwidth_is_constant(name: str) -> None:
    """The order of elimination is a permutation, and rows that share a free node stay close in it."""
    for segments in (8, 64, 512):
        layout = layout_of(getattr(topologies, name)(segments))
        algebra = BandedAlgebra(layout)
        assert sorted(algebra.position) == list(range(layout.rows))
        assert algebra.bandwidth <= BANDWIDTHS[name]
        rows, columns = layout.assembled("jacobian")
        for node in np.random.default_rng(1).integers(0, layout.dimension // 6, 20):
            sharing = algebra.position[rows[(columns // 6 == node) & layout.free[columns]]]
            assert np.ptp(sharing) <= algebra.bandwidth if len(sharing) else True


@pytest.mark.parametrize("numbers", [(2, 1000), pytest.param((2, 3, 16, 1000), marks=pytest.mark.slow)])
def test_generated_code_is_independent_of_the_number_of_elements(
    numbers: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte by byte, each derived anew, apart from the manifest, which holds the topology."""
    texts = []
    for segments in numbers:
        monkeypatch.setenv("SYMLIE_CACHE", str(tmp_path / str(segments)))
        texts.append(generated_files(roll_up.build(segments, "kirchhoff").derive()))
    manifests = [files.pop("manifest.json") for files in texts]
    assert len(set(manifests)) == len(numbers)
    assert set(texts[0]) == {"roll_up.c", "roll_up.h", "roll_up.py"}
    for files in texts[1:]:
        assert files == texts[0]


@pytest.fixture
def counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Number of derivations and compilations, with an empty cache."""
    monkeypatch.setenv("SYMLIE_CACHE", str(tmp_path))
    counts = {"derive": 0, "compile": 0}

    def counted(kind: str, target: str) -> None:
        module, _, name = target.rpartition(".")
        original = getattr(__import__(module, fromlist=[name]), name)

        def wrapper(*args: object, **kwargs: object) -> object:
            counts[kind] += 1
            return original(*args, **kwargs)

        monkeypatch.setattr(target, wrapper)

    counted("compile", "symlie.compile.cache.run_compiler")
    counted("derive", "symlie.derive.equations.derive_statement")
    return counts


def beads(links: int, branches: int, weight: float = 1.0) -> sl.Model:
    """A chain of beads on links whose end is shared by branches."""
    model = sl.Model("beads")
    bead, link = sl.ElementType("bead", node="R3"), sl.ElementType("link", left="R3", right="R3")
    load, length = bead.parameter("weight", 1.0), link.parameter("length", 0.1)
    bead.kinetic_energy(bead.node.x_dot.dot(bead.node.x_dot) / 2)
    bead.potential_energy(load * bead.node.x[2])
    apart = link.right.x - link.left.x
    link.constraint("length", (apart.dot(apart) - length**2) / 2)
    trunk = model.node_array("trunk", "R3", links + 1)
    trunk.initial(x=lambda k: (0.1 * k, 0, 0))
    trunk.fix(0)
    arrays = [trunk]
    for number in range(branches):
        array = model.node_array(f"branch_{number}", "R3", links)
        array.initial(x=lambda k, n=number: (0.1 * links + 0.1 * (k + 1) * np.cos(n), 0.1 * (k + 1) * np.sin(n), 0))
        arrays.append(array)
    for array in arrays:
        nodes = [array[k] for k in range(links + (array is trunk))]
        model.add(bead, nodes, weight=weight)
        nodes = nodes if array is trunk else [trunk[links], *nodes]
        model.add(link, [*itertools.pairwise(nodes)])
    return model


@pytest.mark.slow
def test_other_chains_of_beads_neither_derive_nor_compile(counts: dict[str, int]) -> None:
    """Number of links, lengths, loads, connectivity and number of branches are run-time data."""
    sl.solve(beads(3, 1).derive().compile(backend="c"), 2 * STEP, h=STEP)
    assert counts == {"derive": 2, "compile": 2}
    counts.update(derive=0, compile=0)
    solution = sl.solve(beads(7, 4, weight=2.0).derive().compile(backend="c"), 5 * STEP, h=STEP)
    assert solution.v.shape[1] == 3 * (8 + 4 * 7)
    model = beads(5, 2)
    trunk, *_, loop = model.arrays
    link = next(i.element for i in model.instances if i.element.name == "link")
    model.add(link, [(trunk[0], loop[4])], length=0.3)
    assert model.derive().compile(backend="c").layout.rows == 5 * 3 + 1
    assert counts == {"derive": 0, "compile": 0}


@pytest.mark.slow
def test_other_topologies_neither_derive_nor_compile(counts: dict[str, int]) -> None:
    """Number of segments, lengths, material, loads, connectivity and number of branches are run-time data."""
    first = topologies.tree(3, 1).derive().compile(backend="c")
    sl.solve(first, 2 * STEP, h=STEP)
    assert counts["derive"] == 4  # sections and segments, also those at the end that is joined at an angle
    assert counts["compile"] == 2
    counts.update(derive=0, compile=0)

    many = topologies.tree(7, 4).derive().compile(backend="c")
    solution = sl.solve(many, 5 * STEP, h=STEP)
    assert solution.v.shape[1] == 6 * (8 + 4 * 8)

    model = topologies.tree(5, 2)
    loop = model.arrays[-1]
    types = {i.element.name: i.element for i in model.instances}
    segment, section = types["trunk_segment"], types["trunk_section"]
    model.add(segment, [(loop[0], loop[5])], length=0.3, reference_strain=[0, 0, 0, 0, 0, 2.0])
    model.add(section, [loop[5]], weight=0.1, gravity=[5, 0, 0])
    assert model.derive().compile(backend="c").layout.rows == 2 * (5 + 2 * 6 + 1)
    assert counts == {"derive": 0, "compile": 0}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Initial velocities that are not given")
def test_connectivity_determines_the_motion() -> None:
    """A ring that is cut open moves differently from the closed one, whose text it shares."""
    closed = topologies.free_ring(8)
    cut = topologies.free_ring(8)
    entry = next(i for i in cut.instances if i.element.name == "ring_segment")
    entry.nodes.pop()
    entry.parameters[-1] = entry.parameters[-1][:-1]
    runs = [sl.solve(m.derive().compile(backend="numpy"), 10 * STEP, h=STEP) for m in (closed, cut)]
    assert runs[0].system.files["free_ring.c"] == runs[1].system.files["free_ring.c"]
    assert np.abs(runs[0].q - runs[1].q).max() > 1e-3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Initial velocities that are not given")
@pytest.mark.parametrize("name", ["chain", "tree", "ring", "rope_with_body"])
def test_fixed_nodes_do_not_move(name: str) -> None:
    """A clamped node keeps its configuration to the last bit, and its velocity is zero."""
    s = system(name, "numpy" if name in SLOW else "c")
    solution = sl.solve(s, 20 * STEP, h=STEP)
    node = next(n for n in s.layout.nodes if n.fixed.any())
    q, v = solution.configuration(node.name), solution.velocity(node.name)
    assert np.all(q[:, node.fixed] == q[0, node.fixed])
    assert np.all(v[:, node.fixed] == 0)
    assert np.abs(q[-1] - q[0]).max() > 1e-4


def test_branches_share_a_node() -> None:
    """Three rods that meet in a node: one array holds it, and three segments refer to it."""
    s = system("tree", "numpy")
    assert s.layout.node("trunk").count == 5
    assert s.layout.node("branch_0").count == 5
    members = {e.name: m for e, m in zip(s.layout.elements, s.layout.members, strict=True)}
    assert [len(members[f"trunk_segment{end}"]) for end in ("", "_start")] == [4 + 2 * 4, 2]
    segments = np.concatenate([members["trunk_segment"], members["trunk_segment_start"]])
    meeting = np.bincount(segments.ravel())
    assert sorted(meeting)[-1] == 3
    assert np.argmax(meeting) == 4


@pytest.mark.slow
def test_ring_at_rest_is_a_circle() -> None:
    """Without loads a ring with its shape as reference is in equilibrium, across the joint where -p meets p."""
    s = system("ring", "numpy")
    q, v = s.initial_state.q, s.initial_state.v
    assert s.kernels.energy(s.prepared, 0.0, q, v)[1] == pytest.approx(0.0, abs=tolerances.ROD_BACKENDS)
    bent = system("free_ring")
    potential = bent.kernels.energy(bent.prepared, 0.0, bent.initial_state.q, bent.initial_state.v)[1]
    # Bent about the second axis by one turn: V = EI2 (2π)²/2 for unit length.
    assert potential == pytest.approx(3.0 * (2 * np.pi) ** 2 / 2, rel=tolerances.ROD_BACKENDS)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Initial velocities that are not given")
def test_closed_free_ring_keeps_its_energy_and_momenta() -> None:
    """A fifth of a second of vibration of the bent ring."""
    solution = sl.solve(system("free_ring"), 0.2, h=5e-4, record_every=20)
    for name, scale in (("energy", 60.0), ("linear_momentum", 1.0), ("angular_momentum", 1.0)):
        values = solution.outputs[name]
        assert np.abs(values - values[0]).max() < tolerances.TOPOLOGY_INVARIANT * scale


@pytest.mark.slow
@pytest.mark.parametrize("group", [sl.S3sR3, sl.SE3, group_from_name("S3xR3"), group_from_name("SO3xR3")])
def test_initial_strain_of_any_curve_is_zero(group: LieGroup) -> None:
    """A helix with varying twist starts without stress and on the constraint, up to rounding."""
    model = sl.Model("helix")

    def orientation(s: float) -> Rotation:
        return Rotation.from_euler("zyz", [3 * s, 1.2, 1e-3 + 2 * s * s])

    sl.CosseratRod(
        model, "rod", segments=9, length=2.0, stiffness=topologies.STIFFNESS, inertia=topologies.INERTIA, group=group,
        position=lambda s: (np.cos(3 * s), np.sin(3 * s), s), constraint="inextensible", reference_strain="initial",
        orientation=lambda s: (
            np.roll(orientation(s).as_quat(), 1) if group.name.startswith("S3") else orientation(s).as_matrix()
        ),
    )  # fmt: skip
    s = model.derive().compile(backend="numpy")
    state = s.initial_state
    assert s.kernels.energy(s.prepared, 0.0, state.q, state.v)[1] < tolerances.ROD_BACKENDS
    assert np.abs(s.kernels.constraint(s.prepared, 0.0, state.q)).max() < tolerances.KERNEL
    bent = s.layout.element_parameters[[e.name for e in s.layout.elements].index("rod_segment")][:, -6:]
    assert np.abs(bent[:, :3]).max() > 1


@pytest.mark.slow
def test_rod_can_end_at_a_body() -> None:
    """A separate body shared by the rod moves like the same body added to the end of the rod."""
    runs = []
    for shared in (True, False):
        model = sl.Model("rod_and_body")
        arguments = {"last": model.node("body", sl.S3sR3)} if shared else {}
        if shared:
            model.initial(arguments["last"], x=[0, 0, 1])
        rod = sl.CosseratRod(
            model, "rod", segments=4, length=1.0, stiffness=topologies.STIFFNESS, inertia=topologies.INERTIA,
            position=lambda s: (0, 0, s), orientation=topologies.UPRIGHT, constraint="kirchhoff",
            gravity=(1, 0, -9.81), reference_strain="initial", **arguments,
        )  # fmt: skip
        rod.nodes.fix(0)
        statement = model if shared else sl.ElementType("body", node=sl.S3sR3)
        q = arguments["last"] if shared else statement.node
        statement.kinetic_energy((3 * q.U.dot(q.U) + q.Omega.dot(q.Omega)) / 2)
        statement.potential_energy(9.81 * 3 * q.x[2] - 3 * q.x[0])
        if not shared:
            model.add(statement, [rod[-1]])
        solution = sl.solve(model.derive().compile(backend="numpy"), 25 * STEP, h=STEP)
        runs.append(solution.field("body", "x") if shared else solution.field("rod", "x")[:, -1])
    np.testing.assert_allclose(runs[0], runs[1], atol=tolerances.GROUPS_OF_A_ROD)
    assert runs[0][-1, 0] > 1e-3


def test_quaternions_and_rotation_matrices_give_the_same_motion() -> None:
    """The chain on S³⋉R³ and on SE(3)."""
    runs = [sl.solve(system(name), 40 * STEP, h=STEP) for name in ("chain", "rotation_matrices")]
    np.testing.assert_allclose(runs[0].field("rod", "x"), runs[1].field("rod", "x"), atol=tolerances.GROUPS_OF_A_ROD)
    np.testing.assert_allclose(runs[0].v, runs[1].v, atol=tolerances.GROUPS_OF_A_ROD)
    p = runs[0].field("rod", "p")[-1]
    rotations = Rotation.from_quat(np.roll(p, -1, axis=1)).as_matrix()
    np.testing.assert_allclose(rotations, runs[1].field("rod", "R")[-1], atol=tolerances.GROUPS_OF_A_ROD)


@pytest.mark.slow
def test_load_kinks_are_step_boundaries() -> None:
    """For any step size, and for kinks that were moved after compiling."""
    s = flying_spaghetti.build(4).derive().compile()
    solution = sl.solve(s, 6.0, h=0.0047)
    assert {2.5, 5.0, 6.0} <= set(solution.t)
    assert np.diff(solution.t).max() <= 0.0047
    moved = sl.solve(s.with_parameters(load_times=[0, 1 / 3, 0.7]), 1.0, h=0.0047)
    assert {1 / 3, 0.7} <= set(moved.t)
    assert 2.5 not in moved.t


def test_elements_can_have_separate_parameters() -> None:
    """Lengths, full stiffness matrices and inertias that vary along a rod enter the energies element by element."""
    s = system("tapered")
    q, v = random_state(s, 3)
    segment = s.layout.element_parameters[[e.name for e in s.layout.elements].index("rod_segment")]
    assert segment.shape == (5, 1 + 36 + 6 + 6)
    x = q.reshape(-1, 7)
    theta = s.kernels.difference(q, np.vstack([x[1:], x[-1:]]).ravel()).reshape(-1, 6)[:-1]
    potential = 0.0
    for row, angle in zip(segment, theta, strict=True):
        length, stiffness, reference = row[0], row[1:37].reshape(6, 6), row[43:]
        strain = angle / length - reference
        potential += length * strain @ stiffness @ strain / 2
    section = s.layout.element_parameters[[e.name for e in s.layout.elements].index("rod_section")]
    weights = section[:, 0]
    assert weights.sum() == pytest.approx(segment[:, 0].sum())
    assert np.ptp(segment[:, 0]) > 0.1
    potential -= float(np.sum(weights * section[:, 4] * (x[:, 4:] @ np.array([1, 2, -9.81]))))
    kinetic = float(np.sum(weights[:, None] * section[:, 1:7] * v.reshape(-1, 6) ** 2)) / 2
    np.testing.assert_allclose(s.kernels.energy(s.prepared, 0.0, q, v), [kinetic, potential], rtol=tolerances.KERNEL)


def test_components_can_be_constrained_by_index() -> None:
    """Twist and extension constrained, all else free: rows are the components of θ - Δs w* in increasing order."""
    s = system("tapered")
    solution = sl.solve(s, 20 * STEP, h=STEP)
    x = solution.q[-1].reshape(-1, 7)
    theta = s.kernels.difference(solution.q[-1], np.vstack([x[1:], x[-1:]]).ravel()).reshape(-1, 6)[:-1]
    lengths = s.layout.element_parameters[[e.name for e in s.layout.elements].index("rod_segment")][:, 0]
    strain = theta - lengths[:, None] * np.array([0, 0, 0, 0, 0, 1])
    assert np.abs(strain[:, [2, 5]]).max() < tolerances.TOPOLOGY_CONSTRAINT
    assert np.abs(strain[:, [0, 1, 3, 4]]).max(axis=0).min() > 1e-6


def test_unused_element_type_is_omitted() -> None:
    """One body has no neighbour to be joined to: it spins freely."""
    s = topologies.springs(1).derive().compile(backend="numpy")
    assert [e.name for e in s.layout.elements] == ["body"]
    solution = sl.solve(s, 10 * STEP, h=STEP)
    np.testing.assert_array_equal(solution.v[:, 3:], 0.0)
    assert np.ptp(solution.outputs["energy"]) < tolerances.ROD_BACKENDS


@pytest.mark.slow
def test_moving_support_needs_no_mass() -> None:
    """A pendulum whose pivot is prescribed, against one whose link ends at a function of time."""

    def pendulum(*, prescribed: bool) -> sl.Model:
        model = sl.Model("pendulum")
        bob = model.node_array("bob", "R3", 1)
        bob.initial(x=(0, 0, -1))
        mass = sl.ElementType("mass", node="R3")
        mass.kinetic_energy(mass.node.x_dot.dot(mass.node.x_dot) / 2)
        mass.potential_energy(9.81 * mass.node.x[2])
        model.add(mass, bob)
        if prescribed:
            support = model.node_array("support", "R3", 1)
            model.prescribe(support[0], x=[1 - sl.cos(3 * model.t), 0, 0])
            link = sl.ElementType("link", end="R3", bob="R3")
            rod, nodes = link.end.x - link.bob.x, [(support[0], bob[0])]
        else:
            link = sl.ElementType("link", bob="R3")
            rod, nodes = sl.vector(1 - sl.cos(3 * link.t), 0, 0) - link.bob.x, list(bob)
        link.constraint("length", (rod.dot(rod) - 1) / 2)
        model.add(link, nodes)
        return model

    runs = [sl.solve(pendulum(prescribed=p).derive().compile(), 1.0, h=5e-3).field("bob", "x") for p in (True, False)]
    np.testing.assert_allclose(runs[0], runs[1], atol=tolerances.PRESCRIBED_AGAINST_CONSTRAINED)
    assert np.ptp(runs[0][:, 0, 0]) > 0.5


@pytest.mark.slow
def test_individual_bodies_conserve_energy() -> None:
    """Eight bodies on two groups with products of inertia: M has full blocks, and the system is solved as a band."""
    s = system("bodies_one_by_one")
    assert not s.layout.is_fixed
    solution = sl.solve(s, 1.0, h=1e-3, record_every=50)
    energy = solution.outputs["energy"]
    assert np.ptp(energy) < tolerances.TOPOLOGY_INVARIANT * abs(energy[0])
    assert np.abs(solution.v[-1] - solution.v[0]).max() > 1
