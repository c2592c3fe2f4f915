"""Methods with internal history, by Adams-Bashforth methods: orders, both backends, and all interfaces."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import OutsideChartError, UnsupportedMethodError
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.library import method
from symlie.runtime.methods.programs.adams_bashforth import lagrange_integrals
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.interruptions import (
    assert_continued_with_the_same_bits,
    content,
    interrupted,
    resumed_in_pieces,
)
from tests.systems import heavy_top_system

BACKENDS = ("c", "numpy")
METHODS = {"abmk2": 2, "abmk3": 3, "abmk4": 4, "bdf3": 3}
H = 1 / 64


@functools.cache
def rotor(backend: str) -> System:
    """A body that turns about its centre under a torque in its own axes, an input; beside it a falling point."""
    model = sl.Model("rotor")
    q, x = model.node("body", "SO3"), model.node("point", "R1")
    torque = model.input("torque", size=3)
    inertia = model.parameter("inertia", [0.3, 0.5, 0.9])
    model.kinetic_energy(sum(inertia[k] * q.Omega[k] ** 2 for k in range(3)) / 2 + x.x_dot[0] ** 2 / 2)
    model.potential_energy(9.81 * x.x[0])
    model.generalized_force(q, Omega=torque)
    model.initial(q, Omega=[0.4, 1.0, -0.7])
    model.initial(x, x=[1.0], x_dot=[0.0])
    model.event("half", x.x[0] - 0.5, terminal=False)
    model.event("ground", x.x[0])
    return model.derive().compile(backend=backend)


def slow_top(backend: str) -> System:
    """The heavy top with a moderate spin."""
    return heavy_top_system("SO3", backend).with_initial("top", Omega=[0.4, 3.0, -1.0])


def end(system: System, name: str, h: float, **options: Any) -> Array:
    """q and v after half a second."""
    solution = sl.solve(system, 0.5, method=name, h=h, record_every=0, **options)
    return np.concatenate([solution.q[-1], solution.v[-1]])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "order"), METHODS.items())
def test_methods_have_their_declared_order(name: str, order: int) -> None:
    exact = end(slow_top("c"), "rkmk_rk67", 2.0**-9)
    errors = [float(np.abs(end(slow_top("c"), name, h) - exact).max()) for h in (H / 4, H / 8)]
    assert abs(math.log2(errors[0] / errors[1]) - order) < 0.1
    assert method(name).order == order == method(name).orders()[0].order


@pytest.mark.parametrize("name", METHODS)
def test_step_size_changes_preserve_the_order(name: str) -> None:
    """Times that are hit exactly shorten steps; weights follow the actual step sizes."""
    order, exact = METHODS[name], sl.solve(slow_top("c"), 0.5, method="rkmk_rk67", h=2.0**-9).q[-1]
    cuts = [*(0.5 * np.sort(np.modf(np.arange(1, 20) * math.sqrt(2))[0])), 0.5]
    found = [sl.solve(slow_top("c"), 0.5, method=name, h=h, t_eval=cuts).q[-1] for h in (H / 4, H / 8, H / 16)]
    errors = [float(np.abs(q - exact).max()) for q in found]
    assert math.log2(errors[0] / errors[2]) / 2 > order - 0.4


def test_weights_of_equal_steps_are_exact() -> None:
    """Adams and Bashforth's own."""
    known = {2: [3 / 2, -1 / 2], 3: [23 / 12, -16 / 12, 5 / 12], 4: [55 / 24, -59 / 24, 37 / 24, -9 / 24]}
    for steps, expected in known.items():
        found = lagrange_integrals([-float(j) for j in range(steps)])
        np.testing.assert_allclose(found, expected, rtol=tolerances.KERNEL)


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_both_backends_agree(name: str) -> None:
    """Also after a jump of the input, where both begin anew, and at events."""
    options: dict[str, Any] = {"method": name, "h": H, "record_every": 1}
    systems = [rotor(b).with_input("torque", [0, 0.11], [[0, 0, 0], [1, -2, 0.5]], "hold") for b in BACKENDS]
    first, second = (sl.solve(system, 1.0, **options) for system in systems)
    for part in ("t", "q", "v"):
        a, b = getattr(first, part), getattr(second, part)
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerances.BACKENDS * np.abs(a).max())
    assert [e.name for e in first.events] == [e.name for e in second.events] == ["half", "ground"]
    assert first.statistics.rhs_evaluations == second.statistics.rhs_evaluations
    for a, b in zip(first.events, second.events, strict=True):
        assert a.own.shape == b.own.shape == (method(name).own_size(rotor("c").layout),)
        np.testing.assert_allclose(a.own, b.own, rtol=0, atol=tolerances.BACKENDS * np.abs(a.own).max())


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_jump_preserves_the_order(backend: str) -> None:
    """The history belongs to the other side of the jump."""
    system = rotor(backend).with_input("torque", [0, 0.11], [[0, 0, 0], [1, -2, 0.5]], "hold")
    exact = sl.solve(system, 0.25, method="rkmk_rk67", h=2.0**-8).q[-1]
    errors = [np.abs(sl.solve(system, 0.25, method="abmk4", h=h).q[-1] - exact).max() for h in (H, H / 2)]
    assert math.log2(errors[0] / errors[1]) > 3.5


