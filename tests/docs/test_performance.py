"""The page of benchmark figures: its command measures, and writes a table for each yardstick."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from tests.benchmarks import page
from tests.docs.pages import ROOT

SMALL = page.Yardstick(
    "Chains of hinges", "A short chain.", "tests/benchmarks/minimal_chain.py --largest 4 --samples 2"
)


@pytest.mark.slow
def test_page_contains_the_table_of_a_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "YARDSTICKS", (SMALL,))
    page.main([str(tmp_path / "performance.md"), "--busy"])
    lines = (tmp_path / "performance.md").read_text(encoding="utf-8").splitlines()
    assert "## Chains of hinges" in lines
    assert SMALL.task in lines
    assert "Other programs were running during some of the measurements." in lines
    assert f"Command: `python {SMALL.words}`." in lines
    bodies, *figures = [cell.strip() for cell in lines[-1].strip("|").split("|")]
    assert bodies == "4" and len(figures) == 5
    assert all(float(figure) > 0 for figure in figures)


def test_page_omits_benchmarks_without_the_other_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    peerless = dataclasses.replace(SMALL, peers=("no_such_package",))
    monkeypatch.setattr(page, "YARDSTICKS", (peerless,))
    page.main([str(tmp_path / "performance.md"), "--busy"])
    assert "no_such_package not installed" in capsys.readouterr().err
    assert "## " not in (tmp_path / "performance.md").read_text(encoding="utf-8")


def test_page_is_not_generated_on_a_loaded_machine(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(page.os, "getloadavg", lambda: (page.IDLE + 1, 0.0, 0.0))
    with pytest.raises(SystemExit):
        page.main([])
    assert "load average" in capsys.readouterr().err


def test_unknown_benchmarks_are_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        page.main(["--busy", "--only", "no_such_yardstick"])
    assert "no_such_yardstick" in capsys.readouterr().err


def sections() -> dict[str, list[str]]:
    """Paragraphs and tables of each section of the page."""
    text = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    parts = (part.partition("\n") for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:])
    return {title: body.strip().split("\n\n") for title, _, body in parts}


def test_page_contains_all_benchmarks_in_order() -> None:
    """With their current tasks and commands."""
    found = sections()
    assert list(found) == [yardstick.title for yardstick in page.YARDSTICKS]
    for yardstick in page.YARDSTICKS:
        task, command, *_ = found[yardstick.title]
        assert task.replace("\n", " ") == yardstick.task
        assert command == f"Command: `{yardstick.command}`."


def test_tables_of_the_page_are_complete() -> None:
    """Rows have the columns of their head, and no other output of a command is between them."""
    for title, parts in sections().items():
        tables = [part.splitlines() for part in parts if "|" in part]
        assert tables, title
        for head, rule, *rows in tables:
            assert re.fullmatch(r"(\|---)+\|", rule) and rows, f"{title}: {head}"
            assert {row.count("|") for row in rows} == {head.count("|")} == {rule.count("|")}, f"{title}: {head}"


def test_benchmarks_have_commands() -> None:
    """Distinct names, and files that exist."""
    names = [yardstick.name for yardstick in page.YARDSTICKS]
    assert len(set(names)) == len(names)
    assert all((ROOT / "tests" / "benchmarks" / f"{name}.py").exists() for name in names)
