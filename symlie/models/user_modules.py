"""Modules of the user's own that a model file imports."""

from __future__ import annotations

import contextlib
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from symlie.paths import PACKAGE

_PACKAGE_FOLDERS = {"site-packages", "dist-packages"}


@cache
def _foreign_folders() -> tuple[Path, ...]:
    return (PACKAGE, *(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")))


def is_local(file: str) -> bool:
    """Whether a file is the user's own: not of the standard library, an installed package or symlie."""
    path = Path(file).resolve()
    if _PACKAGE_FOLDERS & set(path.parts) or any(path.is_relative_to(f) for f in _foreign_folders()):
        return False
    return path.is_file()


@contextlib.contextmanager
def imported_files(model: Path) -> Iterator[list[str]]:
    """Files of the user's own modules that are imported inside of the block; the list is filled at its end.

    Modules beside the model that the block imported are forgotten, so that the next build reads them again.
    """
    files: list[str] = []
    before = set(sys.modules)
    try:
        yield files
    finally:
        modules = {name: file for name, file in _local_modules().items() if name != "__main__"}
        files += sorted({str(Path(file).resolve()) for file in modules.values()})
        for name, file in modules.items():
            if name not in before and Path(file).resolve().is_relative_to(model.parent):
                del sys.modules[name]


def _local_modules() -> dict[str, str]:
    files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
    return {name: file for name, file in files.items() if file is not None and is_local(file)}
