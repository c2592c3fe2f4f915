"""Friction of constraints and joints: closed forms, sticking, impacts, bits and bad input."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ContactParadoxError, ModelError, UnknownNameError, UnsupportedMethodError
from symlie.options import Backend
from symlie.runtime.linear.cone_problem import Rubbing, solved_cone
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.interruptions import content, interrupted, resumed_in_pieces

G = 9.81
BACKENDS: tuple[Backend, ...] = ("c", "numpy")


@functools.cache
def bead(backend: Backend) -> System:
    """A bead on a circular wire of 1 m, which starts at rest level with the centre."""
    model = sl.Model("friction_bead")
    bead = model.node("bead", "R2")
    model.kinetic_energy(bead.x_dot.dot(bead.x_dot) / 2)
    model.potential_energy(G * bead.x[1])
    model.constraint("wire", sl.sqrt(bead.x.dot(bead.x)) - 1)
    x, y = bead.x
    slip = x * bead.x_dot[1] - y * bead.x_dot[0]
    model.friction("wire", model.parameter("friction", 0.2), slip=slip)
    model.output("angle", sl.atan2(y, x))
    model.initial(bead, x=[1, 0], x_dot=[0, 0])
    return model.derive().compile(backend=backend)


BEAD = -2.30622259587402849613
"""Angle after 1 s, from a Taylor series with 30 digits."""


@pytest.mark.parametrize("backend", BACKENDS)
def test_bead_on_a_wire_slides_with_friction(backend: Backend) -> None:
    solution = sl.solve(bead(backend), 1.0, rtol=1e-11)
    assert abs(solution.outputs["angle"][-1] - BEAD) <= tolerances.BEAD
    # The friction force has the size μ |N|, against the motion.
    force, reaction = solution.outputs["wire_friction"], np.abs(solution.multipliers[:, 0])
    assert np.abs(force[1:] - 0.2 * reaction[1:]).max() <= tolerances.CONTACT


def test_bead_comes_to_rest_where_friction_holds_it() -> None:
    solution = sl.solve(bead("c"), 20.0, rtol=1e-9)
    angle = solution.outputs["angle"][-1] + math.pi / 2
    assert solution.outputs["wire_state"][-1] == 2 and np.abs(solution.v[-1]).max() <= tolerances.CONTACT
    assert abs(math.tan(angle)) <= 0.2
    assert {e.name for e in solution.events} >= {"wire_stick"}


def test_sign_of_a_reaction_turns_with_full_order() -> None:
    """A bead that is thrown over the top of the wire, whose reaction changes its sign twice."""
    start = bead("c").with_initial("bead", x=[1, 0], x_dot=[0, 5.5])
    runs = [sl.solve(start, 0.8, h=h) for h in (0.02, 0.01, 0.005)]
    assert "wire_turn" in [e.name for e in runs[0].events]
    angles = [np.unwrap(run.outputs["angle"])[-1] for run in runs]
    exact = np.unwrap(sl.solve(start, 0.8, rtol=1e-13).outputs["angle"])[-1]
    errors = np.abs(np.array(angles) - exact)
    assert np.abs(np.log2(errors[:-1] / errors[1:]) - 5).max() <= tolerances.TURN_ORDER


@functools.cache
def gantry(backend: Backend) -> System:
    """A slewing crane with a hook, with 400 N m of dry friction in its bearing."""
    model = sl.Model("friction_gantry")
    gantry = sl.RigidBody(model, "gantry", 200.0, [160.0, 160.0, 300.0], position=[0, 0, 5])
    hook = sl.RigidBody(model, "hook", 20.0, [0.5, 0.5, 0.5], position=[4, 0, 2])
    slew = sl.RevoluteJoint(model, "slew", model.ground, gantry, at=[0, 0, 5], axis=[0, 0, 1])
    sl.UniversalJoint(model, "hang", gantry, hook, at=[4, 0, 5], axis=[[1, 0, 0], [0, 1, 0]])
    model.friction(slew, limit=400.0)
    model.gravity([0, 0, -G])
    model.force([0, model.parameter("wind", 20.0), 0], at=hook.x)
    return model.derive().compile(backend=backend)


def test_dry_friction_holds_a_gantry_exactly() -> None:
    solution = sl.solve(gantry("c"), 60.0, rtol=1e-6)
    assert (solution.outputs["slew_rate"] == 0).all() and (solution.outputs["slew_angle"] == 0).all()
    assert (solution.outputs["slew_state"] == 2).all()
    assert np.abs(solution.outputs["slew_friction"]).max() < 400


def test_dry_friction_yields_above_its_limit() -> None:
    solution = sl.solve(gantry("c").with_parameters(wind=150.0), 2.0, rtol=1e-6)
    slips = [e.t for e in solution.events if e.name == "slew_slip"]
    assert slips and solution.outputs["slew_angle"][-1] > 0.1
    assert np.abs(solution.outputs["slew_friction"]).max() <= 400 * (1 + tolerances.CONTACT)


@functools.cache
def clutch(backend: Backend) -> System:
    """Two disks with the moments of inertia 2 and 3 kg m², pressed together with a torque of 5 N m/s · t."""
    model = sl.Model("friction_clutch")
    driver, load = model.node("driver", "R1"), model.node("load", "R1")
    model.kinetic_energy((2 * driver.x_dot[0] ** 2 + 3 * load.x_dot[0] ** 2) / 2)
    model.friction("clutch", limit=5 * model.t, slip=driver.x_dot[0] - load.x_dot[0])
    model.initial(driver, x=[0.0], x_dot=[10.0])
    return model.derive().compile(backend=backend)


LOCKED = math.sqrt(24 / 5)
"""Time at which the clutch locks."""


@pytest.mark.parametrize(("method", "options", "backend"), [
    ("half_explicit_5", {"rtol": 1e-10}, "c"), ("half_explicit_5", {"rtol": 1e-10}, "numpy"),
    ("taylor", {"rtol": 1e-12}, "c"), ("taylor", {"rtol": 1e-12}, "numpy"),
    ("bdf", {"rtol": 1e-10}, "c"), ("generalized_alpha", {"h": 0.05}, "c"), ("rattlie", {"h": 0.05}, "c"),
])  # fmt: skip
def test_clutch_locks_with_all_methods(method: str, options: dict[str, Any], backend: Backend) -> None:
    solution = sl.solve(clutch(backend), 4.0, method=method, **options)
    (lock,) = solution.events
    bound = tolerances.CONTACT if method != "generalized_alpha" else tolerances.CLUTCH_FIXED
    assert lock.name == "clutch_stick" and abs(lock.t - LOCKED) <= bound
    assert np.abs(solution.v[-1] - 4).max() <= bound and solution.v[-1, 0] == solution.v[-1, 1]


@pytest.mark.parametrize("backend", BACKENDS)
def test_redundant_friction_shares_a_load(backend: Backend) -> None:
    model = sl.Model("friction_shared")
    disk = model.node("disk", "R1")
    model.kinetic_energy(disk.x_dot[0] ** 2 / 2)
    model.generalized_force(disk, x_dot=[model.parameter("torque", 500.0)])
    for name in ("first", "second"):
        model.friction(name, limit=300.0, slip=disk.x_dot[0])
    system = model.derive().compile(backend=backend)
    held = sl.solve(system, 1.0)
    total = held.outputs["first_friction"] + held.outputs["second_friction"]
    assert (held.q[:, 0] == 0).all() and np.abs(total + 500).max() <= tolerances.CONTACT
    moved = sl.solve(system.with_parameters(torque=700.0), 1.0)
    assert abs(moved.q[-1, 0] - 50) <= tolerances.CONTACT


@pytest.mark.parametrize("backend", BACKENDS)
def test_plate_on_a_plane_stops_with_two_slip_velocities(backend: Backend) -> None:
    model = sl.Model("friction_plate")
    plate = model.node("plate", "R3")
    model.kinetic_energy(plate.x_dot.dot(plate.x_dot) / 2)
    model.potential_energy(G * plate.x[2])
    model.constraint("plane", plate.x[2])
    model.friction("plane", 0.3, slip=plate.x_dot[:2])
    model.initial(plate, x=[0, 0, 0], x_dot=[3, 4, 0])
    solution = sl.solve(model.derive().compile(backend=backend), 3.0, rtol=1e-10)
    distance = 25 / (2 * 0.3 * G)
    assert np.abs(solution.q[-1, :2] - distance * np.array([0.6, 0.8])).max() <= tolerances.CONTACT
    assert (solution.v[-1] == 0).all() and solution.outputs["plane_state"][-1] == 2


MASS, LENGTH, INERTIA, PIN, MU = 2.0, 0.7, 0.3, 0.05, 0.3


@functools.cache
def pendulum(backend: Backend, *, is_plane: bool) -> System:
    """A body on a pin with friction, released at 1 rad."""
    model = sl.Model(f"friction_pendulum_{'plane' if is_plane else 'space'}")
    s, c = LENGTH * math.sin(1.0), LENGTH * math.cos(1.0)
    if is_plane:
        body = sl.RigidBody(model, "body", MASS, INERTIA, position=[s, -c], group=sl.SE2)
        pin = sl.RevoluteJoint(model, "pin", model.ground, body, at=[0, 0])
        model.gravity([0, -G])
    else:
        body = sl.RigidBody(model, "body", MASS, [INERTIA] * 3, position=[s, 0, -c])
        pin = sl.RevoluteJoint(model, "pin", model.ground, body, at=[0, 0, 0], axis=[0, -1, 0])
        model.gravity([0, 0, -G])
    model.friction(pin, MU, radius=PIN)
    return model.derive().compile(backend=backend)


PENDULUM = {"turns": (1.018398143152947, 2.0288649772643663), "angle": -0.80912616802, "rate": -0.25715454281}
"""Times at which a pendulum with friction in its pin turns, and its state after 3 s: θ'' from the implicit equation
with |F(θ, θ', θ'')|, integrated by DOP853 of SciPy between the turns."""


@pytest.mark.parametrize(("backend", "is_plane"), [("c", True), ("c", False), ("numpy", True)])
def test_friction_in_a_pin_follows_the_size_of_its_reaction(backend: Backend, is_plane: bool) -> None:
    solution = sl.solve(pendulum(backend, is_plane=is_plane), 3.0, rtol=1e-10)
    turns = np.array([e.t for e in solution.events])
    assert [e.name for e in solution.events] == ["pin_stick"] * 2
    assert np.abs(turns - PENDULUM["turns"]).max() <= tolerances.PIN
    assert abs(solution.outputs["pin_angle"][-1] + 1 - PENDULUM["angle"]) <= tolerances.PIN
    assert abs(solution.outputs["pin_rate"][-1] - PENDULUM["rate"]) <= tolerances.PIN
    size = np.linalg.norm(solution.outputs["pin_force"], axis=1)
    assert np.abs(np.abs(solution.outputs["pin_friction"]) - MU * size).max() <= tolerances.PIN * MASS * G


def test_order_with_friction_on_the_size_of_a_reaction_is_five() -> None:
    exact = sl.solve(pendulum("c", is_plane=True), 0.9, rtol=1e-13).outputs["pin_angle"][-1]
    runs = [sl.solve(pendulum("c", is_plane=True), 0.9, h=h, stabilize="projection") for h in (0.05, 0.025, 0.0125)]
    errors = np.array([abs(run.outputs["pin_angle"][-1] - exact) for run in runs])
    assert np.abs(np.log2(errors[:-1] / errors[1:]) - 5).max() <= tolerances.TURN_ORDER


@pytest.mark.parametrize("backend", BACKENDS)
def test_impact_has_friction_impulses_in_joints(backend: Backend) -> None:
    model = sl.Model("friction_impact")
    angle = 1.0
    rod = sl.RigidBody(model, "rod", 1.0, 1 / 12, position=[math.sin(angle) / 2, -math.cos(angle) / 2], group=sl.SE2)
    pin = sl.RevoluteJoint(model, "pin", model.ground, rod, at=[0, 0])
    model.gravity([0, -G])
    model.friction(pin, 0.4, radius=0.05)
    tip = rod.point([math.sin(angle) / 2, -math.cos(angle) / 2])
    model.contact("wall", tip[0], restitution=0.8)
    solution = sl.solve(model.derive().compile(backend=backend), 1.0, rtol=1e-9)
    impact = solution.impacts[0]
    k = int(np.flatnonzero(solution.t == impact.t)[0])
    before, after = (solution.outputs["pin_rate"][i] for i in (k, k + 1))
    (wall,), (pinned,) = impact.impulses["wall"], impact.impulses["pin"]
    assert impact.contacts == ("wall",)
    assert abs(after + 0.8 * before) <= tolerances.CONTACT
    assert abs(abs(pinned) - 0.4 * np.linalg.norm(impact.reactions["pin"])) <= tolerances.CONTACT
    # Angular momentum about the pin: the wall below it has the lever 1 m, the friction the radius of the pin.
    assert abs((after - before) / 3 - wall - 0.05 * pinned) <= tolerances.CONTACT


@functools.cache
def chalk(backend: Backend) -> System:
    """A rod whose tip slides along a line; its reaction may have both signs."""
    model = sl.Model("friction_chalk")
    rod, turn = model.node("rod", "R2"), model.node("turn", "R1")
    angle = turn.x[0]
    model.kinetic_energy((rod.x_dot.dot(rod.x_dot) + turn.x_dot[0] ** 2 / 3) / 2)
    model.potential_energy(G * rod.x[1])
    tip = rod.x - sl.vector(sl.cos(angle), sl.sin(angle))
    model.constraint("line", tip[1])
    model.friction("line", model.parameter("friction", 1.5), slip=model.rate(tip)[0])
    model.initial(rod, x=[0, math.sin(1.0)], x_dot=[-1, 0])
    model.initial(turn, x=[1.0], x_dot=[0.0])
    return model.derive().compile(backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_too_much_friction_is_a_named_error(backend: Backend) -> None:
    with pytest.raises(ContactParadoxError, match=r"'line' slides with the friction coefficient 1.5, but from 1.37526"):
        sl.solve(chalk(backend), 0.1)
    assert sl.solve(chalk(backend).with_parameters(friction=1.3), 0.01).status == "ok"


@pytest.mark.parametrize("make", [bead, clutch, functools.partial(pendulum, is_plane=True)])
def test_backends_agree(make: Any) -> None:
    a, b = (sl.solve(make(backend), 1.5, h=0.02) for backend in BACKENDS)
    assert [e.name for e in a.events] == [e.name for e in b.events]
    assert np.abs(a.q - b.q).max() <= tolerances.CONTACT and np.abs(a.v - b.v).max() <= tolerances.CONTACT
    assert np.abs(a.multipliers - b.multipliers).max() <= tolerances.CONTACT * G


@pytest.mark.parametrize("make", [bead, functools.partial(pendulum, is_plane=True)])
def test_interrupted_runs_resume_with_equal_bits(make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = make("c")
    monkeypatch.setattr("symlie.runtime.integrate.run.RETURN_SECONDS", 1e-9)
    path = tmp_path / "run.checkpoint"
    whole = sl.solve(system, 2.0, rtol=1e-8)
    interrupted(system, 2.0, 4, path, rtol=1e-8)
    assert content(resumed_in_pieces(path, 29)) == content(whole)


def test_friction_problems_are_solved() -> None:
    """Random problems with contacts and with friction of reactions satisfy Coulomb's law."""
    generator = np.random.default_rng(11)
    for count in (1, 2, 3):
        sizes = generator.integers(1, 3, count)
        begin = np.cumsum(sizes) - sizes
        rows = generator.standard_normal((int(sizes.sum()), 8))
        G, c = rows @ rows.T, rows @ generator.standard_normal(8)
        rubbing = [
            Rubbing(0.2, 0.3, generator.standard_normal(2), 0.3 * generator.standard_normal((2, len(c))), None)
            for _ in sizes
        ]
        P = solved_cone(G, c, begin, np.zeros(count), np.abs(c), rubbing)
        assert P is not None
        xi = G @ P + c
        for n, e, r in zip(begin, begin + sizes, rubbing, strict=True):
            radius = 0.3 + 0.2 * np.linalg.norm(r.reaction + r.response @ P)
            force, speed = np.linalg.norm(P[n:e]), np.linalg.norm(xi[n:e])
            assert force <= radius + 1e-12
            assert abs(radius * speed + P[n:e] @ xi[n:e]) <= 1e-10


def simple() -> tuple[sl.Model, Any]:
    model = sl.Model("friction_input")
    block = model.node("block", "R3")
    model.kinetic_energy(block.x_dot.dot(block.x_dot) / 2)
    model.constraint("plane", block.x[2])
    model.constraint("all", [*block.x, block.x[0] + block.x[1]])
    return model, block


@pytest.mark.parametrize(("arguments", "error", "sentence"), [
    (lambda b: ("wall", 0.3, {"slip": b.x_dot[0]}), UnknownNameError, "no constraint 'wall' .* it has: plane, all"),
    (lambda b: ("all", 0.3, {"slip": b.x_dot[0]}), ModelError, "has 4 equations; friction needs"),
    (lambda b: ("plane", 0.3, {}), ModelError, "needs a slip velocity; state slip="),
    (lambda b: ("plane", 0.3, {"slip": b.x_dot}), ModelError, "one or two components, not 3"),
    (lambda b: ("plane", -0.3, {"slip": b.x_dot[0]}), ModelError, "that are not negative"),
    (lambda b: ("plane", 0.3, {"slip": b.x[0]}), ModelError, "does not depend on velocities"),
    (lambda b: ("plane", b.x[0], {"slip": b.x_dot[0]}), ModelError, "a coefficient that depends on parameters only"),
    (lambda b: ("plane", 0, {"slip": b.x_dot[0]}), ModelError, "needs a coefficient, or the limit of its force"),
    (lambda b: ("brake", 0, {"slip": b.x_dot[0], "limit": b.x_dot[0]}), ModelError, "depends on the time, config"),
    (lambda b: ("brake", 0, {"slip": b.x_dot[:2], "limit": 3.0}), ModelError, "needs one slip velocity, not two"),
    (lambda b: ("plane", 0.3, {"slip": b.x_dot[0], "radius": 0.1}), ModelError, "has no radius or coordinate"),
    (lambda b: (7, 0.3, {"slip": b.x_dot[0]}), ModelError, "needs the name of a constraint, not 7"),
])  # fmt: skip
def test_invalid_friction_is_refused(arguments: Any, error: type[Exception], sentence: str) -> None:
    model, block = simple()
    name, coefficient, options = arguments(block)
    with pytest.raises(error, match=sentence):
        model.friction(name, coefficient, **options)


def hinge() -> tuple[sl.Model, Any, Any]:
    model = sl.Model("friction_joints")
    arm = sl.RigidBody(model, "arm", 1.0, [1.0, 1.0, 1.0])
    plate = sl.RigidBody(model, "plate", 1.0, [1.0, 1.0, 1.0])
    pin = sl.RevoluteJoint(model, "pin", model.ground, arm, at=[0, 0, 0], axis=[0, 0, 1])
    return model, pin, sl.SphericalJoint(model, "ball", arm, plate, at=[0, 0, 0])


@pytest.mark.parametrize(("options", "sentence"), [
    ({"coefficient": 0.3}, "needs the radius of the pin"),
    ({"coefficient": -0.3, "radius": 0.1}, "needs a coefficient that is not negative"),
    ({"coefficient": 0.3, "radius": 0.1, "limit": 2.0}, "a coefficient or a limit on one coordinate, not both"),
    ({"coefficient": 0.3, "slip": 1.0}, "follows from its coordinates; omit slip"),
    ({}, "needs a coefficient, or the limit of its force"),
])  # fmt: skip
def test_invalid_friction_of_joints_is_refused(options: Any, sentence: str) -> None:
    model, pin, _ = hinge()
    with pytest.raises(ModelError, match=sentence):
        model.friction(pin, **options)


def test_joints_without_coordinates_have_no_friction() -> None:
    model, pin, ball = hinge()
    with pytest.raises(ModelError, match="Joint 'ball' has no coordinate for friction"):
        model.friction(ball, limit=3.0)
    model.friction(pin, 0.3, radius=0.1)
    with pytest.raises(ModelError, match="has friction already"):
        model.friction(pin, 0.3, radius=0.1)


def test_methods_without_friction_are_refused() -> None:
    with pytest.raises(UnsupportedMethodError, match=r"'wire' .* use half_explicit_2"):
        sl.solve(bead("c"), 1.0, method="taylor")


def test_contacts_with_friction_keep_the_forces_of_joints() -> None:
    """A block on a floor with friction carries a pendulum, whose hinge is an element."""
    model = sl.Model("friction_carried")
    block = sl.RigidBody(model, "block", 5.0, 1.0, position=[0, 0], group=sl.SE2)
    rod = sl.RigidBody(model, "rod", 1.0, 1.0, position=[0, -1], group=sl.SE2)
    sl.RevoluteJoint(model, "hinge", block, rod, at=[0, 0])
    model.gravity([0, -G])
    model.contact("floor", block.x[1], slip=block.velocity_at(block.x)[0], friction=0.5)
    solution = sl.solve(model.derive().compile(backend="numpy"), 0.1)
    assert np.abs(solution.outputs["hinge_force"] - [0, G]).max() <= tolerances.CONTACT
    assert np.abs(solution.outputs["floor_normal"] - 6 * G).max() <= tolerances.CONTACT
    assert np.abs(solution.v).max() <= tolerances.CONTACT
