"""Stages before a run (derivation, emission, compilation), with their durations and progress messages."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar

from symlie.utilities.progress_bar import is_notebook

PATIENCE = 1.0
"""Delay before a stage is shown on a terminal or in a notebook, in s."""

_DOING = {
    "build": "building", "derive": "deriving", "emit": "emitting", "compile": "compiling", "write": "writing out",
}  # fmt: skip

_ERASED = "\r\033[K"
"""Control sequence that erases the line on a terminal."""


class Stages:
    """Watched stages with exclusive durations in s, shown at once, never, or (None) interactively after a delay."""

    def __init__(self, shown: bool | None) -> None:
        self.seconds = dict.fromkeys(_DOING, 0.0)
        self._at_once = shown is True
        self._is_terminal = sys.stderr.isatty()
        self._shows = shown is not False and (self._at_once or self._is_terminal or is_notebook())
        self._stack: list[tuple[str, str]] = []
        self._since = 0.0
        self._timer: threading.Timer | None = None
        self._drawn = False

    def enter(self, kind: str, what: str) -> None:
        """Begin a stage."""
        self._account()
        self._stack.append((kind, what))
        self._announce()

    def leave(self) -> None:
        """End the innermost stage."""
        self._account()
        self._stack.pop()
        self._announce()

    def _account(self) -> None:
        now = time.perf_counter()
        if self._stack:
            self.seconds[self._stack[-1][0]] += now - self._since
        self._since = now

    def _announce(self) -> None:
        """Show the current stage, after a delay unless stages are shown at once."""
        if not self._shows:
            return
        self.close()
        if not self._stack:
            return
        kind, what = self._stack[-1]
        text = f"symlie: {_DOING[kind]} {what} …"
        if self._at_once:
            print(text, file=sys.stderr, flush=True)
            return
        self._timer = threading.Timer(PATIENCE, self._draw, (text,))
        self._timer.daemon = True
        self._timer.start()

    def _draw(self, text: str) -> None:
        start, end = (_ERASED, "") if self._is_terminal else ("", "\n")
        print(f"{start}{text}", end=end, file=sys.stderr, flush=True)
        self._drawn = self._is_terminal

    def close(self) -> None:
        """Erase the message."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()  # it may be drawing
        if self._drawn:
            print(_ERASED, end="", file=sys.stderr, flush=True)
        self._timer, self._drawn = None, False


_watching: ContextVar[tuple[Stages, ...]] = ContextVar("watching", default=())


@contextlib.contextmanager
def watched_stages(shown: bool | None = None) -> Iterator[Stages]:
    """Watch the stages within the block; the outermost of nested blocks shows them."""
    outer = _watching.get()
    stages = Stages(False if outer else shown)
    token = _watching.set((*outer, stages))
    try:
        yield stages
    finally:
        _watching.reset(token)
        stages.close()


@contextlib.contextmanager
def stage(kind: str, what: str) -> Iterator[None]:
    """Run the block as a stage: ``build``, ``derive``, ``emit``, ``compile`` or ``write``."""
    watching = _watching.get()
    for stages in watching:
        stages.enter(kind, what)
    try:
        yield
    finally:
        for stages in watching:
            stages.leave()
