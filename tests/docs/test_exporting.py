"""The page *Exporting*: its program in Python exports a pendulum, and its program in C runs it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, Session, blocks_of

SESSION = Session("docs/exporting.md")


def test_code_blocks_run(tmp_path: Path) -> None:
    if not shutil.which("cc"):
        pytest.skip("the program of the page is compiled by cc, which is not installed")
    system = SESSION.run()["system"]
    assert SESSION.files == {"pendulum", "pendulum.fmu"}
    folder = system.export("c", tmp_path / "pendulum", h=2**-10)
    (program,) = [b.text for b in blocks_of(ROOT / "docs/exporting.md") if b.language == "c"]
    (folder / "main.c").write_text(program, encoding="utf-8")
    command = ["cc", "-std=c99", "-O1", "-Wall", "-Werror", "main.c", "pendulum.c", "-lm", "-o", "main"]
    subprocess.run(command, cwd=folder, check=True)
    subprocess.run(["./main"], cwd=folder, check=True)
