"""BDF of variable order and step: errors, orders, steps of all lengths, and every door."""

from __future__ import annotations

import functools
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symlie as sl
from symlie.contract.constants import ORDER_GROWTH
from symlie.errors import ModelError, UnsupportedMethodError
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.bdf.orders import error_factor, longest
from symlie.runtime.methods.library import method
from symlie.runtime.methods.programs.bdf import derivative_weights
from symlie.runtime.methods.programs.bdf_variable import difference_weights
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.trace import Trace
from tests import tolerances
from tests.rods.problems import benchmark, errors, reference
from tests.runtime.interruptions import content, interrupted, resumed_in_pieces
from tests.runtime.test_bdf import spring_pendulum
from tests.runtime.test_first_order_states import drives, steered
from tests.runtime.test_generalized_alpha import machine, sleigh
from tests.systems import heavy_top_system

BACKENDS = ("c", "numpy")
ORDERS = range(1, 6)
PARTS = ("q", "v", "multipliers")


def orders_of(solution: Solution) -> list[int]:
    """Accepted steps of each order."""
    return [getattr(solution.statistics, f"steps_of_order_{k}") for k in ORDERS]


def trace_of(solution: Solution) -> Trace:
    assert solution.trace is not None
    return solution.trace


@pytest.mark.parametrize("k", ORDERS)
def test_error_estimate_holds_for_any_step_size(k: int) -> None:
    """The defect of BDF for t^(k+1), whose divided difference is one, times the step, in k steps."""
    nodes = [Fraction(x) for x in ("0", "-3/2", "-2", "-3", "-17/4", "-5")][: k + 1]
    alpha = derivative_weights(nodes[1:])
    off = sum((a * x ** (k + 1) for a, x in zip(alpha, nodes, strict=True)), Fraction(0)) * Fraction(3, 2)
    distances = [float(nodes[1] - x) for x in nodes[1:]]
    assert error_factor(distances, 1.5) == pytest.approx(k * abs(float(off)), rel=tolerances.EPSILON * 64)
    points = [*map(float, nodes), -6.5]
    powers = [sum(w * x**m for w, x in zip(difference_weights(points), points, strict=True)) for m in range(k + 2)]
    np.testing.assert_allclose(powers, [0] * (k + 1) + [1], rtol=0, atol=tolerances.EPSILON * 2**12)


def test_longest_step_has_unit_error() -> None:
    distances = [0.0, 0.7, 1.9]
    found = longest(distances, 40.0, 1e-3, 10.0)
    assert 40 * error_factor(distances, found) == pytest.approx(1, rel=1e-5)
    assert longest(distances, 1e-9, 1e-3, 10.0) == 10.0


@functools.cache
def top(group: str, rtol: float, backend: str = "c") -> Solution:
    return sl.solve(heavy_top_system(group, backend), 1 / 16, rtol=rtol, method="bdf", trace=True)


@functools.cache
def exact_top(group: str) -> Solution:
    options: dict[str, Any] = {"h": 2.0**-13, "method": "half_explicit_5", "multipliers": "index1", "record_every": 0}
    return sl.solve(heavy_top_system(group), 1 / 16, **options)


def relative_errors(run: Solution, exact: Solution) -> Array:
    """Of q, v and λ at the end, relative to the largest entries."""
    pairs = [(getattr(run, p)[-1], getattr(exact, p)[-1]) for p in PARTS]
    return np.array([np.abs(a - b).max() / np.abs(b).max() for a, b in pairs])


@pytest.mark.slow
@pytest.mark.parametrize("group", ["SO3xR3", "SE3"])
def test_errors_follow_the_tolerance(group: str) -> None:
    """To within a factor of ten, of q, too. Steps are few, and of the largest order."""
    for rtol in (1e-4, 1e-6, 1e-8, 1e-10):
        run = top(group, rtol)
        q, v, _ = relative_errors(run, exact_top(group))
        assert q <= 10 * rtol and v <= 10 * rtol
        assert run.statistics.rejected <= run.statistics.steps / 6
    assert run.statistics.steps < 500 and orders_of(run)[4] > 0.7 * run.statistics.steps


@pytest.mark.slow
def test_roll_up_matches_published_results() -> None:
    """Also from rest, at tolerances where first steps are as short as 1e-9 s, to within a factor of ten."""
    times = [t for t in reference("R1").t if 0 < t <= 1]
    for rtol in (1e-5, 1e-9):
        run = sl.solve(benchmark("R1"), times[-1], rtol=rtol, method="bdf", t_eval=times)
        q, v = errors(run, "R1")
        assert q.max() <= 10 * rtol and v.max() / np.abs(run.v).max() <= 10 * rtol


MASSES = 8


