"""Adaptive steps: counts and errors of an independent prototype, controllers, traces, failures."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symlie as sl
from symlie.contract.constants import SMALL_STEP
from symlie.errors import ModelError, NotFiniteError, StepUnderflowError, UnknownNameError, UnsupportedMethodError
from symlie.models import flying_spaghetti, free_rigid_body, roll_up
from symlie.options import Backend
from symlie.runtime.integrate.request import step_control
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.kernels.c import CKernels, ErrorNorm
from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.controllers import CONTROLLERS, FIXED_STEPS, Controller, controller_by_name
from symlie.runtime.methods.library import method, method_names
from symlie.runtime.methods.stepper import State, Stepper
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.start import first_step, start_of
from symlie.runtime.system.system import System
from tests import tolerances
from tests.systems import chain_system, heavy_top_reference, heavy_top_system, polar_system, spaghetti_system

COUNTS = {"SO3xR3": (216, 596, 1593), "SE3": (317, 848, 2240)}
"""Accepted steps of the heavy top to t = 1 with rtol 1e-4, 1e-6, 1e-8, atol = rtol/100 and h₀ = 1e-3; at most one is
rejected. Source: a prototype in NumPy that shares nothing with the package."""

ERRORS = {"SO3xR3": (9.0e-4, 1.7e-6, 1.9e-8), "SE3": (1.5e-3, 1.5e-5, 1.2e-7)}
"""Errors of R in the Frobenius norm of the same runs, two digits."""

COUNT_TOLERANCE = 2
EMBEDDED = [n for n in method_names() if method(n).order_hat and not method(n).chooses_order]


@functools.cache
def adaptive_top(group: str, rtol: float, backend: str = "c", t_end: float = 1.0) -> Solution:
    return sl.solve(heavy_top_system(group, backend), t_end, rtol=rtol, h0=1e-3, trace=True)


def rotation_error(solution: Solution) -> float:
    found = solution.outputs["rotation"][-1]
    return float(np.linalg.norm(found - heavy_top_reference()["R"]))


@pytest.mark.slow
@pytest.mark.parametrize("group", COUNTS)
@pytest.mark.parametrize("k", range(3))
def test_counts_and_errors_match_the_prototype(group: str, k: int) -> None:
    solution = adaptive_top(group, (1e-4, 1e-6, 1e-8)[k])
    assert abs(solution.statistics.accepted - COUNTS[group][k]) <= COUNT_TOLERANCE
    assert solution.statistics.rejected <= 1
    assert rotation_error(solution) == pytest.approx(ERRORS[group][k], rel=tolerances.TWO_DIGITS)


@pytest.mark.slow
@pytest.mark.parametrize("group", COUNTS)
def test_numpy_takes_the_same_steps(group: str) -> None:
    compiled, plain = (adaptive_top(group, 1e-4, backend, 0.1) for backend in ("c", "numpy"))
    assert compiled.trace is not None and plain.trace is not None
    np.testing.assert_allclose(compiled.trace.h, plain.trace.h, rtol=tolerances.ADAPTIVE_STEPS)
    np.testing.assert_allclose(compiled.q[-1], plain.q[-1], rtol=0, atol=tolerances.ADAPTIVE_STATES)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("name", EMBEDDED)
def test_estimates_have_the_lower_order_of_the_pair(name: str, backend: str) -> None:
    """The norm of ŷ - y with absolute tolerance one, over step sizes: ŷ or y may have the higher order."""
    group = "SO3xR3" if method(name).takes_constraints else "SO3"
    system = heavy_top_system(group, backend)
    order_hat = method(name).order_hat
    assert order_hat is not None
    order = min(method(name).order, order_hat)
    errors = []
    for h in (2.0**-9, 2.0**-10):
        solution = sl.solve(system, h, method=name, h=h, atol=1.0, trace=True)
        assert solution.trace is not None and len(solution.trace.t) == 1
        errors.append(float(solution.trace.error[0]))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order + 1, abs=tolerances.OBSERVED_ORDER)


def test_embedded_velocity_satisfies_the_constraint() -> None:
    """Solving the last stage again makes the embedded formula one of order 4; its stored v' would make it order 3."""
    system = heavy_top_system("SO3xR3", "numpy")
    middle = sl.solve(heavy_top_system("SO3xR3"), 0.5, h=2.0**-12, t_eval=[0.5])
    state = State(0.5, middle.q[0], middle.v[0], middle.multipliers[0])
    seen: list[tuple[Array, Array]] = []

    class Spy(type(FIXED_STEPS)):
        def error(self, theta: Array, difference: Array, v_n: Array, v: Array) -> float:
            seen.append((difference[: len(v)], difference[len(v) :]))
            return 0.0

    fields = {k: getattr(FIXED_STEPS, k) for k in FIXED_STEPS.__dataclass_fields__}
    stepper = Stepper(system, method("half_explicit_5"), Spy(**{**fields, "with_estimate": True}))
    for h in (2.0**-10, 2.0**-11):
        stepper.step(state, h)
    (theta, v), (half_theta, half_v) = ((np.linalg.norm(a), np.linalg.norm(b)) for a, b in seen)
    # Source: the prototype, one step from the reference state at t = 0.5.
    assert theta == pytest.approx(9.12e-10, rel=tolerances.THREE_DIGITS)
    assert v == pytest.approx(1.41e-7, rel=tolerances.THREE_DIGITS)
    assert half_theta == pytest.approx(2.85e-11, rel=tolerances.THREE_DIGITS)
    assert half_v == pytest.approx(4.39e-9, rel=tolerances.THREE_DIGITS)


