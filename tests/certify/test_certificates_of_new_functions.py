"""Functions outside of the shipped family: proved if a prover applies, otherwise reported as unproved."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from symlie.certify.certificate import UNPROVED, certificate_of_sources, check_file
from symlie.certify.source_text import text_digest
from symlie.emit.c.printing import coefficient_source
from symlie.ir.schemes import scheme_for
from symlie.ir.taylor import REMAINDER, REMAINDER_BEYOND

NAMES = ("c4_3", "g4")


def sources() -> list[str]:
    """C of functions that no standard group needs, and of one of the family."""
    from symlie.certify.subjects import function_of

    return [coefficient_source(scheme_for(function_of(name))) for name in (*NAMES, "c3")]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["c4_3", "c2_5", "c1_4", "g4", "g5"])
def test_new_functions_are_accurate_up_to_two_pi(name: str) -> None:
    pytest.importorskip("flint")
    from symlie.certify.subjects import named_subject
    from symlie.certify.verification import verify

    (result,) = verify([named_subject(name)])
    assert all(row.is_proved for row in result.rows)
    assert [row.interval[1] < 6.2832 for row in result.rows] == [True, True, True]


def test_bounds_are_proved_with_a_prover(tmp_path: Path) -> None:
    pytest.importorskip("flint")
    path = tmp_path / "certificate.json"
    path.write_text(certificate_of_sources(sources()[:1]), encoding="utf-8")
    assert check_file(path) == {"c4_3": "proved"}
    (entry,) = json.loads(path.read_text(encoding="utf-8"))["functions"]
    assert entry["versions"].keys() == {"symlie", "python-flint", "sympy", "compiler"}


@pytest.mark.slow
def test_missing_prover_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pycparser")
    texts = sources()
    monkeypatch.setitem(sys.modules, "flint", None)
    path = tmp_path / "certificate.json"
    path.write_text(certificate_of_sources(texts), encoding="utf-8")
    entries = {e["name"]: e for e in json.loads(path.read_text(encoding="utf-8"))["functions"]}
    assert entries["c3"]["status"] == "proved"
    for name, text in zip(NAMES, texts, strict=False):
        assert entries[name]["status"] == UNPROVED
        assert entries[name]["text_sha256"] == text_digest(text, f"symlie_{name}")
        first, second = entries[name]["approximation"]
        assert 0 < first["remainder"] <= REMAINDER and 0 < second["remainder"] <= REMAINDER_BEYOND
        assert first["upper"] == 10.0 and second["upper"] > 39.47
    assert check_file(path) == {"c3": "proved", "c4_3": UNPROVED, "g4": UNPROVED}
