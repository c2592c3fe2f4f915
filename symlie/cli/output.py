"""What commands print: one JSON object, aligned tables, progress and notices on stderr."""

from __future__ import annotations

import contextlib
import json
import math
import shutil
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from symlie.notices import Notice

if TYPE_CHECKING:
    from symlie.runtime.integrate.progress import Done

PATIENCE = 0.5
"""Seconds after which work shows its progress."""

_BAR, _SHORT_BAR = 30, 10
_PLAIN_STEP = 0.1


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


class Progress:
    """Progress of one piece of work on stderr: a bar on a terminal, plain lines where they are asked for.

    Parameters
    ----------
    label
        What is being done.
    plain
        Print lines, also where stderr is not a terminal.
    """

    def __init__(self, label: str, *, plain: bool = False) -> None:
        self.label = label
        self._plain = plain
        self._bar = not plain and sys.stderr.isatty()
        self._start = time.perf_counter()
        self._shown = -1.0
        self._drawn = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._drawn:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def relabelled(self, label: str) -> Self:
        """The same place on the screen for the next piece of work."""
        self.label, self._shown, self._start = label, -1.0, time.perf_counter()
        return self

    def __call__(self, fraction: float) -> None:
        """Show the fraction that is done, between 0 and 1."""
        self._show(fraction, "")

    def of_run(self, done: Done) -> None:
        """Show how far a run is, with its time, its last steps and their iterations."""
        iterations = f", {done.iterations:.3g} iterations per step" if done.iterations else ""
        self._show(done, f", t = {done.t:.6g} s, h = {done.h:.2g} s{iterations}")

    def _show(self, fraction: float, further: str) -> None:
        elapsed = time.perf_counter() - self._start
        left = seconds(elapsed * (1 - fraction) / fraction) if fraction > 0 else "?"
        if self._bar and elapsed > PATIENCE:
            length = _SHORT_BAR if further else _BAR
            bar = ("#" * round(length * fraction)).ljust(length, ".")
            text = f"{self.label} [{bar}] {fraction:4.0%}, {left} left{further}"
            # A line that is broken by the terminal can not be erased.
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\033[K{text[:width]}", end="", file=sys.stderr, flush=True)
            self._drawn = True
        elif self._plain and (fraction >= self._shown + _PLAIN_STEP or (fraction >= 1 > self._shown)):
            print(f"{self.label}: {fraction:.0%} after {seconds(elapsed)}{further}", file=sys.stderr, flush=True)
            self._shown = fraction
