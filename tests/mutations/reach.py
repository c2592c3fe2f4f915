"""Tests that reach mutations: one run of the quick tests with a mark at each mutation."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.mutations.marks import C_MARK
from tests.mutations.mutation import Mutation
from tests.mutations.selection import NOT_QUICK
from tests.mutations.workplace import Workplace

_PYTHON_MARK = '__import__("tests.mutations.marks", fromlist=["mark"]).mark({number})\n'
_DEFINITION = re.compile(r"^( *)def [^\n]*:\n", re.MULTILINE)
_PHASE = re.compile(r" \((?:setup|call|teardown)\)$")

PER_FILE = 5
"""Number of tests of each file that run first."""


def _python_place(mutation: Mutation, source: bytes) -> tuple[int, str] | None:
    """Return the byte before the innermost statement of a function with a mutation, and its indentation."""
    lines = [0]
    for text in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(text))

    def contains(node: ast.stmt) -> bool:
        first = lines[node.lineno - 1] + node.col_offset
        return first <= mutation.start < lines[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

    found, inside, body = None, False, [ast.parse(source)]
    pending: list[ast.AST] = list(body)
    while pending:
        for child in ast.iter_child_nodes(pending.pop()):
            if not isinstance(child, ast.stmt):
                if not isinstance(child, ast.expr):
                    pending.append(child)
                continue
            if contains(child):
                text = source[lines[child.lineno - 1] :].decode()
                if inside and not text.lstrip(" ").startswith("elif"):
                    found = (lines[child.lineno - 1], " " * child.col_offset)
                inside = inside or isinstance(child, ast.FunctionDef)
                pending.append(child)
    return found


def _template_place(mutation: Mutation, source: bytes) -> tuple[int, str] | None:
    """Return the byte at the start of the function with a mutation, and its indentation."""
    before = source[: mutation.start].decode()
    if mutation.path.endswith(".py.jinja"):
        definitions = list(_DEFINITION.finditer(before))
        return (len(before[: definitions[-1].end()].encode()), definitions[-1][1] + "    ") if definitions else None
    begin = before.rfind(")\n{\n")
    if begin < 0 or "\n}\n" in before[begin:]:
        return None
    return len(before[: begin + 4].encode()), ""


def marked(source: bytes, mutations: Mapping[int, Mutation]) -> bytes:
    """Return the source of one file with a mark for each of its mutations inside functions."""
    places = []
    for number, mutation in mutations.items():
        is_python = mutation.path.endswith(".py")
        place = (_python_place if is_python else _template_place)(mutation, source)
        if place is not None:
            text = (
                _PYTHON_MARK.format(number=number) if ".py" in mutation.path else C_MARK.replace("NUMBER", str(number))
            )
            places.append((place[0], place[1] + text))
    for start, text in sorted(places, reverse=True):
        source = source[:start] + text.encode() + source[start:]
    return source


@dataclass
class Reach:
    """Tests that reach each mutation, and their durations in s."""

    tests: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    seconds: dict[str, float] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Reach:
        """Read marks and durations."""
        found = cls()
        for line in path.read_text(errors="replace").splitlines():
            first, _, test = line.partition("\t")
            test = _PHASE.sub("", test)
            if "." in first:
                found.seconds[test] = float(first)
            elif first.isdigit():
                found.tests[int(first)].add(test)
        return found

    def ordered(self, number: int, files: list[str]) -> list[str]:
        """Return the tests that reach a mutation: first a few fast tests of each file, in the order of the files."""
        rank = {name: k for k, name in enumerate(files)}
        reached = [test for test in self.tests[number] if test in self.seconds and test.partition("::")[0] in rank]
        place, seen = {}, Counter[str]()
        for test in sorted(reached, key=lambda test: (self.seconds[test], test)):
            name = test.partition("::")[0]
            place[test] = (seen[name] // PER_FILE, rank[name], self.seconds[test])
            seen[name] += 1
        return sorted(place, key=place.__getitem__)


def record(place: Workplace, mutations: Mapping[int, Mutation], path: Path, processes: int) -> None:
    """Run the quick tests of a copy of the repository with marks, and write marks and durations."""
    by_file: dict[str, dict[int, Mutation]] = defaultdict(dict)
    for number, mutation in mutations.items():
        by_file[mutation.path][number] = mutation
    originals = {name: (place.root / name).read_bytes() for name in by_file}
    for name, found in by_file.items():
        (place.root / name).write_bytes(marked(originals[name], found))
    ignored = [f"--ignore={name}" for name in NOT_QUICK]
    options = ["-q", "--covering", "-p", "tests.mutations.marks", "-p", "no:cacheprovider", *ignored]
    parallel = ["--numprocesses", str(processes), "--dist", "loadfile"]
    environment = place.environment(place.scratch / "recorded") | {"SYMLIE_MARKS": str(path)}
    command = [sys.executable, "-m", "pytest", *options, *parallel]
    subprocess.run(command, cwd=place.root, env=environment, check=False)
    for name, source in originals.items():
        (place.root / name).write_bytes(source)
        os.utime(place.root / name)
