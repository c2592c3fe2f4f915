"""Frequencies and modes against formulas, and against the motions that they predict."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import symlie as sl
from symlie.errors import EquilibriumError, ModelError
from symlie.models import roll_up
from symlie.runtime.layout.layout import Array
from symlie.runtime.statics import linearization
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.test_static_equilibrium import HORIZONTAL, free_body, pendulum, sled
from tests.systems import heavy_top_system


@functools.cache
def beam(segments: int, damping: float = 0.0, gravity: float = 0.0) -> System:
    """A clamped rod of length, mass and bending stiffness one, with cross sections almost without inertia."""
    model = sl.Model("beam")
    rod = sl.CosseratRod(
        model, "rod", segments=segments, length=1.0, constraint="kirchhoff", stiffness=[1, 1, 1, 1e4, 1e4, 1e4],
        inertia=[1e-7, 1e-7, 2e-5, 1, 1, 1], position=lambda s: (s, 0, 0), orientation=HORIZONTAL,
        damping=damping, gravity=(0, 0, -gravity),
    )  # fmt: skip
    rod.nodes.fix(0)
    return model.derive().compile()


def test_pendulum_frequency_is_exact() -> None:
    """√(g/L) in both directions."""
    modes = pendulum().linearize()
    assert modes.frequencies == pytest.approx([math.sqrt(9.81 / 0.5) / (2 * math.pi)] * 4, rel=tolerances.FREQUENCY)
    assert modes.is_stable and np.array_equal(modes.damping_ratios, np.zeros(4))
    assert np.array_equal(modes.eigenvalues[1::2], modes.eigenvalues[::2].conj()) and list(modes.modes) == [0, 2]
    shape = np.array([modes.shape(k)["bob"] for k in modes.modes])
    assert np.abs(shape[:, 2]).max() <= tolerances.FREQUENCY and np.linalg.matrix_rank(shape) == 2


def test_inverted_pendulum_is_unstable() -> None:
    modes = pendulum().with_initial("bob", x=[0, 0, 0.5]).linearize()
    rate = math.sqrt(9.81 / 0.5)
    assert modes.eigenvalues == pytest.approx([rate, rate, -rate, -rate], rel=tolerances.FREQUENCY)
    assert not modes.is_stable and np.array_equal(modes.frequencies, np.zeros(4)) and len(modes.modes) == 4
    assert modes.damping_ratios == pytest.approx([-1, -1, 1, 1])


@pytest.mark.slow
@pytest.mark.parametrize("group", ["SO3xR3", "SE3", "S3sR3", "SO3"])
def test_compound_pendulum_frequency_is_exact(group: str) -> None:
    """A top at rest below its fixed point: √(m g L/(J + m L²)) twice, and a rotation about the vertical."""
    modes = heavy_top_system(group).linearize()
    expected = math.sqrt(15 * 9.81 / (15 + 0.234375)) / (2 * math.pi)
    assert modes.frequencies == pytest.approx([0, 0, *[expected] * 4], rel=tolerances.FREQUENCY)
    stiffness = modes.stiffness.toarray()
    assert np.abs(stiffness - stiffness.T).max() <= tolerances.FREQUENCY * np.abs(stiffness).max()
    order = modes.first_order
    assert order.matrix.shape == (6, 6)
    for reach in (order.variation, order.velocity):
        assert np.abs(modes.jacobian @ reach).max(initial=0) <= tolerances.RESIDUAL
    whole = np.linalg.eigvals(order.matrix)
    assert np.sort(np.abs(whole.imag)) == pytest.approx(
        np.sort(np.abs(modes.eigenvalues.imag)), abs=tolerances.DOUBLE_ZERO
    )


def test_nonequilibrium_is_rejected() -> None:
    """Small motions about it follow no linear equations; K is not symmetric there either."""
    system = heavy_top_system("SE3")
    state = system.initial_state
    with pytest.raises(EquilibriumError, match=r"not in equilibrium there: a force of \S+ is out of balance at"):
        system.linearize(state.q)
    rest = np.zeros(6)
    stiffness = system.newton_matrices(system.prepared, 0.0, state.q, rest, rest, np.zeros(3))[0].toarray()
    assert np.abs(stiffness - stiffness.T).max() > 1


@pytest.mark.slow
def test_double_pendulum_frequencies_are_exact() -> None:
    """ω² = (2 ± √2) g/L for equal masses and lengths, in both directions."""
    model = sl.Model("double_pendulum")
    first, second = model.node("first", "R3"), model.node("second", "R3")
    for bob in (first, second):
        model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
        model.potential_energy(9.81 * bob.x[2])
    between = second.x - first.x
    model.constraint("rods", [first.x.dot(first.x) - 1, between.dot(between) - 1])
    model.initial(first, x=[0, 0.6, -0.8])
    model.initial(second, x=[0.6, 0.6, -1.6])
    modes = model.derive().compile().linearize()
    expected = np.sqrt(9.81 * (2 + np.sqrt(2) * np.array([-1, -1, 1, 1]))) / (2 * np.pi)
    assert modes.frequencies[modes.modes] == pytest.approx(expected, rel=tolerances.FREQUENCY)


def test_beam_bending_frequencies_match_theory() -> None:
    """β² √(EI/m) of Euler and Bernoulli, in pairs, of order two in the segments, by dense and by sparse matrices."""
    roots = np.array([1.8751040687, 4.6940911330, 7.8547574382])
    expected = np.repeat(roots**2, 2) / (2 * np.pi)
    errors = []
    for segments in (16, 32, 64):
        system = beam(segments)
        modes = system.linearize(system.initial_state.q, modes=6)
        found = modes.frequencies[modes.modes]
        errors.append(np.abs(found / expected - 1))
    assert len(system.initial_state.q) == 65 * 7 and beam(64).layout.dimension > linearization.LARGEST_DENSE
    orders = np.log2(errors[1] / errors[2])
    assert orders == pytest.approx(np.full(6, 2.0), abs=tolerances.STATIC_ORDER)
    assert errors[-1].max() < tolerances.BEAM


@pytest.mark.slow
@pytest.mark.parametrize("damping", [0.0, 1e-3])
def test_large_and_small_system_solvers_agree(damping: float, monkeypatch: pytest.MonkeyPatch) -> None:
    system = beam(10, damping, 1.0)
    q, multipliers, _ = system.static_equilibrium()
    dense = system.linearize(q, multipliers, modes=6)
    monkeypatch.setattr(linearization, "LARGEST_DENSE", 10)
    sparse = system.linearize(q, multipliers, modes=6)
    scale = np.abs(dense.eigenvalues).max()
    assert np.abs(sparse.eigenvalues - dense.eigenvalues).max() <= tolerances.FREQUENCY * scale
    assert np.abs(np.abs(sparse.shapes) - np.abs(dense.shapes)).max() <= tolerances.SHAPES
    assert np.all(dense.damping_ratios > 1e-4) if damping else np.all(dense.damping_ratios == 0)


@pytest.mark.parametrize(
    ("size", "stable"),
    [
        (20.0, True),
        (20.1, False),
        pytest.param(20.05, True, marks=pytest.mark.slow),
        pytest.param(25.0, False, marks=pytest.mark.slow),
    ],
)
def test_large_column_flutters_under_a_follower_load(size: float, stable: bool) -> None:
    """Under a load that follows its tip a column flutters from 20.05 EI/L² on (M. Beck, 1952)."""
    model = sl.Model("column")
    rod = sl.CosseratRod(
        model, "rod", segments=64, length=1.0, constraint="kirchhoff", stiffness=[1, 1, 1, 1e4, 1e4, 1e4],
        inertia=[1e-7, 1e-7, 2e-5, 1, 1, 1], position=lambda s: (0, 0, s), orientation=(1, 0, 0, 0),
    )  # fmt: skip
    rod.nodes.fix(0)
    load = sl.ElementType("load", node=sl.S3sR3)
    load.generalized_force(load.node, U=[0, 0, -load.parameter("load", 20.0, unit="N")])
    model.add(load, [rod[-1]])
    loaded = model.derive().compile().with_parameters(load=size)
    q, multipliers, _ = loaded.static_equilibrium(stable=False)
    modes = loaded.linearize(q, multipliers)
    assert len(modes.modes) == linearization.DEFAULT_MODES and modes.is_stable is stable


def test_dense_matrices_find_modes_missed_by_the_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    system = beam(10)
    dense = system.linearize(system.initial_state.q, modes=4)

    whole = linearization.oscillations

    def lost(linear: linearization.Linearization, rounding: object, modes: int | None) -> object:
        if modes is not None:
            raise linearization.NotFoundError
        return whole(linear, rounding, None)

    monkeypatch.setattr(linearization, "LARGEST_DENSE", 10)
    monkeypatch.setattr(linearization, "oscillations", lost)
    assert np.array_equal(system.linearize(system.initial_state.q, modes=4).eigenvalues, dense.eigenvalues)
    monkeypatch.setattr(linearization, "LARGEST_RESORT", 10)
    with pytest.raises(EquilibriumError, match="4 slowest modes of 'beam' were not found"):
        system.linearize(system.initial_state.q, modes=4)


def with_velocity(system: System, v: Array) -> System:
    """The system with initial velocities."""
    for node in system.layout.nodes:
        rows = v[node.velocity].reshape(node.count, -1)
        for field in node.type.velocity_fields:
            system = system.with_initial(node.name, **{field.name: rows[:, field.part]})
    return system


@pytest.mark.slow
def test_modes_predict_motions() -> None:
    """A damped rod bent to a circle by a torque, a load that follows no potential: some motions grow, and how fast."""
    system = roll_up.build(4, "kirchhoff").derive().compile()
    modes = system.linearize(modes=5)
    assert not modes.is_stable
    size = 1e-5
    for k in modes.modes:
        shape, w, s = modes.shapes[k], modes.velocity_shapes[k], modes.eigenvalues[k]
        q = system.kernels.advance(modes.q, size * shape.real)
        start = with_velocity(system.with_configuration(q), size * w.real).assembled()
        solution = sl.solve(start, 1.0, h=2.0**-8, record_every=0)
        moved = system.kernels.difference(modes.q, solution.q[-1]) / size
        expected = (shape * np.exp(s)).real
        assert np.abs(moved - expected).max() <= tolerances.LINEAR_PREDICTION * max(1.0, float(np.abs(expected).max()))


@pytest.mark.slow
def test_nonholonomic_constraints_restrict_velocities() -> None:
    """The sled vibrates along its blade and up and down; it may stand off to the side, but moves there no more."""
    modes = sled().derive().compile().linearize()
    assert modes.frequencies == pytest.approx([0] * 7 + [math.sqrt(8) / (2 * math.pi)] * 4, abs=tolerances.FREQUENCY)
    assert all(abs(w[4]) <= tolerances.FREQUENCY for w in modes.velocity_shapes)


def test_free_body_has_only_rigid_body_modes() -> None:
    modes = free_body(0.0).linearize()
    assert np.array_equal(modes.eigenvalues, np.zeros(12)) and modes.is_stable and modes.is_conservative


def test_wrong_arguments_are_rejected() -> None:
    system = pendulum()
    with pytest.raises(ModelError, match="q must be 3 finite numbers"):
        system.linearize(np.zeros(4))
    with pytest.raises(ModelError, match="give q as well"):
        system.linearize(multipliers=np.zeros(1))
    with pytest.raises(ModelError, match="positive whole number"):
        system.linearize(modes=0)
    with pytest.raises(EquilibriumError, match="multipliers are not determined"):
        system.linearize(np.zeros(3))
