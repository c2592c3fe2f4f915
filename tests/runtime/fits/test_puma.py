"""Inertial parameters of a link of the Puma 560 from its own noisy motion."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import symlie as sl
from symlie.models.puma560 import GAINS, GOAL, LINKS, START

LINK = [f"link3_{name}" for name in ("mass", "center_of_mass", "inertia")]
BASE = [f"link1_{name}" for name in ("mass", "center_of_mass", "inertia")]
INERTIA = (0.066, 0.076, 0.0125)
"""Principal moments of the third link, in kg m², which satisfy the triangle inequality, unlike the published ones."""
STEPS = {"h": 2e-3, "method": "generalized_alpha"}
NOISE = 0.05
"""Standard deviation of measured torques, in N m."""
TIMES = np.linspace(0.01, 1.0, 100)
TORQUES = [f"joint{k}_control_effort" for k in range(1, 7)]


@functools.cache
def arm() -> sl.System:
    """The robot in minimal coordinates, with masses, centres of mass and inertias of its links as parameters."""
    model = sl.Model("puma_arm")
    end = sl.Marker(model.ground, [0, 0, 0], axis=[0, 0, 1], across=[1, 0, 0])
    R, x, joints = np.eye(3), np.zeros(3), []
    for k, (angle, (d, a, turns, mass, center, inertia)) in enumerate(zip(START["B"], LINKS, strict=True), start=1):
        cos, sin, along, up = np.cos(angle), np.sin(angle), 1 - abs(turns), turns
        x = x + R @ [a * cos, a * sin, d]
        R = R @ [[cos, -sin * along, sin * up], [sin, cos * along, -cos * up], [0, up, along]]
        moments = INERTIA if k == 3 else inertia
        link = sl.RigidBody(model, f"link{k}", mass, moments, position=x, orientation=R, reference=[-c for c in center])
        start = sl.Marker(link, [-a, -d * up, -d * along], axis=[0, up, along], across=[1, 0, 0])
        joints.append(sl.RevoluteJoint(model, f"joint{k}", end, start))
        end = sl.Marker(link, [0, 0, 0], axis=[0, 0, 1], across=[1, 0, 0])
    model.gravity([0, 0, -9.81])
    for joint, start, goal, (P, D) in zip(joints, START["B"], GOAL, GAINS, strict=True):
        target = sl.two_parabolas(model, f"{joint.name}_profile", start, goal)
        sl.JointController(model, f"{joint.name}_control", joint, P=P, D=D, target=target)
    minimal = sl.minimal_coordinates(model)
    fixed = [p.name for p in minimal.parameters if p.name not in (*LINK, *BASE)]
    return minimal.derive().compile(freeze=fixed)


def record(seed: int) -> dict[str, np.ndarray]:
    """Torques of the controllers with noise."""
    outputs, noise = sl.solve(arm(), 1.0, t_eval=TIMES, **STEPS).outputs, np.random.default_rng(seed)
    return {"t": TIMES} | {name: outputs[name] + noise.normal(0, NOISE, len(TIMES)) for name in TORQUES}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The inertia of body")
def test_fit_finds_ten_parameters_of_a_link() -> None:
    """Within three standard errors, for each of 20 noises."""
    weights = dict.fromkeys(TORQUES, 1 / NOISE)
    for seed in range(20):
        found = sl.fit(arm(), record(seed), LINK, weights=weights, **STEPS)
        assert found.rank == len(found) == 10 and found.has_converged
        assert (abs(found.array - found.start) < 3 * found.standard_errors).all(), seed


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The inertia of body")
def test_fit_names_parameters_of_the_base_without_effect() -> None:
    """The base turns about one axis: its other inertias have no effect, and the moment about this axis acts together
    with two moments of the third link."""
    with pytest.warns(sl.SymlieWarning, match="do not determine"):
        found = sl.fit(arm(), record(0), [*LINK, *BASE], physical=False, **STEPS)
    alone = {name for name in found.unidentifiable if " : " not in name}
    others = [f"link1_inertia[{k}]" for k in (0, 1, 2, 5, 8)] + [f"link1_center_of_mass[{k}]" for k in range(3)]
    assert alone == {"link1_mass", *others}
    assert found.rank == 10 and len(found.unidentifiable) == 10
    (together,) = (name for name in found.unidentifiable if " : " in name)
    assert together.startswith("link3_inertia[0] : link3_inertia[8] : link1_inertia[4] = 1 : 1 : -1")
