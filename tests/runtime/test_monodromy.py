"""Floquet multipliers: against linearised steady motions, differences of runs, and equations of others."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.special import ellipk

import symlie as sl
from symlie.errors import ModelError, PeriodicMotionError, RedundantConstraintsError
from symlie.models import heavy_top
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.flow import flow_along
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.controllers import FIXED_STEPS
from symlie.runtime.methods.library import method
from symlie.runtime.methods.stepper import State, Stepper
from symlie.runtime.solution.start import Start
from symlie.runtime.statics.first_order import null_space
from symlie.runtime.system.system import System
from tests import tolerances
from tests.systems import chain_system, heavy_top_system, spaghetti_system

BACKENDS = ("c", "numpy")


@functools.cache
def coin(backend: str = "c") -> System:
    """A rolling disk on SE(3), whose dynamics are the same at all points of the ground and in all directions."""
    model, r = sl.Model("coin"), 0.5
    q = model.node("disk", "SE3")
    up = q.R.T * sl.vector(0, 0, 1)  # in the axes of the body
    axis = sl.vector(0, 0, 1)
    slope = up - axis * axis.dot(up)
    arm = -r * slope / sl.sqrt(slope.dot(slope))
    model.kinetic_energy((q.U.dot(q.U) + r**2 / 4 * q.Omega.dot(sl.diag(1, 1, 2) * q.Omega)) / 2)
    model.potential_energy(9.81 * q.x[2])
    model.constraint("contact", (q.x + q.R * arm)[2])
    model.nonholonomic_constraint("rolling", (q.R * (q.U + q.Omega.cross(arm)))[:2, :])
    c, s = np.cos(1.2), np.sin(1.2)
    model.initial(q, R=[[1, 0, 0], [0, c, -s], [0, s, c]], x=[0, 0, r * s], Omega=[0, 0.6, -4.0])
    model.event("lowest", up[0] * q.Omega[1] - up[1] * q.Omega[0], direction="rising", terminal=False)
    model.output("up", up)
    return model.derive().compile(backend=backend)


@pytest.mark.slow
def test_rolling_disk_has_its_multipliers() -> None:
    """exp(A T) of the linear equations, in the same coordinates and with order five, and exp(s T) of eigenvalues."""
    system, period, frame = coin(), 0.7, {"disk": [0, 0, -2, 0, 0, 0]}
    upright = system.with_initial("disk", R=[[1, 0, 0], [0, 0, -1], [0, 1, 0]], x=[0, 0, 0.5], Omega=[0, 0, -2])
    q, v = upright.initial_state.q, upright.initial_state.v
    linear = system.linearize(q, v=v, frame=frame)
    exact = expm(period * linear.first_order.matrix)
    errors = []
    for steps in (8, 16, 32):
        found = upright.monodromy(period, steps=steps, frame=frame)
        errors.append(np.abs(found.matrix - exact).max())
    assert found.mismatch < tolerances.PERIODIC
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(orders > 4.5), (errors, orders)
    # Zeros of A are of chains, whose multipliers are 1 to a root of the rounding alone.
    moving = linear.eigenvalues[linear.eigenvalues != 0]
    apart = np.abs(found.multipliers - 1) > 1e-3
    expected = np.exp(period * moving)
    np.testing.assert_allclose(
        np.sort_complex(found.multipliers[apart]), np.sort_complex(expected), rtol=0, atol=10 * errors[-1]
    )


def consistent(system: System, q: Array, v: Array, t: float = 0.0) -> tuple[Array, Array]:
    """η and w that constraints admit, one column for each state."""
    layout, holonomic = system.layout, system.layout.holonomic
    B = system.algebra.jacobian_matrix(system.mechanics.jacobian(t, q, v))
    held = np.eye(layout.dimension)[~layout.free]
    e = null_space(np.vstack([B[holonomic], held]))
    s = null_space(np.vstack([B, held]))
    hidden = np.asarray(system.newton_matrices(system.prepared, t, q, v, 0 * v, np.zeros(layout.rows))[2].toarray())
    g = np.linalg.lstsq(np.vstack([B, held]), np.vstack([-hidden @ e, np.zeros((len(held), e.shape[1]))]))[0]
    return np.hstack([e, 0 * s]), np.hstack([g, s])


def run_by_steps(system: System, q: Array, v: Array, h: float, steps: int) -> State:
    """The end of a run of half_explicit_5 that begins with v' of the acceleration-level system."""
    chosen = method("half_explicit_5")
    stepper = Stepper(system, chosen, FIXED_STEPS)
    acceleration, multipliers = system.mechanics.index1(0.0, q, v)
    state = State(0.0, q, v, multipliers, acceleration)
    for k in range(steps):
        trial = stepper.step(state, h)
        state = State((k + 1) * h, trial.q, trial.v, trial.multipliers, trial.acceleration)
    return state


