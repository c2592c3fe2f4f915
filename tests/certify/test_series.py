"""Matrix functions of groups without closed forms: truncation errors are bounded, and the checker agrees."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from symlie.certify.certificate import certificate, check_file
from symlie.certify.checker.arithmetic import CertificateError
from symlie.certify.checker.series import STATUS, check_series, truncation
from symlie.certify.series import EPSILON, matrix_functions, series_entries, series_rows
from symlie.errors import FormatError
from symlie.groups.standard import group_from_name
from tests.groups.samples import sample

ENTRIES = {str(e["name"]): e for e in series_entries()}
NEGLIGIBLE = 2.0**-53 / EPSILON
"""Truncation that roundings hide."""


@pytest.mark.slow
@pytest.mark.parametrize("group", ["SL2", "AffineLine"])
def test_bounds_hold(group: str) -> None:
    pytest.importorskip("flint")
    rows = {row.name: row for row in series_rows(sample(group))}
    assert rows.keys() == {"exp", "phi1", "phi1_inverse"}
    for row in rows.values():
        assert 0 < row.measured_eps <= row.proved_eps < NEGLIGIBLE and row.is_proved
        assert row.interval == (0.0, 5.0)


def test_bounds_are_sharp() -> None:
    """Where all eigenvalues are real, a tenth of the bounds is reached."""
    pytest.importorskip("flint")
    for row in series_rows(sample("AffineLine")):
        assert row.measured_eps > 0.1 * row.proved_eps


def test_closed_forms_need_no_series() -> None:
    pytest.importorskip("flint")
    assert series_rows(group_from_name("SE3")) == ()


@pytest.mark.parametrize("name", ENTRIES)
def test_checker_recomputes_bounds(name: str) -> None:
    check_series(ENTRIES[name])
    function = next(f for f in matrix_functions() if f.name == name)
    found = truncation(name, function.degree, Fraction(5))
    assert 0.99 * function.relative < found < 1.02 * function.relative
    assert truncation(name, function.degree - 2, Fraction(5)) > 5 * function.relative


@pytest.mark.parametrize(
    "change", [{"degree": 20}, {"norm": 5.5}, {"norm": 7}, {"truncation_eps": 1e-9}, {"name": "phi2"}], ids=str
)
@pytest.mark.parametrize("name", ENTRIES)
def test_tampered_entries_are_rejected(name: str, change: dict[str, Any]) -> None:
    with pytest.raises(CertificateError):
        check_series({**ENTRIES[name], **change})


def test_certificates_with_series_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(certificate(series_entries(), {}), encoding="utf-8")
    assert check_file(path) == dict.fromkeys(ENTRIES, STATUS)
    content = json.loads(path.read_text(encoding="utf-8"))
    content["functions"][0]["degree"] = 12
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(FormatError, match="exp: the bound on the truncation error of its series"):
        check_file(path)
