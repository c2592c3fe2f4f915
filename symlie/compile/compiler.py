"""Search for and execution of the C compiler."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from symlie.errors import CompilerError, InterruptedCompilationError, NoCompilerError, UnknownNameError
from symlie.utilities.interruption import DeferredInterrupt
from symlie.utilities.reading import brief
from symlie.utilities.stages import stage
from symlie.warnings import warn

BASE_FLAGS = ("-std=c11", "-O3", "-fno-tree-slp-vectorize", "-fno-math-errno", "-shared", "-fPIC")
"""Flags of all compilations: never -ffast-math; no SLP pass, which emits fused operations despite -ffp-contract=off."""

AS_CPP = ("-x", "c++", "-std=gnu++20", "-fno-exceptions", "-fno-rtti", "-finline-limit=4000", "-w")
"""Flags that replace the language standard for code with tangents, which overloads operators of numbers. The compiler
inlines larger functions than in C, since numbers with tangents need several operations for each of C: loops over nodes
are vectorised only if the functions that they call are inlined."""

LIBRARY_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
"""End of the names of shared libraries."""

_SUBSTITUTES: dict[str, tuple[str, ...]] = {
    "-march=native": ("-mcpu=native",),
    "-fno-tree-slp-vectorize": (),
    "-ftree-vectorize": (),
    "-fno-math-errno": (),
}
"""Flags that concern speed alone, and those that take their places in compilers that lack them."""

_REFUSALS = {
    "symlie needs NaN and infinity": (
        "computes without NaN and infinity, which hides failures: remove -ffast-math, -Ofast and -ffinite-math-only"
    ),
    "symlie needs IEEE arithmetic": (
        "reorders sums or replaces divisions, which loses accuracy: remove -funsafe-math-optimizations, "
        "-fassociative-math and -freciprocal-math"
    ),
    "symlie needs double constants": "rounds constants to 7 digits: remove -fsingle-precision-constant",
}
"""Messages of ``primitives.h`` about flags, and their meanings."""

_UNSEEN = {
    "-fassociative-math": "symlie needs IEEE arithmetic",
    "-freciprocal-math": "symlie needs IEEE arithmetic",
    "-funsafe-math-optimizations": "symlie needs IEEE arithmetic",
}
"""Flags of clang that define no macro that ``primitives.h`` can test."""

WITHOUT_STEPS = ("-O2", "-ftree-vectorize")
"""Replacement of -O3 for code without a time loop: bitwise identical results for less compile time. With -O1 states
between steps would take ten times as long."""

OPTIMIZATIONS = {
    "default": ("-march=native", "-ffp-contract=off"),
    "contract": ("-march=native", "-ffp-contract=fast"),
    "portable": ("-ffp-contract=off",),
}
"""Flags of each value of ``optimize``."""


_SHOWN_LINES = 4
_LONGEST_LINE = 200
"""Number of lines of a compiler's messages that are shown, and of characters of each."""

_LONGEST_WAIT = 0.1
"""Longest wait for a compiler between interrupt checks, in s."""


@dataclass(frozen=True)
class Compiler:
    """C compiler: the words of its command, and its identity in the cache key."""

    command: tuple[str, ...]
    identity: str


@functools.cache
def find_compiler() -> Compiler:
    """Return the compiler in ``CC``, split as by a shell, or the first of cc, gcc, clang on the path, or that of the
    Python package ziglang; raise errors without one."""
    stated = os.environ.get("CC", "").strip()
    if stated:
        return _stated_compiler(stated)
    for name in ("cc", "gcc", "clang"):
        path = shutil.which(name)
        if path:
            return Compiler((path,), _program_identity(path))
    if zig := zig_program():
        return Compiler((zig, "cc"), _program_identity(zig))
    raise NoCompilerError(
        f"No C compiler was found on {platform.node() or 'this machine'}; install one (such as gcc or clang, or "
        "'pip install ziglang'), name it in the environment variable CC, or use the NumPy backend."
    )


def zig_program() -> str | None:
    """Return the program of the Python package ziglang, which compiles C with ``zig cc``, or None."""
    package = importlib.util.find_spec("ziglang")
    folders = [] if package is None else package.submodule_search_locations or []
    return next(filter(None, (shutil.which("zig", path=folder) for folder in folders)), None)


