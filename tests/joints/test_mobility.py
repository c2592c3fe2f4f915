"""Mobility of mechanisms: ranks, redundant joints, motions and singular positions, compared with known results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import symlie as sl
from symlie.errors import RedundantConstraintsError

FLAT_FOUR_BAR = [[0, 0], [0, 1], [2, 2], [3, 0]]
BRICARD = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]]
"""Pivots of the orthogonal Bricard mechanism on edges of a cube."""


def loop(points: Sequence[Sequence[float]], axes: object = None, name: str = "loop") -> sl.Model:
    """Bars from point to point, with hinges between them and to the ground at both ends; without axes in the plane."""
    model = sl.Model(name)
    before: object = model.ground
    given = (
        [None] * len(points) if axes is None else list(np.broadcast_to(np.array(axes, dtype=float), (len(points), 3)))
    )
    group, inertia = ("SE2", 0.1) if axes is None else ("SO3xR3", [0.1, 0.1, 0.1])
    for k, (point, axis) in enumerate(zip(points, given, strict=True)):
        if k + 1 < len(points):
            middle = (np.array(point) + points[k + 1]) / 2
            bar: object = sl.RigidBody(model, f"bar{k}", 1.0, inertia, group, position=middle)
        else:
            bar = model.ground
        sl.RevoluteJoint(model, f"hinge{k}", before, bar, at=point, axis=axis)
        before = bar
    return model


def mobility(model: sl.Model) -> sl.Mobility:
    return model.derive().compile(backend="numpy").mobility()


def counted(found: sl.Mobility) -> tuple[int, ...]:
    return (found.bodies, found.joints, found.velocity_rows, found.velocity_rank, found.degrees_of_freedom)


@pytest.mark.slow
def test_four_bar_mobility_is_one_in_plane_and_space() -> None:
    """Known rates of the joints, 1 : -1.2 : 0.6 : -0.4, by the velocity triangle; in space three rows are redundant."""
    flat = mobility(loop(FLAT_FOUR_BAR))
    assert counted(flat) == (3, 4, 8, 8, 1) and not flat.redundant and not flat.singular
    system = loop([[x, 0, z] for x, z in FLAT_FOUR_BAR], [0, 1, 0]).derive().compile(backend="numpy")
    space = system.mobility()
    assert counted(space) == (3, 4, 20, 17, 1) and not space.singular
    (redundant,) = space.redundant
    assert redundant.joints == ("hinge0", "hinge1", "hinge2", "hinge3") and redundant.rows == 3
    for found in (flat, space):
        assert found.motions is not None
        (motion,) = found.motions
        expected = {"hinge0_rate": 1.0, "hinge1_rate": -1.2, "hinge2_rate": 0.6, "hinge3_rate": -0.4}
        assert motion.rates == pytest.approx(expected, abs=1e-12)
        assert [*motion.velocities] == ["bar0", "bar1", "bar2"]
    assert str(space).startswith(
        "3 bodies, 4 joints, 20 constraint equations of rank 17, 1 degree of freedom; "
        "3 redundant among 'hinge0', 'hinge1', 'hinge2' and"
    )
    # The error names joints; with multipliers of minimal norm it runs.
    joints = "joints 'hinge0', 'hinge1', 'hinge2', 'hinge3' hold a motion redundantly .*; give one of them more freedom"
    with pytest.raises(RedundantConstraintsError, match=joints):
        _ = system.initial_state
    with pytest.warns(sl.SymlieWarning, match="have rank 17: joints 'hinge0'"):
        solution = sl.solve(system, 0.02, h=0.01, redundant="minimal_norm")
    assert solution.statistics.max_constraint_residual < 1e-12


@pytest.mark.slow
def test_overconstrained_mechanism_is_not_singular() -> None:
    """Bricard's mechanism has the constant rank 29 of 30 rows and moves everywhere."""
    axes = [[0, 1, 0], [0, 0, 1], [1, 0, 0]] * 2
    found = mobility(loop(BRICARD, axes))
    assert counted(found) == (5, 6, 30, 29, 1)
    assert [(len(r.joints), r.rows) for r in found.redundant] == [(6, 1)]
    assert not found.singular


@pytest.mark.slow
def test_singular_positions_are_detected() -> None:
    """A parallelogram at its change point, and two collinear bars between fixed points, which cannot move at all."""
    change = mobility(loop([[0, 0], [1, 0], [3, 0], [2, 0]]))
    assert counted(change) == (3, 4, 8, 7, 2)
    assert change.singular == "the position is singular: nearby the rank is 8"
    assert not mobility(loop([[0, 0], [0, 1], [2, 1], [2, 0]])).singular
    stretched = mobility(loop([[0, 0], [1, 0], [2, 0]]))
    assert counted(stretched) == (2, 3, 6, 5, 1)
    assert stretched.singular.endswith("velocities that satisfy the constraints lead to no nearby position")