@pytest.mark.parametrize("name", CONTROLLERS)
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_controllers_follow_their_formula(name: str, backend: str) -> None:
    system = heavy_top_system("SE3", backend)
    options: dict[str, Any] = {"rtol": 0.0, "atol": 1e-4} if name == "celledoni2022" else {"rtol": 1e-4}
    solution = sl.solve(system, 0.05, controller=name, trace=True, h0=2e-3, **options)
    trace, chosen = solution.trace, CONTROLLERS[name]
    assert trace is not None and len(trace.h) > 8
    factor = np.clip(
        chosen.safety * trace.error ** -chosen.exponent_of(method("half_explicit_5")), chosen.fac_min, chosen.fac_max
    )
    # The last step ends at the end time.
    np.testing.assert_allclose(trace.h[1:-1], (trace.h * factor)[:-2], rtol=tolerances.LIBRARY)
    assert np.all(trace.accepted == (trace.error <= 1))
    assert solution.statistics.accepted == trace.accepted.sum()
    assert solution.statistics.rejected == (~trace.accepted).sum()


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_rejected_steps_are_repeated_from_the_same_state(backend: str) -> None:
    system = heavy_top_system("SE3", backend)
    solution = sl.solve(system, 0.02, rtol=1e-6, h0=0.02, trace=True)
    trace = solution.trace
    assert trace is not None and not trace.accepted[0]
    first = int(np.flatnonzero(trace.accepted)[0])
    assert np.all(trace.t[: first + 1] == 0) and np.all(np.diff(trace.h[: first + 1]) < 0)
    assert solution.statistics.rejected >= first
    # The first stage of a rejected step serves again: one right-hand side less for each try.
    stages = method("half_explicit_5").tableau.stages
    tried = int(np.sum(np.isfinite(trace.error)))
    assert solution.statistics.rhs_evaluations <= stages * len(trace.h) - (tried - 1)


@pytest.mark.slow
@pytest.mark.parametrize("model", [roll_up, flying_spaghetti])
def test_rods_agree_in_both_backends(model: Any) -> None:
    """Run-time topology, with and without constraints; the same steps, also where the first one is estimated."""
    equations = model.build(segments=8).derive()
    runs = [sl.solve(equations.compile(backend=b), 0.05, rtol=1e-5, atol=1e-7, trace=True) for b in ("c", "numpy")]
    assert len(runs[0].t) == len(runs[1].t) > 8
    for first, second in ((a.trace, b.trace) for a, b in [runs]):
        assert first is not None and second is not None
        np.testing.assert_allclose(first.h, second.h, rtol=tolerances.ADAPTIVE_STEPS)
    np.testing.assert_allclose(runs[0].q[-1], runs[1].q[-1], rtol=0, atol=tolerances.ADAPTIVE_STATES)


