"""Prescribed motion of the end of a rod, compared with the same motion enforced by rheonomic constraints."""

from __future__ import annotations

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError
from tests.tolerances import PRESCRIBED_AGAINST_CONSTRAINED

HALF = 0.5**0.5


def rope(moving: str) -> sl.Model:
    """A hanging rod whose first node moves along x while it turns, prescribed or by constraints."""
    model = sl.Model("moving_rope")
    rod = sl.CosseratRod(
        model,
        "rod",
        segments=4,
        length=1.0,
        stiffness=[5, 5, 5, 100, 100, 100],
        inertia=[0.1, 0.1, 0.1, 1, 1, 1],
        position=lambda s: (s, 0, 0),
        orientation=(HALF, 0, HALF, 0),
        constraint="kirchhoff",
        gravity=(0, 0, -9.81),
    )
    t = model.t
    position = sl.vector(sl.sin(2 * t) / 5, 0, 0)
    c, s = sl.cos(t / 2), sl.sin(t / 2)
    if moving == "prescribed":
        model.prescribe(rod.nodes[0], x=position, p=[HALF * c, -HALF * s, HALF * c, HALF * s])
        return model
    guide = sl.ElementType("guide", node=sl.S3sR3)
    q = guide.node
    # R(t) = Rz(t) R0 with R0 a rotation by 90° about y: the body axes y and z in inertial axes.
    second, third = sl.vector(-sl.sin(t), sl.cos(t), 0), sl.vector(sl.cos(t), sl.sin(t), 0)
    body = [sl.vector(*[q.R[i, k] for i in range(3)]) for k in range(2)]
    guide.constraint("place", q.x - position)
    guide.constraint("direction", [body[0].dot(second), body[0].dot(third), body[1].dot(third)])
    model.add(guide, [rod.nodes[0]])
    return model


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Initial velocities that are not given")
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_prescribed_motion_equals_rheonomic_constraints(backend: str) -> None:
    """Both formulations give the same motion, and the prescribed node follows its path exactly."""
    results = {}
    for moving in ("prescribed", "constrained"):
        system = rope(moving).derive().compile(backend=backend)
        results[moving] = sl.solve(system, 0.25, h=1 / 400)
    prescribed, constrained = results["prescribed"], results["constrained"]
    np.testing.assert_allclose(prescribed.q, constrained.q, atol=PRESCRIBED_AGAINST_CONSTRAINED)
    rows = prescribed.system.layout.constraints["rod_segment_strain"].rows.ravel()
    other = constrained.system.layout.constraints["rod_segment_strain"].rows.ravel()
    np.testing.assert_allclose(
        prescribed.multipliers[0, rows], constrained.multipliers[0, other], atol=PRESCRIBED_AGAINST_CONSTRAINED
    )
    x = prescribed.field("rod", "x")[:, 0]
    np.testing.assert_allclose(x[:, 0], np.sin(2 * prescribed.t) / 5, atol=1e-15)


def test_incomplete_motion_is_rejected() -> None:
    """A motion must give every field of the configuration, as functions of time and parameters."""
    model = sl.Model("pivot")
    nodes = model.node_array("rod", sl.S3sR3, 2)
    with pytest.raises(ModelError, match="needs the fields p, x"):
        model.prescribe(nodes[0], x=[0, 0, model.t])
    free = model.node("body", "R3")
    with pytest.raises(ModelError, match="may use t and parameters only"):
        model.prescribe(free, x=[free.x[1], 0, 0])


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_rotating_drive_works_in_any_storage(backend: str) -> None:
    """A shaft that turns by more than π drives a body through a spring: rotations may be stored in any way."""
    ends = {}
    for group in ("SO3", "S3", "SO3rv"):
        model = sl.Model("shaft_and_body")
        shaft, body = model.node("shaft", group), model.node("body", "SO3")
        model.kinetic_energy(body.Omega.dot(sl.diag([1, 2, 3]) * body.Omega) / 2)
        model.potential_energy(-20 * (shaft.R.T * body.R).trace())
        angle = 3 * model.t
        c, s = sl.cos(angle), sl.sin(angle)
        half = (sl.cos(angle / 2), sl.sin(angle / 2))
        motion = {
            "SO3": {"R": sl.vector(1, 0, 0, 0, c, -s, 0, s, c)},
            "S3": {"p": [half[0], half[1], 0, 0]},
            "SO3rv": {"psi": [angle, 0, 0]},
        }
        model.prescribe(shaft, **motion[group])
        model.initial(body, Omega=[0, 0.1, 0])
        solution = sl.solve(model.derive().compile(backend=backend), 1.5, h=1 / 200)
        ends[group] = np.concatenate([solution.field("body", "R")[-1].ravel(), solution.field("body", "Omega")[-1]])
    for group in ("S3", "SO3rv"):
        np.testing.assert_allclose(ends[group], ends["SO3"], atol=PRESCRIBED_AGAINST_CONSTRAINED)
