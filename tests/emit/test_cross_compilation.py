"""All kernels and time loops compile for Windows, macOS and 64-bit ARM, by the C compiler of the package ziglang."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from symlie.publish.sets import set_files
from symlie.runtime.integrate.driver_library import driver_files
from symlie.runtime.kernels.c_library import library_files
from tests.emit.building import MODELS, write
from tests.emit.test_warnings import READY_MADE, equations_named, kernels_of, methods_of

TARGETS = ("x86_64-windows-gnu", "aarch64-macos", "aarch64-linux-musl")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="the package ziglang is not installed"),
]


def compiled(target: str, folder: Path, text: dict[str, str], main: str) -> None:
    """Compile and link a shared library for a target."""
    write(folder, text)
    flags = ["-target", target, "-std=c11", "-O1", "-shared", "-o", "library.out", main]
    command = [sys.executable, "-m", "ziglang", "cc", *flags]
    result = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    assert result.returncode == 0, f"{' '.join(command)}\n{result.stderr[:4000]}"
    assert (folder / "library.out").stat().st_size > 0


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", [*MODELS, *READY_MADE])
def test_libraries_are_built_for_other_systems(name: str, target: str, tmp_path: Path) -> None:
    model, text, manifest = kernels_of(name)
    algebra = "fixed_algebra.h" if manifest.fixed_topology else "structured_algebra.h"
    compiled(target, tmp_path, dict(library_files(text, model, algebra)), "library.c")
    if any(t.velocities for t in manifest.node_types) and name not in READY_MADE:
        for kind in ("newton", "ports"):
            compiled(target, tmp_path, text | set_files(equations_named(name), kind), f"{model}_{kind}.c")
    system = equations_named(name).compile(backend="numpy")
    for chosen in methods_of(system, name):
        compiled(target, tmp_path, driver_files(system, chosen), "driver.c")
