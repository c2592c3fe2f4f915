"""Figures of the documentation: each one is drawn by a script, shown on a page, and small."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT

DOCS = ROOT / "docs"
PICTURES = sorted([*(DOCS / "figures").glob("*.png"), *(DOCS / "papers").rglob("*.png")])
SCRIPTS = sorted(p for p in (DOCS / "figures").glob("*.py") if p.name != "drawing.py")

TEXT = "".join(page.read_text(encoding="utf-8") for page in PAGES)

LARGEST, ALTOGETHER = 150_000, 3_000_000
"""Size limits in bytes of one figure and of all."""


def test_figures_are_shown_and_small() -> None:
    shown = re.findall(r"!\[[^\]]+\]\((?:docs/)?(?:figures/|papers/)?([^)]+\.png)\)", TEXT)
    assert set(shown) == {p.relative_to(DOCS / p.relative_to(DOCS).parts[0]).as_posix() for p in PICTURES}
    sizes = [p.stat().st_size for p in PICTURES]
    assert max(sizes) <= LARGEST
    assert sum(sizes) <= ALTOGETHER


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_scripts_name_their_output(script: Path) -> None:
    module = ast.parse(script.read_text(encoding="utf-8"))
    written = re.findall(r'"([a-z_]+\.png)"', ast.unparse(module).replace("'", '"'))
    assert written
    for name in written:
        assert (DOCS / "figures" / name).exists()
        assert name in (ast.get_docstring(module) or "")
    assert script.name in TEXT
