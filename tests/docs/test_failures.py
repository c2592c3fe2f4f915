"""The page on failures: it is what its generator writes, every error says what to do, and its example runs."""

from __future__ import annotations

import runpy

import pytest

from symlie import errors
from tests import tolerances
from tests.docs.pages import ROOT, Session

SESSION = Session("docs/failures.md")

GENERATOR = runpy.run_path(str(ROOT / "docs" / "failures.py"))


def test_page_is_up_to_date() -> None:
    assert GENERATOR["PAGE"].read_text(encoding="utf-8") == GENERATOR["document"](), "run python docs/failures.py"


def test_every_error_has_a_remedy() -> None:
    kinds = [kind for found in GENERATOR["sections"]().values() for kind in found]
    assert len(kinds) == len(set(kinds)) > 40
    assert {errors.SymlieError, errors.ConstraintDriftError, errors.GroupError} <= set(kinds)
    for kind in kinds:
        cells = GENERATOR["row"](kind).strip("| ").split(" | ")
        assert len(cells) == 3 and all(cell.endswith(".") for cell in cells[1:]), kind


def test_warnings_match_the_package() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "symlie/runtime").rglob("*.py")))
    for begin, (says, advice) in GENERATOR["WARNINGS"].items():
        assert all(part in sources for part in begin.split("…")), begin
        assert says.endswith(".") and advice.endswith("."), begin


def test_code_blocks_run() -> None:
    """The bead reaches infinity at t = 1 s; its motion until then is available."""
    names = SESSION.run()
    assert SESSION.printed.startswith("StepUnderflowError Step size underflow after t =")
    t, x = names["solution"].t, names["solution"].field("bead", "x")[:, 0]
    assert 0.99 < t[-1] < 1.01
    early = t < 0.5
    assert x[early] == pytest.approx(1 / (1 - t[early]) ** 2, rel=tolerances.PAGE_BEAD)
