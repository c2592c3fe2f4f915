"""Between recorded states of nodes that move by fields, where a shorter step of the method leads."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import NotFiniteError
from symlie.runtime.solution.solution import Solution, StateAt
from symlie.runtime.system.system import System
from tests import tolerances

BACKENDS = ("c", "numpy")
STEP, END, SPIN = 0.1, 1.0, 50.0
TIMES = np.array([0.53, 0.17, 0.3, 0.18, 0.94])
METHODS = ("index1_dopri5", "half_explicit_5")
RECORDS = ("q", "v", "multipliers", "carried")


@functools.cache
def compass(backend: str) -> System:
    """A mass on a sphere that pulls at a spin without velocity, a wheel that turns freely, and one that is driven."""
    model = sl.Model("compass")
    mass, spin = model.node("mass", "R3"), model.node("spin", sl.S2)
    wheel, driven = model.node("wheel", sl.SO2), model.node("driven", sl.SO2)
    model.kinetic_energy((mass.x_dot.dot(mass.x_dot) + wheel.Omega[0] ** 2) / 2)
    model.potential_energy(9.81 * mass.x[2] + mass.x.dot(spin.q))
    model.constraint("sphere", (mass.x.dot(mass.x) - 1) / 2)
    model.field(spin, mass.x)
    angle = 100 * model.t**2
    model.prescribe(driven, p=[sl.cos(angle), sl.sin(angle)])
    model.initial(mass, x=[0.6, 0, -0.8], x_dot=[0, 1, 0])
    model.initial(spin, q=[0, 0.6, 0.8])
    model.initial(wheel, Omega=[SPIN])
    return model.derive().compile(backend=backend)


@functools.cache
def solved(backend: str, method: str = METHODS[0]) -> Solution:
    """A run that recorded every step."""
    return sl.solve(compass(backend), END, method=method, h=STEP)


def at(solution: Solution, times: Any) -> Solution:
    """The solution at several times."""
    found = solution(times)
    assert isinstance(found, Solution)
    return found


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_dense_output_matches_a_run_that_stops_there(backend: str, method: str) -> None:
    found, records = at(solved(backend, method), TIMES), solved(backend, method).t
    for k, t in enumerate(TIMES):
        before = float(records[records <= t][-1])
        stopped = sl.solve(compass(backend), float(t), method=method, h=STEP, t_eval=[before, float(t)])
        for name in ("q", "v", "carried"):
            expected = getattr(stopped, name)[-1]
            np.testing.assert_allclose(getattr(found, name)[k], expected, rtol=0, atol=tolerances.SHORTER_STEPS)
        expected = compass(backend).mechanics.index1(float(t), stopped.q[-1], stopped.v[-1])[1]
        np.testing.assert_allclose(found.multipliers[k], expected, rtol=0, atol=tolerances.SHORTER_STEPS)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_turns_within_steps_are_counted(backend: str) -> None:
    """Steps of 5 rad, and of up to 20."""
    found = at(solved(backend), TIMES)
    np.testing.assert_allclose(found.angle("wheel"), SPIN * TIMES, rtol=0, atol=tolerances.COUNTED_ANGLE)
    np.testing.assert_allclose(found.angle("driven"), 100 * TIMES**2, rtol=0, atol=tolerances.COUNTED_ANGLE)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_backends_agree(method: str) -> None:
    solution = solved("c", method)
    times = np.concatenate([np.random.default_rng(3).uniform(0, END, 30), solution.t[:3], TIMES])
    c, numpy = at(solution, times), at(dataclasses.replace(solution, system=compass("numpy")), times)
    for name in RECORDS:
        a, b = getattr(c, name), getattr(numpy, name)
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerances.SHORTER_STEPS)
    assert c.q[30:33].tobytes() == solution.q[:3].tobytes()


@pytest.mark.parametrize("backend", BACKENDS)
def test_single_times_match_arrays_of_times(backend: str) -> None:
    together = at(solved(backend), TIMES)
    for k, t in enumerate(TIMES):
        alone = solved(backend)(float(t))
        assert isinstance(alone, StateAt)
        for name in RECORDS:
            assert getattr(alone, name).tobytes() == getattr(together, name)[k].tobytes()


@pytest.mark.parametrize("backend", BACKENDS)
def test_dense_output_satisfies_constraints(backend: str) -> None:
    free, kept = (
        at(sl.solve(compass(backend), END, method=METHODS[0], h=STEP, stabilize=s), TIMES)
        for s in ("none", "projection+velocity")
    )
    assert free.outputs["constraint_residual"].max() > 100 * tolerances.SHORTER_STEPS
    for name in ("constraint_residual", "velocity_residual"):
        assert kept.outputs[name].max() < tolerances.SHORTER_STEPS


@pytest.mark.parametrize("backend", BACKENDS)
def test_failed_step_reports_its_time(backend: str) -> None:
    solution = solved(backend)
    q = solution.q.copy()
    q[4] = np.nan
    damaged = dataclasses.replace(solution, q=q)
    assert np.isfinite(at(damaged, [0.05, 0.36]).q).all()
    with pytest.raises(NotFiniteError, match="not finite at"):
        damaged([0.05, 0.45, 0.36])


def test_loaded_solution_gives_identical_dense_output(tmp_path: Path) -> None:
    solved("c").save(tmp_path / "run.npz")
    loaded = sl.load_solution(tmp_path / "run.npz", trust=True)
    assert loaded.system.backend == "c"
    for name in RECORDS:
        assert getattr(at(loaded, TIMES), name).tobytes() == getattr(at(solved("c"), TIMES), name).tobytes()
