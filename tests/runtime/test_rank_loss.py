"""Mechanisms that pass singular configurations: they stay on the smooth branch, or a warning names time and joints."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symlie as sl
from symlie.runtime.integrate.monitors.rank_loss import is_near_rank_loss
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from tests import tolerances
from tests.ensembles.test_ensemble import same

START = 1.0
"""Angle of the crank at the start, in rad."""


def bar(model: sl.Model, name: str, ends: Array, mass: float) -> sl.RigidBody:
    """A thin bar in the plane."""
    length = float(np.linalg.norm(ends[1] - ends[0]))
    return sl.RigidBody(model, name, mass, mass * length**2 / 12, "SE2", position=list(ends.mean(axis=0)))


@functools.cache
def in_line_crank(backend: str = "c", unit: float = 1.0, is_minimal: bool = False) -> System:
    """A slider-crank whose rod is as long as its crank: the slider passes the axis of the crank, x = 2 cos θ."""
    pin, end = unit * np.array([np.cos(START), np.sin(START)]), unit * np.array([2 * np.cos(START), 0])
    model = sl.Model("in_line_crank")
    crank = bar(model, "crank", np.array([[0, 0], pin]), 1.0)
    rod = bar(model, "rod", np.array([pin, end]), 1.0)
    slider = sl.RigidBody(model, "slider", 1.0, 0.1 * unit**2, "SE2", position=list(end))
    main = sl.RevoluteJoint(model, "main", model.ground, crank, at=[0, 0])
    sl.RevoluteJoint(model, "pin", crank, rod, at=list(pin))
    sl.RevoluteJoint(model, "bolt", rod, slider, at=list(end))
    sl.PrismaticJoint(model, "guide", model.ground, slider, at=list(end), axis=[1, 0])
    if is_minimal:
        model.initial(main, rate=3.0)
        model = sl.minimal_coordinates(model)
    else:
        model.initial(crank.node, Omega=[3.0])
    return model.derive().compile(backend=backend)


@functools.cache
def parallelogram(
    crank: float = 1.0,
    base: float = 2.0,
    masses: tuple[float, float, float] = (1.0, 2.0, 3.0),
    start: float = START,
    is_minimal: bool = False,
) -> System:
    """Two equal cranks and a coupler as long as their distance: θ₁ = θ₂, or the crossed motion from where all align."""
    tip, across = crank * np.array([np.cos(start), np.sin(start)]), np.array([base, 0.0])
    model = sl.Model("parallelogram")
    left = bar(model, "left", np.array([[0, 0], tip]), masses[0])
    coupler = bar(model, "coupler", np.array([tip, tip + across]), masses[1])
    right = bar(model, "right", np.array([across, across + tip]), masses[2])
    main = sl.RevoluteJoint(model, "A", model.ground, left, at=[0, 0])
    sl.RevoluteJoint(model, "B", left, coupler, at=list(tip))
    sl.RevoluteJoint(model, "C", coupler, right, at=list(tip + across))
    sl.RevoluteJoint(model, "D", model.ground, right, at=list(across))
    model.gravity([0, 0])
    if is_minimal:
        model.initial(main, rate=3.0)
        model = sl.minimal_coordinates(model)
    else:
        model.initial(left.node, Omega=[3.0])
    return model.derive().compile(backend="c")


@functools.cache
def hanging_chain(links: int) -> System:
    """Links in the plane, released from the horizontal: it has combinations of equations that nearly cancel."""
    model = sl.Model("hanging_chain")
    above: Any = model.ground
    for i in range(links):
        link = bar(model, f"link{i}", np.array([[i, 0.0], [i + 1.0, 0]]), 1.0)
        sl.RevoluteJoint(model, f"joint{i}", above, link, at=[i, 0])
        above = link
    model.gravity([0, -9.81])
    return model.derive().compile(backend="c")


def solved(system: System, end: float, **words: Any) -> Solution:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SymlieWarning)
        return sl.solve(system, end, **words)


def off_branch(solution: Solution, unit: float = 1.0) -> float:
    """Largest |x - 2 cos θ| of the slider-crank, relative to the length of its crank."""
    x = solution.field("slider", "x")[:, 0] / unit
    return float(np.abs(x - 2 * np.cos(START + solution.outputs["main_angle"])).max())


CRANK_RUNS: list[dict[str, Any]] = [
    {"rtol": 1e-3},
    {"rtol": 1e-4},
    {"rtol": 1e-5},
    {},
    {"method": "index1_dopri5", "rtol": 1e-5},
    {"method": "index1_dopri5", "rtol": 1e-7},
    {"method": "taylor", "rtol": 1e-5},
    {"method": "bdf", "rtol": 1e-5},
]


@pytest.mark.parametrize("words", CRANK_RUNS, ids=lambda words: " ".join(map(str, words.values())) or "default")
def test_slider_crank_stays_on_smooth_branch(words: dict[str, Any]) -> None:
    for rate in np.linspace(2, 4, 7):
        solution = solved(in_line_crank().with_initial("crank", Omega=[rate]), 6, **words)
        assert off_branch(solution) < tolerances.OTHER_BRANCH


MINIMAL_RUNS: list[dict[str, Any]] = [
    {},
    {"rtol": 1e-4},
    {"method": "index1_dopri5", "rtol": 1e-5},
    {"method": "half_explicit_2", "h": 2**-8},
]


def stays_in_minimal_coordinates(rate: float, words: dict[str, Any]) -> None:
    """Check that the slider-crank stays on its smooth branch, or with fixed steps that a warning names the position."""
    try:
        solution = solved(in_line_crank(is_minimal=True).with_initial("main", rate=rate), 6, **words)
    except sl.errors.IntegrationError:
        assert "h" in words
        return
    x = solution.outputs["guide_displacement"] + 2 * np.cos(START)
    off = float(np.abs(x - 2 * np.cos(START + solution.outputs["main_angle"])).max())
    is_told = any("become dependent" in sentence for sentence in solution.warnings)
    assert off < tolerances.OTHER_BRANCH or ("h" in words and is_told)


@pytest.mark.parametrize("words", MINIMAL_RUNS, ids=lambda words: " ".join(map(str, words.values())) or "default")
def test_slider_crank_in_minimal_coordinates_does_not_leave_its_branch_silently(words: dict[str, Any]) -> None:
    """A row of the Jacobian vanishes; without the check of residuals, 2.15, 2.8 and 3.6 rad/s change the branch."""
    for rate in (2.15, 2.8, 3.0, 3.6, 3.85):
        stays_in_minimal_coordinates(rate, words)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.floats(2, 4), st.sampled_from(MINIMAL_RUNS))
def test_many_slider_cranks_in_minimal_coordinates_do_not_leave_their_branch_silently(
    rate: float, words: dict[str, Any]
) -> None:
    stays_in_minimal_coordinates(rate, words)


def test_backends_agree_if_rows_vanish() -> None:
    """Counts of steps and of steps near singular configurations."""
    systems = [in_line_crank(backend, is_minimal=True).with_initial("main", rate=3.0) for backend in ("c", "numpy")]
    first, second = (solved(system, 0.5, rtol=1e-4) for system in systems)
    assert first.statistics.accepted == second.statistics.accepted
    assert first.warnings == second.warnings
    np.testing.assert_allclose(first.q[-1], second.q[-1], atol=tolerances.BACKENDS_BEHIND_SINGULARITY)


@pytest.mark.slow
def test_slider_crank_stays_on_smooth_branch_in_other_units() -> None:
    for unit in (1e-3, 1e3):
        solution = solved(in_line_crank(unit=unit), 6, rtol=1e-4)
        assert off_branch(solution, unit) < tolerances.OTHER_BRANCH


def test_singular_configuration_is_reported_once_with_time_and_joint() -> None:
    with pytest.warns(sl.SymlieWarning, match=r"Near t = \d.* joint 'pin'") as warned:
        solution = sl.solve(in_line_crank(), 6, rtol=1e-4)
    assert len(warned) == len(solution.warnings) == 1
    t = float(solution.warnings[0].split()[3])
    k = int(np.argmin(np.abs(solution.t - t)))
    assert abs(np.cos(START + solution.outputs["main_angle"][k])) < tolerances.OTHER_BRANCH


def test_default_tolerance_passes_without_warning() -> None:
    assert solved(in_line_crank(), 6).warnings == ()


def test_c_and_numpy_agree_at_singular_configurations() -> None:
    """From a state shortly before, since rounding grows by the factors of rejected steps."""
    before = solved(in_line_crank(), 3.6, rtol=1e-4)
    after = [solved(in_line_crank(backend), 3.75, rtol=1e-4, start=before) for backend in ("c", "numpy")]
    assert after[0].statistics.accepted == after[1].statistics.accepted
    assert after[0].warnings == after[1].warnings and len(after[0].warnings) == 1
    np.testing.assert_allclose(after[0].q, after[1].q, atol=tolerances.BACKENDS_BEHIND_SINGULARITY)


def test_lanes_agree_at_singular_configurations() -> None:
    run: dict[str, Any] = {
        "initial": {"crank": {"Omega": np.linspace(2, 4, 7)[:, None]}},
        "rtol": 1e-4,
        "t_eval": [0.0, 3.0, 6.0],
    }
    alone, lanes = (sl.ensemble(in_line_crank(), 6.0, lanes=n, **run) for n in (1, 4))
    assert same(alone, lanes)


@pytest.mark.slow
@pytest.mark.parametrize("links", [4, 16, 40])
@pytest.mark.parametrize("words", [{"rtol": 1e-3}, {"rtol": 1e-6}, {"method": "generalized_alpha", "h": 2e-3}])
def test_chains_are_not_singular(links: int, words: dict[str, Any]) -> None:
    solution = solved(hanging_chain(links), 0.6, **words)
    assert not any("become dependent" in sentence for sentence in solution.warnings)
    mechanics = hanging_chain(links).mechanics
    for k in range(1, len(solution.t), 5):
        begin, end = ((solution.t[i], solution.q[i], solution.v[i]) for i in (k - 1, k))
        assert not is_near_rank_loss(mechanics, begin, end)


def passes(rate: float, gravity: float, words: dict[str, Any]) -> None:
    """Check that the parallelogram stays one, or that a warning says that it may not."""
    system = parallelogram().with_initial("left", Omega=[rate]).with_parameters(gravity=[0, gravity])
    does_not_cross_silently(system, words)


def does_not_cross_silently(system: System, words: dict[str, Any]) -> None:
    try:
        solution = solved(system, 6, **words)
    except sl.errors.IntegrationError:
        return
    crossed = np.abs(solution.outputs["A_angle"] - solution.outputs["D_angle"]).max() > tolerances.OTHER_BRANCH
    assert not crossed or any("become dependent" in sentence for sentence in solution.warnings)


runs = st.one_of(
    st.fixed_dictionaries({"rtol": st.sampled_from([1e-3, 1e-4, 1e-5, 1e-6])}),
    st.fixed_dictionaries({"rtol": st.sampled_from([1e-4, 1e-6]), "method": st.just("index1_dopri5")}),
    st.fixed_dictionaries({"h": st.sampled_from([0.005, 0.01, 0.02]), "method": st.just("half_explicit_2")}),
    st.fixed_dictionaries({"h": st.sampled_from([0.01, 0.02]), "method": st.just("half_explicit_5")}),
)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.floats(2, 6), st.sampled_from([0.0, -2.0, -9.81]), runs)
def test_parallelograms_do_not_cross_silently(rate: float, gravity: float, words: dict[str, Any]) -> None:
    passes(rate, gravity, words)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(st.floats(2, 6), st.floats(-10, 10), runs)
def test_many_parallelograms_do_not_cross_silently(rate: float, gravity: float, words: dict[str, Any]) -> None:
    passes(rate, gravity, words)


def test_parallelogram_in_minimal_coordinates_does_not_cross_silently() -> None:
    """At steps so long that the residual of Φ is a seventh of the distance to the crossing when the velocity jumps."""
    system = parallelogram(0.5, 1.5, (1.0, 1.0, 1.0), is_minimal=True)
    for rate in np.linspace(1.9, 2.1, 11):
        does_not_cross_silently(system.with_initial("A", rate=rate), {"method": "half_explicit_3", "h": 2**-7})


cases = st.tuples(
    st.floats(0.3, 1.5),
    st.floats(0.5, 3),
    st.tuples(*[st.sampled_from([0.5, 1.0, 2.0, 4.0])] * 3),
    st.floats(0.2, 2.8),
    st.booleans(),
)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(cases, st.integers(2, 3), st.integers(5, 9))
def test_random_parallelograms_do_not_cross_silently(
    case: tuple[float, float, tuple[float, float, float], float, bool], order: int, level: int
) -> None:
    """20 models with 20 rates each."""
    system = parallelogram.__wrapped__(*case)
    for rate in np.linspace(1, 4, 20):
        changed = system.with_initial("A", rate=rate) if case[-1] else system.with_initial("left", Omega=[float(rate)])
        does_not_cross_silently(changed, {"method": f"half_explicit_{order}", "h": 2.0**-level})
