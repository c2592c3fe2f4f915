"""Multi-turn angles in forces, energies, constraints, events and outputs of a model, also in continued runs."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import AngleStepError, ModelError
from symlie.runtime.solution.solution import Solution, StateAt
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.interruptions import assert_continued_with_the_same_bits

BACKENDS = ("c", "numpy")
MOSTLY_C = ("c", pytest.param("numpy", marks=pytest.mark.slow))
INERTIA, STIFFNESS, REST = 0.3, 2.0, 20.0


def state_laws(model: sl.Model, angle: sl.Expression) -> None:
    """Define a torsion spring, a controller, an output and events, all in terms of an angle."""
    gain, target = model.parameter("gain", 1.0), model.parameter("target", 16.0)
    rest = model.parameter("rest", REST)
    model.potential_energy(STIFFNESS * (angle - rest) ** 2 / 2)
    model.force(-gain * (angle - target) - 0.1 * gain * model.rate(angle), at=angle)
    model.output("angle", angle)
    model.event("passes", angle - 7.5, terminal=False)
    model.event("stop", angle - model.parameter("stop", 1e3))


@functools.cache
def coordinate(backend: str) -> System:
    """The angle is the coordinate."""
    model = sl.Model("coordinate")
    node = model.node("wheel", "R1")
    model.kinetic_energy(INERTIA * node.x_dot[0] ** 2 / 2)
    state_laws(model, node.x[0])
    return model.derive().compile(backend=backend)


@functools.cache
def wheel(backend: str) -> System:
    """A wheel that stores cosine and sine."""
    model = sl.Model("wheel")
    node = model.node("wheel", sl.SO2)
    model.kinetic_energy(INERTIA * node.Omega[0] ** 2 / 2)
    state_laws(model, model.unwrapped_angle(node.p[1], node.p[0], start=model.parameter("start", 0.0)))
    return model.derive().compile(backend=backend)


@functools.cache
def hinged(backend: str) -> System:
    """A body in space on a revolute joint about the third axis."""
    model = sl.Model("hinged")
    body = model.node("body", "SO3xR3")
    inertia = sl.diag(0.2, 0.25, INERTIA)
    model.kinetic_energy((body.x_dot.dot(body.x_dot) + body.Omega.dot(inertia * body.Omega)) / 2)
    model.constraint("joint", [*body.x, body.R[0, 2], body.R[1, 2]])
    state_laws(model, model.unwrapped_angle(body.R[1, 0] - body.R[0, 1], body.R[0, 0] + body.R[1, 1]))
    return model.derive().compile(backend=backend)


@functools.cache
def hinges(backend: str) -> System:
    """Three wheels in the plane with a spring each, and a spring between the last two, all of element types."""
    model = sl.Model("hinges")
    nodes = model.node_array("wheels", sl.SE2, 3)
    hinge = sl.ElementType("hinge", wheel=sl.SE2)
    q, rest = hinge.wheel, hinge.parameter("rest", 0.0)
    hinge.kinetic_energy(INERTIA * q.Omega[0] ** 2 / 2 + q.U.dot(q.U))
    hinge.constraint("pin", q.x)
    angle = hinge.unwrapped_angle(q.R[1, 0], q.R[0, 0])
    hinge.potential_energy(STIFFNESS * (angle - rest) ** 2 / 2)
    hinge.output("angle", angle)
    hinge.event("passes", angle - 7.5, terminal=False)
    model.add(hinge, nodes, rest=[REST, -REST, 5.0])
    spring = sl.ElementType("spring", left=sl.SE2, right=sl.SE2)
    between = spring.left.R.T * spring.right.R
    twist = spring.unwrapped_angle(between[1, 0], between[0, 0])
    spring.potential_energy(0.1 * twist**2 / 2)
    spring.output("twist", twist)
    model.add(spring, [(nodes[1], nodes[2])])
    return model.derive().compile(backend=backend)


@functools.cache
def spinning(backend: str) -> System:
    """A wheel at a constant rate, whose angle stops the run."""
    model = sl.Model("spinning")
    node = model.node("wheel", sl.SO2)
    model.kinetic_energy(node.Omega[0] ** 2 / 2)
    angle = model.unwrapped_angle(node.p[1], node.p[0], start=model.parameter("start", 0.0))
    model.output("angle", angle)
    model.event("stop", angle - 1000.0)
    model.initial(node, Omega=[1.0])
    return model.derive().compile(backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("build", "method"),
    [
        (hinged, "half_explicit_5"),
        pytest.param(hinged, "generalized_alpha", marks=pytest.mark.slow),
        (wheel, "rkmk_dopri5"),
    ],
)
def test_unwrapped_angle_equals_a_coordinate(build: Any, method: str, backend: str) -> None:
    told: dict[str, Any] = {"method": method, "h": 0.02, "record_every": 7}
    found, expected = sl.solve(build(backend), 1.5, **told), sl.solve(coordinate("numpy"), 1.5, **told)
    assert expected.outputs["angle"].max() > 5 * 2 * math.pi
    np.testing.assert_allclose(
        found.outputs["angle"], expected.outputs["angle"], rtol=0, atol=tolerances.SAME_ANGLE_OVER_TURNS
    )
    assert [e.name for e in found.events] == [e.name for e in expected.events] != []
    passed, times = (np.array([e.t for e in s.events]) for s in (found, expected))
    np.testing.assert_allclose(passed, times, rtol=0, atol=tolerances.SAME_ANGLE_OVER_TURNS)
    if build is wheel:
        np.testing.assert_allclose(found.angle("wheel"), found.outputs["angle"], rtol=2.0**-51, atol=0)


@pytest.mark.parametrize("backend", MOSTLY_C)
def test_rejected_steps_do_not_count_turns(backend: str) -> None:
    """The first step is far too long, and the controller jumps: rejected steps leave the angle where it was."""
    told: dict[str, Any] = {"rtol": 1e-8, "atol": 1e-8, "h0": 0.5}
    found, expected = (sl.solve(s, 1.0, **told) for s in (hinged(backend), coordinate("numpy")))
    assert found.statistics.rejected > 0
    assert found.outputs["angle"][-1] == pytest.approx(expected.outputs["angle"][-1], abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_intermediate_states_have_unwrapped_angles(backend: str) -> None:
    coarse, fine = (sl.solve(hinges(backend), 1.0, h=h) for h in (0.04, 0.02))
    assert coarse.q[-1, -4] > 5 * 2 * math.pi
    between = coarse(fine.t)
    assert isinstance(between, Solution)
    np.testing.assert_allclose(between.q, fine.q, rtol=0, atol=1e-3)
    _, b, c, twist = between.q[:, between.system.layout.unwrapped].T
    np.testing.assert_allclose(between.outputs["twist"], twist, rtol=0, atol=tolerances.SAME_ANGLE_OVER_TURNS)
    np.testing.assert_allclose(twist, c - b, rtol=0, atol=tolerances.SAME_ANGLE_OVER_TURNS)
    at, asked = coarse(0.5126), sl.solve(hinges(backend), 1.0, h=0.04, t_eval=[0.5126])
    assert isinstance(at, StateAt)
    np.testing.assert_allclose(at.q, asked.q[-1], rtol=0, atol=1e-3)


@pytest.mark.slow
def test_both_backends_agree() -> None:
    first, second = (sl.solve(hinges(backend), 1.0, h=0.04) for backend in BACKENDS)
    np.testing.assert_allclose(first.q, second.q, rtol=0, atol=tolerances.SAME_ANGLE_OVER_TURNS)


@pytest.mark.slow
@pytest.mark.parametrize("backend", MOSTLY_C)
def test_continued_runs_keep_turns(backend: str, tmp_path: Path) -> None:
    """From a solution and from a file, bit-identical to an unbroken run; and from an event."""
    system = hinged(backend)
    assert_continued_with_the_same_bits(system, 1.0, 2.0, tmp_path, h=2.0**-6)
    stopped = sl.solve(system.with_parameters(stop=30.0), 1.5, rtol=1e-8, atol=1e-8)
    assert stopped.status == "event" and stopped.outputs["angle"][-1] == pytest.approx(30.0)
    gone_on = sl.solve(system, 1.5, rtol=1e-8, atol=1e-8, start=stopped)
    expected = sl.solve(coordinate("numpy"), 1.5, rtol=1e-8, atol=1e-8)
    assert gone_on.outputs["angle"][-1] == pytest.approx(expected.outputs["angle"][-1], abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("backend", MOSTLY_C)
def test_too_large_rotations_are_reported(backend: str) -> None:
    """Fixed steps of 3.5 and of 6.5 rad are refused by name; adaptive ones are shortened."""
    system = spinning(backend)
    for rate in (3.5, 6.5, -6.5):
        fast = system.with_initial("wheel", Omega=[rate])
        with pytest.raises(AngleStepError, match=rf"t = 0 \(.*angle 0 over turns of 'spinning' turns by {rate} rad"):
            sl.solve(fast, 2.0, h=1.0, method="rkmk_dopri5")
    solution = sl.solve(system, 400.0, method="rkmk_dopri5", rtol=1e-6, trace=True)
    assert solution.statistics.rejected > 0 and np.diff(solution.t).max() <= 3
    np.testing.assert_allclose(solution.outputs["angle"], solution.t, rtol=0, atol=tolerances.SAME_ANGLE_OVER_TURNS)


def test_too_large_rotation_names_its_element() -> None:
    system = hinges("c").with_initial("wheels", Omega=[[0.0], [70.0], [0.0]])
    with pytest.raises(AngleStepError, match="angle 0 over turns of element 'hinge', instance 1 turns by"):
        sl.solve(system, 1.0, h=0.05)


@pytest.mark.parametrize("backend", MOSTLY_C)
def test_million_turns_are_exact(backend: str) -> None:
    """The angle equals the principal angle plus whole turns to half a unit in the last place."""
    turns = 10**6
    system = spinning(backend)
    far = system.with_parameters(start=-2 * math.pi * turns)
    near, solution = (sl.solve(s, 20.0, h=0.5, method="rkmk_dopri5") for s in (system, far))
    assert near.q[:, :2].tobytes() == solution.q[:, :2].tobytes()
    expected = near.outputs["angle"] - 2 * math.pi * turns
    unit = np.spacing(2 * math.pi * turns)
    np.testing.assert_allclose(solution.outputs["angle"], expected, rtol=0, atol=unit)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_states_outside_a_run_use_the_nearest_turn(backend: str) -> None:
    """They begin next to the start that parameters say, and equilibria are followed over turns."""
    system = wheel(backend).with_initial("wheel", p=[math.cos(0.5), math.sin(0.5)])
    for start in (0.0, 12.0, -7.0):
        begun = sl.solve(system.with_parameters(start=start), 0.0625, h=2.0**-6, method="rkmk_dopri5")
        nearest = 0.5 + 2 * math.pi * round((start - 0.5) / (2 * math.pi))
        assert begun.outputs["angle"][0] == pytest.approx(nearest, abs=1e-14)
    free = system.with_parameters(gain=0.0)
    equilibrium = free.static_equilibrium()
    assert equilibrium.q[-1] == pytest.approx(REST, abs=1e-9)
    found = free.linearize(equilibrium.q)
    assert found.frequencies[0] == pytest.approx(math.sqrt(STIFFNESS / INERTIA) / (2 * math.pi))


@pytest.mark.slow
@pytest.mark.parametrize(("method", "backend"), [("half_explicit_5", "c"), ("generalized_alpha", "numpy")])
def test_drive_can_cover_several_turns(method: str, backend: str) -> None:
    """A rheonomic row follows its law to rounding, and its multiplier is the torque J φ'' of the motor."""
    system = driven(backend)
    solution = sl.solve(system, 2.0, h=2.0**-6, method=method)
    t = solution.t
    np.testing.assert_allclose(
        solution.outputs["angle"], 10 * t**2, rtol=0, atol=1e-3 if method == "half_explicit_5" else 1e-12
    )
    assert -solution.multipliers[-1, -1] == pytest.approx(20 * INERTIA, rel=1e-3)


@functools.cache
def driven(backend: str) -> System:
    """A body on a revolute joint, whose angle is 10 t² over six turns."""
    model = sl.Model("driven")
    body = model.node("body", "SO3xR3")
    model.kinetic_energy((body.x_dot.dot(body.x_dot) + INERTIA * body.Omega.dot(body.Omega)) / 2)
    model.constraint("joint", [*body.x, body.R[0, 2], body.R[1, 2]])
    angle = model.unwrapped_angle(body.R[1, 0] - body.R[0, 1], body.R[0, 0] + body.R[1, 1])
    model.constraint("motor", [angle - 10 * model.t**2])
    model.output("angle", angle)
    return model.derive().compile(backend=backend)


def test_repeated_requests_return_one_angle() -> None:
    model = sl.Model("twice")
    node = model.node("wheel", sl.SO2)
    first = model.unwrapped_angle(node.p[1], node.p[0])
    assert model.unwrapped_angle(node.p[1], node.p[0]) == first
    assert model.unwrapped_angle(node.p[1], node.p[0], start=7.0) != first
    assert len(model.angles) == 2


def test_invalid_angles_are_rejected() -> None:
    model = sl.Model("refused")
    node, point = model.node("wheel", sl.SO2), model.node("point", sl.S2)
    start = model.parameter("start", 0.0)
    sine, cosine = node.p[1], node.p[0]
    for arguments, message in (
        ((sine * node.Omega[0], cosine), "An angle of 'refused' depends on velocities"),
        ((sl.sin(model.t), sl.cos(model.t)), "depends on none of its nodes"),
        ((point.q[0], point.q[1]), "depends on node 'point' on S2"),
        ((node.p, cosine), "The sine of an angle of 'refused' must be a scalar, not 2 components"),
        ((sine, cosine, model.t), "The start of an angle of 'refused' must be a number or an expression of parameters"),
    ):
        with pytest.raises(ModelError, match=message):
            model.unwrapped_angle(*arguments)
    angle = model.unwrapped_angle(sine, cosine, start)
    with pytest.raises(ModelError, match="The kinetic energy of 'refused' depends on an unwrapped angle"):
        model.kinetic_energy((1 + angle**2) * node.Omega[0] ** 2 / 2)


@pytest.mark.slow
def test_equal_definitions_become_one_element_type() -> None:
    """Seven separately defined wheels become one element type, and each moves as if alone."""
    model = sl.Model("wheels")
    wheels = [model.node(f"wheel{k}", "SO3xR3") for k in range(7)]
    for k, body in enumerate(wheels):
        model.kinetic_energy((body.x_dot.dot(body.x_dot) + INERTIA * body.Omega.dot(body.Omega)) / 2)
        model.constraint(f"joint{k}", [*body.x, body.R[0, 2], body.R[1, 2]])
        angle = model.unwrapped_angle(body.R[1, 0] - body.R[0, 1], body.R[0, 0] + body.R[1, 1])
        model.potential_energy(STIFFNESS * (angle - (REST + 0.5 * k)) ** 2 / 2)
        model.output(f"angle{k}", angle)
    system = model.derive().compile(backend="numpy")
    assert [(e.unwrapped, i.count) for e, i in zip(system.layout.elements, system.layout.instances, strict=True)] == [
        (1, 7)
    ]
    found = sl.solve(system, 1.2, h=0.05)
    for k in range(7):
        alone = coordinate("numpy").with_parameters(gain=0.0, rest=REST + 0.5 * k)
        expected = sl.solve(alone, 1.2, h=0.05, method="half_explicit_5").outputs["angle"]
        np.testing.assert_allclose(found.outputs[f"angle{k}"], expected, rtol=0, atol=tolerances.SAME_ANGLE_OVER_TURNS)
