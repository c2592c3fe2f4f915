"""The rods, trees, rings and new elements of the README, as a person would write them."""

from __future__ import annotations

import functools
from math import cos, pi, sin

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.solution import Solution
from tests import tolerances


def rope_with_body() -> sl.Model:
    """A rope clamped at one end with a rigid body at the other."""
    model = sl.Model("rope_with_body")
    rope = sl.CosseratRod(
        model, "rope", segments=20, length=1.0, constraint="inextensible", gravity=(0, 0, -9.81),
        stiffness=[0.02, 0.02, 0.02, 1e3, 1e3, 1e3], inertia=[1e-4, 1e-4, 2e-4, 0.2, 0.2, 0.2],
        position=lambda s: (s, 0, 0), orientation=(0.5**0.5, 0, 0.5**0.5, 0),
    )  # fmt: skip
    rope.nodes.fix(0)

    body = sl.ElementType("body", node=sl.S3sR3)
    m = body.parameter("mass", 0.5, unit="kg")
    J = body.parameter("inertia", [1e-3, 2e-3, 2e-3], unit="kg m^2")
    c = body.parameter("centre", [0, 0, 0.05], unit="m")
    q = body.node
    velocity = q.U + q.Omega.cross(c)
    body.kinetic_energy((m * velocity.dot(velocity) + q.Omega.dot(sl.diag(J) * q.Omega)) / 2)
    body.potential_energy(9.81 * m * (q.x + q.R * c)[2])
    model.add(body, [rope[-1]])
    return model


def rod_tree() -> sl.Model:
    """Three rods that meet in a node."""
    model = sl.Model("rod_tree")
    trunk = sl.CosseratRod(
        model, "trunk", segments=8, length=1.0, constraint="kirchhoff", gravity=(2, 0, -9.81),
        stiffness=[20, 20, 15, 2e3, 2e3, 2e3], damping=0.01, inertia=[0.01, 0.01, 0.02, 0.5, 0.5, 0.5],
        position=lambda s: (0, 0, s), orientation=(1, 0, 0, 0),
    )  # fmt: skip
    trunk.nodes.fix(0)
    for name, a in ("left", -0.6), ("right", 0.9):
        sl.CosseratRod(
            model, name, segments=6, length=0.7, like=trunk, first=trunk[-1], reference_strain="initial",
            stiffness=[10, 10, 7, 1e3, 1e3, 1e3],
            position=lambda s, a=a: (s * sin(a), 0, 1 + s * cos(a)), orientation=(cos(a / 2), 0, sin(a / 2), 0),
        )  # fmt: skip
    return model


def closed_ring() -> sl.Model:
    """A ring, hung at one node."""
    model = sl.Model("closed_ring")
    r = 0.3
    ring = sl.CosseratRod(
        model, "ring", segments=24, length=2 * pi * r, closed=True, constraint="kirchhoff", gravity=(0, 1, -9.81),
        stiffness=[0.3, 0.3, 0.2, 1e3, 1e3, 1e3], inertia=[0.01, 0.01, 0.02, 0.5, 0.5, 0.5], reference_strain="initial",
        position=lambda s: (-r * cos(s / r), 0, r * sin(s / r)),
        orientation=lambda s: (cos(s / r / 2), 0, sin(s / r / 2), 0),
    )  # fmt: skip
    ring.nodes.fix(6)
    return model


def springs() -> sl.Model:
    """A new element, a spring with the logarithm on SE(3) as strain, between three bodies."""
    model = sl.Model("springs")
    bodies = model.node_array("bodies", sl.SE3, 3)
    bodies.initial(x=[[0, 0, 0], [0.6, 0, 0], [1.0, 0.1, 0]], Omega=[[0, 0, 1], [1, 0, 0], [0, 2, 0]])
    body = sl.ElementType("body", node=sl.SE3)
    body.kinetic_energy((2 * body.node.U.dot(body.node.U) + body.node.Omega.dot(body.node.Omega) / 10) / 2)
    q = body.node
    body.output("momentum", 2 * q.R * q.U)
    model.add(body, bodies)

    spring = sl.ElementType("spring", left=sl.SE3, right=sl.SE3)
    k = spring.parameter("stiffness", [5, 5, 5, 100, 100, 100], unit="N m, N/m")
    rest = spring.parameter("rest", [0, 0, 0, 0.5, 0, 0], unit="rad, m")
    strain = (spring.left.inverse() * spring.right).log() - rest
    spring.potential_energy(strain.dot(sl.diag(k) * strain) / 2)
    model.add(spring, [(bodies[0], bodies[1]), (bodies[1], bodies[2])])
    return model


