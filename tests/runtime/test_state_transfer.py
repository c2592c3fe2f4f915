"""``System.with_state``: initial values from a solution of another model."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import symlie as sl
from symlie.errors import InconsistentInitialValuesError, ModelError, UnknownNameError
from symlie.runtime.system.system import System

ROUNDING = 1e-13
"""A few dozen roundings of numbers up to four."""

END = {"method": "half_explicit_5", "h": 1e-2}


@functools.cache
def arms(count: int, group: str = "SO3xR3", spring: float = 0.0, *, heated: bool = False) -> System:
    """Bodies on hinges below each other, the first with a specified rate, optional springs and state."""
    model = sl.Model(f"arms_{count}")
    above: object = model.ground
    for k in range(count):
        arm = sl.RigidBody(model, f"arm{k}", 1.0 + k, [0.1, 0.2, 0.3], group, position=[0, 0, -0.5 - k])
        hinge = sl.RevoluteJoint(model, f"hinge{k}", above, arm, at=[0, 0, -k], axis=[0, 1, 0])
        if not k:
            model.initial(hinge, angle=0.4, rate=1.5)
        if spring:
            model.potential_energy(spring * arm.point([0, 0, -0.5])[0] ** 2 / 2)
        above = arm
    if heated:
        state = model.state("heat", 1)
        model.vector_field(state, [1.0 - state.x[0]])
    model.gravity([0, 0, -9.81])
    return model.derive().compile(backend="numpy")


@functools.cache
def swing() -> sl.Solution:
    return sl.solve(arms(2, heated=True), 0.3, **END)


@pytest.mark.slow
def test_with_state_continues_the_motion_of_a_model() -> None:
    later = arms(2, heated=True).with_state(swing())
    state = later.initial_state
    np.testing.assert_allclose(state.q, swing().q[-1], rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(state.v, swing().v[-1], rtol=0, atol=ROUNDING)
    whole = sl.solve(arms(2, heated=True), 0.5, **END)
    np.testing.assert_allclose(sl.solve(later, 0.2, **END).q[-1], whole.q[-1], rtol=0, atol=ROUNDING)


@pytest.mark.slow
def test_with_state_starts_another_model() -> None:
    """A spring is added at t = 0.15 s: positions, velocities and first-order states continue, accelerations jump."""
    other, at = arms(2, spring=50.0, heated=True).with_state(swing(), 0.15), swing()(0.15)
    state = other.initial_state
    np.testing.assert_allclose(state.q, at.q, rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(state.v, at.v, rtol=0, atol=ROUNDING)
    assert other.layout.interface_hash != swing().system.layout.interface_hash
    with pytest.raises(ModelError, match=r"use system.with_state\(solution\)"):
        sl.solve(arms(2, spring=50.0, heated=True), 0.5, start=swing(), **END)


@pytest.mark.slow
def test_with_state_accepts_selected_nodes() -> None:
    single = sl.solve(arms(1), 0.1, **END)
    both = arms(2).with_state(single, nodes=["arm0"])
    assert np.array_equal(both.initial_fields["arm0", "x"][0], single.field("arm0", "x")[-1])
    rate = both.initial_fields["hinge0", "rate"]
    np.testing.assert_allclose(rate.ravel(), single.outputs["hinge0_rate"][-1], rtol=0, atol=ROUNDING)
    with pytest.raises(InconsistentInitialValuesError, match=r"system.assembled\(\)"):
        assert both.initial_state
    start = both.assembled().initial_state
    assert np.abs(both.mechanics.constraint(0.0, start.q)).max() < ROUNDING


def test_with_state_keeps_earlier_choices_of_other_nodes() -> None:
    system = arms(2, heated=True).with_initial("heat", x=[7.0]).with_state(swing(), nodes=["arm0", "arm1"])
    assert system.initial_fields["heat", "x"] == 7.0
    assert system.with_state(swing()).initial_fields["heat", "x"] == swing().field("heat", "x")[-1]


@pytest.mark.slow
def test_with_state_lists_nodes_that_do_not_fit() -> None:
    with pytest.raises(ModelError, match=r"no node 'arm2', 'arm3'\. Select common nodes by nodes="):
        arms(4).with_state(swing())
    with pytest.raises(ModelError, match="'arm0' is on SE3 here and on SO3xR3 there; 'arm1' is on SE3 here"):
        arms(2, "SE3").with_state(swing())
    with pytest.raises(UnknownNameError, match="nowhere"):
        arms(2).with_state(swing(), nodes=["nowhere"])
    with pytest.raises(ModelError, match=r"from 0 to 0\.3"):
        arms(2).with_state(swing(), 0.5)


@functools.cache
def chain(count: int, mass: float) -> System:
    """Points on springs between a fixed first point and a free end."""
    model = sl.Model(f"chain_of_{mass:g}")
    points = model.node_array("points", "R1", count)
    spring = sl.ElementType(f"spring_{mass:g}", a="R1", b="R1")
    a, b = spring.nodes
    spring.kinetic_energy(mass * b.x_dot[0] ** 2 / 2)
    spring.potential_energy(100 * (b.x[0] - a.x[0]) ** 2 / 2)
    model.add(spring, [(points[k], points[k + 1]) for k in range(count - 1)])
    points.fix(0)
    points.initial(x=np.arange(count)[:, None] * mass)
    return model.derive().compile(backend="numpy")


def test_with_state_leaves_fixed_nodes_in_their_place() -> None:
    motion = sl.solve(chain(4, 2.0), 0.1, h=1e-2, method="rkmk_rk44")
    moved = chain(4, 3.0).with_initial("points", x=[[0.5]] * 4).with_state(motion).initial_state
    assert moved.q[0] == 0.5 and np.array_equal(moved.q[1:], motion.q[-1, 1:])
    assert np.array_equal(moved.v[1:], motion.v[-1, 1:])
    with pytest.raises(ModelError, match="'points' is 5 nodes on R1 here and 4 nodes on R1 there"):
        chain(5, 3.0).with_state(motion)
