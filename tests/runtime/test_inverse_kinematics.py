"""Configurations at which outputs have given values: trees, closed chains, limits, and targets out of reach."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

import symlie as sl
from symlie.errors import InconsistentInitialValuesError, ModelError, UnknownNameError
from symlie.runtime.linear.least_change import CLOSED
from symlie.runtime.system.system import System
from tests import tolerances

FORMS = ("bodies", "minimal")


@functools.cache
def arm(form: str, count: int = 2) -> System:
    """Links of 0.5 m on hinges about -y, with position and rotation of the tip."""
    model, before = sl.Model("arm"), None
    for k in range(count):
        link = sl.RigidBody(model, f"link{k}", 2.0 + k, [0.01, 0.04, 0.04], position=[0.5 * k + 0.25, 0, 0])
        sl.RevoluteJoint(model, f"hinge{k}", before or model.ground, link, at=[0.5 * k, 0, 0], axis=[0, -1, 0])
        before = link
    for joint, angle in zip(model.joints, [0.2, 0.5, 0.3], strict=False):
        model.initial(joint, angle=angle)
    assert before is not None
    tip = before.point([0.25, 0, 0])
    model.output("reach", [1000 * tip[0], 1000 * tip[2]])
    model.output("tip", tip, unit="m")
    model.output("tip_R", before.R)
    stated = sl.minimal_coordinates(model) if form == "minimal" else model
    return stated.derive().compile(backend="numpy")


def angles(x: float, z: float) -> tuple[float, float]:
    """Angles of both hinges at a position of the tip, with the elbow bent upwards."""
    bend = np.arccos((x**2 + z**2 - 0.5) / 0.5)
    return float(np.arctan2(z, x) - bend / 2), float(bend)


def hinges(system: System) -> list[float]:
    """Initial angles of the first two hinges."""
    found = system.outputs(system.state(), ["hinge0_angle", "hinge1_angle"])
    return [float(value) for value in found.values()]


@pytest.mark.parametrize("form", FORMS)
def test_arm_reaches_a_point(form: str) -> None:
    system = arm(form)
    found = system.assembled(targets={"reach": [600, 400]})
    assert found.assembly is not None
    assert found.assembly.missed["reach"] < 1000 * tolerances.REDUCED
    np.testing.assert_allclose(hinges(found), angles(0.6, 0.4), rtol=0, atol=tolerances.REDUCED)
    state = found.state()
    np.testing.assert_allclose(found.outputs(state, ["tip"])["tip"], [0.6, 0, 0.4], rtol=0, atol=tolerances.REDUCED)
    same = system.assembled(targets={"tip": [0.6, 0, 0.4]})
    np.testing.assert_allclose(same.state().q, state.q, rtol=0, atol=tolerances.REDUCED)


@pytest.mark.parametrize("form", FORMS)
def test_singular_start_is_left(form: str) -> None:
    """A stretched arm cannot shorten to first order."""
    system = arm(form)
    start = (
        system.with_initial("hinge0", angle=0.0).with_initial("hinge1", angle=0.0)
        if form == "bodies"
        else (system.with_initial("hinge0", x=[0.0]).with_initial("hinge1", x=[0.0]))
    )
    found = start.assembled(targets={"reach": [600, 0]})
    assert abs(hinges(found)[1]) == pytest.approx(angles(0.6, 0.0)[1], abs=tolerances.REDUCED)


@pytest.mark.parametrize("form", FORMS)
def test_rotation_is_a_target_and_limits_are_kept(form: str) -> None:
    system = arm(form)
    turn = sl.rotation(axis=[0, -1, 0], angle=1.1)
    free = hinges(system.assembled(targets={"tip_R": turn}))
    assert sum(free) == pytest.approx(1.1, abs=tolerances.REDUCED) and free[1] > 0.6
    held = system.assembled(targets={"tip_R": turn}, limits={"hinge1_angle": (-1, 0.55), "hinge0_angle": (-2, 2)})
    np.testing.assert_allclose(hinges(held), [0.55, 0.55], rtol=0, atol=tolerances.REDUCED)
    assert held.assembly is not None and list(held.assembly.missed) == ["tip_R"]


def test_redundant_arm_moves_least() -> None:
    """The change is orthogonal, in the metric M at the start, to motions that keep the tip in place."""
    system = arm("minimal", 3)
    start = system.initial_state.q
    found = system.assembled(targets={"reach": [900, 500]})
    q, M = found.initial_state.q, system.mass_matrix(system.state())
    J = system.output_jacobian(found.state(), "reach")
    still = np.linalg.svd(J)[2][2]
    change = (q - start)[: len(still)]
    assert np.abs(change).max() > 0.05
    assert abs(still @ M @ change) < tolerances.LEAST_CHANGE * np.linalg.norm(M @ change)


def test_closed_chain_reaches_a_point() -> None:
    """A linkage of five bars, whose two arms meet at the tip."""
    model = sl.Model("five_bars")
    pins = [(-0.5, 0), (-0.9, 0.8), (0, 1.5), (0.9, 0.8), (0.5, 0)]
    before = model.ground
    for k, (a, b) in enumerate(itertools.pairwise(pins)):
        middle, along = np.add(a, b) / 2, np.subtract(b, a)
        turn = float(np.arctan2(along[1], along[0]))
        bar = sl.RigidBody(model, f"bar{k}", 1.0, 0.1, "SE2", position=middle, orientation=turn)
        sl.RevoluteJoint(model, f"pin{k}", before, bar, at=a)
        if k == 1:
            model.output("tip", bar.point([float(np.linalg.norm(along)) / 2, 0]), unit="m")
        before = bar
    sl.RevoluteJoint(model, "pin4", before, model.ground, at=pins[-1])
    system = model.derive().compile(backend="numpy")
    found = system.assembled(targets={"tip": [0.3, 1.3]})
    state = found.state()
    np.testing.assert_allclose(found.outputs(state, ["tip"])["tip"], [0.3, 1.3], rtol=0, atol=10 * CLOSED)
    assert np.abs(found.constraint(state)).max() < 10 * CLOSED
    with pytest.raises(
        InconsistentInitialValuesError, match=r"'five_bars' cannot be reached .* 'tip' misses .* by 1\.\d"
    ):
        system.assembled(targets={"tip": [0.3, 3.0]})


def test_targets_out_of_reach_are_named() -> None:
    with pytest.raises(InconsistentInitialValuesError, match=r"output 'tip' misses its target by 0\.1;"):
        arm("minimal").assembled(targets={"tip": [0.6, 0.1, 0.4]})
    with pytest.raises(InconsistentInitialValuesError, match=r"cannot be reached together with its constraints"):
        arm("bodies").assembled(targets={"reach": [600, 400], "hinge1_angle": 0.1})


def test_bad_targets_are_refused() -> None:
    system = arm("minimal")
    with pytest.raises(UnknownNameError, match=r"'arm' has no output 'tool'; it has: .*reach"):
        system.assembled(targets={"tool": [0, 0]})
    with pytest.raises(ModelError, match=r"target 'reach' of 'arm' needs 2 finite numbers, not \[1, 2, 3\]"):
        system.assembled(targets={"reach": [1, 2, 3]})
    with pytest.raises(ModelError, match=r"No target of 'arm' is given; its outputs are: .*reach"):
        system.assembled(targets={})
    with pytest.raises(ModelError, match=r"Limits of 'reach' must be a lower and an upper value of a scalar output"):
        system.assembled(targets={"tip": [0.6, 0, 0.4]}, limits={"reach": (0, 1)})
    with pytest.raises(ModelError, match=r"Limits of outputs need targets"):
        system.assembled(limits={"hinge1_angle": (0, 1)})
