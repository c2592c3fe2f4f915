"""Notices on the command line: one line each on stderr, whatever stdout holds."""

from __future__ import annotations

import warnings

import pytest

from symlie.cli.output import printed_notices
from symlie.notices import Notice, notify


def test_each_notice_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with printed_notices():
        for _ in range(2):
            notify("Energy grows.")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "symlie: note: Energy grows.\n" * 2)


def test_other_warnings_are_not_touched() -> None:
    with pytest.warns(DeprecationWarning, match="old") as given, printed_notices():
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert len(given) == 1
    with pytest.warns(Notice, match="after"):
        notify("after")
