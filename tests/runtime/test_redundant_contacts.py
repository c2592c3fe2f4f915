"""Contacts at rest whose equations are dependent, scenes that come to rest, and messages about contacts."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ContactModeError, FixedGapError, ModelError, UnsupportedMethodError
from symlie.options import Backend
from symlie.runtime.system.system import System
from tests import tolerances

G = 9.81
BACKENDS: tuple[Backend, ...] = ("c", "numpy")
FRICTION = 0.4


@functools.cache
def box(backend: Backend) -> System:
    """A box on its lower corners, with a torque about the vertical that increases with time."""
    model = sl.Model("redundant_box")
    size = [0.4, 0.3, 0.2]
    body = sl.RigidBody(model, "box", 1.0, sl.inertia.box(1.0, size), position=[0, 0, 0.1])
    model.gravity([0, 0, -G])
    for k, (x, y) in enumerate(itertools.product((-0.2, 0.2), (-0.15, 0.15))):
        sl.PointPlaneContact(model, f"corner_{k}", model.ground, body, at=[x, y, 0], friction=FRICTION)
    model.torque(sl.vector(0, 0, 0.3 * model.t), body.node)
    return model.derive().compile(backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_box_resists_a_torque(backend: Backend) -> None:
    """One corner prevents the slip in two directions, and another one the rotation about it."""
    solution = sl.solve(box(backend), 1.0, rtol=1e-8)
    corners = np.array(list(itertools.product((-0.2, 0.2), (-0.15, 0.15))))
    forces = np.array([solution.outputs[f"corner_{k}_friction"][-1] for k in range(4)])
    loads = np.array([solution.outputs[f"corner_{k}_normal"][-1] for k in range(4)])
    torque = corners[:, 0] @ forces[:, 1] - corners[:, 1] @ forces[:, 0]
    assert solution.status == "ok" and not solution.v.any()
    assert abs(torque + 0.3) <= tolerances.CONTACT and np.abs(forces.sum(axis=0)).max() <= tolerances.CONTACT
    assert (np.linalg.norm(forces, axis=1) <= FRICTION * loads + tolerances.CONTACT).all()


def assert_settled(solution: sl.Solution, rise: float = tolerances.CONTACT) -> None:
    """Check that bodies come to rest, and that the energy does not rise by more than a part of its initial value."""
    energy = solution.outputs["energy"]
    assert solution.status == "ok" and np.abs(solution.v[-1]).max() <= tolerances.CONTACT
    assert np.diff(energy).max() <= rise * energy[0]


def test_stacked_boxes_come_to_rest() -> None:
    model = sl.Model("redundant_stack")
    model.gravity([0, -G])
    lower = sl.RigidBody(model, "lower", 1.0, 1 / 60, position=[0, 0.15], group=sl.SE2)
    upper = sl.RigidBody(model, "upper", 1.0, 1 / 60, position=[0.05, 0.4], group=sl.SE2)
    laws = {"friction": FRICTION, "restitution": 0.2}
    sl.BoxPlaneContact(model, "floor", model.ground, lower, size=[0.4, 0.2], **laws)
    for name, x in (("left", -0.15), ("right", 0.25)):
        sl.PointPlaneContact(model, name, lower, upper, at=[x, 0.3], plane=[0, 0.25], **laws)
    model.initial(lower, U=[0.5, 0])
    model.initial(upper, U=[0.8, 0])
    solution = sl.solve(model.derive().compile(backend="c"), 1.0, rtol=1e-8)
    assert_settled(solution)
    gaps = [values.min() for name, values in solution.outputs.items() if name.endswith("_gap")]
    assert min(gaps) >= -tolerances.CONTACT


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Contact floor_0_corner_1")
def test_dominoes_come_to_rest() -> None:
    """The stones lean on each other at the end, with more equations of contacts than coordinates."""
    height, thickness, distance, count = 0.05, 0.008, 0.02, 6
    model = sl.Model("redundant_dominoes")
    stones = []
    for k in range(count):
        at = [distance * k, height / 2]
        inertia = 0.02 * (height**2 + thickness**2) / 12
        stone = sl.RigidBody(model, f"stone_{k}", 0.02, inertia, position=at, group=sl.SE2)
        sl.BoxPlaneContact(model, f"floor_{k}", model.ground, stone, size=[thickness, height], friction=0.3)
        stones.append(stone)
    laws = {"friction": 0.2, "restitution": 0.1}
    for k, (a, b) in enumerate(itertools.pairwise(stones)):
        right, left = distance * k + thickness / 2, distance * (k + 1) - thickness / 2
        sl.PointPlaneContact(model, f"upper_{k}", b, a, at=[right, height], plane=[left, 0], normal=[-1, 0], **laws)
        sl.PointPlaneContact(model, f"lower_{k}", a, b, at=[left, 0], plane=[right, 0], normal=[1, 0], **laws)
    model.gravity([0, -G])
    model.initial(stones[0], Omega=[-6.0], U=[3 * height, -3 * thickness])
    assert_settled(sl.solve(model.derive().compile(backend="c"), 0.7, rtol=1e-8), rise=tolerances.FALLING_STONES)


def point(gap: str = "height", backend: Backend = "numpy") -> System:
    """A point on a floor, with its height or the third power of it as the gap."""
    model = sl.Model("redundant_point")
    mass = model.node("mass", "R2")
    model.kinetic_energy(mass.x_dot.dot(mass.x_dot) / 2)
    model.contact("floor", mass.x[1] ** 3 if gap == "cube" else mass.x[1])
    model.initial(mass, x=[0, 0], x_dot=[0, -1])
    return model.derive().compile(backend=backend)


def test_methods_without_contacts_speak_of_contacts() -> None:
    sentence = (
        r"^Method 'cf4' integrates systems without contacts, but 'redundant_point' has contact 'floor'; use "
        r"half_explicit_2, …, half_explicit_5, or rattlie with a fixed step\.$"
    )
    with pytest.raises(UnsupportedMethodError, match=sentence):
        sl.solve(point(), 0.1, method="cf4", h=0.01)


def test_gaps_without_a_gradient_are_named() -> None:
    sentence = r"^The gradient of the gap of contact 'floor', which closes at t = 0, vanishes there: .* signed distance"
    with pytest.raises(FixedGapError, match=sentence):
        sl.solve(point("cube"), 0.1)


def test_lanes_with_contacts_are_refused() -> None:
    system = point(backend="c").with_initial("mass", x=[0, 1])
    with pytest.raises(ModelError, match="because the model has contacts or friction; omit lanes"):
        sl.ensemble(system, 0.1, initial={"mass": {"x_dot": np.array([[1.0, 0.0], [2.0, 0.0]])}}, lanes=2)


def test_contact_problems_without_solution_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symlie.runtime.system.contacts.switching.solved_cone", lambda *_, **__: None)
    system = point().with_initial("mass", x=[0, 0.05])
    sentence = "at t = 0.05.* has no solution: contacts floor have no consistent impulses or forces; check masses"
    with pytest.raises(ContactModeError, match=sentence):
        sl.solve(system, 0.1)
