"""Eigenvalues that differ by up to twelve orders of magnitude, against the same matrices in many digits."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import symlie as sl
from symlie.runtime.layout.layout import Array
from symlie.runtime.statics.linearization import Linearization
from symlie.runtime.system.system import System
from tests import tolerances

SIZE = 4
DIGITS = 90


@functools.cache
def system_of_matrices(constraint: str) -> System:
    """M x'' + C x' + K x = 0 of four coordinates, with B x = 0, B x' = 0 or neither."""
    model = sl.Model("matrices")
    x = model.node("x", f"R{SIZE}")
    square = range(SIZE)
    mass, damping, stiffness = (
        [[model.parameter(f"{letter}{i}{j}", float(i == j and letter == "m")) for j in square] for i in square]
        for letter in "mck"
    )
    model.kinetic_energy(sum(mass[i][j] * x.x_dot[i] * x.x_dot[j] for i in square for j in square) / 2)
    model.generalized_force(
        x, x_dot=[-sum(stiffness[i][j] * x.x[j] + damping[i][j] * x.x_dot[j] for j in square) for i in square]
    )
    row = [model.parameter(f"b{j}", 1.0) for j in square]
    if constraint == "positions":
        model.constraint("row", sum(row[j] * x.x[j] for j in square))
    if constraint == "velocities":
        model.nonholonomic_constraint("row", sum(row[j] * x.x_dot[j] for j in square))
    return model.derive().compile(backend="numpy")


@dataclass(frozen=True)
class Case:
    """Matrices of doubles."""

    mass: Array
    damping: Array
    stiffness: Array
    row: Array
    constraint: str
    is_mixed: bool
    """Whether entries are sums of fast and slow parts."""

    def linearized(self) -> Linearization:
        """Small motions about x = 0."""
        matrices = {"m": self.mass, "c": self.damping, "k": self.stiffness}
        entries = {
            f"{letter}{i}{j}": float(m[i, j])
            for letter, m in matrices.items()
            for i in range(SIZE)
            for j in range(SIZE)
        }
        rows = {f"b{j}": float(self.row[j]) for j in range(SIZE)}
        system = system_of_matrices(self.constraint).with_parameters(**entries, **(rows if self.constraint else {}))
        return system.linearize(system.initial_state.q)

    def exact(self) -> Array:
        """Eigenvalues in many digits."""
        with mpmath.workdps(DIGITS):
            basis = self._basis()
            reach = basis if self.constraint == "positions" else mpmath.eye(SIZE)
            mass, damping, stiffness = (mpmath.matrix(m.tolist()) for m in (self.mass, self.damping, self.stiffness))
            inverse = (basis.T * mass * basis) ** -1
            n, k = reach.cols, basis.cols
            matrix = mpmath.zeros(n + k)
            matrix[:n, n:] = mpmath.eye(k) if self.constraint == "positions" else basis
            matrix[n:, :n] = -inverse * (basis.T * stiffness * reach)
            matrix[n:, n:] = -inverse * (basis.T * damping * basis)
            return np.array([complex(s) for s in mpmath.eig(matrix, left=False, right=False)])

    def _basis(self) -> Any:
        """What the row leaves."""
        if not self.constraint:
            return mpmath.eye(SIZE)
        pivot = int(np.argmax(np.abs(self.row)))
        others = [j for j in range(SIZE) if j != pivot]
        basis = mpmath.zeros(SIZE, SIZE - 1)
        for column, j in enumerate(others):
            basis[j, column] = 1
            basis[pivot, column] = -mpmath.mpf(float(self.row[j])) / mpmath.mpf(float(self.row[pivot]))
        return basis


def random_case(seed: int) -> Case:
    """Frequencies in random groups, some unstable or zero, in random coordinates and units."""
    draw = np.random.default_rng(seed)
    spread = draw.choice([3, 6, 9, 12])
    rates = 10.0 ** draw.uniform(0, spread, SIZE)
    rates[:2] = 1.0, 10.0**spread
    signs = np.where(draw.random(SIZE) < 0.25, -1.0, 1.0)
    signs[2] = draw.choice([0.0, 1.0])
    kind = draw.choice(["none", "damped", "slowly damped", "gyroscopic"])
    damping = np.zeros((SIZE, SIZE))
    if kind == "damped":
        damping = np.diag(rates * 10.0 ** draw.uniform(-6, 1, SIZE))
    elif kind == "slowly damped":
        damping = np.diag(10.0 ** draw.uniform(-6, 1, SIZE))
    elif kind == "gyroscopic":
        beside = draw.normal(size=SIZE - 1) * np.sqrt(rates[1:] * rates[:-1]) * 10 ** draw.uniform(-3, 1)
        damping = np.diag(beside, 1) - np.diag(beside, -1)
    coordinates = draw.choice(["own", "chain", "any"])
    turned = {"own": np.eye(SIZE), "chain": np.eye(SIZE) - np.eye(SIZE, k=1), "any": draw.normal(size=(SIZE, SIZE))}
    basis = turned[str(coordinates)] * 10.0 ** draw.integers(-4, 5, SIZE)
    order = draw.permutation(SIZE)
    mass, damping, stiffness = (
        (basis.T @ m @ basis)[np.ix_(order, order)] for m in (np.eye(SIZE), damping, np.diag(signs * rates**2))
    )
    row = (draw.normal(size=SIZE) @ basis)[order]
    constraint = str(draw.choice(["", "", "positions", "velocities"]))
    mass, stiffness = (mass + mass.T) / 2, (stiffness + stiffness.T) / 2
    is_mixed = coordinates != "own" or bool(constraint) or kind == "gyroscopic"
    return Case(mass, damping, stiffness, row, constraint, is_mixed)


def check(seed: int) -> None:
    """Errors are within `accuracy`, and growth beyond it is not overlooked."""
    case = random_case(seed)
    linear, exact = case.linearized(), case.exact()
    assert len(linear.eigenvalues) == len(exact)
    distances = np.abs(linear.eigenvalues[:, None] - exact)
    relative = distances / (linear.accuracy + np.finfo(float).tiny)[:, None]
    found, expected = linear_sum_assignment(np.minimum(relative, 1e6))
    allowed = linear.accuracy[found]
    assert np.all(distances[found, expected] <= allowed), seed
    if linear.is_stable:
        assert np.all(exact.real[expected] <= 2 * linear.accuracy[found]), seed
    if not case.is_mixed:
        sizes = np.abs(linear.eigenvalues)
        assert np.all(linear.accuracy[sizes > 0] <= tolerances.SEPARATE_EIGENVALUES * sizes[sizes > 0]), seed


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Stability")
@pytest.mark.parametrize("seed", range(24))
def test_random_systems_have_the_eigenvalues_of_their_matrices(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Stability")
@pytest.mark.parametrize("first", range(24, 424, 20))
def test_many_random_systems_have_the_eigenvalues_of_their_matrices(first: int) -> None:
    for seed in range(first, first + 20):
        check(seed)


@pytest.mark.parametrize("rate", [1e3, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("slow", [1.0, -1.0])
@pytest.mark.parametrize("damping", [0.0, 1e-3])
def test_slow_eigenvalue_is_accurate_next_to_a_fast_one(rate: float, slow: float, damping: float) -> None:
    """x'' + c x' ± x = 0 for every motion of the other three."""
    case = Case(
        np.eye(SIZE), damping * np.eye(SIZE), np.diag([rate**2, slow, rate**2, 4 * rate**2]), np.ones(SIZE), "", False
    )
    linear = case.linearized()
    expected = np.sort_complex(np.roots([1, damping, slow]))
    assert np.abs(np.sort_complex(linear.eigenvalues[:2]) - expected).max() <= tolerances.SEPARATE_EIGENVALUES
    assert linear.is_stable is (slow > 0)


