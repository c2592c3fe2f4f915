"""Gallery examples contain assertions and use public names only; slow tests run them with an empty cache."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import symlie as sl

FOLDER = Path(__file__).parents[2] / "docs" / "gallery"
SCRIPTS = sorted(FOLDER.glob("*/plot_*.py"))
FEWEST = 36
"""Smallest number of examples."""

each_script = pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.stem}")


def statements(path: Path) -> ast.Module:
    """Return the parsed script."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def test_all_scripts_are_tested() -> None:
    assert len(SCRIPTS) >= FEWEST
    assert not [p for p in FOLDER.rglob("*.py") if p not in SCRIPTS], "sphinx-gallery runs files that begin with plot_"
    titles = [(ast.get_docstring(statements(path)) or "").splitlines()[0] for path in SCRIPTS]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("folder", sorted({path.parent for path in SCRIPTS}), ids=lambda folder: folder.name)
def test_groups_have_headers(folder: Path) -> None:
    title, line, *_ = (folder / "GALLERY_HEADER.rst").read_text(encoding="utf-8").splitlines()
    assert line == "=" * len(title)


@each_script
def test_script_describes_its_subject(path: Path) -> None:
    title, line, blank, *paragraphs = (ast.get_docstring(statements(path)) or "").splitlines()
    assert title and line == "=" * len(title) and not blank
    assert "Verification:" in " ".join(paragraphs), "the text describes the assertions"


@each_script
def test_script_has_assertions_and_a_figure(path: Path) -> None:
    tree = statements(path)
    assert any(isinstance(node, ast.Assert) for node in ast.walk(tree))
    drawing = {"plot", "plot_steps", "plot_convergence", "subplots", "figure"}
    assert drawing & {
        node.func.attr for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }


@each_script
def test_scripts_use_only_public_names(path: Path) -> None:
    for node in ast.walk(statements(path)):
        if isinstance(node, ast.ImportFrom):
            assert (node.module or "").partition(".")[0] != "symlie" or node.module == "symlie.errors"
        elif isinstance(node, ast.Import):
            assert not [a.name for a in node.names if a.name.startswith("symlie.") and a.name != "symlie.errors"]
        elif isinstance(node, ast.Attribute):
            assert not node.attr.startswith("_")
            if isinstance(node.value, ast.Name) and node.value.id == "sl":
                assert node.attr in sl.__all__


@each_script
def test_blocks_end_with_a_displayable_value(path: Path) -> None:
    """Pages show the value of the last line of a block; lists of what Matplotlib has set or drawn are none."""
    lines = path.read_text(encoding="utf-8").splitlines()
    ends = [number for number, line in enumerate(lines, 1) if line.startswith("# %%")] + [len(lines) + 1]
    body = statements(path).body
    for end in ends:
        last = [node for node in body if node.lineno < end][-1]
        if (
            isinstance(last, ast.Expr)
            and isinstance(last.value, ast.Call)
            and isinstance(last.value.func, ast.Attribute)
        ):
            name = last.value.func.attr
            assert name != "set" and not (name == "plot" and last.value.args), f"line {last.lineno}"


@pytest.mark.slow
@each_script
def test_script_runs(path: Path, tmp_path: Path) -> None:
    known = {**os.environ, "SYMLIE_CACHE": str(tmp_path / "cache"), "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, str(path)], cwd=tmp_path, env=known, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
