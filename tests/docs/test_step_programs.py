"""The page on step programs quotes lines of the programs."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT

PROGRAMS = ROOT / "symlie" / "runtime" / "methods" / "programs"


@pytest.mark.parametrize(
    ("table", "name", "lines", "equations"),
    [
        (0, "half_explicit", 6, {"12", "13", "14", "15"}),
        (1, "generalized_alpha", 7, {"1", "2", "3", "4", "5", "6"}),
        (2, "bdf", 3, {"1", "2", "3"}),
        (3, "variational", 3, set()),
    ],
)
def test_quoted_lines_are_those_of_the_program(table: int, name: str, lines: int, equations: set[str]) -> None:
    text = (ROOT / "docs" / "step_programs.md").read_text(encoding="utf-8")
    program = (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")
    rows = text.split("| equation | program |")[table + 1].split("\n\n")[0].splitlines()[2:]
    quoted = [line for row in rows for line in re.findall(r"`(.*?)`", row.split(" | ")[-1])]
    assert len(quoted) == lines and all(line in program for line in quoted)
    assert set(re.findall(r"  \((\d+)\)", "\n".join(rows))) == equations
