"""Commutator-free and Crouch–Grossman methods, commutators, truncated dexp⁻¹: orders, backends, failures."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.derive.equations import Equations
from symlie.errors import ModelError, OutsideChartError, UnknownNameError, UnsupportedMethodError
from symlie.models import flying_spaghetti
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.library import method, method_names
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.test_orders import driven_body
from tests.systems import heavy_top_system, polar_system

CHAINS = tuple(n for n in method_names() if method(n).family in ("commutator_free", "crouch_grossman"))
NEW = ("rkmk4_two_commutators", *CHAINS)
TIMES = [0.25, 0.5, 0.75, 1.0]


@functools.cache
def reference() -> Array:
    """States of the driven body, by order six with steps of 2⁻¹⁰."""
    return states("rkmk_rk67", 2.0**-10)


def states(name: str | Path, h: float, **options: Any) -> Array:
    """States of the driven body at `TIMES`."""
    solution = sl.solve(driven_body(), TIMES[-1], method=name, h=h, t_eval=TIMES, method_options=options)
    return np.hstack([solution.q, solution.v])


def observed(name: str | Path, k: int, **options: Any) -> float:
    """Observed order between 2⁻ᵏ and 2⁻⁽ᵏ⁺¹⁾."""
    coarse, fine = (float(np.abs(states(name, 2.0**-n, **options) - reference()).max()) for n in (k, k + 1))
    assert fine > tolerances.ROUNDING_OF_LONG_RUNS
    return math.log2(coarse / fine)


@pytest.mark.slow
@pytest.mark.parametrize("name", NEW)
def test_time_dependent_forces_preserve_the_order(name: str) -> None:
    order = method(name).order
    assert observed(name, {3: 6, 4: 5, 5: 5}[order]) >= order - tolerances.ORDER


@pytest.mark.slow
@pytest.mark.parametrize(("commutators", "order"), [(0, 2), (1, 3), (2, 5)])
def test_truncated_methods_have_their_order(commutators: int, order: int) -> None:
    assert method("rkmk_dopri5").with_options({"commutators": commutators}).order == order
    assert abs(observed("rkmk_dopri5", 5, commutators=commutators) - order) <= tolerances.ORDER


def test_wrong_sign_of_commutators_leaves_order_two(tmp_path: Path) -> None:
    """The two commutators with the signs of actions from the left, on a group with right multiplication."""
    file = tmp_path / "left.toml"
    file.write_text(
        """
        family = "rkmk"
        commutators = 0
        A = [[], ["1/2"], ["0", "1/2"], ["0", "0", "1"]]
        b = ["1/6", "1/3", "1/3", "1/6"]
        brackets = [
            {row = 3, weight = "-1/8", first = 1, second = 2}, {row = 5, weight = "-1/12", first = 1, second = 4}
        ]
        """
    )
    assert sl.load_tableau(file).order == 2
    assert abs(observed(file, 7) - 2) <= tolerances.ORDER


def runs_of(system: tuple[System, System], t_end: float, **arguments: Any) -> tuple[Solution, Solution]:
    """The same run compiled and in NumPy."""
    compiled, plain = (sl.solve(s, t_end, **arguments) for s in system)
    return compiled, plain


def check_agreement(compiled: Solution, plain: Solution) -> None:
    for name in ("t", "q", "v"):
        a, b = getattr(compiled, name), getattr(plain, name)
        assert a.shape == b.shape
        assert np.abs(a - b).max() <= tolerances.BACKENDS * max(1.0, float(np.abs(b).max()))
    assert compiled.statistics.rhs_evaluations == plain.statistics.rhs_evaluations


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [*((n, {}) for n in NEW), ("rkmk_dopri5", {"commutators": 2}), ("rkmk_rk67", {"commutators": 4})],
)
def test_backends_agree(name: str, options: dict[str, Any]) -> None:
    for build in (driven_body, polar_system):
        pair = build("c"), build("numpy")
        check_agreement(*runs_of(pair, 0.2, method=name, h=0.01, method_options=options))


@functools.cache
def free_rod(backend: str) -> System:
    """A rod without constraints: topology at run time, several nodes."""
    return flying_spaghetti.build(segments=4, constraint="none").derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cf43", "rkmk4_two_commutators"])
def test_backends_agree_on_many_nodes(name: str) -> None:
    pair = free_rod("c"), free_rod("numpy")
    check_agreement(*runs_of(pair, 2e-4, method=name, h=2e-5))


@functools.cache
def shaken_equations() -> Equations:
    """A body on a spring whose other end is moved."""
    model = sl.Model("shaken")
    base, body = model.node("base", sl.SE3), model.node("body", sl.SE3)
    for q in (base, body):
        model.kinetic_energy((q.U.dot(q.U) + q.Omega.dot(sl.diag(1, 2, 3) * q.Omega)) / 2)
    model.potential_energy((body.x - base.x).dot(body.x - base.x) * 5)
    model.prescribe(base, R=sl.eye(3), x=sl.vector(sl.sin(3 * model.t), 0, 0))
    model.initial(body, x=[0, 1, 0], Omega=[1, 2, 3])
    return model.derive()


@functools.cache
def shaken(backend: str) -> System:
    """The shaken body, ready to run."""
    return shaken_equations().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cf43", "rkmk4_two_commutators"])
def test_prescribed_motions_are_followed(name: str) -> None:
    pair = shaken("c"), shaken("numpy")
    check_agreement(*runs_of(pair, 0.5, method=name, h=0.05))
    exact = sl.solve(pair[0], 1.0, method="rkmk_dopri5", h=2.0**-9, record_every=0)
    errors = [
        float(np.abs(sl.solve(pair[0], 1.0, method=name, h=2.0**-k, record_every=0).q[-1] - exact.q[-1]).max())
        for k in (5, 6)
    ]
    assert math.log2(errors[0] / errors[1]) >= 4 - tolerances.OBSERVED_ORDER


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["group", "algebra"])
@pytest.mark.parametrize("name", ["cf32a", "cf32b", "cf43"])
def test_adaptive_steps_meet_the_tolerance(name: str, metric: str) -> None:
    """Rejected steps keep their first stage; both backends take the same steps."""
    pair = driven_body("c"), driven_body("numpy")
    options = {"error_metric": metric}
    compiled, plain = runs_of(
        pair, TIMES[-1], method=name, rtol=1e-6, h0=1.0, t_eval=TIMES, trace=True, method_options=options
    )
    assert compiled.trace is not None and plain.trace is not None
    assert compiled.statistics.rejected > 0
    np.testing.assert_allclose(compiled.trace.h, plain.trace.h, rtol=tolerances.ADAPTIVE_STEPS)
    np.testing.assert_allclose(compiled.q, plain.q, rtol=0, atol=tolerances.ADAPTIVE_STATES)
    done = compiled.statistics
    assert done.rhs_evaluations == method(name).tableau.stages * done.accepted + done.rejected * (
        method(name).tableau.stages - 1
    )
    assert np.abs(np.hstack([compiled.q, compiled.v]) - reference()).max() <= 1e-5


def test_fixed_steps_omit_the_embedded_stage() -> None:
    first, second = (sl.solve(driven_body(), 0.5, method=name, h=0.01) for name in ("cf4", "cf43"))
    assert first.q.tobytes() == second.q.tobytes()
    assert second.statistics.rhs_evaluations == 4 * second.statistics.steps


def test_published_controller_uses_an_absolute_norm() -> None:
    """err = |ŷ - y| against tol alone, h_new = 0.85 h (tol/err)^exponent."""
    solution = sl.solve(driven_body(), 1.0, method="cf43", atol=1e-6, h0=0.02, controller="celledoni2022", trace=True)
    assert solution.trace is not None and method("cf43").order_hat == 3
    h, error = solution.trace.h, solution.trace.error
    np.testing.assert_allclose(h[1:-1], 0.85 * h[:-2] * error[:-2] ** -0.25, rtol=1e-12)


def test_constraints_are_rejected() -> None:
    for name in NEW:
        with pytest.raises(UnsupportedMethodError, match=rf"^Method '{name}' integrates systems without constraints"):
            sl.solve(heavy_top_system("SE3"), 0.1, method=name, h=0.01)


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_full_turn_in_one_exponential_is_rejected(backend: str) -> None:
    with pytest.raises(OutsideChartError):
        sl.solve(heavy_top_system("S3", backend), 1.0, method="cf4", h=0.1)


@pytest.mark.parametrize(
    ("name", "options", "kind", "message"),
    [
        ("cf4", {"commutators": 1}, ModelError, "Method cf4 of the family commutator_free has no option "),
        ("rkmk4_two_commutators", {"commutators": 1}, ModelError, "has no option "),
        ("half_explicit_5", {"map": "cayley"}, ModelError, "has no option "),
        ("rkmk_rk44", {"truncation": 1}, UnknownNameError, "no option 'truncation'; the options are commutators, map"),
        ("rkmk_rk44", {"commutators": -1}, UnknownNameError, "exact, auto or a number from 0, not -1"),
        ("rkmk_rk44", {"commutators": "few"}, UnknownNameError, "not 'few'"),
        ("rkmk_rk44", {"map": "log"}, UnknownNameError, "Unknown map 'log'; use one of: exp, cayley, second_kind"),
        ("rkmk_rk44", {"map": "cayley", "commutators": 2}, ModelError, "truncated series require map=exp"),
        ("rkmk4", {}, UnknownNameError, "a user-defined tableau is a file that ends in .toml"),
    ],
)
def test_invalid_input_is_reported(name: str, options: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        sl.solve(driven_body(), 0.1, method=name, h=0.01, method_options=options)


def gentle_top(backend: str = "c") -> System:
    """The constrained top on SE(3), with a slow spin."""
    return heavy_top_system("SE3", backend).with_initial("top", Omega=[0.4, 3.0, -1.0])


KAPPA = """
name = "half_explicit_3_kappa"
family = "half_explicit"
s = 3
A = [[], ["1/2"], ["2/9", "4/9"], ["1/4", "0", "3/4"]]
d = ["1/4", "-3", "15/4"]
"""
"""Errors in λ are halved in each step."""


@pytest.mark.slow
def test_half_explicit_multiplier_errors_decay(tmp_path: Path) -> None:
    """Order three of q and v and order two of λ, in both backends."""
    path = tmp_path / "kappa.toml"
    path.write_text(KAPPA, encoding="utf-8")
    exact = sl.solve(gentle_top(), 0.5, h=2.0**-11, method="half_explicit_5", multipliers="index1", record_every=0)
    rows = []
    for exponent in (7, 8):
        run = sl.solve(gentle_top(), 0.5, h=2.0**-exponent, method=path, record_every=0)
        parts = ("q", "v", "multipliers")
        rows.append([np.abs(getattr(run, part)[-1] - getattr(exact, part)[-1]).max() for part in parts])
    orders = np.log2(np.array(rows[0]) / np.array(rows[1]))
    assert np.all(orders > np.array([3, 3, 2]) - tolerances.ORDER), orders
    first, second = (sl.solve(gentle_top(backend), 0.5, h=2.0**-5, method=path) for backend in ("c", "numpy"))
    np.testing.assert_allclose(first.q, second.q, rtol=0, atol=tolerances.BACKENDS)
    np.testing.assert_allclose(first.multipliers, second.multipliers, rtol=tolerances.BACKENDS)


@pytest.mark.parametrize("name", ["cf32a", "cf32b", "cf43"])
def test_error_metric_is_on_the_group_or_algebra(name: str) -> None:
    """One is T⁻¹ of the step times the other, which approaches 1 with the step; the steps themselves are the same."""

    def first_step(metric: str, h: float) -> Solution:
        return sl.solve(
            driven_body(), h, h=h, atol=1e-6, method=name, controller="celledoni2022", trace=True,
            method_options={"error_metric": metric},
        )  # fmt: skip

    def apart(h: float) -> float:
        group, algebra = first_step("group", h), first_step("algebra", h)
        assert group.trace is not None and algebra.trace is not None
        np.testing.assert_array_equal(group.q, algebra.q)
        return abs(float(algebra.trace.error[0] / group.trace.error[0]) - 1)

    coarse, fine = apart(0.1), apart(0.01)
    assert 0 < fine < coarse / 5


def test_only_pairs_have_an_error_metric() -> None:
    assert method("cf4").options == {}
    with pytest.raises(ModelError, match="has no option error_metric"):
        method("cf4").with_options({"error_metric": "algebra"})
    with pytest.raises(UnknownNameError, match="Unknown error_metric 'some'; use one of: group, algebra"):
        method("cf43").with_options({"error_metric": "some"})
