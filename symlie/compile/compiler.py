"""Finding the C compiler and running it."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from symlie.errors import CompilerError, NoCompilerError, UnknownNameError
from symlie.stages import stage

BASE_FLAGS = ("-std=c11", "-O3", "-fno-tree-slp-vectorize", "-fno-math-errno", "-shared", "-fPIC")
"""No -ffast-math, ever; the SLP pass is off because it emits fused operations in spite of -ffp-contract=off."""

_REFUSAL = "symlie needs NaN and infinity"
"""What ``primitives.h`` says to compilers with -ffast-math."""

OPTIMIZATIONS = {
    "default": ("-march=native", "-ffp-contract=off"),
    "contract": ("-march=native", "-ffp-contract=fast"),
    "portable": ("-ffp-contract=off",),
}
"""Flags of each value of ``optimize``."""


@dataclass(frozen=True)
class Compiler:
    """A C compiler: its command and what identifies it in the cache key."""

    command: str
    identity: str


@functools.cache
def find_compiler() -> Compiler:
    """The compiler named by ``CC``, or the first of cc, gcc, clang on the path.

    Raises
    ------
    NoCompilerError
        There is none.
    """
    for name in filter(None, (os.environ.get("CC"), "cc", "gcc", "clang")):
        path = shutil.which(name)
        if path:
            stat = os.stat(os.path.realpath(path))
            return Compiler(path, f"{os.path.realpath(path)} {stat.st_size} {stat.st_mtime_ns}")
    raise NoCompilerError(
        "No C compiler was found; install one (such as gcc or clang), name it in the environment variable CC, "
        "or use the NumPy backend."
    )


def flags(optimize: str) -> tuple[str, ...]:
    """All compiler flags for a value of ``optimize``.

    Raises
    ------
    UnknownNameError
        There is no such value.
    """
    if optimize not in OPTIMIZATIONS:
        raise UnknownNameError(f"Unknown optimize '{optimize}'; use one of: {', '.join(OPTIMIZATIONS)}.")
    return (*BASE_FLAGS, *OPTIMIZATIONS[optimize])


@functools.cache
def processor_identity() -> str:
    """What distinguishes this processor for ``-march=native``."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        import platform

        return f"{platform.machine()} {platform.processor()}"
    wanted = ("model name", "flags", "Features", "CPU part")
    return hashlib.sha256("\n".join(dict.fromkeys(x for x in lines if x.startswith(wanted))).encode()).hexdigest()


def run_compiler(source: Path, output: Path, compiler_flags: tuple[str, ...]) -> None:
    """Compile one source file to a shared library.

    Raises
    ------
    CompilerError
        The compiler reported errors; the message shows the first of them.
    """
    command = [find_compiler().command, *compiler_flags, "-o", str(output), str(source), "-lm"]
    with stage("compile", source.name):
        result = subprocess.run(command, capture_output=True, text=True, cwd=source.parent, check=False)
    if result.returncode and _REFUSAL in result.stderr:
        raise CompilerError(
            f"The C compiler {command[0]} computes without NaN and infinity, so that a failure would go unseen: take "
            "-ffast-math, -Ofast and -ffinite-math-only out of the environment variable CC or out of the program that "
            "it names, or use the NumPy backend."
        )
    if result.returncode:
        first = "\n".join(result.stderr.splitlines()[:12])
        raise CompilerError(f"The C compiler failed ({' '.join(command)}):\n{first}")
    if not output.exists():
        raise CompilerError(f"The C compiler {command[0]} wrote no library; is it a compiler? ({' '.join(command)})")
