"""What commands print: one JSON object, aligned tables, progress and notices on stderr."""

from __future__ import annotations

import contextlib
import json
import math
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from symlie.notices import Notice
from symlie.progress_bar import ProgressBar

if TYPE_CHECKING:
    from symlie.runtime.integrate.progress import Done


def print_json(value: object) -> None:
    """Print one JSON object; numbers that JSON can not spell become null."""
    print(json.dumps(_spelled(value)))


def _spelled(value: object) -> object:
    if isinstance(value, dict):
        return {str(k): _spelled(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_spelled(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_table(rows: Iterable[Sequence[str]], indent: str = "  ") -> None:
    """Print rows of text in columns as wide as they need to be."""
    lines = [list(row) for row in rows]
    columns = max((len(line) for line in lines), default=0)
    widths = [max((len(line[k]) for line in lines if k + 1 < len(line)), default=0) for k in range(columns)]
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
        print((indent + "  ".join(cells)).rstrip())


def seconds(value: float) -> str:
    """A duration as people read it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


@contextlib.contextmanager
def printed_notices() -> Iterator[None]:
    """Print each notice as one line on stderr, in place of a progress bar that may be there."""
    with warnings.catch_warnings():
        others = warnings.showwarning
        warnings.simplefilter("always", Notice)

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, Notice):
                others(message, category, filename, lineno, file, line)
                return
            start = "\r\033[K" if sys.stderr.isatty() else ""
            print(f"{start}symlie: note: {message}", file=sys.stderr, flush=True)

        warnings.showwarning = show
        yield


class Progress(ProgressBar):
    """Progress of one piece of work on stderr, with what runs say of theirs."""

    def of_run(self, done: Done) -> None:
        """Show how far a run is, with its time, its last steps and their iterations."""
        iterations = f", {done.iterations:.3g} iterations per step" if done.iterations else ""
        self(done, f"t = {done.t:.6g} s, h = {done.h:.2g} s{iterations}")