def test_stability_hidden_by_rounding_is_undetermined() -> None:
    """An instability of 1 1/s is lost in the rounding of entries of size 1e20."""
    turned = np.eye(SIZE)
    turned[:2, :2] = [[0.8, 0.6], [-0.6, 0.8]]
    stiffness = turned.T @ np.diag([1e20, -1.0, 9.0, 9.0]) @ turned
    case = Case(np.eye(SIZE), np.zeros((SIZE, SIZE)), (stiffness + stiffness.T) / 2, np.ones(SIZE), "", True)
    with pytest.warns(sl.SymlieWarning, match=r"Stability of 'matrices' is uncertain: .* known to \S+ 1/s"):
        linear = case.linearized()
    assert not linear.is_resolved and not linear.is_stable
    assert linear.accuracy[linear.eigenvalues == 0].min() > 1


@pytest.mark.filterwarnings("ignore:Stability")
def test_accuracy_of_zero_eigenvalues_ignores_damping_of_other_motions() -> None:
    """A free motion in entries of size 1e12; with damping, a shift finds its eigenvalues."""
    turned = np.eye(SIZE)
    turned[:2, :2] = [[0.8, 0.6], [-0.6, 0.8]]
    stiffness = turned.T @ np.diag([1e12, 0.0, 9.0, 4.0]) @ turned
    found = []
    for damping in (0.0, 1e-3):
        damped = damping * np.diag([1.0, 0.0, 1.0, 1.0])
        linear = Case(np.eye(SIZE), damped, (stiffness + stiffness.T) / 2, np.ones(SIZE), "", True).linearized()
        assert len(linear.zero_modes) == 2 and not linear.eigenvalues[:2].any()
        found.append(linear.accuracy[:2].max())
    assert found[1] <= 2 * found[0]


