"""Modules of the user that a model file imports."""

from __future__ import annotations

import contextlib
import os
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from symlie.utilities.paths import PACKAGE

_PACKAGE_FOLDERS = {"site-packages", "dist-packages"}


@cache
def _foreign_folders() -> tuple[Path, ...]:
    return (PACKAGE, *(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")))


@cache
def _is_foreign(file: str) -> bool:
    path = Path(file).resolve()
    return bool(_PACKAGE_FOLDERS & set(path.parts)) or any(path.is_relative_to(f) for f in _foreign_folders())


def is_local(file: str) -> bool:
    """Return whether a file belongs to the user: not to the standard library, an installed package or symlie."""
    path = os.path.abspath(file)
    return not _is_foreign(path) and os.path.isfile(path)


@contextlib.contextmanager
def imported_files(model: Path) -> Iterator[list[str]]:
    """Yield a list that receives the files of the imported user modules when the block ends."""
    files: list[str] = []
    before = set(sys.modules)
    try:
        yield files
    finally:
        modules = {name: file for name, file in _local_modules().items() if name != "__main__"}
        files += sorted({str(Path(file).resolve()) for file in modules.values()})
        for name, file in modules.items():
            # The next build must read local modules again.
            if name not in before and Path(file).resolve().is_relative_to(model.parent):
                del sys.modules[name]


def _local_modules() -> dict[str, str]:
    files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
    return {name: file for name, file in files.items() if file is not None and is_local(file)}
