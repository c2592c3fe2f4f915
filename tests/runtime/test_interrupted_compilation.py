"""Ctrl-C during the compilation of a library stops all processes and leaves no files."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from symlie.compile.compiler import find_compiler
from symlie.errors import InterruptedCompilationError
from tests.systems import heavy_top_equations


class Pipes:
    """Named pipes to a process and from it, without waiting for one that takes them."""

    def __init__(self, folder: Path) -> None:
        self.asked, self.answered = folder / "asked", folder / "answered"
        for path in (self.asked, self.answered):
            os.mkfifo(path)
        self._ask = os.open(self.asked, os.O_RDWR)
        self._answer = os.open(self.answered, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(self._answer, True)

    def answer(self) -> bytes:
        """What a process says that repeats what it reads: nothing, if none is there."""
        os.write(self._ask, b"?")
        return os.read(self._answer, 1)

    def close(self) -> None:
        """A process that exists reaches the end of its input."""
        os.close(self._ask)
        os.close(self._answer)


class SlowStart(subprocess.Popen[str]):
    """A process start that blocks until the process has written something."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        assert self.stderr is not None
        self.stderr.readline()


@pytest.mark.parametrize("moment", ["while it starts", "while it runs"])
def test_interrupted_compilation_stops_the_compiler(
    moment: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A compiler that sends Ctrl-C itself and has a child process: both end, and their files are removed."""
    pipes, script = Pipes(tmp_path), tmp_path / "mycc"
    monkeypatch.setenv("SYMLIE_CACHE", str(tmp_path / "cache"))
    if moment == "while it starts":
        monkeypatch.setattr(subprocess, "Popen", SlowStart)
    script.write_text(
        f'#!/bin/sh\nexec 3< "{pipes.asked}" 4> "{pipes.answered}"\ncat <&3 >&4 &\nkill -INT $PPID\necho >&2\nwait\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    find_compiler.cache_clear()
    try:
        with pytest.raises(InterruptedCompilationError, match="no files remain"):
            heavy_top_equations("S3").compile(backend="c")
        assert pipes.answer() == b""
    finally:
        find_compiler.cache_clear()
        signal.signal(signal.SIGINT, handler)
        pipes.close()
    assert not list((tmp_path / "cache" / "libraries").glob("*"))
