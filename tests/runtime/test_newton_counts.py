"""Counts of Newton iterations, total and per step, in both backends, files, figures and progress; wrong force laws."""

from __future__ import annotations

import dataclasses
import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.contract.constants import TRACE_WIDTH
from symlie.errors import NotConvergedError, NotDifferentiableError
from symlie.runtime.integrate import run as execution
from symlie.runtime.integrate.progress import Done
from symlie.runtime.methods.library import method
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.trace import NOT_KEPT, TRACE_COLUMNS, Trace
from symlie.runtime.solution.variables import TRACE
from symlie.runtime.system.system import System
from symlie.warnings import SymlieWarning
from tests.systems import heavy_top_system

BACKENDS = ("c", "numpy")
COUNTS = (
    "rhs_evaluations",
    "newton_iterations",
    "jacobians",
    "factorisations",
    "back_substitutions",
    "refreshes",
    "halvings",
    "rounding_floor",
    "most_newton_iterations",
    "slowest_step",
    "slowest_row",
)
TRIED = ("newton_iterations", "jacobians", "halvings", "slowest", "accepted")


def trace_of(solution: Solution) -> Trace:
    assert solution.trace is not None
    return solution.trace


@functools.cache
def run_of(backend: str, newton: str) -> Solution:
    """The first step finds no solution, and others are rejected."""
    options = {"newton": newton, "newton_max": 2, "newton_rtol": 1e-6}
    system = heavy_top_system("SO3xR3", backend)
    return sl.solve(system, 0.03, method="generalized_alpha", rtol=1e-2, h0=0.02, trace=True, method_options=options)


@pytest.mark.slow
@pytest.mark.parametrize("newton", ["full", "modified"])
def test_backends_give_equal_counts(newton: str) -> None:
    """Including iterations of steps that failed or were rejected."""
    first, second = (run_of(backend, newton) for backend in BACKENDS)
    assert np.isnan(trace_of(first).error[0]) and first.statistics.rejected > 1
    for name in COUNTS:
        assert getattr(first.statistics, name) == getattr(second.statistics, name), name
    for name in TRIED:
        np.testing.assert_array_equal(getattr(trace_of(first), name), getattr(trace_of(second), name))


@pytest.mark.parametrize("newton", ["full", "modified"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_step_counts_sum_to_the_total(backend: str, newton: str) -> None:
    solution = run_of(backend, newton)
    trace, statistics = trace_of(solution), solution.statistics
    for name in ("newton_iterations", "jacobians", "halvings"):
        assert getattr(trace, name).sum() == getattr(statistics, name)
    assert statistics.factorisations == statistics.jacobians
    assert statistics.back_substitutions == statistics.newton_iterations
    assert (statistics.jacobians < statistics.newton_iterations) == (newton == "modified")
    slowest = int(np.argmax(trace.newton_iterations))
    assert statistics.most_newton_iterations == trace.newton_iterations[slowest]
    assert statistics.slowest_step == trace.t[slowest]
    assert statistics.slowest_row == solution.system.layout.entry_name(int(trace.slowest[slowest]))


def test_explicit_steps_have_no_newton_iterations() -> None:
    solution = sl.solve(heavy_top_system("SO3xR3", "numpy"), 0.01, h=1e-3, trace=True)
    trace = trace_of(solution)
    assert not trace.newton_iterations.any() and not trace.jacobians.any() and np.all(trace.slowest == -1)
    assert solution.statistics.slowest_row == ""


def test_both_loops_write_all_columns() -> None:
    assert TRACE_WIDTH == len(TRACE_COLUMNS) == len(dataclasses.fields(Trace))
    assert [f.name for f in dataclasses.fields(Trace)] == list(TRACE_COLUMNS)


def test_entries_are_named() -> None:
    layout = heavy_top_system("SO3xR3", "numpy").layout
    n = layout.dimension
    assert layout.entry_name(n - 1) == layout.velocity_name(n - 1)
    assert layout.entry_name(n) == layout.entry_name(n + layout.rows) == layout.row_name(0)


def test_json_and_older_files_are_supported(tmp_path: Path) -> None:
    """Files without these columns are read, with default values."""
    solution, path = run_of("numpy", "full"), tmp_path / "run.npz"
    tried = json.loads(json.dumps(solution.to_json()))["trace"]
    assert list(tried) == list(TRACE_COLUMNS) and tried["jacobians"] == trace_of(solution).jacobians.tolist()
    solution.save(path)
    with np.load(path) as file:
        entries = {name: file[name] for name in file.files}
    described = json.loads(entries["variables"].item())
    for name in NOT_KEPT:
        del entries[TRACE + name], described[TRACE + name]
    np.savez(path, **entries | {"variables": np.array(json.dumps(described))})
    older = trace_of(sl.load_solution(path, trust=True))
    np.testing.assert_array_equal(older.h, trace_of(solution).h)
    assert not older.newton_iterations.any() and np.all(older.slowest == -1)


@pytest.mark.slow
def test_iteration_figures_are_drawn() -> None:
    """Iterations of accepted steps, crosses of rejected ones, and dashes where there are fewer matrices."""
    full, modified = (run_of("numpy", newton) for newton in ("full", "modified"))
    axes = full.plot_steps().axes[-1]
    trace = trace_of(full)
    assert axes.get_ylabel() == "Newton iterations"
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), trace.newton_iterations[trace.accepted])
    np.testing.assert_array_equal(axes.lines[1].get_ydata(), trace.newton_iterations[~trace.accepted])
    figure = sl.plot_steps({"full": full, "modified": modified})
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["full", "modified", "rejected", "fresh matrices"]
    explicit = sl.solve(heavy_top_system("SO3xR3", "numpy"), 0.01, rtol=1e-3, trace=True)
    assert len(explicit.plot_steps().axes) == 2
    both = sl.plot_steps({"explicit": explicit, "full": full}).axes[-1]
    np.testing.assert_array_equal(both.lines[0].get_ydata(), trace.newton_iterations[trace.accepted])


