"""Python's looks for cycles, which take a fifth of the time of a first run: hardly any in the process of a command."""

from __future__ import annotations

import pytest

from tests.cli.conftest import python

PROCESS = """
import gc
from symlie.__main__ import process
before = sum(s["collections"] for s in gc.get_stats())
code = process()
print(code, sum(s["collections"] for s in gc.get_stats()) - before, gc.get_freeze_count())
"""


@pytest.mark.slow
@pytest.mark.parametrize("words", [("list",), ("run", "heavy_top", "--h", "0.01", "--t-end", "0.01", "--fresh")])
def test_command_line_runs_without_cycle_collection(words: tuple[str, ...]) -> None:
    """SymPy is imported and a model derived; remaining objects are not collected at exit, either."""
    code, looks, left = map(int, python("-c", PROCESS, *words).out.splitlines()[-1].split())
    assert code == 0
    assert looks <= 2
    assert left > 10_000
