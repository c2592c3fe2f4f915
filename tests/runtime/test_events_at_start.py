"""Event functions that are zero at the start: an event of a direction happens where they leave zero in it."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.solution.solution import Solution
from tests.tolerances import TIME_AT_START, TIMES_OF_IMPACTS

DIRECTIONS = {"rising": 1, "falling": -1, "any": 0}
METHODS: dict[str, dict[str, float]] = {
    "rkmk_dopri5": {"rtol": 1e-9},
    "half_explicit_5": {"h": 0.01},
    "generalized_alpha": {"h": 0.01},
    "rattlie": {"h": 0.01},
    "bdf": {"rtol": 1e-8},
    "taylor": {"rtol": 1e-10},
}
BACKENDS = ("numpy", "c")


@functools.cache
def ball(backend: str, direction: str = "falling", terminal: bool = True) -> sl.System:
    model = sl.Model("ball")
    ball = model.node("ball", "R1")
    model.kinetic_energy(ball.x_dot[0] ** 2 / 2)
    model.potential_energy(9.81 * ball.x[0])
    model.event("floor", ball.x[0], direction=direction, terminal=terminal)
    return model.derive().compile(backend=backend)


def thrown(system: sl.System, x: float, v: float, method: str, t0: float = 0.0) -> Solution:
    start = system.with_initial("ball", x=[x], x_dot=[v])
    return sl.solve(start, (t0, t0 + 1.0), method=method, **METHODS[method])


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("method", METHODS)
def test_resting_ball_does_not_fall_through_the_floor(method: str, backend: str) -> None:
    """It falls at once, rests, or is thrown upwards, also by as little as time resolves."""
    system = ball(backend)
    for t0 in (0.0, 2.5):
        for v in (-1.0, 0.0, 1e-10, 1.0):
            found = thrown(system, 0.0, v, method, t0)
            assert found.status == "event", (v, t0)
            accuracy = METHODS[method]["rtol"] if method == "bdf" else TIME_AT_START  # others are exact
            np.testing.assert_allclose(found.t[-1], t0 + max(0, 2 * v / 9.81), rtol=0, atol=accuracy)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("direction", "v"), [("falling", -1.0), ("rising", 1.0), ("any", 1.0), ("any", -1.0)])
def test_event_directions_are_respected_at_the_start(direction: str, v: float, backend: str) -> None:
    """Without a direction it is unknown from which side zero was reached, so the event counts as past."""
    found = thrown(ball(backend, direction, terminal=False), 0.0, v, "half_explicit_5")
    expected = [] if direction == "any" else [0.0]
    expected += [2 * v / 9.81] if direction == "any" and v > 0 else []
    np.testing.assert_allclose([e.t for e in found.events], expected, rtol=0, atol=TIME_AT_START)
    assert found.status == "ok"


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_continued_runs_do_not_repeat_the_event(backend: str, tmp_path: Path) -> None:
    system = ball(backend)
    begun = thrown(system, 0.0, 0.0, "half_explicit_5")
    assert begun.status == "event"
    gone = sl.solve(system, 1.0, method="half_explicit_5", h=0.01, start=begun)
    assert gone.status == "ok" and gone.field("ball", "x")[-1] < -1
    start = system.with_initial("ball", x=[0.0], x_dot=[1.0])
    path = tmp_path / "run"
    whole = sl.solve(start, 1.0, method="half_explicit_5", h=0.01, checkpoint=path)
    resumed = sl.resume(path, trust=True)
    assert resumed.q.tobytes() == whole.q.tobytes() and resumed.t.tobytes() == whole.t.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_functions_that_remain_zero_have_no_event(backend: str) -> None:
    model = sl.Model("waiting")
    node = model.node("node", "R1")
    model.kinetic_energy(node.x_dot[0] ** 2 / 2)
    model.event("never", 0 * node.x[0], direction="falling")
    model.event("late", sl.select(model.t - 0.325, 0.325 - model.t, 0), direction="falling", terminal=False)
    found = sl.solve(model.derive().compile(backend=backend), 0.5, method="half_explicit_5", h=0.05)
    assert found.status == "ok" and [e.name for e in found.events] == ["late"]
    assert found.events[0].t == pytest.approx(0.325, abs=TIME_AT_START)


RESTITUTION = 0.7


def end_of_impacts(
    system: sl.System, method: str, keeps_place: bool, t: float, x: float, v: float
) -> tuple[list[float], Solution]:
    """Impacts of a ball that a loop throws upwards after each of them, and the run after the last one."""
    words, impacts = METHODS[method] | {"method": method, "t_eval": []}, []
    for _ in range(120):
        run = sl.solve(system.with_initial("ball", x=[x], x_dot=[v]), (t, 6.0), **words)
        if run.status != "event":
            break
        t, x, v = run.t[-1], run.q[-1, 0] if keeps_place else 0.0, -RESTITUTION * run.v[-1, 0]
        impacts.append(t)
    assert run.status == "accumulation" and "'floor' recurs within the resolution" in run.warnings[0]
    assert abs(run.q[-1, 0]) <= TIME_AT_START
    return impacts, run


LOOPS = [("half_explicit_5", False), ("half_explicit_5", True), ("taylor", True), ("rattlie", True)]
"""Methods, and whether the place of an impact is kept or set to zero."""


@pytest.mark.filterwarnings("ignore:Terminal events accumulate")
@pytest.mark.parametrize("backend", ["c", pytest.param("numpy", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("method", "keeps_place"), LOOPS)
def test_impact_loop_stops_at_accumulation(method: str, keeps_place: bool, backend: str) -> None:
    """Also where the loop begins at the state of the event, just past zero."""
    impacts, _ = end_of_impacts(ball(backend), method, keeps_place, 0.0, 1.0, 0.0)
    assert len(impacts) > 85
    first = np.sqrt(2 / 9.81)
    expected = first * (1 + 2 * np.append(0, np.cumsum(RESTITUTION ** np.arange(1, len(impacts)))))
    np.testing.assert_allclose(impacts, expected, rtol=0, atol=TIMES_OF_IMPACTS)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Terminal events accumulate")
@pytest.mark.parametrize(("method", "keeps_place"), LOOPS)
def test_both_backends_stop_at_the_same_impact(method: str, keeps_place: bool) -> None:
    """From a speed whose flight takes some thirty spacings of time."""
    found, expected = (end_of_impacts(ball(b), method, keeps_place, 2.5, 0.0, 6e-14) for b in BACKENDS)
    assert found[0] == expected[0] and len(found[0]) > 0
    assert found[1].t[-1] == expected[1].t[-1]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("method", METHODS)
def test_event_at_the_start_needs_no_search(method: str, backend: str) -> None:
    """The state is that at the start to the last bit, and no step is taken to find it."""
    system = ball(backend)
    for v in (-1.0, 0.0):
        found = thrown(system, 0.0, v, method)
        assert found.t.tolist() == [0.0] and found.v[-1, 0] == v and found.events[0].t == 0
        assert found.statistics.rhs_evaluations <= 30


@functools.cache
def polynomial(backend: str) -> sl.System:
    model = sl.Model("polynomial")
    node = model.node("node", "R1")
    model.kinetic_energy(node.x_dot[0] ** 2 / 2)
    a = model.parameter("a", [0.0, 0.0, 0.0])
    t = model.t
    for direction in DIRECTIONS:
        model.event(direction, t * (a[0] + t * (a[1] + t * a[2])), direction=direction, terminal=False)
    return model.derive().compile(backend=backend)


def expected_events(a: np.ndarray, direction: int) -> list[float]:
    """Times of a cubic with the root 0 at which it reaches zero in a direction; first from the side it comes from."""
    roots = sorted(r.real for r in np.roots(a[::-1]) if abs(r.imag) < 1e-12 and 0 < r.real < 1)
    ends = [0.0, *roots, 1.0]
    signs = [np.sign(np.polyval([*a[::-1], 0.0], (x + y) / 2)) for x, y in itertools.pairwise(ends)]
    signs = [-direction, *signs] if direction else signs
    times = [0.0, *roots] if direction else roots
    return [
        t
        for t, before, after in zip(times, signs, signs[1:], strict=False)
        if before * after < 0 and after * direction >= 0
    ]


def check_polynomials(count: int, seed: int) -> None:
    """Roots are apart from each other, from the start and from the end by more than 0.02 s."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        places = np.sort(random.uniform(0.03, 1.5, 2))
        if places[1] - places[0] < 0.03 or np.abs(places - 1).min() < 0.02:
            continue
        scale = random.choice([-1.0, 1.0]) * 10.0 ** random.uniform(-6, 6)
        a = scale * np.array([places[0] * places[1], -places.sum(), 1.0])
        for backend in BACKENDS:
            system = polynomial(backend).with_parameters(a=a)
            method = str(random.choice([*METHODS]))
            found = sl.solve(system, 1.0, method=method, **METHODS[method])
            for name, direction in DIRECTIONS.items():
                times = [e.t for e in found.events if e.name == name]
                np.testing.assert_allclose(times, expected_events(a, direction), rtol=0, atol=TIME_AT_START)


@pytest.mark.slow
def test_random_zeros_at_the_start_are_handled() -> None:
    check_polynomials(20, seed=1)


@pytest.mark.slow
def test_many_random_zeros_at_the_start_are_handled() -> None:
    check_polynomials(200, seed=2)
