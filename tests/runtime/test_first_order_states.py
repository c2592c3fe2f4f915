"""First-order states z' = f(t, q, v, z) with bodies and constraints: orders, backends, events and dense output."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError
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

IMPLICIT = ("generalized_alpha", "generalized_alpha_index2")


@functools.cache
def steered(backend: str = "c", *, has_event: bool = True) -> System:
    """A top on a pivot whose torques are those of two states, which the body drives; they read v̇ and λ, too."""
    model = sl.Model("steered")
    body, filtered = model.node("body", sl.SE3), model.state("filtered", 2)
    z, rate = filtered.x, body.Omega
    model.kinetic_energy((1.5 * body.U.dot(body.U) + rate.dot(sl.diag(0.5, 0.8, 0.3) * rate)) / 2)
    model.potential_energy(1.5 * 9.81 * body.x[2])
    reaction = model.constraint("pivot", body.R.T * body.x - sl.vector(0, 0.3, 0.9))
    f = [
        -6 * z[0] + 4 * sl.sin(3 * model.t) + rate[0] * rate[1] + body.x[1] ** 2 + body.v_dot[0] / 4,
        -2 * z[1] + z[0] * rate[2] + 5 * body.x[0] + sl.cos(z[0]) + body.v_dot[0] * body.v_dot[1] / 20,
    ]
    f = [f[0] + reaction[1] ** 2 / 100, f[1] + reaction[0] / 10]
    model.field(filtered, f)
    model.generalized_force(body, Omega=sl.vector(-8 * z[0], 6 * z[1] * rate[0] - 3 * z[0] * z[1], -4 * z[1]))
    if has_event:
        model.event("level", z[0] - LEVEL, terminal=False)
    model.initial(body, x=[0, 0.3, 0.9], Omega=[1, 2, 6])
    model.initial(filtered, x=[0.4, -0.2])
    return model.derive().compile(backend=backend)


def parts(solution: Solution, k: int = -1) -> list[Array]:
    """q of the body, v, z and λ."""
    body, state = (solution.system.layout.node(name).storage for name in ("body", "filtered"))
    return [solution.q[k, body], solution.v[k], solution.q[k, state], solution.multipliers[k]]


@functools.cache
def exact() -> list[Array]:
    """By the index-1 system and small steps, which leave the constraints by 1e-14."""
    return parts(sl.solve(steered(), END, method="index1_dopri5", h=2.0**-11, record_every=0))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "k"), HALF_EXPLICIT)
def test_methods_have_their_declared_order(name: str, k: int) -> None:
    """q, v and z have the order of the method, λ one less or more."""
    errors = [
        [
            np.abs(found - expected).max()
            for found, expected in zip(
                parts(sl.solve(steered(), END, method=name, h=0.5**n, record_every=0)),
                exact(),
                strict=True,
            )
        ]
        for n in (k, k + 1)
    ]
    order = method(name).order
    assert np.all(np.log2(np.divide(*errors))[:3] >= order - tolerances.ORDER_SLACK)
    assert np.log2(errors[0][3] / errors[1][3]) >= order - 1 - tolerances.ORDER_SLACK


@functools.cache
def exact_coarse() -> list[Array]:
    """At half the time, for methods of order two."""
    return parts(sl.solve(steered(), END / 2, h=2.0**-10, record_every=0))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*IMPLICIT, "bdf2_increments"])
def test_implicit_methods_have_their_order(name: str) -> None:
    """q, v, z and λ have order two."""
    errors = [
        [
            np.abs(found - expected).max()
            for found, expected in zip(
                parts(sl.solve(steered(), END / 2, method=name, h=h, record_every=0)),
                exact_coarse(),
                strict=True,
            )
        ]
        for h in (2.0**-6, 2.0**-7)
    ]
    assert np.all(np.abs(np.log2(np.divide(*errors)) - 2) <= tolerances.IMPLICIT_ORDER)


@pytest.mark.parametrize(
    ("system", "name", "options"),
    [
        ("steered", "generalized_alpha", {}),
        ("steered", "generalized_alpha_index2", {}),
        ("drives", "generalized_alpha", {"newton": "modified"}),
        ("drives", "generalized_alpha_index2", {"rho": 0.2, "start": "plain", "predictor": "zero"}),
    ],
)
def test_implicit_backends_agree(system: str, name: str, options: dict[str, object]) -> None:
    build = steered if system == "steered" else drives
    compiled, plain = (sl.solve(build(b), END, method=name, method_options=options, h=2.0**-5) for b in BACKENDS)
    for part, size in (("q", 1.0), ("v", 2.0**5), ("multipliers", 6 * 2.0**10)):
        a, b = getattr(compiled, part), getattr(plain, part)
        np.testing.assert_allclose(a, b, rtol=0, atol=size * tolerances.IMPLICIT_BACKENDS)


@pytest.mark.slow
@pytest.mark.parametrize("name", IMPLICIT)
def test_matrices_of_fields_are_exact(name: str) -> None:
    """Newton's method converges quadratically: two corrections for each step and each look into one."""
    statistics = sl.solve(steered("numpy", has_event=False), END, method=name, h=2.0**-7).statistics
    assert statistics.newton_iterations == statistics.jacobians == 2 * statistics.steps
    assert statistics.halvings == statistics.refreshes == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", IMPLICIT)
