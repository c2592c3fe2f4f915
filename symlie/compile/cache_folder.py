"""The cache folder: its ownership, workplaces for new entries, and removal of old ones.

Libraries of the cache are executed, so the folder must belong to the user and nobody else may write to it; otherwise a
private temporary folder replaces it. Entries are built in a ``build-`` folder; those that killed processes left are
removed after a day.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from symlie.errors import CacheError
from symlie.utilities.paths import cache_folder, user_number
from symlie.warnings import warn

KINDS = ("models", "sets", "libraries")
"""Subfolders of the cache."""

LARGEST = 2**30
"""Size of the cache, in bytes, above which the least recently used entries are removed."""

LONGEST = 90 * 86_400.0
"""Time in s after which an unused entry is removed."""

_BUILD = "build-"
_DAY = 86_400.0
"""Age in s above which a build folder is abandoned and a use is recorded anew: no compilation takes so long."""


def cache_root() -> Path:
    """Return the user's cache folder, or with a warning a private temporary one; raise `CacheError` if neither is
    usable."""
    wanted = cache_folder()
    reason = _reason_against(wanted)
    if reason is None:
        return wanted
    return instead_of_cache(
        f"The cache folder {wanted} {reason}; select another one with the environment variable SYMLIE_CACHE. A "
        "temporary one is used."
    )


def _reason_against(folder: Path) -> str | None:
    """Return the reason why a folder cannot be the cache, or None."""
    encoding = sys.getfilesystemencoding()
    try:
        str(folder).encode(encoding)
    except UnicodeEncodeError:
        return f"has characters that are not in the encoding {encoding}, so libraries in it cannot be loaded"
    try:
        make_private(folder)
        states = [path.stat() for path in (folder, *(folder / kind for kind in KINDS)) if path.exists()]
    except OSError as error:
        return f"cannot be created ({error.strerror})"
    if not folder.is_dir():
        return "is not a folder"
    user = user_number()
    if user is not None and any(state.st_uid != user for state in states):
        return "belongs to another user, whose programs would be run"
    if user is not None and any(state.st_mode & (stat.S_IWGRP | stat.S_IWOTH) for state in states):
        return "can be written by other users, whose programs would be run ('chmod -R go-w' makes it private)"
    return None if os.access(folder, os.W_OK) else "cannot be written"


def instead_of_cache(sentence: str) -> Path:
    """Return the private temporary folder of this process and warn once with the reason."""
    warn_once(sentence)
    return _temporary_folder(os.getpid())


@functools.cache
def warn_once(sentence: str) -> None:
    """Give a warning once per process."""
    warn(sentence)


@functools.cache
def _temporary_folder(process: int) -> Path:
    try:
        folder = Path(tempfile.mkdtemp(prefix="symlie-"))
    except OSError as error:
        raise CacheError(
            f"Neither the cache folder {cache_folder()} nor a temporary one can be used ({error.strerror}); select "
            "one with the environment variable SYMLIE_CACHE."
        ) from error

    def remove() -> None:
        if os.getpid() == process:  # not in a child process that inherited this handler
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


def make_private(folder: Path) -> None:
    """Make a folder and its missing parents with access for the user only, regardless of the umask."""
    missing = [folder] if not folder.exists() else []
    while missing and not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)
        path.chmod(0o700)


@contextlib.contextmanager
def workplace(root: Path, kind: str) -> Iterator[tuple[Path, Path]]:
    """Yield a temporary folder for a new entry, and the final folder on the same disk to which the entry is moved."""
    folder = root / kind
    make_private(folder)
    tidy(root)
    place = Path(tempfile.mkdtemp(dir=folder, prefix=_BUILD))
    try:
        yield place, folder
    finally:
        shutil.rmtree(place, ignore_errors=True)


def write_private(path: Path, text: str) -> None:
    """Create a file with access for the user only."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        path.chmod(0o600)
        file.write(text)


@dataclass(frozen=True)
class Entry:
    """Unit of removal: a library, a small file, or a folder of generated files."""

    path: Path
    files: int
    size: int
    """Size in bytes."""
    used: float
    """Time of last use, to a day, in s since 1970."""


def entries(root: Path) -> list[Entry]:
    """Return all entries of a cache, least recently used first."""
    found = []
    for kind in KINDS:
        for path in (root / kind).glob("*"):
            with contextlib.suppress(OSError):  # another process removed it
                files = [p.stat() for p in path.iterdir()] if path.is_dir() else [path.stat()]
                found.append(Entry(path, len(files), sum(s.st_size for s in files), path.stat().st_mtime))
    return sorted(found, key=lambda entry: entry.used)


def note_use(path: Path) -> None:
    """Record that an entry was used today."""
    now = time.time()
    with contextlib.suppress(OSError):
        if now - path.stat().st_mtime > _DAY:
            os.utime(path, (now, now))


def tidy(root: Path) -> None:
    """Remove abandoned build folders, long-unused entries, and the least recently used ones above the size limit."""
    now = time.time()
    kept = []
    for entry in entries(root):
        if entry.path.name.startswith(_BUILD):
            if now - entry.used > _DAY:
                _remove(entry.path)
        elif now - entry.used > LONGEST:
            _remove(entry.path)
        else:
            kept.append(entry)
    size = sum(entry.size for entry in kept)
    for entry in kept:
        if size <= LARGEST:
            break
        _remove(entry.path)
        size -= entry.size


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def clear_cache() -> None:
    """Delete all entries of this package from the cache folder, and no other files."""
    for kind in KINDS:
        shutil.rmtree(cache_folder() / kind, ignore_errors=True)
