"""Blocks of the README and of the pages of ``docs``, and sessions that run them."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

ROOT = Path(__file__).parents[2]

PAGES = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")))
"""All documents: pages at the root and pages of ``docs``."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    heading: str
    """The last heading above it."""
    language: str
    text: str
    line: int
    """Number of the first line."""

    @property
    def place(self) -> str:
        """Page and line, for messages."""
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"


def blocks_of(page: Path) -> list[Block]:
    """Return all blocks of a page in order."""
    found: list[Block] = []
    heading, language, first, text = "", None, 0, []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if language is None and line.startswith("```"):
            language, first, text = line[3:].strip(), number, []
        elif language is not None and line.startswith("```"):
            found.append(Block(page, heading, language, "".join(f"{x}\n" for x in text), first))
            language = None
        elif language is not None:
            text.append(line)
        elif line.startswith("#"):
            heading = line.lstrip("#").strip()
    assert language is None, f"{page}: the block of line {first} is not closed"
    return found


def prose_of(page: Path) -> str:
    """Return a page without fenced and indented blocks."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return "\n".join(line for line in text.splitlines() if not line.startswith("    "))


class Session:
    """Python blocks of pages in one namespace; each runs once, when it is first needed.

    Parameters
    ----------
    pages
        Paths from the root; each page continues the namespace of the previous page.
    given
        Files that the blocks read: paths from the root by name.
    """

    def __init__(self, *pages: str, given: Mapping[str, str] = MappingProxyType({})) -> None:
        self.pages = pages
        self.printed = ""
        """Output of the blocks so far."""
        self._blocks = [b for page in pages for b in blocks_of(ROOT / page) if b.language == "python"]
        self._names: dict[str, Any] = {"__name__": "__main__"}
        self._after: list[dict[str, Any]] = []
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        for name, source in given.items():
            shutil.copy(ROOT / source, Path(self._folder.name, name))

    @property
    def files(self) -> set[str]:
        """Names of the files that the blocks wrote so far."""
        return {p.name for p in Path(self._folder.name).iterdir()}

    def block(self, heading: str) -> str:
        """Return the text of the first block under a heading."""
        return next(b.text for b in self._blocks if b.heading == heading)

    def after(self, heading: str) -> dict[str, Any]:
        """Return all names after the last block under a heading."""
        last = max(k for k, b in enumerate(self._blocks) if b.heading == heading)
        while len(self._after) <= last:
            self._run(self._blocks[len(self._after)])
        return self._after[last]

    def run(self) -> dict[str, Any]:
        """Return all names after the last block."""
        return self.after(self._blocks[-1].heading)

    def _run(self, block: Block) -> None:
        # Tracebacks show line numbers of the page.
        code = compile("\n" * block.line + block.text, str(block.page), "exec")
        printed = io.StringIO()
        with contextlib.chdir(self._folder.name), contextlib.redirect_stdout(printed):
            exec(code, self._names)
        self.printed += printed.getvalue()
        self._after.append(dict(self._names))
