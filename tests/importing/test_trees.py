"""Accelerations of random trees against Pinocchio's articulated-body algorithm and MuJoCo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import symlie as sl
from symlie.publish.folders import folder_files
from tests.conftest import Programs
from tests.importing.oracles import (
    imported_acceleration,
    mujoco_acceleration,
    pinocchio_acceleration,
    random_motion,
    relative_difference,
)
from tests.importing.trees import random_tree, write_mjcf, write_urdf
from tests.tolerances import IMPORTED_DRIFT, IMPORTED_LARGE_TREE, IMPORTED_TREE

pytestmark = pytest.mark.filterwarnings("ignore:.*was imported without")

SCALAR = ("hinge", "slide")
ALL = ("hinge", "slide", "ball")


def bound(count: int) -> float:
    return IMPORTED_TREE if count <= 7 else IMPORTED_LARGE_TREE


def check_urdf(folder: Path, seed: int, count: int, floats: bool) -> None:
    """Compare a random tree of hinges and sliders with Pinocchio."""
    path = write_urdf(random_tree(seed, count, SCALAR, floats=floats), folder / "tree.urdf")
    robot = sl.from_urdf(path, floating=floats)
    system = robot.compile(backend="numpy")
    q, v = random_motion(robot, seed)
    names = robot.inputs["torques"]
    torques = np.random.default_rng(seed).uniform(-1, 1, len(names))
    found = imported_acceleration(robot, system, q, v, {"torques": torques})
    expected = pinocchio_acceleration(path, robot, q, v, dict(zip(names, torques, strict=True)))
    assert relative_difference(found, expected, robot) <= bound(count)


def check_mjcf(folder: Path, seed: int, count: int, kinds: tuple[str, ...], floats: bool) -> None:
    """Compare a random tree with springs, dampers, armature and actuators with MuJoCo."""
    links = random_tree(seed, count, kinds, floats=floats)
    path = write_mjcf(links, folder / "tree.xml", armature=0.05)
    robot = sl.from_mjcf(path)
    system = robot.compile(backend="numpy")
    q, v = random_motion(robot, seed)
    random = np.random.default_rng(seed)
    inputs = {name: random.uniform(-1, 1, len(joints)) for name, joints in robot.inputs.items()}
    found = imported_acceleration(robot, system, q, v, inputs)
    expected = mujoco_acceleration(path, robot, q, v, {name: float(u[0]) for name, u in inputs.items()})
    assert relative_difference(found, expected, robot) <= bound(count)


@pytest.mark.parametrize(("seed", "count", "floats"), [(1, 3, False), (2, 4, True), (3, 30, True)])
def test_urdf_trees_accelerate_as_in_pinocchio(
    seed: int, count: int, floats: bool, tmp_path: Path, needs: Programs
) -> None:
    needs("pinocchio")
    check_urdf(tmp_path, seed, count, floats)


@pytest.mark.parametrize(
    ("seed", "count", "kinds", "floats"),
    [(1, 2, SCALAR, False), (2, 4, ALL, True), (3, 30, SCALAR, True), (4, 30, ALL, False)],
)
def test_mjcf_trees_accelerate_as_in_mujoco(
    seed: int, count: int, kinds: tuple[str, ...], floats: bool, tmp_path: Path
) -> None:
    check_mjcf(tmp_path, seed, count, kinds, floats)


def test_rotors_of_ball_joints_keep_energy(tmp_path: Path) -> None:
    links = [replace(link, damping=0.0) for link in random_tree(6, 9, ("ball",))]
    robot = sl.from_mjcf(write_mjcf(links, tmp_path / "tree.xml", armature=0.05))
    robot.initial(joint1_rate=[1.0, -2.0, 0.5], joint5_rate=[0.3, 1.0, 2.0])
    energy = sl.solve(robot.compile(backend="numpy"), 0.1, rtol=1e-11).outputs["energy"]
    assert np.ptp(energy) <= IMPORTED_DRIFT * np.abs(energy).max()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_many_urdf_trees_accelerate_as_in_pinocchio(seed: int, tmp_path: Path, needs: Programs) -> None:
    needs("pinocchio")
    check_urdf(tmp_path, seed, 2 + seed % 29 if seed % 4 == 0 else 2 + seed % 6, floats=seed % 3 == 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 300))
def test_many_mjcf_trees_accelerate_as_in_mujoco(seed: int, tmp_path: Path) -> None:
    count = 2 + seed % 29 if seed % 4 == 0 else 2 + seed % 6
    check_mjcf(tmp_path, seed, count, ALL if seed % 2 else SCALAR, floats=seed % 3 == 0)


def test_code_does_not_depend_on_the_number_of_links(tmp_path: Path) -> None:
    def code(count: int) -> dict[str, int]:
        """Number of lines of each generated C file of a robot with a motor in each joint."""
        path = write_urdf(random_tree(5, count, ("hinge",)), tmp_path / f"tree{count}.urdf")
        files = folder_files(sl.from_urdf(path).derive(), ())
        return {name: len(text.splitlines()) for name, text in files.items() if name.endswith(".c")}

    assert code(26) == code(40) != {}
