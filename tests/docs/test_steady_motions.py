"""The bicycle of ``docs/steady_motions.md`` against the published equations, and as bodies on SE(3)."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.layout.layout import Array
from tests import tolerances
from tests.docs.pages import Session

SESSION = Session("docs/steady_motions.md")

M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])
C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
"""M x'' + v C1 x' + (g K0 + v² K2) x = 0 of lean and steer. Source: [Meijaard2007], equation (A1)."""

PUBLISHED = {
    0: (3.13164324790656, -3.13164324790656, 5.53094371765393, -5.53094371765393),
    5: (
        -0.77534188219585 + 4.46486771378823j, -0.77534188219585 - 4.46486771378823j,
        -0.32286642900409, -14.07838969279822,
    ),
}  # fmt: skip
"""Table 2 there."""


def of_paper(speed: float) -> Array:
    """Eigenvalues of the published equations."""
    stiffness, damping = 9.81 * K0 + speed**2 * K2, speed * C1
    below = -np.linalg.solve(M, np.hstack([stiffness, damping]))
    return np.asarray(np.linalg.eigvals(np.vstack([np.eye(4)[2:], below])))


def distance(found: Array, expected: Any) -> float:
    """Largest distance of an expected eigenvalue from those found, of which as many are not zero."""
    found = found[found != 0]
    assert len(found) == len(expected)
    return max(float(np.abs(found - s).min()) for s in expected)


@pytest.mark.slow
def test_code_blocks_run() -> None:
    SESSION.run()


@pytest.mark.slow
def test_bicycle_eigenvalues_match_the_benchmark() -> None:
    ride = SESSION.run()["ride"]
    for speed, published in PUBLISHED.items():
        assert distance(ride(speed).eigenvalues, published) <= tolerances.PUBLISHED_EIGENVALUES
    for speed in range(1, 11):
        linear = ride(speed)
        assert len(linear.eigenvalues) == 10
        assert distance(linear.eigenvalues, of_paper(speed)) <= tolerances.PUBLISHED_EIGENVALUES
        assert linear.is_stable is (speed in (5, 6))


def bicycle_of_bodies() -> sl.Model:
    """Four bodies on SE(3), joined by rows with a Φ; wheels roll."""
    model = sl.Model("bicycle_of_bodies")
    down, across = sl.vector(0, 0, 1), sl.vector(0, 1, 0)
    axis = sl.vector(sin(pi / 10), 0, cos(pi / 10))
    flat = sl.vector(cos(pi / 10), 0, -sin(pi / 10))  # across the steering axis
    centres = {"rear": (0, 0, -0.3), "frame": (0.3, 0, -0.9), "fork": (0.9, 0, -0.7), "front": (1.02, 0, -0.35)}
    parts = {
        "rear": (2, (0.0603, 0.12, 0.0603, 0)), "frame": (85, (9.2, 11, 2.8, 2.4)),
        "fork": (4, (0.05892, 0.06, 0.00708, -0.00756)), "front": (3, (0.1405, 0.28, 0.1405, 0)),
    }  # fmt: skip
    nodes = {name: model.node(name, sl.SE3) for name in parts}
    for name, (mass, (xx, yy, zz, xz)) in parts.items():
        w, u = nodes[name].Omega, nodes[name].U
        angular = xx * w[0] ** 2 + yy * w[1] ** 2 + zz * w[2] ** 2 + 2 * xz * w[0] * w[2]
        model.kinetic_energy((mass * u.dot(u) + angular) / 2)
        model.potential_energy(-mass * 9.81 * nodes[name].x[2])
        model.initial(nodes[name], x=list(centres[name]))

    def joint(a: str, b: str, point: Any, along: Any, others: Any) -> None:
        first, second = (nodes[n].x + nodes[n].R * (point - sl.vector(*centres[n])) for n in (a, b))
        model.constraint(f"{a}_{b}_point", first - second)
        turns = nodes[b].R * along
        model.constraint(f"{a}_{b}_axis", [(nodes[a].R * other).dot(turns) for other in others])

    joint("frame", "fork", sl.vector(1.1, 0, 0), axis, (across, flat))
    level = (sl.vector(1, 0, 0), down)
    joint("frame", "rear", sl.vector(*centres["rear"]), across, level)
    joint("fork", "front", sl.vector(*centres["front"]), across, level)
    for name, radius in ("rear", 0.3), ("front", 0.35):
        q = nodes[name]
        normal = q.R * across
        slope = down - normal * normal.dot(down)
        arm = radius * slope / sl.sqrt(slope.dot(slope))
        model.constraint(f"{name}_contact", (q.x + arm)[2])
        model.nonholonomic_constraint(f"{name}_rolling", (q.R * (q.U + q.Omega.cross(q.R.T * arm)))[:2, :])
    return model