SYSTEMS: dict[str, Any] = {
    "top on SO(3)×R³": functools.partial(heavy_top_system, "SO3xR3"),
    "top without constraints": functools.partial(heavy_top_system, "S3"),
    "chain on a pivot in motion": chain_system,
    "disk": coin,
    "rod": spaghetti_system,
}


def check_derivative(system: System, q: Array, v: Array, h: float, steps: int = 3) -> None:
    """The derivative of some steps against differences of runs."""
    kernels, d = system.kernels, 1e-5
    eta, w = consistent(system, q, v)
    some = slice(None, None, max(1, eta.shape[1] // 12))
    eta, w = eta[:, some], w[:, some]
    acceleration, multipliers = system.mechanics.index1(0.0, q, v)
    start = Start(q, v, multipliers, np.zeros(system.layout.carried_size), acceleration=acceleration)
    at = flow_along(system, (0.0, steps * h), start, RunOptions(method="half_explicit_5", h=h), (eta, w))
    end = run_by_steps(system, q, v, h, steps)
    for found, expected in ((at.solution.q[-1], end.q), (at.solution.v[-1], end.v)):
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerances.BACKENDS * np.abs(expected).max())
    for k in range(eta.shape[1]):
        ends = [
            run_by_steps(system, kernels.advance(q, sign * d * eta[:, k]), v + sign * d * w[:, k], h, steps)
            for sign in (1, -1)
        ]
        differences = [
            (kernels.difference(end.q, ends[0].q) - kernels.difference(end.q, ends[1].q)) / (2 * d),
            (ends[0].v - ends[1].v) / (2 * d),
        ]
        for found, expected in zip((at.configuration[:, k], at.velocity[:, k]), differences, strict=True):
            scale = max(np.abs(expected).max(), 1.0)
            np.testing.assert_allclose(found, expected, rtol=0, atol=tolerances.DIFFERENCE_OF_RUNS * scale)


CASES = [
    ("top on SO(3)×R³", "numpy"),
    *((n, "c") for n in SYSTEMS if n != "rod"),
    pytest.param("rod", "c", marks=pytest.mark.slow),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "backend"), CASES)
def test_steps_are_differentiated(name: str, backend: str) -> None:
    """The derivative of the discrete flow, also for long steps."""
    system = SYSTEMS[name](backend)
    q, v, h = system.initial_state.q, system.initial_state.v, 2.0**-6
    if name == "rod":
        h = 2.0**-9
        run = sl.solve(system, 0.05, h=h)
        q, v = run.q[-1], run.v[-1]
    check_derivative(system, q, v, h)


@functools.cache
def swing() -> System:
    """A pendulum on a rod of length 1, with linear damping."""
    model = sl.Model("swing")
    damping = model.parameter("damping", 0.0)
    bob = model.node("bob", "R2")
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(9.81 * bob.x[1])
    model.generalized_force(bob, x_dot=-damping * bob.x_dot)
    model.constraint("rod", (bob.x.dot(bob.x) - 1) / 2)
    model.initial(bob, x=[0, -1])
    return model.derive().compile()


def swinging(amplitude: float) -> tuple[float, Array, Array]:
    """Period and state of an undamped swing at its lowest point."""
    k = np.sin(amplitude / 2) ** 2
    return 4 * ellipk(k) / np.sqrt(9.81), np.array([0.0, -1.0]), np.array([2 * np.sqrt(9.81 * k), 0.0])


