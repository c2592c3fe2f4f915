"""BDF: coefficients, orders, first steps, steps of other lengths, and every door."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import OutsideChartError, UnknownNameError, UnsupportedMethodError
from symlie.models.flying_spaghetti import build as build_rod
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.bdf.fixed import MOST_STEPS
from symlie.runtime.methods.library import method
from symlie.runtime.methods.programs.bdf import derivative_weights, extrapolation_weights
from symlie.runtime.solution.solution import Solution
from tests import tolerances
from tests.runtime.interruptions import (
    assert_continued_with_the_same_bits,
    content,
    interrupted,
    resumed_in_pieces,
)
from tests.runtime.test_first_order_states import drives, steered
from tests.runtime.test_generalized_alpha import machine, run_of_others, sleigh
from tests.systems import heavy_top_system

BACKENDS = ("c", "numpy")
STEPS = range(1, MOST_STEPS + 1)
ENDINGS = ("", "_index2")
PARTS = ("q", "v", "multipliers")


def test_weights_of_equal_steps_are_exact() -> None:
    """Weights of equal steps agree with textbooks."""
    known = {
        1: "1 -1",
        2: "3/2 -2 1/2",
        3: "11/6 -3 3/2 -1/3",
        4: "25/12 -4 3 -4/3 1/4",
        5: "137/60 -5 5 -10/3 5/4 -1/5",
    }
    for k, row in known.items():
        assert derivative_weights([Fraction(-i) for i in range(1, k + 1)]) == [Fraction(x) for x in row.split()]


def test_weights_of_variable_steps_are_exact() -> None:
    """Exact for polynomials of degree k."""
    tau = [Fraction(x) for x in ("0", "-1", "-5/3", "-9/4", "-4")]
    for power in range(5):
        slope = sum(a * x**power for a, x in zip(derivative_weights(tau[1:]), tau, strict=True))
        assert slope == int(power == 1)
        behind = [x + 1 for x in tau[2:]]
        first, *others = extrapolation_weights(tau[1:])
        found = first * (power == 1) + sum(w * x**power for w, x in zip(others, behind, strict=True))
        assert power == 0 or found == 1


@pytest.mark.parametrize("k", STEPS)
def test_order_conditions_hold(k: int) -> None:
    for ending in ENDINGS:
        found, estimate = method(f"bdf{k}{ending}").orders()
        assert found.order == k == method(f"bdf{k}{ending}").order and estimate is None


@functools.cache
def top(group: str, steps: int, name: str, end: float = 1 / 16) -> Any:
    """The constrained top up to a time, solved to the rounding of residuals."""
    options = {} if name == "half_explicit_5" else {"newton_rtol": 0, "newton_atol": 0}
    known: dict[str, Any] = {"h": end / steps, "method": name, "method_options": options}
    return sl.solve(heavy_top_system(group), end, **known, multipliers="stage" if options else "index1")


def error(group: str, name: str, steps: int, part: str, end: float = 1 / 16) -> float:
    """Largest error over the run."""
    fine = FINE[end]
    found, exact = (getattr(top(group, *of, end), part) for of in ((steps, name), (fine, "half_explicit_5")))
    return float(np.abs(found - exact[:: fine // steps]).max())


FINE = {1 / 16: 2**11, 1 / 8: 3 * 2**11}
"""Steps of the run that errors refer to, by its end."""

STEPS_OF_PARTS = {
    1: (1 / 16, (256, 512), (512, 1024)),
    2: (1 / 16, (256, 512), (256, 512)),
    3: (1 / 16, (256, 512), (256, 512)),
    4: (1 / 16, (256, 512), (128, 256)),
    5: (1 / 8, (256, 512), (192, 256)),
}
"""By order: the end of a run, and numbers of steps at which orders of q and v, and of λ, are seen.

