"""Series in other units of time: with all rates times a power of two a model has the same motion, bit by bit."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import symlie as sl
from symlie.ensembles.results import MemberStatus
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances
from tests.ensembles.test_ensemble import same

LARGEST_POWER = 40
"""Rates from 1e-12 to 1e12."""

STEPS: tuple[dict[str, Any], ...] = (
    {"rtol": 1e-6},
    {"rtol": 1e-11},
    {"rtol": 1e-14},
    {"rtol": 1e-9, "method_options": {"order": 60}},
    {"h": 2.0**-5},
    {"h": 2.0**-5, "method_options": {"order": 60}},
)


def driven_top() -> sl.Model:
    """A body on a moving pivot with damping, a spring on one side alone, an event and a state of first order."""
    model = sl.Model("driven_top")
    rate = model.parameter("rate", 1.0)
    body, filtered = model.node("body", "S3xR3"), model.state("filtered", 1)
    model.kinetic_energy(body.x_dot.dot(body.x_dot) / 2 + body.Omega.dot(body.Omega) / 20)
    model.potential_energy(rate**2 * 9.81 * body.x[2])
    model.force(sl.vector(-(rate**2) * sl.select(body.x[0], 3 * body.x[0], 0), 0, 0), at=body.x)
    model.generalized_force(body, Omega=-rate * body.Omega / 50)
    pivot = sl.vector(sl.sin(3 * rate * model.t) / 16, 0, 0)
    model.constraint("pivot", body.x + body.R * sl.vector(0, 0, 1) - pivot)
    model.field(filtered, [rate * (body.x[0] - filtered.x[0])])
    model.event("turn", body.x[1], terminal=False)
    model.initial(body, x=[0, 0, -1])
    return model


def links() -> sl.Model:
    """Points on links, whose topology is run-time data."""
    model = sl.Model("links")
    rate = model.parameter("rate", 1.0)
    points = model.node_array("points", "R3", 6)
    points.fix(0)
    points.initial(x=lambda k: [k, 0, 0])
    link = sl.ElementType("link", above="R3", below="R3")
    apart = link.below.x - link.above.x
    link.kinetic_energy(link.below.x_dot.dot(link.below.x_dot) / 2)
    link.potential_energy(rate**2 * (9.81 * link.below.x[2] + link.below.x[1] ** 4))
    link.constraint("length", apart.dot(apart) - 1)
    model.add(link, [(points[k], points[k + 1]) for k in range(5)])
    return model


def markers() -> sl.Model:
    """Points with free motion, and a chain of dependent ones."""
    model = sl.Model("markers")
    rate = model.parameter("rate", 1.0)
    points, marks = model.node_array("points", "R3", 3), model.node_array("marks", "R3", 4)
    marks.fix(0)
    points.initial(x=lambda k: [1.0, 0.5 * k, 0])
    pair = sl.ElementType("pair", point="R3", before="R3", mark="R3")
    pair.kinetic_energy((pair.point.x_dot.dot(pair.point.x_dot) + pair.mark.x_dot.dot(pair.mark.x_dot)) / 2)
    pair.potential_energy(rate**2 * (pair.mark.x[2] ** 2 + pair.point.x.dot(pair.point.x) ** 2))
    pair.dependent(pair.mark, x=pair.point.x + pair.before.x)
    model.add(pair, [(points[k], marks[k], marks[k + 1]) for k in range(3)])
    return model


MODELS = {"driven_top": driven_top, "links": links, "markers": markers}


@functools.cache
def system_of(name: str, backend: str) -> System:
    """With constraints, pieces, fields and events; of run-time topology; with dependent nodes."""
    return MODELS[name]().derive().compile(backend=backend)


def with_rate(name: str, backend: str, rate: float) -> System:
    """The same system, all of whose rates are multiplied."""
    system = system_of(name, backend).with_parameters(rate=rate)
    if name == "driven_top":
        return system.with_initial("body", Omega=[3 * rate, 0, 10 * rate], x_dot=[0.1875 * rate, 3 * rate, 0])
    count = system.layout.node("points").count
    return system.with_initial(
        "points", x_dot=[[0, 0.125 * k * rate, 0.5 * rate * (name == "markers")] for k in range(count)]
    )


def run(name: str, backend: str, rate: float, steps: dict[str, Any], t_end: float) -> sl.Solution:
    """A run of the same length in radians."""
    system, options = with_rate(name, backend, rate), dict(steps)
    if "h" in options:
        options["h"] /= rate
    else:
        n = system.layout.dimension
        options["atol"] = steps["rtol"] / 8 * np.repeat([1.0, rate], n)
    return sl.solve(system, t_end / rate, method="taylor", **options)


def in_unit(solution: sl.Solution, rate: float) -> list[Array]:
    """Times, q, v and λ of a solution, of its events and between its steps, as they are with rates of one."""
    between = [solution(part * solution.t[-1]) for part in (0.0625, 0.375, 0.875)]
    times = np.array([*solution.t, *(e.t for e in solution.events)])
    states = [np.array([*(getattr(s, x) for s in between), *getattr(solution, x)]) for x in ("q", "v", "multipliers")]
    return [times * rate, states[0], states[1] / rate, states[2] / rate**2]


@functools.cache
def reference(name: str, backend: str, number: int) -> list[Array]:
    solution = run(name, backend, 1.0, STEPS[number], 0.25 if backend == "numpy" else 1.0)
    return in_unit(solution, 1.0)


@pytest.mark.slow
@settings(max_examples=25)
@given(
    name=st.sampled_from(sorted(MODELS)),
    backend=st.sampled_from(["c", "numpy"]),
    number=st.integers(0, len(STEPS) - 1),
    power=st.integers(-LARGEST_POWER, LARGEST_POWER),
)
@example(name="driven_top", backend="c", number=3, power=LARGEST_POWER)
@example(name="driven_top", backend="c", number=3, power=-LARGEST_POWER)
def test_time_unit_changes_no_bit(name: str, backend: str, number: int, power: int) -> None:
    expected = reference(name, backend, number)
    t_end = 0.25 if backend == "numpy" else 1.0
    found = in_unit(run(name, backend, 2.0**power, STEPS[number], t_end), 2.0**power)
    for x, y in zip(found, expected, strict=True):
        assert np.array_equal(x, y, equal_nan=True)


@pytest.mark.slow
@settings(max_examples=200)
@given(
    name=st.sampled_from(sorted(MODELS)),
    number=st.integers(0, len(STEPS) - 1),
    exponent=st.floats(-12, 12),
)
def test_general_time_units_change_only_rounding(name: str, number: int, exponent: float) -> None:
    """Factors from 1e-12 to 1e12: the motion is the same but for rounding and tolerances."""
    expected = reference(name, "c", number)
    found = in_unit(run(name, "c", 10.0**exponent, STEPS[number], 1.0), 10.0**exponent)
    error = STEPS[number].get("rtol", 1e-13)
    for x, y in zip(found[1:], expected[1:], strict=True):
        largest = np.nanmax(np.abs(y), initial=1.0)
        assert np.allclose(
            x[[0, 1, 2, -1]], y[[0, 1, 2, -1]], rtol=0, atol=tolerances.TIME_UNIT * error * largest, equal_nan=True
        )


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("rate", [1.0, 1e6, 1e9, 1e-9])
def test_fast_oscillator_is_accurate(rate: float, backend: str) -> None:
    """x'' = -w² (x + x³/10) from 1 at rest: x(20/w) does not depend on w."""
    solution = sl.solve(
        oscillator(backend).with_parameters(rate=rate),
        20 / rate,
        method="taylor",
        rtol=1e-11,
        atol=np.array([1e-13, 1e-13 * rate]),
    )
    assert solution.q[-1, 0] == pytest.approx(-0.305608693242, rel=0, abs=tolerances.SERIES)


@functools.cache
def oscillator(backend: str) -> System:
    model = sl.Model("oscillator")
    rate, point = model.parameter("rate", 1.0), model.node("point", "R1")
    model.kinetic_energy(point.x_dot[0] ** 2 / 2)
    model.potential_energy(rate**2 * (point.x[0] ** 2 / 2 + point.x[0] ** 4 / 40))
    model.initial(point, x=[1.0])
    return model.derive().compile(backend=backend)


@pytest.mark.parametrize("first", [1e-12, 1e-3, 1e30])
def test_first_step_size_can_be_arbitrary(first: float) -> None:
    """Coefficients are found in another unit where it is far from the motion's."""
    solution = sl.solve(oscillator("c"), 20.0, method="taylor", rtol=1e-11, atol=1e-13, h0=first)
    assert solution.q[-1, 0] == pytest.approx(-0.305608693242, rel=0, abs=tolerances.SERIES)


