"""``symlie view`` and ``symlie run --view``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Outcome

Cli = Callable[..., Outcome]

RUN = ("run", "heavy_top", "-o", "group=SE3", "--h", "0.01", "--t-end", "0.1", "--backend", "numpy")


def test_new_and_saved_runs_are_drawn(cli: Cli) -> None:
    first = cli(*RUN, "--view", "top.html", "--out", "top.nc")
    assert first.code == 0 and "wrote top.html" in first.out
    page = Path("top.html").read_bytes()
    shown = cli("view", "top.nc", "--trust")
    assert shown.code == 0 and "top.nc: 11 states drawn" in shown.out and "wrote top.html" in shown.out
    assert Path("top.html").read_bytes() == page
    both = cli("view", "top.nc", "top.nc", "--html", "both.html", "--json")
    assert both.json["html"] == "both.html" and both.json["bytes"] == Path("both.html").stat().st_size
    assert [s["frames"] for s in both.json["solutions"]] == [11, 11]


def test_files_that_cannot_be_viewed_are_rejected(cli: Cli) -> None:
    Path("text.nc").write_text("no solution")
    for words, sentence in (
        (("view", "none.nc"), "The file none.nc does not exist"),
        (("view", "text.nc"), "text.nc is not a solution of symlie"),
        (("view", "text.nc", "--html", "page.png"), "page.png must end in .html"),
        (("view", "text.nc", "--html", "nowhere/page.html"), "The folder nowhere does not exist"),
        ((*RUN, "--view", "page.pdf"), "page.pdf must end in .html"),
    ):
        outcome = cli(*words)
        assert outcome.code == 1 and sentence in outcome.err and outcome.err.count("\n") == 1, outcome.err
