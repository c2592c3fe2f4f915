"""Integrations that stop early raise a named error with the partial solution."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import (
    IndefiniteMassMatrixError,
    IntegrationError,
    InterruptedIntegrationError,
    NotFiniteError,
    OutsideChartError,
    SingularSystemError,
    SymlieError,
)
from symlie.runtime.integrate import run as execution
from symlie.runtime.system.system import System
from tests.systems import heavy_top_system

BACKENDS = ("c", "numpy")


def failed(kind: type[IntegrationError], system: System, *arguments: Any, **options: Any) -> IntegrationError:
    """The exception of an integration, with a solution that ends at its last good step."""
    with pytest.raises(kind) as caught:
        sl.solve(system, *arguments, **options)
    error = caught.value
    assert type(error) is kind and isinstance(error, SymlieError)
    solution = error.solution
    assert solution is not None and solution.status == kind.__name__
    assert solution.statistics.steps == len(solution.t) - 1
    assert np.all(np.isfinite(solution.q)) and np.all(np.isfinite(solution.v))
    assert np.array_equal(solution.q[0], system.initial_state.q)
    assert f"t = {solution.t[-1]:.9g}" in str(error)
    return error


def good_part(error: IntegrationError) -> Any:
    """The solution that an exception carries."""
    assert error.solution is not None
    return error.solution


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("group", "name"), [("SE3", "half_explicit_5"), ("S3xR3", "half_explicit_2"), ("SO3", "rkmk_rk44")]
)
def test_too_large_step_is_reported(group: str, name: str, backend: str) -> None:
    """150 rad/s turn by more than 2π in 0.05 s."""
    error = failed(OutsideChartError, heavy_top_system(group, backend), 1.0, method=name, h=0.05)
    assert "rotation increment reached 2π" in str(error) and "take a smaller step" in str(error)
    assert good_part(error).t.tolist() == [0]


@functools.cache
def spun_up(backend: str) -> System:
    """A body that a torque turns faster and faster: Ω = 100 t."""
    model = sl.Model("spun_up")
    q = model.node("body", sl.S3)
    model.kinetic_energy(q.Omega.dot(q.Omega) / 2)
    model.generalized_force(q, Omega=[0, 0, 100])
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_step_that_becomes_too_large_is_reported(backend: str) -> None:
    """h (Ω + h Ω'/2) reaches 2π at t = 0.58 for h = 0.1, so the step from 0.6 fails."""
    error = failed(OutsideChartError, spun_up(backend), 1.0, method="rkmk_rk44", h=0.1)
    assert good_part(error).t[-1] == pytest.approx(0.6)
    assert good_part(error).v[-1] == pytest.approx([0, 0, 60])


@functools.cache
def falling(backend: str) -> System:
    """A point that meets the end of the domain of its energy, x = 0, at t = 1/3."""
    model = sl.Model("falling")
    q = model.node("point", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(1e-6 * sl.sqrt(q.x[0]) ** 3)
    model.initial(q, x=[1], x_dot=[-3])
    return model.derive().compile(backend=backend)


@functools.cache
def falling_on_a_circle(backend: str) -> System:
    """The same with a constraint: x = cos 3t becomes negative at t = π/6."""
    model = sl.Model("circling")
    q = model.node("point", "R2")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(1e-6 * sl.sqrt(q.x[0]) ** 3)
    model.constraint("circle", (q.x.dot(q.x) - 1) / 2)
    model.initial(q, x=[1, 0], x_dot=[0, 3])
    return model.derive().compile(backend=backend)


@functools.cache
def leaving_a_domain(backend: str) -> System:
    """The constraint itself, and so its Jacobian, stops to exist at x = 0."""
    model = sl.Model("leaving")
    q = model.node("point", "R2")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.constraint("curve", q.x[1] - sl.sqrt(q.x[0]) ** 5)
    model.initial(q, x=[1, 1], x_dot=[-2, -5])
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["rkmk_euler", "rkmk_rk44", "half_explicit_2", "half_explicit_5"])
def test_energy_undefined_beyond_a_position_is_reported(name: str, backend: str) -> None:
    error = failed(NotFiniteError, falling(backend), 1.0, method=name, h=0.01)
    assert "infinite or NaN" in str(error)
    assert 0.3 < good_part(error).t[-1] < 0.35


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_energy_undefined_on_a_constraint_is_reported(order: int, backend: str) -> None:
    """NaN is NaN, not a singular matrix, in whichever stage it appears."""
    for system, latest in ((falling_on_a_circle(backend), 0.54), (leaving_a_domain(backend), 0.3)):
        error = failed(NotFiniteError, system, 3.0, method=f"half_explicit_{order}", h=0.01)
        assert latest - 0.05 < good_part(error).t[-1] < latest


@pytest.mark.parametrize("backend", BACKENDS)
def test_pole_is_reported(backend: str) -> None:
    """1/x at x = 0, met exactly: the force is infinite in the first stage."""
    model = sl.Model("pole")
    q = model.node("point", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(-1 / q.x[0])
    model.initial(q, x=[0], x_dot=[1])
    error = failed(NotFiniteError, model.derive().compile(backend=backend), 1.0, method="rkmk_rk44", h=0.1)
    assert good_part(error).t.tolist() == [0]


@functools.cache
def crossing(backend: str) -> System:
    """x y = 0 along the axis: both constraint gradients vanish at the origin, which is met at t = 1 exactly."""
    model = sl.Model("crossing")
    q = model.node("point", "R2")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.constraint("axes", q.x[0] * q.x[1])
    model.initial(q, x=[1, 0], x_dot=[-1, 0])
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("order", [2, 3, 4])
def test_dependent_constraints_during_a_run_are_reported(order: int, backend: str) -> None:
    error = failed(SingularSystemError, crossing(backend), 2.0, method=f"half_explicit_{order}", h=2.0**-4)
    assert "constraints became dependent" in str(error)
    assert good_part(error).t[-1] == 1 - 2.0**-4


@pytest.mark.parametrize("backend", BACKENDS)
def test_vanishing_mass_is_reported(backend: str) -> None:
    """M = x on the way to x = 0, met exactly."""
    model = sl.Model("shrinking")
    q = model.node("point", "R2")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2 + q.x[0] * q.x_dot[1] ** 2 / 2)
    model.initial(q, x=[1, 0], x_dot=[-1, 0])
    with pytest.raises(IndefiniteMassMatrixError, match="component 1 of node 'point'") as caught:
        sl.solve(model.derive().compile(backend=backend), 2.0, method="rkmk_euler", h=2.0**-4)
    assert good_part(caught.value).t[-1] == 1.0


class Impatience:
    """A progress callback that acts as if Ctrl-C were pressed at its n-th call."""

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def __call__(self, fraction: float) -> None:
        assert 0 <= fraction <= 1
        self.calls -= 1
        if self.calls == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("group", "name"), [("SE3", "half_explicit_5"), ("S3", "rkmk_dopri5")])