def test_many_halvings_fit_into_the_figure() -> None:
    """A step may have more of them than iterations."""
    solution = run_of("numpy", "full")
    trace = trace_of(solution)
    halvings = np.where(np.arange(len(trace.t)) == len(trace.t) - 1, 40, 0)
    axes = dataclasses.replace(solution, trace=dataclasses.replace(trace, halvings=halvings)).plot_steps().axes[-1]
    marks = next(line for line in axes.lines if line.get_marker() == "v")
    assert marks.get_ydata().tolist() == [40] and axes.get_ylim()[1] > 40


@pytest.mark.slow
def test_methods_without_estimate_have_traces() -> None:
    """They have iterations, and no errors."""
    with pytest.warns(SymlieWarning, match="order 1"):
        first_order = method("generalized_alpha").with_options({"gamma": 0.7})
    for backend in BACKENDS:
        run = sl.solve(heavy_top_system("SE3", backend), 0.01, h=1e-3, method=first_order, trace=True)
        assert np.isnan(trace_of(run).error).all() and trace_of(run).newton_iterations.all()
        (axes,) = run.plot_steps().axes
        assert axes.get_ylabel() == "Newton iterations"


def test_progress_shows_time_step_and_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "RETURN_SECONDS", 0.0)
    calls: list[Done] = []
    run = sl.solve(heavy_top_system("SO3xR3"), 0.01, h=1e-3, method="generalized_alpha", progress=calls.append)
    assert [float(done) for done in calls] == sorted(done for done in calls) and calls[-1] == 1
    assert calls[-1].t == pytest.approx(0.01)
    assert all(done.h == pytest.approx(1e-3) for done in calls)
    iterations = run.statistics.newton_iterations / run.statistics.steps
    assert min(d.iterations for d in calls) <= iterations <= max(d.iterations for d in calls)


@functools.cache
def bead(law: str, backend: str) -> System:
    """A mass point in a spring, with a drag whose derivative is 0/0 on its axis, or a force that jumps at x = 0."""
    model = sl.Model(f"bead_{law}")
    q = model.node("bead", "R3")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    if law == "root":
        model.potential_energy(3 * q.x[0] ** 2)
        model.generalized_force(q, x_dot=[0, -sl.sqrt(q.x[1] ** 2 + q.x[2] ** 2) * q.x[1], 0])
        model.initial(q, x_dot=[1, 0, 0])
    else:
        model.generalized_force(q, x_dot=[sl.select(q.x[0], -1000.0, 1000.0), 0, 0])
        model.initial(q, x=[-0.001, 0, 0], x_dot=[0.5, 0, 0])
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("newton", ["full", "modified"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_undefined_derivative_is_named(backend: str, newton: str) -> None:
    """The force is a number, its derivative is not: no smaller step helps."""
    with pytest.raises(
        NotDifferentiableError, match=r"velocity component 1 of node 'bead'\); define the law .* sl.select"
    ) as failure:
        sl.solve(bead("root", backend), 0.2, h=0.01, method="generalized_alpha", method_options={"newton": newton})
    assert isinstance(failure.value.solution, Solution)
    statistics = failure.value.solution.statistics
    assert (statistics.jacobians, statistics.factorisations, statistics.newton_iterations) == (1, 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("newton", ["full", "modified"])
def test_law_with_a_jump_at_the_solution_is_named(newton: str) -> None:
    """Corrections are halved and counted, then the component is named, with a step that would do."""
    found: dict[str, Any] = {}
    for backend in BACKENDS:
        with pytest.raises(
            NotConvergedError,
            match=r"component 0 of node 'bead' after 10 halvings of a correction\); steps of 0\.\d+ s can be taken",
        ) as failure:
            sl.solve(bead("jump", backend), 0.2, h=0.01, method="generalized_alpha", method_options={"newton": newton})
        assert isinstance(failure.value.solution, Solution)
        found[backend] = failure.value.solution
        # Its first step ends at the jump, of which both sides are recorded.
        assert len(found[backend].t) == 3 and found[backend].statistics.halvings > 10
    # Rounding decides about halvings in the shortest steps to the jump, which have a solution or not.
    for name in set(COUNTS) - {"rhs_evaluations", "halvings", "rounding_floor"}:
        assert getattr(found["c"].statistics, name) == getattr(found["numpy"].statistics, name), name
