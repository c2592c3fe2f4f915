"""Periodic motions by shooting: closed forms, families, excitation, continuation, and mistakes."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipk

import symlie as sl
from symlie.runtime.system.system import System
from tests import tolerances


@functools.cache
def pendulum() -> System:
    """A point on a circle in a vertical plane, with redundant coordinates, at rest at an angle of two."""
    model = sl.Model("pendulum")
    bob = model.node("bob", "R3")
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(9.81 * bob.x[2])
    model.constraint("rod", (bob.x.dot(bob.x) - 1) / 2)
    model.constraint("plane", bob.x[1])
    model.output("height", bob.x[2], unit="m")
    model.initial(bob, x=[np.sin(2.0), 0, -np.cos(2.0)])
    return model.derive().compile()


@functools.cache
def oscillator() -> System:
    """A linear oscillator with damping under a harmonic force."""
    model = sl.Model("oscillator")
    frequency, x = model.parameter("frequency", 0.5, unit="rad/s"), model.node("x", "R1")
    model.kinetic_energy(x.x_dot[0] ** 2 / 2)
    model.potential_energy(x.x[0] ** 2 / 2)
    model.generalized_force(x, x_dot=[sl.cos(frequency * model.t) - 0.2 * x.x_dot[0]])
    return model.derive().compile()


@functools.cache
def top() -> System:
    """A symmetric free top, J = (1, 1, 2)."""
    model = sl.Model("top")
    body = model.node("body", "SO3")
    model.kinetic_energy(body.Omega.dot(sl.diag(1, 1, 2) * body.Omega) / 2)
    model.initial(body, R=np.eye(3), Omega=[5**0.5 + 0.05, 0.02, 1.03])
    return model.derive().compile()


@functools.cache
def van_der_pol() -> System:
    """ẍ = μ (1 - x²) ẋ - x."""
    model = sl.Model("van_der_pol")
    mu, x = model.parameter("mu", 1.0), model.node("x", "R1")
    model.kinetic_energy(x.x_dot[0] ** 2 / 2)
    model.potential_energy(x.x[0] ** 2 / 2)
    model.generalized_force(x, x_dot=[mu * (1 - x.x[0] ** 2) * x.x_dot[0]])
    model.initial(x, x=[2.0], x_dot=[0.1])
    return model.derive().compile()


def test_pendulum_has_the_period_of_the_elliptic_integral() -> None:
    exact = 4 / np.sqrt(9.81) * ellipk(np.sin(1.0) ** 2)
    errors = []
    for steps in (128, 2048):
        found = sl.periodic_motion(pendulum(), 3.0, hold="height", steps=steps)
        errors.append(abs(found.period - exact))
        assert found.q == pytest.approx([np.sin(2.0), 0, -np.cos(2.0)], abs=tolerances.PERIOD)
        assert np.abs(found.v).max() < tolerances.PERIOD
    assert errors[0] < tolerances.COARSE_PERIOD and errors[1] < tolerances.PERIOD
    assert np.abs(found.monodromy.multipliers - 1).max() < tolerances.DOUBLE_MULTIPLIER


def test_pendulum_without_held_output_has_a_near_amplitude() -> None:
    """The family of periodic motions is not left, and period and amplitude belong together."""
    found = sl.periodic_motion(pendulum(), 2.7, steps=1024)
    energy = found.v @ found.v / 2 + 9.81 * found.q[2]
    exact = 4 / np.sqrt(9.81) * ellipk((1 + energy / 9.81) / 2)
    assert found.period == pytest.approx(exact, rel=tolerances.FINE_PERIOD)


def test_van_der_pol_has_its_period() -> None:
    """Known to many digits from Taylor series."""
    found = sl.periodic_motion(van_der_pol(), 6.5, steps=1024)
    assert found.period == pytest.approx(6.6632868593231302, rel=tolerances.FINE_PERIOD)
    one, damped = found.monodromy.multipliers
    assert one == pytest.approx(1, abs=tolerances.FINE_PERIOD)
    # Liouville: the product is the exponential of the integral of μ (1 - x²).
    run = found.solution
    x = run.q[:, 0]
    area = np.trapezoid(1 - x**2, run.t)
    assert damped.real == pytest.approx(np.exp(area), rel=tolerances.LIOUVILLE)


def test_periods_of_van_der_pol_approach_relaxation() -> None:
    """From 2π (1 + μ²/16 - 5 μ⁴/3072) to long ones, along a path."""
    path = sl.periodic_path(van_der_pol(), "mu", [0.1, 0.2, 0.4, 0.8], 6.3, steps=256)
    small = 2 * np.pi * (1 + path.values**2 / 16 - 5 * path.values**4 / 3072)
    np.testing.assert_allclose(path.periods[:2], small[:2], rtol=tolerances.SMALL_DAMPING)
    assert path.stable.all() and np.all(np.diff(path.periods) > 0)


def test_forced_motion_has_closed_form_along_a_path() -> None:
    """x = Re H exp(i Ω t) with H = 1/(1 - Ω² + 0.2 i Ω), through the resonance."""
    values = np.array([0.6, 0.9, 1.0, 1.2])
    path = sl.periodic_path(oscillator(), "frequency", values, lambda w: 2 * np.pi / w, forced=True, steps=256)
    for motion, w in zip(path.motions, values, strict=True):
        H = 1 / (1 - w**2 + 0.2j * w)
        assert [*motion.q, *motion.v] == pytest.approx([H.real, -w * H.imag], abs=tolerances.FORCED_MOTION)
    assert path.periods.tolist() == (2 * np.pi / values).tolist() and path.stable.all()


def test_free_top_closes_for_a_ratio_of_its_rates() -> None:
    """R(t) = exp(t L/J₁) R₀ exp(-t Ω₃ e₃) closes after 2π if Ω₃ = 1 and |L|/J₁ = 3: one relation for each rate."""
    found = sl.periodic_motion(top(), 2 * np.pi, forced=True, steps=512)
    assert np.hypot(*found.v[:2]) == pytest.approx(5**0.5, rel=tolerances.FINE_PERIOD)
    assert found.v[2] == pytest.approx(1, rel=tolerances.FINE_PERIOD)
    assert np.abs(found.monodromy.multipliers - 1).max() < tolerances.DOUBLE_MULTIPLIER


@pytest.mark.parametrize("method", ["rkmk_dopri5", "generalized_alpha_index2"])
def test_monodromy_is_that_of_any_method(method: str) -> None:
    """Multipliers of the damped oscillator, with the order of the method."""
    period, w = 2 * np.pi, np.sqrt(0.99)
    exact = np.exp(-0.1 * period + 1j * w * period * np.array([1, -1]))
    motion = sl.periodic_motion(oscillator().with_parameters(frequency=1.0), period, forced=True, steps=256)
    found = (
        oscillator()
        .with_parameters(frequency=1.0)
        .monodromy(period, motion.q, motion.v, steps=256, method=method)
        .multipliers
    )
    assert np.abs(np.sort_complex(found) - np.sort_complex(exact)).max() < (
        tolerances.FORCED_MOTION if method == "rkmk_dopri5" else tolerances.SECOND_ORDER_MULTIPLIER
    )


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({}, sl.errors.ModelError, "depends on the time; give the period of its excitation and forced=True"),
        ({"forced": True, "max_iterations": 0}, sl.errors.ModelError, "max_iterations must be a positive whole"),
        ({"forced": True, "tolerance": -1.0}, sl.errors.ModelError, "must be positive"),
        ({"forced": True, "hold": "height"}, sl.errors.UnknownNameError, "no output 'height'"),
        ({"forced": True, "period": 0.0}, sl.errors.ModelError, "positive number of seconds"),
        ({"forced": True, "method": "taylor"}, sl.errors.UnsupportedMethodError, "no step program"),
        ({"forced": True, "max_iterations": 1}, sl.errors.PeriodicMotionError, "was found in 1 iterations"),
    ],
)
def test_mistake_is_named(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        sl.periodic_motion(oscillator(), **{"period": 4 * np.pi, **options})


@pytest.mark.parametrize(
    ("name", "values", "error", "words"),
    [
        ("mass", [1.0], sl.errors.UnknownNameError, "no parameter or input 'mass'"),
        ("t", [1.0], sl.errors.ModelError, "not the time"),
        ("mu", [], sl.errors.ModelError, "at least one"),
        ("mu", [np.nan], sl.errors.ModelError, "finite"),
    ],
)
def test_mistake_of_a_path_is_named(name: str, values: list[float], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        sl.periodic_path(van_der_pol(), name, values, 6.3)


def test_held_output_must_change() -> None:
    hanging = pendulum().with_initial("bob", x=[0, 0, -1])
    with pytest.raises(sl.errors.ModelError, match="does not change at this state of 'pendulum': height"):
        sl.periodic_motion(hanging, 2.0, hold="height")


def test_state_at_rest_is_refused() -> None:
    hanging = pendulum().with_initial("bob", x=[0, 0, -1])
    with pytest.raises(sl.errors.ModelError, match="'pendulum' is at rest at this state"):
        sl.periodic_motion(hanging, 2.0)
