"""Runs that leave the model end with its name and the solution up to the last good step, on both backends alike."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import (
    ConstraintDriftError,
    IndefiniteMassMatrixError,
    IntegrationError,
    ModelError,
    NotFiniteError,
    OutOfMemoryError,
    StepUnderflowError,
    TooManyStepsError,
)
from symlie.runtime.integrate import run as execution
from symlie.runtime.kernels.rows import Rows
from symlie.runtime.system.system import System

BACKENDS = ("c", "numpy")


def rod(name: str) -> tuple[sl.Model, Any]:
    """A model with one coordinate x and unit mass."""
    model = sl.Model(name)
    q = model.node("q", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    return model, q


def shrinking() -> sl.Model:
    """M = 1 - x: x' grows without bound on the way to x = 1, which is reached at t = 2/3."""
    model = sl.Model("shrinking_mass")
    q = model.node("q", "R1")
    model.kinetic_energy((1 - q.x[0]) * q.x_dot[0] ** 2 / 2)
    model.initial(q, x=[0], x_dot=[1])
    return model


def shrinking_array() -> sl.Model:
    """The same for two of three points on lines, in blocks: the mass of the second one vanishes first."""
    point = sl.ElementType("shrinking_point", q="R2")
    q = point.q
    lost = point.parameter("lost", 1.0)
    point.kinetic_energy(((1 - lost * q.x[0]) * q.x_dot[0] ** 2 + q.x_dot[0] * q.x_dot[1] + q.x_dot[1] ** 2) / 2)
    model = sl.Model("shrinking_masses")
    nodes = model.node_array("points", "R2", 3)
    model.add(point, nodes, lost=[0.0, 1.0, 0.5])
    nodes.initial(x=np.zeros((3, 2)), x_dot=[[1, 0]] * 3)
    return model


def circle() -> sl.Model:
    """x² = 1 - t, which has no solution after t = 1."""
    model, q = rod("vanishing_circle")
    model.constraint("circle", (q.x[0] ** 2 - (1 - model.t)) / 2)
    model.initial(q, x=[1])
    return model


def pendulums() -> sl.Model:
    """A light pendulum that carries a heavy one."""
    model = sl.Model("unequal_pendulums")
    a, b = model.node("a", "R3"), model.node("b", "R3")
    heavy = model.parameter("heavy", 1e14)
    model.kinetic_energy(a.x_dot.dot(a.x_dot) / 2 + heavy * b.x_dot.dot(b.x_dot) / 2)
    model.potential_energy(9.81 * (a.x[2] + heavy * b.x[2]))
    model.constraint("upper", (a.x.dot(a.x) - 1) / 2)
    model.constraint("lower", ((b.x - a.x).dot(b.x - a.x) - 1) / 2)
    model.initial(a, x=[1, 0, 0])
    model.initial(b, x=[1, 1, 0])
    return model


def free() -> sl.Model:
    model, q = rod("free_particle")
    model.initial(q, x=[0], x_dot=[1])
    return model


def oscillator() -> sl.Model:
    model, q = rod("oscillator")
    model.potential_energy(q.x[0] ** 2 / 2)
    model.initial(q, x=[1], x_dot=[0])
    return model


def ending_force() -> sl.Model:
    """A force √(-t), finite at t = 0 and NaN afterwards."""
    model, q = rod("ending_force")
    model.generalized_force(q, x_dot=[sl.sqrt(-model.t)])
    model.initial(q, x=[0], x_dot=[0])
    return model


@functools.cache
def system_of(build: Callable[[], sl.Model], backend: str) -> System:
    return build().derive().compile(backend=backend)


def failed(kind: type[IntegrationError], system: System, *arguments: Any, **options: Any) -> IntegrationError:
    """The exception of a run whose solution has every step."""
    error = failed_early(kind, system, *arguments, **options)
    assert error.solution is not None
    assert error.solution.statistics.steps == len(error.solution.t) - 1, "each state once"
    return error


