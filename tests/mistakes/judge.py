"""Run an impossible command in this process, with a limit on processor time, and check that it reports the mistake."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import signal
import tempfile
import traceback
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

from symlie.cli import main
from tests.mistakes.case import Case

LIMIT = 10.0
"""Seconds of processor time that a mistake may take."""

MOST_LINES, MOST_CHARACTERS = 6, 900
"""Size of a message."""

WRITES = ("--out", "--plot", "--plot-steps", "--plot-work", "--checkpoint", "--certificate")
"""Options that name what a command writes."""


class EndlessError(BaseException):
    """The limit was reached."""


def judge(case: Case, *, fails: bool = False) -> str | None:
    """The problem with the outcome of a command, which must not succeed if it ``fails``; None if all is well."""
    with tempfile.TemporaryDirectory(prefix="symlie-mistake-") as above:
        folder = Path(above, "a", "b")
        folder.mkdir(parents=True)
        case.lay_out(folder)
        with contextlib.chdir(folder):
            return _judged(case.words, fails=fails)


def _judged(words: Sequence[str], *, fails: bool) -> str | None:
    out, err = io.StringIO(), io.StringIO()
    raised = ""
    code: object = None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("default")
        with limited() as reached:
            try:
                code = main(list(words))
            except SystemExit as end:
                code = end.code
            except EndlessError:
                pass
            except BaseException:
                raised = traceback.format_exc()
    if reached:
        return f"no end within {LIMIT:g} s"
    if raised:
        return f"raw exception:\n{raised}"
    if code == 0 and "--help" in words:
        return None
    if code == 0 and fails:
        return "exit 0"
    if code == 0:
        return _without_result(words, out.getvalue())
    return _bad_message(words, out.getvalue(), err.getvalue())


@contextlib.contextmanager
def limited() -> Iterator[list[bool]]:
    """Raise `EndlessError` after the limit; the list is no longer empty then, whoever catches the exception."""
    reached: list[bool] = []

    def end(number: int, frame: FrameType | None) -> None:
        reached.append(True)
        raise EndlessError

    previous = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, LIMIT, 1.0)
    try:
        yield reached
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


def _without_result(words: Sequence[str], out: str) -> str | None:
    for option, value in itertools.pairwise(words):
        if option in WRITES and not (value and os.path.exists(value)):
            return f"exit 0, but {option} {value!r} was not written"
    return None if out.strip() else "exit 0 without a word"


def _bad_message(words: Sequence[str], out: str, err: str) -> str | None:
    message = err
    if not message.strip() and "--json" in words:
        try:
            message = json.loads(out)["message"]
        except (ValueError, KeyError, TypeError):
            return f"no JSON object with a message: {out[:200]!r}"
    shown = f"{message[:300]!r} … {message[-100:]!r}" if len(message) > 400 else repr(message)
    for bad in ("Traceback (most recent", "Unexpected "):
        if bad in message:
            return f"{bad.strip()} in {shown}"
    if not message.strip():
        return "failed without a message"
    if len(message.splitlines()) > MOST_LINES or len(message) > MOST_CHARACTERS:
        return f"a message of {len(message.splitlines())} lines and {len(message)} characters: {shown}"
    return None
