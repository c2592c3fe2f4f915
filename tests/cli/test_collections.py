"""Python's looks for cycles: seldom while a system is made, as ever afterwards, and none when the process ends."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest

from symlie.models import systems
from tests.cli.conftest import Outcome, python

Cli = Callable[..., Outcome]


@pytest.mark.parametrize("stated", [700, 0])
def test_seldom_while_a_system_is_made(cli: Cli, monkeypatch: pytest.MonkeyPatch, stated: int) -> None:
    """0 is Python's word for never."""
    seen = []
    made = systems.system_of_model

    def watched(*arguments: Any, **options: Any) -> object:
        seen.append(gc.get_threshold()[0])
        return made(*arguments, **options)

    monkeypatch.setattr(systems, "system_of_model", watched)
    before = gc.get_threshold()
    gc.set_threshold(stated, *before[1:])
    try:
        assert cli("run", "heavy_top", "--h", "0.01", "--t-end", "0.01", "--backend", "numpy").code == 0
        assert gc.get_threshold() == (stated, *before[1:])
    finally:
        gc.set_threshold(*before)
    assert len(seen) == 1
    assert (seen[0] > 100 * stated) is (stated > 0)


def test_none_when_the_process_ends() -> None:
    process = "import gc, sys; from symlie.__main__ import process; print(process(), gc.get_freeze_count() > 10_000)"
    result = python("-c", process, "list")
    assert result.out.splitlines()[-1] == "0 True"
