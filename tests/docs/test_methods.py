"""The page on methods: its table, and its tableaux."""

from __future__ import annotations

import re
from pathlib import Path

import symlie as sl
from symlie.runtime.methods.library import method, method_names
from tests.docs.pages import ROOT, blocks_of

PAGE = ROOT / "docs" / "methods.md"


def test_tableaux_are_documented(tmp_path: Path) -> None:
    found = []
    for block in blocks_of(PAGE):
        file = tmp_path / "own.toml"
        file.write_text(block.text, encoding="utf-8")
        found.append(sl.load_tableau(file))
    assert [(m.family, m.order) for m in found] == [("rkmk", 2), ("commutator_free", 4), ("half_explicit", 3)]


def test_all_methods_are_listed_with_their_orders() -> None:
    listed: dict[str, int] = {}
    for names, orders in re.findall(r"^\| (`.*?) \| .*? \| (.*?) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE):
        found, numbers = re.findall(r"`(\w+)`", names), [int(k) for k in re.findall(r"\d+", orders.partition(";")[0])]
        if "…" in names:
            stem, first, last = found[0][:-1], int(found[0][-1]), int(found[1][-1])
            found, numbers = [f"{stem}{k}" for k in range(first, last + 1)], list(range(numbers[0], numbers[1] + 1))
        listed |= dict(zip(found, numbers, strict=True))
    assert listed == {name: method(name).order for name in method_names()}