def chain() -> sl.System:
    """Masses on a line, attached to a soft spring and connected by stiff springs and dampers."""
    model = sl.Model("stiff_chain")
    masses = [model.node(f"m{k}", "R1") for k in range(MASSES)]
    for k, (mass, before) in enumerate(zip(masses, [None, *masses], strict=False)):
        model.kinetic_energy(mass.x_dot[0] ** 2 / 2)
        model.initial(mass, x=[1.0], x_dot=[0.1 * k])
        if before is None:
            model.potential_energy(5 * mass.x[0] ** 2 + mass.x[0] ** 4)
            model.generalized_force(mass, [-0.1 * mass.x_dot[0]])
            continue
        model.potential_energy(5e5 * (mass.x[0] - before.x[0]) ** 2)
        damping = 2000 * (mass.x_dot[0] - before.x_dot[0])
        model.generalized_force(before, [damping])
        model.generalized_force(mass, [-damping])
    return model.derive().compile()


def chain_rate(t: float, y: Array) -> Array:
    """The equations of the chain as a first-order system."""
    x, v = np.split(y, 2)
    u, rate = np.diff(x, prepend=0), np.diff(v, prepend=0)
    force = 1e6 * u + 2000 * rate
    force[0] = 10 * u[0] + 4 * u[0] ** 3 + 0.1 * v[0]
    return np.concatenate([v, np.append(force[1:], 0) - force])


@pytest.mark.slow
def test_stiff_chain_matches_scipy_bdf() -> None:
    """In R(n): errors below ten times the tolerance and those of SciPy, with at most 1.5 times as many steps.

    At 1e-8 steps are held by the stability of orders four and five, since motions lie at 78° from the negative axis.
    """
    system, end = chain(), 10.0
    begin = np.concatenate([np.ones(MASSES), 0.1 * np.arange(MASSES)])
    exact = solve_ivp(chain_rate, (0, end), begin, method="Radau", rtol=1e-11, atol=1e-13)
    largest = np.abs(exact.y).max()
    for rtol, most in ((1e-4, 1.5), (1e-6, 1.5), (1e-7, 1.5), (1e-8, 3)):
        run = sl.solve(system, end, rtol=rtol, method="bdf")
        others = solve_ivp(chain_rate, (0, end), begin, method="BDF", rtol=rtol, atol=rtol / 100)
        errors = [
            np.abs(y - exact.y[:, -1]).max() / largest
            for y in (np.concatenate([run.q[-1], run.v[-1]]), others.y[:, -1])
        ]
        assert errors[0] <= min(errors[1], 10 * rtol)
        assert run.statistics.steps <= most * (len(others.t) - 1)


def test_steps_and_orders_are_reported() -> None:
    """Order one first; steps remain unchanged for k + 1 steps; orders add up; longer steps are bounded."""
    run = top("SE3", 1e-6)
    trace, taken = trace_of(run), trace_of(run).accepted
    order, h = trace.order[taken], trace.h[taken]
    assert order[0] == 1 and np.abs(np.diff(order)).max() == 1
    assert [np.sum(order == k) for k in ORDERS] == orders_of(run) and sum(orders_of(run)) == run.statistics.steps
    grown = h[1:-1] / h[:-2]
    assert grown.max() <= 5 and grown[order[1:-1] >= 3].max() <= ORDER_GROWTH
    assert np.mean(np.abs(grown - 1) < tolerances.EPSILON * 8) > 0.7
    assert json.loads(json.dumps(run.to_json()))["trace"]["order"] == trace.order.tolist()


@pytest.mark.slow
def test_maximum_orders_are_respected() -> None:
    for most in (1, 2, 3):
        options: dict[str, Any] = {"method": "bdf", "method_options": {"max_order": most}}
        run = sl.solve(heavy_top_system("SE3", "numpy"), 1 / 128, rtol=1e-4, **options)
        assert orders_of(run)[most - 1] > 0 == sum(orders_of(run)[most:])
        assert method("bdf").with_options({"max_order": most}).order == most


@pytest.mark.slow
@pytest.mark.parametrize("newton", ["full", "modified"])
def test_both_backends_take_the_same_steps(newton: str) -> None:
    """Also at times that are hit, events, and jumps of inputs, after which it begins anew."""
    options: dict[str, Any] = {"method": "bdf", "rtol": 1e-5, "trace": True, "method_options": {"newton": newton}}
    first, second = (sl.solve(machine(b), 0.25, t_eval=[0.05, 0.1234, 0.25], **options) for b in BACKENDS)
    a, b = trace_of(first), trace_of(second)
    np.testing.assert_array_equal(a.order, b.order)
    np.testing.assert_allclose(a.h, b.h, rtol=tolerances.BDF_STEPS)
    np.testing.assert_allclose(first.q, second.q, rtol=0, atol=tolerances.BDF_STATES)
    assert first.statistics.newton_iterations == second.statistics.newton_iterations
    assert [e.name for e in first.events] == [e.name for e in second.events]
    assert (first.statistics.jacobians < 0.5 * first.statistics.newton_iterations) == (newton == "modified")
    starts = [t for t in a.t[a.accepted & (a.order == 1)] if t > 0]
    assert starts and set(starts) >= {t for t in machine("c").breakpoints.values() if t < 0.25}


