"""Events by series: grazing, double and clustered ones, against zeros found in fifty digits."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import symlie as sl
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances

END, LEVELS, SETS = 6.0, 100, 10
TIGHT: dict[str, Any] = {"method": "taylor", "rtol": 1e-14, "atol": 1e-14}


@functools.cache
def oscillators(levels: int, backend: str) -> System:
    """Masses that oscillate with cos t, cos 2t and cos 3t, and a weighted sum of them that meets many levels."""
    model = sl.Model("oscillators")
    weights = model.parameter("weights", [1.0, 0.5, 0.25])
    level = model.parameter("levels", [0.0] * levels)
    q = model.node("masses", "R3")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy((q.x[0] ** 2 + 4 * q.x[1] ** 2 + 9 * q.x[2] ** 2) / 2)
    model.initial(q, x=[1, 1, 1], x_dot=[0, 0, 0])
    total = sum(weights[k] * q.x[k] for k in range(3))
    for k in range(levels):
        model.event(f"level{k}", total - level[k], terminal=False)
    return model.derive().compile(backend=backend)


@dataclass(frozen=True)
class Level:
    """A level near a tangency, and the times at which the sum meets it."""

    value: float
    times: tuple[float, ...]
    touches: bool


class Sum:
    """a cos t + b cos 2t + c cos 3t, a cubic polynomial of x = cos t, in fifty digits."""

    def __init__(self, weights: Array) -> None:
        a, b, c = map(mpf, map(float, weights))
        self.cubic = [4 * c, 2 * b, a - 3 * c, -b]
        self.weights = (a, b, c)

    def __call__(self, t: float) -> mpf:
        return sum(w * mpmath.cos((k + 1) * mpf(t)) for k, w in enumerate(self.weights))

    def tangencies(self) -> list[mpf]:
        """Places x of extrema: extrema of the cubic, and both ends, where cos reverses."""
        inner = mpmath.polyroots([3 * self.cubic[0], 2 * self.cubic[1], self.cubic[2]], extraprec=200, maxsteps=200)
        return [mpf(-1), mpf(1), *(x.real for x in inner if mpmath.im(x) == 0 and abs(x) < mpf("0.99"))]

    def level(self, x: mpf, distance: float) -> Level:
        """The level at a distance from the extremum at x; at none, all digits of a double are the same."""
        value = float(mpmath.polyval(self.cubic, x) + distance)
        cubic = [*self.cubic[:3], self.cubic[3] - mpf(value)]
        found = [
            r.real for r in mpmath.polyroots(cubic, extraprec=400, maxsteps=500) if abs(mpmath.im(r)) < mpf("1e-40")
        ]
        places = [r for r in found if abs(r) <= 1]
        if not distance:
            places = [r for r in places if abs(r - x) > mpf("1e-5")] + [x]
        angles = [sign * mpmath.acos(r) + turn for r in places for sign in (1, -1) for turn in (0, 2 * mpmath.pi)]
        times = sorted({float(t) for t in angles if 0 < t < END})
        return Level(value, tuple(times), not distance)


def drawn(rng: np.random.Generator) -> tuple[Array, list[Level]]:
    """Weights, and levels that cross by little, touch, and pass by little."""
    weights = np.array([1.0, rng.uniform(0.3, 1), rng.uniform(0.2, 0.8)])
    size = 2 * weights.sum()
    nearest = math.log10(tolerances.NEAREST_TANGENCY)
    with mpmath.workdps(50):
        total = Sum(weights)
        places = total.tangencies()
        levels = []
        for k in range(LEVELS):
            distance = 0.0 if k % 10 == 0 else float(rng.choice([-1, 1]) * size * 10 ** rng.uniform(nearest, -6))
            levels.append(total.level(places[k % len(places)], distance))
    return weights, levels


def check(system: System, weights: Array, levels: list[Level], **steps: Any) -> int:
    """Compare all events with all zeros, and return their number."""
    changed = system.with_parameters(weights=weights, levels=[level.value for level in levels])
    solution = sl.solve(changed, END, **{**TIGHT, **steps})
    found: dict[str, list[float]] = {}
    for event in solution.events:
        found.setdefault(event.name, []).append(event.t)
    with mpmath.workdps(50):
        total = Sum(weights)
        for k, level in enumerate(levels):
            times = found.get(f"level{k}", [])
            assert len(times) == len(level.times), (k, level, times)
            for t, expected in zip(times, level.times, strict=True):
                slope = abs(float(mpmath.diff(total, mpf(expected))))
                assert abs(float(total(t) - mpf(level.value))) <= 20 * tolerances.EVENTS_OF_SERIES
                assert abs(t - expected) <= 1e-5 if level.touches else (t - expected) * slope <= 1e-10
    return sum(len(level.times) for level in levels)


@pytest.mark.slow
def test_thousand_near_tangencies_are_resolved() -> None:
    """Crossings by 3e-12 of the largest value are found, as two events; what passes by as little is not invented."""
    rng = np.random.default_rng(18)
    assert sum(check(oscillators(LEVELS, "c"), *drawn(rng)) for _ in range(SETS)) > 2 * LEVELS * SETS


FIXED = {"rtol": None, "atol": None, "h": 0.75, "method_options": {"order": 34}}


@pytest.mark.parametrize("steps", [FIXED, pytest.param({}, marks=pytest.mark.slow)])
def test_backends_find_the_same_events(steps: dict[str, Any]) -> None:
    weights, levels = drawn(np.random.default_rng(3))
    for backend in ("c", "numpy"):
        few = levels[: 12 if backend == "numpy" else LEVELS]
        check(oscillators(len(few), backend), weights, few, **steps)


def clusters(backend: str) -> System:
    """An oscillation that meets three places within a thousandth, five within three hundredths, and one twice."""
    model = sl.Model("clusters")
    q = model.node("mass", "R1")
    x = q.x[0]
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(x**2 / 2)
    model.initial(q, x=[1], x_dot=[0])
    model.event("three", 1e6 * (x - 0.5) * (x - 0.5005) * (x - 0.501), terminal=False)
    five = [0.25 + k * 0.0075 for k in range(5)]
    model.event("five", math.prod([1e2 * (x - c) for c in five], start=1), terminal=False)
    model.event("double", (x - 0.125) ** 2, terminal=False)
    model.event("falls", (x - 0.5) * (x - 0.5005), direction="falling", terminal=False)
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("rtol", [1e-6, 1e-14])
def test_clustered_events_are_separated(backend: str, rtol: float) -> None:
    """Also where tolerances are loose, since signs come from states and directions from the functions."""
    places = {
        "three": [0.5, 0.5005, 0.501],
        "five": [0.25 + k * 0.0075 for k in range(5)],
        "double": [0.125],
    }
    solution = sl.solve(clusters(backend), END, method="taylor", rtol=rtol, atol=rtol)
    for name, all_of_it in places.items():
        expected = sorted(t for x in all_of_it for t in (math.acos(x), 2 * math.pi - math.acos(x)) if t < END)
        found = [e.t for e in solution.events if e.name == name]
        assert len(found) == len(expected)
        assert np.abs(np.array(found) - expected).max() <= (1e-6 if name == "double" else 1e-9) + 20 * rtol
    falling = [e.t for e in solution.events if e.name == "falls"]
    expected = [math.acos(0.5005), 2 * math.pi - math.acos(0.5)]
    assert np.abs(np.array(falling) - expected).max() <= tolerances.SERIES + 20 * rtol


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_terminal_events_end_the_step(backend: str) -> None:
    """The first one ends the run; later ones are not reported."""
    model = sl.Model("ends")
    q = model.node("mass", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(q.x[0] ** 2 / 2)
    model.initial(q, x=[1], x_dot=[0])
    model.event("low", q.x[0] + 0.5, terminal=True)
    model.event("middle", q.x[0], terminal=False)
    model.event("lower", q.x[0] + 0.75, terminal=False)
    found = sl.solve(model.derive().compile(backend=backend), END, **TIGHT)
    assert found.status == "event"
    assert [e.name for e in found.events] == ["middle", "low"]
    assert abs(found.t[-1] - math.acos(-0.5)) <= tolerances.EVENTS_OF_SERIES


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_events_of_piecewise_motions_are_found(backend: str) -> None:
    """Fixed steps cross ends of pieces; pieces of event functions end steps."""
    model = sl.Model("pieces")
    q = model.node("mass", "R1")
    x = q.x[0]
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.force(sl.vector(sl.select(x, -x, -4 * x)), at=q.x)
    model.initial(q, x=[1], x_dot=[0])
    model.event("far", abs(x) - 0.45, terminal=False)
    half = math.pi / 2
    first, inner = math.acos(0.45), math.asin(0.9) / 2
    expected = [first, half + inner, 2 * half - inner, 2 * half + math.asin(0.45)]
    for steps in ({"rtol": 1e-13, "atol": 1e-13}, {"h": 0.7}):
        found = sl.solve(model.derive().compile(backend=backend), 4.5, method="taylor", **steps)
        assert np.abs(np.array([e.t for e in found.events]) - expected).max() <= tolerances.SERIES
