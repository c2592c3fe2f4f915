"""Recipes of ``docs/extending``: new files, changes of files, and commands, in a copy of the repository.

``python new=PATH`` and ``c new=PATH`` are new files. ``diff`` has changes, each hunk after ``@@``, found by its text.
``sh run`` and ``python run`` are run.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from tests.docs.pages import ROOT, Block, blocks_of

RECIPES = sorted((ROOT / "docs" / "extending").glob("*.md"))
COPIED = ("symlie", "templates")


def changed(text: str, hunk: str) -> str:
    """Apply a hunk to a text, which contains its lines with a blank or ``-`` once."""
    lines = hunk.splitlines()
    old = "\n".join(line[1:] for line in lines if line[:1] in (" ", "-"))
    new = "\n".join(line[1:] for line in lines if line[:1] in (" ", "+"))
    assert text.count(old) == 1, f"{text.count(old)} times in the file:\n{old}"
    return text.replace(old, new)


def patch(folder: Path, block: Block) -> None:
    """Apply a diff to files."""
    for part in re.split(r"^--- a/.*\n(?=\+\+\+ b/)", block.text, flags=re.MULTILINE)[1:]:
        name, *hunks = re.split(r"^@@\n", part, flags=re.MULTILINE)
        path = folder / name.removeprefix("+++ b/").strip()
        text = path.read_text(encoding="utf-8")
        for hunk in hunks:
            text = changed(text, hunk.rstrip("\n"))
        path.write_text(text, encoding="utf-8")


def follow(recipe: Path, folder: Path) -> str:
    """Follow a recipe in a copy of the repository, and return the output.

    Compiled modules are copied as well, and recompiled for changed files, because their times differ.
    """
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name)
    printed = ""
    environment = {**os.environ, "PYTHONPATH": str(folder), "SYMLIE_CACHE": str(folder / "cache")}
    for block in blocks_of(recipe):
        language, _, target = block.language.partition(" new=")
        if target:
            assert not (folder / target).exists(), block.place
            (folder / target).write_text(block.text, encoding="utf-8")
        elif language == "diff":
            patch(folder, block)
        else:
            assert language in ("sh run", "python run"), block.place
            commands = [["-c", block.text]] if language == "python run" else [
                ["-m", *shlex.split(line)] for line in block.text.splitlines()
            ]  # fmt: skip
            for command in commands:
                done = subprocess.run(
                    [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
                )
                assert done.returncode == 0, f"{block.place}: {done.stderr}"
                printed += done.stdout
    return printed
