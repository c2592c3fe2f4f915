"""Files that this project did not write: each is imported and accelerates as in MuJoCo, or its features are named."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import symlie as sl
from tests.conftest import Programs
from tests.importing.oracles import (
    imported_acceleration,
    mujoco_acceleration,
    pinocchio_acceleration,
    random_motion,
    relative_difference,
)
from tests.tolerances import IMPORTED_LARGE_TREE

pytestmark = pytest.mark.filterwarnings("ignore")

GYMNASIUM = {
    "inverted_pendulum": "",
    "inverted_double_pendulum": "",
    "reacher": "",
    "hopper": "",
    "point": "",
    "half_cheetah": "",
    "walker2d_v5": "",
    "ant": "",
    "pusher_v5": "",
    "swimmer": "fluid",
    "humanoid": "tendons",
}
"""Files of gymnasium, and the feature that the import refuses by default."""

CONTROL = {
    "acrobot": "",
    "cartpole": "",
    "cheetah": "",
    "pendulum": "",
    "walker": "",
    "hopper": "",
    "finger": "",
    "reacher": "",
    "humanoid_CMU": "",
    "swimmer": "fluid",
    "fish": "tendons",
    "ball_in_cup": "tendons",
    "point_mass": "tendons",
    "quadruped": "tendons",
}
"""Files of dm_control."""

ROBOTS = (
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "kinova_description/robots/kinova.urdf",
    "xarm_description/urdf/xarm7.urdf",
    "z1_description/urdf/z1.urdf",
    "solo_description/robots/solo12.urdf",
    "go1_description/urdf/go1.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "talos_data/robots/talos_reduced.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
)
"""Files of example-robot-data."""

QUICK = ("inverted_double_pendulum", "hopper", "humanoid")


def folder_of(package: str) -> Path:
    """The folder of an installed package, which is not imported."""
    found = importlib.util.find_spec(package)
    assert found is not None and found.submodule_search_locations
    return Path(found.submodule_search_locations[0])


def check(path: Path, refused: str) -> None:
    """Import a file, without its named feature, and compare it with MuJoCo."""
    if refused:
        with pytest.raises(sl.errors.UnsupportedFeatureError, match=refused):
            sl.from_mjcf(path)
    more = ("tendons", "actuators", "equalities", "fluid") if refused else ()
    robot = sl.from_mjcf(path, ignore=("friction", *more))
    if refused in QUICK or path.stem in ("humanoid", "quadruped") or not robot.joints:
        return  # too large for a quick comparison
    system = robot.compile(backend="numpy")
    q, v = random_motion(robot, 1)
    random = np.random.default_rng(1)
    controls = {m.name: random.uniform(-1, 1) for m in robot._description.motors}
    found = imported_acceleration(robot, system, q, v, {name: [u] for name, u in controls.items()})
    expected = mujoco_acceleration(path, robot, q, v, controls)
    assert relative_difference(found, expected, robot) <= IMPORTED_LARGE_TREE


@pytest.mark.parametrize("name", QUICK)
def test_files_of_gymnasium_accelerate_as_in_mujoco(name: str, needs: Programs) -> None:
    needs("gymnasium")
    check(folder_of("gymnasium") / f"envs/mujoco/assets/{name}.xml", GYMNASIUM[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in GYMNASIUM if name not in QUICK])
def test_more_files_of_gymnasium_accelerate_as_in_mujoco(name: str, needs: Programs) -> None:
    needs("gymnasium")
    check(folder_of("gymnasium") / f"envs/mujoco/assets/{name}.xml", GYMNASIUM[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTROL)
def test_files_of_dm_control_accelerate_as_in_mujoco(name: str, needs: Programs) -> None:
    needs("dm_control")
    check(folder_of("dm_control") / f"suite/{name}.xml", CONTROL[name])


def robots_folder() -> Path:
    """Folder of example-robot-data, in the prefix of Pinocchio's packages."""
    prefix = folder_of("pinocchio").parents[3] if importlib.util.find_spec("pinocchio") else Path()
    return prefix / "share" / "example-robot-data" / "robots"


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_robots_accelerate_as_in_pinocchio(name: str, needs: Programs) -> None:
    needs("pinocchio")
    path = robots_folder() / name
    if not path.is_file():
        pytest.skip("example-robot-data not found")
    robot = sl.from_urdf(path, ignore=("friction", "shapes"))
    system = robot.compile(backend="numpy")
    q, v = random_motion(robot, 1)
    joints = robot.inputs["torques"]
    torques = np.random.default_rng(1).uniform(-1, 1, len(joints))
    found = imported_acceleration(robot, system, q, v, {"torques": torques})
    expected = pinocchio_acceleration(path, robot, q, v, dict(zip(joints, torques, strict=True)))
    assert relative_difference(found, expected, robot) <= IMPORTED_LARGE_TREE
