"""Fixtures of tests of runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from symlie.compile.compiler import find_compiler
from symlie.runtime.integrate import run as execution


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops return after every step, where they report, save and are interrupted."""
    monkeypatch.setattr(execution, "RETURN_SECONDS", 0.0)


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine without a C compiler."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "")
    find_compiler.cache_clear()
    yield
    find_compiler.cache_clear()
