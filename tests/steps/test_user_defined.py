"""User-defined methods: orders, both backends, lanes, continued runs, and mistakes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import FormatError, ModelError, UnsupportedMethodError
from symlie.runtime.methods.chosen import method_of_run, own_method, recorded_method
from symlie.runtime.methods.family import Method
from symlie.runtime.study.observed_orders import observed_orders
from tests import tolerances
from tests.ensembles.test_ensemble import same
from tests.runtime.interruptions import (
    assert_continued_with_the_same_bits,
    content,
    interrupted,
    resumed_in_pieces,
)
from tests.runtime.test_first_order_states import steered
from tests.runtime.test_types_that_do_not_move import BEFORE, pulled
from tests.systems import heavy_top_system
from tests.tolerances import BACKENDS_OF_SPACES


@sl.method(order=2)
def midpoint(s: sl.steps.StepRecorder) -> None:
    first = s.stage(0, s.q, s.v)
    theta = s.increment([1 / 2], [s.slope(first)])
    middle = s.stage(1 / 2, *s.at(1 / 2, s.advance(s.q, theta), s.velocity(s.v, [1 / 2], [first.acceleration])))
    theta = s.increment([1], [s.inverse_tangent(theta, s.slope(middle))])
    end = s.at(1, s.advance(s.q, theta), s.velocity(s.v, [1], [middle.acceleration]))
    s.end(*end, theta)
    s.end_multipliers(*end)


@sl.method(order=2)
def two_step(s: sl.steps.StepRecorder) -> None:
    now, before = s.stage(0, s.q, s.v), s.previous(1)
    r = s.h**2 / (2 * s.h * before.h)
    theta = s.increment([1 + r, -r], [s.slope(now), s.rate(before.q, before.v)])
    v = s.velocity(s.v, [1 + r, -r], [now.acceleration, before.acceleration])
    s.end(*s.at(1, s.advance(s.q, theta), v), theta)


@sl.method(order=2, order_hat=1, name="Heun's pair")
def heun(s: sl.steps.StepRecorder) -> None:
    first = s.stage(0, s.q, s.v)
    theta_hat, v_hat = s.increment([1], [s.slope(first)]), s.velocity(s.v, [1], [first.acceleration])
    last = s.stage(1, *s.at(1, s.advance(s.q, theta_hat), v_hat))
    slopes = [s.slope(first), s.inverse_tangent(theta_hat, s.slope(last))]
    theta = s.increment([1 / 2, 1 / 2], slopes)
    v = s.velocity(s.v, [1 / 2, 1 / 2], [first.acceleration, last.acceleration])
    s.end(*s.at(1, s.advance(s.q, theta), v), theta)
    s.only_for_estimate()
    s.estimate(theta, theta_hat, v, v_hat)


def first_acceleration(s: sl.steps.StepRecorder) -> None:
    s.carry("acceleration", s.stage(0, s.q, s.v).acceleration)


@sl.method(order=2, first_values=first_acceleration, index=2)
def newmark(s: sl.steps.StepRecorder) -> None:
    h, a_n = s.h, s.carried("acceleration", sl.steps.Acceleration)
    w = s.unknown_increment()
    a = 4 / h**2 * (w - h * s.v) - a_n
    v = s.v + h / 2 * (a_n + a)
    end = s.implicit_end(w, v, a, h * s.v + h**2 / 2 * a_n, a_n)
    s.carry("acceleration", end.acceleration)
    s.end_implicit(end)


def one_point(s: sl.steps.StepRecorder) -> None:
    s.carry("acceleration", s.stage(0, s.q, s.v).acceleration)
    s.carry("element", s.exponential(s.evaluated(sl.steps.Algebra, 0.0 * s.v)))


@sl.method(order=2, first_values=one_point, index=2)
def bdf2(s: sl.steps.StepRecorder) -> None:
    """BDF of two steps, in local coordinates at the end of the step; the first step is one of order one."""
    h, before = s.h, s.carried("length", sl.steps.Scalar)
    element, increment = s.carried("element", sl.steps.Configuration), s.carried("increment", sl.steps.Algebra)
    earlier, a_n = s.carried("earlier", sl.steps.Velocity), s.carried("acceleration", sl.steps.Acceleration)
    second = s.where(before, h / (before * (h + before)), 0.0)
    first = -1 / h - s.where(before, 1 / before, 0.0)
    new = s.unknown_end([element], [increment])
    v = -(first + second) * new.correction - first * new.theta + second * new.relative[0]
    a = -(first + second) * new.velocity + first * s.v + second * earlier
    end = s.implicit_end(new, v, a, h * s.v + h**2 / 2 * a_n, a_n)
    for name, value in {
        "length": h,
        "earlier": s.v,
        "acceleration": end.acceleration,
        "element": s.inverse(new.element),
    }.items():
        s.carry(name, value)
    s.carry("increment", s.evaluated(sl.steps.Algebra, -end.theta))
    s.end_implicit(end)


@sl.method(order=2, order_hat=1)
def two_step_pair(s: sl.steps.StepRecorder) -> None:
    now, before = s.stage(0, s.q, s.v), s.previous(1)
    r = s.h / (2 * before.h)
    rates, accelerations = [s.slope(now), s.rate(before.q, before.v)], [now.acceleration, before.acceleration]
    theta, v = s.increment([1 + r, -r], rates), s.velocity(s.v, [1 + r, -r], accelerations)
    end = s.at(1, s.advance(s.q, theta), v)
    s.end(*end, theta)
    s.end_multipliers(*end)
    s.only_for_estimate()
    s.estimate(theta, s.increment([1], rates[:1]), v, s.velocity(s.v, [1], accelerations[:1]))


def ends(system: sl.System, **options: Any) -> np.ndarray:
    """State at the end of a short run."""
    solution = sl.solve(system, 2.0**-4, record_every=0, **options)
    return np.concatenate([solution.q[-1], solution.v[-1]])


@pytest.mark.parametrize("used", [midpoint, two_step, heun, newmark, bdf2], ids=lambda m: m.name)
def test_methods_have_the_declared_order(used: Method) -> None:
    group = "SE3" if used.takes_constraints else "SO3"
    system = heavy_top_system(group).with_initial("top", Omega=[0.4, 3.0, -1.0])
    assert abs(observed_orders(system, used, 1.0).order[-1] - used.order) < 0.1


@pytest.mark.parametrize(
    ("used", "group"),
    [
        (midpoint, "S3xR3"),
        (midpoint, "SO3"),
        (two_step, "SO3"),
        (heun, "SO3"),
        (newmark, "SO3"),
        (newmark, "SE3"),
        (bdf2, "SE3"),
    ],
    ids=str,
)
def test_backends_agree(used: Method, group: str) -> None:
    found = [ends(heavy_top_system(group, b), method=used, h=2.0**-9) for b in ("c", "numpy")]
    assert np.abs(found[0] - found[1]).max() < BACKENDS_OF_SPACES * np.abs(found[0]).max()


@pytest.mark.parametrize("options", [{"newton": "modified"}, {"stiffness": "none"}, {"tangent": False}], ids=str)
def test_implicit_methods_have_options_of_newton_s_method(options: dict[str, object]) -> None:
    """Iterations up to rounding have the same solution with every matrix."""
    system = heavy_top_system("SE3").with_initial("top", Omega=[0.4, 3.0, -1.0])
    exact = {"newton_rtol": 0, "newton_atol": 0, "newton_max": 100}
    found = [ends(system, method=newmark, method_options={**exact, **o}, h=2.0**-9) for o in (options, {})]
    assert np.abs(found[0] - found[1]).max() < BACKENDS_OF_SPACES * np.abs(found[0]).max()


def test_steps_equal_those_of_the_library() -> None:
    system = heavy_top_system("SO3")
    found = ends(system, method=midpoint, h=2.0**-9)
    tableau = own_method("midpoint", {"family": "rkmk", "a": [[], ["1/2"]], "b": ["0", "1"]})
    assert (found == ends(system, method=tableau, h=2.0**-9)).all()


def test_other_features_of_models_are_supported() -> None:
    """First-order states, and prescribed nodes."""
    for build in (steered, lambda backend: pulled(BEFORE[0])[backend == "numpy"]):
        found = [sl.solve(build(b), 2.0**-4, method=midpoint, h=2.0**-8) for b in ("c", "numpy")]
        assert np.abs(found[0].q[-1] - found[1].q[-1]).max() < BACKENDS_OF_SPACES
        assert np.abs(found[0].q[-1] - found[0].q[0]).max() > 1e-6


def test_errors_of_adaptive_steps_are_proportional_to_the_tolerance() -> None:
    """An estimate of order one makes the step size proportional to the root of the tolerance; the order is two."""
    system = heavy_top_system("SO3")
    exact = ends(system, method="rkmk_rk67", h=2.0**-11)
    errors = [np.abs(ends(system, method=heun, rtol=rtol) - exact).max() for rtol in (1e-4, 1e-6)]
    assert math.log10(errors[0] / errors[1]) == pytest.approx(2, abs=tolerances.ORDER)
    assert heun.name == "Heun's pair"


@pytest.mark.parametrize(
    ("used", "group", "words"),
    [
        (midpoint, "S3xR3", {"h": 2.0**-9}),
        (two_step, "SO3", {"h": 2.0**-9, "record_every": 5}),
        (two_step_pair, "S3xR3", {"rtol": 1e-3, "atol": 1e-3}),
        (newmark, "SE3", {"h": 2.0**-8}),
        (bdf2, "SE3", {"h": 2.0**-8}),
    ],
    ids=str,
)
def test_members_run_in_lanes_with_the_bits_of_single_runs(used: Method, group: str, words: dict[str, Any]) -> None:
    run = {"parameters": {"mass": np.linspace(10, 20, 6)}, "method": used, **words}
    alone, lanes = (sl.ensemble(heavy_top_system(group), 0.05, lanes=n, **run) for n in (1, 4))
    assert min(alone.arrays["steps"]) > 10
    assert same(alone, lanes)


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("used", [midpoint, two_step, newmark, bdf2], ids=lambda m: m.name)
def test_resumed_and_continued_runs_are_bit_identical(used: Method, tmp_path: Path) -> None:
    system, options = heavy_top_system("SO3"), {"method": used, "h": 2.0**-9}
    expected, path = sl.solve(system, 2.0**-4, **options), tmp_path / "run"
    interrupted(system, 2.0**-4, 3, path, **options)
    assert content(resumed_in_pieces(path, 3)) == content(expected)
    assert_continued_with_the_same_bits(system, 2.0**-5, 2.0**-4, tmp_path, **options)


def test_solutions_contain_the_method(tmp_path: Path) -> None:
    """States between recorded ones are available without the function."""
    solution = sl.solve(heavy_top_system("SO3"), 2.0**-5, method=midpoint, h=2.0**-9)
    solution.save(tmp_path / "run.nc")
    loaded = sl.load_solution(tmp_path / "run.nc", trust=True)
    again = method_of_run(loaded.method, loaded.settings)
    assert again == midpoint and type(again) is type(midpoint)
    assert (loaded(0.0117).q == solution(0.0117).q).all()


def no_estimate(s: sl.steps.StepRecorder) -> None:
    s.end(s.q, s.v, s.increment([1], [s.rate(s.q, s.v)]))


def late_history(s: sl.steps.StepRecorder) -> None:
    no_estimate(s)
    assert s.previous(1).q


def no_first_stage(s: sl.steps.StepRecorder) -> None:
    assert s.previous(1).acceleration
    no_estimate(s)


def carry_alone(s: sl.steps.StepRecorder) -> None:
    no_estimate(s)
    assert s.carried("x", sl.steps.Velocity)


def two_histories(s: sl.steps.StepRecorder) -> None:
    s.carry("x", s.previous(1).v)
    no_estimate(s)


def unusual_name(s: sl.steps.StepRecorder) -> None:
    s.carry("x y", s.h)


def explicit_end(s: sl.steps.StepRecorder) -> None:
    w = s.unknown_increment()
    s.implicit_end(w, s.v + s.h * w, s.h * s.v, s.h * s.v, s.stage(0, s.q, s.v).acceleration)


def chosen_start(s: sl.steps.StepRecorder) -> None:
    s.starting_step(s.stage(0, s.q, s.v).acceleration)


def numbered_start(s: sl.steps.StepRecorder) -> None:
    s.first_steps(2)
    no_estimate(s)


def hidden_violation_alone(s: sl.steps.StepRecorder) -> None:
    s.end(s.q, s.hidden_violation(s.v), s.increment([1], [s.rate(s.q, s.v)]))


@pytest.mark.parametrize(
    ("write", "options", "sentence"),
    [
        (carry_alone, {}, "A step reads the carried array 'x', but does not pass it to the next step"),
        (two_histories, {}, "A step reads earlier states and carries arrays"),
        (unusual_name, {}, "'x y' is no name of a carried array"),
        (explicit_end, {}, "the acceleration at the end of an implicit step must depend on the unknown increment"),
        (hidden_violation_alone, {}, "s.hidden_violation belongs to implicit steps"),
        (chosen_start, {}, "contains StartingStep, which belongs to built-in methods"),
        (numbered_start, {}, "contains s.first_steps, which belongs to built-in methods"),
        (no_estimate, {"first_values": lambda s: s.carry("x", s.h)}, "has an initial value of 'x'"),
        (no_estimate, {"order_hat": 1}, "Method no_estimate has order_hat, but no estimate"),
        (late_history, {}, "earlier states are read before the end of a step"),
        (no_first_stage, {}, r"a step that reads earlier accelerations needs the stage \(0, s.q, s.v\)"),
        (lambda s: None, {}, "A step has no end"),
    ],
)
def test_mistakes_are_reported(write: Any, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        sl.method(order=1, **options)(write)


def test_unsupported_models_are_refused() -> None:
    with pytest.raises(UnsupportedMethodError, match="integrates systems without constraints"):
        ends(heavy_top_system("SE3"), method=two_step, h=1e-3)
    model = sl.Model("decay")
    x = model.state("x", 1)
    model.field(x, [-x.x[0]])
    model.initial(x, x=[1])
    with pytest.raises(UnsupportedMethodError, match="reads earlier states"):
        ends(model.derive().compile(backend="numpy"), method=two_step, h=1e-3)


@pytest.mark.parametrize(
    ("calls", "sentence"),
    [
        ("no list", "is damaged"),
        ([["stage"]], "is damaged"),
        ([["__init__", [], {}, []]], "unknown instruction, '__init__'"),
        ([["stage", [0.0, {"value": 0}, {"value": 77}], {}, [4, 5]]], "a damaged call of stage"),
        ([["stage", [0.0], {}, []]], "a damaged call of stage"),
    ],
)
def test_damaged_files_are_reported(calls: Any, sentence: str) -> None:
    with pytest.raises(FormatError, match=sentence):
        recorded_method({"name": "x", "entry": {"family": "user_defined", "order": 1, "calls": calls}, "options": {}})


def test_python_errors_name_their_line(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text("import symlie as sl\n\n\n@sl.method(order=1)\ndef euler(s):\n    s.h < 1\n", encoding="utf-8")
    with pytest.raises(ModelError, match=r"own\.py, line 6, fails, where 'euler' is expected: TypeError"):
        ends(heavy_top_system("SO3"), method=f"{file}:euler", h=1e-3)
