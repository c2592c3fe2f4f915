"""Which of the user's own files a model was built from: modules it imported and data it read."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from symlie.paths import PACKAGE

_PACKAGE_FOLDERS = {"site-packages", "dist-packages"}
_SYSTEM_FOLDERS = ("/proc", "/sys", "/dev")

_opened: set[str] | None = None


@cache
def _foreign_folders() -> tuple[Path, ...]:
    standard = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))
    return (PACKAGE, *(Path(f).resolve() for f in (*standard, *_SYSTEM_FOLDERS)))


def is_local(file: str) -> bool:
    """Whether a file is the user's own: not of the standard library, an installed package, symlie or the system."""
    path = Path(file).resolve()
    if _PACKAGE_FOLDERS & set(path.parts) or any(path.is_relative_to(f) for f in _foreign_folders()):
        return False
    return path.is_file()


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _opened is not None and isinstance(arguments[0], str):
        flags = arguments[2]
        if not (isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)):
            _opened.add(arguments[0])


@cache
def _install_watch() -> None:
    # An audit hook can not be removed; it does nothing unless files are being recorded.
    sys.addaudithook(_watch)


@contextlib.contextmanager
def recorded_files(model: Path) -> Iterator[list[str]]:
    """Record the user's own files that are read inside of the block; the list is filled at its end.

    Modules beside the model that the block imported are forgotten, so that the next build reads them again.

    Parameters
    ----------
    model
        File of the model.
    """
    global _opened
    _install_watch()
    files: list[str] = []
    before = set(sys.modules)
    _opened = set()
    try:
        yield files
    finally:
        opened, _opened = _opened, None
        modules = {name: file for name, file in _local_modules().items() if name != "__main__"}
        sources = {_source(file) for file in opened}
        files += sorted({str(Path(f).resolve()) for f in (*modules.values(), *sources) if is_local(f)})
        for name, file in modules.items():
            if name not in before and Path(file).resolve().is_relative_to(model.parent):
                del sys.modules[name]


def _local_modules() -> dict[str, str]:
    files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
    return {name: file for name, file in files.items() if file is not None and is_local(file)}


def _source(file: str) -> str:
    """The source of a byte-code file, any other file itself."""
    if file.endswith(".pyc"):
        try:
            return importlib.util.source_from_cache(file)
        except (ValueError, NotImplementedError):
            return file  # byte code outside of __pycache__ is all there is
    return file
