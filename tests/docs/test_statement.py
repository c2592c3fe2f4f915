"""The models of the page on statements, tested by energy balances and known results."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from tests import tolerances
from tests.docs.judging import close, order
from tests.docs.pages import Session

SESSION = Session("docs/statement.md")

# Three hinges of a door are redundant, and its run says so.
pytestmark = pytest.mark.filterwarnings("ignore:The 15 constraint equations of 'door':symlie.warnings.SymlieWarning")

PAIR = "Two bodies joined by a spherical joint"
DRIVEN = "A damped rigid body driven by a torque"


@functools.cache
def compiled(heading: str, model: str, backend: str = "c") -> System:
    """A model of a block."""
    system: System = SESSION.after(heading)[model].derive().compile(backend=backend)
    return system


def spin(solution: Solution) -> Array:
    """Angular momentum of the two bodies about the vertical through the pivot, in N m s."""
    total: Array = np.zeros(len(solution.t))
    for body in ("upper", "lower"):
        R, x = solution.field(body, "R").reshape(-1, 3, 3), solution.field(body, "x")
        Omega, U = solution.field(body, "Omega"), solution.field(body, "U")
        linear = np.einsum("nij,nj->ni", R, U)
        total += (2 * np.cross(x, linear) + np.einsum("nij,nj->ni", R, [0.1, 0.2, 0.3] * Omega))[:, 2]
    return total


@pytest.mark.slow
def test_code_blocks_run() -> None:
    SESSION.run()


@pytest.mark.parametrize("method", ["half_explicit_4", "half_explicit_5"])
def test_energy_of_the_pair_converges(method: str) -> None:
    expected = int(method[-1])
    energies, spins = [], []
    for k in (5, 6, 7):
        solution = sl.solve(compiled(PAIR, "pair"), 2.0, method=method, h=2.0**-k)
        energies.append(float(np.abs(solution.outputs["energy"] - solution.outputs["energy"][0]).max()))
        spins.append(float(np.ptp(spin(solution))))
    assert order(energies) >= expected - tolerances.ENERGY_ORDER
    assert order(spins) >= expected - tolerances.ENERGY_ORDER
    assert energies[-1] <= tolerances.PAIR_ENERGY


def test_pair_is_accurate_with_small_steps() -> None:
    solution = sl.solve(compiled(PAIR, "pair"), 2.0, h=1e-3)
    energy = solution.outputs["energy"]
    assert float(np.ptp(energy)) <= tolerances.ENERGY * abs(float(energy[0]))
    kinetic = [solution.system.kernels.energy(solution.system.prepared, t, q, v)[0] for t, q, v in
               zip(solution.t, solution.q, solution.v, strict=True)]  # fmt: skip
    assert np.ptp(kinetic) > 1  # energy is exchanged
    residual = solution.outputs["constraint_residual"]
    assert float(residual.max()) <= tolerances.DRIFT_OF_ROUNDING
    assert float(solution.outputs["velocity_residual"].max()) <= tolerances.HIDDEN_CONSTRAINT


def balance(h: float) -> tuple[float, float]:
    """Energy gained over 10 s less the work of the torque and the damper, and that work, by Simpson's rule."""
    solution = sl.solve(compiled(DRIVEN, "body"), 10.0, method="rkmk_dopri5", h=h)
    energy, power = solution.outputs["energy"], solution.outputs["power"]
    work = h / 3 * float(np.sum(power[0:-1:2] + 4 * power[1::2] + power[2::2]))
    return float(energy[-1] - energy[0]) - work, work


def test_driven_body_satisfies_the_energy_balance() -> None:
    """Simpson's rule has order four, the states five."""
    errors = [abs(balance(h)[0]) for h in (0.02, 0.01, 0.005)]
    assert order(errors) >= 4 - tolerances.ENERGY_ORDER
    assert errors[-1] <= tolerances.DRIVEN_BALANCE and abs(balance(0.005)[1]) > 0.1


def test_without_damping_the_torque_changes_the_angular_momentum() -> None:
    """(R J Ω)' is the torque in inertial axes, (0, sin 2t, 0)."""
    system = compiled(DRIVEN, "body").with_parameters(damping=0)
    solution = sl.solve(system, 10.0, method="rkmk_dopri5", h=0.01)
    momentum = solution.rotation("body").apply([1, 2, 3] * solution.field("body", "Omega"))
    expected = np.tile(momentum[0], (len(solution.t), 1))
    expected[:, 1] += (1 - np.cos(2 * solution.t)) / 2
    np.testing.assert_allclose(momentum, expected, rtol=0, atol=tolerances.MOMENTUM)


