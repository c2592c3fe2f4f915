"""Records which tests reach mutations: marks in the code, and a plugin of pytest for the duration of tests.

The file that the environment variable ``SYMLIE_MARKS`` names contains lines ``mutation<TAB>test`` and
``seconds<TAB>test``, with a decimal point in seconds.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

_RECORDED: set[tuple[int, str]] = set()
_PHASE = re.compile(r" \((?:setup|call|teardown)\)$")


def _append(line: str) -> None:
    path = os.environ.get("SYMLIE_MARKS")
    if path is not None:
        with Path(path).open("a") as file:
            file.write(line + "\n")


def mark(number: int) -> None:
    """Record that the current test reaches a mutation."""
    test = _PHASE.sub("", os.environ.get("PYTEST_CURRENT_TEST", ""))
    if test and (number, test) not in _RECORDED:
        _RECORDED.add((number, test))
        _append(f"{number}\t{test}")


C_MARK = """#ifndef __cplusplus
{
    extern char *getenv(const char *);
    extern int open(const char *, int, ...);
    extern long write(int, const void *, unsigned long);
    extern int close(int);
    static unsigned mark_calls;
    static char mark_line[512] = "NUMBER\\t";
    if (mark_calls++ < 64 || mark_calls % 256 == 0) {
        const char *mark_test = getenv("PYTEST_CURRENT_TEST"), *mark_file = getenv("SYMLIE_MARKS");
        unsigned mark_from = sizeof "NUMBER", mark_new = 0, mark_k = 0;
        for (; mark_test && mark_file && mark_test[mark_k] && mark_from + mark_k < 510; mark_k++)
            if (mark_line[mark_from + mark_k] != mark_test[mark_k]) {
                mark_line[mark_from + mark_k] = mark_test[mark_k];
                mark_new = 1;
            }
        if (mark_new) {
            int mark_out = open(mark_file, 02101, 0644);
            mark_line[mark_from + mark_k] = 10;
            write(mark_out, mark_line, mark_from + mark_k + 1);
            close(mark_out);
        }
    }
}
#endif
"""
"""Mark at the start of a function in C; the environment is read in each of the first calls, and sometimes later."""


@pytest.hookimpl
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Record the duration of a test that passed."""
    if report.when == "call" and report.passed:
        _append(f"{max(report.duration, 1e-3):.3f}\t{report.nodeid}")
