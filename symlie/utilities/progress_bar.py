"""Progress of long computations on stderr with tqdm: a bar on a terminal or in a notebook, or plain lines."""

from __future__ import annotations

import math
import sys
import warnings
from types import TracebackType
from typing import Protocol, Self, TextIO

PATIENCE = 0.5
"""Delay before a bar appears, in s."""

INTERVAL = 0.1
"""Time between two updates of the bar, in s."""

_LINES = 10
"""Number of plain lines for a complete computation."""

_BAR = "{desc} {percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}"
_LINE = "{desc}: {percentage:.0f}% after {elapsed}{postfix}"


def is_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    # Programs that start notebooks also import ipykernel, but not its application.
    return "ipykernel.kernelapp" in sys.modules


class ProgressBar:
    """Progress of one computation: lines if ``plain``, a bar in a terminal or notebook if not, or (None) a bar or else
    lines."""

    def __init__(self, label: str, *, total: float = 1.0, plain: bool | None = False) -> None:
        has_bar = not plain and (sys.stderr.isatty() or is_notebook())
        self._has_lines = plain is True or (plain is None and not has_bar)
        self._total = total
        self._part = -1
        self._bar = self._opened(label) if has_bar or self._has_lines else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.close()

    def relabelled(self, label: str) -> Self:
        """Restart the display with another label."""
        if self._bar is not None:
            self._bar.close()
            self._part, self._bar = -1, self._opened(label)
        return self

    def __call__(self, done: float, further: str = "") -> None:
        """Show the progress, between 0 and the total, with additional text."""
        if self._bar is None:
            return
        self._bar.set_postfix_str(further, refresh=False)
        if not self._has_lines:
            self._bar.update(done - self._bar.n)
        elif (part := math.floor(_LINES * done / self._total)) > self._part:
            self._bar.n, self._part = done, part
            self._bar.refresh()

    def _opened(self, label: str) -> _Bar:
        options: dict[str, object] = {"desc": label, "total": self._total, "leave": False, "dynamic_ncols": True}
        if self._has_lines:
            options |= {"file": _Lines(sys.stderr), "bar_format": _LINE, "delay": math.inf}
        else:
            options |= {"file": sys.stderr, "bar_format": _BAR, "delay": PATIENCE}
            options |= {"mininterval": INTERVAL, "miniters": 0}
        bar: _Bar = _tqdm(widgets=is_notebook() and not self._has_lines)(**options)
        return bar


class _Bar(Protocol):
    """Interface of the tqdm class."""

    n: float
    """Progress."""

    def set_postfix_str(self, s: str, *, refresh: bool) -> None: ...

    def update(self, n: float) -> None: ...

    def refresh(self) -> None: ...

    def close(self) -> None: ...


class _Lines:
    """Stream that prints each tqdm update on a separate line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        if text := text.strip():
            print(text, file=self._stream, flush=True)

    def flush(self) -> None:
        self._stream.flush()


def _tqdm(*, widgets: bool) -> type:
    """Return the tqdm class without its monitor thread, which is unnecessary because updates draw the bar."""
    if widgets:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # without ipywidgets it draws text
            from tqdm.autonotebook import tqdm
    else:
        from tqdm.std import tqdm
    return type("Bar", (tqdm,), {"monitor_interval": 0})
