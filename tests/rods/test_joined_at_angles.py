"""Rods joined at an angle: a constant rotation between the shared node and the end of the rod."""

from __future__ import annotations

import functools
import itertools
from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.runtime.layout.layout import Array
from symlie.runtime.layout.topology import links
from symlie.view.lines import lines_of
from symlie.view.poses import all_tracks
from tests import tolerances
from tests.rods.joined import CONSTRAINTS, GROUPS, cutting

ALONG_X = Rotation.from_rotvec([0, pi / 2, 0])
"""The rod points along the first inertial axis."""


def rotation(found: Rotation) -> sl.Rotation:
    """As initial values take it."""
    return sl.rotation(matrix=found.as_matrix())


def check_against_cut_rods(seed: int, group: str, constraint: object, backend: str) -> None:
    """Forces, inertia, energies and constraints equal the disconnected rods, restricted to q∘A and P v."""
    c = cutting(seed, group, constraint, backend)
    source, size = np.random.default_rng(seed), c.joined.layout.dimension
    q = c.joined.kernels.advance(c.joined.stated_values()[0], 0.3 * source.normal(size=size))
    v, a = source.normal(size=(2, size))
    t, other, moving = 0.0, c.configuration(q), c.velocity(v)
    joined, cut = c.joined.mechanics, c.cut.mechanics
    found = joined.inverse_dynamics(t, q, v, a)
    expected = c.force(cut.inverse_dynamics(t, other, moving, c.velocity(a)))
    np.testing.assert_allclose(found, expected, atol=tolerances.JOINED_RODS * np.abs(expected).max())
    np.testing.assert_allclose(
        c.joined.kernels.energy(c.joined.prepared, t, q, v), c.cut.kernels.energy(c.cut.prepared, t, other, moving),
        rtol=tolerances.JOINED_RODS,
    )  # fmt: skip
    if c.joined.layout.rows:
        found, expected = (
            np.sort(system.algebra.multiply(system.mechanics.jacobian(t, x, u), u))
            for system, x, u in ((c.joined, q, a), (c.cut, other, c.velocity(a)))
        )
        np.testing.assert_allclose(found, expected, atol=tolerances.JOINED_RODS * np.abs(expected).max())
        found, expected = (np.sort(m.constraint(t, x)) for m, x in ((joined, q), (cut, other)))
        np.testing.assert_allclose(found, expected, atol=tolerances.JOINED_RODS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("group", "constraint"), [*zip(GROUPS, CONSTRAINTS, strict=True)])
def test_joined_rods_equal_constrained_separate_rods(seed: int, group: str, constraint: object) -> None:
    check_against_cut_rods(seed, group, constraint, "numpy")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 113))
@pytest.mark.parametrize(("group", "constraint"), [*itertools.product(GROUPS, CONSTRAINTS)])
def test_random_joined_rods_equal_constrained_separate_rods(seed: int, group: str, constraint: object) -> None:
    check_against_cut_rods(seed, group, constraint, "numpy")


EI, LENGTH, FORCE = 1e3, 10.0, 1e-4
FRAME = {"length": LENGTH, "stiffness": [EI, EI, EI, 1e9, 1e9, 1e9], "inertia": [10, 10, 20, 1, 1, 1]}


SOFT = {"stiffness": [2, 3, 1.5, 40, 50, 60], "inertia": [2e-2, 3e-2, 5e-2, 0.5, 0.5, 0.5]}


def at_rest(model: sl.Model, name: str, node: int) -> Array:
    """Position of a node of a rod in equilibrium."""
    system = model.derive().compile(backend="numpy")
    size = next(f.shape[0] for f in system.layout.nodes[0].type.storage_fields if f.name == "x")
    return system.static_equilibrium().q[system.layout.curves[name].storage[node, -size:]]


def deflection(angle: float, segments: int, end: str, group: str, constraint: str) -> float:
    """Of the tip of a clamped frame of two arms, by a force out of its plane."""
    model = sl.Model("frame")
    arm = sl.CosseratRod(
        model, "arm", segments=segments, position=lambda s: (s, 0, 0), orientation=rotation(ALONG_X), group=group,
        constraint=constraint, **FRAME,
    )  # fmt: skip
    arm.clamp("start")
    turn = Rotation.from_rotvec([0, 0, angle])
    away = turn.apply([1.0, 0, 0])
    if end == "start":
        tip = sl.CosseratRod(
            model, "tip", segments=segments, first=arm[-1], like=arm, length=LENGTH,
            position=lambda s: np.array([LENGTH, 0, 0]) + s * away, orientation=rotation(turn * ALONG_X),
        )  # fmt: skip
    else:
        back = turn * Rotation.from_rotvec([0, 0, pi]) * ALONG_X
        tip = sl.CosseratRod(
            model, "tip", segments=segments, last=arm[-1], like=arm, length=LENGTH,
            position=lambda s: np.array([LENGTH, 0, 0]) + (LENGTH - s) * away, orientation=rotation(back),
        )  # fmt: skip
    free = "end" if end == "start" else "start"
    tip.end_load(free, force=[0, 0, FORCE])
    return float(at_rest(model, "tip", -1 if free == "end" else 0)[2])


