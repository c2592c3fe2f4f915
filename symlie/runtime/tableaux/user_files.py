"""Methods and discrete Lagrangians in files of users."""

from __future__ import annotations

import runpy
import traceback
from pathlib import Path

from symlie.errors import FormatError, ModelError


def named_in_file(stated: str) -> object:
    """Load ``FILE.py:name``, a method or a discrete Lagrangian."""
    file, _, name = stated.rpartition(":")
    if not Path(file).is_file():
        raise FormatError(f"The file {file} of '{name}' does not exist.")
    try:
        module = runpy.run_path(file)
    except ModelError:
        raise
    except Exception as error:
        at = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
        where = f", line {at[-1]}," if at else ""
        raise ModelError(f"{file}{where} fails, where '{name}' is expected: {error!r}.") from error
    if name not in module:
        raise ModelError(
            f"{file} has no function '{name}'; a method is a function of s with @sl.method, and a discrete Lagrangian "
            "is a function of q0, q1 and h."
        )
    return module[name]
