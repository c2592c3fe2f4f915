"""Loops of files: exact constraints without dependent equations, against Pinocchio's constrained dynamics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.importing.description import Configuration
from symlie.importing.kinematics import poses
from symlie.importing.loops import assembled, residual
from symlie.importing.printing import is_apart
from tests.conftest import Programs
from tests.importing.files import ARM, FOUR_BAR, PARALLEL, urdf_four_bar
from tests.importing.oracles import Motion, imported_acceleration, quaternion
from tests.tolerances import CLOSED, IMPORTED_LOOP, IMPORTED_RESIDUAL


def written(folder: Path, text: str, name: str = "robot.xml") -> Path:
    """The path of a new file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def motion_of(robot: sl.Robot, state: sl.State) -> tuple[Motion, Motion]:
    """Coordinates and rates of the joints in a state in minimal coordinates."""
    q: dict[str, Any] = {}
    v: dict[str, Any] = {}
    for j in robot._description.joints:
        node = f"{j.name}_{j.kind}"
        if j.kind == "ball":
            q[j.name], v[j.name] = state.field(node, "R").reshape(3, 3), state.field(node, "Omega")
        else:
            q[j.name], v[j.name] = float(state.field(node, "x")[0]), float(state.field(node, "x_dot")[0])
    return Motion(q), Motion(v)


def pinocchio_with_loops(path: Path, robot: sl.Robot, q: Motion, v: Motion, loops: list[Any]) -> Motion:
    """Accelerations of Pinocchio's constrained dynamics; loops are pairs of (link joint, point)."""
    import pinocchio as pin

    model = pin.buildModelFromMJCF(str(path))
    at, moving = pin.neutral(model), np.zeros(model.nv)
    for j in robot._description.joints:
        joint = model.joints[model.getJointId(j.name)]
        if j.kind == "ball":
            w, *rest = quaternion(q[j.name])
            at[joint.idx_q : joint.idx_q + 4] = [*rest, w]
            moving[joint.idx_v : joint.idx_v + 3] = v[j.name]
        else:
            at[joint.idx_q], moving[joint.idx_v] = q[j.name], v[j.name]
    models = [
        pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, model,
            model.getJointId(a), pin.SE3(np.eye(3), np.array(p)),
            model.getJointId(b), pin.SE3(np.eye(3), np.array(r)),
            pin.ReferenceFrame.LOCAL,
        )
        for (a, p), (b, r) in loops
    ]  # fmt: skip
    stated, contents = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    stated.extend(models)
    contents.extend(m.createData() for m in models)
    data = model.createData()
    pin.initConstraintDynamics(model, data, stated, contents)
    settings = pin.ProximalSettings(1e-14, 1e-14, 1e-8, 500)
    a = pin.constraintDynamics(model, data, at, moving, np.zeros(model.nv), stated, contents, settings)
    found: dict[str, Any] = {}
    for j in robot._description.joints:
        joint = model.joints[model.getJointId(j.name)]
        part = a[joint.idx_v : joint.idx_v + joint.nv]
        found[j.name] = np.array(part) if j.kind == "ball" else float(part[0])
    return Motion(found)


def difference(a: Motion, b: Motion, robot: sl.Robot) -> float:
    first, second = a.flat([*robot.joints]), b.flat([*robot.joints])
    return float(np.abs(first - second).max() / np.abs(second).max())


def test_four_bar_accelerates_as_in_pinocchio(tmp_path: Path, needs: Programs) -> None:
    needs("pinocchio")
    path = written(tmp_path, FOUR_BAR)
    robot = sl.from_mjcf(path)
    robot.initial(crank_pivot=0.3, crank_pivot_rate=2.0)
    system = robot.compile(backend="numpy")
    q, v = motion_of(robot, system.state())
    loops = [(("coupler_pivot", [0.8, 0, 0.2]), ("rocker_pivot", [0, 0, 0.5]))]
    found = imported_acceleration(robot, system, q, v)
    assert difference(found, pinocchio_with_loops(path, robot, q, v, loops), robot) <= IMPORTED_LOOP
    assert robot.planar_loops == ("pin",) and not robot.is_redundant


def test_parallel_robot_accelerates_as_in_pinocchio(tmp_path: Path, needs: Programs) -> None:
    needs("pinocchio")
    path = written(tmp_path, PARALLEL)
    robot = sl.from_mjcf(path)
    robot.initial(hip1=0.2, hip1_rate=1.0, hip2_rate=-0.5, hip3_rate=0.3)
    system = robot.compile(backend="numpy")
    mobility = system.mobility()
    assert mobility.velocities - mobility.velocity_rank == 3
    q, v = motion_of(robot, system.state())
    height = np.array([-0.2, 0, 0.4])
    start = sl.from_mjcf(path)
    placed = {link.name: pose for link, pose in zip(start._description.links, _reference(start), strict=True)}
    loops = []
    for k in (2, 3):
        upper, platform = placed[f"upper{k}"], placed["platform"]
        anchor = upper.place + upper.turn @ height
        loops.append(((f"knee{k}", height), ("ankle1", platform.turn.T @ (anchor - platform.place))))
    found = imported_acceleration(robot, system, q, v)
    assert difference(found, pinocchio_with_loops(path, robot, q, v, loops), robot) <= IMPORTED_LOOP


def _reference(robot: sl.Robot) -> list[Any]:
    from symlie.importing.description import Configuration
    from symlie.importing.kinematics import poses

    return poses(robot._description, Configuration())


