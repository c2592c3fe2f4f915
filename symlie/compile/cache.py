"""Two caches in the user's cache folder: generated models by statement, libraries by their whole text.

Entries are published by renaming a finished file or folder, so there are no locks and no half-written entries; two
processes that build the same entry both succeed. Each entry carries a checksum of its content; one that was damaged is
as good as none, and is made anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from symlie.compile.checksums import CHECKSUMS, changed_file, with_checksums
from symlie.compile.compiler import find_compiler, flags, processor_identity, run_compiler
from symlie.compile.reading import check_file_names
from symlie.errors import CacheError
from symlie.paths import cache_folder, template_folder

KINDS = ("models", "types", "tangents", "steps", "libraries")
"""Folders of the cache."""


def _private_folder(name: str) -> Path:
    folder = cache_folder() / name
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise CacheError(
            f"The cache folder {folder} can not be made ({error.strerror}); name another one in the environment "
            "variable SYMLIE_CACHE."
        ) from error
    if not os.access(folder, os.W_OK):
        raise CacheError(
            f"The cache folder {folder} can not be written; name another one in the environment variable SYMLIE_CACHE."
        )
    return folder


_own_entries: set[Path] | None = None
"""Where earlier entries do not count, those that this process has written since."""


@contextlib.contextmanager
def only_own_entries() -> Iterator[None]:
    """Inside of the block, entries from before do not count; what is needed is made anew, once."""
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
    """Hash of all text and everything else that determines a result."""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name}\0{len(files[name])}\0".encode())
        digest.update(files[name].encode())
    for identity in identities:
        digest.update(f"{identity}\0".encode())
    return digest.hexdigest()[:32]


KERNEL_HEADERS = ("primitives.h", "interface.h")
"""Headers that every model includes."""

OBSERVATION_HEADERS = ("status.h", "vectors.h", "method.h", "carried.h", "stages.h", "observe.h", "interpolate.h")
"""Headers that the library of a model includes besides those, with the algebra of the model."""

DRIVER_HEADERS = (
    "status.h", "vectors.h", "method.h", "carried.h", "stages.h", "projection.h", "trial.h", "drift.h",
    "event_samples.h", "step_interpolation.h", "events.h", "driver.h",
)  # fmt: skip
"""Headers that every time loop includes, besides the algebra of the model and the method."""


def included_headers(names: Iterable[str]) -> dict[str, str]:
    """Text of headers of the template folder."""
    folder = template_folder() / "c"
    return {name: (folder / name).read_text(encoding="utf-8") for name in names}


def compiled_library(files: Mapping[str, str], main: str, optimize: str) -> tuple[Path, bool]:
    """The shared library of some source text, compiled if it is not in the cache.

    Parameters
    ----------
    files
        Source files by name.
    main
        The file to compile.
    optimize
        Value of ``optimize``.

    Returns
    -------
    path
        The library.
    compiled
        Whether the compiler ran.

    Raises
    ------
    NoCompilerError
        There is no compiler.
    CompilerError
        It failed.
    """
    check_file_names([*files, main])
    compiler_flags = flags(optimize)
    identities = [find_compiler().identity, *compiler_flags, main]
    if "-march=native" in compiler_flags:
        identities.append(processor_identity())
    folder = _private_folder("libraries")
    key = text_key(files, identities)
    for known in sorted(folder.glob(f"{key}-*.so")):
        if _counts(known) and known.name == f"{key}-{_content(known)}.so":
            return known, False
    with tempfile.TemporaryDirectory(dir=folder, prefix="build-") as build:
        for name, text in files.items():
            Path(build, name).write_text(text, encoding="utf-8")
        output = Path(build, "library.so")
        run_compiler(Path(build, main), output, compiler_flags)
        library = folder / f"{key}-{_content(output)}.so"
        os.replace(output, library)
    _is_written(library)
    return library, True


def _content(library: Path) -> str:
    return hashlib.sha256(library.read_bytes()).hexdigest()[:16]


def published_files(kind: str, key: str) -> dict[str, str] | None:
    """Text by name of published generated files, if they are there as they were published."""
    entry = cache_folder() / kind / key
    if not _counts(entry):
        return None
    try:
        files = {p.name: p.read_text(encoding="utf-8") for p in sorted(entry.iterdir())}
    except (OSError, UnicodeDecodeError):
        return None
    if changed_file(files) is not None:
        return None
    del files[CHECKSUMS]
    return files


def publish_files(kind: str, key: str, files: Mapping[str, str]) -> Path:
    """Write generated files and publish them under a key at once."""
    parent = _private_folder(kind)
    target = parent / key
    temporary = Path(tempfile.mkdtemp(dir=parent, prefix="build-"))
    for name, text in with_checksums(files).items():
        (temporary / name).write_text(text, encoding="utf-8")
    try:
        os.replace(temporary, target)
    except OSError:
        # Another process published the same entry first; a damaged one is replaced.
        if published_files(kind, key) is None:
            shutil.rmtree(target, ignore_errors=True)
            os.replace(temporary, target)
        else:
            shutil.rmtree(temporary, ignore_errors=True)
    _is_written(target)
    return target


def published_text(kind: str, name: str) -> str | None:
    """A published small file, if it is there as it was published."""
    entry = cache_folder() / kind / name
    if not _counts(entry):
        return None
    try:
        digest, _, text = entry.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return text if digest == _digest(text) else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def publish_text(kind: str, name: str, text: str) -> None:
    """Publish a small file; an older one of this name is replaced at once."""
    folder = _private_folder(kind)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix="build-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f"{_digest(text)}\n{text}")
    os.replace(temporary, folder / name)
    _is_written(folder / name)


def cache_size() -> tuple[int, int]:
    """Number of files in the cache and their size in bytes."""
    files = [p for kind in KINDS for p in (cache_folder() / kind).rglob("*") if p.is_file()]
    return len(files), sum(p.stat().st_size for p in files)


def clear_cache() -> None:
    """Delete what this package keeps in the cache folder, and nothing else that may be there."""
    for kind in KINDS:
        shutil.rmtree(cache_folder() / kind, ignore_errors=True)
