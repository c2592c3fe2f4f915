"""Ready-made models in all coordinates: the same motion as on the group, energy balances, known solutions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symlie as sl
from symlie.models.systems import system_of_model
from tests.spaces.coordinates import ON_GROUP, stored_by

SAME_MOTION = 1e-9
"""Outputs at fine steps of order five against known solutions, relative to their size."""

RUNS = {
    "heavy_top": ({"group": "SO3xR3"}, 0.1, 1e-5, ["center_of_mass", "rotation"]),
    "slider_crank": ({}, 0.5, 5e-4, ["slider", "crank_angle"]),
    "rotor": ({}, 0.1, 2e-6, ["p1"]),
    "puma560": ({}, 0.25, 2.5e-4, ["joint_angles"]),
}
"""Options, a time at which the solution is known, step and outputs."""


OF_ALL = [
    "euler_angles",
    "euler_parameters",
    "euler_angles:angular_velocity",
    "rotation_vector:angular_velocity",
    *ON_GROUP,
]
ENDING = [("rotor", "rotation_vector:angular_velocity")]
"""A rotor whose rotation vector is singular after its first turn."""

CASES = [(m, c) for m in RUNS for c in OF_ALL if (m, c) not in ENDING] + [
    ("slider_crank", "minimal"),
    ("puma560", "minimal"),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*triangle inequality")
@pytest.mark.parametrize(("model", "coordinates"), CASES)
def test_formulations_give_equal_motion(model: str, coordinates: str) -> None:
    options, t_end, h, outputs = RUNS[model]
    ends = [
        sl.solve(
            system_of_model(model, options | stored_by(name)),
            t_end,
            h=h,
            method="half_explicit_5",
            t_eval=[t_end],
        )
        for name in ("lie", coordinates)
    ]
    for name in outputs:
        group, other = (np.ravel(end.outputs[name][-1]) for end in ends)
        assert np.abs(other - group).max() < SAME_MOTION * max(1.0, np.abs(group).max()), name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*triangle inequality")
@pytest.mark.parametrize("group", ["SE3", "S3xR3", "S3sR3"])
@pytest.mark.parametrize("model", RUNS)
def test_formulations_give_equal_motion_on_other_groups(model: str, group: str) -> None:
    options, t_end, h, outputs = RUNS[model]
    ends = [
        sl.solve(system_of_model(model, options | {"group": name}), t_end, h=h, method="half_explicit_5")
        for name in ("SO3xR3", group)
    ]
    for name in outputs:
        first, other = (np.ravel(end.outputs[name][-1]) for end in ends)
        assert np.abs(other - first).max() < SAME_MOTION * max(1.0, np.abs(first).max()), name


GIMBAL = str(Path(__file__).parents[1] / "data" / "gimbal.py")

EVERY = ["lie", *OF_ALL, "minimal"]


@pytest.mark.slow
def test_one_model_file_supports_all_coordinates() -> None:
    ends = {
        name: sl.solve(system_of_model(GIMBAL, stored_by(name)), 0.3, h=6.25e-5, method="half_explicit_5")
        for name in EVERY
    }
    for name in EVERY:
        for output in ("tip", "pitch_angle", "energy"):
            apart = np.abs(ends[name].outputs[output][-1] - ends["lie"].outputs[output][-1]).max()
            assert apart < SAME_MOTION, (name, output)
