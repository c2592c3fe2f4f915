"""Outputs of recorded states: all states in one call, only requested outputs, equal on both backends."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection, Sequence

import numpy as np
import pytest

import symlie as sl
from symlie.errors import UnknownNameError
from symlie.runtime.kernels.protocol import QUANTITIES, Prepared, States
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances
from tests.systems import chain_model, heavy_top_system

RNG = np.random.default_rng(17)


def driven_model() -> sl.Model:
    """A body on a tabulated motion, with a held input, a piecewise law and an output of its multipliers."""
    model = sl.Model("driven")
    pivot, body = model.node("pivot", "R3"), model.node("body", "S3xR3")
    push = model.input("push", 2)
    model.prescribe(pivot, x=[sl.sin(3 * model.t) / 10, 0, 0])
    model.kinetic_energy(body.x_dot.dot(body.x_dot) + body.Omega.dot(body.Omega) / 20)
    model.potential_energy(sl.select(body.x[2] + 0.4, 20 * body.x[2], 19 * body.x[2]) - push[0] * body.x[0])
    model.constraint("pivot", body.x + body.R * sl.vector(0, 0, 0.5) - pivot.x)
    model.output("reaction", model.constraint_force(body), unit="N m, N")
    model.output("pushed", push[0] * model.t + push[1])
    model.initial(body, x=[0, 0, -0.5], Omega=[1, 2, 3])
    return model


def rod_model() -> sl.Model:
    """A rod with a body at its end, and outputs that are sums over instances and fields of nodes."""
    model = sl.Model("rope")
    rope = sl.CosseratRod(
        model,
        "rope",
        segments=5,
        length=1.0,
        constraint="inextensible",
        gravity=(0, 0, -9.81),
        stiffness=[0.02, 0.02, 0.02, 2, 2, 2],
        inertia=[0.5, 0.5, 0.6, 0.7, 0.7, 0.7],
        position=lambda s: (s, 0, 0),
        orientation=(0.5**0.5, 0, 0.5**0.5, 0),
    )
    rope.nodes.fix(0)
    rope.nodes.output("positions", "x", unit="m")
    body = sl.ElementType("body", node=sl.S3sR3)
    body.kinetic_energy(body.node.U.dot(body.node.U) / 2)
    body.output("height", body.node.x[2], unit="m")
    model.add(body, [rope[-1], rope[-2]])
    return model


def field_model() -> sl.Model:
    """A point of a manifold."""
    model = sl.Model("point")
    y = model.node("y", sl.S2).q
    model.vector_field(model.nodes[0], q=sl.vector(0, 0, 1).cross(y))
    model.energy(y[0] ** 2)
    model.output("height", 2 * y[2])
    model.initial(model.nodes[0], q=[0.6, 0, 0.8])
    return model


STATED: dict[str, Callable[[], sl.Model]] = {
    "chain": chain_model,
    "driven": driven_model,
    "rope": rod_model,
    "point": field_model,
}


@functools.cache
def system_of(model: str, backend: str) -> System:
    """One of the models, ready to run."""
    if model == "top":
        return heavy_top_system("SE3", backend)
    system = STATED[model]().derive().compile(backend=backend)
    if model == "driven":
        system = system.with_input("push", [0.0, 0.3, 0.7], [[1, 2], [3, 5], [4, 4]], "hold")
    return system


@functools.cache
def states_of(model: str, count: int = 7) -> States:
    """States that violate constraints, so that no residual is zero."""
    system = system_of(model, "numpy")
    start, layout = system.initial_state, system.layout
    q = [system.kernels.advance(start.q, 0.3 * RNG.standard_normal(layout.dimension)) for _ in range(count)]
    v = start.v + RNG.standard_normal((count, layout.dimension))
    return States(np.linspace(0, 1, count), np.array(q), v, RNG.standard_normal((count, layout.rows)))


def observed(system: System, states: States) -> dict[str, Array]:
    """Everything."""
    return system.kernels.observe(system.prepared, states, QUANTITIES, tuple(system.layout.outputs))


MODELS = ("top", *STATED)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_backends_agree(model: str) -> None:
    c, numpy = (observed(system_of(model, backend), states_of(model)) for backend in ("c", "numpy"))
    assert list(c) == [*QUANTITIES, "outputs"] and list(c) == list(numpy)
    for name, values in c.items():
        scale = np.abs(numpy[name]).max(initial=1.0)
        np.testing.assert_allclose(values, numpy[name], rtol=0, atol=tolerances.OBSERVED * scale, err_msg=name)


@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("model", MODELS)
def test_joint_evaluation_equals_single_states(model: str, backend: str) -> None:
    """To the bit: no state sees the others; values of one state agree with the kernels of one state."""
    system, states = system_of(model, backend), states_of(model)
    together = observed(system, states)
    k, p = system.kernels, system.prepared
    for row, (t, q, v, multipliers) in enumerate(zip(states.t, states.q, states.v, states.multipliers, strict=True)):
        alone = observed(system, states[row : row + 1])
        for name, values in alone.items():
            assert values.tobytes() == together[name][row : row + 1].tobytes(), name
        assert k.outputs(p, t, q, v, multipliers).tobytes() == alone["outputs"].tobytes()
        if not system.layout.has_accelerated_energy:
            assert k.energy(p, t, q, v).sum() == alone["energy"][0]
        a, found = system.mechanics.index1(t, q, v)
        for name, expected in (("acceleration", a), ("multipliers", found)):
            scale = np.abs(expected).max(initial=1.0)
            np.testing.assert_allclose(alone[name][0], expected, rtol=0, atol=tolerances.OBSERVED * scale)
        jacobian = k.jacobian(p, t, q, v)
        force = -system.algebra.pull(jacobian, multipliers)
        np.testing.assert_allclose(alone["constraint_force"][0], force, atol=tolerances.OBSERVED)
        largest = np.abs(k.constraint(p, t, q)).max(initial=0.0)
        assert alone["constraint_residual"][0] == largest


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_only_requested_outputs_are_evaluated(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One call of the library for all states, and no output except the requested one."""
    system = heavy_top_system("SE3", backend)
    solution = sl.solve(system, 0.01, h=2.0**-10)
    asked: list[tuple[int, tuple[str, ...], tuple[str, ...]]] = []
    observe = type(system.kernels).observe

    def recorded(
        self: object, p: Prepared, states: States, quantities: Collection[str], outputs: Sequence[str] = ()
    ) -> dict[str, Array]:
        asked.append((len(states.t), tuple(quantities), tuple(outputs)))
        return observe(system.kernels, p, states, quantities, outputs)

    monkeypatch.setattr(type(system.kernels), "observe", recorded)
    rotation = solution.outputs["rotation"]
    assert solution.outputs["rotation"] is rotation
    assert asked == [(len(solution.t), (), ("rotation",))]
    assert solution.outputs["energy"].shape == (len(solution.t),)
    assert asked[1:] == [(len(solution.t), ("energy",), ())]
    assert list(solution.outputs) == [
        "energy", "constraint_residual", "velocity_residual", "center_of_mass", "rotation",
    ]  # fmt: skip
    assert "rotation" in solution.outputs and len(solution.outputs) == 5
    with pytest.raises(UnknownNameError, match="no output 'colour'; it has: energy, "):
        solution.outputs["colour"]


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_singular_states_are_nan(backend: str) -> None:
    """Undetermined accelerations are NaN; other states are unaffected."""
    model = sl.Model("folding")
    x = model.node("point", "R2").x
    model.kinetic_energy(model.rate(x[0]) ** 2 + model.rate(x[1]) ** 2)
    model.constraint("circle", (x.dot(x) - 1) / 2)
    model.initial(model.nodes[0], x=[1, 0], x_dot=[0, 1])
    system = model.derive().compile(backend=backend)
    states = States(np.zeros(3), np.array([[1.0, 0], [0, 0], [0, 1]]), np.ones((3, 2)), np.zeros((3, 1)))
    found = system.kernels.observe(system.prepared, states, ("acceleration", "multipliers"))
    for values in (found["acceleration"], found["multipliers"]):
        assert np.isnan(values[1]).all() and np.isfinite(values[[0, 2]]).all()


@pytest.mark.parametrize("model", ["top", "driven", "rope"])
def test_intermediate_states_agree(model: str) -> None:
    """Dense output in any order of times, several within one step, at steps and between."""
    end = 0.02
    solution = sl.solve(system_of(model, "c"), end, h=2.0**-10)
    times = np.concatenate([RNG.uniform(0, end, 40), solution.t[:3], solution.t[5] + np.array([1e-4, 5e-4, 2e-4])])
    other = dataclasses.replace(solution, system=system_of(model, "numpy"))
    c, numpy = solution(times), other(times)
    for name in ("q", "v", "multipliers"):
        a, b = (np.asarray(getattr(found, name)) for found in (c, numpy))
        assert np.isfinite(a).all()
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerances.OBSERVED * np.abs(b).max(initial=1.0))
    alone = solution(float(times[17]))
    together = solution(times)
    assert alone.q.tobytes() == together.q[17].tobytes() and alone.v.tobytes() == together.v[17].tobytes()
