"""Time stepping with contacts: penetration, order, momentum, columns, heaps, bits, results and bad input."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.contract.constants import CONTACT_STEPS
from symlie.errors import FixedGapError, InconsistentInitialValuesError, ModelError, UnsupportedMethodError
from symlie.options import Backend
from symlie.runtime.implicit.contact_corrections import Corrected
from symlie.runtime.system.contacts.table import ContactTable
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.heap_runs import judged, judgement, main
from tests.runtime.heaps import RADIUS, column, container_heap, gaps
from tests.runtime.interruptions import content, interrupted, resumed_in_pieces
from tests.runtime.test_contacts import (
    BACKENDS,
    ball_model,
    block_on_spring,
    bouncing,
    pendulum,
    press,
    rod_pendulum,
    rolling,
    thrown,
)

G = 9.81
HEIGHT = 0.0612555656574994
"""Height of the bouncing ball after 1 s."""


def stepped(system: System, end: float, steps: int, **options: Any) -> sl.Solution:
    return sl.solve(system, end, method="rattlie", h=end / steps, **options)


def test_bouncing_ball_converges_to_the_closed_form() -> None:
    errors = [abs(stepped(bouncing("c"), 1.0, 75 * 2**k).q[-1, 0] - HEIGHT) for k in range(9)]
    assert (math.log2(errors[0] / errors[-1])) / 8 >= tolerances.STEPPED_SLOPE
    assert gaps(stepped(bouncing("c"), 2.0, 400)).min() >= -tolerances.PENETRATION


def test_rod_converges_with_order_one_after_its_impacts() -> None:
    """The slope is that of a least-squares line: errors depend on the places of the impacts in their steps."""
    exact = sl.solve(rod_pendulum("c"), 2.0, rtol=1e-12).q[-1, 2]
    errors = [abs(stepped(rod_pendulum("c"), 2.0, 100 * 2**k).q[-1, 2] - exact) for k in range(9)]
    assert -np.polyfit(range(9), np.log2(errors), 1)[0] >= tolerances.STEPPED_SLOPE


def test_rod_has_order_two_before_its_impact_and_no_penetration() -> None:
    a, b, c = (stepped(rod_pendulum("c"), 0.4, 100 * 2**k).q[-1, 2] for k in range(3))
    assert abs(math.log2((a - b) / (b - c)) - 2) <= tolerances.STEPPED_ORDER
    solution = stepped(rod_pendulum("c"), 2.0, 400)
    phi = np.array([solution.system.mechanics.constraint(t, q) for t, q in zip(solution.t, solution.q, strict=True)])
    assert gaps(solution).min() >= -tolerances.PENETRATION
    assert np.abs(phi).max() <= tolerances.STEPPED_CONSTRAINTS
    assert solution.statistics.max_velocity_residual <= tolerances.STEPPED_CONSTRAINTS


def test_ball_slides_then_rolls_with_the_exact_momentum() -> None:
    for steps in (23, 95):
        solution = stepped(rolling("c"), 0.5, steps)
        assert np.abs(solution.v[-1, 3:] - [4 / 7, 0.3, 0]).max() <= tolerances.IMPACT
        friction = np.linalg.norm(solution.outputs["floor_friction"], axis=1)
        assert abs(friction[1] - 0.3 * G) <= tolerances.IMPACT and friction[-1] <= tolerances.IMPACT
        assert solution.outputs["floor_state"][[1, -1]].tolist() == [1, 2]
        assert np.abs(solution.outputs["floor_normal"][1:] - G).max() <= tolerances.CONTACT


def test_ball_thrown_with_spin_rolls_at_the_end() -> None:
    solution = stepped(thrown("c"), 2.0, 400)
    assert np.abs(solution.v[-1, 3:5] - 5 / 7 * np.array([3, 4])).max() <= tolerances.IMPACT
    assert np.abs(solution.q[-1, 9:11] - [4.93981713786, 6.58642285049]).max() <= 1e-5
    impacts = solution.impacts
    assert impacts[0].contacts == ("floor",) and abs(impacts[0].t - math.sqrt(1 / G)) <= 0.01
    speed = G * solution.t[np.searchsorted(solution.t, impacts[0].t) - 1]
    assert abs(impacts[0].impulses["floor"][0] - 1.5 * speed) <= 2 * G * 0.005
    assert impacts[0].energy_loss > 0


def test_ball_rests_on_a_table_with_prescribed_motion() -> None:
    """The acceleration of the table is less than gravity, so that the ball moves with it."""
    model = sl.Model("shaken_table")
    table, ball = model.node("table", "R1"), model.node("ball", "R1")
    model.kinetic_energy((table.x_dot[0] ** 2 + ball.x_dot[0] ** 2) / 2)
    model.potential_energy(G * ball.x[0])
    model.prescribe(table, x=[sl.sin(3 * model.t) / 10])
    model.contact("table", ball.x[0] - table.x[0])
    model.initial(ball, x=[0.0], x_dot=[0.3])
    solution = stepped(model.derive().compile(), 1.0, 50)
    assert np.abs(solution.q[:, 1] - np.sin(3 * solution.t) / 10).max() <= tolerances.CONTACT
    assert gaps(solution).min() >= -tolerances.PENETRATION
    assert solution.outputs["table_state"][1:].all()


def spinning(*, with_contact: bool) -> sl.Model:
    """An asymmetric body in air, above a floor and below a ceiling."""
    model = sl.Model("contact_spinning" if with_contact else "spinning")
    body = sl.RigidBody(model, "body", 2.0, [0.1, 0.2, 0.25], position=[0, 0, 5])
    model.gravity([0, 0, -G])
    model.force(-0.3 * body.velocity_at(body.x), at=body.x)
    if with_contact:
        tip = body.x + body.R * sl.vector(0.1, 0.2, -0.3)
        model.contact("floor", tip[2], slip=body.velocity_at(tip)[:2], friction=0.3)
        model.contact("ceiling", 10 - tip[2])
    model.initial(body, x_dot=[1, 0, 0], Omega=[3, -2, 5])
    return model


def flying(*, with_contact: bool) -> sl.Model:
    """Unbalanced balls of an element type, above a floor."""
    group = sl.group_from_name("S3xR3")
    body, floor = (sl.ElementType(name, b=group) for name in ("unbalanced", "floor"))
    b = body.b
    body.kinetic_energy((b.x_dot.dot(b.x_dot) + 0.01 * (b.Omega.dot(b.Omega) + b.Omega[0] * b.Omega[1])) / 2)
    body.potential_energy(G * b.x[2])
    slip = floor.b.x_dot + (floor.b.R * floor.b.Omega).cross(sl.vector(0, 0, -RADIUS))
    floor.contact("floor", floor.b.x[2] - RADIUS, slip=slip[:2], friction=0.3, restitution=0.1)
    model, count = sl.Model("contact_flying" if with_contact else "flying"), 12
    nodes = model.node_array("balls", group, count)
    model.add(body, [nodes[k] for k in range(count)])
    if with_contact:
        model.add(floor, [nodes[k] for k in range(count)])
    generator = np.random.default_rng(3)
    x = generator.normal(size=(count, 3)) + np.array([0, 0, 10])
    nodes.initial(x=x, x_dot=generator.normal(size=(count, 3)), Omega=generator.normal(size=(count, 3)))
    return model


def hinged(*, with_contact: bool) -> sl.Model:
    """Two hinged bodies in space above a floor, at rest at first, and a wheel that rolls on a table."""
    model = sl.Model("contact_hinged" if with_contact else "hinged")
    arm = sl.RigidBody(model, "arm", 2.0, [0.1, 0.2, 0.25], position=[0.5, 0, 5])
    hand = sl.RigidBody(model, "hand", 1.0, [0.03, 0.02, 0.04], position=[1.5, 0, 5])
    model.gravity([0, 0, -G])
    model.force(sl.vector(0.5, 1, 0), at=hand.x)
    if with_contact:
        model.contact("floor", hand.x[2], slip=hand.velocity_at(hand.x)[:2], friction=0.3)
    sl.SphericalJoint(model, "shoulder", model.ground, arm, at=[0, 0, 5])
    sl.RevoluteJoint(model, "elbow", arm, hand, at=[1, 0, 5], axis=[0, 0.6, 0.8])
    if with_contact:
        model.contact("ceiling", 10 - arm.x[2])
    skate = model.node("skate", "SE2")
    model.kinetic_energy((skate.U.dot(skate.U) + 0.1 * skate.Omega[0] ** 2) / 2)
    model.nonholonomic_constraint("runs", skate.U[1])
    model.initial(skate, U=[1, 0], Omega=[2])
    return model


def netted(*, with_contact: bool) -> sl.Model:
    """Masses of an element type in a net with loops, below a node with prescribed motion."""
    rod = sl.ElementType("rod", a="R3", b="R3")
    mass, floor = (sl.ElementType(name, b="R3") for name in ("mass", "floor"))
    d = rod.a.x - rod.b.x
    rod.constraint("length", d.dot(d) - rod.parameter("square", 1.0))
    mass.kinetic_energy(mass.b.x_dot.dot(mass.b.x_dot) / 2)
    mass.potential_energy(G * mass.b.x[2])
    floor.contact("floor", floor.b.x[2], slip=floor.b.x_dot[:2], friction=0.3)
    model, count = sl.Model("contact_netted" if with_contact else "netted"), 14
    base, nodes = model.node("base", "R3"), model.node_array("masses", "R3", count)
    model.prescribe(base, x=[(sl.cos(3 * model.t) - 1) / 10, 0, 9])
    x = np.array([[0.5 * (k // 2 + 1), 0.3 * (k % 2), 9] for k in range(count)])
    x += np.random.default_rng(1).normal(size=x.shape) / 20
    pairs = [(k, k + 2) for k in range(count - 2)] + [(2 * k, 2 * k + 1) for k in range(count // 2)]
    model.add(mass, [nodes[k] for k in range(count)])
    if with_contact:
        model.add(floor, [nodes[k] for k in range(count)])
    for i, j in pairs:
        model.add(rod, [(nodes[i], nodes[j])], square=float(((x[i] - x[j]) ** 2).sum()))
    model.add(rod, [(base, nodes[0])], square=float(((x[0] - [0, 0, 9]) ** 2).sum()))
    nodes.initial(x=x)
    return model


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("make", [spinning, flying, hinged, netted])
def test_open_contacts_leave_all_bits(make: Callable[..., sl.Model], backend: Backend) -> None:
    """Also with holonomic and nonholonomic constraints, loops and prescribed nodes."""
    a, b = (stepped(make(with_contact=w).derive().compile(backend=backend), 0.5, 100) for w in (True, False))
    kept = b.system.layout.node_storage
    assert np.array_equal(a.q[:, :kept], b.q[:, :kept]) and np.array_equal(a.v, b.v)
    of_contacts = ContactTable(a.system.mechanics).rows
    assert np.array_equal(a.multipliers[1:, ~of_contacts], b.multipliers[1:])


@pytest.mark.parametrize("backend", BACKENDS)
def test_contacts_with_names_of_the_catalogue_are_stepped(backend: Backend) -> None:
    """A pendulum with a joint and a free ball, whose contacts have their own names, leave the bits of open contacts."""
    model = sl.Model("contact_named")
    ball = sl.RigidBody(model, "ball", 1.0, [0.1, 0.1, 0.1], position=[0, 0, 0.3])
    arm = sl.RigidBody(model, "arm", 1.0, [0.1, 0.1, 0.1], position=[1, 0, 2])
    sl.RevoluteJoint(model, "pivot", model.ground, arm, at=[1, 0, 1.5], axis=[0, 1, 0])
    for name, body in (("ball", ball), ("arm", arm)):
        sl.SpherePlaneContact(model, f"floor_{name}", model.ground, body, radius=0.1, friction=0.3)
    model.gravity([0, 0, -G])
    solution = stepped(model.derive().compile(backend=backend), 0.3, 60)
    assert solution.outputs["floor_ball_gap"].min() >= -tolerances.PENETRATION
    assert abs(solution.outputs["floor_ball_gap"][-1]) <= tolerances.PENETRATION
    assert solution.outputs["floor_arm_state"].max() == 0


def test_spinning_body_touches_down_without_penetration() -> None:
    """Corners of an asymmetric body meet the floor; angular momentum about the vertical is that of RATTLie."""
    model = sl.Model("contact_tumbling")
    body = sl.RigidBody(model, "body", 2.0, [0.1, 0.2, 0.25], position=[0, 0, 1])
    model.gravity([0, 0, -G])
    for k, (a, b) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)]):
        tip = body.x + body.R * sl.vector(0.3 * a, 0.2 * b, -0.1)
        model.contact(f"corner_{k}", tip[2], slip=body.velocity_at(tip)[:2], friction=0.3, restitution=0.1)
    model.initial(body, x_dot=[1, 0, 0], Omega=[1, -2, 1])
    solution = stepped(model.derive().compile(), 1.5, 1500)
    assert gaps(solution).min() >= -tolerances.PENETRATION
    assert np.diff(solution.outputs["energy"]).max() <= tolerances.STEPPED_RISE
    assert solution.outputs["energy"][-1] < 0.2 * solution.outputs["energy"][0]


@pytest.mark.parametrize("count", [10, 100])
def test_columns_rest_with_few_iterations(count: int) -> None:
    solution = sl.solve(column(count), 0.02, method="rattlie", h=1e-3)
    assert solution.statistics.most_newton_iterations <= 10
    assert np.abs(solution.v).max() <= tolerances.IMPACT
    assert gaps(solution).min() >= -tolerances.PENETRATION
    normal = np.sort(-solution.multipliers[-1])[::-1]
    assert abs(normal[0] - G * count) <= tolerances.IMPACT * G * count


@pytest.mark.parametrize("seed", range(4))
def test_heaps_lose_energy_without_penetration(seed: int) -> None:
    assert not judged("balls", seed, 4)["failures"]


@pytest.mark.parametrize(("seed", "balls", "boxes", "end"), [(0, 4, 1, 0.3), (1, 8, 0, 0.5)])
def test_heaps_in_a_container_lose_energy_without_penetration(seed: int, balls: int, boxes: int, end: float) -> None:
    assert not judgement(container_heap(seed, balls, boxes), end)["failures"]


@pytest.mark.slow
def test_redundant_contacts_are_no_drift() -> None:
    """Closed contacts of a box between a wall and other bodies are nearly dependent equations."""
    assert not judgement(container_heap(173, 8, 2), 0.06, least_loss=0)["failures"]


@pytest.mark.slow
def test_nearly_locked_boxes_are_solved() -> None:
    """Corrections alternate and decrease slowly, as the change of the slip rows is not part of the linearisation."""
    assert not judgement(container_heap(461, 8, 2), 0.32)["failures"]


def test_secants_find_limits_of_corrections_that_grow() -> None:
    """Corrections of an affine map with the factors -1.5 and 0."""
    limit, mode = np.array([1.0, -2.0, 0.5]), np.array([0.6, 0.8, 0.0])
    u, before = limit + np.array([0.3, 0.4, 0.1]), None
    for k in range(CONTACT_STEPS - 1, CONTACT_STEPS + 2):
        d = u - limit + 1.5 * (mode @ (u - limit)) * mode
        now = Corrected(u - d, d)
        u, before = now.extrapolated(before, k), now
    assert np.abs(u - limit).max() <= tolerances.SECANT


@pytest.mark.parametrize("method", ["rattlie", "moreau_jean"])
def test_gaps_that_constraints_close_are_named(method: str) -> None:
    with pytest.raises(FixedGapError, match=r"fix the gap of contact 'floor', which closes at t = 0\.0[45]"):
        sl.solve(press("c"), 0.1, method=method, h=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "balls", "boxes", "end"), [(103, 4, 1, 0.41), (283, 4, 1, 0.6)])
def test_momentum_changes_by_reported_impulses(seed: int, balls: int, boxes: int, end: float) -> None:
    """Impulses of nearly redundant contacts change in corrections without velocities, and vanish if they pull."""
    assert not judgement(container_heap(seed, balls, boxes), end)["failures"]


def test_runs_of_heaps_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counted(kind: str, seed: int) -> dict[str, Any]:
        asked.append(seed)
        return {"kind": kind, "seed": seed, "failures": ["sinks"] if seed == 2 else []}

    monkeypatch.setattr("tests.runtime.heap_runs.judged", counted)
    file = tmp_path / "heaps.jsonl"
    assert not main(["--kind", "balls", "--seeds", "0:2", "--out", str(file)])
    assert main(["--kind", "balls", "--seeds", "0:4", "--out", str(file)])
    assert asked == [0, 1, 2, 3]


def test_energy_of_a_step_is_the_work_of_impulses_along_its_rows() -> None:
    """A mass slides in a bowl without friction: P₁ acts along the row at the start of a step, P₂ along the one at its
    end, and the energy rises by errors of order three."""
    model, r, f, rises = sl.Model("contact_bowl"), 0.5, np.array([0, -G]), []
    node = model.node("mass", "R2")
    model.kinetic_energy(node.x_dot.dot(node.x_dot) / 2)
    model.potential_energy(G * node.x[1])
    model.contact("wall", r - sl.sqrt(node.x.dot(node.x)))
    model.initial(node, x=[0.4, 0.1])
    system = model.derive().compile()
    for h in (2e-3, 1e-3):
        solution = sl.solve(system, 1.0, method="rattlie", h=h)
        x, v, rise = solution.q[:, :2], solution.v, np.diff(solution.outputs["energy"])
        w, row = np.diff(x, axis=0) / h, -x / np.linalg.norm(x, axis=1)[:, None]
        work = h / 4 * ((v[1:] + v[:-1] - 2 * w) @ f)
        for impulse, direction, mean in (
            (w - v[:-1] - h / 2 * f, row[:-1], (v[:-1] + w) / 2),
            (v[1:] - w - h / 2 * f, row[1:], (w + v[1:]) / 2),
        ):
            size = (impulse * direction).sum(axis=1)
            assert size.min() >= -tolerances.IMPACT
            assert np.abs(impulse - size[:, None] * direction).max() <= tolerances.IMPACT
            work += size * (direction * mean).sum(axis=1)
        assert np.abs(rise - work).max() <= tolerances.IMPACT
        rises.append(float(rise.max()))
    assert abs(math.log2(rises[0] / rises[1]) - 3) <= tolerances.RISE_ORDER


def test_energy_of_a_heap_rises_by_errors_of_third_order_only() -> None:
    """Normal forces along the rows of the start of a step do work on curved surfaces; nothing else increases the
    energy."""
    rises = []
    for h in (2e-3, 1e-3):
        energy = sl.solve(container_heap(9, 6, 0), 0.4, method="rattlie", h=h).outputs["energy"]
        rises.append(float(np.diff(energy).max()))
    assert abs(math.log2(rises[0] / rises[1]) - 3) <= tolerances.RISE_ORDER


@pytest.mark.parametrize("backend", BACKENDS)
def test_jammed_body_does_not_rebound(backend: Backend) -> None:
    """A body without clearance between two walls cannot rebound from one of them."""
    model = sl.Model("contact_jam")
    body = model.node("body", "R1")
    model.kinetic_energy(body.x_dot.dot(body.x_dot) / 2)
    for name, sign in (("left", 1), ("right", -1)):
        model.contact(name, sign * body.x[0], restitution=0.5)
    model.initial(body, x_dot=[-1])
    solution = stepped(model.derive().compile(backend=backend), 0.02, 2)
    assert not solution.v[1:].any() and not solution.q[:, 0].any()


def rolling_ball(*, with_contact: bool) -> System:
    """An unbalanced ball that rolls under a force: on a floor with much friction, or with rolling constraints."""
    model = sl.Model("contact_ball_rolls" if with_contact else "ball_rolls")
    ball = sl.RigidBody(model, "ball", 1.0, [0.004, 0.005, 0.006], position=[0, 0, RADIUS])
    model.gravity([0, 0, -G])
    model.force(sl.vector(0.3, -0.2, 0), at=ball.x)
    touching = ball.x - sl.vector(0, 0, RADIUS)
    slip = ball.velocity_at(touching)[:2]
    if with_contact:
        model.contact("floor", touching[2], slip=slip, friction=1e3)
    else:
        model.constraint("floor", touching[2])
        model.nonholonomic_constraint("rolls", slip)
    model.initial(ball, x_dot=[0.5, 0.2, 0], Omega=[-2, 5, 3])
    return model.derive().compile()


def test_much_friction_equals_rolling_constraints() -> None:
    a, b = (stepped(rolling_ball(with_contact=w), 1.0, 100) for w in (True, False))
    assert np.abs(a.v - b.v).max() <= tolerances.STEPPED_ROLLING
    assert np.abs(a.q[:, : b.q.shape[1]] - b.q).max() <= tolerances.STEPPED_ROLLING


@pytest.mark.parametrize("make", [bouncing, pendulum, rod_pendulum, rolling, thrown, block_on_spring])
def test_stepping_backends_agree(make: Any) -> None:
    a, b = (stepped(make(backend), 1.0, 100) for backend in BACKENDS)
    assert np.abs(a.q - b.q).max() <= tolerances.CONTACT and np.abs(a.v - b.v).max() <= tolerances.CONTACT
    assert not a.events and not b.events


@pytest.mark.parametrize("make", [rod_pendulum, rolling, block_on_spring])
def test_options_of_rattlie_leave_the_solution_of_steps_with_contacts(make: Any) -> None:
    """The equations of a step do not depend on the matrix of Newton's method, and q and v not on the multipliers."""
    exact = stepped(make("c"), 1.0, 100)
    for options in ({"newton": "full"}, {"multipliers": "index1"}):
        for backend in BACKENDS:
            found = stepped(make(backend), 1.0, 100, method_options=options)
            assert np.abs(found.q - exact.q).max() <= tolerances.CONTACT
            assert np.abs(found.v - exact.v).max() <= tolerances.CONTACT


