"""Resets, releases and engagements at events, and jumps of simulations: closed forms, bits, results and bad input."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import (
    InconsistentInitialValuesError,
    InconsistentResetError,
    ModelError,
    RedundantConstraintsError,
    UnknownNameError,
    UnsupportedMethodError,
)
from symlie.options import Backend
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.state import State
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.interruptions import content, interrupted, resumed_in_pieces

G, E = 9.81, 0.8
BACKENDS: tuple[Backend, ...] = ("c", "numpy")
FALL = math.sqrt(2 / G)
REST = FALL * (1 + 2 * E / (1 - E))
"""Time at which a ball with infinitely many impacts comes to rest."""

EXACT: dict[str, dict[str, Any]] = {
    "half_explicit_5": {"rtol": 1e-12},
    "half_explicit_5 fixed": {"h": 0.05},
    "taylor": {"rtol": 1e-13},
    "generalized_alpha": {"h": 0.01},
    "abmk3": {"h": 0.02},
}
"""Runs by method that integrate a parabola exactly."""

METHODS: dict[str, dict[str, Any]] = {
    "half_explicit_5": {"rtol": 1e-11},
    "half_explicit_5 fixed": {"h": 0.01},
    "generalized_alpha": {"h": 0.01},
    "bdf": {"rtol": 1e-6},
    "taylor": {"rtol": 1e-12},
    "rattlie": {"h": 0.01},
}
"""Runs of models with constraints by method."""


def run(system: System, end: float, method: str, options: dict[str, Any], **further: Any) -> sl.Solution:
    return sl.solve(system, end, method=method.split()[0], **options, **further)


def ball_model() -> sl.Model:
    model = sl.Model("bouncing_ball")
    restitution = model.parameter("restitution", E)
    ball = model.node("ball", "R1", unit="m")
    model.kinetic_energy(ball.x_dot.dot(ball.x_dot) / 2)
    model.potential_energy(G * ball.x[0])
    model.event("impact", ball.x[0], direction="falling")
    model.reset("impact", ball, x_dot=-restitution * ball.x_dot)
    model.initial(ball, x=[1.0], x_dot=[0.0])
    return model


@functools.cache
def bouncing(backend: Backend) -> System:
    return ball_model().derive().compile(backend=backend)


@functools.cache
def dropped(backend: Backend) -> System:
    """The same ball, whose impact ends a run."""
    model = sl.Model("dropped_ball")
    ball = model.node("ball", "R1", unit="m")
    model.kinetic_energy(ball.x_dot.dot(ball.x_dot) / 2)
    model.potential_energy(G * ball.x[0])
    model.event("impact", ball.x[0], direction="falling")
    model.initial(ball, x=[1.0], x_dot=[0.0])
    return model.derive().compile(backend=backend)


@functools.cache
def trebuchet(backend: Backend) -> System:
    """A beam with a counterweight, and a stone in a sling that opens at an angle."""
    model = sl.Model("trebuchet")
    beam, stone = model.node("beam", "R1"), model.node("stone", "R2")
    angle = beam.x[0]
    tip = -2 * sl.vector(sl.cos(angle), sl.sin(angle))
    weight = model.parameter("weight", 50.0)
    model.kinetic_energy((2 + weight / 4) * beam.x_dot[0] ** 2 / 2 + stone.x_dot.dot(stone.x_dot) / 2)
    model.potential_energy(G * (weight * sl.sin(angle) / 2 + stone.x[1]))
    sling = stone.x - tip
    model.constraint("sling", (sling.dot(sling) - 1.8**2) / 2)
    model.event("open", sling.dot(tip) / (2 * 1.8) - 0.5, direction="rising")
    model.release("sling", at="open")
    beam_energy = (2 + weight / 4) * beam.x_dot[0] ** 2 / 2 + G * weight * sl.sin(angle) / 2
    model.output("parts", sl.vector(beam_energy, stone.x_dot.dot(stone.x_dot) / 2 + G * stone.x[1], stone.x_dot[0]))
    model.initial(beam, x=[0.7], x_dot=[0.0])
    model.initial(stone, x=[1.8 - 2 * math.cos(0.7), -2 * math.sin(0.7)], x_dot=[0.0, 0.0])
    return model.derive().compile(backend=backend)


@functools.cache
def carts(backend: Backend) -> System:
    """A cart that hits another one on a spring, is coupled to it, and is uncoupled on the way back."""
    model = sl.Model("carts")
    left, right = model.node("left", "R1"), model.node("right", "R1")
    model.kinetic_energy(2 * left.x_dot[0] ** 2 / 2 + 3 * right.x_dot[0] ** 2 / 2)
    model.potential_energy(4 * right.x[0] ** 2 / 2)
    model.constraint("coupling", right.x - left.x)
    model.release("coupling")
    model.event("touch", right.x[0] - left.x[0], direction="falling")
    model.engage("coupling", at="touch")
    model.event("part", right.x[0] + 0.25, direction="falling")
    model.release("coupling", at="part")
    model.initial(left, x=[-1.0], x_dot=[2.0])
    model.initial(right, x=[0.0], x_dot=[0.0])
    return model.derive().compile(backend=backend)


def height(t: float) -> float:
    """Height of the bouncing ball."""
    if t < FALL:
        return 1 - G * t * t / 2
    start, speed = FALL, E * G * FALL
    while t >= start + 2 * speed / G:
        start, speed = start + 2 * speed / G, E * speed
    return speed * (t - start) - G * (t - start) ** 2 / 2


def impacts(count: int) -> Array:
    return FALL * (1 + 2 * np.cumsum([0.0, *(E ** np.arange(1, count))]))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("method", EXACT)
def test_bouncing_ball_has_the_times_of_the_closed_form(method: str, backend: Backend) -> None:
    solution = run(bouncing(backend), 4.02, method, EXACT[method])
    assert solution.status == "ok"
    assert [e.name for e in solution.events] == ["impact"] * 20
    assert np.abs([e.t for e in solution.events] - impacts(20)).max() <= tolerances.IMPACT


@pytest.mark.parametrize("backend", BACKENDS)
def test_impacts_accumulate_where_the_ball_comes_to_rest(backend: Backend) -> None:
    with pytest.warns(sl.SymlieWarning, match=r"Events accumulate at t = 4\.06371277 s: 'impact' recurs"):
        solution = sl.solve(bouncing(backend), 10.0, rtol=1e-10)
    assert solution.status == "accumulation"
    assert solution.t[-1] == pytest.approx(REST, abs=tolerances.IMPACT)
    assert len(solution.events) > 100
    assert np.array_equal(solution.v[-1], -E * solution.events[-1].v)
    with pytest.warns(sl.SymlieWarning, match="Events accumulate"):
        requested = sl.solve(bouncing(backend), 10.0, rtol=1e-10, t_eval=[1.0, 10.0])
    assert requested.t == pytest.approx([1.0, REST], abs=tolerances.IMPACT)


@pytest.mark.parametrize("method", EXACT)
def test_backends_agree_after_impacts(method: str) -> None:
    one, other = (run(bouncing(backend), 3.0, method, EXACT[method]) for backend in BACKENDS)
    assert len(one.t) == len(other.t)
    assert np.abs(one.q - other.q).max() <= tolerances.BACKENDS and np.abs(one.v - other.v).max() <= tolerances.BACKENDS


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("method", ("half_explicit_5", "taylor"))
def test_solution_has_two_states_at_an_impact(method: str, backend: Backend, tmp_path: Path) -> None:
    solution = run(bouncing(backend), 2.0, method, EXACT[method])
    first = solution.events[0]
    before, after = np.flatnonzero(solution.t == first.t)
    assert after == before + 1
    assert np.array_equal(solution.v[before], first.v) and np.array_equal(solution.v[after], -E * first.v)
    assert np.array_equal(solution(first.t).v, solution.v[after])
    times = np.linspace(0, 2, 301)
    assert np.abs(solution(times).q[:, 0] - [height(t) for t in times]).max() <= tolerances.IMPACT
    solution.save(tmp_path / "ball.nc")
    loaded = sl.load_solution(tmp_path / "ball.nc", backend=backend, trust=True)
    assert np.array_equal(loaded.v, solution.v) and np.array_equal(loaded(times).q, solution(times).q)
    assert len(solution.to_xarray()["time"]) == len(solution.t)
    assert solution.plot(tmp_path / "ball.png", panels=["ball.x", "ball.x_dot"]) is not None


@pytest.mark.parametrize("backend", BACKENDS)
def test_output_times_have_the_state_after_an_impact(backend: Backend) -> None:
    impact = sl.solve(bouncing(backend), 1.0, rtol=1e-10).events[0]
    wanted = [0.25, impact.t, 2.0]
    solution = sl.solve(bouncing(backend), 2.0, rtol=1e-10, t_eval=wanted)
    assert solution.t.tolist() == wanted
    assert solution.v[1, 0] == pytest.approx(-E * impact.v[0], rel=tolerances.IMPACT)
    assert np.abs(solution.q[:, 0] - [height(0.25), 0.0, height(2.0)]).max() <= tolerances.IMPACT


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("options", ({"rtol": 1e-9}, {"h": 0.03}, {"method": "bdf", "rtol": 1e-5}))
def test_resumed_runs_have_the_bits_of_uninterrupted_ones(
    options: dict[str, Any], backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symlie.runtime.integrate.run.RETURN_SECONDS", 1e-9)
    for name, system, end in (("ball", bouncing(backend), 3.0), ("carts", carts(backend), 3.0)):
        path = tmp_path / f"{name}.checkpoint"
        expected = sl.solve(system, end, **options)
        interrupted(system, end, 4, path, **options)
        assert content(resumed_in_pieces(path, 29)) == content(expected)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("method", EXACT)
def test_jump_after_an_event_continues_like_a_reset(method: str, backend: Backend) -> None:
    options = {**EXACT[method], "method": method.split()[0]}
    simulation = dropped(backend).simulator(record=True, **options)
    times = []
    while simulation.t < 3.9:
        simulation.advance(3.9)
        times += [e.t for e in simulation.events]
        if simulation.is_done:
            simulation.jump({"ball": {"x_dot": -E * simulation.state.v}})
    assert np.abs(times - impacts(len(times))).max() <= tolerances.IMPACT
    solution = simulation.solution()
    assert solution.status == "ok" and (np.diff(solution.t) == 0).sum() == len(times) == 14


def test_simulation_applies_resets_with_the_bits_of_solve() -> None:
    simulation = bouncing("c").simulator(h=0.03, record=True)
    simulation.advance(3.0)
    solution = sl.solve(bouncing("c"), 3.0, h=0.03)
    assert np.array_equal(simulation.solution().v, solution.v)
    assert len(simulation.events) == len(solution.events)


def test_jump_is_saved_and_restored() -> None:
    simulation = dropped("c").simulator(rtol=1e-9)
    simulation.advance(1.0)
    saved, ends = simulation.save(), []
    for _ in range(2):
        simulation.restore(saved)
        simulation.jump([4.0])
        simulation.advance(0.7)
        ends.append(simulation.state.q[0])
    assert ends[0] == ends[1] == pytest.approx(4.0 * (0.7 - FALL) - G * (0.7 - FALL) ** 2 / 2, rel=1e-9)


@pytest.mark.parametrize("backend", BACKENDS)
def test_jump_completes_other_velocities_with_impulses_of_constraints(backend: Backend) -> None:
    simulation = carts(backend).simulator(rtol=1e-9)
    simulation.advance(0.6)
    simulation.jump({"left": {"x_dot": 1.5}})
    assert simulation.state.v.tolist() == [1.5, 1.5]
    with pytest.raises(InconsistentInitialValuesError, match="coupling"):
        simulation.jump([1.0, 2.0])


def test_jump_keeps_the_momenta_of_other_coordinates() -> None:
    model = sl.Model("coupled_masses")
    one, two = model.node("one", "R1"), model.node("two", "R1")
    model.kinetic_energy(one.x_dot[0] ** 2 + one.x_dot[0] * two.x_dot[0] + 2 * two.x_dot[0] ** 2)
    model.initial(one, x_dot=[1.0])
    model.initial(two, x_dot=[3.0])
    simulation = model.derive().compile(backend="numpy").simulator(h=0.1)
    simulation.advance(1.0)
    simulation.jump({"one": {"x_dot": 5.0}})
    one_rate, two_rate = simulation.state.v
    assert one_rate == 5.0
    assert one_rate + 4 * two_rate == pytest.approx(1.0 + 4 * 3.0, rel=1e-12)


def test_jump_reports_bad_velocities() -> None:
    simulation = dropped("numpy").simulator(rtol=1e-9)
    numbers: Any = {"ball": 1.0}
    with pytest.raises(ModelError, match="consists of 1 finite numbers"):
        simulation.jump(np.zeros(2))
    with pytest.raises(ModelError, match="consists of 1 finite numbers"):
        simulation.jump([math.nan])
    with pytest.raises(UnknownNameError, match="no velocity 'x' for a jump"):
        simulation.jump({"ball": {"x": 1.0}})
    with pytest.raises(UnknownNameError, match="no node 'bal'"):
        simulation.jump({"bal": {"x_dot": 1.0}})
    with pytest.raises(ModelError, match="must be a mapping of fields"):
        simulation.jump(numbers)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("method", METHODS)
def test_released_sling_has_no_force_and_does_no_work(method: str, backend: Backend) -> None:
    solution = run(trebuchet(backend), 1.5, method, METHODS[method])
    (opened,) = solution.events
    before, after = np.flatnonzero(solution.t == opened.t)
    assert solution.multipliers[before, 0] == pytest.approx(101.74, abs=0.2)
    assert not solution.multipliers[after:].any()
    assert np.array_equal(solution.v[before], solution.v[after])
    assert np.array_equal(solution.q[before, :-1], solution.q[after, :-1])
    parts = solution.outputs["parts"]
    assert np.array_equal(parts[before], parts[after])
    flight = solution.t[after:] - opened.t
    start, speed = opened.q[1:3], opened.v[1:]
    exact = start + np.outer(flight, speed) - np.outer(flight**2, [0, G / 2])
    assert np.abs(solution.q[after:, 1:3] - exact).max() <= (1e-7 if method == "bdf" else 1e-10)
    assert np.abs(np.diff(solution.t[after:])).min() > 0 and np.ptp(parts[after:, 2]) <= tolerances.IMPACT


@pytest.mark.parametrize("backend", BACKENDS)
def test_parts_of_the_energy_are_constant_after_a_release(backend: Backend) -> None:
    solution = sl.solve(trebuchet(backend), 1.5, method="taylor", rtol=1e-14)
    after = solution.t >= solution.events[0].t
    kinetic = solution.outputs["parts"][:, 1].max()
    assert (np.ptp(solution.outputs["parts"][after], axis=0) / kinetic).max() <= tolerances.IMPACT


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("method", METHODS)
def test_engaged_coupling_acts_with_a_plastic_impact(method: str, backend: Backend) -> None:
    solution = run(carts(backend), 4.8, method, METHODS[method])
    touch, part = solution.events
    assert (touch.name, part.name) == ("touch", "part")
    assert touch.t == pytest.approx(0.5, abs=1e-11)
    _, after = np.flatnonzero(solution.t == touch.t)
    assert solution.v[after] == pytest.approx([0.8, 0.8], rel=1e-11)
    impulses = solution.impulses(touch)
    assert list(impulses) == ["coupling"] and impulses["coupling"] == pytest.approx([-2.4], rel=1e-11)
    assert solution.impulses(part) == {}
    frequency, amplitude = math.sqrt(4 / 5), 0.8 / math.sqrt(4 / 5)
    exact = 0.5 + (math.pi + math.asin(0.25 / amplitude)) / frequency
    assert part.t == pytest.approx(exact, rel=1e-3 if method in ("bdf", "generalized_alpha", "rattlie") else 1e-9)
    free = solution.t > part.t
    assert not solution.multipliers[free].any() and np.ptp(solution.v[free, 0]) <= tolerances.IMPACT


def test_backends_agree_after_releases_and_engagements() -> None:
    for build, end in ((trebuchet, 1.5), (carts, 4.8)):
        one, other = (sl.solve(build(backend), end, h=0.01) for backend in BACKENDS)
        assert one.t.tolist() == pytest.approx(other.t.tolist(), abs=tolerances.BACKENDS)
        for name in ("q", "v", "multipliers"):
            size = np.abs(getattr(one, name)).max()
            assert np.abs(getattr(one, name) - getattr(other, name)).max() <= tolerances.BACKENDS * max(1, size)


@pytest.mark.parametrize("backend", BACKENDS)
def test_released_constraint_is_kept_in_states_and_files(backend: Backend, tmp_path: Path) -> None:
    system = trebuchet(backend)
    solution = sl.solve(system, 1.0, rtol=1e-9)
    solution.save(tmp_path / "trebuchet.nc")
    loaded = sl.load_solution(tmp_path / "trebuchet.nc")
    assert np.array_equal(loaded.q, solution.q)
    state = solution(0.9)
    assert isinstance(state, State)
    flying = system.acceleration(state)
    assert flying[0][1:] == pytest.approx([0.0, -G]) and flying[1].tolist() == [0.0]
    assert solution.outputs["constraint_residual"].max() <= 1e-9
    simulation = system.simulator(rtol=1e-9)
    simulation.set_state(state)
    simulation.advance(1.0)
    assert simulation.state.q == pytest.approx(solution.q[-1], rel=1e-6)
    continued = sl.solve(system, 1.2, rtol=1e-9, start=solution)
    assert not continued.multipliers.any()


def test_members_have_the_bits_of_single_runs() -> None:
    system = bouncing("c")
    values = [0.7, 0.8, 0.9]
    draws = {"restitution": values}
    runs = sl.ensemble(system, 2.0, parameters=draws, t_eval=[1.0, 2.0], rtol=1e-9, record=["ball.x"])
    for k, value in enumerate(values):
        single = sl.solve(system.with_parameters(restitution=value), 2.0, t_eval=[1.0, 2.0], rtol=1e-9)
        assert np.array_equal(runs.arrays["ball.x"][k], single.q)
    with pytest.raises(ModelError, match="lanes, because the model has events"):
        sl.ensemble(system, 2.0, parameters=draws, t_eval=[2.0], rtol=1e-9, lanes=2)


@pytest.mark.parametrize("backend", BACKENDS)
def test_reset_of_a_first_order_state_makes_a_neuron_fire(backend: Backend) -> None:
    model = sl.Model("neuron")
    cell = model.state("cell", 1)
    model.vector_field(cell, [2 - cell.x[0]])
    model.event("fires", cell.x[0] - 1, direction="rising")
    model.reset("fires", cell, x=[0.0])
    model.initial(cell, x=[0.0])
    solution = sl.solve(model.derive().compile(backend=backend), 5.0, rtol=1e-10)
    assert [e.t for e in solution.events] == pytest.approx([math.log(2) * k for k in range(1, 8)], rel=1e-8)


@pytest.mark.parametrize("backend", BACKENDS)
def test_resets_of_element_types_act_on_their_instances(backend: Backend) -> None:
    bouncer = sl.ElementType("bouncer", ball="R1")
    bouncer.kinetic_energy(bouncer.ball.x_dot.dot(bouncer.ball.x_dot) / 2)
    bouncer.potential_energy(G * bouncer.ball.x[0])
    bouncer.event("impact", bouncer.ball.x[0], direction="falling")
    bouncer.reset("impact", bouncer.ball, x_dot=-E * bouncer.ball.x_dot)
    model = sl.Model("bouncers")
    balls = model.node_array("balls", "R1", 2)
    model.add(bouncer, list(balls))
    balls.initial(x=[[1.0], [0.25]])
    solution = sl.solve(model.derive().compile(backend=backend), 1.0, rtol=1e-10)
    assert {e.instance for e in solution.events} == {0, 1}
    ends = solution.q[-1]
    assert ends[0] == pytest.approx(height(1.0), abs=1e-10)
    assert ends[1] == pytest.approx(height(2.0) / 4, abs=1e-10)  # times scale with the square root of heights


@pytest.mark.parametrize("backend", BACKENDS)
def test_simultaneous_events_read_the_state_before_all_of_them(backend: Backend) -> None:
    model = sl.Model("swap")
    a, b = model.node("a", "R1"), model.node("b", "R1")
    model.kinetic_energy((a.x_dot[0] ** 2 + b.x_dot[0] ** 2) / 2)
    model.event("one", a.x[0] - 1)
    model.event("two", a.x[0] - 1)
    model.reset("one", a, x_dot=b.x_dot)
    model.reset("two", b, x_dot=a.x_dot)
    model.initial(a, x_dot=[1.0])
    model.initial(b, x_dot=[-2.0])
    solution = sl.solve(model.derive().compile(backend=backend), 2.0, rtol=1e-9)
    assert [e.name for e in solution.events] == ["one", "two"]
    assert solution.v[-1].tolist() == [-2.0, 1.0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_terminal_event_with_a_reset_ends_after_it(backend: Backend) -> None:
    model = sl.Model("stopped_ball")
    ball = model.node("ball", "R1")
    model.kinetic_energy(ball.x_dot.dot(ball.x_dot) / 2)
    model.event("wall", ball.x[0] - 1, terminal=True)
    model.reset("wall", ball, x_dot=-ball.x_dot)
    model.initial(ball, x_dot=[2.0])
    solution = sl.solve(model.derive().compile(backend=backend), 2.0, rtol=1e-9)
    assert solution.status == "event" and solution.t[-1] == pytest.approx(0.5)
    assert solution.v[-2:, 0].tolist() == [2.0, -2.0]


@functools.cache
def inconsistent(backend: Backend) -> System:
    model = sl.Model("inconsistent")
    bob = model.node("bob", "R2")
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(G * bob.x[1])
    model.constraint("rod", (bob.x.dot(bob.x) - 1) / 2)
    model.event("wall", bob.x[0], direction="falling")
    model.reset("wall", bob, x_dot=[1.0, 1.0])
    model.initial(bob, x=[1, 0], x_dot=[0, 0])
    return model.derive().compile(backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_reset_against_a_constraint_names_it(backend: Backend) -> None:
    with pytest.raises(InconsistentResetError, match="violates row 1 of constraint 'rod'") as caught:
        sl.solve(inconsistent(backend), 2.0, rtol=1e-9)
    solution = caught.value.solution
    assert isinstance(solution, Solution) and solution.t[-1] == solution.events[-1].t
    assert np.abs(solution.outputs["velocity_residual"]).max() <= 1e-9


def test_model_reports_bad_changes() -> None:
    model = ball_model()
    ball = model.nodes[0]
    other = sl.Model("other").node("stranger", "R1")
    with pytest.raises(UnknownNameError, match="no event 'impct' for a reset; it has: impact"):
        model.reset("impct", ball, x_dot=[1.0])
    with pytest.raises(ModelError, match="Node 'stranger' does not belong to 'bouncing_ball'"):
        model.reset("impact", other, x_dot=[1.0])
    with pytest.raises(ModelError, match=r"ball\.v at event 'impact' is not possible; fields .*: x_dot, x"):
        model.reset("impact", ball, v=[1.0])
    with pytest.raises(ModelError, match="needs 1 components, not 2"):
        model.reset("impact", ball, x=[1.0, 2.0])
    with pytest.raises(ModelError, match="defined twice"):
        model.reset("impact", ball, x_dot=[1.0])
    with pytest.raises(ModelError, match="has no fields; use: x_dot, x"):
        model.reset("impact", ball)
    with pytest.raises(UnknownNameError, match="no joint or constraint 'slng' to release; it has: none"):
        model.release("slng", at="impact")
    with pytest.raises(UnknownNameError, match="no joint or constraint 'slng' to engage"):
        model.engage("slng", at="impact")
    model.constraint("hook", ball.x)
    with pytest.raises(UnknownNameError, match="no event 'never' to release 'hook' at"):
        model.release("hook", at="never")
    model.release("hook", at="impact")
    with pytest.raises(ModelError, match="'hook' is released or engaged twice at event 'impact'"):
        model.engage("hook", at="impact")


def test_reset_of_a_prescribed_node_is_refused() -> None:
    model = sl.Model("driven")
    drive, ball = model.node("drive", "R1"), model.node("ball", "R1")
    model.kinetic_energy((drive.x_dot[0] ** 2 + ball.x_dot[0] ** 2) / 2)
    model.event("wall", ball.x[0] - 1)
    model.reset("wall", drive, x_dot=[0.0])
    model.prescribe(drive, x=[sl.sin(model.t)])
    with pytest.raises(ModelError, match="Node 'drive' of 'driven' is prescribed or dependent; event 'wall' cannot"):
        model.derive()


def test_derivatives_of_runs_with_changes_are_refused() -> None:
    with pytest.raises(UnsupportedMethodError, match="no sensitivities in NumPy: events change the state"):
        sl.sensitivity(bouncing("numpy"), 1.0, h=0.05, wrt="restitution")
    with pytest.raises(ModelError, match="Events change the state or the constraints of 'bouncing_ball'"):
        bouncing("numpy").monodromy(1.0)


def test_redundant_constraints_cannot_be_released() -> None:
    with pytest.raises(RedundantConstraintsError, match="may not be redundant"):
        sl.solve(trebuchet("numpy"), 1.0, h=0.01, redundant="minimal_norm")


def test_models_without_changes_have_no_code_for_them() -> None:
    files = dropped("numpy").files
    assert not any(word in text for text in files.values() for word in ("RESETS", "RELEASES", "_resets"))
