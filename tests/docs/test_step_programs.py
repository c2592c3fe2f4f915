"""The page on step programs quotes the program of half-explicit methods."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT


def test_quoted_lines_are_those_of_the_program() -> None:
    text = (ROOT / "docs" / "step_programs.md").read_text(encoding="utf-8")
    path = ROOT / "symlie" / "runtime" / "methods" / "programs" / "half_explicit.py"
    program = path.read_text(encoding="utf-8")
    table = text.split("| equation | program |")[1].split("\n\n")[0]
    quoted = re.findall(r"\| `(.*)` \|$", table, re.MULTILINE)
    assert len(quoted) == 6 and all(line in program for line in quoted)
    assert set(re.findall(r"\((1[2-5])\)", table)) == {"12", "13", "14", "15"}