@pytest.mark.slow
def test_bicycle_of_bodies_matches_the_benchmark() -> None:
    """Wheels are seen in axes that do not spin with them."""
    system = bicycle_of_bodies().derive().compile(backend="numpy")
    q, speed = system.own_initial()[0], 5.0
    v = np.zeros(24)
    frame = {}
    for name, radius in ("rear", 0.3), ("frame", 0), ("fork", 0), ("front", 0.35):
        part = system.layout.node(name).velocity
        v[part] = [0, -speed / radius if radius else 0, 0, speed, 0, 0]
        if radius:
            frame[name] = [0, -speed / radius, 0, 0, 0, 0]
    found = system.linearize(q, v=v, frame=frame).eigenvalues
    assert distance(found, PUBLISHED[5]) <= tolerances.PUBLISHED_EIGENVALUES


SPEED = 5.0
RATES = {"rear": -SPEED / 0.3, "front": -SPEED / 0.35}
"""Rates of wheels that roll at that speed, about the axis to the right."""


@pytest.mark.slow
def test_bicycle_with_prescribed_speed_rolls() -> None:
    """All other velocities are left out."""
    assembled = SESSION.run()["system"].with_initial("frame", x_dot=[SPEED, 0, 0]).assembled()
    v, report = assembled.initial_state.v, assembled.assembly
    rolling = np.array([0, 0, 0, SPEED, 0, 0, 0, RATES["rear"], RATES["front"]])
    assert np.abs(v - rolling).max() <= tolerances.ROLLING * SPEED
    assert report.largest_change == {}
    assert {name for name, rate in report.largest_completed.items() if rate > 1} == {"rear", "front"}
    for node in assembled.layout.nodes:
        np.testing.assert_array_equal(report.completed[node.name][0, :3], v[node.velocity][:3])
    assert sl.solve(assembled, 0.02, h=1e-3).status == "ok"


@pytest.mark.slow
def test_bicycle_with_prescribed_wheel_speed_rolls() -> None:
    assembled = SESSION.run()["system"].with_initial("rear", x_dot=[RATES["rear"]]).assembled()
    rolling = np.array([0, 0, 0, SPEED, 0, 0, 0, RATES["rear"], RATES["front"]])
    assert np.abs(assembled.initial_state.v - rolling).max() <= tolerances.ROLLING * SPEED
    assert assembled.assembly.largest_change == {} and assembled.assembly.largest_completed["frame"] > 1


@pytest.mark.slow
def test_bicycle_with_rotated_handlebar_rides_a_curve() -> None:
    """The wheels are no longer parallel, and the frame, prescribed to ride straight, turns."""
    stated = (
        SESSION.run()["system"].with_initial("frame", x_dot=[SPEED, 0, 0]).with_initial("steer", x=[0.2], x_dot=[0])
    )
    assembled = stated.assembled()
    v, report, node = assembled.initial_state.v, assembled.assembly, assembled.layout.node
    kept = [*v[node("frame").velocity][3:], *v[node("steer").velocity]]
    assert np.abs(np.array(kept) - [SPEED, 0, 0, 0]).max() <= 1e-3 * SPEED
    assert v[node("frame").velocity][2] > 0.5
    assert v[node("front").velocity][0] < 1.005 * RATES["front"]
    assert {"frame", "rear", "front"} <= set(report.largest_completed)


@pytest.mark.slow
def test_bicycle_bodies_follow_the_frame() -> None:
    system = bicycle_of_bodies().derive().compile(backend="numpy")
    assembled = system.with_initial("frame", U=[SPEED, 0, 0]).assembled()
    v, report = assembled.initial_state.v, assembled.assembly
    assert report is not None and report.largest_change == {}
    assert set(report.largest_completed) >= {"rear", "fork", "front"}
    for name in ("rear", "frame", "fork", "front"):
        expected = [0, RATES.get(name, 0), 0, SPEED, 0, 0]
        assert np.abs(v[system.layout.node(name).velocity] - expected).max() <= tolerances.ROLLING * SPEED
