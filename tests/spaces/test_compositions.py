"""Compositions of a self-adjoint method: coefficients, orders, reversal, events, and every door."""

from __future__ import annotations

import functools
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError, UnknownNameError, UnsupportedMethodError
from symlie.models import heavy_top
from symlie.runtime.integrate import run as execution
from symlie.runtime.methods.library import method
from symlie.runtime.methods.self_adjoint import check_composition
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
CHEAP = ("triple_jump", "suzuki", "kahan_li")


@functools.cache
def top(backend: str) -> System:
    """A slow heavy top on T*SO(3), whose spin about the first axis is watched."""
    model = heavy_top.build(formulation="TSO3")
    (node,) = model.nodes
    model.event("level", node.momentum[0] - 0.31, terminal=False)
    model.event("end", node.momentum[0] + 1.77)
    system = model.derive().compile(backend=backend)
    system = system.with_parameters(fixed_point_inertia=[1.0, 2.0, 3.0], mgl=2.0)
    return system.with_initial("top", momentum=[1.0, 2.0, -0.5])


def solved(system: System, t_end: float, h: float, compose: str, **options: Any) -> sl.Solution:
    """A run of the composed method."""
    return sl.solve(system, t_end, method="symplectic_theta", method_options={"compose": compose}, h=h, **options)


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_composition_coefficients_satisfy_order_conditions(name: str) -> None:
    """Symmetric, with sum one, and odd power sums that vanish; three substeps leave the step, others do not."""
    found = COMPOSITIONS[name]
    lengths = found.lengths
    assert lengths == lengths[::-1] and math.fsum(lengths) == pytest.approx(1, abs=4 * tolerances.EPSILON)
    for power in range(3, found.order, 2):
        scale = math.fsum(abs(x) ** power for x in lengths)
        assert abs(math.fsum(x**power for x in lengths)) < 16 * tolerances.EPSILON * scale
    ends = [*found.starts, 1.0]
    assert (min(ends) < 0 or max(ends) > 1) == name.startswith("triple_jump")
    assert min(lengths) < 0


@pytest.mark.parametrize(
    "name", [*CHEAP, *(pytest.param(n, marks=pytest.mark.slow) for n in COMPOSITIONS if n not in CHEAP)]
)
def test_methods_have_their_declared_order(name: str) -> None:
    system = top("c")
    exact = sl.solve(system, 0.25, method="rkmk_dopri5", rtol=1e-13, atol=1e-14).q[-1]
    steps = (1, 2) if name == "suzuki_6" else (4, 8)
    errors = [np.abs(solved(system, 0.25, 0.25 / n, name, record_every=0).q[-1] - exact).max() for n in steps]
    (order,) = (math.log2(a / b) for a, b in pairwise(errors))
    assert order == pytest.approx(COMPOSITIONS[name].order, abs=tolerances.ORDER_SLACK)
    assert method("symplectic_theta").with_options({"compose": name}).order == COMPOSITIONS[name].order


@pytest.mark.slow
@pytest.mark.parametrize("name", CHEAP)
def test_backward_step_inverts_the_step(name: str) -> None:
    system = top("numpy")
    end = solved(system, 0.25, 0.125, name).q[-1]
    back = system.with_initial("top", R=end[:9].reshape(3, 3), momentum=-end[9:12])
    start = solved(back, 0.25, 0.125, name).q[-1]
    assert np.abs(start[9:12] + system.initial_state.q[9:12]).max() < tolerances.ADJOINT
    assert np.abs(start[:9] - system.initial_state.q[:9]).max() < tolerances.ADJOINT


@pytest.mark.slow
@pytest.mark.parametrize("name", ["suzuki"])
def test_backends_agree_on_events_and_times(name: str) -> None:
    """Events lie where a run with short steps has them, and both backends agree on all that is recorded."""
    exact = solved(top("c"), 2.0, 2.0**-8, "kahan_li")
    assert exact.status == "event" and [e.name for e in exact.events] == ["level", "end"]
    runs = [solved(top(backend), 2.0, 2.0**-4, name) for backend in BACKENDS]
    for run in runs:
        assert [e.t for e in run.events] == pytest.approx([e.t for e in exact.events], abs=1e-3)
    assert runs[0].t == pytest.approx(runs[1].t, abs=tolerances.BACKENDS)
    assert runs[0].q == pytest.approx(runs[1].q, abs=tolerances.BACKENDS)
    times = [0.1, 0.2, 0.25]
    reported = [solved(top(backend), 0.26, 2.0**-4, name, t_eval=times) for backend in BACKENDS]
    assert reported[0].t.tolist() == times
    assert reported[0].q == pytest.approx(reported[1].q, abs=tolerances.BACKENDS)
    counts = [(run.statistics.newton_iterations, run.statistics.rhs_evaluations) for run in reported]
    assert counts[0] == counts[1]


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_resumed_and_continued_runs_are_bit_identical(
    backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "RETURN_SECONDS", 0.0)
    system = top(backend)
    options: dict[str, Any] = {"method": "symplectic_theta", "method_options": {"compose": "suzuki"}, "h": 2.0**-6}
    expected, path = sl.solve(system, 0.4, **options), tmp_path / "run"
    interrupted(system, 0.4, 3, path, **options)
    assert content(resumed_in_pieces(path, 3)) == content(expected)
    assert_continued_with_the_same_bits(system, 0.25, 0.375, tmp_path, **options)


def test_invalid_compositions_are_rejected() -> None:
    theta = method("symplectic_theta")
    with pytest.raises(UnknownNameError, match=r"^Unknown compose 'yoshida'; use one of: none, triple_jump, suzuki, "):
        theta.with_options({"compose": "yoshida"})
    with pytest.raises(ModelError, match=r"^Method symplectic_theta: compose requires a self-adjoint method, .*0\.3"):
        theta.with_options({"compose": "suzuki", "theta": 0.3})
    with pytest.raises(ModelError, match=r"^Method cf4 of the family commutator_free has no option compose"):
        method("cf4").with_options({"compose": "suzuki"})


def gyroscopic(drag: float) -> System:
    """A point in a magnetic field, with drag in its plane."""
    model = sl.Model("charge")
    x = model.node("point", "R3")
    model.kinetic_energy(x.x_dot.dot(x.x_dot) / 2)
    c = model.parameter("drag", drag)
    model.generalized_force(x, x_dot=x.x_dot.cross(sl.vector(1, 2, 3)) - c * sl.vector(x.x_dot[0], x.x_dot[1], 0))
    return model.derive().compile(backend="numpy")


def test_dissipative_forces_are_rejected() -> None:
    composed = method("symplectic_theta").with_options({"compose": "suzuki"})
    for system in (spaghetti_system(4, backend="numpy"), gyroscopic(0.0)):
        check_composition(system, composed, 0.0, system.initial_state.q)
    sentence = (
        r"^Method 'symplectic_theta' with compose=suzuki has substeps backwards .* acts on {} of '{}'; omit compose"
    )
    for system, where, name in (
        (roll_up_system(4, backend="numpy"), r"velocity component \d of node 'rod\[\d\]'", "roll_up"),
        (gyroscopic(1e-3), r"velocity component [01] of node 'point'", "charge"),
    ):
        with pytest.raises(UnsupportedMethodError, match=sentence.format(where, name)):
            check_composition(system, composed, 0.0, system.initial_state.q)
        check_composition(system, method("symplectic_theta"), 0.0, system.initial_state.q)
