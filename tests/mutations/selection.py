"""Choice of tests for a mutation: files of tests that share rare words with the changed code."""

from __future__ import annotations

import ast
import functools
import math
import re
from collections import Counter
from pathlib import Path

from tests.mutations.mutation import Mutation

NOT_QUICK = ("tests/browser/", "tests/distributed/", "tests/gallery/", "tests/mutations/", "tests/site/")
"""Folders without quick tests of results."""

COSTLY, _SHARE = ("tests/certify/", "tests/emit/"), 0.7
"""Folders whose tests compile with optimization, and a factor by which they count as less similar."""

_OF_PATH, _OF_FUNCTION = 20, 5
"""Weights of words in paths and in the changed function, relative to other words of a file."""


def words(text: str) -> Counter[str]:
    """Return the words of a text, also those of which names consist, without plural endings."""
    return Counter(word.lower().rstrip("s") for word in re.findall(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}", text))


def _weighted(counts: Counter[str], rarity: dict[str, float]) -> dict[str, float]:
    """Return the words of a file as a vector of length 1."""
    vector = {word: (1 + math.log(count)) * rarity.get(word, 0.0) for word, count in counts.items()}
    length = math.hypot(*vector.values()) or 1.0
    return {word: value / length for word, value in vector.items()}


@functools.cache
def _files(root: Path) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Return the rarity of each word, and the vectors of all files of quick tests."""
    counts = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        name = path.relative_to(root).as_posix()
        if not name.startswith(NOT_QUICK):
            counts[name] = words(path.read_text()) + _repeated(words(name), _OF_PATH)
    seen = Counter(word for found in counts.values() for word in found)
    rarity = {word: math.log(len(counts) / number) for word, number in seen.items()}
    return rarity, {name: _weighted(found, rarity) for name, found in counts.items()}


def _repeated(counts: Counter[str], times: int) -> Counter[str]:
    return Counter({word: times * count for word, count in counts.items()})


def changed_function(mutation: Mutation, source: bytes) -> str:
    """Return the text around a mutation: a function of Python, or the lines between empty lines."""
    text, line = source.decode(), mutation.line(source)
    if mutation.path.endswith(".py"):
        functions = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef)]
        around = [f for f in functions if f.lineno <= line <= (f.end_lineno or 0)]
        if around:
            return ast.get_source_segment(text, max(around, key=lambda f: f.lineno)) or ""
        return text.splitlines()[line - 1]
    before, after = (text.encode()[: mutation.start].decode(), text.encode()[mutation.start :].decode())
    return before.rpartition("\n\n")[2] + after.partition("\n\n")[0]


def similar_tests(root: Path, mutation: Mutation, source: bytes) -> list[str]:
    """Return all files of quick tests, the most similar ones to the changed code first."""
    rarity, files = _files(root)
    counts = words(source.decode())
    counts += _repeated(words(mutation.path), _OF_PATH) + _repeated(
        words(changed_function(mutation, source)), _OF_FUNCTION
    )
    code = _weighted(counts, rarity)
    module = mutation.path.removesuffix(".py").replace("/", ".")

    def rank(name: str) -> tuple[float, str]:
        shared = sum(value * code.get(word, 0.0) for word, value in files[name].items())
        shared *= _SHARE if name.startswith(COSTLY) else 1.0
        return (-shared - (1 if f"from {module} import" in _text(root, name) else 0), name)

    return sorted(files, key=rank)


@functools.cache
def _text(root: Path, name: str) -> str:
    return (root / name).read_text()