@pytest.mark.slow
def test_double_eigenvalue_next_to_zero_is_accurate() -> None:
    """A heavy top upright falls to all sides at sqrt(m g l/J), and is free about the vertical."""
    model = sl.Model("top")
    top = model.node("top", sl.SE3)
    inertia = sl.diag([0.234375, 0.46875, 0.234375])
    model.kinetic_energy(top.Omega.dot(inertia * top.Omega) / 2 + 15 * top.U.dot(top.U) / 2)
    model.constraint("fixed_point", top.R.T * top.x - sl.vector(0, 1, 0))
    model.potential_energy(15 * 9.81 * top.x[2])
    model.initial(top, R=[[1, 0, 0], [0, 0, -1], [0, 1, 0]], x=[0, 0, 1])
    system = model.derive().compile(backend="numpy")
    linear = system.linearize(system.initial_state.q)
    assert len(linear.zero_modes) == 2 and linear.is_resolved and not linear.is_stable
    rate = math.sqrt(147.15 / 15.234375)
    assert np.sort(linear.eigenvalues[2:].real) == pytest.approx(
        [-rate, -rate, rate, rate], rel=tolerances.SEPARATE_EIGENVALUES
    )


@pytest.mark.parametrize("segments", [8, pytest.param(20, marks=pytest.mark.slow)])
def test_free_craft_with_beams_keeps_its_slow_modes(segments: int) -> None:
    """Two beams on a hub: roots of the determinant of Euler and Bernoulli, and six rigid-body modes."""
    model = sl.Model("craft")
    wing = sl.CosseratRod(
        model, "wing", segments=segments, length=10.0, stiffness=[200, 1e6, 1e5, 1e8, 1e8, 1e8],
        inertia=[1e-7, 1e-7, 2e-7, 0.4, 0.4, 0.4], position=lambda s: (s - 5, 0, 0),
        orientation=(math.sqrt(0.5), 0, math.sqrt(0.5), 0),
    )  # fmt: skip
    hub = sl.ElementType("hub", node=sl.S3sR3)
    h = hub.node
    hub.kinetic_energy((100 * h.U.dot(h.U) + 8 * h.Omega.dot(h.Omega)) / 2)
    model.add(hub, [wing.nodes[segments // 2]])
    system = model.derive().compile(backend="numpy")
    linear = system.linearize(system.initial_state.q, modes=20)
    assert len(linear.zero_modes) == 12 and linear.is_stable
    frequencies = linear.frequencies[linear.modes]
    for exact in (0.50652, 1.06889, 3.14837, 3.30638):
        assert np.abs(frequencies / exact - 1).min() <= tolerances.CRAFT * (20 / segments) ** 2