def quiet(backend: str) -> sl.System:
    return steered(backend, has_event=False)


@pytest.mark.slow
@pytest.mark.parametrize("build", [quiet, drives, sleigh])
def test_states_and_velocity_constraints_are_supported(build: Any) -> None:
    exact = sl.solve(build("c"), 0.25, h=2.0**-9, record_every=0)
    runs = [sl.solve(build(backend), 0.25, rtol=1e-5, method="bdf", record_every=0) for backend in BACKENDS]
    assert orders_of(runs[0]) == orders_of(runs[1])
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=tolerances.BDF_STATES)
    assert np.abs(runs[0].q[-1] - exact.q[-1]).max() <= 1e-4 * np.abs(exact.q).max()


def test_dense_output_is_accurate() -> None:
    """Where nodes move by fields they are those of the method for steps of one length."""
    run = sl.solve(quiet("numpy"), 0.1, rtol=1e-6, method="bdf")
    exact = sl.solve(quiet("c"), 0.07, h=2.0**-9, record_every=0)
    found = run([0.07])
    assert isinstance(found, Solution)
    np.testing.assert_allclose(found.q[0], exact.q[-1], rtol=0, atol=1e-5)


@pytest.mark.slow
@pytest.mark.usefixtures("often")
@pytest.mark.parametrize(("backend", "newton"), [("c", "modified"), ("numpy", "full")])
def test_resumed_and_continued_runs_are_bit_identical(backend: str, newton: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"method": "bdf", "rtol": 1e-5, "trace": True, "method_options": {"newton": newton}}
    system = machine(backend, jumps=False)
    expected, path = sl.solve(system, 0.1, **options), tmp_path / "run"
    interrupted(system, 0.1, 3, path, **options)
    assert content(resumed_in_pieces(path, 5)) == content(expected)
    # A step that an end has cut says so when it is over, as a time that is hit does.
    begun = sl.solve(system, 0.05, **options)
    begun.save(tmp_path / "begun.npz")
    ends = [
        sl.solve(start.system, 0.1, **options, start=start).q[-1].tobytes()
        for start in (begun, sl.load_solution(tmp_path / "begun.npz", backend=backend, trust=True))
    ]
    assert ends == [sl.solve(system, 0.1, **options, t_eval=[0.05, 0.1]).q[-1].tobytes()] * 2


@pytest.mark.parametrize("count", [10, 300])
def test_shortened_steps_are_stable(count: int) -> None:
    """Times without order, also nearer to each other than steps, cost neither accuracy nor many more steps."""
    times = np.sort(np.modf(np.arange(1, count) * math.sqrt(2))[0]) / 16
    run = sl.solve(heavy_top_system("SE3"), 1 / 16, rtol=1e-6, method="bdf", t_eval=[*times, 1 / 16])
    whole = top("SE3", 1e-6)
    assert run.statistics.steps + run.statistics.rejected <= whole.statistics.steps + 2 * count
    assert np.all(relative_errors(run, exact_top("SE3")) <= 10 * relative_errors(whole, exact_top("SE3")))


@pytest.mark.slow
def test_stiff_systems_take_long_steps() -> None:
    """A spring of 2 ms without damping, for which orders of three and more are not stable."""
    run = sl.solve(spring_pendulum("c"), 1, rtol=1e-3, method="bdf", method_options={"max_order": 2})
    assert run.statistics.steps < 200
    assert np.linalg.norm(run.q[-1]) == pytest.approx(1, abs=tolerances.SPRING_LENGTH)
    assert sl.solve(spring_pendulum("c"), 1, rtol=1e-3).statistics.steps > 10 * run.statistics.steps


def test_invalid_input_is_rejected() -> None:
    system = heavy_top_system("SO3xR3", "numpy")
    with pytest.raises(UnsupportedMethodError, match=r"give rtol instead of h, .* or use bdf5_index2 for fixed steps"):
        sl.solve(system, 0.01, method="bdf", h=1e-3)
    with pytest.raises(ModelError, match="does not accept a controller exponent"):
        sl.solve(system, 0.01, method="bdf", controller_options={"exponent": 0.5})
    with pytest.raises(ModelError, match="max_order"):
        sl.solve(system, 0.01, method="bdf", method_options={"max_order": 6})
    sphere = sl.Model("point")
    point = sphere.node("point", sl.S2)
    sphere.field(point, sl.vector(0, 0, 1))
    sphere.initial(point, q=[1, 0, 0])
    with pytest.raises(UnsupportedMethodError, match="elements of the group which moves them"):
        sl.solve(sphere.derive().compile(backend="numpy"), 0.1, method="bdf")
