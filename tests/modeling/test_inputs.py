"""Run-time inputs u(t): tables of any length in C and NumPy, in both topologies, with kinks and jumps hit by steps."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.system.system import System
from tests import tolerances
from tests.modeling.topologies import TOPOLOGIES, finished, stated

BACKENDS = ("c", "numpy")


def cart(topology: str) -> sl.Model:
    """A cart with unit mass and two inputs, one of them a vector of forces of which the second acts on it."""
    model, statement, q = stated("cart", "R1", topology, count=2)
    model.parameter("first", [1.0, 2.0])
    push = model.input("push", unit="N")
    forces = model.input("forces", size=2, unit="N")
    mass = statement.parameter("mass", 1.0, unit="kg")
    statement.kinetic_energy(mass * q.x_dot[0] ** 2 / 2)
    statement.generalized_force(q, [push])
    statement.potential_energy(-forces[1] * q.x[0])
    statement.output("pushed", push)
    return finished(model, statement)


@functools.cache
def system_of(topology: str, backend: str) -> System:
    """The cart, ready to run."""
    return cart(topology).derive().compile(backend=backend)


def output(system: System, t: float) -> float:
    """The value that the kernels see, per cart."""
    state = system.initial_state
    values = system.kernels.outputs(system.prepared, t, state.q, state.v, state.multipliers)
    return float(values[0]) / sum(n.count for n in system.layout.nodes)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_table_values_are_interpolated(topology: str, backend: str) -> None:
    system = system_of(topology, backend)
    assert output(system, 0.3) == 0
    linear = system.with_input("push", [0, 1, 3], [2, 4, -2])
    found = [output(linear, t) for t in (-1, 0, 0.5, 1, 2, 3, 9)]
    np.testing.assert_allclose(found, [2, 2, 3, 4, 1, -2, -2], rtol=tolerances.KERNEL)
    held = system.with_input("push", [0, 1, 3], [2, 4, -2], "hold")
    # At a jump itself the value before it still holds, so that a step that ends there sees one value.
    found = [output(held, t) for t in (-1, 0, 0.5, 1, 1 + 1e-9, 2, 3, 3 + 1e-9, 9)]
    assert found == [2, 2, 2, 2, 4, 4, 4, -2, -2]
    assert output(system.with_input("push", 0.5, 7), 0) == 7
    assert output(linear.with_input("forces", [0], [[5, 6]]), 0.5) == pytest.approx(3)
    many = np.linspace(0, 10, 10_001)
    long = system.with_input("push", many, np.sin(many)).with_input("forces", many, np.tile(many[:, None], 2))
    assert output(long, 2.00051) == pytest.approx(np.interp(2.00051, many, np.sin(many)), abs=tolerances.KERNEL)
    assert system.layout.inputs == {"push": (1, "N"), "forces": (2, "N")}


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_jumps_and_kinks_are_step_boundaries(topology: str, backend: str) -> None:
    # Between points a linear force gives a cubic, which methods of order three and more integrate exactly.
    system = system_of(topology, backend)
    times, values = np.array([-0.4, 0.1, 0.37, 0.8]), np.array([1.0, 5.0, -3.0, 2.0])
    first = system.layout.nodes[0].name
    for kind, method in itertools.product(("linear", "hold"), ("rkmk_dopri5", "half_explicit_5")):
        driven = system.with_input("push", times, values, kind)
        driven = driven.with_input("forces", times, np.tile(values, (2, 1)).T, kind)
        for steps in ({"h": 0.25}, {"rtol": 1e-6, "atol": 1e-8}):
            solution = sl.solve(driven, (-0.5, 1.0), method=method, t_eval=[0.37, 1.0], **steps)
            exact = np.array([driven_exactly(times, values, kind, t) for t in solution.t])
            assert np.array_equal(solution.t, [0.37, 1.0])
            v = solution.velocity(first).reshape(2, -1)[:, 0]
            np.testing.assert_allclose(v, 2 * exact, rtol=0, atol=tolerances.BACKENDS)
            assert solution.statistics.rejected == 0


def driven_exactly(times: np.ndarray[Any, Any], values: np.ndarray[Any, Any], kind: str, end: float) -> float:
    """Integral of the table from -0.5 s by pieces."""
    bounds = np.unique([-0.5, *times[times < end], end])
    if kind == "linear":
        at = np.interp(bounds, times, values)
        return float(np.sum(np.diff(bounds) * (at[1:] + at[:-1]) / 2))
    index = np.maximum(np.searchsorted(times, bounds[:-1], side="right") - 1, 0)
    return float(np.sum(np.diff(bounds) * values[index]))


def test_run_starting_at_a_jump_uses_the_value_after_it() -> None:
    for backend in BACKENDS:
        system = system_of("fixed", backend).with_input("push", [-1, 0, 1], [1, 2, 3], "hold")
        solution = sl.solve(system, (0, 1), method="rkmk_dopri5", h=0.5)
        assert solution.v[-1, 0] == pytest.approx(2, abs=tolerances.BACKENDS)


def test_inputs_appear_in_generated_folders_and_pages(tmp_path: Path) -> None:
    equations = cart("general").derive()
    assert "## Inputs" in equations.markdown() and r"\mathrm{forces}_{2}" in equations.latex()
    folder = equations.generate(tmp_path / "cart")
    assert output(sl.load(folder, backend="numpy", trust=True).with_input("push", 0, 3), 1.0) == 3


def test_input_rates_are_derived() -> None:
    model = sl.Model("filter")
    q = model.node("mass", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.output("rate", model.rate(model.input("u") * q.x[0]))
    equations = model.derive()
    q0, v0, none = np.array([3.0]), np.array([0.5]), np.zeros(0)
    for backend in BACKENDS:
        system = equations.compile(backend=backend)
        for kind, expected in (("linear", [2 * 3 + 1.5 / 2, 3 / 2]), ("hold", [1 / 2, 3 / 2])):
            driven = system.with_input("u", [0, 1], [1, 3], kind)
            found = [driven.kernels.outputs(driven.prepared, t, q0, v0, none)[0] for t in (0.25, 7.0)]
            assert found == pytest.approx(expected)


def test_invalid_input_is_reported() -> None:
    system = system_of("fixed", "numpy")
    refused = {
        "no input 'pull'; it has: push, forces": lambda: system.with_input("pull", 0, 1),
        "Unknown interpolation 'spline'; use one of: linear, hold, cubic, quintic": lambda: system.with_input(
            "push", 0, 1, "spline"
        ),
        "times that increase": lambda: system.with_input("push", [0, 0], [1, 2]),
        "finite values": lambda: system.with_input("push", [0, 1], [1, np.nan]),
        "needs 2 × 2 values for 2 times, not 2": lambda: system.with_input("forces", [0, 1], [1, 2]),
        "must be numbers": lambda: system.with_input("push", "later", 1),
    }
    for message, call in refused.items():
        with pytest.raises((ModelError, UnknownNameError), match=message):
            call()
    model = sl.Model("mistaken")
    u = model.input("u")
    q = model.node("point", "R1")
    for statement in (
        lambda: model.kinetic_energy(u * q.x_dot[0] ** 2),
        lambda: model.constraint("driven", q.x[0] - u),
        lambda: model.nonholonomic_constraint("driven", q.x_dot[0] - u),
        lambda: model.prescribe(q, x=[u]),
    ):
        with pytest.raises(ModelError, match="depends on the table 'u', which has kinks or jumps"):
            statement()
    with pytest.raises(ModelError, match="Input 'u' is defined twice"):
        model.input("u")
    with pytest.raises(ModelError, match="needs at least one component, not 0"):
        model.input("w", size=0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_newton_matrices_include_inputs_and_branches(backend: str) -> None:
    model = sl.Model("spring_by_input")
    q = model.node("mass", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(model.input("stiffness") * sl.select(q.x[0], q.x[0] ** 2 / 2, 0))
    system = model.derive().compile(backend=backend).with_input("stiffness", [0, 2], [3, 5])
    zero, none = np.zeros(1), np.zeros(0)
    for x, expected in ((0.7, 4.0), (-0.7, 0.0)):
        stiffness, *_ = system.newton_matrices(system.prepared, 1.0, np.array([x]), zero, zero, none)
        assert stiffness.toarray() == pytest.approx(np.array([[expected]]))
