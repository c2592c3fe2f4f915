"""Solutions at points of rods: geodesics between nodes, straight lines between velocities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.curve_states import interpolated
from symlie.runtime.solution.solution import Solution
from tests import tolerances
from tests.rods.problems import random_state, spaghetti_system
from tests.rods.topologies import INERTIA, STIFFNESS, ring, tapered


def placed(storage: Array) -> Array:
    """A quaternion (scalar first) and a position as a matrix of SE(3)."""
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_quat(np.roll(storage[:4], -1)).as_matrix()
    matrix[:3, 3] = storage[4:]
    return matrix


def semidirect(left: Array, right: Array, xi: float) -> Array:
    """a∘exp(ξ log(a⁻¹∘b)) on S³⋉R³, whose elements are displacements, by matrix functions."""
    a, b = placed(left), placed(right)
    return np.asarray(a @ expm(xi * np.real(logm(np.linalg.solve(a, b)))))


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_geodesics_connect_unequal_nodes(backend: str) -> None:
    """More points than nodes, two states, and one of two signs of a quaternion, which is the same rotation."""
    system = tapered().derive().compile(backend=backend)
    curve = system.layout.curves["rod"]
    states = [random_state(system, seed) for seed in (1, 2)]
    q, v = (np.array(part) for part in zip(*states, strict=True))
    middle = curve.arc[:-1] + 0.3 * np.diff(curve.arc)
    s = np.concatenate([middle, curve.arc, middle[::-1]])
    found, rates = interpolated(system, curve, q, v, s)
    left, right = q[:, curve.storage[:-1]], q[:, curve.storage[1:]]
    for n, k in np.ndindex(*left.shape[:2]):
        expected = semidirect(left[n, k], right[n, k], 0.3)
        assert placed(found[n, k]) == pytest.approx(expected, abs=tolerances.OBSERVED)
    nodes = slice(len(middle), len(middle) + len(curve.arc))
    assert np.array_equal(found[:, nodes], q[:, curve.storage]), "at nodes to the bit"
    assert np.array_equal(found[:, : len(middle)], found[:, nodes.stop :][:, ::-1])
    straight = 0.7 * v[:, curve.velocity[:-1]] + 0.3 * v[:, curve.velocity[1:]]
    assert rates[:, : len(middle)] == pytest.approx(straight, abs=tolerances.OBSERVED)
    q[:, curve.storage[2, :4]] *= -1
    turned, _ = interpolated(system, curve, q, v, middle)
    same = [placed(x) for x in turned.reshape(-1, 7)], [placed(x) for x in found[:, : len(middle)].reshape(-1, 7)]
    assert same[0] == pytest.approx(np.array(same[1]), abs=tolerances.OBSERVED)


@pytest.fixture(scope="module")
def spaghetti() -> Solution:
    """Four steps of a free rod with four segments."""
    return sl.solve(spaghetti_system(4, backend="numpy"), 2**-4, h=2**-6)


def test_interpolated_fields_have_their_shapes(spaghetti: Solution, tmp_path: Path) -> None:
    nodes = spaghetti.at("rod", [0, 2.5, 5, 7.5, 10], spaghetti.t)
    assert np.array_equal(nodes.q, spaghetti.configuration("rod"))
    assert np.array_equal(nodes.v, spaghetti.velocity("rod"))
    between = spaghetti.at("rod", np.array([0.0, 10.0]), 0.02)
    assert np.array_equal(between.field("x"), spaghetti([0.02]).field("rod", "x")[0, [0, -1]])
    alone = spaghetti.at("rod", 1.0, [0.02, 0.03])
    assert alone.q.shape == (2, 7) and alone.field("Omega").shape == (2, 3) and repr(alone).startswith("CurveStates")
    assert spaghetti.at("rod", 1.0, 0.02).field("p").shape == (4,)
    assert spaghetti.at("rod", [], []).q.shape == (0, 0, 7)
    spaghetti.save(tmp_path / "rod.nc")
    assert np.array_equal(sl.load_solution(tmp_path / "rod.nc", trust=True).at("rod", 1.0, 0.03).q, alone.q[1])


def test_missing_curves_are_reported(spaghetti: Solution) -> None:
    with pytest.raises(UnknownNameError, match=r"^Model 'flying_spaghetti' has no rod or other curve 'x'; .*: rod\."):
        spaghetti.at("x", 0.0, 0.0)
    with pytest.raises(ModelError, match=r"^Curve 'rod' has arc lengths from 0 m to 10 m, not 10\.5 m\."):
        spaghetti.at("rod", [1.0, 10.5], 0.0)
    with pytest.raises(ModelError, match=r"^The solution is from 0 to 0\.0625"):
        spaghetti.at("rod", 1.0, 0.1)
    with pytest.raises(UnknownNameError, match=r"^Curve 'rod' has no field 'm'; it has: p, x, Omega, U\."):
        spaghetti.at("rod", 1.0, 0.0).field("m")


def test_rotation_matrices_between_nodes_belong_to_the_quaternions(spaghetti: Solution) -> None:
    state = spaghetti.at("rod", [1.0, 7.3], [0.02, 0.03])
    quaternions = np.roll(state.field("p"), -1, axis=-1)
    expected = Rotation.from_quat(quaternions.reshape(-1, 4)).as_matrix().reshape(*quaternions.shape[:-1], 3, 3)
    np.testing.assert_allclose(state.field("R"), expected, rtol=0, atol=tolerances.ROTATION_ROUNDING)


def bar(segments: int, length: float) -> sl.System:
    """A clamped bar as a continuum."""
    model = sl.Model("bar")
    bar = sl.Continuum(model, "bar", sl.SO2, length=length)
    bar.kinetic_density(0.02 * bar.v.dot(bar.v) / 2)
    bar.potential_density(30 * bar.w.dot(bar.w) / 2)
    bar.clamp("start")
    bar.discretize(segments)
    return model.derive().compile(backend="numpy")


@pytest.mark.slow
@pytest.mark.parametrize("length", [2.0, 0.3])
def test_states_at_the_end_are_exact(length: float) -> None:
    """Lengths of segments add up to the length but for rounding, to less of it or to more."""
    ends = set()
    for segments in (4, 6, 7, 11, 13, 17, 19, 30, 100):
        system = bar(segments, length)
        arc = system.layout.curves["bar"].arc
        ends.add(float(np.sign(arc[-1] - length)))
        run = sl.solve(system, 1e-3, h=1e-3)
        assert np.array_equal(run.at("bar", length, 1e-3).q, run.at("bar", arc[-1], 1e-3).q)
        with pytest.raises(ModelError, match=r"^Curve 'bar' has arc lengths from 0 m to"):
            run.at("bar", length * (1 + 1e-9), 1e-3)
    assert -1.0 in ends


def test_closed_rod_is_periodic() -> None:
    system = ring().derive().compile(backend="numpy")
    curve = system.layout.curves["ring"]
    assert len(curve.arc) == 13 and curve.storage[0].tolist() == curve.storage[-1].tolist()
    q, v = random_state(system, 3)
    found, _ = interpolated(system, curve, q[None], v[None], np.array([1.0 - 1 / 24]))
    ends = q[curve.storage[-2]], q[curve.storage[0]]
    assert placed(found[0, 0]) == pytest.approx(semidirect(*ends, 0.5), abs=tolerances.OBSERVED)


def bodies(group: str = "SE3") -> tuple[sl.Model, list[sl.Node]]:
    """Two free bodies."""
    model = sl.Model("two_bodies")
    nodes = [model.node(name, group) for name in ("a", "b")]
    for node in nodes:
        model.kinetic_energy(node.v.dot(node.v) / 2)
    return model, nodes


def test_user_defined_curve_is_evaluated() -> None:
    model, (a, b) = bodies()
    model.initial(a, x=[1, 0, 0], rotation=sl.rotation(vector=[0, 0, 0.2]))
    model.initial(b, x=[2, 1, 0], rotation=sl.rotation(vector=[0, 0, 1.0]))
    model.curve("way", [a, b], np.array([-1.0, 3.0]))
    system = model.derive().compile(backend="numpy")
    state = sl.solve(system, 0.1, h=0.1).at("way", 1.0, 0.0)
    rotation = Rotation.from_matrix(state.field("R"))
    assert rotation.as_rotvec() == pytest.approx([0, 0, 0.6], abs=tolerances.OBSERVED)


@pytest.mark.parametrize("coordinates", ["rotation_vector", pytest.param("euler_angles", marks=pytest.mark.slow)])
def test_parameters_with_angular_velocities_are_interpolated_on_the_group(coordinates: str) -> None:
    """Geodesics and angular velocities between nodes, and of a rod that is joined to the second node at an angle."""
    turns, spins = (
        [Rotation.from_rotvec(v) for v in ([0.5, -0.3, 0.2], [-0.4, 0.9, 0.6])],
        np.array([[1, 2, 3], [4, 0, 1]]),
    )
    model = sl.Model("two_bodies")
    a, b = (
        sl.RigidBody(
            model, name, 1.0, [1, 1, 1], coordinates=coordinates, form="angular_velocity", position=[float(k), 0, 0],
            orientation=sl.rotation(matrix=turns[k].as_matrix()), angular_velocity=spins[k],
        )
        for k, name in enumerate("ab")
    )  # fmt: skip
    model.curve("way", [a.node, b.node], [0.0, 1.0])
    sl.CosseratRod(
        model, "rod", segments=1, length=1.0, position=lambda s: (1, 0, s), orientation=sl.rotation(vector=[0, 0, 0]),
        stiffness=STIFFNESS, inertia=INERTIA, group=b.node.group, first=b.node,
    )  # fmt: skip
    solution = sl.solve(model.derive().compile(backend="numpy"), 1e-3, h=1e-3)
    between, start = solution.at("way", 0.3, 0.0), solution.at("rod", 0.0, 0.0)
    expected = turns[0] * Rotation.from_rotvec(0.3 * (turns[0].inv() * turns[1]).as_rotvec())
    assert between.field("R") == pytest.approx(expected.as_matrix(), abs=tolerances.OBSERVED)
    assert between.field("Omega") == pytest.approx(0.7 * spins[0] + 0.3 * spins[1], abs=tolerances.OBSERVED)
    assert between.field("x") == pytest.approx([0.3, 0, 0], abs=tolerances.OBSERVED)
    assert start.field("R") == pytest.approx(np.eye(3), abs=tolerances.OBSERVED)
    assert start.field("Omega") == pytest.approx(turns[1].apply(spins[1]), abs=tolerances.OBSERVED)


MISTAKES: dict[str, tuple[Callable[[Sequence[sl.Node]], tuple[list[object], list[Any]]], str]] = {
    "one node": (
        lambda n: ([n[0]], [0.0]),
        "Curve 'way' needs at least two nodes and an arc length for each, not 1",
    ),
    "lengths": (
        lambda n: ([*n], [0.0]),
        "Curve 'way' needs at least two nodes and an arc length for each, not 2",
    ),
    "order": (lambda n: ([*n], [1.0, 1.0]), r"The arc lengths of curve 'way' must be increasing numbers\."),
    "text": (lambda n: ([*n], ["a", "b"]), r"The arc lengths of curve 'way' must be increasing numbers\."),
    "no node": (lambda n: ([n[0], "b"], [0.0, 1.0]), r"Curve 'way': 'b' is not a node of 'two_bodies'\."),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_invalid_curves_are_rejected(case: str) -> None:
    model, nodes = bodies()
    stated, sentence = MISTAKES[case]
    with pytest.raises(ModelError, match=f"^{sentence}"):
        model.curve("way", *stated(nodes))


def test_curves_with_equal_names_are_rejected() -> None:
    model, (a, b) = bodies()
    other = model.node("c", sl.S3sR3)
    with pytest.raises(ModelError, match=r"^The nodes of curve 'way' must be on one Lie group; they are on "):
        model.curve("way", [a, other], [0, 1])
    model.curve("way", [a, b], [0, 1])
    with pytest.raises(ModelError, match=r"^Curve 'way' is defined twice in 'two_bodies'; rename one\."):
        model.curve("way", [b, a], [0, 1])
