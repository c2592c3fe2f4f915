"""Proved bounds of the shipped family are close to measured errors."""

from __future__ import annotations

import functools
import math

import pytest

pytest.importorskip("flint")

from symlie.certify.rounding import Contraction
from symlie.certify.subjects import group_names, named_subject, standard_names
from symlie.certify.verification import Row, Verification, default_target, verify
from symlie.errors import SymlieError
from symlie.groups.standard import group_from_name
from symlie.ir.schemes import Precision

NAMES = [n for n in standard_names() if "_to_" not in n]
HALF_TURN, TURN = math.pi, 2 * math.pi

PROVED_OVER_MEASURED = {"polynomial": 1.6, "recurrence": 1.8, "pole removed": 2.0, "closed form": 3.0}
"""Largest ratio of proved bounds to measured errors, since loose bounds would be useless. Over all single precision
numbers the error reaches 1/1.5 of the proved bound of the recurrence; samples find 1/1.75."""

BARS = {"g0": 3.0, "g1": 4.5, "g2": 6.0, "g3": 7.5}
"""Bounds in eps that the g_m have to meet up to their pole."""


@functools.cache
def verified(name: str, precision: Precision) -> Verification:
    """Proof and measurement of a function, once."""
    (result,) = verify([named_subject(name, precision)])
    return result


def row_to(name: str, precision: Precision, omega: float) -> Row:
    """The row of an interval that begins at zero."""
    return next(r for r in verified(name, precision).rows if math.isclose(r.interval[1], omega, rel_tol=1e-6))


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["double", "float"])
@pytest.mark.parametrize("name", NAMES)
def test_bounds_are_proved(name: str, precision: Precision) -> None:
    to_half, to_pi, to_pole = (row_to(name, precision, x) for x in (HALF_TURN / 2, HALF_TURN, TURN))
    if name in ("c0", "c1"):
        assert to_pi.relative_to == "f(0)" and to_pi.proved_eps <= 3
    else:
        assert to_pi.relative_to == "f" and to_pi.proved_eps <= 4
        assert to_half.proved_eps <= 1.5
    assert to_pole.proved_eps <= BARS.get(name, 4.0)
    for row in (to_half, to_pi, to_pole):
        assert row.is_proved
        kinds = row.scheme.split(", ")
        allowed = max(factor for kind, factor in PROVED_OVER_MEASURED.items() if kind in kinds)
        assert row.measured_eps <= row.proved_eps <= allowed * row.measured_eps


@pytest.mark.slow
@pytest.mark.parametrize("name", ["c1_to_5_2", "c1_1_to_5_2", "c3_to_5_2"])
def test_half_angle_functions_are_proved(name: str) -> None:
    assert all(row.is_proved for row in verified(name, "double").rows)


def test_single_precision_errors_use_its_unit_roundoff() -> None:
    row = row_to("c3", "float", HALF_TURN)
    assert row.precision == "float" and 0.3 < row.measured_eps < row.proved_eps < 4


@pytest.mark.slow
def test_contraction_changes_bounds_as_expected() -> None:
    subject = named_subject("c2")
    bounds = {c: verify([subject], contraction=c)[0].rows[1].proved_eps for c in ("any", "off", "on")}
    assert bounds["on"] < 0.8 * bounds["off"]
    assert bounds["any"] >= max(bounds["off"], bounds["on"])


@pytest.mark.slow
@pytest.mark.parametrize("contraction", ["off", "on"])
def test_measured_code_is_compiled_as_proved(contraction: Contraction) -> None:
    subjects = [named_subject(name, "float") for name in ("c1_1", "g0")]
    try:
        verified = verify(subjects, contraction=contraction)
    except SymlieError as error:
        assert contraction == "on"
        pytest.skip(f"fused operations cannot be measured here: {error}")
    assert all(row.is_proved for v in verified for row in v.rows)


@pytest.mark.slow
def test_bounds_follow_the_domain() -> None:
    (small,) = verify([named_subject("c2")], domain=(0.0, 0.5))[0].rows
    assert small.interval == (0.0, 0.5) and small.proved_eps < row_to("c2", "double", HALF_TURN / 2).proved_eps
    (beyond,) = verify([named_subject("c3")], domain=(4.0, 20.0))[0].rows
    assert beyond.is_proved and beyond.scheme == "closed form" and beyond.interval[0] == 4.0


def test_domains_beyond_the_pole_are_rejected() -> None:
    from symlie.errors import SymlieError

    with pytest.raises(SymlieError, match=r"g0 is not a number between"):
        verify([named_subject("g0")], domain=(6.0, 7.0))


def test_bounds_are_below_their_targets() -> None:
    assert default_target("c3", HALF_TURN) == 4 and default_target("c3", 1.0) == 1.5
    assert default_target("c0", 1.0) == 3
    assert [default_target(f"g{m}", TURN) for m in range(3)] == [3, 4.5, 6]


@pytest.mark.parametrize(
    ("group", "needed"),
    [
        ("SO3", {"c1", "c2", "c3", "g0", "g1", "g2", "c2_1", "c3_1", "c2_2", "c3_2"}),
        ("SE3", {"c1", "c2", "c3", "g0", "g1", "g2", "g3", "c2_1", "c3_1", "c2_3", "c3_3"}),
        ("S3", {"c0_to_5_2", "c1_to_5_2", "c2", "c3", "g0", "g2"}),
        ("R3", set()),
    ],
)
def test_required_functions_of_a_group_are_found(group: str, needed: set[str]) -> None:
    names = group_names(group_from_name(group))
    assert needed <= set(names) and bool(names) == bool(needed)
