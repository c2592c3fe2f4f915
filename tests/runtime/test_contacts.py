"""Contacts with impacts and friction: closed forms, bits, results and bad input."""

from __future__ import annotations

import functools
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import (
    ContactParadoxError,
    FixedGapError,
    InconsistentInitialValuesError,
    ModelError,
    UnknownNameError,
    UnsupportedMethodError,
)
from symlie.options import Backend
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.cone_problem import solved_cone
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.interruptions import content, interrupted, resumed_in_pieces

G = 9.81
BACKENDS: tuple[Backend, ...] = ("c", "numpy")
TIGHT: dict[str, Any] = {"rtol": 1e-12}


def ball_model() -> sl.Model:
    model = sl.Model("contact_ball")
    ball = model.node("ball", "R1", unit="m")
    model.kinetic_energy(ball.x_dot[0] ** 2 / 2)
    model.potential_energy(G * ball.x[0])
    model.contact("floor", ball.x[0], restitution=model.parameter("restitution", 0.5))
    model.initial(ball, x=[1.0], x_dot=[0.0])
    return model


@functools.cache
def bouncing(backend: Backend) -> System:
    return ball_model().derive().compile(backend=backend)


@functools.cache
def pendulum(backend: Backend) -> System:
    """A pendulum of length 1 m with constraints, released at 1 rad, that hits a wall below its pivot with e = 0.8."""
    model = sl.Model("contact_pendulum")
    bob = model.node("bob", "R3")
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(G * bob.x[2])
    model.constraint("rod", (bob.x.dot(bob.x) - 1) / 2)
    model.contact("wall", bob.x[0], restitution=0.8)
    model.initial(bob, x=[math.sin(1.0), 0, -math.cos(1.0)], x_dot=[0, 0, 0])
    return model.derive().compile(backend=backend)


@functools.cache
def rod_pendulum(backend: Backend) -> System:
    """A rod of length 1 m on a pivot, of which the point at the distance ``hit`` meets a wall."""
    model = sl.Model("contact_rod")
    rod = model.node("rod", "R3")
    hit = model.parameter("hit", 1.0)
    x, y, angle = rod.x
    model.kinetic_energy((rod.x_dot[0] ** 2 + rod.x_dot[1] ** 2 + rod.x_dot[2] ** 2 / 12) / 2)
    model.potential_energy(G * y)
    model.constraint("pivot", sl.vector(x - sl.sin(angle) / 2, y + sl.cos(angle) / 2))
    model.contact("wall", x + (hit - 0.5) * sl.sin(angle), restitution=0.8)
    model.initial(rod, x=[math.sin(1.0) / 2, -math.cos(1.0) / 2, 1.0], x_dot=[0, 0, 0])
    return model.derive().compile(backend=backend)


@functools.cache
def cradle(backend: Backend) -> System:
    """Three balls in a row: the first one hits the others, which touch."""
    model = sl.Model("contact_cradle")
    balls = [model.node(f"ball_{k}", "R1") for k in range(3)]
    model.kinetic_energy(sum(b.x_dot[0] ** 2 for b in balls) / 2)
    for k, (a, b) in enumerate(itertools.pairwise(balls)):
        model.contact(f"pair_{k}", b.x[0] - a.x[0] - 1, restitution=1)
    for k, ball in enumerate(balls):
        model.initial(ball, x=[k - 0.5 * (k == 0)], x_dot=[float(k == 0)])
    return model.derive().compile(backend=backend)


@functools.cache
def rolling(backend: Backend) -> System:
    """A ball on a plane: parameters and initial values of a ball that slides and then rolls."""
    model = sl.Model("contact_rolling")
    ball = sl.RigidBody(model, "ball", 1.0, sl.inertia.sphere(1.0, radius=0.1), position=[0, 0, 0.1])
    model.gravity([0, 0, -G])
    touching = ball.x - sl.vector(0, 0, 0.1)
    friction, restitution = model.parameter("friction", 0.3), model.parameter("restitution", 0.0)
    slip = ball.velocity_at(touching)[:2]
    model.contact("floor", touching[2], slip=slip, friction=friction, restitution=restitution)
    model.initial(ball, x_dot=[1, 0.5, 0], Omega=[2, -5, 3])
    return model.derive().compile(backend=backend)


