"""Binaries of functional mock-up units: for the system on which a unit is written, and for others by ziglang."""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from symlie.compile.compiler import AS_CPP, LIBRARY_SUFFIX, find_compiler, zig_program
from symlie.errors import CompilerError, NoCompilerError, UnknownNameError
from symlie.export.fmu.derivatives import DERIVATIVES
from symlie.options import ExportPlatform
from symlie.warnings import warn

SOURCE = "fmu.c"
"""The file to be compiled as C, which includes the others."""

FLAGS = ("-O3", "-fno-tree-slp-vectorize", "-fno-math-errno", "-ffp-contract=off", "-fPIC")
"""Flags of binaries, for all processors of an architecture; results have the bits of compiled systems."""


class Platform(NamedTuple):
    """A system: its name for ziglang, its folder in FMI 2.0 (empty: none), and the end of the names of libraries."""

    target: str
    folder: str
    suffix: str


PLATFORMS: Mapping[ExportPlatform, Platform] = {
    "x86_64-linux": Platform("x86_64-linux-gnu.2.17", "linux64", ".so"),
    "aarch64-linux": Platform("aarch64-linux-gnu.2.17", "", ".so"),
    "x86_64-windows": Platform("x86_64-windows-gnu", "win64", ".dll"),
    "x86_64-darwin": Platform("x86_64-macos", "darwin64", ".dylib"),
    "aarch64-darwin": Platform("aarch64-macos", "", ".dylib"),
}

_MACHINES = {"AMD64": "x86_64", "arm64": "aarch64"}
_SYSTEMS = {"linux": "linux", "win32": "windows", "darwin": "darwin"}


def own_binary(files: Mapping[str, str], version: int, prefix: str) -> list[tuple[str, bytes]]:
    """Return name and content of the binary for this system; warn if it cannot be built."""
    try:
        command = find_compiler().command
        content = _compiled(command, command, files)
    except (NoCompilerError, CompilerError) as error:
        warn(f"The unit contains sources only, because no binary could be compiled: {error}")
        return []
    name = f"{_MACHINES.get(platform.machine(), platform.machine())}-{_SYSTEMS.get(sys.platform, sys.platform)}"
    known = next((p for n, p in PLATFORMS.items() if n == name), Platform("", "", LIBRARY_SUFFIX))
    folder = name if version == 3 or not known.folder else known.folder
    return [(f"binaries/{folder}/{prefix}{known.suffix}", content)]


def binary_for(name: ExportPlatform, files: Mapping[str, str], version: int, prefix: str) -> tuple[str, bytes]:
    """Return name and content of the binary for another system.

    Raises
    ------
    UnknownNameError
        If the system is unknown, or FMI 2.0 has no name for it.
    NoCompilerError
        If the package ziglang is not installed.
    CompilerError
        If the compiler fails.
    """
    known = [n for n, p in PLATFORMS.items() if version == 3 or p.folder]
    if name not in known:
        raise UnknownNameError(f"FMI {version}.0 has no binaries for '{name}'; use one of: {', '.join(known)}.")
    zig = zig_program()
    if zig is None:
        raise NoCompilerError(
            f"Binaries for {name} are compiled by the Python package ziglang; install it with 'pip install ziglang'."
        )
    target, folder, suffix = PLATFORMS[name]
    content = _compiled([zig, "cc", "-target", target], [zig, "c++", "-target", target], files)
    return f"binaries/{folder if version == 2 else name}/{prefix}{suffix}", content


def _compiled(of_c: Sequence[str], of_cpp: Sequence[str], files: Mapping[str, str]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            if name.startswith("sources/"):
                Path(folder, name.removeprefix("sources/")).write_text(text, encoding="utf-8")
        objects = []
        for name, command in ((SOURCE, [*of_c, "-std=c99"]), (DERIVATIVES, [*of_cpp, *AS_CPP])):
            if f"sources/{name}" in files:
                objects.append(f"{name}.o")
                _ran([*command, *FLAGS, "-c", name, "-o", objects[-1]], folder)
        _ran([*of_c, *FLAGS, "-shared", *objects, "-lm", "-o", "unit"], folder)
        return Path(folder, "unit").read_bytes()


def _ran(command: list[str], folder: str) -> None:
    """Run a compiler in a folder; raise `CompilerError` if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CompilerError(f"The compiler failed: {done.stderr.strip()[:400]}")
