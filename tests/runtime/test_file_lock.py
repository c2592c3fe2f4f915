"""A checkpoint is used by one run at a time, and is released however that run ends."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from symlie.errors import FormatError
from symlie.runtime.integrate.file_lock import locked
from symlie.utilities.paths import PACKAGE

HOLD = """
import sys, time
from pathlib import Path
from symlie.runtime.integrate.file_lock import locked

with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    time.sleep(600)
"""


def test_lock_is_exclusive(tmp_path: Path) -> None:
    path = tmp_path / "run"
    for _ in range(2):
        with locked(path), locked(tmp_path / "other"):
            for _ in range(2):
                with pytest.raises(FormatError, match="run is in use by another run"), locked(path):
                    pass
        assert not list(tmp_path.iterdir())
    with pytest.raises(ZeroDivisionError), locked(path):
        _ = 1 / 0
    with locked(path):
        pass


def test_lock_is_released_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "run"
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as other:
        try:
            assert other.stdout is not None and other.stdout.readline() == "locked\n"
            with pytest.raises(FormatError, match="in use"), locked(path):
                pass
        finally:
            other.kill()
    assert [p.stat().st_size for p in tmp_path.iterdir()] == [0], "what a killed process leaves"
    with locked(path), pytest.raises(FormatError, match="in use"), locked(path):
        pass
    assert not list(tmp_path.iterdir())


def test_lock_is_passed_to_a_waiting_process(tmp_path: Path) -> None:
    """Whoever has one removes its file, while others are about to take it."""
    path, inside = tmp_path / "run", threading.Semaphore()
    ready = threading.Barrier(4)

    def take(_: int) -> int:
        ready.wait(timeout=60)
        found = 0
        for _ in range(100):
            try:
                with locked(path):
                    assert inside.acquire(blocking=False), "two have it"
                    found += 1
                    time.sleep(0)  # another thread continues here
                    inside.release()
            except FormatError:
                pass
        return found

    with ThreadPoolExecutor(4) as threads:
        taken = sum(threads.map(take, range(4)))
    assert taken > 0 and not list(tmp_path.iterdir())


def test_file_systems_without_locks_are_supported(tmp_path: Path) -> None:
    """Where no lock file can be created, or a foreign file has its name, nothing is refused or changed."""
    other = tmp_path / ".run.lock"
    other.write_text("something else, which is longer than the header of a database of SQLite" * 3)
    before = other.read_bytes()
    for path in (tmp_path / "nowhere" / "run", tmp_path / "run", tmp_path / ("x" * 250)):
        with locked(path):
            pass
    assert [*tmp_path.iterdir()] == [other] and other.read_bytes() == before