def thrown(backend: Backend) -> System:
    """The same ball, thrown with spin."""
    changed = rolling(backend).with_parameters(friction=0.1, restitution=0.5)
    return changed.with_initial("ball", x=[0, 0, 0.6], x_dot=[3, 4, 0], Omega=[0, 0, 7])


@functools.cache
def block_on_spring(backend: Backend) -> System:
    model = sl.Model("contact_spring")
    block = model.node("block", "R2")
    model.kinetic_energy(block.x_dot.dot(block.x_dot) / 2)
    model.potential_energy(G * block.x[1] + 50 * block.x[0] ** 2)
    model.contact("floor", block.x[1], slip=block.x_dot[0], friction=0.3)
    model.initial(block, x=[0.2, 0], x_dot=[0, 0])
    return model.derive().compile(backend=backend)


WIDTH, HEIGHT = 0.2, 0.6
ALPHA = math.atan2(WIDTH, HEIGHT)


@functools.cache
def rocking_block(backend: Backend) -> System:
    """A block of 0.4 m times 1.2 m that starts at the angle α/2 on one corner."""
    model = sl.Model("contact_block")
    block, turn = model.node("block", "R2"), model.node("turn", "R1")
    c, s = sl.cos(turn.x[0]), sl.sin(turn.x[0])
    spin = (WIDTH**2 + HEIGHT**2) / 3 * turn.x_dot[0] ** 2
    model.kinetic_energy((block.x_dot.dot(block.x_dot) + spin) / 2)
    model.potential_energy(G * block.x[1])
    for name, side in (("left", -WIDTH), ("right", WIDTH)):
        corner = block.x + sl.vector(c * side + s * HEIGHT, s * side - c * HEIGHT)
        model.contact(name, corner[1], slip=model.rate(corner)[0], friction=1.0)
    angle = ALPHA / 2
    lifted = [
        -WIDTH + WIDTH * math.cos(angle) - HEIGHT * math.sin(angle),
        WIDTH * math.sin(angle) + HEIGHT * math.cos(angle),
    ]
    model.initial(block, x=lifted, x_dot=[0, 0])
    model.initial(turn, x=[angle], x_dot=[0])
    return model.derive().compile(backend=backend)


@functools.cache
def box() -> System:
    """A box whose eight corners have contacts with a floor."""
    model = sl.Model("contact_box")
    body = sl.RigidBody(model, "box", 1.0, [0.0108, 0.0167, 0.0208], position=[0, 0, 0.5])
    model.gravity([0, 0, -G])
    corners = [[x, y, z] for x in (-0.2, 0.2) for y in (-0.15, 0.15) for z in (-0.1, 0.1)]
    for k, corner in enumerate(corners):
        slip = body.velocity_of(corner)[:2]
        model.contact(f"corner_{k}", body.point(corner)[2], slip=slip, friction=0.4, restitution=0.3)
    return model.derive().compile(backend="c")


@functools.cache
def row_of_balls(count: int) -> System:
    """Equal balls at distances of 0.1 m, as elements: the first one moves."""
    model = sl.Model("contact_row")
    balls = model.node_array("balls", "R1", count)
    ball, pair = sl.ElementType("ball", a="R1"), sl.ElementType("pair", a="R1", b="R1")
    ball.kinetic_energy(ball.a.x_dot[0] ** 2 / 2)
    pair.contact("pair", pair.b.x[0] - pair.a.x[0] - 1, restitution=1)
    model.add(ball, [[balls[k]] for k in range(count)])
    model.add(pair, [[balls[k], balls[k + 1]] for k in range(count - 1)])
    x, x_dot = [[1.1 * k] for k in range(count)], [[float(k == 0)] for k in range(count)]
    return model.derive().compile(backend="c").with_initial("balls", x=x, x_dot=x_dot)


def touches(solution: sl.Solution) -> Array:
    return np.array([e.t for e in solution.events if e.name.endswith("_touch")])


