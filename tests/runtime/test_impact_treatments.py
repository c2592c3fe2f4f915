"""Treatments of impacts in closed forms, the largest number of impacts, and the balance of energy."""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np
import pytest

import symlie as sl
from symlie.errors import TooManyImpactsError
from symlie.options import Backend
from symlie.runtime.integrate.monitors.energy_change import energy_changes
from symlie.runtime.integrate.request import beginning, requested
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.test_contacts import FALL, bouncing, box, first_time

BACKENDS: tuple[Backend, ...] = ("c", "numpy")
ANGLE = 1.0
"""Angle of the falling rod to the floor, in rad."""


@functools.cache
def falling_rod(backend: Backend) -> System:
    """A rod of length 2 m without weight that moves obliquely onto a floor with one end."""
    model = sl.Model("impact_rod")
    rod, turn = model.node("rod", "R2"), model.node("turn", "R1")
    model.kinetic_energy((rod.x_dot.dot(rod.x_dot) + turn.x_dot[0] ** 2 / 3) / 2)
    tip = rod.x - sl.vector(sl.cos(turn.x[0]), sl.sin(turn.x[0]))
    friction, restitution = model.parameter("friction", 5.0), model.parameter("restitution", 0.5)
    model.contact("tip", tip[1], slip=model.rate(tip)[0], friction=friction, restitution=restitution)
    model.initial(rod, x=[0, math.sin(ANGLE) + 0.1], x_dot=[0.3, -1])
    model.initial(turn, x=[ANGLE], x_dot=[0.0])
    return model.derive().compile(backend=backend)


def rod_after_impact(restitution: float) -> Array:
    """Velocities after a compression and an expansion in which the end does not slip after either of them."""
    mass, v = np.diag([1, 1, 1 / 3]), np.array([0.3, -1.0, 0.0])
    W = np.array([[0, 1, -math.cos(ANGLE)], [1, 0, math.sin(ANGLE)]])
    X = np.linalg.solve(mass, W.T)
    G = W @ X
    compression = np.linalg.solve(G, -W @ v)
    normal = restitution * compression[0]
    return np.asarray(v + X @ (compression + np.array([normal, -G[1, 0] / G[1, 1] * normal])))


@pytest.mark.parametrize("backend", BACKENDS)
def test_rod_has_a_compression_and_an_expansion(backend: Backend) -> None:
    solution = sl.solve(falling_rod(backend), 0.2, impacts="poisson", rtol=1e-10)
    expected = rod_after_impact(0.5)
    assert np.abs(solution.v[-1] - expected).max() <= tolerances.IMPACT
    # Newton's law prescribes another speed of the end, since the compression changes the slip.
    newton = sl.solve(falling_rod(backend), 0.2, rtol=1e-10)
    assert np.abs(newton.v[-1] - expected).max() > 0.01
    assert len(solution.impacts) == 1 and solution.impacts[0].energy_loss > 0


def test_poissons_hypothesis_equals_newtons_law_for_one_contact_without_friction() -> None:
    system = falling_rod("c").with_parameters(friction=0.0)
    newton, poisson = (sl.solve(system, 0.2, rtol=1e-10, impacts=name) for name in ("newton", "poisson"))
    assert np.abs(newton.v[-1] - poisson.v[-1]).max() <= tolerances.IMPACT
    ball = sl.solve(bouncing("c"), 2.0, rtol=1e-12, impacts="poisson")
    assert abs(first_time(ball, "floor_state") - 3 * FALL) <= tolerances.IMPACT


