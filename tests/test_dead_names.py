"""Every name of a module is used: by the package, its templates, its documents or its tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from symlie.utilities.paths import PACKAGE, template_folder
from tests.rooms import modules

ROOT = Path(__file__).parents[1]

HOOKS = {"_eval_derivative", "_latex", "_repr_latex_", "_repr_png_", "fdiff"}
"""Methods that SymPy and notebooks call."""


def names_of(text: str) -> Iterator[str]:
    """Functions, classes with their methods, and constants that a module states."""
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.ClassDef):
            yield from (s.name for s in statement.body if isinstance(s, ast.FunctionDef))
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield statement.name
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        for target in targets:
            yield from (n.id for n in ast.walk(target or ast.Pass()) if isinstance(n, ast.Name))


def uses_in(text: str) -> set[str]:
    """Names that a module reads or imports, and words of its strings except docstrings."""
    found = set[str]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" not in node.value:
            found |= set(re.findall(r"\w+", node.value)) if " " not in node.value else set()
    return found


def all_uses() -> set[str]:
    """Everything that is used anywhere."""
    sources = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi"), *(ROOT / "tests").rglob("*.py")]
    texts = [p for p in template_folder().rglob("*") if p.is_file()]
    texts += [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "pyproject.toml"]
    used = {name for path in sources for name in uses_in(path.read_text(encoding="utf-8"))}
    return used | {word for path in texts for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}


def test_every_name_is_used() -> None:
    used = all_uses() | HOOKS
    dead = {
        f"{module}.{name}"
        for module, path in modules().items()
        for name in names_of(path.read_text(encoding="utf-8"))
        if name not in used and not name.startswith("__")
    }
    assert not dead, f"used nowhere: {', '.join(sorted(dead))}"


def test_uses_of_names_are_found() -> None:
    text = '"""Doc of unread."""\nA = B, unread = 1, 2\ndef f(): return A\nclass C: x: "D"\n'
    assert set(names_of(text)) == {"A", "B", "unread", "f", "C"}
    assert uses_in(text) == {"A", "D"}