def first_time(solution: sl.Solution, state: str, least: float = 1.0) -> float:
    """First recorded time at which the output reaches a value."""
    return float(solution.t[np.flatnonzero(solution.outputs[state] >= least)[0]])


FALL = math.sqrt(2 / G)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("options", [TIGHT, {"h": 0.05}], ids=["adaptive", "fixed"])
def test_bouncing_ball_comes_to_rest(options: dict[str, Any], backend: Backend) -> None:
    solution = sl.solve(bouncing(backend), 2.0, **options)
    expected = FALL * (1 + 2 * np.cumsum([0.0, *(0.5 ** np.arange(1, 8))]))
    assert solution.status == "ok"
    assert np.abs(touches(solution)[:8] - expected).max() <= tolerances.IMPACT
    assert abs(first_time(solution, "floor_state") - 3 * FALL) <= tolerances.IMPACT
    assert solution.q[-1, 0] == 0 and solution.v[-1, 0] == 0
    assert abs(solution.outputs["floor_normal"][-1] - G) <= tolerances.IMPACT
    assert solution.outputs["floor_gap"].min() >= -tolerances.IMPACT


@pytest.mark.parametrize("method", ["taylor", "generalized_alpha", "variational_midpoint"])
def test_bouncing_ball_comes_to_rest_with_other_methods(method: str) -> None:
    options: dict[str, Any] = {"rtol": 1e-13} if method == "taylor" else {"h": 0.01}
    solution = sl.solve(bouncing("c"), 2.0, method=method, **options)
    assert abs(first_time(solution, "floor_state") - 3 * FALL) <= tolerances.IMPACT
    assert solution.status == "ok" and solution.v[-1, 0] == 0


@functools.cache
def heavier(backend: Backend) -> System:
    """A ball whose weight increases with time."""
    model = sl.Model("contact_heavier")
    ball = model.node("ball", "R1", unit="m")
    model.kinetic_energy(ball.x_dot[0] ** 2 / 2)
    model.generalized_force(ball, x_dot=[-G * (1 + model.t)])
    model.contact("floor", ball.x[0], restitution=model.parameter("restitution", 0.5))
    model.initial(ball, x=[1.0], x_dot=[0.0])
    return model.derive().compile(backend=backend)


def end_of_heavier(restitution: float) -> float:
    """Time of the last impact: each flight satisfies u - a s/2 - G s²/6 = 0 with the weight a at its begin."""
    t = float(max(np.roots([G / 6, G / 2, 0, -1]).real))
    u = restitution * G * (t + t**2 / 2)
    while u > 1e-18:
        a = G * (1 + t)
        s = 2 * u / (a / 2 + math.sqrt(a**2 / 4 + 2 * G * u / 3))
        t, u = t + s, restitution * (a * s + G * s**2 / 2 - u)
    return t


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("restitution", [0.2, 0.8])
def test_rest_of_a_sequence_follows_the_change_of_the_force(restitution: float, backend: Backend) -> None:
    solution = sl.solve(heavier(backend).with_parameters(restitution=restitution), 4.0, **TIGHT)
    end = end_of_heavier(restitution)
    assert abs(first_time(solution, "floor_state") - end) <= tolerances.CONTACT
    total = sum(float(impact.impulses["floor"][0]) for impact in solution.impacts)
    assert abs(total - G * (end + end**2 / 2)) <= tolerances.CONTACT


def test_elastic_ball_conserves_energy() -> None:
    solution = sl.solve(bouncing("c").with_parameters(restitution=1.0), 20.0, rtol=1e-10)
    assert np.ptp(solution.outputs["energy"]) <= tolerances.IMPACT
    assert len(solution.impacts) == 22