@pytest.mark.slow
def test_pendulum_has_its_multipliers() -> None:
    """The direction of the motion stays, neighbours differ in period: [1 T'; 0 1] with T' of the period's formula."""
    period, q, v = swinging(1.0)
    found = swing().monodromy(period, q, v)
    assert found.mismatch < tolerances.PERIODIC
    np.testing.assert_allclose(found.multipliers, 1, rtol=0, atol=tolerances.PERIODIC**0.5)
    assert abs(np.linalg.det(found.matrix) - 1) < tolerances.PERIODIC
    angle, rate = found.variation[0, 0], found.velocity[0, 1]
    lag = (swinging(1.0 + 1e-5)[0] - swinging(1.0 - 1e-5)[0]) / (
        swinging(1.0 + 1e-5)[2][0] - swinging(1.0 - 1e-5)[2][0]
    )
    expected = [[1, -lag * v[0] * rate / angle], [0, 1]]
    np.testing.assert_allclose(found.matrix, expected, rtol=0, atol=tolerances.PERIODIC)


@pytest.mark.slow
def test_errors_decrease_with_order_five() -> None:
    period, q, v = swinging(2.0)
    exact = swing().monodromy(period, q, v, steps=256).matrix
    errors = [np.abs(swing().monodromy(period, q, v, steps=n).matrix - exact).max() for n in (48, 96)]
    assert np.log2(errors[0] / errors[1]) > 4.5


@pytest.mark.slow
def test_parametric_oscillator_has_its_multipliers() -> None:
    """x'' + 2 d x' + (a - 2 p cos 2t) x = 0 at rest, against another integrator: forces that depend on time."""
    model = sl.Model("mathieu")
    a, p, d = (model.parameter(name, value) for name, value in (("a", 1.1), ("p", 0.4), ("d", 0.05)))
    q = model.node("mass", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy((a - 2 * p * sl.cos(2 * model.t)) * q.x[0] ** 2 / 2)
    model.generalized_force(q, x_dot=[-2 * d * q.x_dot[0]])
    found = model.derive().compile(backend="numpy").monodromy(np.pi, np.zeros(1), np.zeros(1), steps=64)

    def rate(t: float, y: Array) -> list[float]:
        return [y[1], -0.1 * y[1] - (1.1 - 0.8 * np.cos(2 * t)) * y[0]]

    ends = [solve_ivp(rate, (0, np.pi), y, rtol=1e-11, atol=1e-12).y[:, -1] for y in np.eye(2)]
    expected = np.linalg.eigvals(np.transpose(ends))
    np.testing.assert_allclose(np.sort(found.multipliers.real), np.sort(expected), rtol=0, atol=tolerances.PERIODIC)
    assert abs(found.multipliers[0]) > 1 > abs(found.multipliers[1]), "resonance"
    np.testing.assert_allclose(found.exponents.real.sum(), -0.1, rtol=0, atol=tolerances.PERIODIC)


@pytest.mark.slow
def test_oscillating_disk_has_its_multipliers() -> None:
    """After a period the disk is displaced on the ground, in another direction, and rotated about its axis."""
    system = coin()
    run = sl.solve(system, 4.0, rtol=1e-11, atol=1e-13)
    first, second = run.events[:2]
    period = second.t - first.t
    ends = sl.solve(system, second.t, rtol=1e-11, atol=1e-13, t_eval=[first.t, second.t])
    assert np.linalg.norm(ends.field("disk", "x")[1] - ends.field("disk", "x")[0]) > 0.1
    before, after = (np.arctan2(up[1], up[0]) for up in ends.outputs["up"])
    frame = {"disk": [0, 0, (before - after) / period, 0, 0, 0]}
    found = system.monodromy(period, first.q, first.v, steps=128, frame=frame)
    assert found.mismatch < tolerances.PERIODIC
    with pytest.raises(PeriodicMotionError, match=r"is not periodic after .* s: .* goes from .*frame="):
        system.monodromy(period, first.q, first.v, steps=64)
    # Along the motion itself nothing changes, nor across directions in which it is the same.
    acceleration = system.mechanics.index1(0.0, first.q, first.v)[0]
    along = np.linalg.lstsq(np.vstack([found.variation, found.velocity]), np.concatenate([first.v, acceleration]))[0]
    np.testing.assert_allclose(found.variations(along)[0], first.v, rtol=0, atol=tolerances.PERIODIC)
    np.testing.assert_allclose(found.matrix @ along, along, rtol=0, atol=tolerances.PERIODIC * np.abs(along).max())
    # All multipliers are 1, of chains, but those of the place on the ground, which is seen from another direction.
    first_R, second_R = ends.field("disk", "R")
    second_R = second_R @ _about_axis(after - before)
    heading = second_R @ first_R.T
    angle = np.arctan2(heading[1, 0], heading[0, 0])
    expected = np.array([*[1] * 6, np.exp(1j * angle), np.exp(-1j * angle)])
    off = np.abs(found.multipliers[:, None] - expected)
    np.testing.assert_allclose(off.min(axis=0), 0, rtol=0, atol=tolerances.PERIODIC**0.25)
    np.testing.assert_allclose(off.min(axis=0)[6:], 0, rtol=0, atol=tolerances.PERIODIC)
    assert abs(np.linalg.det(found.matrix) - 1) < tolerances.PERIODIC


def _about_axis(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def test_damping_reduces_the_multipliers() -> None:
    """A pendulum at rest: exp(s T) of its eigenvalues, for any T."""
    system = swing().with_parameters(damping=0.7)
    q, v = np.array([0.0, -1.0]), np.zeros(2)
    found = system.monodromy(0.9, q, v, steps=64)
    expected = np.exp(0.9 * system.linearize(q).eigenvalues)
    np.testing.assert_allclose(
        np.sort_complex(found.multipliers), np.sort_complex(expected), rtol=0, atol=tolerances.PERIODIC
    )
    np.testing.assert_allclose(found.exponents.real, -0.35, rtol=0, atol=tolerances.PERIODIC)
    assert repr(found).startswith("Monodromy(multipliers=") and "\n" not in repr(found)


MISTAKES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"period": -1.0}, ModelError, "period must be a positive number"),
    ({"period": 1.0, "steps": 0}, ModelError, "number of steps must be a positive whole number"),
    ({"period": 1.0, "q": [0, -1]}, ModelError, "give q and v, or neither"),
    ({"period": 1.0, "q": [0, -1], "v": [1, 0, 0]}, ModelError, "v must be 2 finite numbers"),
    ({"period": 1.0, "frame": {"bob": [1, 2, 3]}}, ModelError, "frame of node 'bob' must be 2 numbers"),
    ({"period": 1.0, "q": [0, -1], "v": [2, 0]}, PeriodicMotionError, "is not periodic after 1 s: v of"),
    ({"period": 1.0, "q": [0, -2], "v": [2, 0]}, ModelError, "violates the constraints"),
    ({"period": 1.0, "q": [0, -1], "v": [2, 1]}, ModelError, "violates the constraints"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("options", "kind", "sentence"), MISTAKES)