def castigliano(angle: float) -> float:
    """The same by bending of both arms and torsion of the first one."""
    c = cos(angle)
    return FORCE * LENGTH**3 / EI * (1 / 3 + ((1 + c) ** 3 - c**3) / 3 + sin(angle) ** 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("angle", "end", "group", "constraint"),
    [
        (pi / 2, "start", "S3sR3", "none"),
        (pi / 2, "end", "SE3", "kirchhoff"),
        (3.0, "start", "SE3", "none"),
        (pi, "end", "S3xR3", "none"),
        (0.4, "start", "SO3xR3", "kirchhoff"),
    ],
)
def test_frames_converge_with_order_two(angle: float, end: str, group: str, constraint: str) -> None:
    coarse, fine = (abs(deflection(angle, n, end, group, constraint) / castigliano(angle) - 1) for n in (3, 6))
    assert fine < 2e-2
    assert np.log2(coarse / fine) > 2 - tolerances.ROD_ORDER_SLACK


def three_branches(segments: int) -> float:
    """Deflection of a clamped trunk by forces on three branches, which do not bend."""
    model = sl.Model("tree")
    trunk = sl.CosseratRod(
        model, "trunk", segments=segments, position=lambda s: (0, 0, s), orientation=(1, 0, 0, 0), **FRAME
    )
    trunk.clamp("start")
    for k, angle in enumerate((1.0, 2.0, pi)):
        turn = Rotation.from_rotvec([0, angle, 0])
        branch = sl.CosseratRod(
            model, f"branch{k}", segments=segments, like=trunk, first=trunk[-1], length=LENGTH,
            position=lambda s, turn=turn: np.array([0, 0, LENGTH]) + s * turn.apply([0, 0, 1]),
            orientation=rotation(turn),
        )  # fmt: skip
        branch.end_load("end", force=[0, FORCE, 0])
    return float(at_rest(model, "trunk", -1)[1])


@pytest.mark.slow
def test_trees_converge_with_order_two() -> None:
    """Forces F_k at distances L cos α_k along the trunk and L sin α_k across: F L³/3EI + F L² L cos α/2EI each."""
    exact = FORCE * LENGTH**3 / EI * sum(1 / 3 + cos(a) / 2 for a in (1.0, 2.0, pi))
    coarse, fine = (abs(three_branches(n) / exact - 1) for n in (3, 6))
    assert fine < 2e-2
    assert np.log2(coarse / fine) > 2 - tolerances.ROD_ORDER_SLACK


def free_frame(placed: Rotation, method: str = "half_explicit_5") -> sl.Solution:
    """A frame of three rods, closed by a brace between two nodes, that flies and spins; in another frame of inertia."""
    model = sl.Model("free_frame")
    first = sl.CosseratRod(
        model, "first", segments=3, length=1.0, position=lambda s: placed.apply([0, 0, s]),
        orientation=rotation(placed), **SOFT,
    )  # fmt: skip
    turns = Rotation.from_rotvec([0, 2.0, 0]), Rotation.from_rotvec([0, -pi / 2, 0])
    second = sl.CosseratRod(
        model, "second", segments=3, length=0.9, first=first[-1], like=first,
        position=lambda s: placed.apply([0, 0, 1] + s * turns[0].apply([0, 0, 1])),
        orientation=rotation(placed * turns[0]),
    )  # fmt: skip
    goal = np.array([0, 0, 1]) + 0.9 * turns[0].apply([0, 0, 1])
    sl.CosseratRod(
        model, "brace", segments=2, length=float(np.linalg.norm(goal)), first=first[0], last=second[-1], like=first,
        position=lambda s: placed.apply(s * goal / np.linalg.norm(goal)), orientation=rotation(placed * turns[1]),
        reference_strain="initial",
    )  # fmt: skip
    first.initial(Omega=(1, 2, 3), U=(1, 2, -1))
    system = model.derive().compile(backend="numpy")
    return sl.solve(system, 0.1, h=5e-4, method=method, record_every=100)