def test_impacts_have_impulses_and_losses() -> None:
    solution = sl.solve(bouncing("c"), 2.0, **TIGHT)
    first, last = solution.impacts[0], solution.impacts[-1]
    speed = G * FALL
    assert first.contacts == ("floor",) and first.duration == 0 and first.reactions == {}
    assert abs(first.impulses["floor"][0] - 1.5 * speed) <= tolerances.IMPACT
    assert abs(first.energy_loss - 0.375 * speed**2) <= tolerances.IMPACT
    # The rest of the sequence falls for a thousandth of the first speed at most.
    assert 0 < last.duration <= 1e-3 * speed / G
    total = sum(float(impact.impulses["floor"][0]) for impact in solution.impacts)
    assert abs(total - 3 * speed) <= tolerances.IMPACT


PENDULUM_IMPACTS = np.array([0.534784400140, 1.57810907519, 2.60608865766])
PENDULUM_END = 0.285150442200


def pendulum_errors(solution: sl.Solution) -> tuple[float, float]:
    """Errors of the first three times of impact, and of the angle after 5 s."""
    angle = math.atan2(solution.q[-1, 0], -solution.q[-1, 2])
    return float(np.abs(touches(solution)[:3] - PENDULUM_IMPACTS).max()), abs(angle - PENDULUM_END)


@pytest.mark.parametrize("options", [TIGHT, {"method": "taylor", "rtol": 1e-13}], ids=["half_explicit_5", "taylor"])
def test_pendulum_on_a_wall_has_the_closed_form(options: dict[str, Any]) -> None:
    solution = sl.solve(pendulum("c"), 5.0, **options)
    assert max(pendulum_errors(solution)) <= tolerances.CONTACT
    assert len(touches(solution)) == 5
    assert options is TIGHT or solution.statistics.steps <= 60


def test_order_through_five_impacts_is_five() -> None:
    errors = []
    for h in (0.02, 0.01, 0.005):
        solution = sl.solve(pendulum("c"), 5.0, h=h, stabilize="projection+velocity")
        # The reference with twelve digits is accurate enough for these steps.
        errors.append(pendulum_errors(solution)[1])
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.abs(orders - 5).max() <= tolerances.CONTACT_ORDER


@pytest.mark.parametrize(("hit", "wall", "pivot"), [
    (1.0, 2.20689943808, 1.10344971904), (0.5, 4.41379887616, -1.10344971904), (2 / 3, 3.31034915712, 0.0),
])  # fmt: skip
def test_rod_pendulum_has_the_impulse_of_its_pivot(hit: float, wall: float, pivot: float) -> None:
    solution = sl.solve(rod_pendulum("c").with_parameters(hit=hit), 2.0, **TIGHT)
    first = solution.impacts[0]
    assert abs(first.t - 0.436649634247527) <= tolerances.CONTACT
    assert abs(first.impulses["wall"][0] - wall) <= tolerances.CONTACT
    assert np.abs(-first.reactions["pivot"] - [pivot, 0]).max() <= tolerances.CONTACT
    assert abs(solution.q[-1, 2] - 0.289118777443) <= tolerances.CONTACT


@pytest.mark.parametrize("backend", BACKENDS)
def test_newtons_cradle_depends_on_the_treatment_of_impacts(backend: Backend) -> None:
    together = sl.solve(cradle(backend), 1.0, rtol=1e-10)
    one_by_one = sl.solve(cradle(backend), 1.0, rtol=1e-10, impacts="sequential")
    assert np.abs(together.v[-1] - [-1 / 3, 2 / 3, 2 / 3]).max() <= tolerances.IMPACT
    assert np.abs(one_by_one.v[-1] - [0, 0, 1]).max() <= tolerances.IMPACT
    assert one_by_one.impacts[0].contacts == ("pair_0", "pair_1")


@pytest.mark.parametrize("backend", ["c", pytest.param("numpy", marks=pytest.mark.slow)])
def test_ball_slides_and_rolls(backend: Backend) -> None:
    solution = sl.solve(rolling(backend), 1.0, **TIGHT)
    (stick,) = solution.events
    assert stick.name == "floor_stick" and abs(stick.t - 0.160700406361311) <= tolerances.CONTACT
    assert np.abs(solution.field("ball", "x")[-1, :2] - [0.605864372792, 0.316070040636]).max() <= tolerances.CONTACT
    assert np.abs(solution.v[-1, 3:5] - [4 / 7, 0.3]).max() <= tolerances.CONTACT
    force = solution.outputs["floor_friction"]
    assert np.abs(force[0] - [-2.66689698100606, -1.24455192446949]).max() <= tolerances.CONTACT
    assert np.abs(force[-1]).max() <= tolerances.CONTACT
    assert solution.outputs["floor_state"][0] == 1 and solution.outputs["floor_state"][-1] == 2