@functools.cache
def run(name: str, h: float) -> Solution:
    """One of the models above for half a second."""
    return sl.solve(globals()[name]().derive().compile(), 0.5, h=h, record_every=25)


def test_a_rope_with_a_body() -> None:
    """Nothing is lost, the rope keeps its length, and the tension at rest of the hanging body is its weight."""
    solution = run("rope_with_body", 1e-3)
    kinetic = [solution.system.kernels.energy(solution.system.prepared, 0.0, q, v)[0]
               for q, v in zip(solution.q, solution.v, strict=True)]  # fmt: skip
    assert max(kinetic) > 1
    assert np.ptp(solution.outputs["energy"]) < tolerances.README_DRIFT
    x = solution.field("rope", "x")
    assert x[-1, -1, 2] < -0.5
    chords = np.linalg.norm(np.diff(x, axis=1), axis=2)
    assert np.all(chords < 0.05 * (1 + 1e-9))
    assert np.all(chords > 0.05 * 0.9)
    assert solution.statistics.max_velocity_residual < tolerances.ROD_HIDDEN


def test_a_hanging_rope_carries_its_load() -> None:
    """Hung straight down, the multipliers are the forces in the rope: shear, which vanishes, and tension."""
    model = rope_with_body()
    rope = next(a for a in model.arrays if a.name == "rope")
    rope.initial(x=lambda k: (0, 0, -0.05 * k), p=(0, 1, 0, 0))
    state = model.derive().compile(backend="numpy").initial_state
    forces = state.multipliers.reshape(20, 3)
    carried = 0.5 + 0.2 * 0.05 * (20 - np.arange(20) - 0.5)
    np.testing.assert_allclose(forces[:, 2], 9.81 * carried, rtol=1e-12)
    np.testing.assert_allclose(forces[:, :2], 0.0, atol=1e-12)


def test_three_rods_that_meet() -> None:
    """The branches start without stress, hold on to the trunk's end, and sway; damping takes energy only."""
    solution = run("rod_tree", 1e-3)
    system = solution.system
    start = system.initial_state
    potential = system.kernels.energy(system.prepared, 0.0, start.q, start.v)[1]
    weight = 9.81 * 0.5 * (1.0 * 0.5 + 0.7 * 2 + 0.7**2 * (cos(0.6) + cos(0.9)) / 2)
    lean = -2 * 0.5 * 0.7**2 * (sin(0.9) - sin(0.6)) / 2
    assert potential == pytest.approx(weight + lean, rel=1e-12)
    assert np.all(np.diff(solution.outputs["energy"]) < 0)
    x = solution.field("trunk", "x")[:, -1]
    for name in ("left", "right"):
        neighbour = solution.field(name, "x")[:, 0]
        np.testing.assert_allclose(np.linalg.norm(neighbour - x, axis=1), 0.7 / 6, rtol=0.01)
    assert np.abs(solution.q[-1] - solution.q[0]).max() > 0.01


def test_a_closed_ring() -> None:
    """The ring keeps its energy and stays closed: the segment from the last to the first node is like all others."""
    solution = run("closed_ring", 1e-3)
    energy = solution.outputs["energy"]
    assert np.ptp(energy) < tolerances.README_DRIFT
    x = solution.field("ring", "x")
    gaps = np.linalg.norm(x - np.roll(x, 1, axis=1), axis=2)
    np.testing.assert_allclose(gaps, gaps[0, 0], rtol=0.01)
    assert np.all(x[:, 6] == x[0, 6])
    assert np.abs(solution.q[-1] - solution.q[0]).max() > 0.05


def test_a_new_element() -> None:
    """Springs keep energy and linear momentum, and both are right at the start."""
    solution = run("springs", 1e-3)
    outputs = solution.outputs
    assert np.ptp(outputs["energy"]) < tolerances.README_DRIFT
    assert np.ptp(outputs["momentum"], axis=0).max() < tolerances.README_DRIFT
    # The second spring is stretched along its axis by -0.1 and sheared by 0.1, the first stretched by 0.1.
    assert outputs["energy"][0] == pytest.approx(100 * 3 * 0.1**2 / 2 + (1 + 1 + 4) / 20)
    assert np.abs(solution.q[-1] - solution.q[0]).max() > 0.1