def test_options_change_the_controller() -> None:
    system = heavy_top_system("SE3")
    careful = sl.solve(system, 0.1, rtol=1e-6, controller_options={"safety": 0.4})
    usual = sl.solve(system, 0.1, rtol=1e-6)
    bounded = sl.solve(system, 0.1, rtol=1e-6, controller_options={"h_max": 2e-4}, trace=True)
    assert careful.statistics.accepted > 1.5 * usual.statistics.accepted
    assert bounded.trace is not None and bounded.trace.h[:-1].max() == 2e-4


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_stop_times_are_exact_and_the_step_size_recovers(backend: str) -> None:
    system = heavy_top_system("SE3", backend)
    times = [0.0123, 0.0123 + 1e-7, 0.03]
    solution = sl.solve(system, 0.03, rtol=1e-5, t_eval=times, trace=True, h0=1e-3)
    assert solution.t.tolist() == times
    trace = solution.trace
    assert trace is not None
    tiny = int(np.argmin(trace.h))
    assert trace.h[tiny] == pytest.approx(1e-7, abs=tolerances.EPSILON * times[1]) and trace.h[tiny + 1] > 1e-4


STARTED = {
    "top": lambda: heavy_top_system("SE3"),
    "rod": spaghetti_system,
    "driven": chain_system,
    "free": polar_system,
    "fields": lambda: free_rigid_body.build(attitude=True).derive().compile(backend="c"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", STARTED)
def test_first_steps_of_compiled_code_equal_numpy(name: str) -> None:
    system = STARTED[name]()
    rng, start = np.random.default_rng(2), start_of(system, 0.0)
    for rtol, longest in ((1e-4, 1.0), (1e-9, 1.0), (1e-6, 1e-5)):
        options = RunOptions(rtol=rtol, controller_options={"h_max": longest})
        control = step_control(system.layout, method("rkmk_dopri5"), options, 9)
        moving = replace(start, v=start.v + system.layout.free * rng.normal(size=len(start.v)))
        for at in (start, moving, replace(start, v=np.full_like(start.v, np.nan))):
            expected = first_step(system, 0.0, at, control, 4, longest)
            states = States(np.zeros(1), at.q[None], at.v[None], np.zeros((1, 0)))
            norm = ErrorNorm(control.rtol, control.atol, control.weight)
            assert isinstance(system.kernels, CKernels)
            (found,) = system.kernels.first_steps(system.prepared, states, norm, 4, longest)
            assert found == pytest.approx(expected, rel=tolerances.BACKENDS)
            assert np.isfinite(at.v).all() or found == min(SMALL_STEP, longest)


def test_first_step_size_is_appropriate() -> None:
    for rtol in (1e-3, 1e-6, 1e-10):
        trace = sl.solve(heavy_top_system("SE3"), 0.02, rtol=rtol, trace=True).trace
        assert trace is not None and trace.accepted[0]
        usual = float(np.median(trace.h[:-1]))
        assert usual / 200 < trace.h[0] < 2 * usual


def test_tolerances_can_be_set_per_component() -> None:
    """A loose tolerance for one velocity component lets the steps grow."""
    system = heavy_top_system("SE3")
    dimension = system.layout.dimension
    uniform = sl.solve(system, 0.1, h0=1e-3, rtol=1e-6, atol=1e-8)
    same = sl.solve(system, 0.1, h0=1e-3, rtol=np.full(dimension, 1e-6), atol=np.full(2 * dimension, 1e-8))
    assert same.q[-1].tobytes() == uniform.q[-1].tobytes()
    loose = sl.solve(system, 0.1, h0=1e-3, rtol=1e-6, atol=np.repeat([1e-8, 1e2], dimension))
    assert loose.statistics.accepted < uniform.statistics.accepted


def singular_system(backend: str) -> System:
    """x'' = 6 (x + 1)², which runs away at t = 1 for x(0) = 0, x'(0) = 2."""
    model = sl.Model("runaway")
    q = model.node("mass", "R1")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(-2 * (q.x[0] + 1) ** 3)
    model.initial(q, x_dot=[2])
    return model.derive().compile(backend=backend)


@pytest.mark.parametrize("backend", ["c", pytest.param("numpy", marks=pytest.mark.slow)])
def test_steps_underflow_near_a_singularity(backend: str) -> None:
    """The solution before it has the accuracy of the tolerance."""
    with pytest.raises((StepUnderflowError, NotFiniteError)) as caught:
        sl.solve(singular_system(backend), 2.0, rtol=1e-8)
    solution = caught.value.solution
    assert solution is not None and solution.t[-1] == pytest.approx(1.0, abs=tolerances.SINGULAR_TIME)
    # x(t) = 1/(1-t)² - 1
    middle = solution.t < 0.9
    exact = (1 - solution.t[middle]) ** -2 - 1
    np.testing.assert_allclose(solution.q[middle, 0], exact, rtol=0, atol=tolerances.BEFORE_A_POLE)


@pytest.mark.slow
def test_backends_agree_before_a_singularity() -> None:
    """Up to t = 0.5; the pole amplifies rounding errors with (1 - t)⁻³."""
    solutions = []
    for backend in ("c", "numpy"):
        with pytest.raises((StepUnderflowError, NotFiniteError)) as caught:
            sl.solve(singular_system(backend), 2.0, rtol=1e-4)
        assert caught.value.solution is not None and caught.value.solution.t[-1] < 2.0
        solutions.append(caught.value.solution)
    c, numpy = (solution.q[solution.t < 0.5, 0] for solution in solutions)
    np.testing.assert_allclose(c, numpy, rtol=0, atol=tolerances.BACKENDS)


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"h": 1e-3, "rtol": 1e-6}, ModelError, "not both"),
        ({"h": 1e-3, "h0": 1e-3}, ModelError, "h0"),
        ({"rtol": -1.0}, ModelError, "not negative"),
        ({"rtol": [1e-6, 1e-6]}, ModelError, "entries"),
        ({"rtol": 1e-6, "atol": 0.0}, ModelError, "atol must be positive"),
        ({"method": "half_explicit_4"}, UnsupportedMethodError, "half_explicit_5, index1_dopri5"),
        (
            {"method": "half_explicit_3", "h": 1e-3, "trace": True, "rtol": 1e-6},
            UnsupportedMethodError,
            "no error estimate",
        ),
        ({"controller": "pid"}, UnknownNameError, "tumiotto2024"),
        ({"controller_options": {"gain": 1.0}}, UnknownNameError, "safety"),
        ({"controller_options": {"safety": 2.0}}, ModelError, "safety"),
        ({"h0": -1.0}, ModelError, "positive"),
    ],
)
def test_invalid_options_are_reported(arguments: dict[str, Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        sl.solve(heavy_top_system("SE3"), 0.01, **arguments)


@given(error=st.floats(1e-12, 1e6), name=st.sampled_from(sorted(CONTROLLERS)))
def test_factors_decrease_with_the_error(error: float, name: str) -> None:
    chosen = controller_by_name(name)
    control = type(FIXED_STEPS)(
        True, True, np.zeros(2), np.ones(2), np.ones(2), chosen.safety, 0.2, chosen.fac_min, chosen.fac_max
    )
    assert chosen.fac_min <= control.factor(error) <= chosen.fac_max
    assert control.factor(2 * error) <= control.factor(error)
    assert error <= 1 or control.factor(error) < 1


def test_controllers_validate_their_parameters() -> None:
    with pytest.raises(ModelError, match="fac_min"):
        Controller("mine", 0.9, 2.0, 5.0, True, "")


@functools.cache
def driven_body(backend: Backend) -> System:
    """A body on a spring with a force that jumps."""
    model = sl.Model("driven_body")
    body = model.node("body", "R1")
    model.kinetic_energy(body.x_dot[0] ** 2 / 2)
    model.potential_energy(50 * body.x[0] ** 2)
    model.generalized_force(body, [model.input("push")])
    model.initial(body, x=[1], x_dot=[0])
    return model.derive().compile(backend=backend).with_input("push", [0.0, 0.03], [1.0, -2.0], "hold")


@pytest.mark.parametrize(
    ("build", "method_name"),
    [
        *((functools.partial(heavy_top_system, "S3xR3"), name) for name in ("taylor", "half_explicit_5")),
        *((build, "generalized_alpha") for build in (functools.partial(heavy_top_system, "S3xR3"), driven_body)),
        (driven_body, "rkmk_dopri5"),
    ],
)
def test_backends_agree_on_all_attempts(build: Callable[[Backend], System], method_name: str) -> None:
    """Sizes and errors of all attempted steps, also after a restart, and the largest residuals of the run."""
    backends: tuple[Backend, Backend] = ("c", "numpy")
    done = [sl.solve(build(backend), 0.05, method=method_name, rtol=1e-5, trace=True) for backend in backends]
    traces, statistics = [run.trace for run in done], [run.statistics for run in done]
    assert traces[0] is not None and traces[1] is not None
    for name in ("h", "error"):
        np.testing.assert_allclose(
            getattr(traces[0], name), getattr(traces[1], name), rtol=tolerances.ATTEMPTS, atol=tolerances.ATTEMPTS
        )
    for name in ("max_constraint_residual", "max_velocity_residual"):
        found, expected = (getattr(counted, name) for counted in statistics)
        assert found == pytest.approx(expected, rel=tolerances.ATTEMPTS, abs=tolerances.ATTEMPTS_AT_REST)
