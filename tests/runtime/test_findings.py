"""Notices of runs that did not fail: numbers that have nothing to do with the model, and records without bound."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from sympy import log

import symlie as sl
from symlie.runtime import execution, findings
from symlie.runtime.system import System

BACKENDS = ("c", "numpy")


def centre() -> sl.Model:
    """A fall into a centre of attraction."""
    model = sl.Model("fall_to_the_centre")
    q = model.node("q", "R2")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(-1 / sl.sqrt(q.x.dot(q.x)))
    model.initial(q, x=[1, 0])
    return model


def spring() -> sl.Model:
    """A stiff spring, released at rest where its energy is zero, with an output that ends at x = 0."""
    model = sl.Model("stiff_spring")
    q = model.node("q", "R1")
    k = model.parameter("k", 1e8)
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(k * (q.x[0] ** 2 - 1) / 2)
    model.output("root", sl.sqrt(q.x[0]))
    model.initial(q, x=[1])
    return model


def pushed() -> sl.Model:
    model = sl.Model("pushed")
    q = model.node("q", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.generalized_force(q, x_dot=[1e3])
    return model


def undefined() -> sl.Model:
    model = sl.Model("undefined_energy")
    q = model.node("q", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(log(-(q.x[0] ** 2) - 1))
    return model


@functools.cache
def system_of(build: Callable[[], sl.Model], backend: str) -> System:
    return build().derive().compile(backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("build", "end", "h"), [(centre, 2.0, 0.01), (spring, 0.05, 1e-3)])
@pytest.mark.parametrize("every", [0, 1])
def test_energy_that_a_model_conserves(
    build: Callable[[], sl.Model], end: float, h: float, every: int, backend: str
) -> None:
    system = system_of(build, backend)
    with pytest.warns(sl.Notice, match="which the model conserves, went from .* take smaller steps") as given:
        solution = sl.solve(system, end, h=h, record_every=every)
    assert solution.status == "ok" and solution.notices == tuple(str(w.message) for w in given)
    assert given[0].filename == __file__


@pytest.mark.parametrize("backend", BACKENDS)
def test_energy_without_notice(backend: str) -> None:
    """Runs that are right, also those that are at rest whenever they are looked at, and driven ones."""
    soft = system_of(spring, backend).with_parameters(k=39.47841760435743)
    for options in ({"h": 1e-2}, {"record_every": 0, "h": 1e-2}, {"t_eval": [1.0], "rtol": 1e-3}):
        assert sl.solve(soft, 1.0, **options).notices == ()
    assert sl.solve(system_of(pushed, backend), 1.0, h=0.1).notices == ()
    assert sl.solve(system_of(centre, backend), 1.0, h=0.01).notices == ()


def test_which_models_conserve_energy() -> None:
    conserving = {
        build.__name__: system_of(build, "numpy").layout.conserves_energy for build in (centre, spring, pushed)
    }
    assert conserving == {"centre": True, "spring": True, "pushed": False}


@pytest.mark.parametrize("backend", BACKENDS)
def test_outputs_that_are_not_finite(backend: str) -> None:
    soft = system_of(spring, backend).with_parameters(k=1.0)
    solution = sl.solve(soft, 3.0, t_eval=[1.0, 2.0, 3.0])
    assert solution.notices == ()
    with pytest.warns(
        sl.Notice, match=r"Output 'root' of 'stiff_spring' is not finite at t = 2 s and at 1 other times\."
    ):
        _ = solution.outputs["root"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _ = solution.outputs["energy"], solution.outputs["root"]
    assert len(solution.to_json()["notices"]) == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_energies_that_are_not_finite(backend: str) -> None:
    solution = sl.solve(system_of(undefined, backend), 0.1, h=0.1)
    with pytest.warns(sl.Notice, match="Output 'energy' of 'undefined_energy' is not finite at t = 0 s"):
        _ = solution.outputs["energy"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_records_that_grow(backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said once while the run goes on, and the same after it was interrupted."""
    monkeypatch.setattr(findings, "MANY_BYTES", 2000)
    monkeypatch.setattr(execution, "RETURN_SECONDS", 0.0)
    system, path = system_of(pushed, backend), tmp_path / "run.checkpoint"
    with pytest.warns(sl.Notice, match="More than 1 GB is recorded") as given:
        solution = sl.solve(system, 1.0, h=1e-2, checkpoint=path)
    assert len(given) == 1 and len(solution.notices) == 1
    with pytest.warns(sl.Notice, match="More than 1 GB is recorded"):
        assert sl.resume(path).notices == solution.notices
    assert sl.solve(system, 1.0, h=1e-2, record_every=0).notices == ()
