"""Small models as a person would write them, judged by their balances of energy and by what is known of them."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.layout import Array
from symlie.runtime.system import System
from tests import tolerances

BACKENDS = ("c", "numpy")


@functools.cache
def spherical_pendulum(backend: str = "c") -> System:
    """A point on a sphere."""
    model = sl.Model("spherical_pendulum")
    m = model.parameter("mass", 1.0, unit="kg")
    L = model.parameter("length", 1.0, unit="m")
    g = model.parameter("gravity", 9.81, unit="m/s^2")
    q = model.node("bob", "R3")
    model.kinetic_energy(m * q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(m * g * q.x[2])
    model.constraint("rod", (q.x.dot(q.x) - L**2) / 2)
    model.output("spin", q.x.cross(q.x_dot)[2])
    model.initial(q, x=[L * 3 / 5, 0, -L * 4 / 5], x_dot=[0, 1, 0])
    return model.derive().compile(backend=backend)


@functools.cache
def double_body(backend: str = "c") -> System:
    """Two rigid bodies, each hanging from a spherical joint."""
    model = sl.Model("double_body")
    masses = model.parameter("masses", [2.0, 1.0], unit="kg")
    inertia = model.parameter("inertia", [0.1, 0.2, 0.3], unit="kg m^2")
    gravity = model.parameter("gravity", [0, 0, -9.81], unit="m/s^2")
    upper, lower = model.node("upper", sl.SE3), model.node("lower", sl.SE3)
    arm = sl.vector(0, 0, 0.5)
    for k, body in enumerate((upper, lower)):
        model.kinetic_energy((masses[k] * body.U.dot(body.U) + body.Omega.dot(sl.diag(inertia) * body.Omega)) / 2)
        model.potential_energy(-masses[k] * gravity.dot(body.x))
    model.constraint("pivot", upper.x + upper.R * arm)
    model.constraint("joint", upper.x - upper.R * arm - lower.x - lower.R * arm)
    momenta = [m * b.x.cross(b.R * b.U) + b.R * (sl.diag(inertia) * b.Omega) for m, b in
               zip(masses, (upper, lower), strict=True)]  # fmt: skip
    model.output("spin", sum(momentum[2] for momentum in momenta))
    model.initial(upper, x=[0, 0, -0.5], Omega=[1, 0.5, 3])
    model.initial(lower, x=[0, 0, -1.5], Omega=[0, 2, -1])
    return model.derive().compile(backend=backend)


@functools.cache
def damped_body(backend: str = "c") -> System:
    """A damped rigid body with a torque that depends on time."""
    model = sl.Model("damped_body")
    inertia = model.parameter("inertia", [1, 2, 3], unit="kg m^2")
    damping = model.parameter("damping", 0.3, unit="N m s")
    q = model.node("body", sl.S3)
    model.kinetic_energy(q.Omega.dot(sl.diag(inertia) * q.Omega) / 2)
    model.dissipation(damping * q.Omega.dot(q.Omega) / 2)
    torque = sl.vector(0, sl.sin(2 * model.t), 0)
    model.torque(torque, on=q)
    model.output("power", (q.R.T * torque).dot(q.Omega) - damping * q.Omega.dot(q.Omega))
    model.initial(q, Omega=[1, 0.1, 0.2])
    return model.derive().compile(backend=backend)


def order(errors: list[float]) -> float:
    """Observed order of the last halving."""
    return math.log2(errors[-2] / errors[-1])


@pytest.mark.parametrize("name", ["half_explicit_2", "half_explicit_3", "half_explicit_4", "half_explicit_5"])
def test_energy_of_the_pendulum_converges(name: str) -> None:
    """Energy and vertical angular momentum are invariants; their errors have the order of the method."""
    expected = int(name[-1])
    energies, spins = [], []
    for k in (4, 5, 6) if expected > 3 else (6, 7, 8):
        solution = sl.solve(spherical_pendulum(), 2.0, method=name, h=2.0**-k)
        energies.append(float(np.abs(solution.outputs["energy"] - solution.outputs["energy"][0]).max()))
        spins.append(float(np.abs(solution.outputs["spin"] - 0.6).max()))
    assert order(energies) >= expected - tolerances.ENERGY_ORDER
    assert order(spins) >= expected - tolerances.ENERGY_ORDER
    assert energies[-1] < 1e-2


def test_pendulum_with_small_steps() -> None:
    solution = sl.solve(spherical_pendulum(), 10.0, h=1e-3)
    energy = solution.outputs["energy"]
    assert energy[0] == pytest.approx(0.5 - 9.81 * 0.8, rel=tolerances.LIBRARY)
    assert float(np.ptp(energy)) <= tolerances.ENERGY
    assert float(np.abs(solution.outputs["spin"] - 0.6).max()) <= tolerances.ENERGY
    assert solution.statistics.max_constraint_residual <= tolerances.DRIFT_OF_ROUNDING
    assert float(np.ptp(solution.field("bob", "x")[:, 2])) > 0.1  # it swings


def test_conical_pendulum() -> None:
    """A steady circle: ω² = g/(L cos α), λ = tension over length."""
    cosine, sine, g = 0.8, 0.6, 9.81
    rate = math.sqrt(g / cosine)
    system = spherical_pendulum().with_initial("bob", x=[sine, 0, -cosine], x_dot=[0, sine * rate, 0])
    solution = sl.solve(system, 2 * math.pi / rate, h=2e-3, t_eval=[2 * math.pi / rate])
    x = solution.field("bob", "x")[-1]
    assert np.abs(x - [sine, 0, -cosine]).max() <= tolerances.ENERGY
    assert solution.multipliers[-1, 0] == pytest.approx(g / cosine, rel=tolerances.ENERGY)


@pytest.mark.parametrize("method", ["half_explicit_4", "half_explicit_5"])
def test_energy_of_the_double_body_converges(method: str) -> None:
    expected = int(method[-1])
    energies, spins = [], []
    for k in (5, 6, 7):
        solution = sl.solve(double_body(), 2.0, method=method, h=2.0**-k)
        energies.append(float(np.abs(solution.outputs["energy"] - solution.outputs["energy"][0]).max()))
        spins.append(float(np.abs(solution.outputs["spin"] - solution.outputs["spin"][0]).max()))
    assert order(energies) >= expected - tolerances.ENERGY_ORDER
    assert order(spins) >= expected - tolerances.ENERGY_ORDER
    assert energies[-1] < 1e-4


def test_double_body_with_small_steps() -> None:
    solution = sl.solve(double_body(), 2.0, h=1e-3)
    energy = solution.outputs["energy"]
    assert float(np.ptp(energy)) <= tolerances.ENERGY * abs(float(energy[0]))
    kinetic = [solution.system.kernels.energy(solution.system.prepared, t, q, v)[0] for t, q, v in
               zip(solution.t, solution.q, solution.v, strict=True)]  # fmt: skip
    assert np.ptp(kinetic) > 1  # energy is exchanged
    residual = solution.outputs["constraint_residual"]
    assert float(residual.max()) <= tolerances.DRIFT_OF_ROUNDING
    assert float(solution.outputs["velocity_residual"].max()) <= tolerances.HIDDEN_CONSTRAINT


def balance(h: float, backend: str = "c") -> tuple[float, float]:
    """Energy gained over 10 s less the work of the torque and the damper, and that work, by Simpson's rule."""
    solution = sl.solve(damped_body(backend), 10.0 if backend == "c" else 1.0, method="rkmk_dopri5", h=h)
    energy, power = solution.outputs["energy"], solution.outputs["power"]
    work = h / 3 * float(np.sum(power[0:-1:2] + 4 * power[1::2] + power[2::2]))
    return float(energy[-1] - energy[0]) - work, work


