"""Robots in memory and in model files: names, initial states, outputs, inputs and shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.cli import main
from symlie.models.registry import build_model
from tests.importing.files import ARM, FOUR_BAR
from tests.importing.oracles import imported_acceleration, mujoco_acceleration, random_motion, relative_difference
from tests.importing.test_loops import written
from tests.importing.trees import random_tree, write_urdf
from tests.tolerances import IMPORTED_DRIFT, IMPORTED_LARGE_TREE, IMPORTED_TREE

pytestmark = pytest.mark.filterwarnings("ignore:.*was imported without")

FULL = """<mujoco model="full">
  <compiler angle="radian"/>
  <worldbody>
    <body name="torso" pos="0 0 1"><freejoint name="root"/><geom size="0.2" mass="3"/><site name="eye" pos="0.2 0 0"/>
      <body name="arm" pos="0.2 0 0"><joint name="arm" type="ball" damping="0.3" armature="0.02"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" mass="1"/>
        <body name="hand" pos="0.4 0 0">
          <joint name="yaw" axis="0 0 1" armature="0.01" frictionloss="0.2"/>
          <joint name="reach" type="slide" axis="1 0 0" stiffness="20" springref="0.1" damping="2" ref="0.05"/>
          <geom type="box" size="0.05 0.04 0.03" mass="0.5"/>
          <body name="tip" pos="0.1 0 0"><geom size="0.02" mass="0.1"/></body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="yaw" joint="yaw" gear="5"/><position name="pull" joint="reach" kp="30" kv="2"/></actuator>
  <sensor><jointpos name="angle" joint="yaw"/><framepos name="where" objtype="site" objname="eye"/>
    <gyro name="gyro" site="eye"/><velocimeter name="speed" site="eye"/></sensor>
  <keyframe><key name="home" qpos="0 0 2 1 0 0 0 1 0 0 0 0.5 0.2" qvel="1 0 0 0 0 2 0 0 0 0.3 0.1"/></keyframe>
