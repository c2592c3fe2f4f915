"""Compositions of variational integrators: orders of q, v and λ, reversal, multi-turn events, and errors."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError, UnsupportedMethodError
from symlie.runtime.integrate import run as execution
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.system.system import System
from symlie.runtime.tableaux.compositions import COMPOSITIONS
from tests import tolerances
from tests.rods.problems import roll_up_system, spaghetti_system
from tests.runtime.interruptions import (
    assert_continued_with_the_same_bits,
    content,
    interrupted,
    resumed_in_pieces,
)

BACKENDS = ("c", "numpy")
SLOW = pytest.mark.slow


@functools.cache
def pendulum(backend: str) -> System:
    """An arm in the plane with a bob, coupled by constraints, that turns over."""
    model = sl.Model("pendulum")
    arm, bob = model.node("arm", "SO2"), model.node("bob", "R2")
    model.kinetic_energy((0.1 * arm.Omega[0] ** 2 + bob.x_dot.dot(bob.x_dot)) / 2)
    model.potential_energy(9.81 * bob.x[1])
    model.constraint("pin", bob.x - arm.R * sl.vector(0, -1))
    model.initial(arm, Omega=[7.0])
    model.initial(bob, x=[0, -1])
    model.event("above", arm.R[0, 1], terminal=False)
    return model.derive().compile(backend=backend)


def solved(system: System, t_end: float, h: float, compose: str, **options: Any) -> sl.Solution:
    """A run of composed `rattlie`."""
    return sl.solve(system, t_end, method="rattlie", method_options={"compose": compose}, h=h, **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["suzuki", pytest.param("triple_jump", marks=SLOW), pytest.param("kahan_li", marks=SLOW)]
)
def test_methods_have_their_declared_order(name: str) -> None:
    """Of λ too, which composed steps take from the accelerations."""
    system = pendulum("c")
    exact = sl.solve(system, 1.0, method="half_explicit_5", h=2.0**-13, record_every=0, multipliers="index1")
    coarser, finer = (solved(system, 1.0, h, name, record_every=0) for h in (2.0**-6, 2.0**-7))
    for part in ("q", "v", "multipliers"):
        errors = [np.abs(getattr(s, part)[-1] - getattr(exact, part)[-1]).max() for s in (coarser, finer)]
        assert math.log2(errors[0] / errors[1]) == pytest.approx(COMPOSITIONS[name].order, abs=tolerances.ORDER_SLACK)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["rattlie", pytest.param("variational_midpoint", marks=SLOW)])
def test_backends_agree_on_events_and_turns(method: str) -> None:
    options: dict[str, Any] = {"method": method, "method_options": {"compose": "suzuki"}, "h": 2.0**-6}
    runs = [sl.solve(pendulum(backend), 2.0, **options) for backend in BACKENDS]
    fine = sl.solve(pendulum("c"), 2.0, rtol=1e-10)
    for run in runs:
        assert [e.t for e in run.events] == pytest.approx([e.t for e in fine.events], abs=tolerances.COMPOSED_STEPS)
        assert run.angle("arm")[-1] == pytest.approx(fine.angle("arm")[-1], abs=tolerances.COMPOSED_STEPS)
        assert run.statistics.max_constraint_residual < tolerances.LONG_DRIFT
    assert runs[0].angle("arm")[-1] > 2 * math.pi
    assert runs[0].q == pytest.approx(runs[1].q, abs=tolerances.BACKENDS * np.abs(runs[0].v).max())


@pytest.mark.slow
def test_reversed_velocities_retrace_the_motion() -> None:
    system = pendulum("c")
    end = solved(system, 0.5, 2.0**-6, "kahan_li")
    back = system.with_configuration(end.q[-1])
    back = back.with_initial("arm", Omega=-end.v[-1, :1]).with_initial("bob", x_dot=-end.v[-1, 1:])
    start = solved(back, 0.5, 2.0**-6, "kahan_li")
    assert np.abs(start.q[-1] - end.q[0]).max() <= tolerances.TIME_REVERSAL
    assert np.abs(start.v[-1] + end.v[0]).max() <= tolerances.TIME_REVERSAL


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_resumed_and_continued_runs_are_bit_identical(
    backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "RETURN_SECONDS", 0.0)
    system = pendulum(backend)
    options: dict[str, Any] = {"method": "rattlie", "method_options": {"compose": "triple_jump"}, "h": 2.0**-6}
    expected, path = sl.solve(system, 0.25, **options), tmp_path / "run"
    interrupted(system, 0.25, 3, path, **options)
    assert content(resumed_in_pieces(path, 3)) == content(expected)
    assert_continued_with_the_same_bits(system, 0.125, 0.25, tmp_path, **options)


@pytest.mark.slow
def test_rods_of_any_size_agree_in_both_backends() -> None:
    """Loops over nodes and segments, where memory of substeps is part of the workspace."""
    runs = [solved(spaghetti_system(4, backend=backend), 2.0**-4, 2.0**-8, "suzuki") for backend in BACKENDS]
    assert runs[0].q == pytest.approx(runs[1].q, abs=tolerances.BACKENDS)
    assert runs[0].v == pytest.approx(runs[1].v, abs=tolerances.BACKENDS)


def test_unsupported_compositions_are_rejected() -> None:
    with pytest.raises(
        UnsupportedMethodError,
        match=r"^Method 'rattlie' with compose=suzuki has substeps backwards in time, in which dissipative forces",
    ):
        solved(roll_up_system(4, backend="numpy"), 0.1, 2.0**-10, "suzuki")
    one_sided = chosen_method(lambda q0, q1, h: h * q0.lagrangian(q0.difference(q1) / h))
    with pytest.raises(ModelError, match=r"compose requires a self-adjoint method, and with newton="):
        one_sided.with_options({"compose": "suzuki"})
