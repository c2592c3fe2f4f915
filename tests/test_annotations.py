"""Annotations say what things are; no comment silences a checker."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

from tests.rooms import modules

ROOT = Path(__file__).parents[1]

MOST = 100
"""Uses of ``Any``: content of files before it is checked, arguments that are passed on, handles of cffi."""


def uses_of_any(text: str) -> int:
    """How often a module says ``Any``."""
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(ast.parse(text)))


def test_annotations_rarely_use_any() -> None:
    uses = {name: uses_of_any(path.read_text(encoding="utf-8")) for name, path in modules().items()}
    most = sorted(uses, key=lambda name: -uses[name])[:5]
    assert sum(uses.values()) <= MOST, f"Any stands {sum(uses.values())} times, most often in {', '.join(most)}"


def test_uses_of_any_are_counted() -> None:
    assert uses_of_any("from typing import Any\n\nx: dict[str, Any] = {}\n'Any'\n") == 1


SILENCING = r"#\s*(type:\s*ignore|noqa|mypy:|ruff:|pyright:)"


def silenced(text: str) -> list[int]:
    """Lines with a comment that turns off a type checker or a linter."""
    if not re.search(SILENCING, text):
        return []
    comments = (t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT)
    return [t.start[0] for t in comments if re.match(SILENCING, t.string)]


def test_type_checker_is_not_silenced() -> None:
    """Mypy does not read the tests, so comments for it would only stand there."""
    files = [path for folder in ("symlie", "tests") for path in (ROOT / folder).rglob("*.py")]
    found = [f"{p.relative_to(ROOT)}:{n}" for p in files for n in silenced(p.read_text(encoding="utf-8"))]
    assert len(files) > 100 and not found, f"checkers are turned off at {', '.join(found)}"


def test_silencing_comments_are_found() -> None:
    assert silenced("x = 1  # type: ignore[assignment]\ny = '# noqa'\nimport z  # noqa: F401\n# types\n") == [1, 3]
