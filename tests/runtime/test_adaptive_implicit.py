"""Adaptive steps of generalized-α methods: the estimate, tolerances, failed steps, events, and resumed runs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import TooManyStepsError, UnsupportedMethodError
from symlie.runtime.system.system import System
from symlie.warnings import SymlieWarning
from tests import tolerances
from tests.runtime.interruptions import content, interrupted
from tests.runtime.test_generalized_alpha import BACKENDS, METHODS, machine
from tests.systems import heavy_top_system


@pytest.mark.parametrize("rho", [0.0, 0.9, 1.0])
@pytest.mark.parametrize("group", ["SO3", "SE3", "SO3xR3"])
@pytest.mark.parametrize("name", METHODS)
def test_estimate_is_the_local_error_of_positions(name: str, group: str, rho: float) -> None:
    """Of third order, and as large as the error itself, also across constraints."""
    system = heavy_top_system(group, "numpy")
    exact_method = "rkmk_dopri5" if group == "SO3" else "half_explicit_5"
    estimates, errors = [], []
    for h in (2.0**-9, 2.0**-10):
        run = sl.solve(system, h, method=name, h=h, atol=1.0, trace=True, method_options={"rho": rho})
        exact = sl.solve(system, h, method=exact_method, h=h / 8)
        assert run.trace is not None
        estimates.append(float(run.trace.error[0]))
        apart = system.kernels.difference(run.q[-1], exact.q[-1])
        errors.append(float(np.linalg.norm(apart)) / math.sqrt(2 * len(apart)))
    assert math.log2(estimates[0] / estimates[1]) == pytest.approx(3, abs=tolerances.LOCAL_ERROR)
    assert estimates[1] == pytest.approx(errors[1], rel=tolerances.LOCAL_ERROR)


@pytest.mark.parametrize("name", METHODS)
def test_errors_fall_with_the_tolerance(name: str) -> None:
    """Errors scale as rtol^(2/3), as expected of a method of order two with a bound on the error per step."""
    system = heavy_top_system("SO3xR3")
    exact = sl.solve(system, 1 / 16, h=2.0**-13, method="half_explicit_5", multipliers="index1", record_every=0)
    rows = []
    for rtol in (1e-4, 1e-6, 1e-8):
        run = sl.solve(system, 1 / 16, rtol=rtol, method=name, trace=True)
        assert run.trace is not None and run.statistics.rejected == np.sum(~run.trace.accepted) <= 2
        rows.append([np.abs(getattr(run, p)[-1] - getattr(exact, p)[-1]).max() for p in ("q", "v", "multipliers")])
    fallen = np.array(rows[:-1]) / np.array(rows[1:]) / 100 ** (2 / 3)
    assert np.all(np.abs(np.log(fallen)) < math.log(tolerances.FALL_FACTOR)), fallen
    assert rows[-1][0] < tolerances.ADDED_ERRORS


@pytest.mark.parametrize("name", METHODS)
def test_factors_are_reused_over_many_steps(name: str) -> None:
    """Step sizes stay constant where they could grow slightly, without loss of accuracy; with full Newton they grow."""
    system, rtol = heavy_top_system("SE3"), 1e-5
    full, modified = (
        sl.solve(system, 1 / 16, rtol=rtol, method=name, trace=True, method_options={"newton": newton})
        for newton in ("full", "modified")
    )
    assert full.trace is not None and modified.trace is not None
    same = [float(np.mean(np.diff(run.trace.h) == 0)) for run in (full, modified)]
    assert same[0] < 0.1 < 0.5 < same[1]
    assert modified.statistics.jacobians < modified.statistics.steps / 3
    assert modified.statistics.steps < 1.2 * full.statistics.steps
    exact = sl.solve(system, 1 / 16, h=2.0**-13, method="half_explicit_5", record_every=0)
    errors = [np.abs(run.q[-1] - exact.q[-1]).max() for run in (full, modified)]
    assert errors[1] < 1.5 * errors[0]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "newton"), [(METHODS[0], "modified"), (METHODS[1], "full")])
def test_both_backends_take_the_same_steps(name: str, newton: str) -> None:
    """Also at events, times that are hit, and jumps of inputs, with a pivot in motion.

    No step is cut so short that rounding of Φ shows in v̇.
    """
    options: dict[str, Any] = {"method": name, "rtol": 1e-4, "trace": True, "method_options": {"newton": newton}}
    first, second = (sl.solve(machine(backend), 0.2, t_eval=[0.047, 0.1234, 0.2], **options) for backend in BACKENDS)
    assert first.trace is not None and second.trace is not None and len(first.trace.h) > 10
    np.testing.assert_allclose(first.trace.h, second.trace.h, rtol=tolerances.ADAPTIVE_STEPS)
    np.testing.assert_allclose(first.q, second.q, rtol=0, atol=tolerances.IMPLICIT_STATES)
    assert first.statistics.newton_iterations == second.statistics.newton_iterations
    assert [e.name for e in first.events] == [e.name for e in second.events]


def swing(backend: str, last: float = 0.0) -> System:
    """A pendulum on a rod that ends where it has passed its lowest point."""
    model = sl.Model("swing")
    bob = model.node("bob", "R3")
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(9.81 * bob.x[2])
    model.constraint("length", (bob.x.dot(bob.x) - 1) / 2)
    model.event("lowest", bob.x[0] - last, terminal=True)
    model.initial(bob, x=[0.6, 0, -0.8])
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "backend"), [(METHODS[0], "c"), (METHODS[1], "numpy")])
def test_events_end_adaptive_runs(name: str, backend: str) -> None:
    exact = sl.solve(swing(backend), 2, rtol=1e-10)
    run = sl.solve(swing(backend), 2, rtol=1e-6, method=name)
    assert run.events[-1].name == "lowest" and abs(run.q[-1, 0]) < tolerances.ON_EVENT
    assert run.t[-1] == pytest.approx(exact.t[-1], abs=tolerances.SWING)
    assert run.multipliers[-1] == pytest.approx(exact.multipliers[-1], rel=tolerances.SWING)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", METHODS)
def test_rejected_first_step_preserves_the_order(name: str, backend: str) -> None:
    """The optimal start is computed anew for the length of the next one."""
    system = heavy_top_system("SO3xR3", backend)
    options: dict[str, Any] = {"method": name, "rtol": 1e-5, "trace": True}
    rejected = sl.solve(system, 0.005, h0=0.005, **options)
    trace = rejected.trace
    assert trace is not None and not trace.accepted[0]
    begun = sl.solve(system, 0.005, h0=float(trace.h[trace.accepted][0]), **options)
    assert begun.trace is not None and begun.trace.accepted[0]
    assert all(getattr(rejected, part)[1].tobytes() == getattr(begun, part)[1].tobytes() for part in ("q", "v"))
    assert rejected.multipliers[1].tobytes() == begun.multipliers[1].tobytes()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", METHODS)
def test_shortened_steps_converge_to_rounding(name: str, backend: str) -> None:
    """v̇ is a difference of terms of size v/h, and its rounding is not a failure; index 3 ends on B v + b = 0 there."""
    system = heavy_top_system("SO3xR3", backend)
    for rest in (1.6e-6, 1e-7, 1e-9):
        run = sl.solve(system, 1e-3 + rest, h=1e-3, t_eval=[1e-3, 1e-3 + rest], method=name)
        np.testing.assert_allclose(run.q[1], run.q[0], rtol=0, atol=rest * np.linalg.norm(run.v[0]))
        np.testing.assert_allclose(run.v[1], run.v[0], rtol=0, atol=tolerances.OFF_VELOCITY)


def test_steps_without_solution_are_repeated() -> None:
    """With one correction per step only short steps converge."""
    options: dict[str, Any] = {"method": METHODS[0], "method_options": {"newton_max": 2, "newton_rtol": 1e-6}}
    runs = [sl.solve(heavy_top_system("SO3xR3", b), 0.01, rtol=1e-2, h0=0.01, trace=True, **options) for b in BACKENDS]
    traces = [run.trace for run in runs]
    assert traces[0] is not None and traces[1] is not None
    assert math.isnan(traces[0].error[0]) and not traces[0].accepted[0] and runs[0].t[-1] == 0.01
    np.testing.assert_allclose(traces[0].h, traces[1].h, rtol=tolerances.LOOSE_STEPS)


@pytest.mark.slow
def test_failed_start_is_repeated() -> None:
    """Its difference quotients reach to where the force is not a number, for a first step that is much too long."""
    runs = []
    for backend in BACKENDS:
        model = sl.Model("bowl")
        q = model.node("mass", "R1")
        model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
        model.potential_energy(-sl.sqrt(1 - q.x[0] ** 2))
        model.initial(q, x_dot=[0.5])
        system = model.derive().compile(backend=backend)
        with pytest.raises(TooManyStepsError) as caught:
            sl.solve(system, 1e5, method=METHODS[0], rtol=1e-3, h0=1e5, trace=True, max_steps=20)
        assert caught.value.solution is not None
        runs.append(caught.value.solution)
    first, second = (run.trace for run in runs)
    assert first is not None and second is not None and math.isnan(first.error[0])
    np.testing.assert_allclose(first.h, second.h, rtol=tolerances.LOOSE_STEPS)


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("newton", ["full", "modified"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_resumed_runs_are_bit_identical(newton: str, backend: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"method": METHODS[0], "rtol": 1e-4, "method_options": {"newton": newton}}
    system = machine(backend, jumps=False)
    expected, path = sl.solve(system, 0.1, **options), tmp_path / "run"
    interrupted(system, 0.1, 3, path, **options)
    assert content(sl.resume(path, trust=True)) == content(expected)


def test_parameters_of_order_one_have_no_estimate() -> None:
    named = pytest.raises(UnsupportedMethodError, match="has no error estimate")
    with pytest.warns(SymlieWarning, match="order 1"), named:
        sl.solve(heavy_top_system("SE3"), 1, method=METHODS[0], method_options={"gamma": 0.7})