def test_stiff_states_with_constraints_are_integrated(name: str) -> None:
    """A filter of 10⁻⁶ s follows its input, with steps that are 10⁴ times as long; ρ = 0 forgets its start."""
    model = sl.Model("fast_filter")
    bob, z = model.node("bob", "R2"), model.state("filtered", 1)
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(9.81 * bob.x[1])
    model.constraint("rod", bob.x.dot(bob.x) - 1)
    model.vector_field(z, x=[1e6 * (bob.x_dot[0] - z.x[0])])
    model.generalized_force(bob, [-3 * z.x[0], 0])
    model.initial(bob, x=[0.8, -0.6])
    model.initial(z, x=[1])
    run = {"method": name, "h": 0.01, "method_options": {"rho": 0, "start": "plain"}}
    solution = sl.solve(model.derive().compile("numpy"), 1, **run)
    z_end, v_end = solution.field("filtered", "x")[-1, 0], solution.field("bob", "x_dot")[-1, 0]
    assert abs(z_end - v_end) <= tolerances.FAST_FILTER * abs(v_end)


@pytest.mark.parametrize("name", IMPLICIT)
def test_implicit_adaptive_steps_meet_the_tolerance(name: str) -> None:
    """Errors, also of z, fall at least as rtol^(2/3)."""
    errors = []
    for rtol in (1e-4, 1e-6):
        found = parts(sl.solve(steered(), END, method=name, rtol=rtol, record_every=0))
        errors.append([np.abs(a - b).max() for a, b in zip(found, exact(), strict=True)])
    assert np.all(np.divide(*errors) >= 100 ** (2 / 3) / 2)


def test_error_estimates_include_the_states() -> None:
    """ŷ - y of a step is of order p̂ + 1 in q, v and z."""
    system = steered("numpy")
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


@pytest.mark.slow
def test_backends_agree() -> None:
    compiled, plain = (sl.solve(steered(b), END, h=2.0**-8) for b in BACKENDS)
    for a, b in zip(parts(compiled), parts(plain), strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerances.BACKENDS, atol=tolerances.BACKENDS)
    compiled, plain = (sl.solve(steered(b), END, rtol=1e-6) for b in BACKENDS)
    np.testing.assert_allclose(compiled.t, plain.t, rtol=tolerances.ADAPTIVE_STEPS)


@functools.cache
def drives(backend: str = "c") -> System:
    """Twelve pendulums, each driven by a separate current, as instances of an element type."""
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


@pytest.mark.slow
def test_many_elements_have_states() -> None:
    compiled, plain = (sl.solve(drives(b), 0.5, h=2.0**-6) for b in BACKENDS)
    for name in ("q", "v", "multipliers"):
        a, b = getattr(compiled, name), getattr(plain, name)
        np.testing.assert_allclose(a, b, rtol=tolerances.BACKENDS, atol=tolerances.BACKENDS)
    expected = sl.solve(drives(), 0.5, method="index1_dopri5", h=2.0**-9, record_every=0)
    finer = sl.solve(drives(), 0.5, h=2.0**-7, record_every=0)
    errors = [np.abs(s.q[-1] - expected.q[-1]).max() for s in (compiled, finer)]
    assert np.log2(errors[0] / errors[1]) >= 5 - tolerances.ORDER_SLACK


@pytest.mark.slow
@pytest.mark.parametrize(("name", "p"), [("half_explicit_5", 5), ("generalized_alpha", 2)])
@pytest.mark.parametrize("backend", BACKENDS)
def test_events_of_states_are_found(backend: str, name: str, p: int) -> None:
    """Of a state that the body drives: their states are on the level, their times are of the order of the method."""
    runs = [sl.solve(steered(b), 1.6, method=name, h=h) for b, h in ((backend, 2.0**-6), ("c", 2.0**-7))]
    coarse, fine = (np.array([e.t for e in run.events]) for run in runs)
    expected = np.array([e.t for e in sl.solve(steered(), 1.6, h=2.0**-9).events])
    assert len(coarse) == len(fine) == len(expected) == 3
    assert np.abs(coarse - expected).max() >= 2 ** (p - 0.5) * np.abs(fine - expected).max()
    state = runs[0].system.layout.node("filtered").storage
    for event in runs[0].events:
        assert abs(event.q[state][0] - LEVEL) <= tolerances.EVENT_TIME


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("name", "p", "stabilize"),
    [
        ("half_explicit_5", 5, "none"),
        ("half_explicit_5", 5, "baumgarte:20"),
        ("half_explicit_5", 5, "projection"),
        *((name, 2, "none") for name in IMPLICIT),
    ],
)
def test_dense_output_includes_states(backend: str, name: str, p: int, stabilize: str) -> None:
    """It ends where steps end, and between them it is of the order of the method."""
    expected = parts(sl.solve(steered(), 0.3, h=2.0**-10, record_every=0))
    errors = []
    for h in (2.0**-6, 2.0**-7):
        solution = sl.solve(steered(backend), END, method=name, h=h, stabilize=stabilize)
        found = solution([solution.t[9] * (1 - 1e-15), 0.3])
        assert isinstance(found, Solution)
        for a, b in zip(parts(found, 0), parts(solution, 9), strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=tolerances.SHORTER_STEPS if p == 5 else h**2)
        errors.append([np.abs(a - b).max() for a, b in zip(parts(found), expected, strict=True)])
    assert np.all(np.log2(np.divide(*errors))[:3] >= p - 1 + 0.5 * (p == 2))


@pytest.mark.parametrize("dimension", [0, -1, 1.5])
def test_nonpositive_dimension_is_rejected(dimension: float) -> None:
    with pytest.raises(ModelError, match=f"State 'z' has a positive number of components, not {dimension}"):
        sl.Model("m").state("z", dimension)
