"""Rods on R⁴ × R³: Euler parameters with p·p = 1 at each node, Euler angles, and the same rods on S³ × R³."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.derive.equations import Equations
from symlie.errors import ModelError
from symlie.models import roll_up
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from symlie.view.lines import lines_of, strains
from symlie.view.poses import tracks
from symlie.view.scene import scene_of
from tests import tolerances
from tests.rods import topologies
from tests.rods.problems import random_state

SEGMENTS = 3
CONSTRAINTS = ("none", "kirchhoff", pytest.param("inextensible", marks=pytest.mark.slow))
EULER_PARAMETERS = "euler_parameters"
ANGLES = "euler_angles_zxz"
TURN = sl.rotation(quaternion=topologies.leaning(np.pi / 2))


def model(coordinates: str | None, constraint: str = "none", segments: int = SEGMENTS, **more: Any) -> sl.Model:
    """A free damped rod with its weight and loads at its end."""
    found = sl.Model("flexible")
    rod = sl.CosseratRod(
        found, "rod", segments=segments, length=1.0, stiffness=topologies.STIFFNESS, inertia=topologies.INERTIA,
        damping=0.01, gravity=(1, 2, -3), position=lambda s: (s, 0, 0), orientation=TURN, constraint=constraint,
        group="S3xR3", coordinates=coordinates, **more,
    )  # fmt: skip
    rod.end_load("end", force=(0.02, 0.03, -0.01), moment=(0.01, -0.02, 0.03), following=True)
    rod.load(force=(0, rod.s, 0))
    return found


@functools.cache
def system(coordinates: str | None, constraint: str = "none", backend: str = "numpy") -> System:
    """The rod, ready to run."""
    return model(coordinates, constraint).derive().compile(backend=backend)


def times(a: Array, omega: Array) -> Array:
    """a∘(0, ω)/2 for rows of quaternions: the rate of p at p = a."""
    w, e = a[:, :1], a[:, 1:]
    return np.hstack([-np.sum(e * omega, axis=1, keepdims=True), w * omega + np.cross(e, omega)]) / 2


def as_rates(q: Array, v: Array) -> Array:
    """Velocities [Ω; ẋ] as [ṗ; ẋ]."""
    nodes, moving = q.reshape(-1, 7), v.reshape(-1, 6)
    return np.hstack([times(nodes[:, :4], moving[:, :3]), moving[:, 3:]]).ravel()


@pytest.mark.slow
@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_accelerations_equal_those_on_the_group(constraint: str) -> None:
    """p'' = p∘(0, Ω')/2 + p'∘(0, Ω)/2; λ of p·p = 1 is twice the kinetic energy of the turning cross section."""
    group, classical = system(None, constraint), system(EULER_PARAMETERS, constraint)
    inner = classical.layout.rows - (SEGMENTS + 1)
    for seed in range(3):
        q, v = random_state(group, seed)
        if inner:
            a, forces = group.mechanics.index1(0.0, q, v)
        else:
            mass, force = group.kernels.mass(group.prepared, 0.0, q), -group.kernels.force(group.prepared, 0.0, q, v)
            a, forces = group.algebra.solve_mass(mass, force), np.zeros(0)
        found, multipliers = classical.mechanics.index1(0.0, q, as_rates(q, v))
        moving, rates = a.reshape(-1, 6), as_rates(q, v).reshape(-1, 7)
        turning = times(q.reshape(-1, 7)[:, :4], moving[:, :3]) + times(rates[:, :4], v.reshape(-1, 6)[:, :3])
        scale = np.abs(a).max()
        np.testing.assert_allclose(
            found.reshape(-1, 7), np.hstack([turning, moving[:, 3:]]), atol=tolerances.ROD_BACKENDS * scale
        )
        weight = np.array([0.5, *[1] * (SEGMENTS - 1), 0.5]) / SEGMENTS
        energies = weight * np.sum(np.array(topologies.INERTIA)[:3] * v.reshape(-1, 6)[:, :3] ** 2, axis=1)
        unit = multipliers_of(classical, multipliers, "unit_length")
        np.testing.assert_allclose(unit, energies, atol=tolerances.ROD_BACKENDS_MULTIPLIERS * scale)
        rest = multipliers_of(classical, multipliers, "rod_segment")
        np.testing.assert_allclose(rest, forces, atol=tolerances.ROD_BACKENDS_MULTIPLIERS * scale)


def multipliers_of(found: System, multipliers: Array, element: str) -> Array:
    """Multipliers of the element types whose name begins so."""
    rows = [
        np.full(i.count * e.rows, e.name.startswith(element))
        for i, e in zip(found.layout.instances, found.layout.elements, strict=True)
    ]
    return multipliers[np.concatenate(rows)]


@pytest.mark.slow
def test_mass_has_the_rank_of_rotations() -> None:
    """M(q) = Gᵀ J G has p in its kernel at each node, and the saddle point matrix has none."""
    found = system(EULER_PARAMETERS)
    q, _ = random_state(system(None), 1)
    units = np.eye(found.layout.dimension)

    def twice_the_energy(v: Array) -> float:
        return 2 * float(found.kernels.energy(found.prepared, 0.0, q, v)[0])

    M = np.array([[(twice_the_energy(a + b) - twice_the_energy(a - b)) / 4 for b in units] for a in units])
    for k, node in enumerate(q.reshape(-1, 7)):
        direction = np.zeros(len(M))
        direction[7 * k : 7 * k + 4] = node[:4]
        assert np.abs(M @ direction).max() < tolerances.ROD_BACKENDS
    assert np.linalg.matrix_rank(M) == 6 * (SEGMENTS + 1)
    jacobian = np.zeros((SEGMENTS + 1, len(M)))
    for k, node in enumerate(q.reshape(-1, 7)):
        jacobian[k, 7 * k : 7 * k + 4] = 2 * node[:4]
    whole = np.block([[M, jacobian.T], [jacobian, np.zeros((SEGMENTS + 1, SEGMENTS + 1))]])
    assert np.linalg.matrix_rank(whole) == len(whole)


@functools.cache
def run(coordinates: str | None, constraint: str = "none", backend: str = "numpy") -> Solution:
    """A short motion from given angular velocities."""
    stated = model(coordinates, constraint)
    (rod,) = (a for a in stated.arrays if a.name == "rod")
    rod.initial(Omega=lambda k: (0.3 * k, 1, 0.5 * k), x_dot=lambda k: (0.1 * k, 0, 0.1))
    return sl.solve(stated.derive().compile(backend=backend), 0.05, method="half_explicit_5", h=1 / 1024)


@pytest.mark.slow
@pytest.mark.parametrize("coordinates", [EULER_PARAMETERS, ANGLES])
def test_rod_states_and_section_forces_agree(coordinates: str) -> None:
    expected, found = run(None), run(coordinates)
    points = np.linspace(0, 1, 8)
    a, b = (r.at("rod", points, [0.01, 0.05]) for r in (expected, found))
    for name in ("x", "x_dot", "Omega"):
        np.testing.assert_allclose(b.field(name), a.field(name), atol=tolerances.CLASSICAL_ROD)
    turned = Rotation.from_quat(np.roll(a.field("p").reshape(-1, 4), -1, axis=1))
    if coordinates == EULER_PARAMETERS:
        np.testing.assert_allclose(np.linalg.norm(b.field("p"), axis=2), 1, atol=tolerances.ROD_BACKENDS)
        mine = Rotation.from_quat(np.roll(b.field("p").reshape(-1, 4), -1, axis=1))
    else:
        mine = Rotation.from_euler("ZXZ", b.field("angles_zxz").reshape(-1, 3))
    assert (turned.inv() * mine).magnitude().max() < tolerances.CLASSICAL_ROD
    for field in ("strain", "section_force"):
        for frame in ("body", "space"):
            values = [r.field("rod", field, frame=frame) for r in (expected, found)]
            np.testing.assert_allclose(values[1], values[0], atol=tolerances.CLASSICAL_ROD * topologies.STIFFNESS[-1])
    for name in ("linear_momentum", "angular_momentum"):
        np.testing.assert_allclose(found.outputs[name], expected.outputs[name], atol=tolerances.CLASSICAL_ROD)


def test_views_show_the_same_rod() -> None:
    (expected,), (found,) = (lines_of(r, tracks(r)) for r in (run(None), run(EULER_PARAMETERS)))
    np.testing.assert_allclose(found.positions, expected.positions, atol=tolerances.CLASSICAL_ROD)
    for (name, _, mine), (same, _, theirs) in zip(strains(found), strains(expected), strict=True):
        assert name == same
        np.testing.assert_allclose(mine, theirs, atol=tolerances.CLASSICAL_ROD)
    for a, b in zip(tracks(run(EULER_PARAMETERS)), tracks(run(None)), strict=True):
        np.testing.assert_allclose(a.spin, b.spin, atol=tolerances.CLASSICAL_ROD)
    assert scene_of([run(EULER_PARAMETERS)])


@pytest.mark.parametrize("method", [pytest.param("generalized_alpha", marks=pytest.mark.slow), "half_explicit_5"])
def test_both_backends_agree(method: str) -> None:
    runs = [
        sl.solve(system(EULER_PARAMETERS, "kirchhoff", backend), 0.01, method=method, h=1e-3)
        for backend in ("c", "numpy")
    ]
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=tolerances.ROD_BACKENDS)


@pytest.mark.slow
def test_clamped_and_prescribed_nodes_have_no_unit_length() -> None:
    """Their coordinates are no unknowns; a row p·p = 1 of them would have no Jacobian."""
    found = roll_up.build(3, coordinates=EULER_PARAMETERS).derive().compile(backend="numpy")
    assert found.layout.rows == 3
    moved = sl.solve(found, 0.01, method="half_explicit_5", h=0.005)
    assert np.abs(moved.field("rod", "p")[-1, -1] - moved.field("rod", "p")[0, -1]).max() > 1e-6
    driven = sl.Model("driven")
    base, bob = (
        sl.RigidBody(driven, name, 1.0, [1, 1, 1], coordinates=EULER_PARAMETERS, position=[k, 0, 0])
        for k, name in enumerate(("base", "bob"))
    )
    driven.prescribe(base.node, p=[1, 0, 0, 0], x=[0, 0, sl.sin(driven.t)])
    sl.SphericalJoint(driven, "pivot", base, bob, at=[0, 0, 0])
    assert driven.derive().compile(backend="numpy").layout.rows == 4


@pytest.mark.slow
def test_equilibrium_equals_the_one_on_the_group() -> None:
    def rest(coordinates: str | None) -> Array:
        stated = sl.Model("cantilever")
        rod = sl.CosseratRod(
            stated, "rod", segments=3, length=1.0, stiffness=topologies.STIFFNESS, inertia=topologies.INERTIA,
            position=lambda s: (s, 0, 0), orientation=TURN, gravity=(1, 2, -3), group="S3xR3", coordinates=coordinates,
        )  # fmt: skip
        rod.clamp("start")
        return stated.derive().compile(backend="numpy").static_equilibrium().q

    np.testing.assert_allclose(rest(EULER_PARAMETERS), rest(None), atol=tolerances.EQUILIBRIUM)


@pytest.mark.slow
def test_code_size_is_independent_of_the_segments() -> None:
    sizes = [
        {k.signature.name: len(k.body.instructions) for e in emitted.types.element_types for k in e.kernels}
        for emitted in (Equations(model(EULER_PARAMETERS, "kirchhoff", n)).emitted for n in (3, 30))
    ]
    assert sizes[0] == sizes[1]


@pytest.mark.slow
def test_rods_can_be_joined_at_an_angle() -> None:
    """Initial strains and rotations at joined ends do not depend on the coordinates."""

    def accelerations(coordinates: str | None) -> Array:
        stated = sl.Model("corner")
        first = sl.CosseratRod(
            stated, "first", segments=2, length=1.0, stiffness=topologies.STIFFNESS, inertia=topologies.INERTIA,
            position=lambda s: (s, 0, 0), orientation=TURN, group="S3xR3", coordinates=coordinates,
        )  # fmt: skip
        second = sl.CosseratRod(
            stated, "second", segments=2, length=1.0, position=lambda s: (1, s, 0.1 * s * s),
            orientation=lambda s: sl.rotation(vector=[-np.pi / 2 + 0.2 * s, 0, 0]), first=first[-1], like=first,
            reference_strain="initial",
        )  # fmt: skip
        second.end_load("end", force=(0.1, 0.2, 0.3))
        found = stated.derive().compile(backend="numpy")
        assert found.layout.curves["second"].end_rotations[0]
        q = found.initial_state.q
        if coordinates:
            return found.mechanics.index1(0.0, q, np.zeros(found.layout.dimension))[0].reshape(-1, 7)
        mass, force = (
            found.kernels.mass(found.prepared, 0.0, q),
            found.kernels.force(found.prepared, 0.0, q, np.zeros(found.layout.dimension)),
        )
        a = found.algebra.solve_mass(mass, -force).reshape(-1, 6)
        return np.hstack([times(q.reshape(-1, 7)[:, :4], a[:, :3]), a[:, 3:]])

    expected = accelerations(None)
    assert np.abs(expected).max() > 1
    np.testing.assert_allclose(
        accelerations(EULER_PARAMETERS), expected, atol=tolerances.ROD_BACKENDS * np.abs(expected).max()
    )


@pytest.mark.slow
def test_composition_is_independent_of_the_coordinates() -> None:
    """log(a⁻¹∘b) of nodes with Euler parameters is the relative rotation vector, not a difference of p."""
    found = []
    for coordinates in (None, EULER_PARAMETERS, ANGLES):
        stated = sl.Model("two")
        nodes = [
            sl.RigidBody(stated, name, 1.0, [1, 2, 3], "S3xR3", coordinates=coordinates, orientation=turn)
            for name, turn in (("a", sl.rotation(vector=[0.3, 0.2, 0.1])), ("b", sl.rotation(vector=[-0.4, 0.5, 0.6])))
        ]
        theta = (nodes[0].node.inverse() * nodes[1].node).log()
        stated.potential_energy(theta[:3, :].dot(theta[:3, :]))
        stated.output("angle", theta[:3, :])
        stated.output("rate", stated.rate(theta[:3, :]))
        found.append(sl.solve(stated.derive().compile(backend="numpy"), 0.1, method="half_explicit_5", h=0.01))
    turns = [Rotation.from_rotvec(v) for v in ([0.3, 0.2, 0.1], [-0.4, 0.5, 0.6])]
    np.testing.assert_allclose(found[0].outputs["angle"][0], (turns[0].inv() * turns[1]).as_rotvec(), atol=1e-14)
    for other in found[1:]:
        for name in ("angle", "rate"):
            np.testing.assert_allclose(other.outputs[name], found[0].outputs[name], atol=tolerances.CLASSICAL_ROD)


def test_initial_velocities_of_arrays_are_set() -> None:
    stated = sl.Model("spinning")
    nodes = stated.node_array("nodes", "SO3xR3", 2, coordinates=EULER_PARAMETERS)
    nodes.initial(Omega=[[1, 2, 3], [4, 5, 6]])
    nodes.initial(p=[[0, 1, 0, 0], [0.6, 0, 0.8, 0]])
    np.testing.assert_allclose(nodes.velocity[:, :4], times(nodes.storage[:, :4], np.array([[1, 2, 3], [4, 5, 6]])))
    with pytest.raises(ModelError, match=r"^The initial velocity of 'nodes' is given twice, as Omega and as p_dot\.$"):
        nodes.initial(Omega=[1, 0, 0], p_dot=[0, 0, 0, 0])
    nodes.initial(p_dot=[0, 0, 0, 0])
    assert not nodes.velocity.any()


def test_rod_like_another_shares_its_coordinates() -> None:
    stated = model(EULER_PARAMETERS)
    first = sl.CosseratRod(
        stated, "second", segments=2, length=1.0, stiffness=topologies.STIFFNESS, inertia=topologies.INERTIA,
        position=lambda s: (s, 0, 0), orientation=TURN, group="S3xR3", coordinates=EULER_PARAMETERS,
    )  # fmt: skip
    third = sl.CosseratRod(
        stated, "third", segments=2, length=1.0, position=lambda s: (s, 0, 0), orientation=TURN, like=first
    )
    assert third.nodes.group is first.nodes.group
    with pytest.raises(ModelError, match=r"^Rod 'fourth' takes the constraint and the group of rod 'second'"):
        sl.CosseratRod(
            stated, "fourth", segments=2, length=1.0, position=lambda s: (s, 0, 0), orientation=TURN, like=first,
            coordinates=EULER_PARAMETERS,
        )  # fmt: skip