@pytest.mark.slow
def test_rolling_and_spinning_are_counted() -> None:
    """Rolling takes velocities, not positions; a bar between two balls turns about itself, of which no joint tells."""
    model = sl.Model("disk")
    disk = sl.RigidBody(model, "disk", 1.0, [0.1, 0.1, 0.1], position=[0, 0, 0.5])
    sl.RollingContact(model, "roll", model.ground, disk, radius=0.5, axis=[0, 1, 0])
    rolling = mobility(model)
    assert (rolling.position_rows, rolling.position_rank, rolling.position_degrees_of_freedom) == (1, 1, 5)
    assert (rolling.velocity_rows, rolling.velocity_rank, rolling.degrees_of_freedom) == (3, 3, 3)
    assert (
        "1 constraint equation of rank 1 on positions, 3 of rank 3 on velocities, 3 degrees of freedom (5 of positions)"
        in rolling.line
    )

    model = sl.Model("spatial")
    sizes = [[0.1, 0.1, 0.1]] * 3
    places = ([0, 0, 0.5], [1, 0.5, 1], [2, 1, 0.5])
    crank, coupler, rocker = (
        sl.RigidBody(model, name, 1.0, J, position=place)
        for name, J, place in zip(("crank", "coupler", "rocker"), sizes, places, strict=True)
    )
    sl.RevoluteJoint(model, "A", model.ground, crank, at=[0, 0, 0], axis=[0, 1, 0])
    sl.SphericalJoint(model, "B", crank, coupler, at=[0, 0, 1])
    sl.SphericalJoint(model, "C", coupler, rocker, at=[2, 1, 1])
    sl.RevoluteJoint(model, "D", rocker, model.ground, at=[2, 1, 0], axis=[1, 0, 0])
    found = mobility(model)
    assert counted(found) == (3, 4, 16, 16, 2)
    assert found.motions is not None
    turning, spinning = found.motions
    # The coupler keeps its length: (2, 1, 0)·(v_C - v_B) = 0 with v_B = (1, 0, 0) and v_C = (0, 2, 0).
    assert turning.rates == pytest.approx({"A_rate": 1.0, "D_rate": 2.0}, abs=1e-12)
    assert not spinning.rates and [*spinning.velocities] == ["coupler"]
    spin = spinning.velocities["coupler"][:3]
    np.testing.assert_allclose(np.cross(spin, [2, 1, 0]), 0, atol=1e-12)


def test_models_without_joints_are_supported() -> None:
    model = sl.Model("top")
    q = model.node("q", "SO3xR3")
    model.kinetic_energy((q.v.dot(q.v)) / 2)
    model.constraint("tip", q.x - q.R * sl.vector(0, 1, 0))
    model.initial(q, x=[0, 1, 0])
    found = mobility(model)
    assert (found.bodies, found.joints, found.degrees_of_freedom) == (1, 1, 3)
    assert found.motions is not None and len(found.motions) == 3


@pytest.mark.slow
def test_cardan_shaft_has_the_known_transmission() -> None:
    """At 45° the output turns at cos β/(1 - sin²β sin²φ) of the rate of the input; its bearing holds too much."""
    model = sl.Model("cardan")
    bend = np.radians(45)
    out = np.array([np.cos(bend), np.sin(bend), 0])
    first = sl.RigidBody(model, "first", 1.0, [0.02, 0.02, 0.02], position=[-0.5, 0, 0])
    second = sl.RigidBody(model, "second", 1.0, [0.02, 0.02, 0.02], position=0.5 * out)
    drive = sl.RevoluteJoint(model, "input", model.ground, first, at=[-0.5, 0, 0], axis=[1, 0, 0])
    sl.UniversalJoint(model, "cross", first, second, at=[0, 0, 0], axis=[[0, 0, 1], [-out[1], out[0], 0]])
    sl.CylindricalJoint(model, "output", model.ground, second, at=0.5 * out, axis=out)
    drive.drive(5 * model.t)
    system = model.derive().compile(backend="numpy")
    assert [(r.joints, r.rows) for r in system.mobility().redundant] == [(("input", "cross", "output"), 2)]
    with pytest.warns(sl.SymlieWarning, match="have rank 12"):
        solution = sl.solve(system, 0.5, h=0.01, redundant="minimal_norm")
    ratio = np.cos(bend) / (1 - (np.sin(bend) * np.sin(5 * solution.t)) ** 2)
    np.testing.assert_allclose(solution.outputs["output_rate"], 5 * ratio, rtol=1e-9)
