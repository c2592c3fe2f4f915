"""Balances of power and of momentum, evaluated by the kernels at random states, and along runs."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances
from tests.rods.problems import random_state, roll_up_system, spaghetti_system

LENGTH = 10.0
INERTIA = np.array([10.0, 10, 10, 1, 1, 1])

STENCIL = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])
"""Central difference of eighth order: Σ c_k (f(k ε) - f(-k ε))/ε."""


@dataclass(frozen=True)
class RodState:
    """A state of one rod by nodes, with its accelerations."""

    system: System
    t: float
    q: Array
    v: Array
    acceleration: Array
    multipliers: Array

    @functools.cached_property
    def rotation(self) -> Array:
        """Rotation matrix of each node."""
        w, x, y, z = self.q.reshape(-1, 7)[:, :4].T
        rows = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
        return np.moveaxis(np.array(rows), 2, 0)

    @property
    def position(self) -> Array:
        """Inertial position of each node."""
        return self.q.reshape(-1, 7)[:, 4:]

    @property
    def mass(self) -> Array:
        """Diagonal mass matrix of each node by the trapezoidal rule, not from the kernels."""
        nodes = len(self.position)
        weight = np.full(nodes, LENGTH / (nodes - 1))
        weight[[0, -1]] /= 2
        return weight[:, None] * INERTIA

    def turned(self, vector: Array) -> Array:
        """Body components of each node in inertial axes."""
        return np.einsum("kij,kj->ki", self.rotation, vector)

    def strain_rate(self, length: float) -> Array:
        """w' of each segment, from T⁻¹ of the nodes' group."""
        kernels = self.system.kernels
        nodes = self.q.reshape(-1, 7)
        v = self.v.reshape(-1, 6)
        neighbour = np.vstack([nodes[1:], nodes[-1:]])
        theta = kernels.difference(self.q, neighbour.ravel())
        ahead = kernels.inverse_tangent_operator(theta, np.vstack([v[1:], v[-1:]]).ravel())
        behind = kernels.inverse_tangent_operator(-theta, self.v)
        return (ahead - behind).reshape(-1, 6)[:-1] / length

    def power_of_potential(self, step: float = 0.01) -> float:
        """dV/dt along the velocities, by differences of the energy kernel."""
        kernels, p = self.system.kernels, self.system.prepared

        def potential(s: float) -> float:
            return float(kernels.energy(p, self.t, kernels.advance(self.q, s * self.v), 0 * self.v)[1])

        pairs = [potential(k * step) - potential(-k * step) for k in (1, 2, 3, 4)]
        return float(STENCIL @ pairs / step)


def state(system: System, seed: int, t: float = 0.0) -> RodState:
    """A random state with velocities that satisfy the hidden constraints."""
    q, v = random_state(system, seed)
    p = system.prepared
    if system.layout.rows:
        acceleration, multipliers = system.mechanics.index1(t, q, v)
    else:
        force = -system.kernels.force(p, t, q, v)
        acceleration, multipliers = system.algebra.solve_mass(system.kernels.mass(p, t, q), force), np.zeros(0)
    return RodState(system, t, q, v, acceleration, multipliers)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("constraint", ["none", "kirchhoff", "inextensible"])
def test_roll_up_satisfies_the_power_balance(constraint: str, seed: int) -> None:
    """d/dt(T + V) = power of the torque - Δs Σ w'ᵀ 2D w'."""
    s = state(roll_up_system(8, constraint), seed)
    v = s.v.reshape(-1, 6)
    kinetic = float(np.sum(v * s.mass * s.acceleration.reshape(-1, 6)))
    torque = np.array([0, 2 * np.pi * 500 / LENGTH, 0])
    supplied = float(torque @ s.turned(v[:, :3])[-1])
    rate = s.strain_rate(LENGTH / 8)
    lost = LENGTH / 8 * 200 * float(np.sum(rate**2))
    potential = s.power_of_potential()
    scale = max(map(abs, (kinetic, potential, supplied, lost)))
    assert lost > 0.1 * scale
    assert abs(kinetic + potential - supplied + lost) < tolerances.POWER_BALANCE * scale


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("damping", [0.0, 30.0])
def test_spaghetti_satisfies_the_power_balance(damping: float, seed: int) -> None:
    """Force and torque given in inertial axes at a time when the load is not zero."""
    s = state(spaghetti_system().with_parameters(damping=damping), seed, t=1.0)
    v = s.v.reshape(-1, 6)
    kinetic = float(np.sum(v * s.mass * s.acceleration.reshape(-1, 6)))
    load = 80.0
    supplied = load * (0.1 * s.turned(v[:, 3:])[0, 0] + np.array([0, -0.5, -1]) @ s.turned(v[:, :3])[0])
    lost = LENGTH / 16 * 2 * damping * float(np.sum(s.strain_rate(LENGTH / 16) ** 2))
    potential = s.power_of_potential()
    scale = max(map(abs, (kinetic, potential)))
    assert abs(kinetic + potential - supplied + lost) < tolerances.POWER_BALANCE * scale
    assert abs(supplied) > 1e3 * tolerances.POWER_BALANCE * scale


@pytest.mark.slow
@pytest.mark.parametrize(
    ("constraint", "backend"),
    [("none", "numpy"), ("kirchhoff", "c"), ("kirchhoff", "numpy"), ("inextensible", "numpy")],
)
def test_momentum_rates_of_the_free_rod_vanish(constraint: str, backend: str) -> None:
    """Linear and angular momentum are invariants of the semi-discrete equations: their rates cancel at any state."""
    system = spaghetti_system(16, constraint, backend).with_parameters(load_values=[0, 0, 0], damping=20.0)
    for seed in range(3):
        s = state(system, seed)
        v, a, mass = s.v.reshape(-1, 6), s.acceleration.reshape(-1, 6), s.mass
        spin, velocity = v[:, :3], v[:, 3:]
        force = s.turned(mass[:, 3:] * (a[:, 3:] + np.cross(spin, velocity)))
        moment = s.turned(mass[:, :3] * a[:, :3] + np.cross(spin, mass[:, :3] * spin))
        # x' × m x' = 0, so positions enter by their lever arms alone.
        moment = moment + np.cross(s.position, force)
        for rates in (force, moment):
            assert np.abs(rates.sum(axis=0)).max() < tolerances.MOMENTUM_RATE * np.abs(rates).sum(axis=0).max()


@functools.cache
def tumbling(method: str, k: int) -> tuple[float, float]:
    """Largest errors of linear and angular momentum of a bent, spinning rod without loads."""
    system = spaghetti_system().with_parameters(load_values=[0, 0, 0])
    nodes = np.arange(17)[:, None]
    spin = np.array([[1.0, 2.0, -1.0]]) * np.cos(np.pi * nodes / 16) + np.array([[0.5, 0.0, 1.0]])
    solution = sl.solve(system.with_initial("rod", Omega=spin), 1.0, method=method, h=2.0**-k, record_every=8)
    named = (solution.outputs[name] for name in ("linear_momentum", "angular_momentum"))
    linear, angular = (float(np.abs(values - values[0]).max()) for values in named)
    return linear, angular


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Initial velocities that are not given")
@pytest.mark.parametrize(("order", "k"), [(2, 10), (3, 10), (4, 9), (5, 8)])
def test_momenta_are_conserved(order: int, k: int) -> None:
    """Errors of the momenta of the free rod fall at least with the order of the method."""
    coarse, fine = tumbling(f"half_explicit_{order}", k), tumbling(f"half_explicit_{order}", k + 1)
    for a, b in zip(coarse, fine, strict=True):
        assert np.log2(a / b) > order - tolerances.ROD_ORDER_SLACK
