"""Tolerances are defined once, each with a reason, and used."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

from tests import tolerances


def stated(text: str) -> tuple[list[str], set[str]]:
    """Names of constants in the order of the text, and those without a docstring after them or their neighbours."""
    names, waiting = list[str](), set[str]()
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign):
            new = [n.id for n in statement.targets if isinstance(n, ast.Name)]
            names, waiting = names + new, waiting | set(new)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            waiting = set()
    return names, waiting


def test_each_tolerance_is_defined_once_with_a_reason() -> None:
    names, without = stated(Path(tolerances.__file__).read_text(encoding="utf-8"))
    twice = [name for name, count in Counter(names).items() if count > 1]
    assert not twice and not without, f"stated twice: {twice}; without a reason: {sorted(without)}"


def test_each_tolerance_is_used() -> None:
    own = Path(tolerances.__file__)
    texts = [p.read_text(encoding="utf-8") for p in own.parent.rglob("*.py") if p != own]
    words = Counter(word for text in texts for word in re.findall(r"\w+", text))
    unused = [name for name in stated(own.read_text(encoding="utf-8"))[0] if not words[name]]
    assert not unused, f"used nowhere: {unused}"


def test_tolerances_are_found_in_text() -> None:
    assert stated("A = 1\nB = 2\n'both'\nA = 3\n") == (["A", "B", "A"], {"A"})