def test_energy_balance_of_the_damped_body() -> None:
    """Simpson's rule has order four, the states five."""
    errors = [abs(balance(h)[0]) for h in (0.02, 0.01, 0.005)]
    assert order(errors) >= 4 - tolerances.ENERGY_ORDER
    assert errors[-1] < 1e-9 and abs(balance(0.005)[1]) > 0.1


def test_without_torque_and_damping_angular_momentum_is_conserved() -> None:
    """R J Ω is constant when the torque has no time to act and nothing damps; here by another model."""
    model = sl.Model("free_body")
    inertia = model.parameter("inertia", [1, 2, 3])
    q = model.node("body", sl.SO3)
    model.kinetic_energy(q.Omega.dot(sl.diag(inertia) * q.Omega) / 2)
    model.output("momentum", q.R * (sl.diag(inertia) * q.Omega))
    model.initial(q, Omega=[0.1, 2, 0.3])
    solution = sl.solve(model.derive().compile(), 10.0, method="rkmk_dopri5", h=0.01)
    momentum = solution.outputs["momentum"]
    assert np.abs(momentum - momentum[0]).max() <= tolerances.MOMENTUM
    assert np.ptp(solution.field("body", "Omega")[:, 1]) > 1  # the middle axis is unstable


@pytest.mark.parametrize(("build", "method"), [
    (spherical_pendulum, "half_explicit_5"), (double_body, "half_explicit_5"), (damped_body, "rkmk_dopri5"),
])  # fmt: skip
def test_backends_agree(build: functools._lru_cache_wrapper[System], method: str) -> None:
    first, second = (sl.solve(build(backend), 0.1, method=method, h=0.01) for backend in BACKENDS)

    def close(a: Array, b: Array) -> None:
        assert np.abs(a - b).max(initial=0) <= tolerances.BACKENDS * max(1.0, float(np.abs(b).max(initial=0)))

    close(first.q, second.q)
    close(first.v, second.v)
    close(first.multipliers, second.multipliers)
