"""Every kind of node is drawn where NumPy puts it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.runtime.solution.solution import Solution
from symlie.utilities.encoding import decoded
from symlie.view.outputs import output_entries
from symlie.view.poses import tracks
from tests import tolerances
from tests.view.models import BODIES, everything_moving, pendulum

IN_SPACE = [*(f"on_{group}" for group in BODIES), "angles", "parameters"]


def content(solution: Solution) -> dict[str, Any]:
    found: dict[str, Any] = solution.view().scene["solutions"][0]
    return found


def matrices(quaternions: np.ndarray) -> np.ndarray:
    return np.asarray(Rotation.from_quat(np.roll(quaternions, -1, axis=-1)).as_matrix())


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_SPACE)
def test_spatial_bodies_are_drawn(name: str) -> None:
    solution = everything_moving()
    bodies = content(solution)["bodies"]
    k = bodies["names"].index(name)
    extent = 10.0
    x, expected = decoded(bodies["positions"])[:, k], solution.field(name, "x")
    assert np.abs(x - expected).max() <= tolerances.DRAWN_POSITION * extent
    turned = matrices(decoded(bodies["rotations"])[:, k])
    assert np.abs(turned - solution.rotation(name).as_matrix()).max() <= tolerances.DRAWN_ROTATION
    # A body without forces keeps its velocity.
    drawn = decoded(bodies["velocities"])[:, k]
    moved = (expected[-1] - expected[0]) / (solution.t[-1] - solution.t[0])
    assert np.abs(drawn - moved).max() <= tolerances.DRAWN_POSITION * extent


def test_nodes_without_position_rotate_at_the_origin() -> None:
    solution = everything_moving()
    bodies = content(solution)["bodies"]
    for name in ("turned", "quaternion"):
        k = bodies["names"].index(name)
        assert not decoded(bodies["positions"])[:, k].any()
        turned = matrices(decoded(bodies["rotations"])[:, k])
        assert np.abs(turned - solution.rotation(name).as_matrix()).max() <= tolerances.DRAWN_ROTATION


def test_plane_is_at_height_zero() -> None:
    solution = everything_moving()
    found = content(solution)
    bodies, points = found["bodies"], found["points"]
    k = bodies["names"].index("flat")
    x = decoded(bodies["positions"])[:, k]
    assert np.abs(x[:, :2] - solution.field("flat", "x")).max() <= tolerances.DRAWN_POSITION * 10
    assert not x[:, 2].any()
    angle = Rotation.from_matrix(matrices(decoded(bodies["rotations"])[:, k])).as_rotvec()[:, 2]
    assert np.abs(np.unwrap(angle) - solution.angle("flat")).max() <= tolerances.DRAWN_ROTATION
    mark = decoded(points["positions"])[:, points["names"].index("mark")]
    assert np.abs(mark[:, :2] - solution.field("mark", "x")).max() <= tolerances.DRAWN_POSITION * 10
    assert not mark[:, 2].any()


def test_sphere_points_are_drawn() -> None:
    solution = everything_moving()
    (sphere,) = content(solution)["spheres"]
    q, omega = solution.field("arrow", "q"), solution.field("arrow", "omega")
    assert sphere["name"] == "arrow"
    assert np.abs(decoded(sphere["directions"])[:, 0] - q).max() <= tolerances.DRAWN_ROTATION
    assert np.abs(decoded(sphere["rates"])[:, 0] - np.cross(omega, q)).max() <= 2.0**-12


def test_signs_of_rotations_do_not_jump() -> None:
    rotations = decoded(content(everything_moving())["bodies"]["rotations"])
    assert np.sum(rotations[1:] * rotations[:-1], axis=2).min() > 0


def test_product_velocities_are_assigned_to_parts() -> None:
    model = sl.Model("pair")
    q = model.node("q", sl.direct_product(sl.SO3, sl.real_space(3), sl.SE3))
    model.kinetic_energy(q.v.dot(q.v) / 2)
    model.initial(q, x2=[1, 0, 0], x_dot=[0, 1, 0], U=[0, 0, 2], Omega3=[0, 0, 1])
    first, second = tracks(sl.solve(model.derive().compile(backend="numpy"), 0.5, h=0.1))
    assert first.velocities is not None and second.velocities is not None
    assert (first.name, second.name) == ("q.1", "q.3")
    assert np.allclose(first.velocities, [0, 1, 0]) and np.allclose(second.velocities, [0, 0, 2])


def test_momenta_are_drawn() -> None:
    model = sl.Model("spinning")
    q = model.node("body", sl.dual_space(sl.SO3))
    model.hamiltonian(q.mu.dot(sl.diag([1, 2, 3]) * q.mu) / 2)
    model.initial(q, mu=[1, 0.2, 0])
    solution = sl.solve(model.derive().compile(backend="numpy"), 1.0, h=0.1)
    found = content(solution)
    assert "bodies" not in found and "spheres" not in found
    (momentum,) = found["momenta"]
    assert np.abs(decoded(momentum["values"]) - solution.field("body", "mu")).max() <= 2.0**-16


@pytest.mark.slow
def test_joints_have_the_right_parts() -> None:
    solution = pendulum()
    found = content(solution)
    pivot, elbow = found["joints"]
    assert pivot["parts"] == elbow["parts"] == [["pin", 0], ["dial", 0]]
    assert pivot["limits"] == [-2.0, 2.0] and elbow["limits"] is None
    assert not pivot["driven"] and elbow["driven"]
    R, x = solution.rotation("rod").as_matrix(), solution.field("rod", "x")
    assert np.abs(decoded(elbow["at"]) - (x + R @ [0, 0, -0.4])).max() <= 3 * tolerances.DRAWN_POSITION
    assert np.abs(decoded(elbow["axes"][0]) - R @ [0, 1, 0]).max() <= tolerances.DRAWN_ROTATION
    assert np.abs(decoded(pivot["coordinate"]) - solution.outputs["pivot_angle"]).max() <= 2.0**-15
    assert np.abs(decoded(pivot["axes"][0]) - [0, 1, 0]).max() == 0
    (spring,) = found["lines"]
    assert spring["name"] == "spring"


def test_forces_are_arrows() -> None:
    solution = pendulum()
    arrows = {(a["name"], a["group"]): decoded(a["vectors"]) for a in content(solution)["arrows"]}
    weight = arrows["weight of rod", "loads"]
    assert np.abs(weight - [0, 0, -1.2 * 9.81]).max() <= 2.0**-12 * 1.2 * 9.81
    force = solution.outputs["elbow_force"]
    assert np.abs(arrows["elbow", "constraint forces"] - force).max() <= 2.0**-11 * np.abs(force).max()


def test_forces_of_other_constraints_are_drawn() -> None:
    model = sl.Model("bob")
    q = model.node("bob", "R3")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(9.81 * q.x[2])
    model.constraint("rod", (q.x.dot(q.x) - 1) / 2)
    model.initial(q, x=[0, 0, -1])
    solution = sl.solve(model.derive().compile(backend="numpy"), 0.1, h=0.05)
    load, arrow = content(solution)["arrows"]
    assert (load["group"], arrow["group"]) == ("loads", "constraint forces")
    assert np.abs(decoded(load["vectors"]) - [0, 0, -9.81]).max() <= 2.0**-10
    assert np.abs(decoded(arrow["vectors"]) - [0, 0, 9.81]).max() <= 2.0**-10


@pytest.mark.slow
@pytest.mark.parametrize("group", ["SO3xR3", "SE3"])
def test_loads_and_weights_are_drawn(group: str) -> None:
    model, force, moment = sl.Model("pushed"), np.array([1.0, 2.0, 3.0]), np.array([0.1, -0.2, 0.3])
    body = sl.RigidBody(
        model,
        "body",
        2.0,
        sl.inertia.box(2.0, [0.1, 0.2, 0.3]),
        group,
        reference=[-0.1, 0, 0],
        angular_velocity=[1, 2, 3],
    )
    model.gravity([0, 0, -9.81])
    model.force(force, at=body.x)
    model.torque(moment, on=body.node)
    solution = sl.solve(model.derive().compile(backend="numpy"), 0.1, h=0.05)
    arrows = {(a["name"], a["unit"]): decoded(a["vectors"]) for a in content(solution)["arrows"]}
    assert set(arrows) == {("weight of body", "N"), ("load on body", "N"), ("load on body", "N m")}
    assert np.abs(arrows["load on body", "N"] - force).max() <= 2.0**-12 * 3
    assert np.abs(arrows["load on body", "N m"] - moment).max() <= 2.0**-12


def test_events_and_outputs_are_exported() -> None:
    solution = pendulum()
    found = content(solution)
    assert [e["t"] for e in found["events"]] == [e.t for e in solution.events] and found["events"]
    energy = found["outputs"][0]
    assert energy["label"] == "energy" and energy["unit"] == "J"
    error = np.abs(decoded(energy["values"])[:, 0] - solution.outputs["energy"]).max()
    assert error <= 2.0**-23 * np.abs(solution.outputs["energy"]).max()


def test_plots_of_outputs_omit_round_off() -> None:
    """Sums whose exact values are constant are drawn constant; small values without larger ones of their unit stay."""
    model = sl.Model("sums")
    q = model.node("point", "R3")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.initial(q, x=[1, 0, 0], x_dot=[0.7, 0, 0])
    model.output("zero", 0.1 * q.x[0] * 3 - 0.3 * q.x[0], unit="m")
    model.output("one", sl.sin(9 * q.x[0]) ** 2 + sl.cos(9 * q.x[0]) ** 2, unit="m")
    model.output("small", 1e-20 * q.x[0], unit="kg")
    solution = sl.solve(model.derive().compile("numpy"), 1.0, h=0.01)
    assert solution.outputs["zero"].any() and np.ptp(solution.outputs["one"]) > 0
    plotted = {o["label"]: decoded(o["values"]) for o in output_entries(solution, [])}
    assert not plotted["zero"].any() and np.ptp(plotted["one"]) == 0
    assert abs(plotted["one"][0] - 1) <= tolerances.EPSILON
    assert np.ptp(plotted["small"]) == pytest.approx(0.7e-20)