@pytest.mark.parametrize(
    ("heading", "model", "method"), [(PAIR, "pair", "half_explicit_5"), (DRIVEN, "body", "rkmk_dopri5")]
)
def test_backends_agree(heading: str, model: str, method: str) -> None:
    close(*(sl.solve(compiled(heading, model, backend), 0.1, method=method, h=0.01) for backend in ("c", "numpy")))


@pytest.mark.slow
def test_crane_satisfies_its_pivot_constraint() -> None:
    solution = SESSION.after("Loads, a moving pivot and a piecewise law")["solution"]
    x, R = solution.field("arm", "x"), solution.field("arm", "R").reshape(-1, 3, 3)
    pivot = np.zeros_like(x)
    pivot[:, 0] = 0.05 * np.sin(4 * solution.t)
    np.testing.assert_allclose(x + 0.5 * R[:, :, 2], pivot, rtol=0, atol=tolerances.DRIFT_OF_ROUNDING)
    nose = x + R @ [0.1, 0, -0.4]
    assert nose[:, 2].min() < -0.9  # it has been on the floor


@pytest.mark.slow
def test_joint_reaction_balances_the_arm() -> None:
    """The force on the arm is its mass times its acceleration less gravity, and λ has its size."""
    system = SESSION.after("Multipliers and reactions")["model"].derive().compile(backend="numpy")
    solution = sl.solve(system, 0.2, h=0.01)
    force = solution.outputs["joint_force"]
    np.testing.assert_allclose(
        np.linalg.norm(force, axis=1), np.linalg.norm(solution.multipliers, axis=1), rtol=tolerances.BACKENDS
    )
    x_dot = np.einsum("nij,nj->ni", solution.field("arm", "R").reshape(-1, 3, 3), solution.field("arm", "U"))
    gained, h = 2 * (x_dot[2:] - x_dot[:-2]), 0.01
    impulse = h / 3 * (force[:-2] + 4 * force[1:-1] + force[2:]) - 2 * h * np.array([0, 0, 2 * 9.81])
    np.testing.assert_allclose(gained, impulse, rtol=0, atol=tolerances.PAGE_IMPULSE)


@pytest.mark.slow
def test_named_elements_have_separate_masses() -> None:
    """m x'' = -m g e - λ x with x·x'' = -|x'|², each pendulum with the mass that it was given last."""
    solution = SESSION.after("Named elements")["solution"].with_index1_multipliers()
    for node, name, mass in (("first", "left", 2.5), ("second", "right", 4.0)):
        x, x_dot = solution.field(node, "x"), solution.field(node, "x_dot")
        pull = mass * (np.sum(x_dot**2, axis=1) - 9.81 * x[:, 1]) / np.sum(x**2, axis=1)
        limit = tolerances.BACKENDS * np.abs(pull).max()
        np.testing.assert_allclose(solution.named_multipliers()[name][:, 0], pull, rtol=0, atol=limit)
        np.testing.assert_allclose(solution.outputs[f"{name}_force"], pull, rtol=0, atol=limit)


@pytest.mark.slow
def test_ball_moves_on_a_circle() -> None:
    """Its velocity turns with 2/7 of the rate of the turntable."""
    system = SESSION.after("Rolling")["model"].derive().compile(backend="numpy")
    solution = sl.solve(system, 1.0, h=0.01)
    x_dot = solution.field("ball", "x_dot")
    angle = 2 / 7 * 0.8
    turned = [0.3 * -np.sin(angle), 0.3 * np.cos(angle), 0.0]
    np.testing.assert_allclose(x_dot[-1], turned, rtol=0, atol=tolerances.PAGE_TURN)


@pytest.mark.slow
def test_massless_rod_swings_like_a_point_mass() -> None:
    system = compiled("Massless velocities", "model")
    solution = sl.solve(system, 1.0, h=1 / 256)
    point = sl.Model("point")
    q = point.node("bob", "R3")
    point.kinetic_energy(q.x_dot.dot(q.x_dot))
    point.potential_energy(2 * 9.81 * q.x[2])
    point.constraint("length", (q.x.dot(q.x) - 1.5**2) / 2)
    point.initial(q, x=[0, 0, -1.5], x_dot=[1, 0, 0])
    expected = sl.solve(point.derive().compile(), 1.0, h=1 / 256)
    np.testing.assert_allclose(solution.field("rod", "x"), expected.q, rtol=0, atol=tolerances.SADDLES_AFTER_STEPS)
