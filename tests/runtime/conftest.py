"""Fixtures of tests of runs."""

from __future__ import annotations

import pytest

from symlie.runtime.integrate import run as execution


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops return after every step, where they report, save and are interrupted."""
    monkeypatch.setattr(execution, "RETURN_SECONDS", 0.0)