def test_invalid_input_is_reported(options: dict[str, Any], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        swing().monodromy(**options)


def test_dependent_constraint_equations_are_named() -> None:
    model = sl.Model("held_twice")
    bob = model.node("bob", "R2")
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    model.constraint("rod", (bob.x.dot(bob.x) - 1) / 2)
    model.constraint("again", bob.x.dot(bob.x) - 1)
    system = model.derive().compile(backend="numpy")
    with pytest.raises(RedundantConstraintsError, match="'rod', row 1 of constraint 'again' depend on each other"):
        system.monodromy(1.0, np.array([0.0, -1.0]), np.array([1.0, 0.0]))


@pytest.mark.slow
def test_massless_rod_matches_the_pendulum() -> None:
    """M is regular on the constraints alone: a point mass at the end of a massless link on SE(2), as the pendulum."""
    model = sl.Model("massless_link")
    link = model.node("link", sl.SE2)
    end = link.U + link.Omega[0] * sl.vector(0, 1)
    model.kinetic_energy(end.dot(end) / 2)
    model.potential_energy(9.81 * (link.x + link.R * sl.vector(1, 0))[1])
    model.constraint("pivot", link.x)
    model.initial(link, p=[0, -1], x=[0, 0], Omega=[0])
    system = model.derive().compile(backend="numpy")
    found = system.monodromy(0.9, steps=64)
    expected = np.exp(0.9j * np.sqrt(9.81) * np.array([-1, 1]))
    np.testing.assert_allclose(
        np.sort_complex(found.multipliers), np.sort_complex(expected), rtol=0, atol=tolerances.PERIODIC
    )


def test_nodes_without_velocity_are_rejected() -> None:
    with pytest.raises(ModelError, match="first-order states"):
        heavy_top.build(formulation="se3_dual").derive().compile(backend="numpy").monodromy(1.0)
