"""Proved bounds of derivatives of coefficient functions; wrong constants and operations are detected."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("flint")

from symlie.certify.derivatives.bounds import (
    DOWNWARDS,
    EVERYWHERE,
    UPWARDS,
    Bounds,
    all_names,
    parsed,
    prove_derivatives,
    recorded,
    recorded_digest,
    target,
)
from symlie.certify.derivatives.measured import compiled, measured_eps
from symlie.certify.derivatives.scheme import Scheme, scheme_of, shipped_text
from symlie.contract.constants import MOST_ORDER
from symlie.errors import FormatError, UnknownNameError
from symlie.ir.jets.compositions import MOST_DERIVATIVES
from symlie.runtime.kernels import function_series

SAMPLE = ("c2", "c3_1", "c6", "g0", "g3", "a0", "a1")
"""Functions of each kind."""

BARS = {
    "c1": (2e3, 200), "c2": (2e3, 300), "c3": (2e3, 300), "c5": (2.5e3, 1e3), "c7": (6e3, 4e3), "c11": (1e5, 4e4),
    "c16": (5e6, 6e5),
}  # fmt: skip
"""Largest bounds of order 60 in eps, for downward and for upward recurrences. They are a hundred times the measured
errors, since all roundings are assumed to have the worst sign."""

BAR_OF_POSITIVE_SUMS = 160.0
"""The same of g_m and a_p, of which all that is added is positive: the number of roundings."""


@pytest.fixture(scope="module")
def scheme() -> Scheme:
    """The shipped one."""
    return scheme_of(shipped_text())


def fails(bounds: list[Bounds]) -> bool:
    """Whether a bound is above the recorded one."""
    return any(not b.eps[-1] <= target(b.name, b.where, len(b.eps)) for b in bounds)


@pytest.mark.parametrize(
    ("order", "names"),
    [
        (3, ("c2", "c3_1", "g0", "a0")),
        (8, ("c2", "g3", "a1")),
        *(pytest.param(n, SAMPLE, marks=pytest.mark.slow) for n in (3, 14)),
    ],
)
def test_bounds_and_measured_errors_of_functions_are_below_the_recorded_ones(
    scheme: Scheme, order: int, names: tuple[str, ...]
) -> None:
    bounds = prove_derivatives(scheme, names, most_order=order)
    assert not fails(bounds)
    for b in bounds:
        measured = measured_eps(scheme, shipped_text(), b.name, b.where, order)
        assert measured is None or 0 < measured <= b.eps[-1]


def test_bounds_equal_the_recorded_ones(scheme: Scheme) -> None:
    assert recorded_digest() == scheme.digest
    places = {"c": (DOWNWARDS, UPWARDS), "g": (EVERYWHERE,), "a": (EVERYWHERE,)}
    assert set(recorded()) == {(name, where) for name in all_names() for where in places[name[0]]}
    for (_, where), eps in recorded().items():
        assert len(eps) == MOST_ORDER and all(0 < x < math.inf for x in eps)
        if where == EVERYWHERE:
            assert max(eps) <= BAR_OF_POSITIVE_SUMS
    for name, (downwards, upwards) in BARS.items():
        assert target(name, DOWNWARDS, MOST_ORDER) <= downwards
        assert target(name, UPWARDS, MOST_ORDER) <= upwards


@pytest.mark.slow
def test_all_bounds_are_below_the_recorded_ones(scheme: Scheme) -> None:
    for b in prove_derivatives(scheme, all_names(), MOST_DERIVATIVES):
        assert all(x <= y for x, y in zip(b.eps, recorded()[b.name, b.where], strict=True)), b.name


@pytest.mark.slow
@pytest.mark.parametrize("name", all_names())
def test_measured_errors_are_below_the_bounds(scheme: Scheme, name: str) -> None:
    for where in [where for other, where in recorded() if other == name]:
        measured = measured_eps(scheme, shipped_text(), name, where, MOST_ORDER)
        assert measured is None or measured <= target(name, where, MOST_ORDER)


SWITCHES: dict[str, dict[str, Any]] = {
    "recurrences begin too near": {"enough": 2.0**-30},
    "upwards too early": {"forward": (1.0, 1.0)},
    "upwards where not all is found upwards": {"forward": (2.0, -1.0)},
    "numbers of raised indices lost": {"levels": 100},
    "downwards too long": {"turn": (4.0, 4.0)},
    "upwards too long": {"turn": (1.0, 4.0)},
}


@pytest.mark.parametrize("what", SWITCHES)
@pytest.mark.parametrize(("name", "order"), [(None, 3), pytest.param("c7", 8, marks=pytest.mark.slow)])
def test_changed_thresholds_are_detected(scheme: Scheme, what: str, name: str | None, order: int) -> None:
    """Of c2 where it shows there; raised indices are lost by c7 first."""
    if name is None:
        name, order = ("c7", 2) if what == "numbers of raised indices lost" else ("c2", order)
    switches = replace(scheme.switches, **SWITCHES[what])
    assert fails(prove_derivatives(replace(scheme, switches=switches), [name], most_order=order))


@pytest.mark.parametrize("index", range(16))
def test_changed_coefficients_of_further_poles_are_detected(scheme: Scheme, index: int) -> None:
    """Each contribution is compared with itself: in the sum the last ones are smaller than a rounding."""
    further = [a * (1 + 1e-12 * (i == index)) for i, a in enumerate(scheme.poles.further)]
    changed = replace(scheme, poles=replace(scheme.poles, further=further))
    assert fails(prove_derivatives(changed, ["g0"], most_order=15))


@pytest.mark.parametrize(
    "change",
    [
        {"square": (39.47841760435743, 2.5e-15)},
        {"square": (39.478417604357425, 2.5061182034958845e-15)},
        {"explicit": 2},
        {"further": function_series.FURTHER_POLES[:8]},
    ],
)
def test_changed_poles_are_detected(scheme: Scheme, change: dict[str, Any]) -> None:
    assert fails(prove_derivatives(replace(scheme, poles=replace(scheme.poles, **change)), ["g1"], most_order=8))


@pytest.mark.parametrize("change", [{"least": -0.5}, {"least": -0.45}, {"most": 20.0}, {"enough": 2.0**-40}])
def test_changed_ratio_arguments_are_detected(scheme: Scheme, change: dict[str, float]) -> None:
    assert fails(prove_derivatives(replace(scheme, ratios=replace(scheme.ratios, **change)), ["a0"], most_order=8))


CHANGES: dict[str, tuple[str, str, str, str]] = {
    "a coefficient of the recurrence": ("(2 * n + 1) / s * y[n]", "(2 * n + 1.000001) / s * y[n]", "c3", DOWNWARDS),
    "a coefficient upwards": ("(2 * n + 1) / omega", "(2 * n + 1.000001) / omega", "c3", UPWARDS),
    "a factor": ("factor /= 2 * j * s", "factor /= 2.000001 * j * s", "c2", DOWNWARDS),
    "a power of a pole": ("power[i] *= part[i]", "power[i] *= 1.000001 * part[i]", "g1", EVERYWHERE),
    "a divisor": ("(2 * n + 2 * p + 1)", "(2 * n + 2 * p + 1.000001)", "a1", EVERYWHERE),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", CHANGES)
def test_changed_operations_are_detected(scheme: Scheme, what: str) -> None:
    """They are rejected because no proof applies, and measured errors reveal them."""
    before, after, name, where = CHANGES[what]
    text = shipped_text().replace(before, after)
    assert text != shipped_text()
    with pytest.raises(FormatError, match="operations"):
        scheme_of(text)
    if compiled(text) is not None:
        measured = measured_eps(scheme, text, name, where, 4)
        assert measured is not None and measured > target(name, where, 4)


@pytest.mark.parametrize(
    ("before", "after"),
    [("0x1p-60", "0x1p-50"), ("omega < 2 *", "omega < 3 *"), ("7.694489782590537e-12", "7.7e-12"), ("-0.0625", "-0.2")],
)
def test_constants_are_read_from_the_source_text(scheme: Scheme, before: str, after: str) -> None:
    changed = scheme_of(shipped_text().replace(before, after))
    parts: list[Callable[[Scheme], object]] = [lambda s: s.switches, lambda s: s.poles, lambda s: s.ratios]
    assert any(part(changed) != part(scheme) for part in parts)


def test_numpy_has_the_same_constants(scheme: Scheme) -> None:
    assert tuple(scheme.poles.further) == function_series.FURTHER_POLES
    assert scheme.poles.square == function_series.FOUR_PI_SQUARED
    assert scheme.poles.explicit == function_series.EXPLICIT_POLES
    assert (scheme.ratios.least, scheme.ratios.most) == (function_series.LEAST_RATIO, function_series.MOST_RATIO)
    assert scheme.switches.enough == function_series.ENOUGH


def test_orders_do_not_lower_bounds(scheme: Scheme) -> None:
    g, a = (np.array(recorded()[name, EVERYWHERE]) for name in ("g2", "a0"))
    assert (np.diff(g) >= 0).all() and (np.diff(a) >= 0).all()


@pytest.mark.parametrize("name", ["c17", "c2_17", "g1_1", "a2", "sin"])
def test_functions_without_derivatives_are_rejected(name: str) -> None:
    with pytest.raises(UnknownNameError):
        parsed(name)