def test_large_friction_equals_rolling_constraints_bit_by_bit() -> None:
    start: dict[str, Any] = {"x_dot": [0.5, 0.2, 0], "Omega": [-2, 5, 1]}
    model = sl.Model("rolling_ball")
    ball = sl.RigidBody(model, "ball", 1.0, sl.inertia.sphere(1.0, radius=0.1), position=[0, 0, 0.1])
    model.gravity([0, 0, -G])
    touching = ball.x - sl.vector(0, 0, 0.1)
    model.constraint("floor", touching[2])
    model.nonholonomic_constraint("rolling", ball.velocity_at(touching)[:2])
    model.initial(ball, **start)
    expected = sl.solve(model.derive().compile(backend="c"), 1.0, h=0.02)
    solution = sl.solve(rolling("c").with_parameters(friction=50.0).with_initial("ball", **start), 1.0, h=0.02)
    assert (solution.outputs["floor_state"] == 2).all()
    assert np.array_equal(solution.q[:, :12], expected.q) and np.array_equal(solution.v, expected.v)


def test_thrown_ball_has_the_closed_form() -> None:
    solution = sl.solve(thrown("c"), 2.0, **TIGHT)
    assert abs(first_time(solution, "floor_state") - 0.957826285221151) <= tolerances.CONTACT
    (stick,) = [e for e in solution.events if e.name == "floor_stick"]
    assert abs(stick.t - 1.45623998835008) <= tolerances.CONTACT
    assert np.abs(solution.field("ball", "x")[-1, :2] - [4.93981713786, 6.58642285049]).max() <= tolerances.CONTACT
    assert np.abs(solution.v[-1, 3:5] - [15 / 7, 20 / 7]).max() <= tolerances.CONTACT


@pytest.mark.parametrize("backend", BACKENDS)
def test_block_on_a_spring_turns_and_sticks(backend: Backend) -> None:
    solution = sl.solve(block_on_spring(backend), 1.5, rtol=1e-12 if backend == "c" else 1e-9)
    turns = np.array([e.q[0] for e in solution.events])
    assert np.abs(turns - [-0.14114, 0.08228, -0.02342]).max() <= (tolerances.CONTACT if backend == "c" else 1e-8)
    assert abs(solution.events[-1].t - 0.3 * math.pi) <= (tolerances.CONTACT if backend == "c" else 1e-8)
    assert (solution.v[-1] == 0).all() and abs(solution.outputs["floor_friction"][-1] + 2.342) <= 1e-7


def test_rocking_block_comes_to_rest() -> None:
    solution = sl.solve(rocking_block("c"), 3.8, **TIGHT)
    expected = [0.387295076314793, 0.943069678832233, 1.37710063085842]
    assert np.abs(touches(solution)[:3] - expected).max() <= tolerances.CONTACT
    impact = solution.impacts[0]
    assert np.abs(impact.impulses["right"] - [0.349748606096997, -0.0850739852668370]).max() <= tolerances.CONTACT
    assert np.abs(solution.v[-1]).max() <= tolerances.IMPACT
    is_resting = np.minimum(solution.outputs["left_state"], solution.outputs["right_state"]) > 0
    rest = solution.t[np.flatnonzero(is_resting)[0]]
    assert abs(rest - 3.56676226175) <= tolerances.CONTACT and abs(solution.q[-1, 0]) <= tolerances.IMPACT
    assert abs(solution.outputs["left_normal"][-1] + solution.outputs["right_normal"][-1] - G) <= tolerances.CONTACT