@pytest.mark.slow
def test_free_frame_keeps_its_invariants_in_any_frame() -> None:
    still = free_frame(Rotation.identity())
    for name in ("energy", "linear_momentum", "angular_momentum"):
        values = still.outputs[name]
        assert np.abs(values - values[0]).max() < tolerances.ROD_MOMENTUM * np.abs(values).max()
    assert np.abs(still.field("second", "x")[-1] - still.field("second", "x")[0]).max() > 0.05
    placed = Rotation.from_rotvec([0.4, -1.3, 2.0])
    turned = free_frame(placed)
    for name in ("first", "second", "brace"):
        expected = placed.apply(still.field(name, "x")[-1].reshape(-1, 3))
        np.testing.assert_allclose(
            turned.field(name, "x")[-1].reshape(-1, 3), expected, atol=tolerances.JOINED_RODS, rtol=0
        )


def matrices(found: Array) -> Array:
    """Rotation matrices of quaternions, scalar part first."""
    return Rotation.from_quat(np.roll(found, -1, axis=-1)).as_matrix()


@pytest.mark.slow
def test_results_at_ends_belong_to_the_rod() -> None:
    """Points, velocities, strains, links and figures use the end of the rod, not the node that it is joined to."""
    solution = free_frame(Rotation.identity())
    A = Rotation.from_rotvec([0, 2.0, 0]).as_matrix()
    at = solution.at("second", [0, 0.3], solution.t)
    node = solution.field("first", "p")[:, -1], solution.field("first", "Omega")[:, -1]
    np.testing.assert_allclose(matrices(at.field("p")[:, 0]), matrices(node[0]) @ A, atol=1e-12)
    np.testing.assert_allclose(at.field("Omega")[:, 0], node[1] @ A, atol=1e-12)
    np.testing.assert_allclose(at.field("p")[:, 1], solution.field("second", "p")[:, 0], atol=1e-12)
    assert np.abs(solution.field("second", "strain")[0]).max() < 1e-12
    strain = solution.field("second", "strain")[-1, 0, :3]
    turn = matrices(at.field("p")[-1, 0]).T @ matrices(at.field("p")[-1, 1])
    np.testing.assert_allclose(0.3 * strain, Rotation.from_matrix(turn).as_rotvec(), atol=1e-12)
    assert solution.field("brace", "section_force", frame="space").shape == (len(solution.t), 2, 6)
    assert len(links(solution.system.layout)) == 3 + 3 + 2
    line = next(k for k in lines_of(solution, all_tracks(solution)) if k.name == "second")
    assert line.rotations is not None
    np.testing.assert_allclose(matrices(line.rotations[:, 0]), matrices(node[0]) @ A, atol=1e-12)


METHODS = {"generalized_alpha": 1e-5, "bdf5_index2": 1e-6, "taylor": 1e-9, "variational_midpoint": 1e-5}
"""Methods of other kinds, with the errors of their steps."""


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_other_methods_integrate_joined_rods(method: str) -> None:
    expected = free_frame(Rotation.identity()).field("second", "x")[-1]
    found = free_frame(Rotation.identity(), method).field("second", "x")[-1]
    np.testing.assert_allclose(found, expected, atol=METHODS[method])


def test_rods_without_angle_use_the_standard_elements() -> None:
    """Also with the other quaternion of the rotation, and with values of the nodes that the rod adds alone."""
    model = sl.Model("straight")
    trunk = sl.CosseratRod(
        model, "trunk", segments=2, position=lambda s: (s, 0, 0), orientation=rotation(ALONG_X), **FRAME
    )
    half = cos(pi / 4)
    given = {"a": (-half, 0.0, -half, 0.0), "b": np.tile((1.0, 0, 0, 0), (2, 1)), "c": np.tile((1.0, 0, 0, 0), (3, 1))}
    rods = {
        name: sl.CosseratRod(
            model, name, segments=2, length=1.0, first=trunk[-1], like=trunk, position=lambda s: (LENGTH + s, 0, 0),
            orientation=value,
        )
        for name, value in given.items()
    }  # fmt: skip
    assert [bool(rods[name].end_rotations["start"]) for name in given] == [False, False, True]
    used = {part.element.name: len(part.nodes) for part in model.instances}
    assert used == {
        "trunk_section": 3 * 4 - 1, "trunk_segment": 2 * 4 - 1, "trunk_section_start": 1, "trunk_segment_start": 1
    }  # fmt: skip


