"""The papers: their references, the list of their items, their pages, and what the command refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from symlie.cli import main
from symlie.papers.items import STATUSES
from symlie.papers.library import papers
from symlie.papers.pages import page

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "papers"

NAMES = ["tumiotto2024", "tumiotto2024a", "hante2022", "holzinger2024", "celledoni2022"]

ITEMS: dict[str, list[tuple[str, int | str, str]]] = {
    "tumiotto2024": [
        ("figure", 1, "corrected"),
        ("figure", 2, "corrected"),
        ("figure", 3, "corrected"),
        ("figure", 4, "corrected"),
        ("figure", 5, "corrected"),
        ("figure", 6, "corrected"),
        ("figure", 7, "schematic"),
        ("figure", 8, "schematic"),
        ("figure", 9, "reproduced"),
        ("figure", 10, "reproduced"),
        ("figure", 11, "reproduced"),
        ("figure", 12, "reproduced"),
        ("table", 1, "reproduced"),
        ("table", 2, "corrected"),
        ("table", 3, "reproduced"),
        ("claim", "quaternions", "refuted"),
        ("claim", "linear-drift", "refuted"),
        ("claim", "group-drift", "confirmed"),
        ("claim", "index-1", "confirmed"),
        ("claim", "embedded", "confirmed"),
        ("claim", "local-errors", "confirmed"),
        ("claim", "steps-at-rest", "confirmed"),
        ("claim", "ring", "refuted"),
    ],
    "tumiotto2024a": [
        ("figure", 1, "corrected"),
        ("figure", 2, "corrected"),
        ("claim", "rod-residuals", "confirmed"),
        ("claim", "direct-product", "refuted"),
        ("claim", "stiffness", "confirmed"),
        ("claim", "drift", "confirmed"),
    ],
    "hante2022": [
        ("figure", 1, "reproduced"),
        ("figure", 2, "reproduced"),
        ("figure", 3, "schematic"),
        ("figure", 4, "corrected"),
        ("figure", 5, "corrected"),
        ("figure", 6, "corrected"),
        ("figure", 7, "reproduced"),
        ("claim", "locking", "confirmed"),
        ("claim", "newton", "confirmed"),
        ("claim", "band", "confirmed"),
        ("claim", "lines", "confirmed"),
    ],
    "holzinger2024": [
        ("table", 1, "reproduced"),
        ("table", 2, "schematic"),
        ("table", 3, "reproduced"),
        ("table", 6, "corrected"),
        ("table", 8, "corrected"),
        ("figure", 2, "reproduced"),
        ("figure", 3, "reproduced"),
        ("figure", 4, "reproduced"),
        ("figure", 5, "reproduced in part"),
        ("table", 4, "reproduced in part"),
        ("figure", 6, "reproduced"),
        ("figure", 7, "reproduced in part"),
        ("figure", 8, "reproduced"),
        ("table", 5, "reproduced"),
        ("figure", 10, "corrected"),
        ("figure", 11, "corrected"),
        ("figure", 12, "corrected"),
        ("figure", 13, "corrected"),
        ("table", 7, "corrected"),
        ("figure", 15, "corrected"),
        ("figure", 16, "corrected"),
        ("figure", 17, "corrected"),
        ("table", 9, "reproduced"),
        ("figure", 19, "corrected"),
        ("table", 10, "reproduced"),
        ("figure", 20, "corrected"),
        ("figure", 21, "corrected"),
        ("claim", "minimal", "confirmed"),
        ("claim", "puma-tolerance", "refuted"),
        ("claim", "euler-parameters", "confirmed"),
        ("claim", "tangent", "confirmed"),
        ("claim", "se3", "confirmed"),
        ("claim", "scaling", "refuted"),
        ("claim", "angles-of-the-top", "not reproduced"),
        ("claim", "parameters-of-the-top", "not reproduced"),
        ("claim", "angles-of-the-rotor", "not reproduced"),
        ("claim", "largest-step", "confirmed"),
        ("claim", "precession", "confirmed"),
        ("claim", "small-steps", "refuted"),
        ("claim", "formulas", "refuted"),
        ("claim", "series", "refuted"),
        ("claim", "equations", "refuted"),
        ("figure", 1, "schematic"),
        ("figure", 9, "schematic"),
        ("figure", 14, "schematic"),
        ("figure", 18, "schematic"),
    ],
    "celledoni2022": [
        ("figure", 1, "schematic"),
        ("figure", 2, "corrected"),
        ("figure", 3, "corrected"),
        ("figure", 4, "schematic"),
        ("figure", 5, "corrected"),
        ("figure", 6, "corrected"),
        ("figure", 7, "corrected"),
        ("figure", 8, "corrected"),
        ("figure", 9, "reproduced"),
        ("figure", 10, "corrected"),
        ("figure", 11, "reproduced"),
        ("figure", 12, "schematic"),
        ("figure", 13, "reproduced"),
        ("figure", 14, "reproduced"),
        ("figure", 15, "reproduced"),
        ("figure", 16, "reproduced"),
        ("figure", 17, "reproduced"),
        ("figure", 18, "reproduced"),
        ("claim", "truncation", "confirmed"),
        ("claim", "adaptivity", "confirmed"),
        ("claim", "peak", "confirmed"),
        ("claim", "full-model", "confirmed"),
        ("claim", "exponentials", "confirmed"),
    ],
}
"""Items that are here, each typed anew."""


NUMBERED = {
    "tumiotto2024": (12, 3), "tumiotto2024a": (2, 0), "hante2022": (7, 0), "holzinger2024": (21, 10),
    "celledoni2022": (18, 0),
}  # fmt: skip
"""Figures and tables of each paper: they count from one without a gap."""


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_and_table_is_reproduced(name: str) -> None:
    for kind, last in zip(("figure", "table"), NUMBERED[name], strict=True):
        numbers = [number for k, number, _ in ITEMS[name] if k == kind]
        assert sorted(int(n) for n in numbers) == list(range(1, last + 1))


def words(name: str) -> str:
    """The reference of a paper in the bibliography, without line ends and asterisks."""
    text = (ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8")
    (entry,) = re.findall(rf"- \*\*\[{name}\]\*\* (.*?)(?=\n- |\n\n)", text, re.DOTALL)
    return " ".join(entry.replace("*", "").split())


@pytest.mark.parametrize("name", NAMES)
def test_references_match_the_bibliography(name: str) -> None:
    paper = papers()[name]
    assert paper.reference in words(paper.key).replace("\n", " ")
    assert (f"<https://doi.org/{paper.doi}>" in words(paper.key)) == bool(paper.doi)


def test_list_of_papers_is_complete(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["paper", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["papers"]
    assert list(found) == NAMES
    for name, items in ITEMS.items():
        assert [(i["kind"], i["number"], i["status"]) for i in found[name]["items"]] == items
    assert main(["paper"]) == 0
    assert "https://doi.org/10.1007/s11044-024-10002-8" in capsys.readouterr().out


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_items_are_well_formed(name: str, quick: bool) -> None:
    items = papers()[name].items(quick)
    assert len({item.name for item in items}) == len(items)
    for item in items:
        assert item.status in STATUSES[item.kind]
        assert item.text.endswith(".") and item.title
        assert (item.status == "schematic") == (not (item.panels or item.table or item.numbers))
        bounded = [n for n in item.numbers if n.least is not None or n.most is not None]
        assert bounded or item.status == "schematic", f"{item.name} asserts nothing"
    assert [i.name for i in items] == [i.name for i in papers()[name].items(not quick)]


@pytest.mark.parametrize("name", [name for name in NAMES if papers()[name].items(False)])
def test_pages_are_up_to_date(name: str) -> None:
    """Pages are what the command writes of their records, and recorded numbers hold."""
    paper, kept = papers()[name], (PAGES / f"{name}.json").read_text(encoding="utf-8")
    items = paper.items(False)
    assert (PAGES / f"{name}.md").read_text(encoding="utf-8") == page(paper, items, kept)
    for item, row in zip(items, json.loads(kept), strict=True):
        assert [n.label for n, v in zip(item.numbers, row["numbers"], strict=True) if not n.holds(float(v))] == []
        assert (PAGES / name / f"{item.file_name}.png").exists() == bool(item.panels)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["paper", "nobody1900"], "Unknown paper 'nobody1900'; the papers are tumiotto2024,"),
        (["paper", "tumiotto2024", "--figure", "77"], "Unknown figure 77 of tumiotto2024; figures "),
        (["paper", "tumiotto2024", "--table", "77"], "Unknown table 77 of tumiotto2024; "),
        (["paper", "--figure", "3"], "Specify the paper as well"),
        (["paper", "--all", "--data", "x.csv"], "--data writes the curves of one paper; specify the paper."),
        (["paper", "tumiotto2024", "--figure", "3", "--data", "x.txt"], "x.txt must end in .csv."),
        (["paper", "tumiotto2024", "--figure", "3", "--model", "missing.py"], "There is no model file missing.py"),
    ],
)
def test_invalid_input_is_rejected(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 1
    assert sentence in capsys.readouterr().err


def test_drawing_without_data_has_a_description(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["paper", "tumiotto2024", "--figure", "7"]) == 0
    assert "figure 7, schematic: a Cosserat rod\n  A drawing without data" in capsys.readouterr().out


def test_drawing_without_data_needs_no_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symlie.utilities.packages.importlib.util.find_spec", lambda name: None)
    assert main(["paper", "tumiotto2024", "--figure", "7"]) == 0


def test_figures_need_matplotlib(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("symlie.utilities.packages.importlib.util.find_spec", lambda name: None)
    assert main(["paper", "tumiotto2024", "--figure", "3"]) == 1
    assert "Drawing a figure of a paper needs matplotlib" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if papers()[name].items(True)])
def test_all_claims_of_a_paper_are_confirmed(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["paper", name, "--all", "--quick", "--out", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["failures"] == []
