"""Multipliers, constraint forces and events: given as expressions, evaluated by both backends in both topologies."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from numpy.random import default_rng

import symlie as sl
from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances

BACKENDS = ("c", "numpy")
GRAVITY = 9.81


def single() -> sl.Model:
    """A body that hangs from a spherical joint, with fixed topology."""
    model = sl.Model("hanging")
    q = model.node("body", sl.SE3)
    m = model.parameter("mass", 2.0, unit="kg")
    J = model.parameter("inertia", [0.1, 0.2, 0.3], unit="kg m^2")
    model.kinetic_energy((m * q.U.dot(q.U) + q.Omega.dot(sl.diag(J) * q.Omega)) / 2)
    model.potential_energy(m * GRAVITY * q.x[2])
    pivot = model.constraint("pivot", q.x + q.R * sl.vector(0, 0, 1))
    plane = model.constraint("plane", q.R[0, 1])
    model.output("multipliers", sl.vector(*pivot, *plane))
    model.output("all_forces", model.constraint_force(q))
    model.output("pivot_force", q.R * model.constraint_force(q, "pivot")[3:, :], unit="N")
    model.event("lowest", q.x[0], direction="rising")
    model.event("limit", pivot.dot(pivot) - 400, terminal=False)
    model.initial(q, x=[0, 0, -1])
    return model


def chain(count: int = 3) -> sl.Model:
    """Point masses hanging from each other, as elements over an array."""
    model = sl.Model("chain_of_points")
    points = model.node_array("points", "R3", count + 1)
    points.initial(x=lambda k: (0.6 * k, 0, -0.8 * k), x_dot=(0, 0, 0))
    points.fix(0)
    mass = sl.ElementType("mass", node="R3")
    mass.kinetic_energy(mass.node.x_dot.dot(mass.node.x_dot))
    mass.potential_energy(2 * GRAVITY * mass.node.x[2])
    mass.event("ground", mass.node.x[2] + 2.5, direction="falling")
    model.add(mass, points)
    link = sl.ElementType("link", left="R3", right="R3")
    between = link.right.x - link.left.x
    length = link.parameter("length", 1.0, unit="m")
    (tension,) = link.constraint("rod", (between.dot(between) - length**2) / 2)
    link.output("total_tension", tension * length)
    link.output("left_force", link.constraint_force(link.left))
    link.event("slack", tension)
    model.add(link, [(points[k], points[k + 1]) for k in range(count)])
    return model


@functools.cache
def system_of(model: str, backend: str) -> System:
    """A system of this file."""
    return {"single": single, "chain": chain}[model]().derive().compile(backend=backend)


def state_of(system: System) -> tuple[Array, Array, Array]:
    """A reproducible state that need not satisfy the constraints."""
    random = default_rng(4)
    layout = system.layout
    q = system.kernels.advance(system.initial_state.q, random.normal(size=layout.dimension))
    return q, random.normal(size=layout.dimension), random.normal(size=layout.rows)


@pytest.mark.parametrize("backend", BACKENDS)
def test_outputs_contain_multipliers_and_forces(backend: str) -> None:
    system = system_of("single", backend)
    q, v, multipliers = state_of(system)
    values = system.kernels.outputs(system.prepared, 0.3, q, v, multipliers)
    named = {name: values[part] for name, (part, _) in system.layout.outputs.items()}
    assert np.array_equal(named["multipliers"], multipliers)
    jacobian = system.kernels.jacobian(system.prepared, 0.3, q, v)
    force = -system.algebra.pull(jacobian, multipliers)
    np.testing.assert_allclose(named["all_forces"], force, rtol=0, atol=tolerances.KERNEL)
    # Φ = x + R e₃ moves with δx for a translation in inertial axes, so that the force there is -λ.
    np.testing.assert_allclose(named["pivot_force"], -multipliers[:3], rtol=0, atol=tolerances.KERNEL)


@pytest.mark.parametrize("backend", BACKENDS)
def test_elements_have_separate_multipliers(backend: str) -> None:
    system = system_of("chain", backend)
    q, v, multipliers = state_of(system)
    values = system.kernels.outputs(system.prepared, 0.3, q, v, multipliers)
    named = {name: values[part] for name, (part, _) in system.layout.outputs.items()}
    x = q.reshape(-1, 3)
    assert named["total_tension"] == pytest.approx(multipliers.sum(), abs=tolerances.KERNEL)
    forces = np.diff(x, axis=0) * multipliers[:, None]
    np.testing.assert_allclose(named["left_force"], forces.sum(axis=0), rtol=0, atol=tolerances.KERNEL)


@pytest.mark.parametrize("backend", BACKENDS)
def test_event_functions_can_use_multipliers(backend: str) -> None:
    system = system_of("single", backend)
    q, v, multipliers = state_of(system)
    found = system.kernels.events(system.prepared, 0.3, q, v, multipliers)
    expected = [q[9], multipliers[:3] @ multipliers[:3] - 400]
    np.testing.assert_allclose(found, expected, rtol=tolerances.KERNEL, atol=0)
    described = [(e.name, e.direction, e.is_terminal, e.instance) for e in system.layout.events]
    assert described == [("lowest", 1, True, 0), ("limit", 0, False, 0)]

    system = system_of("chain", backend)
    q, v, multipliers = state_of(system)
    found = system.kernels.events(system.prepared, 0.3, q, v, multipliers)
    events = system.layout.events
    ground, slack = (np.array([e.name == name for e in events]) for name in ("ground", "slack"))
    assert {(e.element, e.direction) for e in events} == {("mass", -1), ("link", 0)}
    np.testing.assert_allclose(found[ground], q[2::3] + 2.5, rtol=tolerances.KERNEL)
    assert np.array_equal(found[slack], multipliers)
    assert len(found) == len(events) == 7


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_reactions_balance_the_weight(backend: str) -> None:
    solution = sl.solve(system_of("single", backend), 0.01, h=0.005, multipliers="index1")
    # At rest the joint holds the weight of 2 kg.
    weight = np.tile([0, 0, 2 * GRAVITY], (3, 1))
    np.testing.assert_allclose(solution.outputs["pivot_force"], weight, rtol=0, atol=tolerances.ENERGY)
    found = solution.constraint_force("body")
    np.testing.assert_allclose(found, solution.outputs["all_forces"], atol=tolerances.ENERGY)
    np.testing.assert_allclose(solution.constraint_force("body", "plane"), 0, atol=tolerances.ENERGY)
    assert sl.solve(system_of("chain", backend), 0.01, h=0.01).constraint_force("points").shape == (2, 4, 3)
    with pytest.raises(UnknownNameError, match=r"no constraint 'door'; it has: pivot, plane\."):
        solution.constraint_force("body", "door")


def test_invalid_input_is_reported() -> None:
    model = sl.Model("mistaken")
    q = model.node("bob", "R3")
    multiplier = model.constraint("rod", q.x.dot(q.x) - 1)[0]
    for statement in (
        lambda: model.kinetic_energy(multiplier),
        lambda: model.potential_energy(multiplier * q.x[0]),
        lambda: model.dissipation(multiplier),
        lambda: model.generalized_force(q, [multiplier, 0, 0]),
        lambda: model.force([multiplier, 0, 0], at=q.x),
        lambda: model.constraint("other", multiplier),
        lambda: model.rate(multiplier),
    ):
        with pytest.raises(
            ModelError, match=r"depends on multipliers, .* in outputs and events, and friction\(…\) for"
        ):
            statement()
    with pytest.raises(UnknownNameError, match="no constraint 'ropes'; it has: rod"):
        model.constraint_force(q, "ropes")
    with pytest.raises(ModelError, match="does not belong to 'mistaken'"):
        model.constraint_force(sl.Model("another").node("bob", "R3"))
    model.constraint_force(q, "rod")
    model.constraint("plane", q.x[0])
    model.constraint_force(q)
    with pytest.raises(ModelError, match="defined after constraint_force of all constraints on node 'bob'"):
        model.constraint("late", q.x[1])


def test_invalid_events_are_rejected() -> None:
    model = sl.Model("mistaken")
    q = model.node("bob", "R3")
    with pytest.raises(ModelError, match=r"direction of event 'down' must be any, rising, falling, not 'up'"):
        model.event("down", q.x[0], direction="up")
    with pytest.raises(ModelError, match="must be a scalar, but has 3 components"):
        model.event("down", q.x)
    model.event("down", q.x[0])
    with pytest.raises(ModelError, match="'down' is defined twice"):
        model.event("down", q.x[1])
    other = sl.ElementType("other", node="R3")
    other.event("down", other.node.x[0])
    other.kinetic_energy(other.node.x_dot.dot(other.node.x_dot))
    model.add(other, [q])
    with pytest.raises(ModelError, match="Event 'down' is defined by 'mistaken' and by 'other'"):
        model.derive()


def test_pages_show_multipliers_and_events() -> None:
    page = single().derive().markdown()
    assert r"\lambda^{\mathrm{pivot}}" in page and "## Events" in page and r"\mathrm{lowest}" in page