def test_interruption_keeps_the_solution(group: str, name: str, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "RETURN_SECONDS", 0.0)  # report after every step or two
    system = heavy_top_system(group, backend)
    with pytest.raises(KeyboardInterrupt) as caught:
        sl.solve(system, 100.0, method=name, h=2.0**-11, progress=Impatience(3))
    error = caught.value
    assert type(error) is InterruptedIntegrationError and isinstance(error, IntegrationError)
    solution = good_part(error)
    assert solution.status == "InterruptedIntegrationError"
    assert "the solution so far is attached" in str(error)
    assert 3 <= len(solution.t) < 10_000
    assert solution.statistics.steps == len(solution.t) - 1
    assert solution.t.tolist() == [n * 2.0**-11 for n in range(len(solution.t))]
    again = sl.solve(system, float(solution.t[-1]), method=name, h=2.0**-11)
    assert again.q.tobytes() == solution.q.tobytes() and again.v.tobytes() == solution.v.tobytes()


@pytest.mark.parametrize("backend", BACKENDS)
def test_callback_exceptions_propagate(backend: str) -> None:
    def broken(fraction: float) -> None:
        raise ValueError("broken callback")

    with pytest.raises(ValueError, match="broken callback"):
        sl.solve(heavy_top_system("S3", backend), 2.0**-8, method="rkmk_rk44", h=2.0**-11, progress=broken)


def test_all_errors_have_a_base_and_a_docstring() -> None:
    """Every exception of this package has one base and a sentence in its docstring."""
    kinds = [getattr(sl.errors, name) for name in dir(sl.errors) if name.endswith("Error")]
    assert len(kinds) >= 12
    for kind in kinds:
        assert issubclass(kind, SymlieError) and (inspect.getdoc(kind) or "").endswith(".")


@functools.cache
def parallel_cranks(count: int, backend: str) -> System:
    """A platform on equal cranks, of which a third one adds nothing; all are in one line twice in each turn."""
    model = sl.Model(f"cranks_{count}")
    platform = model.node("platform", sl.SE2)
    model.kinetic_energy((platform.U.dot(platform.U) + 0.3 * platform.Omega[0] ** 2) / 2)
    model.potential_energy(3 * platform.x[1])
    for k in range(count):
        crank = platform.x + platform.R * sl.vector(k, 0) - sl.vector(k, 0)
        model.constraint(f"crank_{k}", crank.dot(crank) - 1)
    c, s = np.cos(1.0), np.sin(1.0)
    model.initial(platform, x=[c, s], U=[-3 * s, 3 * c])
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symlie.warnings.SymlieWarning")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("count", "method", "steps"),
    [
        (2, "half_explicit_2", {"h": 0.02}),
        (3, "half_explicit_2", {"h": 0.02}),
        (3, "half_explicit_5", {"rtol": 1e-3}),
        (2, "generalized_alpha", {"h": 0.05}),
        (3, "generalized_alpha", {"h": 0.05}),
        (3, "index1_dopri5", {"rtol": 1e-6}),
    ],
)
def test_solution_of_a_failure_ends_before_its_energy_is_lost(
    count: int, method: str, steps: dict[str, float], backend: str
) -> None:
    """Energies of 95 and 13,000 J instead of 7 were in these solutions."""
    with pytest.raises(IntegrationError) as caught:
        sl.solve(parallel_cranks(count, backend), 8.0, method=method, redundant="minimal_norm", **steps)
    solution = good_part(caught.value)
    energy = solution.outputs["energy"]
    limit = 0.35 if method == "generalized_alpha" else 0.03
    assert len(energy) > 20 and np.abs(energy / energy[0] - 1).max() <= limit
    assert f"t = {solution.t[-1]:.9g}" in str(caught.value)
    assert solution.statistics.steps == len(solution.t) - 1 and np.array_equal(solution.end.q, solution.q[-1])
    assert np.isfinite(solution(solution.t[-1] - 1e-3).q).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_diverging_solution_ends_before_the_divergence(backend: str) -> None:
    """A spring with steps beyond the limit of stability: energies grow until they are infinite."""
    model = sl.Model("spring")
    q = model.node("q", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(100 * q.x[0] ** 2 / 2 + 1e-3 * q.x[0] ** 4)
    model.initial(q, x=[1])
    error = failed(NotFiniteError, model.derive().compile(backend=backend), 100.0, method="rkmk_rk44", h=0.3)
    energy = good_part(error).outputs["energy"]
    assert len(energy) >= 1 and np.abs(energy / energy[0] - 1).max() <= 0.25
