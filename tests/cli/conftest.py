"""Commands in this process and in others, with a common cache of these tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from symlie.cli import main
from symlie.utilities.paths import PACKAGE


@dataclass(frozen=True)
class Outcome:
    """Result of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Standard output as the one object that it must be."""
        loaded: dict[str, Any] = json.loads(self.out)
        return loaded


@pytest.fixture(scope="session", autouse=True)
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The cache folder."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYMLIE_CACHE", str(folder))
        patch.setenv("PYTHONPATH", os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]))
        patch.delenv("SYMLIE_TRACEBACK", raising=False)
        yield folder


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Run a command in an empty folder: ``cli("run", "heavy_top", "--json")``."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Outcome:
        capsys.readouterr()
        code = main(words)
        captured = capsys.readouterr()
        return _as_with_a_compiler(Outcome(code, captured.out, captured.err))

    return run


def _as_with_a_compiler(outcome: Outcome) -> Outcome:
    """Output of a command without the warning of a missing compiler; skip tests that need a compiler."""
    if shutil.which("cc") or shutil.which("gcc") or shutil.which("clang"):
        return outcome
    if "NoCompilerError" in outcome.out or (outcome.code and "or use the NumPy backend.\n" in outcome.err):
        pytest.skip("this command asks for the C backend, which needs a C compiler")
    notice, lines = "symlie: warning: No C compiler", outcome.err.splitlines(keepends=True)
    return Outcome(outcome.code, outcome.out, "".join(x for x in lines if not x.startswith(notice)))


def python(*arguments: str, **environment: str) -> Outcome:
    """Run another Python."""
    result = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        check=False,
    )
    return Outcome(result.returncode, result.stdout, result.stderr)
