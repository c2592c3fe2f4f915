"""Variational integrators: published discrete solutions, orders, conserved quantities, and all interfaces."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.contract.sets import SETS, known_sets
from symlie.errors import (
    FormatError,
    ModelError,
    NotConvergedError,
    UnknownNameError,
    UnsupportedMethodError,
)
from symlie.models import flying_spaghetti, roll_up
from symlie.runtime.implicit.variational_samples import StepSamples
from symlie.runtime.implicit.variational_step import StartStage
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.methods.controllers import FIXED_STEPS
from symlie.runtime.methods.library import method
from symlie.runtime.methods.stepper import State, Stepper
from symlie.runtime.methods.variational import Variational
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.interruptions import (
    assert_continued_with_the_same_bits,
    content,
    interrupted,
    resumed_in_pieces,
)
from tests.runtime.test_generalized_alpha import machine, run_of_others, sleigh
from tests.runtime.test_monodromy import coin
from tests.systems import heavy_top_system, polar_system

BACKENDS = ("c", "numpy")
METHODS = ("rattlie", "variational_midpoint")
PARTS = ("q", "v", "multipliers")


def simpson(q0: Any, q1: Any, h: Any) -> Any:
    """A user-defined discrete Lagrangian."""
    v = q0.difference(q1) / h
    return h * (q0.lagrangian(v) + 4 * q0.interpolate(q1, 1 / 2).lagrangian(v) + q1.lagrangian(v)) / 6


@pytest.mark.slow
@pytest.mark.parametrize("newton", ["simplified", "full"])
def test_rod_matches_published_results(newton: str) -> None:
    """Independent code solved the same discrete equations for 128 steps."""
    found = run_of_others("RATTLie", "rattlie", "tolerance" if newton == "simplified" else "floor")
    assert found.statistics.max_constraint_residual <= tolerances.ON_BOTH_CONSTRAINTS
    assert found.statistics.max_velocity_residual <= tolerances.ON_BOTH_CONSTRAINTS * np.abs(found.v).max()


@pytest.mark.slow
def test_rod_matches_published_results_in_numpy() -> None:
    run_of_others("RATTLie", "rattlie", "floor", "numpy")


@functools.cache
def free_top(backend: str) -> System:
    """A gyrostat whose weight comes and goes, on SO(3)."""
    model = sl.Model("gyrostat")
    q = model.node("body", "SO3")
    model.kinetic_energy(q.Omega.dot(sl.diag(0.2, 0.5, 0.3) * q.Omega) / 2 + 1.2 * q.Omega[2])
    model.potential_energy((q.R * sl.vector(0, 0.1, 1))[2] * 2 * (1 + 0.3 * sl.sin(3 * model.time)))
    model.initial(q, Omega=[1, 2, -1.5])
    return model.derive().compile(backend=backend)


@functools.cache
def windy(backend: str) -> System:
    """A body on SE(3) with nonlinear drag, a force at a point, and a torque that does no work."""
    model = sl.Model("windy")
    q = model.node("body", "SE3")
    model.kinetic_energy(q.Omega.dot(sl.diag(0.2, 0.5, 0.3) * q.Omega) / 2 + q.U.dot(q.U))
    model.dissipation(q.U.dot(q.U) * 0.4 + 0.1 * q.Omega.dot(q.Omega))
    pull = -0.3 * sl.sqrt(1 + q.U.dot(q.U)) * (q.R * q.U) + sl.vector(sl.sin(2 * model.time), 0, 0)
    model.force(pull, q.x + q.R * sl.vector(0.1, 0, 0.2))
    model.generalized_force(q, Omega=[0.3 * q.Omega[1], -0.3 * q.Omega[0], 0.1])
    model.initial(q, Omega=[1, 2, -1.5], U=[1, 0, 0.5])
    return model.derive().compile(backend=backend)


SYSTEMS: dict[str, tuple[Any, float]] = {
    "coin": (coin, 0.4),
    "sleigh": (sleigh, 0.5),
    "machine": (lambda backend: machine(backend, jumps=False), 0.25),
    "gyrostat": (free_top, 0.5),
    "windy": (windy, 0.5),
    "polar": (polar_system, 0.5),
    "roll_up": (lambda backend: roll_up.build(4).derive().compile(backend=backend), 0.05),
    "SO3xR3": (functools.partial(heavy_top_system, "SO3xR3"), 1 / 64),
    "SE3": (functools.partial(heavy_top_system, "SE3"), 1 / 64),
    "S3sR3": (functools.partial(heavy_top_system, "S3sR3"), 1 / 64),
    "S3": (functools.partial(heavy_top_system, "S3"), 1 / 64),
}
"""Rolling without slipping, rows without Φ, motions and inputs, gyrostats, M(q), drag, and tops on four groups."""

QUICK = (("coin", "rattlie"), ("windy", "rattlie"), ("polar", "variational_midpoint"), ("S3", "simpson"))
ALL = [(system, name) for system in SYSTEMS for name in (*METHODS, "simpson")]


@pytest.mark.parametrize(
    ("system", "name"), [*QUICK, *(pytest.param(*c, marks=pytest.mark.slow) for c in ALL if c not in QUICK)]
)
def test_methods_have_their_declared_order(system: str, name: str) -> None:
    """Two in q, v and λ: largest error over the run; no damping turns it one."""
    make, end = SYSTEMS[system]
    compiled = make("c")
    best = "half_explicit_5" if compiled.layout.rows else "rkmk_dopri5"
    exact = sl.solve(compiled, end, h=end / 2048, method=best, multipliers="index1")
    chosen: Any = simpson if name == "simpson" else name
    coarse, fine = (sl.solve(compiled, end, h=end / n, method=chosen) for n in (128, 256))
    for part in PARTS if compiled.layout.rows else PARTS[:2]:
        found, known = [getattr(run, part) for run in (coarse, fine)], getattr(exact, part)
        first, second = (np.abs(x - known[:: 2048 // n]).max() for x, n in zip(found, (128, 256), strict=True))
        assert abs(math.log2(first / second) - 2) <= tolerances.VARIATIONAL_ORDER, part


@pytest.mark.slow
def test_end_loads_use_the_end_velocity() -> None:
    """With an old one the damped roll-up is of order one; stiff dampers take the matrix of the loads."""
    found = roll_up.build(8).derive().compile()
    coarse, fine, exact = (
        sl.solve(found, 0.25, h=2.0**-n, method=name)
        for n, name in ((9, "rattlie"), (10, "rattlie"), (12, "half_explicit_5"))
    )
    errors = [np.abs(run.q[-1] - exact.q[-1]).max() for run in (coarse, fine)]
    assert abs(math.log2(errors[0] / errors[1]) - 2) <= tolerances.VARIATIONAL_ORDER
    assert fine.statistics.jacobians > fine.statistics.steps


OPTIONS: tuple[dict[str, Any], ...] = ({}, {"newton": "full"}, {"newton": "simplified"}, {"multipliers": "index1"})
DOORS = [(name, options) for name in METHODS for options in OPTIONS]


@pytest.mark.parametrize(
    ("name", "options"),
    [DOORS[0], DOORS[4], *(pytest.param(*door, marks=pytest.mark.slow) for door in DOORS if door[1])],
)
def test_both_backends_agree(name: str, options: dict[str, Any]) -> None:
    """Also at cuts, events and jumps of inputs, and in what iterations take."""
    options = {**options, "newton_rtol": 1e-8}
    for make, mass in ((lambda backend: machine(backend), 3.5), (coin, 1.0)):
        runs = [
            sl.solve(make(b), 0.25, h=1 / 128, method=name, method_options=options, t_eval=[0.05, 0.1234, 0.25])
            for b in BACKENDS
        ]
        h, q = 1 / 128 / 8, np.abs(runs[0].q).max()
        for part, size in {"t": 1, "q": q, "v": q / h, "multipliers": 4 * mass * q / h**2}.items():
            a, b = (getattr(run, part) for run in runs)
            np.testing.assert_allclose(a, b, rtol=0, atol=tolerances.IMPLICIT_BACKENDS * size, err_msg=part)
        counts = [(run.statistics.newton_iterations, run.statistics.jacobians) for run in runs]
        assert counts[0] == counts[1]
        assert [e.name for e in runs[0].events] == [e.name for e in runs[1].events]


@pytest.mark.parametrize("name", [simpson, *(pytest.param(n, marks=pytest.mark.slow) for n in METHODS)])
@pytest.mark.parametrize(
    "make",
    [
        lambda: machine("numpy", jumps=False),
        lambda: roll_up.build(3).derive().compile(backend="numpy"),
        pytest.param(lambda: coin("numpy"), marks=pytest.mark.slow),
        pytest.param(lambda: polar_system("numpy"), marks=pytest.mark.slow),
    ],
)
def test_newton_matrix_is_the_derivative_of_the_residual(make: Callable[[], System], name: Any) -> None:
    """Of the first stage, along random directions, also where motions are prescribed."""
    system, random = make(), np.random.default_rng(4)
    chosen = chosen_method(name)
    assert isinstance(chosen, Variational) and chosen.element_set is not None
    stepper, layout, n = Stepper(system, chosen, FIXED_STEPS), system.layout, system.layout.dimension
    (kernels, tables), h, start = stepper.discrete(chosen.element_set, True), 0.05, system.initial_state.q
    between, nodes = chosen.tableau.discrete.between, stepper.further
    samples = StepSamples(system.mechanics, kernels, nodes, between, 0.1, start, h) if nodes is not None else None
    stage = StartStage(system, kernels, tables, 0.1, start, h, samples)
    stage.begin(random.normal(size=n), 0.1 * random.normal(size=n))
    u = 0.1 * random.normal(size=n + layout.rows)
    stage.residual(u)
    stage.refresh()
    for _ in range(3):
        d = random.normal(size=len(u))
        d[:n] *= layout.free
        slope = (stage.residual(u + 1e-5 * d) - stage.residual(u - 1e-5 * d)) / 2e-5
        found = stage.correction(slope)
        np.testing.assert_allclose(found, d, rtol=0, atol=tolerances.STAGE_DIFFERENCE)


@pytest.mark.slow
@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", METHODS)
def test_resumed_and_continued_runs_are_bit_identical(name: str, backend: str, tmp_path: Path) -> None:
    system, path = machine(backend, jumps=False), tmp_path / "run.checkpoint"
    options: dict[str, Any] = {"method": name, "h": 1 / 64}
    expected = sl.solve(system, 0.15625, **options)
    interrupted(system, 0.15625, 3, path, **options)
    assert content(resumed_in_pieces(path, 3)) == content(expected)
    assert_continued_with_the_same_bits(system, 0.125, 0.15625, tmp_path, **options)


@pytest.mark.slow
@pytest.mark.usefixtures("often")
def test_custom_methods_can_be_resumed(tmp_path: Path) -> None:
    """Their samples are in the record: the file of the function is not needed any more."""
    path = tmp_path / "run.checkpoint"
    options: dict[str, Any] = {"method": simpson, "h": 1 / 256}
    system = heavy_top_system("SE3", "numpy")
    expected = sl.solve(system, 1 / 16, **options)
    interrupted(system, 1 / 16, 2, path, **options)
    assert content(resumed_in_pieces(path, 2)) == content(expected)


@functools.cache
def linked(backend: str) -> System:
    """Two bodies on SE(3) that float, with a ball joint and a spring that turns them into one direction."""
    model = sl.Model("linked")
    first, second = model.node("first", "SE3"), model.node("second", "SE3")
    inertia, mass, arm = sl.diag(0.2, 0.5, 0.3), 2.0, sl.vector(0, 0.3, 0.4)
    linear, angular = sl.vector(0, 0, 0), sl.vector(0, 0, 0)
    for q in (first, second):
        model.kinetic_energy((q.Omega.dot(inertia * q.Omega) + mass * q.U.dot(q.U)) / 2)
        linear = linear + mass * (q.R * q.U)
        angular = angular + q.R * (inertia * q.Omega) + q.x.cross(mass * (q.R * q.U))
    axis = sl.vector(0, 0, 1)
    model.potential_energy(4 * (1 - (first.R * axis).dot(second.R * axis)))
    model.constraint("ball", first.x + first.R * arm - second.x + second.R * arm)
    model.initial(first, Omega=[0.4, 1, -0.5], U=[0.1, 0.2, 0.3])
    model.initial(second, x=[0, 0.6, 0.8], Omega=[-0.5, 0.3, 0.8])
    model.output("momentum", linear)
    model.output("angular_momentum", angular)
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_momenta_and_both_constraints_are_conserved(name: str) -> None:
    """Momenta p = M v at grid points; the energy returns to its initial value without a trend."""
    run = sl.solve(linked("c"), 160, h=1 / 128, method=name, record_every=16)
    for output in ("momentum", "angular_momentum"):
        kept = run.outputs[output]
        assert np.abs(kept - kept[0]).max() <= tolerances.KEPT_MOMENTUM * np.abs(kept).max() * np.abs(run.q).max()
    assert run.statistics.max_constraint_residual <= tolerances.ON_BOTH_CONSTRAINTS * np.abs(run.q).max()
    assert run.statistics.max_velocity_residual <= tolerances.ON_BOTH_CONSTRAINTS * max(1.0, np.abs(run.v).max())
    means = [part.mean() for part in np.array_split(run.outputs["energy"][1:], 8)]
    (slope, _), covariance = np.polyfit(np.arange(8), means, 1, cov=True)
    assert abs(slope) <= tolerances.NO_TREND * math.sqrt(covariance[0, 0])


@pytest.mark.parametrize("name", METHODS)
def test_integration_is_time_reversible(name: str) -> None:
    """512 steps forward, velocities reversed, 512 steps back."""
    system, h = linked("c"), 1 / 256
    go = sl.solve(system, 512 * h, h=h, method=name)
    for node in ("first", "second"):
        fields = {f: go.field(node, f)[-1] * (-1 if f in ("Omega", "U") else 1) for f in ("R", "x", "Omega", "U")}
        system = system.with_initial(node, **fields)
    back = sl.solve(system, 512 * h, h=h, method=name)
    np.testing.assert_allclose(back.q[-1], go.q[0], rtol=0, atol=tolerances.TIME_REVERSAL)
    np.testing.assert_allclose(back.v[-1], -go.v[0], rtol=0, atol=tolerances.TIME_REVERSAL)


FIXED_POINT_INERTIA = np.array([15.234375, 0.46875, 15.234375])


def defect_of_the_symplectic_form(name: Any, h: float) -> float:
    """Largest change of dp∧dq over one step of the top on SO(3), by the step map, differentiated.

    In left trivialisation the form is ⟨μ₂, ξ₁⟩ - ⟨μ₁, ξ₂⟩ + ⟨p, [ξ₁, ξ₂]⟩.
    """
    system = heavy_top_system("SO3", "numpy").with_initial("top", Omega=[0.4, 3.0, -1.0])
    kernels, chosen, J = system.mechanics.kernels, chosen_method(name), FIXED_POINT_INERTIA
    q0, v0 = system.initial_state.q, system.initial_state.v

    def step(q: Array, v: Array) -> tuple[Array, Array]:
        stepper, state = Stepper(system, chosen, FIXED_STEPS), State(0.0, q, v, np.zeros(0))
        state.own = chosen.begin(stepper, state, h)
        trial = stepper.step(state, h)
        return trial.q, trial.v

    q1, v1 = step(q0, v0)

    def moved(u: Array, by: float) -> Array:
        q, v = step(kernels.advance(q0, by * u[:3]), v0 + by * u[3:] / J)
        return np.concatenate([kernels.difference(q1, q), J * (v - v1)])

    def column(u: Array) -> Array:
        """By central differences at three distances, extrapolated."""
        d = [(moved(u, e) - moved(u, -e)) / (2 * e) for e in (2e-3, 1e-3, 5e-4)]
        first, second = (4 * d[1] - d[0]) / 3, (4 * d[2] - d[1]) / 3
        return np.asarray((16 * second - first) / 15)

    def form(p: Array, a: Array, b: Array) -> float:
        return float(a[:3] @ b[3:] - b[:3] @ a[3:] + p @ np.cross(a[:3], b[:3]))

    units = np.eye(6)
    ends = [column(u) for u in units]
    pairs = [(i, j) for i in range(6) for j in range(i)]
    return max(abs(form(J * v1, ends[i], ends[j]) - form(J * v0, units[i], units[j])) for i, j in pairs)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*METHODS, simpson])
def test_symplectic_form_is_preserved(name: Any) -> None:
    assert defect_of_the_symplectic_form(name, 0.1) <= tolerances.SYMPLECTIC_FORM


def test_other_methods_change_the_symplectic_form() -> None:
    """Of generalized-α the defect of a step is of third order."""
    coarse, fine = (defect_of_the_symplectic_form("generalized_alpha", h) for h in (0.05, 0.025))
    assert abs(math.log2(coarse / fine) - 3) <= tolerances.VARIATIONAL_ORDER


def test_unsupported_features_are_rejected() -> None:
    with pytest.raises(UnsupportedMethodError, match="rattlie"):
        sl.solve(heavy_top_system("SE3", "numpy"), 0.01, rtol=1e-6, method="rattlie")
    with pytest.raises(UnknownNameError, match="newton 'some'"):
        method("rattlie").with_options({"newton": "some"})


def test_unstable_step_sizes_name_a_feasible_one() -> None:
    """h ω = 320/2⁷ = 2.5."""
    system = flying_spaghetti.build(16).derive().compile()
    with pytest.raises(NotConvergedError, match=r"steps of 0\.00390625 s can be taken there; .* h ω must be below 2"):
        sl.solve(system, 1, h=2.0**-7, method="rattlie")


WRONG: dict[str, tuple[Any, str]] = {
    "half": (lambda q0, q1, h: h * q0.lagrangian(q0.difference(q1) / h) / 2, "is not consistent"),
    "sum": (lambda q0, q1, h: q0.lagrangian(q0.difference(q1) / h), "numbers times h"),
    "velocity": (lambda q0, q1, h: h * q0.lagrangian(q0.difference(q1)), r"must be q0\.difference\(q1\) / h"),
    "product": (lambda q0, q1, h: h * q0.potential_energy() * q1.potential_energy(), "not a product"),
    "number": (lambda q0, q1, h: 1.0, "not a sum of sampled energies"),
    "failing": (lambda q0, q1, h: q0.unknown, "fails with q0, q1 and h"),
    "two": (lambda q0, q1: 0, "fails with q0, q1 and h"),
}


@pytest.mark.parametrize("name", WRONG)
def test_invalid_discrete_lagrangians_are_rejected(name: str) -> None:
    function, sentence = WRONG[name]
    with pytest.raises(ModelError, match=sentence):
        sl.solve(heavy_top_system("SE3", "numpy"), 0.01, h=0.001, method=function)


@pytest.mark.slow
def test_discrete_lagrangian_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "own.py"
    with pytest.raises(FormatError, match="does not exist"):
        sl.solve(heavy_top_system("SE3", "numpy"), 0.01, h=0.001, method=f"{file}:left")
    file.write_text("def left(q0, q1, h):\n    return h * q0.lagrangian(q0.difference(q1) / h)\n", encoding="utf-8")
    run = sl.solve(heavy_top_system("SE3", "numpy"), 0.01, h=0.001, method=f"{file}:left")
    assert run.method == "left"
    run.save(tmp_path / "run.npz")
    with monkeypatch.context() as patch:  # a process that has not seen the function
        patch.setattr("symlie.contract.sets._STATED", {n: s for n, s in known_sets().items() if n in SETS})
        read = sl.load_solution(tmp_path / "run.npz", trust=True)
        again = sl.solve(read.system, 0.01, h=0.001, method=f"{file}:left")
    assert again.q.tobytes() == run.q.tobytes()
    with pytest.raises(ModelError, match="has no function 'right'"):
        sl.solve(heavy_top_system("SE3", "numpy"), 0.01, h=0.001, method=f"{file}:right")
    file.write_text("raise ValueError('no')", encoding="utf-8")
    with pytest.raises(ModelError, match="fails, where"):
        sl.solve(heavy_top_system("SE3", "numpy"), 0.01, h=0.001, method=f"{file}:left")
