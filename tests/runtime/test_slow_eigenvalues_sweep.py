"""Slow eigenvalues next to fast ones by every path of the computation, against the same matrices in many digits."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import mpmath
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

import symlie as sl
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.entry_rounding import ROUNDING
from symlie.runtime.linear.spectrum import Spectrum
from symlie.runtime.statics.first_order_modes import first_order_modes
from symlie.runtime.statics.linearization import Linearization
from symlie.runtime.statics.oscillations import oscillations
from symlie.runtime.statics.slow_modes import slow_modes
from symlie.runtime.statics.steady_motion import Coefficients

SIZE = 6
DIGITS = 120
MODES = 3
"""Modes that the iteration computes."""


@functools.cache
def at_rest() -> Linearization:
    """Equations of a point, whose matrices cases replace."""
    model = sl.Model("matrices")
    x = model.node("x", f"R{SIZE}")
    model.kinetic_energy(x.x_dot.dot(x.x_dot) / 2)
    model.potential_energy(x.x.dot(x.x) / 2)
    system = model.derive().compile(backend="numpy")
    return system.linearize(system.initial_state.q)


@dataclass(frozen=True)
class Case:
    """M = 1, C and K of doubles."""

    damping: Array
    stiffness: Array
    rigid: int
    """Exact zeros of K and C."""

    def spectrum(self, way: str) -> Spectrum:
        """Eigenvalues by one way of computation."""
        none = csr_array((SIZE, SIZE))
        damping, stiffness = csr_array(self.damping), csr_array(self.stiffness)
        mass = csr_array(np.eye(SIZE))
        linear = replace(at_rest(), mass=mass, damping=damping, stiffness=stiffness)
        jacobian, hidden = linear.jacobian, linear.hidden
        rounding = Coefficients(none, ROUNDING * abs(damping), ROUNDING * abs(stiffness), abs(jacobian), abs(hidden))
        if way == "dense":
            return first_order_modes(linear, rounding)
        if way == "sparse":
            return slow_modes(linear, rounding, MODES)
        return oscillations(linear, rounding, None if way == "dense oscillations" else MODES)

    def exact(self) -> Array:
        """Eigenvalues in many digits."""
        with mpmath.workdps(DIGITS):
            matrix = mpmath.zeros(2 * SIZE)
            matrix[:SIZE, SIZE:] = mpmath.eye(SIZE)
            matrix[SIZE:, :SIZE] = -mpmath.matrix(self.stiffness.tolist())
            matrix[SIZE:, SIZE:] = -mpmath.matrix(self.damping.tolist())
            return np.array([complex(s) for s in mpmath.eig(matrix, left=False, right=False)])


def random_case(draw: np.random.Generator, conservative: bool) -> Case:
    """Rates between one and 1e3 to 1e15 times as much, some unstable, in any axes, with up to two rigid-body modes."""
    spread, rigid = draw.uniform(3, 15), int(draw.integers(0, 3))
    rates = 10.0 ** draw.uniform(0, spread, SIZE)
    rates[0], rates[-1] = 1.0, 10.0**spread
    rates[1 : 1 + rigid] = 0.0
    signs = np.where(draw.random(SIZE) < 0.2, -1.0, 1.0)
    stiffness, damping = np.diag(signs * rates**2), np.zeros((SIZE, SIZE))
    if not conservative:
        damping = np.diag(rates * 10.0 ** draw.uniform(-6, 1, SIZE))
        if draw.random() < 0.5:  # gyroscopic forces
            beside = draw.normal(size=SIZE - 1) * np.sqrt(rates[1:] * rates[:-1])
            damping = np.diag(beside, 1) - np.diag(beside, -1) + damping * draw.integers(0, 2)
        if draw.random() < 0.3:  # forces without energy
            stiffness = stiffness + np.diag(draw.normal(size=SIZE - 1) * rates[1:] * rates[:-1], 1)
    if draw.random() < 0.6:
        moving = np.flatnonzero(rates > 0)
        axes = np.eye(SIZE)
        axes[np.ix_(moving, moving)] = np.linalg.qr(draw.normal(size=(len(moving), len(moving))))[0]
        damping, stiffness = (axes.T @ m @ axes for m in (damping, stiffness))
    if conservative:
        stiffness = (stiffness + stiffness.T) / 2
    return Case(damping, stiffness, rigid)


def check(seed: int) -> None:
    """Errors are within the bound that is reported, and rigid-body modes are exact zeros."""
    conservative = bool(seed % 2)
    case = random_case(np.random.default_rng(seed), conservative)
    exact = case.exact()
    for way in ("dense oscillations", "sparse oscillations") if conservative else ("dense", "sparse"):
        found = case.spectrum(way)
        assert len(found.values) == 2 * SIZE if way.startswith("dense") else len(found.values) >= MODES
        distances = np.abs(found.values[:, None] - exact)
        relative = distances / (found.accuracy + np.finfo(float).tiny)[:, None]
        rows, columns = linear_sum_assignment(np.minimum(relative, 1e6))
        allowed = found.accuracy[rows]
        assert np.all(distances[rows, columns] <= allowed), (seed, way)
        assert np.sum(found.values == 0) >= min(2 * case.rigid, len(found.values)), (seed, way)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_every_solver_finds_the_matrix_eigenvalues(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10, 250, 20))
def test_every_solver_finds_eigenvalues_of_many_matrices(first: int) -> None:
    for seed in range(first, first + 20):
        check(seed)
