"""The documentation's pictures: each one is drawn by a script, shown on the page, and small."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PICTURES = sorted((DOCS / "figures").glob("*.png"))
SCRIPTS = sorted(p for p in (DOCS / "figures").glob("*.py") if p.name != "drawing.py")

PAGES = "".join(
    (DOCS / name).read_text(encoding="utf-8") for name in ("figures.md", "steady_motions.md", "thresholds.md")
)

LARGEST, ALTOGETHER = 150_000, 1_500_000
"""Bytes of a picture, and of all."""


def test_pictures_are_shown_and_small() -> None:
    shown = re.findall(r"!\[[^\]]+\]\(figures/([^)]+)\)", PAGES)
    assert sorted(shown) == [p.name for p in PICTURES]
    sizes = [p.stat().st_size for p in PICTURES]
    assert max(sizes) <= LARGEST
    assert sum(sizes) <= ALTOGETHER


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_scripts_name_what_they_write(script: Path) -> None:
    module = ast.parse(script.read_text(encoding="utf-8"))
    written = re.findall(r'"([a-z_]+\.png)"', ast.unparse(module).replace("'", '"'))
    assert written
    for name in written:
        assert (DOCS / "figures" / name).exists()
        assert name in (ast.get_docstring(module) or "")
    assert script.name in PAGES