@pytest.mark.slow
def test_loops_stay_closed_at_order_five(tmp_path: Path) -> None:
    robot = sl.from_mjcf(written(tmp_path, FOUR_BAR))
    robot.initial(crank_pivot=0.3, crank_pivot_rate=2.0)
    solution = sl.solve(robot.compile(), 10, h=2e-3, method="half_explicit_5")
    assert solution.statistics.max_constraint_residual <= IMPORTED_RESIDUAL


@pytest.mark.parametrize(("kind", "rows"), [("spherical", 2), ("revolute", 2), ("fixed", 3)])
def test_constraints_of_urdf_close_planar_loops(kind: str, rows: int, tmp_path: Path) -> None:
    robot = sl.from_urdf(written(tmp_path, urdf_four_bar(kind), "robot.urdf"))
    assert robot.planar_loops == ("pin",)
    joint = robot._description.loops[0]
    assert {"PointOnLineJoint": 2, "InLineJoint": 3}[joint.kind] == rows


def test_urdf_and_mjcf_loops_agree_on_the_motion(tmp_path: Path) -> None:
    robot = sl.from_urdf(written(tmp_path, urdf_four_bar("revolute"), "robot.urdf"))
    robot.initial(crank_pivot_rate=1.0)
    forms = [robot, sl.from_urdf(tmp_path / "robot.urdf", coordinates="bodies")]
    forms[1].initial(crank_pivot_rate=1.0)
    ends = []
    for one in forms:
        system = one.compile(backend="numpy")
        if one.coordinates == "bodies":
            system = system.with_redundant("minimal_norm")
        solution = sl.solve(system, 0.2, h=0.02, method="half_explicit_5")
        ends.append(solution.outputs["rocker_pivot"][-1])
    assert abs(ends[0] - ends[1]) < IMPORTED_LOOP


def test_loops_are_closed_by_small_steps(tmp_path: Path) -> None:
    """From a rotation of the crank by one radian; closed loops do not change."""
    found = sl.from_mjcf(written(tmp_path, FOUR_BAR))._description
    opened = Configuration({"crank_pivot": 1.0, "coupler_pivot": 0.0, "rocker_pivot": 0.0})
    assert is_apart(found, opened)
    closed = assembled(found, opened)
    assert not is_apart(found, closed)
    (loop,) = found.loops
    assert np.abs(residual(found, loop, poses(found, closed))).max() <= CLOSED
    assert assembled(found, closed) is closed


def test_open_loops_are_noted_in_the_text(tmp_path: Path) -> None:
    robot = sl.from_mjcf(written(tmp_path, FOUR_BAR))
    assert "The loops are open" not in robot.text
    robot.initial(crank_pivot=0.2)
    assert "The loops are open" in robot.text


def test_spatial_redundant_loops_select_minimal_norm(tmp_path: Path) -> None:
    # A second point on the axis of a hinge: both points of one body keep their distance.
    text = FOUR_BAR.replace('name="crank_pivot"', 'name="crank_pivot" axis="0 1 0"').replace(
        "</equality>", '<connect name="pin2" body1="coupler" body2="rocker" anchor="0.8 0.1 0.2"/></equality>'
    )
    tilted = text.replace('<body name="rocker" pos="0.8 0 0">', '<body name="rocker" pos="0.8 0 0" quat="1 0 0 1e-9">')
    with pytest.warns(sl.warnings.SymlieWarning, match="are dependent"):
        robot = sl.from_mjcf(written(tmp_path, tilted))
    assert robot.is_redundant


def test_mimic_joints_follow_others(tmp_path: Path) -> None:
    text = ARM.replace(
        '<parent link="upper"/>', '<parent link="upper"/><mimic joint="shoulder" multiplier="-2" offset="0.1"/>'
    )
    robot = sl.from_urdf(written(tmp_path, text, "arm.urdf"), ignore=("limits", "ranges"))
    robot.initial(shoulder=0.3, shoulder_rate=1.0)
    system = robot.compile(backend="numpy")  # assembles the elbow
    outputs = system.outputs(system.state())
    found = [outputs[name] for name in ("shoulder", "elbow", "elbow_rate")]
    assert found == pytest.approx([0.3, 0.1 - 2 * 0.3, -2.0], abs=IMPORTED_LOOP)


def test_couplings_of_joints_are_constraints(tmp_path: Path) -> None:
    text = FOUR_BAR.replace(
        '<connect name="pin" body1="coupler" body2="rocker" anchor="0.8 0 0.2"/>',
        '<joint name="gear" joint1="rocker_pivot" joint2="crank_pivot" polycoef="0 0.5 0.2 0 0"/>',
    )
    robot = sl.from_mjcf(written(tmp_path, text))
    robot.initial(crank_pivot=0.4)
    robot.initial(rocker_pivot=0.5 * 0.4 + 0.2 * 0.4**2, crank_pivot_rate=1.0)
    state = robot.compile(backend="numpy").state()
    assert state.field("rocker_pivot_hinge", "x_dot") == pytest.approx([0.5 + 2 * 0.2 * 0.4], abs=IMPORTED_LOOP)


def test_welds_without_torques_are_connections(tmp_path: Path) -> None:
    connect = '<connect name="pin" body1="coupler" body2="rocker" anchor="0.8 0 0.2"/>'
    assert connect in FOUR_BAR
    weld = '<weld name="pin" body1="rocker" body2="coupler" anchor="0.8 0 0.2" torquescale="0"/>'
    robots = [sl.from_mjcf(written(tmp_path, FOUR_BAR.replace(connect, text))) for text in (connect, weld)]
    kinds = [loop.kind for robot in robots for loop in robot._description.loops]
    assert kinds[0] == kinds[1] and robots[0].planar_loops == robots[1].planar_loops
