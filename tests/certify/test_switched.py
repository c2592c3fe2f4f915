"""The printed tables of the papers, and the best switches."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("flint")

from symlie.certify.stated_functions import StatedFunction, paper_functions, printed_function
from symlie.certify.switched import best_switches, switched_subject
from symlie.certify.verification import Row, verify
from symlie.errors import UnknownNameError
from tests.tolerances import EPSILON, RECORDED_ERROR, RECORDED_SWITCH

FOUND = {
    "c1": (1.9e-16, 3.4e-16), "c2": (1.1e-12, 2.3e-12), "c3": (4.4e-8, 9.1e-8), "c2_1": (1.3e-11, 2.8e-11),
    "c3_1": (5.9e-10, 7.9e-10), "g0": (1.7e-11, 2.8e-11),
}  # fmt: skip
"""Measured and proved relative errors of the printed pairs on (0, π], found before with other means."""


TABLE = paper_functions("tumiotto2024")
CLOSED_FORMS = {f.name: f for f in (*TABLE, *paper_functions("holzinger2024"))}


def judged(function: StatedFunction) -> Row:
    """The row of a switched pair up to π."""
    (result,) = verify([switched_subject(function)], domain=(0.0, math.pi))
    return result.rows[0]


@pytest.mark.slow
@pytest.mark.parametrize("function", CLOSED_FORMS.values(), ids=lambda f: f.name)
def test_published_threshold_pairs_have_the_recorded_errors(function: StatedFunction) -> None:
    row = judged(function)
    measured, proved = FOUND[function.name]
    assert row.switch == pytest.approx(function.threshold)
    if function.name == "c1":
        assert row.is_proved and row.measured_eps * EPSILON <= measured
        return
    assert not row.is_proved
    assert row.measured_eps * EPSILON == pytest.approx(measured, rel=RECORDED_ERROR)
    assert row.proved_eps * EPSILON == pytest.approx(proved, rel=RECORDED_ERROR)
    assert function.threshold <= row.measured_at < 1.25 * function.threshold


def test_worst_threshold_pair_is_found() -> None:
    row = judged(TABLE[2])
    assert 4e-8 < row.measured_eps * EPSILON < row.proved_eps * EPSILON < 1.2e-7
    assert 1e-4 < row.measured_at < 1.3e-4
    assert row.name == "(ω - sin ω)/ω³" and row.scheme == "threshold"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "degree", "switch", "error"),
    [("c2", 4, 0.22, 2.4e-15), ("c3", 8, 1.2, 3.8e-16), ("c2_1", 6, 0.86, 4.3e-15), ("g0", 6, 0.61, 4.4e-15)],
)
def test_best_thresholds_are_found(name: str, degree: int, switch: float, error: float) -> None:
    (found,) = best_switches(CLOSED_FORMS[name], [degree])
    assert found.threshold == pytest.approx(switch, rel=RECORDED_SWITCH)
    assert judged(found).proved_eps * EPSILON < 2.5 * error


@pytest.mark.slow
def test_other_thresholds_are_worse() -> None:
    (best,) = best_switches(CLOSED_FORMS["c3"], [4])
    bound = judged(best).proved_eps
    for factor in (0.7, 1.4):
        assert judged(best.with_switch(best.threshold * factor)).proved_eps > bound


def test_functions_without_closed_form_are_rejected() -> None:
    with pytest.raises(UnknownNameError, match="No closed form of c7"):
        printed_function("c7")
