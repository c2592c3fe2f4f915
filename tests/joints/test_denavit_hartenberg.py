"""Serial chains by Denavit–Hartenberg parameters: frames, coordinates, and the Puma of the ready-made models."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import pytest
from scipy.linalg import expm

import symlie as sl
from symlie.errors import ModelError
from symlie.models.puma560 import LINKS, arm
from tests import tolerances

CONVENTIONS = ("standard", "modified")


def turn(axis: int, angle: float) -> np.ndarray:
    """Rotation about a coordinate axis, homogeneous."""
    generator = np.zeros((3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    generator[i, j], generator[j, i] = -angle, angle
    found = np.eye(4)
    found[:3, :3] = expm(generator)
    return found


def move(x: float, z: float) -> np.ndarray:
    """Translation along x and z, homogeneous."""
    found = np.eye(4)
    found[:3, 3] = x, 0, z
    return found


def random_chain(seed: int) -> tuple[list[sl.DenavitHartenbergLink], np.ndarray]:
    """Links of both kinds, with right angles among their twists, and coordinates."""
    random = np.random.default_rng(seed)
    kinds: tuple[Literal["revolute", "prismatic"], ...] = ("revolute", "prismatic")
    links = [
        sl.DenavitHartenbergLink(
            d=random.uniform(-1, 1), a=random.uniform(-1, 1), theta=random.uniform(-3, 3),
            alpha=random.choice([0.0, math.pi / 2, -math.pi / 2, random.uniform(-3, 3)]),
            kind=kinds[random.integers(2)], mass=random.uniform(1, 2), center=random.uniform(-1, 1, 3),
            inertia=random.uniform(2, 3, 3),
        )
        for _ in range(3)
    ]  # fmt: skip
    return links, random.uniform(-1.5, 1.5, 3)


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("seed", range(20))
def test_transforms_are_products_of_their_definition(seed: int, convention: str) -> None:
    links, q = random_chain(seed)
    for link, value in zip(links, q, strict=True):
        turns, slides = (value, 0) if link.kind == "revolute" else (0, value)
        along_z = turn(2, link.theta + turns) @ move(0, link.d + slides)
        along_x = turn(0, link.alpha) @ move(link.a, 0)
        expected = along_z @ along_x if convention == "standard" else along_x @ along_z
        np.testing.assert_allclose(link.transform(value, convention), expected, rtol=0, atol=tolerances.BACKENDS)


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(s, marks=pytest.mark.slow) for s in (2, 3))])
def test_initial_poses_match_the_transforms(seed: int, convention: str) -> None:
    """Constraints hold, coordinates of joints are those given, and the last body is where the product says."""
    links, q = random_chain(seed)
    model = sl.Model("chain")
    base = turn(0, 0.4) @ move(0.3, -0.2)
    joints = sl.denavit_hartenberg_chain(model, links, q, convention=convention, base_frame=base)
    model.output(
        "q", [j.angle if link.kind == "revolute" else j.displacement for j, link in zip(joints, links, strict=True)]
    )
    end = base
    for link, value in zip(links, q, strict=True):
        end = end @ link.transform(value, convention)
    run = sl.solve(model.derive().compile(backend="numpy"), 1e-3, h=1e-3)
    assert run.outputs["constraint_residual"][0] < tolerances.BACKENDS
    np.testing.assert_allclose(run.outputs["q"][0], q, rtol=0, atol=tolerances.BACKENDS)
    center = end[:3, :3] @ links[-1].center + end[:3, 3]
    np.testing.assert_allclose(run.field("link3", "x")[0], center, rtol=0, atol=tolerances.BACKENDS)
    np.testing.assert_allclose(run.field("link3", "R")[0].reshape(3, 3), end[:3, :3], rtol=0, atol=tolerances.BACKENDS)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The inertia of body")
def test_puma_moves_like_the_built_in_model() -> None:
    angles = np.array([0.3, -0.7, 1.1, 0.4, 0.6, -0.2])
    links = [
        sl.DenavitHartenbergLink(d, a, turns * math.pi / 2, mass=mass, center=center, inertia=inertia)
        for d, a, turns, mass, center, inertia in LINKS
    ]

    def fallen(by_rows: bool) -> Any:
        model = sl.Model("puma")
        if by_rows:
            joints = sl.denavit_hartenberg_chain(model, links, angles)
            model.gravity([0, 0, -9.81])
        else:
            joints = list(arm(model, angles))
        model.output("angles", [joint.angle for joint in joints], unit="rad")
        return sl.solve(model.derive().compile(backend="numpy"), 0.02, h=0.005)

    first, second = fallen(by_rows=True), fallen(by_rows=False)
    np.testing.assert_allclose(first.outputs["angles"][0], angles, rtol=0, atol=tolerances.BACKENDS)
    assert np.abs(second.outputs["angles"][-1] - angles).max() > 1e-3
    np.testing.assert_allclose(
        first.outputs["angles"], second.outputs["angles"], rtol=0, atol=tolerances.ADAPTIVE_STATES
    )


def test_invalid_rows_are_reported() -> None:
    model = sl.Model("wrong")
    row = sl.DenavitHartenbergLink(0, 1, 0)
    with pytest.raises(ModelError, match="The convention is 'craig', but it must be one of: standard, modified"):
        sl.denavit_hartenberg_chain(model, [row], convention="craig")
    with pytest.raises(ModelError, match=r"A chain of 1 links needs at least one link, q with one number per link"):
        sl.denavit_hartenberg_chain(model, [row], [0, 1])
    with pytest.raises(ModelError, match="parameter alpha is nan, not a finite number"):
        sl.DenavitHartenbergLink(0, 1, math.nan)
    with pytest.raises(
        ModelError, match="The joint of a link is 'helical', but it must be one of: revolute, prismatic"
    ):
        sl.DenavitHartenbergLink(0, 1, 0, **{"kind": "helical"})
