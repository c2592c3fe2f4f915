"""Generated and cached systems run without SymPy, Jinja and Matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome, python

Cli = Callable[..., Outcome]

WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("sympy", "mpmath", "jinja2", "matplotlib"):
            raise ModuleNotFoundError(f"{name} is imported")

sys.meta_path.insert(0, Missing())
"""

LOAD = """
import symlie
system = symlie.load(sys.argv[1], backend=sys.argv[2], trust=True)
solution = symlie.solve(system, 0.01, method="half_explicit_5", h=0.001)
print(solution.status, system.backend, len(solution.t))
"""

RUN = """
from symlie.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def folder(cli: Cli, tmp_path: Path) -> Path:
    assert cli("generate", "heavy_top", "-o", "group=SE3", "--out", "top").out == "top\n"
    return tmp_path / "top"


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_generated_folder_runs_without_sympy(folder: Path, backend: str) -> None:
    result = python("-c", WITHOUT + LOAD, str(folder), backend)
    assert result.err == ""
    assert result.out == f"ok {backend} 11\n"


@pytest.mark.parametrize(
    "method", ["half_explicit_5", "rattlie", *(pytest.param(m, marks=pytest.mark.slow) for m in ("bdf2", "taylor"))]
)
def test_cached_run_needs_no_sympy(method: str) -> None:
    """Optional sets of kernels are found, too."""
    words = ("run", "heavy_top", "-o", "group=SE3", "--h", "2**-11", "--t-end", "1/16", "--method", method, "--json")
    assert python("-m", "symlie", *words).code == 0
    result = python("-c", WITHOUT + RUN, *words)
    assert result.err == ""
    assert result.json["status"] == "ok"
    assert result.json["statistics"]["derive_seconds"] == 0
    assert result.json["statistics"]["compile_seconds"] == 0


def test_module_runs_as_a_command() -> None:
    result = python("-m", "symlie", "run", "nothing", "--h", "1")
    assert result.code == 1
    assert result.err.startswith("symlie: There is no model 'nothing'.")


def test_commands_import_no_other_commands() -> None:
    asked = "import sys; from symlie.cli import COMMANDS, main; main(['cache'])"
    said = python("-c", f"{asked}; print(*[n for n in COMMANDS.values() if f'symlie.cli.{{n}}' in sys.modules])")
    assert said.code == 0 and said.out.splitlines()[-1] == "cache"
