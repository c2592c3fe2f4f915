"""Sliding contacts whose slip turns without vanishing: a closed form, a tippe top, and bits."""

from __future__ import annotations

import functools
import math
from pathlib import Path

import numpy as np
import pytest

import symlie as sl
from symlie.options import Backend
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.interruptions import content, interrupted, resumed_in_pieces

G = 9.81
BACKENDS: tuple[Backend, ...] = ("c", "numpy")
SLOPE, FRICTION = 0.6, 0.3
"""Angle of the inclined plane, steeper than that of friction, and coefficient of friction."""

START = 3.0
"""Angle between the velocity and the line of steepest descent at the start."""


@functools.cache
def thrown_point(backend: Backend, *, with_ceiling: bool = False) -> System:
    """A point on an inclined plane, thrown up obliquely with 2 m/s."""
    model = sl.Model("turning_below" if with_ceiling else "turning_point")
    point = model.node("point", "R3")
    model.kinetic_energy(point.x_dot.dot(point.x_dot) / 2)
    model.potential_energy(G * (math.cos(SLOPE) * point.x[2] - math.sin(SLOPE) * point.x[0]))
    slip = [point.x_dot[0], point.x_dot[1]]
    model.contact("plane", point.x[2], slip=slip, friction=FRICTION)
    if with_ceiling:
        model.contact("ceiling", 1 - point.x[2], slip=slip, friction=FRICTION)
    model.output("slip", sl.vector(*slip))
    model.initial(point, x=[0, 0, 0], x_dot=[2 * math.cos(START), 2 * math.sin(START), 0])
    return model.derive().compile(backend=backend)


def time_and_speed(u: float, k: float = FRICTION / math.tan(SLOPE), start: float = START) -> tuple[float, float]:
    """Time and speed of the point when its velocity has the angle φ to the line of steepest descent.

    Newton's law V' = g (sin α cos φ - μ cos α), V φ' = -g sin α sin φ has the solution V = C uᵏ / sin φ with
    u = tan(φ/2) and k = μ / tan α. At the start, φ is ``start``.
    """
    first = math.tan(start / 2)
    scale = 2 * math.sin(start) / first**k
    below, above = (sum(w ** (k + s) / (k + s) * s**2 for s in (-1, 1)) for w in (u, first))
    return scale * (above - below) / (2 * G * math.sin(SLOPE)), scale * u**k * (1 + u**2) / (2 * u)


@pytest.mark.parametrize("backend", BACKENDS)
def test_point_on_an_inclined_plane_turns_with_its_closed_form(backend: Backend) -> None:
    solution = sl.solve(thrown_point(backend), 1.0, rtol=1e-12)
    x, y, _ = solution.v.T
    for k in range(1, len(solution.t)):
        u = math.tan(math.atan2(y[k], x[k]) / 2)
        t, speed = time_and_speed(u)
        assert (
            abs(t - solution.t[k]) <= tolerances.CONTACT and abs(speed - math.hypot(x[k], y[k])) <= tolerances.CONTACT
        )
    # The slip has turned by more than 90 degrees, without an end of sliding.
    assert START - math.atan2(y[-1], x[-1]) > math.pi / 2 and not solution.events
    slip = solution.outputs["slip"] / np.linalg.norm(solution.outputs["slip"], axis=1)[:, None]
    force = -FRICTION * G * math.cos(SLOPE) * slip
    assert np.abs(solution.outputs["plane_friction"] - force).max() <= tolerances.CONTACT