def failed_early(kind: type[IntegrationError], system: System, *arguments: Any, **options: Any) -> IntegrationError:
    """The exception of a run, with a solution that is finite and ends at its last good step."""
    with pytest.raises(kind) as caught:
        sl.solve(system, *arguments, **options)
    solution = caught.value.solution
    assert solution is not None and solution.status == kind.__name__
    assert np.all(np.isfinite(solution.q)) and np.all(np.isfinite(solution.v))
    assert f"t = {solution.t[-1]:.9g}" in str(caught.value)
    return caught.value


# Build, error, steps, end of the last good step, words of the message.
RUNS = {
    "mass": (shrinking, IndefiniteMassMatrixError, {"h": 0.05}, 1.0, 0.65, "velocity component 0 of node 'q'"),
    "masses": (shrinking_array, IndefiniteMassMatrixError, {"h": 0.05}, 1.0, None, "of node 'points[1]'"),
    "no solution": (circle, ConstraintDriftError, {"h": 0.01}, 2.0, 0.99, "row 1 of constraint 'circle'"),
    "stiff": (pendulums, ConstraintDriftError, {"h": 0.1}, 5.0, None, "constraint"),
    "overflow": (free, NotFiniteError, {"h": 10.0}, 100.0, 0.0, "node 'q'"),
}


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", RUNS)
def test_fixed_steps_stop_at_invalid_states(name: str, backend: str) -> None:
    build, kind, steps, t_end, last, words = RUNS[name]
    ends = []
    for kept in (backend, "c"):
        system = system_of(build, kept)
        if name == "overflow":
            system = system.with_initial("q", x_dot=[1e308])
        error = failed(kind, system, t_end, **steps)
        assert words in str(error) and error.solution is not None
        ends.append(error.solution.t[-1])
    assert ends[0] == ends[1]
    assert last is None or ends[0] == pytest.approx(last)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_adaptive_steps_stop_at_invalid_states(backend: str) -> None:
    """They come near to where the model ends, and say so."""
    for build, end in ((shrinking, 2 / 3), (circle, 1.0)):
        error = failed(StepUnderflowError, system_of(build, backend), 2.0)
        assert error.solution is not None and error.solution.t[-1] == pytest.approx(end, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_moderate_drift_is_accepted(backend: str) -> None:
    """Methods of index 1 drift, as they are meant to demonstrate."""
    pendulum = system_of(pendulums, backend).with_parameters(heavy=1.0)
    solution = sl.solve(pendulum, 10.0, method="index1_dopri5", h=0.05)
    assert solution.status == "ok" and solution.statistics.max_constraint_residual > 1e-4
    light = system_of(pendulums, backend).with_parameters(heavy=1e-8)
    assert sl.solve(light, 1.0, h=0.002).status == "ok"


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("options", [{}, {"t_eval": [0.0, 1.0]}, {"h0": 1e-3}])
def test_rejected_steps_are_limited(options: dict[str, Any], backend: str) -> None:
    error = failed(NotFiniteError, system_of(ending_force, backend), 1.0, **options)
    assert error.solution is not None and error.solution.t.tolist() == [0]
    assert error.solution.statistics.rejected < 40
    assert "the force is not finite at velocity component 0 of node 'q'" in str(error)


@pytest.mark.parametrize("backend", BACKENDS)
def test_overflowing_velocities_are_reported(backend: str) -> None:
    system = system_of(free, backend)
    solution = sl.solve(system.with_initial("q", x_dot=[1e300]), 1.0)
    assert solution.q[-1, 0] == pytest.approx(1e300)
    with pytest.raises(NotFiniteError):
        sl.solve(system.with_initial("q", x_dot=[1e308]), 100.0)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("options", [{"h": 1.0}, {"h": 1e-3}, {}])
def test_step_size_below_time_resolution_is_reported(options: dict[str, Any], backend: str) -> None:
    with pytest.raises(ModelError, match=r"below the resolution of times near 1e\+17 s.*at least"):
        sl.solve(system_of(free, backend), (1e17, 1e17 + 100), **options)
    solution = sl.solve(system_of(free, backend), (1e17, 1e17 + 4096), h=512.0)
    assert np.all(np.diff(solution.t) == 512) and solution.q[-1, 0] == pytest.approx(4096)


@pytest.mark.parametrize("backend", BACKENDS)
def test_sparse_records_are_supported(backend: str) -> None:
    solution = sl.solve(system_of(free, backend), 1.0, h=0.25, record_every=10**30)
    assert solution.t.tolist() == [0, 1] or solution.t.tolist() == [1]


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_number_of_steps_is_limited(backend: str) -> None:
    """Between two times that are hit exactly; the partial solution is available and can be continued."""
    system = system_of(oscillator, backend)
    error = failed(TooManyStepsError, system, 100.0, max_steps=20)
    assert str(error).startswith("20 steps reached only t = ") and "t = 100" in str(error)
    assert error.solution is not None and error.solution.statistics.steps == 20
    rest = sl.solve(system, error.solution.t[-1] + 0.1, start=error.solution, max_steps=20)
    assert rest.status == "ok"
    many = sl.solve(system, 40.0, t_eval=np.arange(1.0, 41.0), max_steps=20)
    assert many.statistics.steps > 20
    with pytest.raises(ModelError, match=r"100 steps of 0\.01 s between two stop times exceed max_steps = 99"):
        sl.solve(system, 1.0, h=0.01, max_steps=99)
    for wrong in (0, -1, 2.5, "9"):
        with pytest.raises(ModelError, match="max_steps must be a positive whole number"):
            sl.solve(system, 1.0, max_steps=wrong)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_exhausted_memory_preserves_states(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    system = system_of(oscillator, backend)
    whole = sl.solve(system, 8.0, h=2.0**-6, trace=True)
    reserve, refused = Rows.reserve, []

    def limited(rows: Rows, count: int) -> None:
        if len(rows) + count > 300 and not refused:  # there is room for one more, see Rows.reserve
            refused.append(count)
            raise MemoryError
        reserve(rows, count)

    monkeypatch.setattr(Rows, "reserve", limited)
    monkeypatch.setattr(execution, "RETURN_SECONDS", 0.0)  # a record at a time
    error = failed_early(OutOfMemoryError, system, 8.0, h=2.0**-6, trace=True)
    assert "Out of memory for records" in str(error) and error.solution is not None
    kept = len(error.solution.t)
    assert 10 < kept <= 301
    assert error.solution.q[: kept - 1].tobytes() == whole.q[: kept - 1].tobytes()


def test_record_arrays_grow_in_place() -> None:
    rows = Rows(2)
    for k in range(1000):
        rows.add(np.array([[k, -k]]))
    assert len(rows) == 1000 and rows.nbytes == 16000 and rows.last()[0].tolist() == [999, -999]
    assert rows.since(998)[0].tolist() == [[998, -998], [999, -999]]
    assert rows.taken()[0][:, 0].tolist() == list(range(1000)) and len(rows) == 0


def test_record_columns_stay_aligned() -> None:
    rows = Rows(1, 3, 0)
    for k in range(20):
        rows.add(np.array([k, k + 0.5]), np.arange(6.0) + k, np.zeros(0))
    t, x, nothing = rows.taken()
    assert t[:, 0].tolist() == [k + s for k in range(20) for s in (0, 0.5)] and nothing.shape == (40, 0)
    assert x[-2:].tolist() == [[19, 20, 21], [22, 23, 24]]


@pytest.mark.parametrize("backend", BACKENDS)
def test_trace_is_recorded_only_on_request(backend: str) -> None:
    system = system_of(oscillator, backend)
    assert sl.solve(system, 1.0).trace is None
    trace = sl.solve(system, 1.0, trace=True).trace
    assert trace is not None and trace.accepted.sum() == sl.solve(system, 1.0).statistics.steps
