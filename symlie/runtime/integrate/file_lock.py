"""Lock on a file name: at most one run holds it at a time, on every operating system, until its process ends.

The lock is held on an empty SQLite database next to the file, since SQLite is the only part of the standard library
that locks files on all platforms. The operating system manages the lock, so a killed process leaves only an empty file,
which the next run reuses.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from symlie.errors import FormatError

if TYPE_CHECKING:
    from sqlite3 import Connection

REMOVED = 1
"""Content of a lock file that is about to be removed."""

ATTEMPTS = 10
"""Number of attempts to lock a file with this content."""


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a path, which need not exist. Raise `FormatError` if another run holds it. File systems without
    locks are used without a lock."""
    place, process = path.with_name(f".{path.name}.lock"), os.getpid()
    lock = _taken(path, place)
    try:
        yield
    finally:
        if lock is not None and os.getpid() == process:  # and not in a child that inherited this
            _give_back(place, lock)


def _taken(path: Path, place: Path) -> Connection | None:
    for _ in range(ATTEMPTS):
        lock = _locked_database(path, place)
        # The previous holder may have removed this file; other runs would then lock a new one.
        if lock is None or lock.execute("PRAGMA user_version").fetchone() != (REMOVED,):
            return lock
        lock.close()
    return _locked_database(path, place)  # of a run that was killed before it removed the file


def _locked_database(path: Path, place: Path) -> Connection | None:
    import sqlite3

    with contextlib.ExitStack() as failed:
        try:
            lock = sqlite3.connect(place, timeout=0, isolation_level=None, check_same_thread=False)
            failed.callback(lock.close)
            # A journal would be another file, so there is none; exclusive locks last until the file is closed.
            for words in ("journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE"):
                lock.execute(f"PRAGMA {words}")
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                return None
            raise FormatError(
                f"The checkpoint {path} is in use by another run; wait until it ends, or use another file."
            ) from error
        failed.pop_all()
    return lock


def _give_back(place: Path, lock: Connection) -> None:
    import sqlite3

    with contextlib.closing(lock), contextlib.suppress(sqlite3.Error, OSError):
        lock.execute(f"PRAGMA user_version = {REMOVED}")
        lock.execute("COMMIT")
        place.unlink()
        return
    with contextlib.suppress(OSError):  # some systems do not remove open files
        place.unlink()