@functools.cache
def woodpecker(backend: Backend) -> System:
    """A sleeve with the height y and the angle a jams at a pole, and a bird with the angle b hits it with its beak.

    Source: [Leine2003].
    """
    model = sl.Model("contact_woodpecker")
    toy = model.node("toy", "R3")
    (y, a, b), (fall, a_rate, b_rate) = toy.x, toy.x_dot
    bird = fall + 0.01 * a_rate + 0.015 * b_rate
    model.kinetic_energy((3e-4 * fall**2 + 5e-9 * a_rate**2 + 4.5e-3 * bird**2 + 7e-7 * b_rate**2) / 2)
    model.potential_energy(G * (4.8e-3 * y + 4.5e-3 * (0.01 * a + 0.015 * b)) + 5.6e-3 * (a - b) ** 2 / 2)
    beak, edge = fall + 0.01 * a_rate - 5.1e-3 * b_rate, fall + 3.1e-3 * a_rate
    model.contact("beak", 2.4e-3 - 0.02 * b, slip=beak, friction=0.3, restitution=0.5)
    model.contact("lower", 6e-4 + 5.8e-3 * a, slip=edge, friction=0.3)
    model.contact("upper", 6e-4 - 5.8e-3 * a, slip=edge, friction=0.3)
    model.initial(toy, x=[0, -0.1034, -0.2788], x_dot=[-0.3411, 0, -7.4583])
    return model.derive().compile(backend=backend)


def test_woodpecker_has_a_limit_cycle() -> None:
    """Period and drop of a prototype of order one with steps of 1e-5 s; the motion is damped towards the cycle."""
    hits = []
    for rtol in (1e-10, 5e-11):
        solution = sl.solve(woodpecker("c"), 1.6, rtol=rtol)
        t = np.array([impact.t for impact in solution.impacts if "beak" in impact.contacts])
        hits.append(np.stack([t, solution.q[np.searchsorted(solution.t, t), 0]]))
    assert np.abs(hits[0] - hits[1]).max() <= tolerances.WOODPECKER
    period, drop = (hits[0][:, -1] - hits[0][:, -3]) / 2
    assert abs(period - 0.1460) <= tolerances.WOODPECKER_CYCLE and abs(drop + 0.0195) <= tolerances.WOODPECKER_CYCLE


def test_contact_that_lifts_directly_after_an_impact_does_not_touch_again() -> None:
    """The upper edge lifts at once after its impact, at which rounding has left a gap below zero."""
    a, b = (sl.solve(woodpecker(backend), 0.08, rtol=1e-6) for backend in BACKENDS)
    assert [e.name for e in a.events] == [e.name for e in b.events]
    assert [e.name for e in a.events].count("upper_touch") == 1 and a.status == b.status == "ok"


@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_box_falls_on_its_corners_and_rests(turn: float) -> None:
    c, s = math.cos(turn), math.sin(turn)
    tilted = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    solution = sl.solve(box().with_initial("box", R=tilted), 3.0, rtol=1e-8)
    names = [name for name in solution.outputs if name.endswith(("_gap", "_normal"))]
    forces = [solution.outputs[name][-1] for name in names if name.endswith("_normal")]
    assert solution.status == "ok" and np.abs(solution.v[-1]).max() <= tolerances.CONTACT
    assert min(solution.outputs[name].min() for name in names if name.endswith("_gap")) >= -tolerances.CONTACT
    assert abs(sum(forces) - G) <= tolerances.CONTACT and min(forces) >= -tolerances.CONTACT
    assert np.diff(solution.outputs["energy"]).max() <= 1e-8


def test_contacts_of_elements_pass_a_speed_on() -> None:
    solution = sl.solve(row_of_balls(12), 1.5, rtol=1e-10)
    assert np.abs(touches(solution) - 0.1 * np.arange(1, 12)).max() <= tolerances.IMPACT
    assert np.abs(solution.v[-1] - np.eye(12)[-1]).max() <= tolerances.IMPACT


@pytest.mark.parametrize("make", [bouncing, pendulum, block_on_spring, cradle])
def test_backends_agree(make: Any) -> None:
    a, b = (sl.solve(make(backend), 1.5, h=0.01) for backend in BACKENDS)
    assert [e.name for e in a.events] == [e.name for e in b.events]
    assert a.t.shape == b.t.shape and np.abs(a.t - b.t).max() <= tolerances.CONTACT
    assert np.abs(a.q - b.q).max() <= tolerances.CONTACT and np.abs(a.v - b.v).max() <= tolerances.CONTACT


