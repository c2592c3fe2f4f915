"""Examples in docstrings run and give the printed output."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

from symlie.utilities.paths import PACKAGE

MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]


def module_name(path: Path) -> str:
    """The name under which a file of the package is imported."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_docstring_examples_run(path: Path) -> None:
    """All of a file are found: none is in a place where no reader looks."""
    lines: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    examples = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(module_name(path)))
    for example in examples:
        runner.run(example, out=lines.append)
    assert not runner.summarize(verbose=False).failed, "".join(lines)
    assert sum(len(e.examples) for e in examples) == path.read_text(encoding="utf-8").count(">>> ")


def test_docstring_examples_exist() -> None:
    assert len(MODULES) >= 6


def test_wrong_examples_fail() -> None:
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    assert doctest.DocTestRunner(verbose=False).run(wrong, out=lambda _: None).failed == 1
