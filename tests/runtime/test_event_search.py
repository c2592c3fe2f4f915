"""Zeros within a step: multiple and touching ones, and which of them counts; both backends agree."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import NotFiniteError
from symlie.runtime.kernels.bernstein import BERNSTEIN, NODES, bernstein_value
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from tests import tolerances

BACKENDS = ("c", "numpy")
RUNS: tuple[dict[str, Any], ...] = ({}, {"h": 0.1}, {"h": 0.25}, {"h": 1.0})
START = 0.05


@functools.cache
def glider(backend: str) -> System:
    """A point that moves evenly from 0.05 to 1.05, past functions of its place; terminal ones wait at a parameter."""
    model = sl.Model("glider")
    q = model.node("point", "R1")
    x = q.x[0]
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.initial(q, x=[START], x_dot=[1.0])
    model.event("any", sl.sin(20 * x), terminal=False)
    model.event("rising", sl.sin(20 * x), terminal=False, direction="rising")
    model.event("falling", sl.sin(20 * x), terminal=False, direction="falling")
    model.event("fast", sl.sin(300 * x), terminal=False)
    model.event("pair", (x - 0.7) ** 2 - 1e-10, terminal=False)
    model.event("close", (x - 0.7) ** 2 + 1e-9, terminal=False)
    model.event("touch", (x - 0.65) ** 2, terminal=False)
    model.event("from_below", -((x - 0.65) ** 2), terminal=False, direction="rising")
    model.event("not_from_below", -((x - 0.65) ** 2), terminal=False, direction="falling")
    wall = model.parameter("wall", 9.0)
    model.event("late", (x - wall - 0.2) * (x - wall - 0.3))
    model.event("early", (x - wall) * (x - wall - 0.1))
    return model.derive().compile(backend=backend)


@functools.cache
def run(backend: str, number: int) -> Solution:
    return sl.solve(glider(backend), 1.0, **RUNS[number])


def places(solution: Solution, name: str) -> list[float]:
    """Positions of events: the point moves at unit speed."""
    return [e.t + START for e in solution.events if e.name == name]


def close(found: list[float], expected: list[float], atol: float = tolerances.EVENT_TIME) -> None:
    assert len(found) == len(expected)
    np.testing.assert_allclose(found, expected, rtol=0, atol=atol)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("number", range(len(RUNS)))
def test_all_zeros_of_a_step_are_found(number: int, backend: str) -> None:
    """Also 96 of them in a single step."""
    solution = run(backend, number)
    zeros = [k * math.pi / 20 for k in range(1, 7)]
    close(places(solution, "any"), zeros)
    close(places(solution, "rising"), zeros[1::2])
    close(places(solution, "falling"), zeros[::2])
    close(places(solution, "fast"), [k * math.pi / 300 for k in range(5, 101)])


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("number", range(len(RUNS)))
def test_grazing_zeros_are_found(number: int, backend: str) -> None:
    """Two zeros 2e-5 apart, one that only touches, and an approach to 1e-9 that is none."""
    solution = run(backend, number)
    close(places(solution, "pair"), [0.7 - 1e-5, 0.7 + 1e-5], tolerances.GRAZING_TIME)
    for name in ("touch", "from_below"):
        close(places(solution, name), [0.65], tolerances.GRAZING_TIME)
    assert places(solution, "close") == places(solution, "not_from_below") == []


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("options", RUNS)
def test_first_terminal_event_wins(options: dict[str, Any], backend: str) -> None:
    """Both functions have two zeros within the same long step; zeros after the first one are not reported."""
    solution = sl.solve(glider(backend).with_parameters(wall=0.4), 1.0, **options)
    close(places(solution, "early"), [0.4])
    assert places(solution, "late") == []
    assert solution.t[-1] == solution.events[-1].t and solution.events[-1].name == "early"
    assert all(e.t <= solution.t[-1] for e in solution.events)
    further = sl.solve(solution.system, 1.0, start=solution, **options)
    close(places(further, "early"), [0.5])


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(RUNS)))
def test_both_backends_find_the_same_events(number: int) -> None:
    c, plain = run("c", number), run("numpy", number)
    assert [e.name for e in c.events] == [e.name for e in plain.events]
    np.testing.assert_allclose(
        [e.t for e in c.events], [e.t for e in plain.events], rtol=0, atol=tolerances.GRAZING_TIME
    )
    assert c.statistics.rhs_evaluations == plain.statistics.rhs_evaluations


@pytest.mark.parametrize("backend", BACKENDS)
def test_function_starting_at_zero_has_a_later_event(backend: str) -> None:
    """A ball thrown up from the ground lands within one step; its apex touches a ceiling."""
    model = sl.Model("thrown")
    q = model.node("ball", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(2 * q.x[0])
    model.event("ground", q.x[0])
    model.event("ceiling", q.x[0] - 0.25, terminal=False)
    model.initial(q, x=[0.0], x_dot=[1.0])
    system = model.derive().compile(backend=backend)
    for h in (2.0, 0.5, 0.2, 0.03):  # in halves, the apex is at the end of a step
        solution = sl.solve(system, 2.0, h=h)
        assert [e.name for e in solution.events] == ["ceiling", "ground"]
        np.testing.assert_allclose([e.t for e in solution.events], [0.5, 1.0], rtol=0, atol=tolerances.GRAZING_TIME)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_events_of_many_elements_are_found(backend: str) -> None:
    """Forty points of an array at different speeds, each of which passes two or three zeros in a single step."""
    count = 40
    model = sl.Model("swings")
    points = model.node_array("points", "R1", count)
    swing = sl.ElementType("swing", node=sl.real_space(1))
    swing.kinetic_energy(swing.node.x_dot[0] ** 2 / 2)
    swing.event("zero", sl.sin(swing.node.x[0]), terminal=False)
    model.add(swing, [(points[k],) for k in range(count)])
    speeds = 4 + np.arange(count) / 20
    points.initial(x=np.full((count, 1), 0.1), x_dot=speeds[:, None])
    system = model.derive().compile(backend=backend)
    assert not system.layout.is_fixed
    solution = sl.solve(system, 2.0, h=2.0)
    found = {(e.instance, round((e.t * speeds[e.instance] + 0.1) / math.pi, 9)) for e in solution.events}
    assert len(solution.events) == len(found)
    assert found == {(k, n) for k in range(count) for n in range(1, 5) if n * math.pi <= 0.1 + 2 * speeds[k]}


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_events_of_kinematic_fields_are_found(backend: str) -> None:
    """States within a step are those of shorter steps."""
    model = sl.Model("turning")
    q = model.node("point", sl.S2)
    model.field(q, sl.vector(0, 0, 1))
    model.event("side", 10 * q.q[0] * q.q[1], terminal=False)
    model.initial(q, q=[math.cos(0.1), math.sin(0.1), 0])
    solution = sl.solve(model.derive().compile(backend=backend), 4.0, h=2.0, method="rkmk_rk44")
    close([e.t + 0.1 for e in solution.events], [math.pi / 2, math.pi], tolerances.GRAZING_TIME)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("options", [{}, {"h": 0.1}])
def test_nan_event_functions_are_reported(options: dict[str, Any], backend: str) -> None:
    model = sl.Model("undefined")
    q = model.node("point", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.initial(q, x=[0.0], x_dot=[1.0])
    model.event("root", sl.sqrt(0.5 - q.x[0]) + 1)
    with pytest.raises(NotFiniteError, match=r"event function is NaN .*event 'root'") as caught:
        sl.solve(model.derive().compile(backend=backend), 1.0, **options)
    assert caught.value.solution is not None and caught.value.solution.t[-1] <= 0.5


def test_event_polynomials_interpolate_samples() -> None:
    """Exact for degree five, and at the ends."""
    samples = np.array([1 - 3 * s + 2 * s**4 - s**5 for s in NODES])
    coefficients = BERNSTEIN @ samples
    for s in (0.0, 0.3, 0.77, 1.0):
        assert bernstein_value(coefficients, s) == pytest.approx(1 - 3 * s + 2 * s**4 - s**5, abs=tolerances.KERNEL)