With index 3 errors of λ of smaller steps are rounding times h⁻²."""


QUICK = (("SO3xR3", 3, ""), ("SE3", 4, "_index2"), ("SE3", 5, ""))
ALL = [(group, k, ending) for group in ("SO3xR3", "SE3") for k in STEPS for ending in ENDINGS]


@pytest.mark.parametrize(
    ("group", "k", "ending"), [*QUICK, *(pytest.param(*c, marks=pytest.mark.slow) for c in ALL if c not in QUICK)]
)
def test_all_variables_have_the_declared_order(group: str, k: int, ending: str) -> None:
    """From the first step on, in both indices."""
    end, of_motion, of_multipliers = STEPS_OF_PARTS[k]
    for part, steps in {"q": of_motion, "v": of_motion, "multipliers": of_multipliers}.items():
        coarse, fine = (error(group, f"bdf{k}{ending}", n, part, end) for n in steps)
        assert abs(math.log(coarse / fine) / math.log(steps[1] / steps[0]) - k) <= tolerances.BDF_ORDER, part


@pytest.mark.slow
def test_iterations_are_few() -> None:
    """Since the matrix has the slopes of all increments: also where a step turns by eight degrees."""
    for exponent in (10, 12):
        run = sl.solve(heavy_top_system("SE3", "numpy"), 1 / 64, h=2.0**-exponent, method="bdf3")
        assert run.statistics.newton_iterations <= 2.2 * run.statistics.steps


@pytest.mark.slow
def test_constraint_rates_depend_on_index() -> None:
    """Index 3 satisfies Φ = 0; the stabilised form satisfies B v = 0 as well."""
    for name, is_stabilised in {"bdf3": False, "bdf3_index2": True}.items():
        options = {"newton_rtol": 0, "newton_atol": 0}
        run = sl.solve(heavy_top_system("SO3xR3", "numpy"), 1 / 64, h=2.0**-10, method=name, method_options=options)
        assert run.statistics.max_constraint_residual <= tolerances.BDF_START
        assert (run.statistics.max_velocity_residual <= tolerances.BDF_START) == is_stabilised


def assert_backends_agree(first: Solution, second: Solution, h: float, mass: float) -> None:
    """Increments are rounded as configurations are; velocities are their differences, multipliers those of these."""
    q, slopes = np.abs(first.q).max(), 10 / h
    for part, size in {"t": 1, "q": q, "v": q * slopes, "multipliers": mass * q * slopes**2}.items():
        a, b = getattr(first, part), getattr(second, part)
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerances.IMPLICIT_BACKENDS * size, err_msg=part)
    assert first.statistics.newton_iterations == second.statistics.newton_iterations
    assert first.statistics.jacobians == second.statistics.jacobians
    assert [e.name for e in first.events] == [e.name for e in second.events]


@pytest.mark.slow
@pytest.mark.parametrize("newton", ["full", "modified"])
@pytest.mark.parametrize("name", ["bdf4", "bdf3_index2", "bdf2_increments_index2"])
def test_both_backends_agree(name: str, newton: str) -> None:
    """Also at cuts, events and jumps of inputs."""
    options: dict[str, Any] = {"method": name, "h": 1 / 128, "method_options": {"newton": newton}}
    runs = [sl.solve(machine(backend), 0.25, t_eval=[0.05, 0.1234, 0.25], **options) for backend in BACKENDS]
    assert_backends_agree(runs[0], runs[1], options["h"], mass=3.5)


@pytest.mark.slow
@pytest.mark.parametrize("group", ["SO3xR3", "S3sR3"])
def test_backends_agree_for_large_rotations_per_step(group: str) -> None:
    """The increments over two steps are 1.2 rad, for which logarithms have a closed form."""
    runs = [sl.solve(heavy_top_system(group, backend), 2**-5, h=2**-8, method="bdf2_index2") for backend in BACKENDS]
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=tolerances.BACKENDS)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bdf2", "bdf5_index2"])
def test_backends_agree_for_states_and_velocity_constraints(name: str) -> None:
    for build, end, h in ((steered, 0.25, 2.0**-5), (drives, 0.25, 2.0**-5), (sleigh, 0.5, 2.0**-5)):
        runs = [sl.solve(build(backend), end, h=h, method=name) for backend in BACKENDS]
        assert_backends_agree(runs[0], runs[1], h, mass=6)


@pytest.mark.parametrize(("name", "k"), [("bdf3", 3), pytest.param("bdf4_index2", 4, marks=pytest.mark.slow)])
def test_first_order_states_have_the_declared_order(name: str, k: int) -> None:
    """First-order states z that drive a top."""
    exact = sl.solve(steered(), 0.25, h=2.0**-11, record_every=0, multipliers="index1")
    rows = []
    for exponent in (8, 9):
        run = sl.solve(steered(), 0.25, h=2.0**-exponent, method=name, record_every=0)
        rows.append([np.abs(getattr(run, p)[-1] - getattr(exact, p)[-1]).max() for p in PARTS])
    assert np.all(np.log2(np.divide(*rows)) >= k - tolerances.OBSERVED_ORDER)


CUTS = np.sort(np.modf(np.arange(1, 38) * math.sqrt(2))[0]) / 16


@pytest.mark.slow
def test_step_size_changes_preserve_the_order() -> None:
    """Of the stabilised form; with index 3 λ has an order less."""
    system = heavy_top_system("SO3xR3")
    exact = sl.solve(system, 1 / 16, h=2.0**-14, method="half_explicit_5", multipliers="index1", t_eval=CUTS)

    def orders(name: str) -> Array:
        runs = [sl.solve(system, 1 / 16, h=2.0**-m, method=name, t_eval=CUTS) for m in (11, 13)]
        rows = [[np.abs(getattr(run, p) - getattr(exact, p)).max() for p in PARTS] for run in runs]
        return np.asarray(np.log2(np.divide(*rows)) / 2)

    assert np.all(orders("bdf3_index2") >= 3 - tolerances.OBSERVED_ORDER)
    of_index_3 = orders("bdf3")
    assert np.all(of_index_3[:2] >= 3 - tolerances.OBSERVED_ORDER) and of_index_3[2] >= 2 - tolerances.OBSERVED_ORDER


@pytest.mark.slow
@pytest.mark.usefixtures("often")
@pytest.mark.parametrize(("name", "newton"), [("bdf3", "full"), ("bdf4_index2", "modified")])
@pytest.mark.parametrize("backend", BACKENDS)
def test_resumed_and_continued_runs_are_bit_identical(name: str, newton: str, backend: str, tmp_path: Path) -> None:
    """The history is preserved, including the history of the first steps."""
    options: dict[str, Any] = {"method": name, "h": 1 / 128, "method_options": {"newton": newton}}
    system = machine(backend, jumps=False)
    expected, path = sl.solve(system, 0.2, **options), tmp_path / "run"
    interrupted(system, 0.2, 3, path, **options)
    assert content(resumed_in_pieces(path, 5)) == content(expected)
    assert_continued_with_the_same_bits(system, 0.125, 0.15625, tmp_path, **options)


@functools.cache
def spring_pendulum(backend: str) -> sl.System:
    """A spring whose period is 2 ms."""
    model = sl.Model("spring_pendulum")
    bob = model.node("bob", "R3")
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(9.81 * bob.x[2] + 1e7 * (sl.sqrt(bob.x.dot(bob.x)) - 1) ** 2 / 2)
    model.initial(bob, x=[0.6, 0, -0.8])
    return model.derive().compile(backend=backend)


@pytest.mark.parametrize("k", [1, 4, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 3, 5))])
def test_stiff_systems_take_long_steps(k: int) -> None:
    """Steps of ten periods of the spring: the method that begins takes parts that are short enough."""
    h = 0.02
    run = sl.solve(spring_pendulum("c"), 1, h=h, method=f"bdf{k}")
    length = np.linalg.norm(run.q[2 * k :], axis=1)
    assert np.all(np.abs(length - 1) <= tolerances.SPRING_LENGTH)
    assert run.statistics.newton_iterations <= 6 * run.statistics.steps
    if k > 1:
        short = sl.solve(spring_pendulum("numpy"), k * h, h=h, method=f"bdf{k}")
        np.testing.assert_allclose(short.q, run.q[: k + 1], rtol=0, atol=tolerances.IMPLICIT_BACKENDS * 100)


@pytest.mark.parametrize("ends", ["floor", pytest.param("tolerance", marks=pytest.mark.slow)])
def test_rod_matches_published_results(ends: str) -> None:
    """In increments."""
    run_of_others("BDF2_stab2", "bdf2_increments_index2", ends)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
def test_increments_have_order_two(ending: str) -> None:
    """Also with steps of other lengths; with index 3 λ has an order less there."""
    for part in PARTS:
        coarse, fine = (error("SE3", f"bdf2_increments{ending}", n, part) for n in (128, 256))
        assert abs(math.log2(coarse / fine) - 2) <= tolerances.BDF_ORDER, part
    system = heavy_top_system("SO3xR3")
    exact = sl.solve(system, 1 / 16, h=2.0**-14, method="half_explicit_5", t_eval=CUTS)
    runs = [sl.solve(system, 1 / 16, h=2.0**-m, method=f"bdf2_increments{ending}", t_eval=CUTS) for m in (11, 12)]
    for part in ("q", "v"):
        coarse, fine = (np.abs(getattr(run, part) - getattr(exact, part)).max() for run in runs)
        assert math.log2(coarse / fine) >= 2 - tolerances.OBSERVED_ORDER, part


@pytest.mark.slow
def test_nearly_stationary_rod_is_integrated() -> None:
    rod = build_rod(64, constraint="kirchhoff").derive().compile(backend="c")
    h = 2.0**-13
    found = sl.solve(rod, 2 * h, h=h, method="bdf2")
    fine = sl.solve(rod, 2 * h, h=h / 64, method="half_explicit_5").v[-1]
    told = 2.0**-52 * np.abs(found.q[-1]).max() / h
    assert np.abs(found.v[-1] - fine).max() < told < 1e-4 * np.abs(fine).max()


@pytest.mark.slow
def test_invalid_input_is_rejected() -> None:
    system = heavy_top_system("SO3xR3", "numpy")
    with pytest.raises(UnsupportedMethodError, match="has no error estimate"):
        sl.solve(system, 0.01, method="bdf3", rtol=1e-6)
    with pytest.raises(OutsideChartError, match="take a smaller step"):
        sl.solve(system, 1, h=0.1, method="bdf2")
    for name in ("bdf6", "bdf12_index2"):
        with pytest.raises(UnknownNameError, match=f"^Unknown method '{name}': BDF has the orders one to five;"):
            sl.solve(system, 0.01, h=0.001, method=name)
    sphere = sl.Model("point")
    point = sphere.node("point", sl.S2)
    sphere.field(point, sl.vector(0, 0, 1))
    sphere.initial(point, q=[1, 0, 0])
    with pytest.raises(UnsupportedMethodError, match="elements of the group which moves them"):
        sl.solve(sphere.derive().compile(backend="numpy"), 0.1, h=0.1, method="bdf2")