@pytest.mark.parametrize("make", [bouncing, thrown])
def test_interrupted_runs_resume_with_equal_bits(make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = make("c")
    monkeypatch.setattr("symlie.runtime.integrate.run.RETURN_SECONDS", 1e-9)
    path = tmp_path / "run.checkpoint"
    whole = sl.solve(system, 2.0, rtol=1e-8)
    interrupted(system, 2.0, 4, path, rtol=1e-8)
    assert content(resumed_in_pieces(path, 29)) == content(whole)


def test_solutions_continue_with_the_modes_at_their_end() -> None:
    whole = sl.solve(block_on_spring("c"), 1.5, h=0.01)
    half = sl.solve(block_on_spring("c"), 0.5, h=0.01)
    rest = sl.solve(block_on_spring("c"), 1.5, h=0.01, start=half)
    assert np.array_equal(rest.q[-1], whole.q[-1]) and np.array_equal(rest.v[-1], whole.v[-1])


def test_contact_at_the_start_is_an_impact() -> None:
    system = bouncing("c").with_initial("ball", x=[0.0], x_dot=[-1.0])
    with pytest.warns(sl.SymlieWarning, match="Contact floor of 'contact_ball' closes at the start"):
        assert system.initial_state.v[0] == 0.5


def test_penetration_at_the_start_is_an_error() -> None:
    system = bouncing("c").with_initial("ball", x=[-0.25])
    with pytest.raises(InconsistentInitialValuesError, match=r"'floor' of 'contact_ball' .* its gap is -0.25"):
        sl.solve(system, 1.0)


@functools.cache
def press(backend: Backend) -> System:
    """A block that a constraint moves down by 1 m/s to the floor, which it reaches at t = 0.05 s."""
    model = sl.Model("contact_press")
    block = model.node("block", "R2")
    model.kinetic_energy(block.x_dot.dot(block.x_dot) / 2)
    model.constraint("ram", block.x[1] - 0.05 + model.t)
    model.contact("floor", block.x[1], slip=block.x_dot[0], friction=0.3)
    model.initial(block, x=[0, 0.05], x_dot=[1, -1])
    return model.derive().compile(backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_gaps_that_constraints_fix_are_named(backend: Backend) -> None:
    sentence = (
        r"^Constraints fix the gap of contact 'floor', which closes at t = 0\.05: .* Remove the contact, or the joint"
    )
    with pytest.raises(FixedGapError, match=sentence):
        sl.solve(press(backend), 0.1)


def test_painleves_paradox_is_a_named_error() -> None:
    model = sl.Model("contact_chalk")
    rod, turn = model.node("rod", "R2"), model.node("turn", "R1")
    angle = turn.x[0]
    model.kinetic_energy((rod.x_dot.dot(rod.x_dot) + turn.x_dot[0] ** 2 / 3) / 2)
    model.potential_energy(G * rod.x[1])
    tip = rod.x - sl.vector(sl.cos(angle), sl.sin(angle))
    friction = model.parameter("friction", 1.5)
    model.contact("tip", tip[1], slip=model.rate(tip)[0], friction=friction)
    model.initial(rod, x=[0, math.sin(1.0)], x_dot=[-1, 0])
    model.initial(turn, x=[1.0], x_dot=[0.0])
    system = model.derive().compile(backend="numpy")
    with pytest.raises(ContactParadoxError, match=r"coefficient 1.5, but from 1.37526 on"):
        sl.solve(system, 0.1)
    assert sl.solve(system.with_parameters(friction=1.3), 0.01).status == "ok"


def test_contact_problems_are_solved_up_to_redundancy() -> None:
    generator = np.random.default_rng(5)
    for count in (1, 2, 4, 8):
        sizes = generator.integers(1, 4, count)
        begin = np.cumsum(sizes) - sizes
        rows = generator.standard_normal((int(sizes.sum()), 6))
        G, c = rows @ rows.T, rows @ generator.standard_normal(6)
        friction = generator.uniform(0.0, 0.8, count)
        P = solved_cone(G, c, begin, friction, np.abs(c))
        assert P is not None
        xi, ends = G @ P + c, begin + sizes
        for n, e, mu in zip(begin, ends, friction, strict=True):
            assert P[n] >= 0 and xi[n] >= -1e-12 and abs(P[n] * xi[n]) <= 1e-11
            size, speed = np.linalg.norm(P[n + 1 : e]), np.linalg.norm(xi[n + 1 : e])
            assert size <= mu * P[n] + 1e-12
            assert abs(mu * P[n] * speed + P[n + 1 : e] @ xi[n + 1 : e]) <= 1e-10


def simple() -> tuple[sl.Model, Any]:
    model = sl.Model("contact_input")
    block = model.node("block", "R3")
    model.kinetic_energy(block.x_dot.dot(block.x_dot) / 2)
    return model, block


@pytest.mark.parametrize(("arguments", "sentence"), [
    (lambda b: {"gap": b.x}, "needs a scalar gap, not one with 3 components"),
    (lambda b: {"gap": b.x[2] ** 2}, "has a gap that is never negative"),
    (lambda b: {"gap": sl.sqrt(b.x.dot(b.x))}, "gradient vanishes where it closes"),
    (lambda b: {"gap": b.x[2], "slip": b.x_dot, "friction": 0.3}, "one or two components, not 3"),
    (lambda b: {"gap": b.x[2], "slip": b.x_dot[:2], "friction": -0.3}, "friction coefficient that is not negative"),
    (lambda b: {"gap": b.x[2], "restitution": 1.5}, "coefficient of restitution from 0 to 1, not 1.5"),
    (lambda b: {"gap": b.x[2], "friction": 0.3}, "has friction, but no slip velocity"),
    (lambda b: {"gap": b.x[2], "restitution": b.x[0]}, "coefficients that depend on parameters only"),
    (lambda b: {"gap": b.x[2], "slip": b.x[0], "friction": 0.3}, "does not depend on velocities"),
])  # fmt: skip
def test_invalid_contacts_are_refused(arguments: Any, sentence: str) -> None:
    model, block = simple()
    with pytest.raises(ModelError, match=sentence):
        model.contact("floor", **arguments(block))


def run_with(system: System, **options: Any) -> sl.Solution:
    return sl.solve(system, 1.0, **options)


@functools.cache
def parameters_of_laws() -> System:
    model = sl.Model("contact_laws")
    block = model.node("block", "R2")
    model.kinetic_energy(block.x_dot.dot(block.x_dot) / 2)
    laws = {"friction": model.parameter("mu", 0.3), "restitution": model.parameter("e", 0.5)}
    model.contact("floor", block.x[1], slip=block.x_dot[0], **laws)
    model.friction("brake", limit=model.parameter("limit", 1.0), slip=block.x_dot[0])
    model.initial(block, x=[0, 1], x_dot=[1, 0])
    return model.derive().compile(backend="numpy")


@pytest.mark.parametrize(("values", "sentence"), [
    ({"mu": -0.3}, "Contact 'floor' of 'contact_laws' has the friction coefficient -0.3, which must not be negative"),
    ({"e": 1.5}, "'floor' of 'contact_laws' has the coefficient of restitution 1.5, which must be from 0 to 1"),
    ({"limit": -1.0}, "Friction 'brake' of 'contact_laws' has the limit -1 at the start, which must not be negative"),
])  # fmt: skip
def test_parameters_out_of_bounds_are_refused(values: dict[str, float], sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        sl.solve(parameters_of_laws().with_parameters(**values), 0.1)


def test_methods_without_friction_are_refused() -> None:
    with pytest.raises(UnsupportedMethodError, match=r"contact 'floor' .* use half_explicit_2"):
        sl.solve(rolling("c"), 1.0, method="taylor")
    with pytest.raises(UnknownNameError, match="use newton, poisson or sequential"):
        run_with(bouncing("c"), impacts="elastic")
