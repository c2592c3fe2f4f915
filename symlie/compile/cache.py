"""Two caches in the user's cache folder: generated models by model definition, and libraries by complete source text.

Entries are published by renaming a finished file or folder, without locks and half-written entries; two processes that
build the same entry both succeed. Each entry carries a checksum of its content; a damaged entry is ignored and rebuilt.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from symlie.compile.cache_folder import cache_root, instead_of_cache, note_use, warn_once, workplace, write_private
from symlie.compile.checksums import CHECKSUMS, changed_file, with_checksums
from symlie.compile.compiler import LIBRARY_SUFFIX, find_compiler, flags, processor_identity, run_compiler
from symlie.errors import CacheError, CompilerError
from symlie.utilities.reading import check_file_names

_LIBRARIES = "libraries"

_ROOM = 2**20
"""Free bytes of a disk above which a failed compilation is not due to a full disk."""

_own_entries: set[Path] | None = None
"""Entries that this process has written, if earlier ones are ignored."""


@contextlib.contextmanager
def only_own_entries() -> Iterator[None]:
    """Ignore earlier entries inside the block; required ones are rebuilt once."""
    global _own_entries
    before, _own_entries = _own_entries, set()
    try:
        yield
    finally:
        _own_entries = before


def _counts(entry: Path) -> bool:
    return _own_entries is None or entry in _own_entries


def _is_written(entry: Path) -> None:
    if _own_entries is not None:
        _own_entries.add(entry)


def text_key(files: Mapping[str, str], identities: Iterable[str]) -> str:
    """Return the hash of the texts and other data that determine a result."""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name}\0{len(files[name])}\0".encode())
        digest.update(files[name].encode())
    for identity in identities:
        digest.update(f"{identity}\0".encode())
    return digest.hexdigest()[:32]


def compiled_library(
    files: Mapping[str, str], main: str, optimize: str, *, takes_steps: bool = False, is_cpp: bool = False
) -> tuple[Path, bool]:
    """Return the shared library of the source file ``main``, compiled unless it is cached, and whether the compiler
    ran."""
    check_file_names([*files, main])
    compiler_flags = flags(optimize, takes_steps=takes_steps, is_cpp=is_cpp)
    identities = [find_compiler().identity, *compiler_flags, main]
    if "-march=native" in compiler_flags:
        identities.append(processor_identity())
    key = text_key(files, identities)
    root = cache_root()
    known = _known_library(root, key)
    if known is not None:
        return known, False
    try:
        return _new_library(root, key, files, main, compiler_flags), True
    except (OSError, CompilerError) as error:
        reason = _reason(error, root)
        if reason is None:
            raise
        other = instead_of_cache(f"The cache folder {root} cannot be written ({reason}); a temporary one is used.")
    known = _known_library(other, key)
    if known is not None:
        return known, False
    try:
        return _new_library(other, key, files, main, compiler_flags), True
    except (OSError, CompilerError) as error:
        reason = _reason(error, other)
        if reason is None:
            raise
        raise CacheError(
            f"Neither the cache folder {root} nor a temporary one can store the files of a compilation ({reason}): "
            "free disk space, raise the limit of 'ulimit -f', or use the NumPy backend."
        ) from error


def _reason(error: OSError | CompilerError, root: Path) -> str | None:
    """Return why the disk cannot store the files of a compilation; None if the compiler failed for another reason."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return None if _has_room(root) else "no space left, or a limit on the size of files"


def _known_library(root: Path, key: str) -> Path | None:
    for known in sorted((root / _LIBRARIES).glob(f"{key}-*{LIBRARY_SUFFIX}")):
        if _counts(known) and known.name == f"{key}-{_content(known)}{LIBRARY_SUFFIX}":
            note_use(known)
            return known
    return None


def _new_library(root: Path, key: str, files: Mapping[str, str], main: str, compiler_flags: tuple[str, ...]) -> Path:
    with workplace(root, _LIBRARIES) as (build, folder):
        for name, text in files.items():
            write_private(build / name, text)
        output = build / f"library{LIBRARY_SUFFIX}"
        run_compiler(build / main, output, compiler_flags)
        output.chmod(0o600)
        library = folder / f"{key}-{_content(output)}{LIBRARY_SUFFIX}"
        os.replace(output, library)
    _is_written(library)
    return library


def _has_room(root: Path) -> bool:
    """Return whether a disk has free space, because compilers report a full disk in different ways."""
    try:
        with tempfile.TemporaryFile(dir=root) as file:
            file.write(bytes(_ROOM))
    except OSError:
        return False
    return True


def _content(library: Path) -> str:
    return hashlib.sha256(library.read_bytes()).hexdigest()[:16]


def published_files(kind: str, key: str) -> dict[str, str] | None:
    """Return published generated files by name if they exist undamaged."""
    entry = cache_root() / kind / key
    if not _counts(entry):
        return None
    try:
        files = {p.name: p.read_text(encoding="utf-8") for p in sorted(entry.iterdir())}
    except (OSError, UnicodeDecodeError):
        return None
    if changed_file(files) is not None:
        return None
    note_use(entry)
    del files[CHECKSUMS]
    return files


def publish_files(kind: str, key: str, files: Mapping[str, str]) -> None:
    """Write generated files and publish them atomically under a key; warn if that is impossible."""
    check_file_names(files)

    def make(build: Path, folder: Path) -> Path:
        made, target = build / "entry", folder / key
        made.mkdir(mode=0o700)
        for name, text in with_checksums(files).items():
            write_private(made / name, text)
        try:
            os.replace(made, target)
        except OSError:
            # Another process published the same entry first; a damaged one is replaced.
            if published_files(kind, key) is None:
                shutil.rmtree(target, ignore_errors=True)
                os.replace(made, target)
        return target

    _publish(kind, make)


def published_text(kind: str, name: str) -> str | None:
    """Return a published small file if it exists undamaged."""
    entry = cache_root() / kind / name
    if not _counts(entry):
        return None
    try:
        digest, _, text = entry.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    if digest != _digest(text):
        return None
    note_use(entry)
    return text


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def publish_text(kind: str, name: str, text: str) -> None:
    """Publish a small file, replacing an older one of this name atomically."""
    check_file_names([name])

    def make(build: Path, folder: Path) -> Path:
        write_private(build / name, f"{_digest(text)}\n{text}")
        os.replace(build / name, folder / name)
        return folder / name

    _publish(kind, make)


def _publish(kind: str, make: Callable[[Path, Path], Path]) -> None:
    """Create an entry in a `workplace`; a full or read-only disk does not stop a run."""
    root = cache_root()
    try:
        with workplace(root, kind) as (build, folder):
            _is_written(make(build, folder))
    except OSError as error:
        warn_once(f"The cache folder {root} cannot be written ({error.strerror}); the run continues without it.")