def _stated_compiler(stated: str) -> Compiler:
    try:
        words = shlex.split(stated)
    except ValueError as error:
        raise CompilerError(
            f"The environment variable CC is {brief(stated)!r}, which is not a valid shell command: {error}."
        ) from error
    path = shutil.which(words[0]) if words else None
    if path is None:
        raise CompilerError(
            f"The environment variable CC names the compiler {brief(stated)!r}, but this program does not exist; "
            "select another one, or unset CC."
        )
    for word in words[1:]:
        if word in _UNSEEN:
            raise CompilerError(_refusal(path, _UNSEEN[word]))
    # The identity covers every program of a command such as "ccache gcc".
    programs = [program for word in words[1:] if (program := shutil.which(word)) is not None]
    identity = [" ".join(words[1:]), *map(_program_identity, programs)]
    return Compiler((path, *words[1:]), " ".join([_program_identity(path), *filter(None, identity)]))


def _refusal(compiler: str, reason: str) -> str:
    return (
        f"The C compiler {compiler} {_REFUSALS[reason]} from the environment variable CC or from the program that it "
        "names, or use the NumPy backend."
    )


def _program_identity(path: str) -> str:
    real = os.path.realpath(path)
    state = os.stat(real)
    return f"{real} {state.st_size} {state.st_mtime_ns}"


def flags(optimize: str, *, takes_steps: bool = True, is_cpp: bool = False) -> tuple[str, ...]:
    """Return all compiler flags for a value of ``optimize``; ``takes_steps`` marks time loops, whose speed matters more
    than compile time, and ``is_cpp`` code with tangents."""
    if optimize not in OPTIMIZATIONS:
        raise UnknownNameError(f"Unknown optimize '{optimize}'; use one of: {', '.join(OPTIMIZATIONS)}.")
    base = BASE_FLAGS if takes_steps else tuple(f for f in BASE_FLAGS if not f.startswith("-O"))
    if is_cpp:
        base = (*AS_CPP, *(f for f in base if not f.startswith("-std")))
    return (*base, *(() if takes_steps else WITHOUT_STEPS), *OPTIMIZATIONS[optimize])


@functools.cache
def processor_identity() -> str:
    """Return a hash that identifies this processor for ``-march=native``, from the system or else from the compiler."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    wanted = ("model name", "flags", "Features", "CPU part")
    described = list(dict.fromkeys(line for line in lines if line.startswith(wanted))) or [_native_features()]
    return hashlib.sha256("\n".join(described).encode()).hexdigest()


def _native_features() -> str:
    """Return the macros that ``-march=native`` defines, which name the instructions of this processor."""
    return f"{platform.machine()} {platform.processor()}\n" + "\n".join(sorted(_macros(("-march=native",))))


@functools.cache
def _macros(compiler_flags: tuple[str, ...]) -> frozenset[str]:
    """Return the macro definitions that a compiler prints for some flags; empty if it does not support this."""
    try:
        command = [*find_compiler().command, *compiler_flags, "-dM", "-E", "-x", "c", os.devnull]
        result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except (OSError, CompilerError):
        return frozenset()
    return frozenset(result.stdout.splitlines())


def vector_numbers(optimize: str) -> int:
    """Return the number of doubles in the vector registers of compiled code: 8 for AVX-512, 4 for AVX2, else 1."""
    macros = _macros(flags(optimize))
    has_vectors = "#define __GNUC__" in {line.rpartition(" ")[0] for line in macros}
    widths = {"#define __AVX512DQ__ 1": 8, "#define __AVX2__ 1": 4}
    return next((width for line, width in widths.items() if has_vectors and line in macros), 1)


def _ended(command: list[str], source: Path) -> tuple[int, str]:
    """Run a compiler in a separate process group, so that Ctrl-C also ends its children; return its exit code and
    messages."""
    process: subprocess.Popen[str] | None = None
    try:
        with DeferredInterrupt():  # until the process is known
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                cwd=source.parent,
                process_group=0,
            )
        said = _words(process)
    except BaseException as error:
        if process is not None:
            with process, contextlib.suppress(ProcessLookupError):
                _end(process)
        if not isinstance(error, KeyboardInterrupt):
            raise
        raise InterruptedCompilationError(f"Interrupted while {source.name} was compiled; no files remain.") from None
    return process.returncode, said


def _end(process: subprocess.Popen[str]) -> None:
    """Terminate a process and, if process groups exist, its children."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _words(process: subprocess.Popen[str]) -> str:
    """Return the messages of a process after it ends."""
    while True:
        # Python handles a Ctrl-C just before a wait only after the wait.
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=_LONGEST_WAIT)[1]