@functools.cache
def three_balls(backend: Backend) -> System:
    """A ball that hits two balls in contact, with the coefficients of restitution 0.5 and 1."""
    model = sl.Model("impact_balls")
    balls = [model.node(f"ball_{k}", "R1") for k in range(3)]
    model.kinetic_energy(sum(b.x_dot[0] ** 2 for b in balls) / 2)
    model.contact("first", balls[1].x[0] - balls[0].x[0] - 1, restitution=0.5)
    model.contact("second", balls[2].x[0] - balls[1].x[0] - 1, restitution=1)
    for k, ball in enumerate(balls):
        model.initial(ball, x=[k - 0.5 * (k == 0)], x_dot=[float(k == 0)])
    return model.derive().compile(backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_contacts_that_touch_before_an_impact_separate_by_poissons_hypothesis(backend: Backend) -> None:
    """The impulses 2/3 and 1/3 of compression become 1 and 2/3; by Newton's law the balls in contact stay together."""
    poisson = sl.solve(three_balls(backend), 1.0, rtol=1e-10, impacts="poisson")
    newton = sl.solve(three_balls(backend), 1.0, rtol=1e-10)
    assert np.abs(poisson.v[-1] - [0, 1 / 3, 2 / 3]).max() <= tolerances.IMPACT
    assert np.abs(newton.v[-1] - [0, 1 / 2, 1 / 2]).max() <= tolerances.IMPACT
    (impact,) = poisson.impacts
    assert np.abs(np.ravel([impact.impulses["first"], impact.impulses["second"]]) - [1, 2 / 3]).max() <= 1e-12


def test_energy_of_a_box_never_rises_by_poissons_hypothesis() -> None:
    c, s = math.cos(0.3), math.sin(0.3)
    tilted = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    solution = sl.solve(box().with_initial("box", R=tilted), 3.0, rtol=1e-8, impacts="poisson")
    assert solution.status == "ok" and np.abs(solution.v[-1]).max() <= tolerances.CONTACT
    assert np.diff(solution.outputs["energy"]).max() <= 1e-8
    assert min(impact.energy_loss for impact in solution.impacts) >= -tolerances.IMPACT


@pytest.mark.parametrize("backend", BACKENDS)
def test_number_of_impacts_is_limited(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symlie.runtime.integrate.request.MOST_TIMES_OF_IMPACTS", 3)
    # Arguments with an array are not cached.
    outputs = np.linspace(0, 2, 21)
    with pytest.raises(TooManyImpactsError, match=r"more than 3 impacts .* t = 1\.24169.*, the last two"):
        sl.solve(bouncing(backend), 2.0, rtol=1e-10, t_eval=outputs)
    end = FALL * 2.75 - 1e-3
    assert sl.solve(bouncing(backend), end, rtol=1e-10, t_eval=outputs[:10]).status == "ok"


def energy_warnings(solution: sl.Solution, factor: float) -> list[str]:
    """Warnings about the energy of a solution whose last velocities are multiplied by a factor."""
    options = RunOptions(rtol=1e-8)
    request = requested(solution.system, solution.t[-1], options)
    v = solution.v.copy()
    v[-1] *= factor
    changed = dataclasses.replace(solution, v=v)
    return energy_changes(solution.system, request.control, beginning(solution.system, request), changed)


def test_losses_of_impacts_belong_to_the_balance_of_energy() -> None:
    """Impacts take three quarters of the energy each, without a warning; an error of the last velocity is found."""
    solution = sl.solve(bouncing("c"), 0.92, rtol=1e-8)
    energy = solution.outputs["energy"]
    assert abs(energy[-1] / energy[0] - 1 / 16) <= tolerances.IMPACT
    lost = sum(impact.energy_loss for impact in solution.impacts)
    assert abs(energy[0] - energy[-1] - lost) <= tolerances.IMPACT * energy[0]
    assert energy_warnings(solution, 1.0) == []
    for factor in (0.5, 1.5):
        (found,) = energy_warnings(solution, factor)
        assert "with the losses of impacts, which the model conserves, changed" in found


@pytest.mark.parametrize("factor", [0.9, 1.5])
def test_losses_of_friction_belong_to_the_balance_of_energy(factor: float) -> None:
    solution = sl.solve(falling_rod("c").with_parameters(friction=0.2), 0.2, rtol=1e-8)
    assert energy_warnings(solution, 1.0) == []
    (found,) = energy_warnings(solution, factor)
    assert "with the losses of impacts and friction, which the model conserves, changed" in found
