"""Functions with thresholds that somebody states: formulas, exact series, analytic disks, findings, refusals."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("flint")

from flint import arb, ctx

from symlie.certify.closed_form import closed_form
from symlie.certify.definitions import definition
from symlie.certify.removable import circle, rational_series
from symlie.certify.stated_functions import PAPERS, paper_functions, read_functions, wrong_coefficients
from symlie.certify.switched import best_switches, errors_at_switch, switched_subject
from symlie.certify.verification import verify
from symlie.cli import main
from symlie.errors import FormatError
from symlie.ir.primitives import Cotangent, Stumpff
from symlie.ir.schemes import indices
from tests.tolerances import EPSILON

WRONG = """
[c3]
closed_form = "(w - sin(w)) / w**3"
polynomial = "1/6 - w**2/120 + w**4/5400"
threshold = 0.05
"""

BITS = 192


def test_paper_functions_belong_to_the_family() -> None:
    for paper in PAPERS:
        for function in paper_functions(paper):
            k, m = indices(function.name)
            sign = function.coefficients[0] / abs(function.coefficients[0])
            series = [
                Stumpff.series_coefficient(k, m, j) if function.name.startswith("c") else
                Cotangent.series_coefficient(k, j)
                for j in range(8)
            ]  # fmt: skip
            exact = [Fraction(int(c.p), int(c.q)) for c in series]
            turn = sign * exact[0] / abs(exact[0])
            assert rational_series(function.closed_form, 8) == tuple(turn * c for c in exact)
            assert wrong_coefficients(function) == []


@pytest.mark.parametrize("paper", PAPERS)
def test_closed_form_definitions_equal_the_family(paper: str) -> None:
    ctx.prec = BITS
    for function in paper_functions(paper):
        family, typed = (definition(name, math.pi**2) for name in (function.name, function.closed_form))
        for z in (1e-8, 0.3, 4.0, 9.5):
            a, b = family.value(arb(z)), typed.value(arb(z))
            assert a.overlaps(b) or a.overlaps(-b)
            assert float(b.rad()) < EPSILON**1.5 * abs(float(b))


def test_wrong_coefficient_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(WRONG)
    assert main(["verify", str(file)]) == 1
    out = capsys.readouterr().out
    assert "c3: the coefficient of w**4 is 1/5400, but the series has 1/5040." in out
    assert "best switch" in out
    assert main(["verify", str(file), "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["functions"]
    assert found["wrong_coefficients"] == [{"power": 4, "stated": "1/5400", "exact": "1/5040"}]
    assert not found["ok"]
    assert found["measured_eps"] <= found["proved_eps"]


@pytest.mark.slow
def test_correct_pair_passes_and_its_snippet_compiles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        '[half_tangent]\nclosed_form = "tan(w/2) / w"\npolynomial = "1/2 + z/24 + z*z/240"\nthreshold = 0.05\n'
        'domain = [0, "pi/2"]\nprecision = "float"\n'
    )
    assert main(["verify", str(file)]) == 0
    capsys.readouterr()
    assert main(["verify", str(file), "--snippet"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("static float half_tangent(float w)")
    (function,) = read_functions(file)
    (best,) = best_switches(function, [function.degree])
    assert text.strip() == best.c_source("half_tangent").strip()
    (result,) = verify([switched_subject(best)], domain=best.domain)
    assert result.rows[0].is_proved


@pytest.mark.slow
def test_errors_near_the_threshold_are_measured() -> None:
    function = paper_functions("tumiotto2024")[2]
    beside = errors_at_switch(function)
    assert beside.polynomial < 2 * EPSILON
    assert beside.closed_form > 1e8 * EPSILON
    (best,) = best_switches(function, [8])
    beside = errors_at_switch(best)
    assert max(beside.polynomial, beside.closed_form) < 4 * EPSILON


def test_c_code_preserves_the_order_of_operations() -> None:
    assert closed_form("w**3 - 2*w/3").c_text() == "(((w * w) * w) - ((2.0 * w) / 3.0))"
    assert closed_form("-sin(w/2)").c_text("float") == "-(sinf((w / 2.0f)))"


def test_convergence_disks_exclude_singularities() -> None:
    radius, _ = circle("tan(w/2) / w", 2.0)
    assert 2.0 < radius < math.pi
    with pytest.raises(FormatError, match="also for complex w"):
        circle("tan(w/2) / w", 3.1)
    with pytest.raises(FormatError, match="also for complex w"):
        circle("1 / (1 + w**2)", 1.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sin(w) / w**2", "pole at w = 0"),
        ("w + w**2", "not recognised as an even function"),
        ("exp(w)", "column 1, 'exp"),
        ("1 + foo", "column 5, 'foo'"),
        ("(w - sin(w) / w**3", "not a formula"),
        ("sin(1 + w) / w", "irrational"),
        ("sin(1/w)", "has a pole"),
        ("w ** 0.5", "whole number"),
        ("1 / (w - w)", "divisor"),
    ],
)
def test_unsupported_formulas_are_rejected(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        rational_series(text, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[f", "not TOML"),
        ("", "defines no function"),
        ("f = 1", "outside a table"),
        ("[f]\nclosed_form = 'sin(w)/w'", "has no polynomial"),
        ("[f]\nclosed_form = 'sin(w)/w'\npolynomial = '1'\nthreshold = 0.1\nlimit = 3", "'limit'"),
        ("[f]\nclosed_form = 3\npolynomial = '1'\nthreshold = 0.1", "text in quotes"),
        ("[f]\nclosed_form = 'sin(w)/w'\npolynomial = '1 - w'\nthreshold = 0.1", "odd power"),
        ("[f]\nclosed_form = 'sin(w)/w'\npolynomial = 'sin(w)'\nthreshold = 0.1", "sums of powers"),
        ("[f]\nclosed_form = 'sin(w)/w'\npolynomial = '1'\nthreshold = 4", "lie in the domain"),
        ("[f]\nclosed_form = 'sin(w)/w'\npolynomial = '1'\nthreshold = 0.1\ndomain = [0, 'tau']", "'tau'"),
        ("[f]\nclosed_form = 'sin(w)/w'\npolynomial = '1'\nthreshold = 0.1\nprecision = 'half'", "'half'"),
        ("['1f']\nclosed_form = 'sin(w)/w'\npolynomial = '1'\nthreshold = 0.1", "C function"),
    ],
)
def test_invalid_files_are_rejected(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_functions(file)


def test_missing_file_is_reported() -> None:
    with pytest.raises(FormatError, match="The file"):
        read_functions(Path("missing.toml"))
