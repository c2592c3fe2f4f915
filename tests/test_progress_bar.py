"""Progress on terminals, in notebooks and as lines, without a clock."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import threading
from types import ModuleType

import pytest

from symlie.utilities import progress_bar
from symlie.utilities.progress_bar import ProgressBar


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bars are drawn at each update, independent of the terminal of the tests."""
    monkeypatch.delitem(sys.modules, "ipykernel.kernelapp", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(progress_bar, "PATIENCE", 0.0)
    monkeypatch.setattr(progress_bar, "INTERVAL", 0.0)


def shown(stream: io.StringIO, plain: bool | None, total: float = 1.0) -> str:
    """Output of a piece of work on standard error."""
    with contextlib.redirect_stderr(stream), ProgressBar("members", total=total, plain=plain) as progress:
        for k in range(101):
            progress(total * k / 100, f"t = {k} s")
    return stream.getvalue()


@pytest.mark.parametrize("plain", [False, None])
def test_terminal_shows_a_bar(plain: bool | None) -> None:
    threads = threading.active_count()
    text = shown(Terminal(), plain)
    assert threading.active_count() == threads
    pictures = text.split("\r")
    assert any(re.fullmatch(r"members  50%\|.*\| \d\d:\d\d<\d\d:\d\d, t = 50 s *", picture) for picture in pictures)
    assert not pictures[-2].strip() and not pictures[-1], "it is taken away"
    assert "\n" not in text


def test_other_outputs_show_plain_lines_or_nothing() -> None:
    assert shown(io.StringIO(), False) == ""
    assert len(shown(io.StringIO(), None).splitlines()) == 11


@pytest.mark.parametrize("kind", [Terminal, io.StringIO])
@pytest.mark.parametrize("total", [1.0, 300])
def test_plain_lines_are_printed(kind: type[io.StringIO], total: float) -> None:
    """On request, also on a terminal; one for each tenth."""
    text = shown(kind(), True, total)
    lines = text.splitlines()
    assert len(lines) == 11 and "\r" not in text
    for k, line in enumerate(lines):
        assert re.fullmatch(rf"members: {10 * k}% after \d\d:\d\d, t = {10 * k} s", line)


def test_bar_is_hidden_before_its_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_bar, "PATIENCE", 1e9)
    assert shown(Terminal(), False) == ""


def test_bar_can_be_relabelled() -> None:
    stream = io.StringIO()
    with contextlib.redirect_stderr(stream), ProgressBar("one", plain=True) as progress:
        progress(1.0)
        progress.relabelled("two")(0.55)
        progress(0.56)
    assert re.sub(r"\d\d:\d\d", "T", stream.getvalue()) == "one: 100% after T\ntwo: 55% after T\n"


def test_notebooks_without_widgets_show_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel.kernelapp", ModuleType("kernelapp"))
    text = shown(io.StringIO(), None)
    assert "members  50%|" in text and "\n" not in text


def test_progress_bar_is_imported_lazily(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.std", None)
    assert shown(io.StringIO(), False) == ""
    with pytest.raises(ImportError):
        shown(Terminal(), False)
