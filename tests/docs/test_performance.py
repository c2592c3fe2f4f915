"""The page of benchmark figures: its command measures, and writes a table for each yardstick."""

from __future__ import annotations

import dataclasses
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
    assert f"{SMALL.task} Command: `python {SMALL.words}`." in lines
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


def test_benchmarks_have_commands() -> None:
    """Distinct names, and files that exist."""
    names = [yardstick.name for yardstick in page.YARDSTICKS]
    assert len(set(names)) == len(names)
    assert all((ROOT / "tests" / "benchmarks" / f"{name}.py").exists() for name in names)
