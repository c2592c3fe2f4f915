"""Output of commands: one JSON object, aligned tables, progress and warnings on stderr."""

from __future__ import annotations

import contextlib
import json
import math
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from symlie.utilities.progress_bar import ProgressBar
from symlie.warnings import SymlieWarning

if TYPE_CHECKING:
    from symlie.runtime.integrate.progress import Done


def print_json(value: object) -> None:
    """Print one JSON object; numbers without a JSON representation become null."""
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
    """Print rows of text in aligned columns."""
    lines = [list(row) for row in rows]
    columns = max((len(line) for line in lines), default=0)
    widths = [max((len(line[k]) for line in lines if k + 1 < len(line)), default=0) for k in range(columns)]
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
        print((indent + "  ".join(cells)).rstrip())


def seconds(value: float) -> str:
    """Format a duration with a suitable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


@contextlib.contextmanager
def printed_warnings() -> Iterator[None]:
    """Print each warning as one line on stderr, replacing a progress bar if present."""
    with warnings.catch_warnings():
        others = warnings.showwarning
        warnings.simplefilter("always", SymlieWarning)

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, SymlieWarning):
                others(message, category, filename, lineno, file, line)
                return
            start = "\r\033[K" if sys.stderr.isatty() else ""
            print(f"{start}symlie: warning: {message}", file=sys.stderr, flush=True)

        warnings.showwarning = show
        yield


class Progress(ProgressBar):
    """Progress bar on stderr, with a callback for runs."""

    def of_run(self, done: Done) -> None:
        """Show the progress of a run: its time, step size and iterations per step."""
        iterations = f", {done.iterations:.3g} iterations per step" if done.iterations else ""
        self(done, f"t = {done.t:.6g} s, h = {done.h:.2g} s{iterations}")
