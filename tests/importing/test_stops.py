"""Limits and dry friction of files, compared with closed forms."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import symlie as sl
from symlie.options import ImportCoordinates
from tests.importing.files import ARM
from tests.importing.test_loops import written
from tests.tolerances import CONTACT

G, LOWER, FRICTION = 9.81, -0.5, 0.2

SWING = f"""<mujoco model="swing">
  <compiler angle="radian"/>
  <default><geom size="0.02" contype="0" conaffinity="0"/></default>
  <worldbody>
    <body name="rod">
      <joint name="pivot" axis="0 1 0" limited="true" range="{LOWER} 1"/>
      <inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.1 0.1"/>
    </body>
    <body name="wheel" pos="2 0 0">
      <joint name="brake" axis="0 0 1" frictionloss="{FRICTION}"/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.2 0.2 0.4"/>
    </body>
    <body name="block" pos="4 0 0">
      <joint name="rail" type="slide" axis="1 0 0" ref="0.3" limited="true" range="0.2 0.7"/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
    </body>
  </worldbody>
</mujoco>"""
"""A pendulum and a block between stops, and a wheel with dry friction."""


@pytest.mark.parametrize("coordinates", ["minimal", "bodies"])
def test_stops_and_dry_friction_follow_closed_forms(coordinates: ImportCoordinates, tmp_path: Path) -> None:
    path = written(tmp_path, SWING)
    robot = sl.from_mjcf(path, limits=True, dry_friction=True, coordinates=coordinates, strict=True)
    assert not robot.skipped and robot.limits == {"pivot": (LOWER, 1.0), "rail": (0.2, 0.7)}
    robot.initial(pivot=0.8, brake_rate=1.5, rail=0.5, rail_rate=-1.0)
    system = robot.compile().with_parameters(stop_restitution=0.5)
    solution = sl.solve(system, 4.0, rtol=1e-12)
    # The pendulum falls from rest: its energy gives the rate at the lower stop, which the impact halves.
    impact = next(i for i in solution.impacts if "pivot_lower" in i.contacts)
    inertia, moment = 0.1 + 2 * 0.25, 2 * G * 0.5
    rate = math.sqrt(2 * moment * (math.cos(LOWER) - math.cos(0.8)) / inertia)
    assert abs(impact.impulses["pivot_lower"][0] - 1.5 * inertia * rate) <= CONTACT
    # The block runs between its stops with half the speed after each impact.
    touches = [e.t for e in solution.events if e.name.startswith("rail_")]
    assert np.abs(np.array(touches) - [0.3, 0.3 + 1.0, 1.3 + 2.0]).max() <= CONTACT
    assert abs(solution.outputs["rail"][-1] - (0.2 + 0.7 * 0.125)) <= CONTACT
    # The wheel stops after J ω/T.
    stick = next(e for e in solution.events if e.name == "brake_stick")
    assert abs(stick.t - 0.4 * 1.5 / FRICTION) <= CONTACT
    assert abs(solution.outputs["brake"][-1] - 0.4 * 1.5**2 / (2 * FRICTION)) <= CONTACT
    assert solution.outputs["brake_state"][-1] == 2 and abs(solution.outputs["brake_friction"][-1]) <= CONTACT


def test_angles_start_beyond_a_turn(tmp_path: Path) -> None:
    path = written(tmp_path, SWING.replace(f'range="{LOWER} 1"', 'range="-8 8"'))
    robot = sl.from_mjcf(path, limits=True, ignore="friction")
    robot.initial(pivot=4.0)
    state = (system := robot.compile(backend="numpy")).state()
    assert system.outputs(state)["pivot"] == 4.0 and abs(system.outputs(state)["pivot_upper_gap"] - 4.0) <= CONTACT
    bodies = sl.from_mjcf(path, limits=True, ignore="friction", coordinates="bodies")
    bodies.initial(pivot=4.0)
    with pytest.raises(sl.errors.ModelError, match=r"'pivot' with stops starts at 4\.0 rad; .* between -π and π"):
        bodies.compile(backend="numpy")


def test_limits_are_requested_or_skipped(tmp_path: Path) -> None:
    path = written(tmp_path, ARM, "arm.urdf")
    with pytest.warns(sl.warnings.SymlieWarning, match=r"limits \(shoulder\); import them with limits=True\."):
        sl.from_urdf(path, ignore="ranges")
    robot = sl.from_urdf(path, ignore="ranges", limits=True, strict=True)
    assert robot.limits == {"shoulder": (-2.0, 2.0)} and "shoulder_upper - shoulder.x[0]" in robot.text
    with pytest.raises(sl.errors.ModelError, match=r'dry_friction=True imports what ignore=\("friction",\) skips'):
        sl.from_urdf(path, dry_friction=True, ignore="friction")


def test_softness_of_stops_and_limits_of_balls_are_listed(tmp_path: Path) -> None:
    text = SWING.replace('name="pivot"', 'name="pivot" solreflimit="0.01 0.3"').replace(
        'name="brake" axis="0 0 1" frictionloss="0.2"', 'name="brake" type="ball" range="0 1" limited="true"'
    )
    with pytest.warns(sl.warnings.SymlieWarning, match=r"softness \(limits of pivot\), limits \(brake\)\."):
        robot = sl.from_mjcf(written(tmp_path, text), limits=True)
    assert robot.skipped == {"softness": ("limits of pivot",), "limits": ("brake",)}


def test_large_robots_with_stops_use_bodies(tmp_path: Path) -> None:
    arm = "".join(
        f'<body name="b{k}" pos="0 0 0.1"><joint name="j{k}" axis="0 1 0" range="-1 1"/>'
        '<geom size="0.05" contype="0" conaffinity="0"/>'
        for k in range(26)
    )
    path = written(tmp_path, f"<mujoco><worldbody>{arm}{'</body>' * 26}</worldbody></mujoco>")
    assert sl.from_mjcf(path, limits=True).coordinates == "bodies"
    assert sl.from_mjcf(path, ignore="limits").coordinates == "minimal"
    with pytest.raises(sl.errors.ModelError, match="has contacts, stops or dry friction and 26 velocities"):
        sl.from_mjcf(path, limits=True, coordinates="minimal")
