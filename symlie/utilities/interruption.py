"""Handling of Ctrl-C at safe points only: between steps, and not while a process starts."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Self


class DeferredInterrupt:
    """Context that defers Ctrl-C until `check`; a second Ctrl-C is raised immediately.

    The context has no effect outside of the main thread and in programs that handle the signal themselves.
    """

    def __init__(self) -> None:
        self._asked = False
        self._previous: Callable[[int, FrameType | None], object] | int | None = None

    def __enter__(self) -> Self:
        is_ours = threading.current_thread() is threading.main_thread()
        if is_ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._previous = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)
        if kind is None:
            self.check()

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True

    def check(self) -> None:
        """Raise KeyboardInterrupt if Ctrl-C was recorded."""
        if self._asked:
            self._asked = False
            raise KeyboardInterrupt