@pytest.mark.parametrize("make", [bouncing, thrown])
def test_interrupted_stepping_resumes_with_equal_bits(
    make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = make("c")
    monkeypatch.setattr("symlie.runtime.integrate.run.RETURN_SECONDS", 1e-9)
    path = tmp_path / "run.checkpoint"
    whole = sl.solve(system, 1.0, method="rattlie", h=1e-3)
    interrupted(system, 1.0, 4, path, method="rattlie", h=1e-3)
    assert content(resumed_in_pieces(path, 29)) == content(whole)


def test_stepped_solutions_continue_with_equal_bits() -> None:
    system = thrown("c")
    whole, half = stepped(system, 1.0, 200), stepped(system, 0.5, 100)
    rest = sl.solve(system, 1.0, method="rattlie", h=0.005, start=half)
    assert np.array_equal(rest.q[-1], whole.q[-1]) and np.array_equal(rest.v[-1], whole.v[-1])


def test_unsupported_runs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedMethodError, match=r"compose=suzuki has substeps backwards .* has contact 'floor'"):
        stepped(bouncing("c"), 1.0, 10, method_options={"compose": "suzuki"})
    with pytest.raises(UnsupportedMethodError, match=r"steps over impacts, which satisfy Newton's law"):
        stepped(bouncing("c"), 1.0, 10, impacts="poisson")
    with pytest.raises(InconsistentInitialValuesError, match="'floor' of 'contact_ball' penetrates initially"):
        stepped(bouncing("c").with_initial("ball", x=[-0.1]), 1.0, 10)
    with pytest.raises(UnsupportedMethodError, match="cannot step over the impacts of contacts, as 'rattlie' does"):
        bouncing("c").export("c", tmp_path / "ball", method="rattlie", h=1e-2)
    with pytest.raises(ModelError, match="use record_every=1"):
        _ = stepped(bouncing("c"), 1.0, 100, record_every=10).impacts


def test_time_stepping_refuses_friction_of_joints_in_addition() -> None:
    model = ball_model()
    slider = model.node("slider", "R1")
    model.kinetic_energy(slider.x_dot.dot(slider.x_dot) / 2)
    model.friction("guide", limit=1.0, slip=slider.x_dot[0])
    system = model.derive().compile(backend="numpy")
    with pytest.raises(UnsupportedMethodError, match="does not support friction of joints and constraints in addition"):
        sl.solve(system, 0.1, method="rattlie", h=0.01)