def planar_frame(segments: int) -> float:
    """Deflection in the plane of a frame of two beams at a right angle."""
    model = sl.Model("planar_frame")
    beams = []
    for name, turn, position in (("arm", 0.0, lambda s: (s, 0)), ("tip", pi / 2, lambda s: (1, s))):
        beam = sl.Continuum(model, name, sl.SE2, length=1.0)
        strain = beam.w - sl.vector(0, 1, 0)
        beam.kinetic_density(beam.v.dot(beam.v) / 2)
        beam.potential_density(strain.dot(sl.diag(1, 1e7, 1e7) * strain) / 2)
        beam.initial(x=position, p=(cos(turn), sin(turn)))
        if beams:
            beam.join("start", beams[0][-1])
            beam.end_load("end", force=[1e-5, 0])
        else:
            beam.clamp("start")
        beam.discretize(segments)
        beams.append(beam)
    return float(at_rest(model, "tip", -1)[0] - 1)


@pytest.mark.slow
def test_planar_continua_join_at_angles() -> None:
    """F (L³/3EI + L³/EI): bending of the second beam, and of the first one by the moment F L."""
    coarse, fine = (abs(planar_frame(n) / (1e-5 * (1 / 3 + 1)) - 1) for n in (3, 6))
    assert fine < 2e-2
    assert np.log2(coarse / fine) > 2 - tolerances.ROD_ORDER_SLACK


@functools.cache
def hub(backend: str) -> sl.Solution:
    """Three radial rods, joined to a spinning body at different angles."""
    model = sl.Model("hub")
    body = model.node("body", sl.S3sR3)
    model.kinetic_energy(0.5 * body.U.dot(body.U) + 0.05 * body.Omega.dot(body.Omega))
    model.initial(body, Omega=(0, 0, 2.0))
    rods: list[sl.CosseratRod] = []
    for k in range(3):
        turn = Rotation.from_rotvec([0, 0, 2 * pi * k / 3]) * ALONG_X
        material = {"like": rods[0]} if rods else {"constraint": "kirchhoff", **SOFT}
        rods.append(
            sl.CosseratRod(
                model, f"rod{k}", segments=2, first=body, position=lambda s, turn=turn: s * turn.apply([0, 0, 1]),
                orientation=rotation(turn), length=1.0, **material,
            )
        )  # fmt: skip
        spin = turn.inv().apply([0, 0, 2.0])
        rods[-1].initial(Omega=spin, U=lambda s, spin=spin: s * np.cross(spin, [0, 0, 1]))
    system = model.derive().compile(backend=backend)
    return sl.solve(system, 0.05, h=5e-4, record_every=50)


@pytest.mark.slow
def test_rods_can_join_bodies_at_angles() -> None:
    """Rods that differ by a third of a turn move so, and C and NumPy agree."""
    solution = hub("numpy")
    first, second, third = (solution.field(f"rod{k}", "x")[-1] for k in range(3))
    third_of_a_turn = Rotation.from_rotvec([0, 0, 2 * pi / 3])
    np.testing.assert_allclose(third_of_a_turn.apply(first), second, atol=tolerances.JOINED_RODS)
    np.testing.assert_allclose(third_of_a_turn.apply(second), third, atol=tolerances.JOINED_RODS)
    assert np.ptp(solution.outputs["energy"]) < tolerances.ROD_MOMENTUM
    np.testing.assert_allclose(hub("c").q, solution.q, atol=tolerances.ROD_BACKENDS)


@pytest.mark.parametrize("reference", [{}, {"reference_strain": "initial"}])
def test_rotation_vector_rods_can_be_joined_at_angles(reference: dict[str, Any]) -> None:
    """Without stress in the initial configuration."""
    model = sl.Model("rotation_vectors")
    turn = Rotation.from_rotvec([0.3, 1, 0])
    other = turn * ALONG_X
    trunk = sl.CosseratRod(
        model, "trunk", segments=2, position=lambda s: s * turn.apply([0, 0, 1]), orientation=rotation(turn),
        group="SO3rvxR3", **reference, **FRAME,
    )  # fmt: skip
    sl.CosseratRod(
        model, "branch", segments=2, like=trunk, first=trunk[-1], length=1.0, orientation=rotation(other),
        position=lambda s: turn.apply([0, 0, LENGTH]) + s * other.apply([0, 0, 1]), **reference,
    )  # fmt: skip
    system = model.derive().compile(backend="numpy")
    state = system.initial_state
    assert np.abs(system.kernels.energy(system.prepared, 0.0, state.q, state.v)).max() < 1e-12
