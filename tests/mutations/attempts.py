"""Test runs in copies of this process, which has loaded large packages but not symlie."""

from __future__ import annotations

import gc
import importlib
import os
import re
import resource
import signal
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest

_PACKAGES = (
    "cffi",
    "jinja2",
    "mpmath",
    "numpy",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.sparse.linalg",
    "sympy",
)
_ARGUMENTS = ("-x", "-q", "--tb=line", "-p", "no:cacheprovider", "-p", "no:xdist")
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+.*?)(?: - (.*))?$", re.MULTILINE)

FIXED, FACTOR = 30, 2
"""Seconds of processor time beyond a multiple of the allowance, after which a test is considered endless."""

_PATIENCE = 30
"""Ratio of time to processor time, after which tests are considered to wait."""

_USED = "the processor time is used"

_POLL = 0.02
"""Time in s between looks at running tests."""


@dataclass(frozen=True)
class Failure:
    """First test that failed; ``time`` if tests did not end, ``crash`` or ``start`` without the name of a test."""

    by: str
    message: str


class _Allowance:
    """Plugin of pytest that starts no further tests after some processor time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self) -> None:
        """Stop after a test."""
        if sum(os.times()[:4]) > self.seconds and self.session.testsfailed == 0:
            self.session.shouldstop = _USED

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Remember the session."""
        self.session = session


def _limit(seconds: float) -> int:
    return round(FIXED + FACTOR * seconds)


def load_packages() -> None:
    """Load packages that all tests use."""
    for name in _PACKAGES:
        importlib.import_module(name)
    gc.freeze()


def first_failure(
    root: Path, environment: Mapping[str, str], tests: Sequence[str], seconds: float, log: Path
) -> Failure | None:
    """Run tests of a copy of the repository until one fails; return None if all pass.

    Parameters
    ----------
    root
        Folder of the copy.
    environment
        Environment variables of the tests.
    tests
        Names of tests or of their files, and options of pytest.
    seconds
        Processor time in s after which no further test starts.
    log
        File for the messages of the tests.
    """
    limit = _limit(seconds)
    process = os.fork()
    if process == 0:
        _run(root, environment, tests, seconds, log)
    status = _status(process, time.monotonic() + _PATIENCE * limit)
    said = log.read_text(errors="replace")
    if status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) or _USED in said:
        return None
    if status is None or -status in (signal.SIGXCPU, signal.SIGKILL):
        return Failure("time", "")
    if status < 0:
        return Failure("crash", said[-200:])
    failed = _FAILED.search(said)
    return Failure(failed[1], (failed[2] or "")[:200]) if failed else Failure("start", said[-300:])


def _status(process: int, latest: float) -> int | None:
    """Return the exit code of a process; stop it, and its children, and return None at a time."""
    while time.monotonic() < latest:
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(_POLL)
    os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return None


def _run(root: Path, environment: Mapping[str, str], tests: Sequence[str], seconds: float, log: Path) -> NoReturn:
    """Run tests in this process, which has just been forked, and end it."""
    code = 1
    try:
        os.setsid()
        limit = _limit(seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        sys.stdout = sys.stderr = file = log.open("w")
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        os.chdir(root)
        os.environ.clear()
        os.environ.update(environment)
        for name in [n for n in sys.modules if n.partition(".")[0] in ("tests", "symlie")]:
            del sys.modules[name]
        sys.path.insert(0, str(root))
        code = int(pytest.main([*_ARGUMENTS, *tests], plugins=[_Allowance(seconds)]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)
