"""Annotations say what things are."""

from __future__ import annotations

import ast

from tests.rooms import modules

MOST = 100
"""Uses of ``Any``: content of files before it is checked, arguments that are passed on, handles of cffi."""


def uses_of_any(text: str) -> int:
    """How often a module says ``Any``."""
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(ast.parse(text)))


def test_few_things_are_anything() -> None:
    uses = {name: uses_of_any(path.read_text(encoding="utf-8")) for name, path in modules().items()}
    most = sorted(uses, key=lambda name: -uses[name])[:5]
    assert sum(uses.values()) <= MOST, f"Any stands {sum(uses.values())} times, most often in {', '.join(most)}"


def test_what_counts() -> None:
    assert uses_of_any("from typing import Any\n\nx: dict[str, Any] = {}\n'Any'\n") == 1
