"""Whatever is asked for: one named sentence within the limit, or the result that was promised."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from symlie.paths import PACKAGE
from tests.mistakes.case import Case
from tests.mistakes.judge import MOST_CHARACTERS, MOST_LINES, judge
from tests.mistakes.model_files import HEAD
from tests.mistakes.run import findings

SEED = 1
QUICK, ALL = 150, 1_000


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache folder that all cases share."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYMLIE_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("PYTHONPATH", os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]))
        patch.delenv("SYMLIE_TRACEBACK", raising=False)
        yield


def test_some_mistakes() -> None:
    assert list(findings(SEED, 0, QUICK)) == []


@pytest.mark.slow
def test_many_mistakes() -> None:
    assert list(findings(SEED, QUICK, ALL - QUICK)) == []


RUN = ("run", "point.py", "--backend", "numpy", "--h", "0.1", "--t-end", "0.2")
MODEL = ("run", "bad.py", "--backend", "numpy", "--h", "0.1", "--t-end", "0.2", "--out", "a.npz")

COMMANDS = [
    (*RUN, "--out", ""),
    (*RUN, "--out", "a\0.nc"),
    (*RUN, "--checkpoint", ""),
    (*RUN, "--checkpoint", "."),
    (*RUN, "--checkpoint", "/"),
    ("generate", "point.py", "--out", ""),
    ("run", "loop.py", "--h", "0.1"),
    (*RUN, "--init", "q.x=[true]"),
    (*RUN, "--init", 'q.x=["1"]'),
    ("run", "point.py", "--controller-option", "safety=null"),
    (*RUN, "--method", "rkmk_rk4", "--method-option", "commutators=999999999"),
    ("verify", "c3", "--domain", "0,1e300"),
    (*RUN[:-4], "--h", "x"),
]

STATEMENTS = [
    "sys.exit(0)",
    "raise Own",
    "raise GeneratorExit",
    "raise ValueError('x y ' * 100_000)",
    "m.potential_energy(q.x[0] ** (10**6)); return m",
    "m.potential_energy(10**400 * q.x[0]); return m",
    "m.potential_energy(nested(3000, q.x[0])); return m",
    "m.node('z', 'x'.join(['SO3'] * 300)); return m",
    "m.potential_energy(u[0] * q.x[0]); return m",
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_words(words: tuple[str, ...]) -> None:
    assert judge(Case(words), fails=True) is None


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statements(statement: str) -> None:
    assert judge(Case(MODEL, {"bad.py": f"{HEAD}    {statement}\n"}), fails=True) is None


@pytest.mark.parametrize("top", ["OPTIONS = 1", "raise SystemExit(0)", "raise BaseException"])
def test_tops(top: str) -> None:
    assert judge(Case(MODEL, {"bad.py": f"{HEAD}    return m\n\n{top}\n"}), fails=True) is None


def test_a_coefficient_of_many_digits() -> None:
    text = f'family = "rkmk"\na = [[], ["{"9" * 5_000}"]]\nb = ["0", "1"]\n'
    assert judge(Case(("order", "bad.toml", "--exact-only"), {"bad.toml": text}), fails=True) is None


@pytest.mark.parametrize("words", [("run", "--h", "x", "point.py"), ("run", "bad.py"), ("run", "empty.py")])
def test_another_process(words: tuple[str, ...], tmp_path: Path) -> None:
    """What a shell sees is what the judge of this process sees: a message, and an exit code that tells."""
    Case(words, {"bad.py": "raise SystemExit(0)"}).lay_out(tmp_path)
    result = subprocess.run(
        [sys.executable, "-m", "symlie", *words], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert result.returncode != 0 and result.stdout == ""
    assert result.stderr.startswith("symlie: ")
    assert len(result.stderr.splitlines()) <= MOST_LINES and len(result.stderr) <= MOST_CHARACTERS
    assert "Traceback" not in result.stderr and "Unexpected" not in result.stderr
