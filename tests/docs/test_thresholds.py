"""The page about thresholds: files give the results that it prints."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("flint")

from symlie.cli import main
from tests.docs.pages import ROOT, blocks_of


@pytest.mark.slow
def test_example_file_matches_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stated, shown = (b.text for b in blocks_of(ROOT / "docs" / "thresholds.md"))
    file = tmp_path / "mine.toml"
    file.write_text(stated, encoding="utf-8")
    assert main(["verify", str(file)]) == 1
    table, sentences = capsys.readouterr().out.split("\n\n")
    command, head, *rows = shown.split("\n\n")[0].splitlines()
    assert command == "$ symlie verify mine.toml"
    assert head == table.splitlines()[0]
    for row, found in zip(rows, table.splitlines()[1:], strict=True):
        assert row.split("eps")[0] == found.split("eps")[0]  # what is proved; what is measured is the library's
    assert sentences.strip() == shown.split("\n\n")[1].strip()