@functools.cache
def spinning_ball(backend: Backend) -> System:
    """A fast ball on the inclined plane, whose slip of 2 m/s points up and a thousandth aside."""
    model = sl.Model("turning_ball")
    ball = sl.RigidBody(model, "ball", 1.0, sl.inertia.sphere(1.0, radius=0.1), position=[0, 0, 0.1])
    model.gravity([G * math.sin(SLOPE), 0, -G * math.cos(SLOPE)])
    touching = ball.x - sl.vector(0, 0, 0.1)
    slip = ball.velocity_at(touching)[:2]
    model.contact("plane", touching[2], slip=slip, friction=0.1)
    model.output("slip", sl.vector(slip[0], slip[1]))
    model.initial(ball, x_dot=[50 - 2 * math.cos(1e-3), 2 * math.sin(1e-3), 0], Omega=[0, 500, 0])
    return model.derive().compile(backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_slow_slip_turns_in_small_parts_with_its_closed_form(backend: Backend) -> None:
    """Friction decelerates the slip of a ball 7/2 times as much as that of a point; its least speed is 4e-5 m/s."""
    solution = sl.solve(spinning_ball(backend), 0.24, rtol=1e-10)
    x, y = solution.outputs["slip"].T
    k = 3.5 * 0.1 / math.tan(SLOPE)
    for n in range(1, len(solution.t)):
        t, speed = time_and_speed(math.tan(math.atan2(y[n], x[n]) / 2), k, math.pi - 1e-3)
        error = max(abs(t - solution.t[n]), abs(speed - math.hypot(x[n], y[n])))
        assert error <= tolerances.SLOW_TURN
    assert np.hypot(x, y).min() < 1e-4 and not solution.events
    turns = np.abs(np.diff(np.unwrap(np.arctan2(y, x))))
    assert turns[np.hypot(x, y)[1:] < 0.05].max() <= 0.1


def test_slip_that_turns_within_a_coarse_step_goes_on() -> None:
    """The step in which the velocity turns by more than 90 degrees is divided, and sliding does not end."""
    solution = sl.solve(thrown_point("c"), 0.5, h=0.05)
    assert len(solution.t) > 11 and not solution.events


def test_open_contact_does_not_change_turning_slip() -> None:
    a, b = (sl.solve(thrown_point("c", with_ceiling=w), 1.0, h=0.02) for w in (True, False))
    assert np.array_equal(a.v, b.v) and np.array_equal(a.outputs["plane_friction"], b.outputs["plane_friction"])


def test_backends_agree_on_turning_slip() -> None:
    a, b = (sl.solve(thrown_point(backend), 1.0, h=0.02) for backend in BACKENDS)
    assert a.t.shape == b.t.shape and np.abs(a.t - b.t).max() <= tolerances.CONTACT
    # The directions of sliding are part of the configuration.
    assert np.abs(a.q - b.q).max() <= tolerances.CONTACT and np.abs(a.v - b.v).max() <= tolerances.CONTACT


def test_turning_slip_resumes_with_equal_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = thrown_point("c")
    monkeypatch.setattr("symlie.runtime.integrate.run.RETURN_SECONDS", 1e-9)
    path = tmp_path / "run.checkpoint"
    whole = sl.solve(system, 1.0, rtol=1e-8)
    interrupted(system, 1.0, 4, path, rtol=1e-8)
    assert content(resumed_in_pieces(path, 7)) == content(whole)


@functools.cache
def tippe_top() -> System:
    """A ball with its centre of mass below its own, on a plane with sliding friction."""
    mass, radius, offset = 0.02, 0.02, 0.006
    inertia = 2 / 5 * mass * radius**2
    model = sl.Model("turning_tippe_top")
    q = model.node("top", "S3xR3")
    up = sl.vector(0, 0, 1)
    arm = q.R * sl.vector(0, 0, offset) - radius * up  # from the centre of mass to the contact
    slip = q.x_dot + (q.R * q.Omega).cross(arm)
    model.kinetic_energy((mass * q.x_dot.dot(q.x_dot) + inertia * q.Omega.dot(q.Omega)) / 2)
    model.potential_energy(mass * G * q.x[2])
    model.contact("plane", (q.x + arm)[2], slip=[slip[0], slip[1]], friction=model.parameter("friction", 0.03))
    model.output("jellett", inertia * (q.R * q.Omega).dot(arm))
    model.output("upright", (q.R * up)[2])
    model.output("slip", sl.vector(slip[0], slip[1]))
    tilt = sl.rotation(axis=[1, 0, 0], angle=0.1)
    height = radius - offset * math.cos(0.1)
    model.initial(q, rotation=tilt, x=[0, 0, height], Omega=[0, 0, model.parameter("spin", 250.0)])
    return model.derive().compile()


def test_energy_of_a_tippe_top_never_rises() -> None:
    """Around 0.7 s the slip vanishes twice, and remains slow for some milliseconds after sticking."""
    solution = sl.solve(tippe_top(), 0.75, rtol=1e-6)
    assert [e.name for e in solution.events] == ["plane_stick", "plane_slip"] * 2
    assert len(solution.t) <= 2000
    energy = solution.outputs["energy"]
    assert np.maximum(np.diff(energy), 0).sum() <= tolerances.TURNING_ENERGY * energy[0]
    # Slip vanishes where sliding ends.
    ends = [int(np.searchsorted(solution.t, e.t)) for e in solution.events if e.name == "plane_stick"]
    assert np.abs(solution.outputs["slip"][ends]).max(initial=0) <= tolerances.VANISHED_SLIP


@pytest.mark.slow
def test_tippe_top_turns_over_with_constant_jellett_integral() -> None:
    """Its slip turns many times on the way, and never vanishes."""
    solution = sl.solve(tippe_top().with_parameters(friction=0.01, spin=120.0), 25.0, rtol=1e-9)
    energy, jellett = solution.outputs["energy"], solution.outputs["jellett"]
    assert solution.outputs["upright"][-1] < -0.9 and not solution.events
    assert np.abs(jellett / jellett[0] - 1).max() <= tolerances.JELLETT
    assert np.diff(energy).max() <= tolerances.TURNING_ENERGY * energy[0]