@pytest.mark.slow
def test_close_pericentre_is_resolved() -> None:
    """A Kepler orbit of eccentricity 0.9999, which takes microseconds there, closes after three periods."""
    model = sl.Model("kepler")
    point = model.node("point", "R3")
    model.kinetic_energy(point.x_dot.dot(point.x_dot) / 2)
    model.potential_energy(-1 / point.x.norm())
    model.initial(point, x=[1.9999, 0, 0], x_dot=[0, np.sqrt(1e-4 / 1.9999), 0])
    solution = sl.solve(model.derive().compile(), 6 * np.pi, method="taylor", rtol=1e-12, atol=1e-30)
    assert np.abs(solution.q[-1] - solution.q[0]).max() <= tolerances.PERICENTRE


def test_members_of_an_ensemble_have_separate_units() -> None:
    """Rates from 1e-9 to 1e9 in the lanes of one ensemble."""
    rates = 10.0 ** np.arange(-9.0, 10.0, 2.0)

    def members(lanes: int, **steps: Any) -> sl.Ensemble:
        return sl.ensemble(oscillator("c"), 1e-8, lanes=lanes, parameters={"rate": rates}, method="taylor", **steps)

    for steps in ({"rtol": 1e-9}, {"h": 2.0**-32}):
        alone, lanes = members(1, **steps), members(4, **steps)
        assert (alone.arrays["status"] == MemberStatus.OK).all()
        assert same(alone, lanes)
