"""Notices: what a user should know of a result that is there nevertheless.

A result that can not be given is an exception of `symlie.errors`. Notices are warnings, so that programs can silence
them, count them, or turn them into exceptions; the command line prints each as one line.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

_PACKAGE = str(Path(__file__).parent)


class Notice(UserWarning):
    """Something may not be as its user expects, although nothing failed."""


def notify(sentence: str) -> None:
    """Warn with a `Notice` that points to the line outside of symlie that asked for the work."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, Notice, stacklevel=level)
