"""Disks that are full, limits of the size of files and locales without characters: one sentence each."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

resource = pytest.importorskip("resource", reason="limits of processes")

MODEL = """
import sys
import symlie as sl

model = sl.Model("scarce_top")
body = model.node("body", "SE3")
model.kinetic_energy(body.v.dot(body.v) / 2)
model.initial(body, Omega=[0.1, 2, 0.1])
system = model.derive().compile(backend="numpy")
solution = sl.solve(system, 1, h=1e-3)
"""

WRITES = {
    "solution.nc": "solution.save('solution.nc')",
    "solution.npz": "solution.save('solution.npz')",
    "solution.csv": "solution.save('solution.csv')",
    "page.html": "solution.view().save('page.html')",
    "picture.png": "solution.plot('picture.png')",
    "checkpoint": "sl.solve(system, 9, h=1e-3, checkpoint='checkpoint', checkpoint_seconds=0)",
    "members_": (
        "sl.ensemble(system, 1, initial={'body': {'Omega': [[1, 1, 1]] * 4}}, h=1e-3, store='store', record=['body'])"
    ),
    "generated": "model.derive().generate('generated')",
}

LIMIT = 100_000
"""Bytes: each of these files is larger, or one of several."""


def python(code: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={k: v for k, v in os.environ.items() if k != "LANG"} | environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.slow
def test_too_large_files_are_named(tmp_path: Path) -> None:
    """With the reason of the system, also where netCDF4 knows of an HDF error alone."""
    pytest.importorskip("netCDF4")
    lines = [
        "import resource",
        "def attempt(name, write, limit):",
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))",
        "    try:",
        "        write()",
        "        print(name, 'was written')",
        "    except sl.errors.SymlieError as error:",
        "        print(name, type(error).__name__, error)",
    ]
    lines += [
        f"attempt({name!r}, lambda: {write}, {LIMIT if name not in ('picture.png', 'generated') else 10_000})"
        for name, write in WRITES.items()
    ]
    found = python(MODEL + "\n".join(lines), tmp_path)
    assert found.returncode == 0, found.stderr
    said = found.stdout.splitlines()
    assert len(said) == len(WRITES)
    for name, sentence in zip(WRITES, said, strict=True):
        assert sentence.startswith(name) and "cannot be written" in sentence and "File too large" in sentence
    left = [p for p in tmp_path.rglob("*") if p.is_file() and p.name.startswith(".") and not p.name.endswith(".lock")]
    assert not [p for p in left if p.stat().st_size > LIMIT], "nothing is left beside its place"


@pytest.mark.slow
@pytest.mark.parametrize("limit", [4_000, 16_000, 60_000])
def test_compilation_on_a_full_disk_gives_one_sentence(limit: int, tmp_path: Path) -> None:
    code = MODEL + (
        f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "try:\n    model.derive().compile(backend='c')\n    print('compiled')\n"
        "except sl.errors.SymlieError as error:\n    print(type(error).__name__, error)\n"
    )
    found = python(code, tmp_path, SYMLIE_CACHE=str(tmp_path / "cache"))
    if "NoCompilerError" in found.stdout:
        pytest.skip("no C compiler")
    assert found.returncode == 0 and found.stdout.startswith("CacheError Neither the cache folder"), found.stderr
    assert "ulimit -f" in found.stdout


ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii:backslashreplace"}


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_names_outside_the_locale_give_one_sentence(backend: str, tmp_path: Path) -> None:
    """A cache folder that no library can be loaded from is replaced; files that cannot be named are refused."""
    code = MODEL + (
        f"\nsystem = model.derive().compile(backend='auto' if {backend!r} == 'c' else "
        "'numpy')\nprint(sl.solve(system, 0.1, h=1e-2).status)\nfor name in ('\\u00fc.nc', '\\u00fc.npz', "
        "'\\u00fc.csv'):\n    try:\n        solution.save(name)\n    except sl.errors.FormatError as error:\n        "
        "print('FormatError', error)\n"
    )
    found = python(code, tmp_path, SYMLIE_CACHE=str(tmp_path / "c\u00e4che"), **ASCII)
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines()[0] == "ok" and "encoding ascii" in found.stderr
    assert found.stdout.count("PYTHONUTF8=1") == 3


def test_help_is_printed_in_every_locale(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "symlie", "--help"]
    environment = {k: v for k, v in os.environ.items() if k != "LANG"} | ASCII | {"PYTHONIOENCODING": "ascii"}
    found = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert found.returncode == 0 and not found.stderr
