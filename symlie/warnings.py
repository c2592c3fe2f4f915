"""Warnings about results that are available but may be unexpected.

Results that cannot be computed raise an exception of `symlie.errors`. Notices are warnings, so programs can silence
them, count them, or turn them into exceptions; the command line prints each one on a line.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

_PACKAGE = str(Path(__file__).parent)


class SymlieWarning(UserWarning):
    """Warning that a result may not be the expected one, although nothing failed."""


def warn(sentence: str) -> None:
    """Issue a `SymlieWarning` at the calling line outside of symlie."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, SymlieWarning, stacklevel=level)