@pytest.mark.slow
@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", METHODS)
def test_resumed_and_continued_runs_are_bit_identical(name: str, backend: str, tmp_path: Path) -> None:
    system, options = rotor(backend), {"method": name, "h": H}
    expected, path = sl.solve(system, 0.4, **options), tmp_path / "run"
    interrupted(system, 0.4, 3, path, **options)
    assert content(resumed_in_pieces(path, 3)) == content(expected)
    assert_continued_with_the_same_bits(system, 0.25, 0.375, tmp_path, **options)


def test_events_are_saved_with_the_history(tmp_path: Path) -> None:
    solution = sl.solve(rotor("numpy"), 1.0, method="abmk3", h=H)
    solution.save(tmp_path / "run.npz")
    found = sl.load_solution(tmp_path / "run.npz", trust=True)
    assert [e.own.tobytes() for e in found.events] == [e.own.tobytes() for e in solution.events]
    assert found.end is not None and solution.end is not None
    assert found.end.own is not None and solution.end.own is not None
    assert found.end.own.tobytes() == solution.end.own.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_other_methods_and_parameters_restart_the_history(backend: str) -> None:
    system, options = rotor(backend), {"h": H}
    first = sl.solve(system, 0.25, method="abmk4", **options)
    assert first.end is not None and first.end.own is not None
    for name in ("abmk2", "rkmk_rk44"):
        second = sl.solve(system, 0.3125, method=name, **options, start=first)
        assert second.end is not None
        assert (second.end.own is None) == (name == "rkmk_rk44")
    evaluations = [
        sl.solve(other, 0.3125, method="abmk4", **options, start=first).statistics.rhs_evaluations
        for other in (system, system.with_parameters(inertia=[0.3, 0.5, 0.8]))
    ]
    assert evaluations == [4, 3 * 4 + 1]


@pytest.mark.parametrize("backend", BACKENDS)
def test_dense_output_uses_several_substeps(backend: str) -> None:
    solution = sl.solve(slow_top(backend), 0.25, method="abmk4", h=H / 4)
    t = 0.13
    exact = sl.solve(slow_top(backend), t, method="rkmk_rk67", h=H / 8).q[-1]
    np.testing.assert_allclose(np.ravel(solution(t).q), exact, rtol=0, atol=tolerances.BETWEEN_STEPS_OF_FOUR)


def test_unsupported_runs_are_rejected() -> None:
    with pytest.raises(UnsupportedMethodError, match="has no error estimate"):
        sl.solve(rotor("numpy"), 1.0, method="abmk2")
    with pytest.raises(UnsupportedMethodError, match="without constraints"):
        sl.solve(heavy_top_system("SE3", "numpy"), 1.0, method="abmk2", h=0.1)
    with pytest.raises(OutsideChartError):
        sl.solve(rotor("numpy").with_initial("body", Omega=[0.0, 0.0, 9.0]), 1.0, method="abmk4", h=0.125)
