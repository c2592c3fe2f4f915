"""First-order states z' = f(t, q, v, z) beside bodies and constraints: orders, backends, events and dense output."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.controllers import FIXED_STEPS
from symlie.runtime.methods.library import method
from symlie.runtime.methods.stepper import State, Stepper
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from tests import tolerances

BACKENDS = ("c", "numpy")
END, LEVEL = 0.5, 0.05
HALF_EXPLICIT = (("half_explicit_3", 7), ("half_explicit_4", 7), ("half_explicit_5", 5))
"""Methods with the exponent k of their largest step 2⁻ᵏ; errors with half of it are above rounding."""


@functools.cache
def steered(backend: str = "c", *, reads: bool = False) -> System:
    """A top on a pivot whose torques are those of two states, which the body drives; they may read v̇ and λ."""
    model = sl.Model("steered_reading" if reads else "steered")
    body, filtered = model.node("body", sl.SE3), model.node("filtered", sl.translation_space(sl.real_space(2)))
    z, rate = filtered.x, body.Omega
    model.kinetic_energy((1.5 * body.U.dot(body.U) + rate.dot(sl.diag(0.5, 0.8, 0.3) * rate)) / 2)
    model.potential_energy(1.5 * 9.81 * body.x[2])
    reaction = model.constraint("pivot", body.R.T * body.x - sl.vector(0, 0.3, 0.9))
    f = [
        -6 * z[0] + 4 * sl.sin(3 * model.t) + rate[0] * rate[1] + body.x[1] ** 2,
        -2 * z[1] + z[0] * rate[2] + 5 * body.x[0] + sl.cos(z[0]),
    ]
    if reads:
        f[0] += body.v_dot[0] / 4 + reaction[1] ** 2 / 100
        f[1] += body.v_dot[0] * body.v_dot[1] / 20 + reaction[0] / 10
    model.field(filtered, f)
    model.generalized_force(body, Omega=sl.vector(-8 * z[0], 6 * z[1] * rate[0] - 3 * z[0] * z[1], -4 * z[1]))
    model.event("level", z[0] - LEVEL, terminal=False)
    model.initial(body, x=[0, 0.3, 0.9], Omega=[1, 2, 6])
    model.initial(filtered, x=[0.4, -0.2])
    return model.derive().compile(backend=backend)


def parts(solution: Solution, k: int = -1) -> list[Array]:
    """q of the body, v, z and λ."""
    body, state = (solution.system.layout.node(name).storage for name in ("body", "filtered"))
    return [solution.q[k, body], solution.v[k], solution.q[k, state], solution.multipliers[k]]


@functools.cache
def exact(*, reads: bool = False) -> list[Array]:
    """By the index-1 system and small steps, which leave the constraints by 1e-14."""
    return parts(sl.solve(steered(reads=reads), END, method="index1_dopri5", h=2.0**-11, record_every=0))


@pytest.mark.parametrize("reads", [False, True], ids=["", "reading accelerations and multipliers"])
@pytest.mark.parametrize(("name", "k"), HALF_EXPLICIT)
def test_orders(name: str, k: int, reads: bool) -> None:
    """q, v and z have the order of the method, λ one less or more."""
    errors = [
        [
            np.abs(found - expected).max()
            for found, expected in zip(
                parts(sl.solve(steered(reads=reads), END, method=name, h=0.5**n, record_every=0)),
                exact(reads=reads),
                strict=True,
            )
        ]
        for n in (k, k + 1)
    ]
    order = method(name).order
    assert np.all(np.log2(np.divide(*errors))[:3] >= order - tolerances.ORDER_SLACK)
    assert np.log2(errors[0][3] / errors[1][3]) >= order - 1 - tolerances.ORDER_SLACK


@pytest.mark.parametrize("reads", [False, True], ids=["", "reading accelerations and multipliers"])
def test_estimates_know_the_states(reads: bool) -> None:
    """ŷ - y of a step is of order p̂ + 1 in q, v and z."""
    system = steered("numpy", reads=reads)
    chosen, layout = method("half_explicit_5"), system.layout
    assert chosen.order_hat is not None
    stepper = Stepper(system, chosen, replace(FIXED_STEPS, with_estimate=True))
    start = sl.solve(system, 2.0**-8, method="half_explicit_5", h=2.0**-8)
    begin = State(2.0**-8, start.q[-1], start.v[-1], start.multipliers[-1])
    found = []
    for n in (7, 8):
        difference = stepper.step(begin, 0.5**n).difference
        assert difference is not None
        theta, v = np.split(difference, 2)
        found.append([np.abs(x).max() for x in (theta[layout.has_velocity], v, theta[~layout.has_velocity])])
    assert np.all(np.log2(np.divide(*found)) >= chosen.order_hat + 1 - 0.5)


def test_backends_agree() -> None:
    compiled, plain = (sl.solve(steered(b, reads=True), END, h=2.0**-8) for b in BACKENDS)
    for a, b in zip(parts(compiled), parts(plain), strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerances.BACKENDS, atol=tolerances.BACKENDS)
    compiled, plain = (sl.solve(steered(b, reads=True), END, rtol=1e-6) for b in BACKENDS)
    np.testing.assert_allclose(compiled.t, plain.t, rtol=tolerances.ADAPTIVE_STEPS)


@functools.cache
def drives(backend: str = "c") -> System:
    """Twelve pendulums, each driven by a current of its own, as instances of an element type."""
    model = sl.Model("drives")
    bobs = model.node_array("bobs", "R2", 12)
    currents = model.node_array("currents", sl.translation_space(sl.real_space(1)), 12)
    drive = sl.ElementType("drive", bob=bobs.group, current=currents.group)
    bob, current, gain = drive.bob, drive.current.x[0], drive.parameter("gain", 1.0)
    drive.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    drive.potential_energy(9.81 * bob.x[1])
    drive.constraint("rod", bob.x.dot(bob.x) - 1)
    turning = bob.x[0] * bob.x_dot[1] - bob.x[1] * bob.x_dot[0]
    drive.field(drive.current, [gain * (sl.cos(drive.t) - turning) - 20 * current])
    drive.generalized_force(bob, current * sl.vector(-bob.x[1], bob.x[0]))
    model.add(drive, list(zip(bobs, currents, strict=True)), gain=np.linspace(10, 80, 12))
    bobs.initial(x=[1, 0])
    return model.derive().compile(backend=backend)


def test_many_instances() -> None:
    compiled, plain = (sl.solve(drives(b), 0.5, h=2.0**-6) for b in BACKENDS)
    for name in ("q", "v", "multipliers"):
        a, b = getattr(compiled, name), getattr(plain, name)
        np.testing.assert_allclose(a, b, rtol=tolerances.BACKENDS, atol=tolerances.BACKENDS)
    expected = sl.solve(drives(), 0.5, method="index1_dopri5", h=2.0**-9, record_every=0)
    finer = sl.solve(drives(), 0.5, h=2.0**-7, record_every=0)
    errors = [np.abs(s.q[-1] - expected.q[-1]).max() for s in (compiled, finer)]
    assert np.log2(errors[0] / errors[1]) >= 5 - tolerances.ORDER_SLACK


@pytest.mark.parametrize("backend", BACKENDS)
def test_events(backend: str) -> None:
    """Of a state that the body drives: their states are on the level, their times are of the order of the method."""
    runs = [sl.solve(steered(b), 1.6, h=h) for b, h in ((backend, 2.0**-6), ("c", 2.0**-7), ("c", 2.0**-9))]
    coarse, fine, exact = (np.array([e.t for e in run.events]) for run in runs)
    assert len(coarse) == len(fine) == len(exact) == 3
    assert np.abs(coarse - exact).max() >= 2**4 * np.abs(fine - exact).max()
    state = runs[0].system.layout.node("filtered").storage
    for event in runs[0].events:
        assert abs(event.q[state][0] - LEVEL) <= tolerances.EVENT_TIME


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("stabilize", ["none", "baumgarte:20", "projection"])
def test_dense_output(backend: str, stabilize: str) -> None:
    """It ends where steps end, and between them it is of the order of the method."""
    expected = parts(sl.solve(steered(), 0.3, h=2.0**-10, record_every=0))
    errors = []
    for h in (2.0**-6, 2.0**-7):
        solution = sl.solve(steered(backend), END, h=h, stabilize=stabilize)
        found = solution([solution.t[9] * (1 - 1e-15), 0.3])
        assert isinstance(found, Solution)
        for a, b in zip(parts(found, 0), parts(solution, 9), strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=tolerances.SHORTER_STEPS)
        errors.append([np.abs(a - b).max() for a, b in zip(parts(found), expected, strict=True)])
    assert np.all(np.log2(np.divide(*errors))[:3] >= 4)