</mujoco>"""


def read(folder: Path, text: str, **options: Any) -> sl.Robot:
    if text.startswith("<robot"):
        return sl.from_urdf(written(folder, text, "arm.urdf"), **options)
    return sl.from_mjcf(written(folder, text), **options)


@pytest.mark.parametrize("links", [2, 26])
def test_motors_with_affine_gains_accelerate_as_in_mujoco(links: int, tmp_path: Path) -> None:
    arm = "".join(
        f'<body name="b{k}" pos="0 0 0.1"><joint name="j{k}" type="{("hinge", "slide")[k % 3 == 2]}" '
        f'axis="{k % 2} {1 - k % 2} 0"/><geom size="0.05" contype="0" conaffinity="0"/>'
        for k in range(links)
    )
    motors = "".join(
        f'<general name="m{k}" joint="j{k}" gear="{1 + k}" gainprm="2 0.{k + 1} -0.3" gaintype="affine" '
        f'biasprm="0.1 -0.{k + 1} -0.2" biastype="affine"/>'
        for k in range(links)
    )
    text = f"<mujoco><worldbody>{arm}{'</body>' * links}</worldbody><actuator>{motors}</actuator></mujoco>"
    robot = read(tmp_path, text)
    q, v = random_motion(robot, 1)
    controls = {f"m{k}": 0.5 - 0.1 * k for k in range(links)}
    found = imported_acceleration(
        robot, robot.compile(backend="numpy"), q, v, {name: [u] for name, u in controls.items()}
    )
    expected = mujoco_acceleration(tmp_path / "robot.xml", robot, q, v, controls)
    assert relative_difference(found, expected, robot) <= IMPORTED_LARGE_TREE


def test_names_of_generated_files_are_changed(tmp_path: Path) -> None:
    assert read(tmp_path, ARM.replace('<robot name="arm">', '<robot name="model">')).name == "robot_model"


def test_robot_with_all_kinds_of_joints_accelerates_as_in_mujoco(tmp_path: Path) -> None:
    robot = read(tmp_path, FULL, ignore=["friction"])
    assert robot.skipped["friction"] == ("yaw",)
    system = robot.compile(backend="numpy")
    q, v = random_motion(robot, 1)
    controls = {"yaw_motor": 0.7, "pull": 0.2}
    found = imported_acceleration(robot, system, q, v, {name: [u] for name, u in controls.items()})
    expected = mujoco_acceleration(tmp_path / "robot.xml", robot, q, v, controls)
    assert relative_difference(found, expected, robot) <= IMPORTED_TREE


def test_bodies_accelerate_like_minimal_coordinates(tmp_path: Path) -> None:
    robots = [read(tmp_path, FULL, coordinates=c) for c in ("minimal", "bodies")]
    values = []
    for robot in robots:
        robot.initial(yaw=0.4, yaw_rate=1.5, reach=0.2, reach_rate=-0.3)
        solution = sl.solve(robot.compile(backend="numpy"), 0.004, h=0.001, method="half_explicit_5")
        values.append([solution.outputs[name][-1] for name in ("yaw", "yaw_rate", "reach", "reach_rate")])
    np.testing.assert_allclose(values[0], values[1], rtol=0, atol=1e-9)


def test_keyframes_and_sensors(tmp_path: Path) -> None:
    robot = read(tmp_path, FULL)
    assert robot.keyframes == ("home",)
    robot.initial("home")
    outputs = (system := robot.compile(backend="numpy")).outputs(system.state())
    assert outputs["yaw"] == pytest.approx(0.5) and outputs["angle"] == pytest.approx(0.5)
    assert outputs["reach"] == pytest.approx(0.2) and outputs["reach_rate"] == pytest.approx(0.1)
    assert outputs["where"] == pytest.approx([0.2, 0, 2]) and outputs["eye_position"] == pytest.approx([0.2, 0, 2])
    assert outputs["gyro"] == pytest.approx([0, 0, 2]) and outputs["speed"] == pytest.approx([1, 0.4, 0])
    with pytest.raises(sl.errors.UnknownNameError, match="no keyframe 'away'; it has: home"):
        robot.initial("away")


def test_initial_values_by_name(tmp_path: Path) -> None:
    robot = read(tmp_path, FULL)
    turn = sl.rotation(axis=[0, 0, 1], angle=0.5)
    robot.initial(root=([1, 2, 3], turn), arm=turn, arm_rate=[0, 0, 0.7], root_rate=[0.1, 0, 0, 0, 0, 1], reach=0.3)
    state = robot.compile(backend="numpy").state()
    assert state.field("torso", "x") == pytest.approx([1, 2, 3])
    assert state.field("torso", "Omega") == pytest.approx([0, 0, 1])
    assert state.field("arm_ball", "R").ravel()[:2] == pytest.approx([np.cos(0.5), -np.sin(0.5)])
    assert state.field("arm_ball", "Omega") == pytest.approx([0, 0, 0.7])
    assert state.field("reach_slide", "x") == pytest.approx([0.3])
    for bad, message in (({"leg": 1.0}, "no joint 'leg'"), ({"yaw": "x"}, "finite number"), ({"arm": 1.0}, "rotation")):
        with pytest.raises(sl.errors.SymlieError, match=message):
            robot.initial(**bad)


def test_saved_file_is_the_model_in_memory(tmp_path: Path) -> None:
    robot = read(tmp_path, FULL)
    robot.initial("home")
    robot.save(tmp_path / "full.py")
    built = build_model(str(tmp_path / "full.py"), {}).model
    assert (tmp_path / "full.py").read_text(encoding="utf-8") == robot.text
    assert built.derive().compile(backend="numpy").layout.interface_hash == (
        robot.compile(backend="numpy").layout.interface_hash
    )
    with pytest.raises(sl.errors.ModelError, match="exists already"):
        robot.save(tmp_path / "full.py")
    with pytest.raises(sl.errors.ModelError, match=r"must end in \.py"):
        robot.save(tmp_path / "full.txt")


def test_texts_of_files_are_never_executed(tmp_path: Path) -> None:
    evil = '"); import os; os.abort() #'
    text = FOUR_BAR.replace('model="four_bar"', 'model="&quot;&quot;&quot; import os"').replace(
        'name="tip"', f'name="{evil.replace(chr(34), "&quot;")}"'
    )
    robot = read(tmp_path, text)
    assert "import os;" not in robot.text and "os.abort" not in robot.text
    assert robot.model.name.isidentifier()


def test_urdf_arm_has_torques_frames_and_shapes(tmp_path: Path) -> None:
    robot = read(tmp_path, ARM)
    assert robot.joints == ("shoulder", "elbow") and robot.inputs == {"torques": ("shoulder", "elbow")}
    robot.initial(elbow=0.3)
    system = robot.compile(backend="numpy")
    state = system.state()
    torques = system.inverse_dynamics(state, np.zeros(2))
    accelerations, _ = system.acceleration(state, inputs={"torques": torques})
    assert accelerations == pytest.approx([0, 0], abs=IMPORTED_TREE)
    tool = system.outputs(state)["tool_position"]
    assert tool == pytest.approx([0.4 * np.sin(0.3), 0, 0.5 + 0.4 * np.cos(0.3)])
    assert "sl.cylinder(0.03, 0.5)" in robot.text and "#3366cc" in robot.text


def test_parameters_of_joints_change_without_derivation(tmp_path: Path) -> None:
    system = read(tmp_path, ARM).compile(backend="numpy")
    state = system.state(shoulder_hinge={"x": 0.1, "x_dot": 1.0})
    force = system.bias_force(state) - system.with_parameters(shoulder_damping=0.0).bias_force(state)
    assert force == pytest.approx([0.1, 0])


def test_command_writes_a_model_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = written(tmp_path, ARM, "arm.urdf"), tmp_path / "out.py"
    assert main(["import", str(source), "--out", str(out), "--json"]) == 0
    assert '"joints": ["shoulder", "elbow"]' in " ".join(capsys.readouterr().out.split())
    assert main(["run", str(out), "--t-end", "0.01", "--backend", "numpy"]) == 0
    assert main(["import", str(source), "--out", str(out)]) == 1
    assert main(["import", str(source), "--floating", "--strict", "--out", str(tmp_path / "b.py")]) == 1


@pytest.mark.slow
def test_free_tree_keeps_energy_and_momentum(tmp_path: Path) -> None:
    links = random_tree(7, 6, ("hinge",), floats=True)
    links = [type(link)(**{**link.__dict__, "damping": 0.0}) for link in links]
    path = write_urdf(links, tmp_path / "tree.urdf")
    robot = sl.from_urdf(path, floating=True)
    root = robot.joints[0]
    robot.initial(
        **{root: ([0, 0, 0], sl.rotation(axis=[0, 0, 1], angle=0.0)), f"{root}_rate": [0.1, 0, 0, 0.3, 0.5, 1]}
    )
    robot.initial(**{f"{name}_rate": 0.5 * (-1) ** k for k, name in enumerate(robot.joints[1:])})
    model = robot.model
    model.gravity([0, 0, 0])
    system = model.derive().compile()
    solution = sl.solve(system, 10, rtol=1e-13)
    energy = solution.outputs["energy"]
    assert np.ptp(energy) <= IMPORTED_DRIFT * abs(energy[0])
    momenta = [momentum(links, solution, k) for k in range(0, len(solution.t), max(1, len(solution.t) // 20))]
    assert np.abs(np.array(momenta) - momenta[0]).max() <= IMPORTED_DRIFT * np.abs(momenta[0]).max()


def momentum(links: list[Any], solution: sl.Solution, k: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Linear and angular momentum about the origin at a recorded time, from poses and velocities of the links."""
    total = np.zeros(6)
    names = [f"link{n}" for n in range(len(links))]
    rates = velocity_outputs(solution, names, k)
    for link, name in zip(links, names, strict=True):
        R, x, Omega, x_dot = rates[name]
        J = (link.turn_of_inertia.as_matrix() * link.moments) @ link.turn_of_inertia.as_matrix().T
        c = x + R @ link.center
        p = link.mass * (x_dot + R @ np.cross(Omega, link.center))
        total += np.concatenate([p, np.cross(c, p) + R @ (J @ Omega)])
    return total


def velocity_outputs(solution: sl.Solution, names: list[str], k: int) -> dict[str, Any]:
    """R, x, Omega and x_dot of links; velocities of positions by the Jacobians of the outputs."""
    state = solution.system.state(solution)[k]
    found = {}
    for name in names:
        if name == names[0]:
            found[name] = tuple(state.field(name, f) for f in ("R", "x", "Omega", "x_dot"))
            continue
        values = solution.system.outputs(state, [f"{name}_R", f"{name}_x", f"{name}_Omega"])
        J = solution.system.output_jacobian(state, [f"{name}_x"])
        x_dot = np.asarray(J @ state.v).ravel()[:3]
        found[name] = values[f"{name}_R"].reshape(3, 3), values[f"{name}_x"], values[f"{name}_Omega"], x_dot
    return found
