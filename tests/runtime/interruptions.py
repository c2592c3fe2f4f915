"""Interrupted runs and their results after continuation."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import InterruptedIntegrationError
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System


class Stop:
    """A progress callback that presses Ctrl-C at its n-th call."""

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def __call__(self, fraction: float) -> None:
        self.calls -= 1
        if self.calls == 0:
            raise KeyboardInterrupt


STATE = ("q", "v", "multipliers", "carried")


def content(solution: Solution) -> dict[str, Any]:
    """Everything in a solution but how long it took, as bytes and text."""
    parts: dict[str, Any] = {name: getattr(solution, name).tobytes() for name in ("t", *STATE)}
    statistics = dataclasses.asdict(solution.statistics)
    parts["statistics"] = {k: v for k, v in statistics.items() if not k.endswith("_seconds")}
    for name in ("trace", "end"):
        part = getattr(solution, name)
        parts[name] = part and {k: np.asarray(v).tobytes() for k, v in vars(part).items() if v is not None}
    parts["events"] = [(e.name, e.instance, e.t, *(getattr(e, part).tobytes() for part in (*STATE, "own")))
                       for e in solution.events]  # fmt: skip
    return parts | {"status": solution.status, "settings": solution.settings, "method": solution.method}


def interrupted(system: System, end: float, calls: int, path: Path, **options: Any) -> Solution:
    """The part of a run up to a call of its progress; the rest is in its checkpoint."""
    with pytest.raises(InterruptedIntegrationError) as caught:
        sl.solve(system, end, **options, progress=Stop(calls), checkpoint=path)
    assert caught.value.solution is not None
    return caught.value.solution


def resumed_in_pieces(path: Path, calls: int) -> Solution:
    """Return the end of a run that is interrupted repeatedly."""
    while True:
        try:
            return sl.resume(path, progress=Stop(calls), checkpoint_seconds=0, trust=True)
        except InterruptedIntegrationError as error:
            assert error.solution is not None


def assert_continued_with_the_same_bits(
    system: System, part: float, whole: float, folder: Path, **options: Any
) -> None:
    """Check that a continued solution, also from a file, equals an uninterrupted one."""
    first = sl.solve(system, part, **options)
    first.save(folder / "first.npz")
    expected = sl.solve(system, whole, **options).q[-1].tobytes()
    for start in (first, sl.load_solution(folder / "first.npz", backend=system.backend, trust=True)):
        assert sl.solve(start.system, whole, **options, start=start).q[-1].tobytes() == expected