def run_compiler(source: Path, output: Path, compiler_flags: tuple[str, ...]) -> None:
    """Compile one source file to a shared library, without flags that the compiler lacks and can do without; raise
    `CompilerError`, `NoCompilerError` or `InterruptedCompilationError`."""
    try:
        _compile(source, output, compiler_flags)
    except CompilerError as error:
        if isinstance(error, InterruptedCompilationError | NoCompilerError):
            raise
        accepted = accepted_flags(find_compiler(), compiler_flags)
        if accepted == compiler_flags:
            raise
        _compile(source, output, accepted)


def _compile(source: Path, output: Path, compiler_flags: tuple[str, ...]) -> None:
    command = [*find_compiler().command, *compiler_flags, "-o", str(output), str(source), "-lm"]
    shown = brief(" ".join([*find_compiler().command, *compiler_flags, source.name]))
    try:
        with stage("compile", source.name):
            code, said = _ended(command, source)
    except OSError as error:
        raise CompilerError(f"{command[0]} cannot be run ({error.strerror}); is it a compiler? ({shown})") from error
    if code and (found := [reason for reason in _REFUSALS if reason in said]):
        raise CompilerError(_refusal(command[0], found[0]))
    if code < 0:
        raise CompilerError(
            f"The C compiler was terminated by {_signal_name(-code)}, possibly because of insufficient memory "
            f"or disk space ({shown})."
        )
    if code:
        first = "\n".join(line[:_LONGEST_LINE] for line in said.splitlines()[:_SHOWN_LINES])
        raise CompilerError(f"The C compiler failed ({shown}):\n{first or f'exit code {code}'}")
    if not output.exists():
        raise CompilerError(f"The C compiler {command[0]} wrote no library; is it a compiler? ({shown})")


@functools.cache
def accepted_flags(compiler: Compiler, compiler_flags: tuple[str, ...]) -> tuple[str, ...]:
    """Return the flags without those that a compiler rejects and can do without, and warn about them; raise
    `NoCompilerError` if it rejects others; return all of them if the flags are not the reason."""
    name = compiler.command[0]
    needed = tuple(flag for flag in compiler_flags if flag not in _SUBSTITUTES)
    if not _accepts(compiler, needed):
        if not _accepts(compiler, ("-shared",)):
            return compiler_flags
        raise NoCompilerError(
            f"The C compiler {name} does not build shared libraries with {' '.join(needed)}; select gcc or clang "
            "with the environment variable CC, or use the NumPy backend."
        )
    accepted: list[str] = []
    rejected: list[str] = []
    for flag in compiler_flags:
        choices = (flag, *_SUBSTITUTES.get(flag, ()))
        chosen = next((c for c in choices if c in needed or _accepts(compiler, (*needed, c))), None)
        (rejected if chosen is None else accepted).append(chosen or flag)
    if rejected:
        warn(
            f"The C compiler {name} does not accept {', '.join(rejected)}; results are the same, but compiled code "
            "may be slower."
        )
    return tuple(accepted)


@functools.cache
def compiles_cpp() -> bool:
    """Return whether the C compiler also compiles C++."""
    try:
        return _accepts(find_compiler(), ("-shared", "-fPIC", *AS_CPP), "#include <math.h>\n")
    except CompilerError:
        return False


def _accepts(compiler: Compiler, compiler_flags: tuple[str, ...], head: str = "") -> bool:
    """Return whether a compiler builds a shared library with these flags."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder, "probe.c"), Path(folder, f"probe{LIBRARY_SUFFIX}")
        source.write_text(f"{head}int symlie_probe(void);\nint symlie_probe(void) {{ return 0; }}\n")
        try:
            code, _ = _ended([*compiler.command, *compiler_flags, "-o", str(output), str(source), "-lm"], source)
        except OSError:
            return False
        return code == 0 and output.exists()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
