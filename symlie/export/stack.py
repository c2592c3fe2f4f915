"""Stack use of exported functions, from the frame sizes and calls that GCC reports."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from symlie.errors import CompilerError, ModelError, NoCompilerError

_NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]*)"')
_EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
_BYTES = re.compile(r"(\d+) bytes \(([\w,]+)")


def stack_use(compiler: Sequence[str], files: Mapping[str, str], source: str, exported: Collection[str]) -> int | None:
    """Return the largest stack of exported functions in bytes, without functions of the mathematical library.

    The command of the compiler includes its flags. The result is None if the compiler does not report frame sizes.

    Raises
    ------
    ModelError
        If functions are recursive, or have frames of variable size.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        command = [*compiler, "-fcallgraph-info=su", "-c", source, "-o", "unit.o"]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        except OSError:
            return None
        report = next(Path(folder).glob("*.ci"), None)
        if done.returncode or report is None:
            return None
        return largest_path(report.read_text(encoding="utf-8"), exported)


def largest_path(report: str, exported: Collection[str]) -> int:
    """Return the largest sum of frames along calls from exported functions, from a call graph of GCC."""
    frames: dict[str, int] = {}
    for title, label in _NODE.findall(report):
        found = _BYTES.search(label)
        if found is not None and found[2] == "dynamic":
            raise ModelError(f"The frame of '{title}' has a variable size.")
        frames[title] = int(found[1]) if found else 0
    calls: dict[str, set[str]] = {}
    for caller, called in _EDGE.findall(report):
        calls.setdefault(caller, set()).add(called)
    known: dict[str, int] = {}

    def below(name: str, above: tuple[str, ...]) -> int:
        if name in above:
            raise ModelError(f"The function '{name}' is recursive.")
        if name not in known:
            deepest = max((below(other, (*above, name)) for other in calls.get(name, ())), default=0)
            known[name] = frames.get(name, 0) + deepest
        return known[name]

    roots = [title for title in frames if title.rsplit(":", 1)[-1] in exported]
    return max((below(root, ()) for root in roots), default=0)


def stack_on_this_machine(files: Mapping[str, str], source: str, exported: Collection[str]) -> int | None:
    """Return the stack use with the C compiler of this machine at -O2, or None if it is unknown."""
    from symlie.compile.compiler import find_compiler

    try:
        command = find_compiler().command
    except (NoCompilerError, CompilerError):
        return None
    return stack_use([*command, "-std=c99", "-O2", "-ffp-contract=off"], files, source, exported)
