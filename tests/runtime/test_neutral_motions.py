"""Zero modes: hidden stiffnesses next to the largest one, and free motions, told apart by finite motions."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
import sympy

import symlie as sl
from symlie.runtime.system.system import System
from tests import tolerances

NOT_RESOLVED = r"Stability of 'hidden' is uncertain: an eigenvalue that counts as zero is only known to \S+ 1/s, .*'x'"


@functools.cache
def turned(damping: float) -> System:
    """V = slow (a·x)²/2 + k (b·x)²/2 + 4 k (c·x)²/2 in axes a, b, c of any direction, as parameters."""
    model = sl.Model("hidden")
    x = model.node("x", "R3")
    model.kinetic_energy(x.x_dot.dot(x.x_dot) / 2)
    for name in "abc":
        axis = [model.parameter(f"{name}{i}", float(name == "abc"[i])) for i in range(3)]
        stiffness = model.parameter(f"k{name}", 1.0)
        model.potential_energy(stiffness * sum(a * e for a, e in zip(axis, x.x, strict=True)) ** 2 / 2)
    if damping:
        model.generalized_force(x, x_dot=[-damping * v for v in x.x_dot])
    return model.derive().compile(backend="numpy")


def stated_in_numbers(k: float, slow: float) -> System:
    """The same in a plane, with numbers, so that forces are derived from sums of numbers."""
    model = sl.Model("hidden")
    x = model.node("x", "R2")
    model.kinetic_energy(x.x_dot.dot(x.x_dot) / 2)
    model.potential_energy(slow * (x.x[0] + x.x[1]) ** 2 / 4 + k * (x.x[0] - x.x[1]) ** 2 / 4)
    return model.derive().compile(backend="numpy")


@pytest.mark.slow
@pytest.mark.parametrize("slow", [1.0, -1.0])
@pytest.mark.parametrize("k", [1e20, 1e24])
@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_hidden_stiffness_leaves_stability_undetermined(k: float, slow: float, damping: float) -> None:
    """x'' = ±x in any axes next to a stiffness that hides it."""
    for seed in range(3):
        axes = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
        values = {f"{n}{i}": float(axes[i, j]) for j, n in enumerate("abc") for i in range(3)}
        system = turned(damping).with_parameters(**values, ka=slow, kb=k, kc=4 * k)
        with pytest.warns(sl.SymlieWarning, match=NOT_RESOLVED):
            linear = system.linearize(system.initial_state.q)
        assert not linear.is_resolved and not linear.is_stable
        assert linear.resisting is not None
        along = linear.resisting / np.linalg.norm(linear.resisting)
        assert abs(along @ axes[:, 0]) == pytest.approx(1, abs=tolerances.HIDDEN_DIRECTION)
        assert linear.accuracy[linear.zero_modes].min() >= 1


@pytest.mark.parametrize("slow", [1.0, -1.0])
@pytest.mark.parametrize("k", [1e20, 1e24])
def test_energy_reveals_stiffness_lost_in_compiled_forces(k: float, slow: float) -> None:
    """1e20 + 1 is 1e20 in the forces."""
    system = stated_in_numbers(k, slow)
    assert not system.mechanics.force(0.0, np.ones(2), np.zeros(2)).any()
    with pytest.warns(sl.SymlieWarning, match=NOT_RESOLVED):
        assert not system.linearize(system.initial_state.q).is_stable


def pair(k: float, tension: float) -> sl.Model:
    """Two masses in space, joined by two springs of the same length, one in tension and one under pressure."""
    model = sl.Model("pair")
    a, b = model.node("a", "R3"), model.node("b", "R3")
    model.kinetic_energy((a.x_dot.dot(a.x_dot) + 2 * b.x_dot.dot(b.x_dot)) / 2)
    difference = a.x - b.x
    length = sympy.sqrt(difference.dot(difference))
    for sign in (1, -1):
        model.potential_energy(k * (length - 1 + sign * tension / k) ** 2 / 2)
    model.initial(a, x=[0.1, 0.2, 0.3])
    model.initial(b, x=[0.58, 0.8, 0.94])
    return model


def spring(k: float) -> sl.Model:
    """Two masses on a line with a stiff spring between them, which damps."""
    model = sl.Model("spring")
    a, b = model.node("a", "R1"), model.node("b", "R1")
    model.kinetic_energy(a.x_dot[0] ** 2 / 2 + b.x_dot[0] ** 2)
    model.potential_energy(k * (a.x[0] - b.x[0]) ** 2 / 2)
    model.generalized_force(a, x_dot=[b.x_dot[0] - a.x_dot[0]])
    model.generalized_force(b, x_dot=[a.x_dot[0] - b.x_dot[0]])
    return model


def rod(stiffness: float) -> sl.Model:
    """A free rod."""
    model = sl.Model("rod")
    sl.CosseratRod(
        model, "rod", segments=6, length=10.0, stiffness=[200, 200, 200, stiffness, stiffness, stiffness],
        inertia=[1e-3, 1e-3, 2e-3, 0.4, 0.4, 0.4], position=lambda s: (s, 0, 0),
        orientation=(math.sqrt(0.5), 0, math.sqrt(0.5), 0),
    )  # fmt: skip
    return model


@pytest.mark.slow
@pytest.mark.filterwarnings("error:Stability")
@pytest.mark.parametrize(
    ("model", "rigid"),
    [
        (pair(1e6, 0.0), 10),
        (pair(1e20, 0.0), 10),
        (pair(1e6, 1e2), 10),
        (pair(1e6, 1e4), 10),
        (spring(1e20), 2),
        (rod(1e3), 12),
        (rod(1e9), 12),
    ],
    ids=["pair", "stiff pair", "tension", "much tension", "damped", "rod", "stiff rod"],
)
def test_free_bodies_are_stable(model: sl.Model, rigid: int) -> None:
    """Rigid-body modes meet no stiffness, are as accurate as the entries of K, and cause no warning."""
    system = model.derive().compile(backend="numpy")
    linear = system.linearize(system.initial_state.q)
    assert len(linear.zero_modes) == rigid and linear.resisting is None
    assert linear.is_stable
    if linear.is_conservative:
        fastest = np.abs(linear.eigenvalues).max()
        assert linear.accuracy[linear.zero_modes].max() <= tolerances.RIGID_MODES * fastest


def test_equilibria_without_linear_stiffness_are_undetermined() -> None:
    """A string without tension, across which the energy grows as y⁴, in rotated axes."""
    model = sl.Model("string")
    x = model.node("x", "R2")
    model.kinetic_energy(x.x_dot.dot(x.x_dot) / 2)
    along, across = 0.8 * x.x[0] + 0.6 * x.x[1], 0.8 * x.x[1] - 0.6 * x.x[0]
    for side in (-1, 1):
        model.potential_energy(1e6 * (sympy.sqrt((1 + side * along) ** 2 + across**2) - 1) ** 2 / 2)
    system = model.derive().compile(backend="numpy")
    with pytest.warns(sl.SymlieWarning, match="Stability of 'string' is uncertain"):
        assert not system.linearize(system.initial_state.q).is_stable
