"""Inputs of element types: each instance reads its own input of the model, as if it were written for this instance."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError, UnknownNameError
from symlie.publish.folders import folder_files
from symlie.runtime.system.system import System
from tests import tolerances

BACKENDS = ("c", "numpy")
COUNTS = (4, 20)
"""Numbers of masses, for topologies in the code and at run time."""

TIMES = np.linspace(0, 1, 6)
NAMES = ("pair", "single")


def drive(element: sl.ElementType, u: Any) -> None:
    """State a force between two masses that depends on the input and on their positions."""
    q, o, gain = element.left, element.right, element.parameter("gain", 1.0)
    force = gain * u * sl.vector(1 + q.x[1] ** 2, sl.cos(o.x[0]))
    element.generalized_force(q, x_dot=force)
    element.generalized_force(o, x_dot=-force)
    element.output("power", u * q.x_dot[0])


def masses(count: int) -> tuple[sl.Model, list[Any], list[Any]]:
    """A model of masses on springs, with a vector input and a scalar one; the nodes, and an input for each pair."""
    model = sl.Model("masses")
    model.parameter("strength", 2.0)
    pair, single = model.input("pair", 2), model.input("single")
    nodes = [model.node(f"n{k}", "R2") for k in range(count)]
    mass = sl.ElementType("mass", node="R2")
    m, q = mass.parameter("m", 1.0), mass.node
    mass.kinetic_energy(m * q.x_dot.dot(q.x_dot) / 2)
    mass.potential_energy(3 * q.x.dot(q.x) ** 2 / 4)
    model.add(mass, nodes, m=[1.5 + k % 3 for k in range(count)])
    for k, node in enumerate(nodes):
        model.initial(node, x=[0.1 * (k % 5), 1 - 0.2 * (k % 7)])
    chosen = [pair[1], single, pair[0]]
    return model, nodes, [chosen[k % 3] for k in range(count - 1)]


def strength_of(model: sl.Model) -> Any:
    return model.parameters[0].symbols[0]


@functools.cache
def chosen(count: int) -> sl.Model:
    """One element type, whose instances choose their inputs."""
    model, nodes, inputs = masses(count)
    motor = sl.ElementType("motor", left="R2", right="R2")
    drive(motor, motor.input("u"))
    pairs = list(itertools.pairwise(nodes))
    model.add(motor, pairs, names=[f"motor{k}" for k in range(count - 1)], u=inputs, gain=strength_of(model))
    return model


@functools.cache
def written(count: int) -> sl.Model:
    """An element type for each input."""
    model, nodes, inputs = masses(count)
    for kind in range(3):
        motor = sl.ElementType(f"motor_of_kind{kind}", left="R2", right="R2")
        drive(motor, inputs[kind])
        numbers = range(kind, count - 1, 3)
        pairs, names = [(nodes[k], nodes[k + 1]) for k in numbers], [f"motor{k}" for k in numbers]
        model.add(motor, pairs, names=names, gain=strength_of(model))
    return model


def with_tables(system: System) -> System:
    system = system.with_input("pair", TIMES, np.c_[np.sin(3 * TIMES), np.cos(2 * TIMES)], "cubic")
    return system.with_input("single", TIMES, 1 + TIMES**2, "linear")


@functools.cache
def systems(count: int, backend: str) -> tuple[System, System]:
    found = [with_tables(model(count).derive().compile(backend=backend)) for model in (chosen, written)]
    return found[0], found[1]


def assert_close(found: Any, expected: Any) -> None:
    expected = np.asarray(expected)
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerances.BACKENDS * np.abs(expected).max())


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(
    "words",
    [{"method": "half_explicit_4", "h": 0.05}, {"method": "bdf2_increments", "h": 0.1}, {"method": "taylor", "h": 0.1}],
    ids=lambda words: words["method"],
)
def test_instances_read_the_inputs_that_they_choose(words: dict[str, Any], count: int, backend: str) -> None:
    found, expected = (sl.solve(system, 0.4, **words) for system in systems(count, backend))
    assert_close(found.q, expected.q)
    for name in ("motor0_power", "motor1_power", "motor2_power"):
        assert_close(found.outputs[name], expected.outputs[name])
    assert np.ptp(expected.outputs["motor1_power"]) > 0.01


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("count", COUNTS)
def test_derivatives_by_chosen_inputs_have_the_places_of_the_inputs(count: int, backend: str) -> None:
    found, expected = systems(count, backend)
    powers = [f"motor{k}_power" for k in range(count - 1)]
    spaces = [system.linearize().state_space(outputs=powers) for system in (found, expected)]
    for a, b in zip(*spaces, strict=True):
        assert_close(a, b) if b.any() else np.testing.assert_array_equal(a, b)
    state = found.state(t=0.3)
    inputs = {"pair": [0.3, -0.4], "single": [0.5]}
    acceleration, _ = found.acceleration(state, inputs=inputs)
    efforts, _ = found.inverse_dynamics(state, acceleration, list(NAMES))
    assert_close(efforts, [0.3, -0.4, 0.5])


@pytest.mark.parametrize(
    "words",
    [{"method": "half_explicit_4", "h": 0.1}, {"method": "generalized_alpha", "h": 0.1}],
    ids=lambda words: words["method"],
)
@pytest.mark.parametrize("count", COUNTS)
def test_gradients_by_tables_of_chosen_inputs(words: dict[str, Any], count: int) -> None:
    def loss(solution: sl.Solution) -> tuple[float, dict[str, Any]]:
        powers = {name: solution.outputs[name] for name in ("motor0_power", "motor1_power")}
        return float(sum((p**2).sum() for p in powers.values())), {name: 2 * p for name, p in powers.items()}

    wanted = [*NAMES, "strength"]
    gradients = [sl.gradient(s, 0.4, loss, wrt=wanted, t_eval=TIMES[:3], **words) for s in systems(count, "c")]
    rows = [[float(g[name]) for name in g.variables] for g in gradients]
    assert_close(*rows)
    forward = sl.sensitivity(systems(count, "c")[0], 0.4, wrt=wanted, of="motor1_power", t_eval=TIMES[:3], **words)
    other = sl.sensitivity(systems(count, "c")[1], 0.4, wrt=wanted, of="motor1_power", t_eval=TIMES[:3], **words)
    assert_close(forward["motor1_power"], other["motor1_power"])


def test_code_does_not_depend_on_the_number_of_inputs() -> None:
    def code(count: int) -> dict[str, int]:
        model, nodes, _ = masses(count)
        more = model.input("more", count)
        motor = sl.ElementType("motor", left="R2", right="R2")
        drive(motor, motor.input("u"))
        model.add(motor, list(itertools.pairwise(nodes)), u=[more[k] for k in range(count - 1)])
        files = folder_files(model.derive(), ())
        return {name: len(text.splitlines()) for name, text in files.items() if name.endswith(".c")}

    assert code(19) == code(25) != {}


def test_chosen_inputs_survive_files(tmp_path: Path) -> None:
    system, _ = systems(COUNTS[0], "c")
    solution = sl.solve(system, 0.2, h=0.05)
    solution.save(tmp_path / "run.npz")
    again = sl.load_solution(tmp_path / "run.npz")
    np.testing.assert_array_equal(again.outputs["motor1_power"], solution.outputs["motor1_power"])
    folder = chosen(COUNTS[0]).derive().generate(tmp_path / "masses")
    loaded = with_tables(sl.load(folder, trust=True))
    np.testing.assert_array_equal(sl.solve(loaded, 0.2, h=0.05).q, solution.q)


def test_instances_in_minimal_coordinates_keep_their_inputs() -> None:
    def pendulum(is_chosen: bool) -> System:
        model = sl.Model("pendulum")
        torques = model.input("torques", 2, unit="N m")
        body = sl.RigidBody(model, "body", 1.0, [0.1, 0.2, 0.3], position=[0.5, 0, 0])
        sl.RevoluteJoint(model, "hinge", model.ground, body, at=[0, 0, 0], axis=[0, 1, 0])
        motor = sl.ElementType("motor", body="SO3xR3")
        motor.torque(sl.vector(0, motor.input("u", unit="N m") if is_chosen else torques[1], 0), on=motor.body)
        model.add(motor, [body.node], **({"u": torques[1]} if is_chosen else {}))
        system = sl.minimal_coordinates(model).derive().compile(backend="numpy")
        return system.with_input("torques", [0], [[5.0, 2.0]])

    found, expected = (sl.solve(pendulum(is_chosen), 0.2, h=0.05) for is_chosen in (True, False))
    assert_close(found.q, expected.q)
    assert abs(found.q[-1, 0]) > 0.01


def motors() -> tuple[sl.Model, sl.ElementType, Any]:
    """A model with a node array, and an element type with an input."""
    model = sl.Model("motors")
    motor = sl.ElementType("motor", axle="R1")
    motor.kinetic_energy(motor.axle.x_dot[0] ** 2 / 2)
    motor.generalized_force(motor.axle, x_dot=[motor.input("u", unit="N m")])
    return model, motor, list(model.node_array("axles", "R1", 3))


def test_inputs_of_instances_are_checked() -> None:
    model, motor, axles = motors()
    u, other = model.input("u", 2, unit="N m"), model.input("other", unit="N")
    for given, message in (
        ({}, "Input 'u' of element 'motor' needs a value in Model.add"),
        ({"u": [u[0], u[1]]}, "needs one component of an input of the model, or 3, not 2"),
        ({"u": 2.0 * u[0]}, "must be a component of an input of the model as it was declared"),
        ({"u": 1.0}, "must be a component of an input of the model as it was declared"),
        ({"u": other}, "declare both with the same unit"),
        ({"u": u[0], "v": 1.0}, "has no parameter 'v'"),
    ):
        with pytest.raises(ModelError, match=message):
            model.add(motor, axles, **given)
    with pytest.raises(ModelError, match="'u'"):
        motor.input("u")
    model.add(motor, axles, names=["a", "b", "c"], u=u[1])
    motor.input("late")
    with pytest.raises(ModelError, match="parameters or inputs after it was added"):
        model.derive()


def test_chosen_inputs_are_no_parameters() -> None:
    model, motor, axles = motors()
    model.add(motor, axles, names=["a", "b", "c"], u=model.input("u", unit="N m"))
    system = model.derive().compile(backend="numpy")
    with pytest.raises(UnknownNameError, match="has no parameter 'u'"):
        system.with_parameters(**{"a.u": 1.0})


def test_chosen_inputs_are_typeset_by_name() -> None:
    model, motor, axles = motors()
    model.add(motor, axles, u=model.input("torque", unit="N m"))
    assert "-u(t)" in model.derive().latex()
