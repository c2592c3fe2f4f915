"""Items: studies run once, curves and numbers are read, bounds are checked, figures and files are written."""

from __future__ import annotations

import contextlib
import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d import Axes3D

import symlie as sl
from symlie.cli import main
from symlie.errors import FormatError
from symlie.papers import drawing, library
from symlie.papers.drawing import draw
from symlie.papers.formulations import Formulations
from symlie.papers.holzinger2024.compared import RELATIVE
from symlie.papers.items import Curve, Item, Number, Panel, Paper, Points, Table
from symlie.papers.measures import error, order, residuals
from symlie.papers.pages import lines_of, page, record, write_curves
from symlie.papers.running import compute, failed
from symlie.papers.studies import Adaptivity, AsManySteps, Case, Course, Ladder, Session
from symlie.runtime.plot.style import PALETTE

TOP = Case("heavy_top", (("group", "SO3xR3"),))
RUN = Course(TOP, 2.0**-5, "half_explicit_3", 2.0**-10)


@dataclass(frozen=True)
class Squares:
    """A study without a model."""

    count: int

    def run(self, session: Session) -> Points:
        """Numbers and their squares."""
        session.progress("squares")
        x = np.arange(1.0, self.count + 1)
        return x, x**2


def tiny(most: float = 16.0) -> Item:
    """A figure of squares."""
    squares = Squares(4)
    curve = Curve("all", squares, lambda found: found, marked=True)
    panel = Panel("squares", "number", "square", [curve], "loglog", [2])
    largest = Number("largest square", lambda found: found[1].max(), [squares], 16.0, most, printed="16")
    table = Table(["count"], lambda found: [[str(len(found[0]))]], [squares])
    return Item("figure", "1", "reproduced", "squares", "They grow.", [panel], table=table, numbers=[largest])


PAPER = Paper("tiny2024", "Tiny2024", "A. Tiny: On squares", "", lambda quick: [tiny()])


def test_claims_share_studies() -> None:
    labels: list[str] = []
    session = Session(progress=labels.append)
    results = [compute(tiny(), session), compute(replace(tiny(), number="2"), session)]
    assert labels == ["squares"]
    assert [r.numbers for r in results] == [(16.0,), (16.0,)]
    assert results[0].rows == (("4",),)
    assert not failed(results)


def test_failed_claims_are_named() -> None:
    result = compute(replace(tiny(), numbers=[*tiny(15.0).numbers]), Session())
    assert failed([result]) == ["figure 1: largest square is 16, not between 16 and 15."]
    assert "FAILED" in "\n".join(lines_of(result))
    unknown = compute(replace(tiny(), numbers=[Number("none", lambda found: np.nan, [Squares(4)], 0.0)]), Session())
    assert len(unknown.failures) == 1


@pytest.mark.slow
@pytest.mark.parametrize("scale", ["linear", "semilogy", "loglog"])
def test_figures_are_drawn(scale: str, tmp_path: Path) -> None:
    item = tiny()
    item = replace(item, panels=[replace(item.panels[0], scale=scale)] * 2)
    draw(compute(item, Session()), tmp_path / "one.png")
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")


def test_spatial_curves_are_drawn(tmp_path: Path) -> None:
    circle = Curve("circle", Squares(4), lambda found: (found[0], found[1], found[0]))
    item = replace(tiny(), panels=[Panel("circle", "x in m", "y in m", [circle], "space")])
    result = compute(item, Session())
    draw(result, tmp_path / "circle.svg")
    write_curves([result], tmp_path / "circle.csv")
    head, *rows = list(csv.reader((tmp_path / "circle.csv").read_text(encoding="utf-8").splitlines()))
    assert head == [f"figure 1, circle, circle, {axis}" for axis in "xyz"]
    assert [float(x) for x in rows[3]] == [4.0, 16.0, 4.0]


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """All figures that are drawn."""
    kept: list[Figure] = []
    original = drawing.figure_to_draw

    @contextlib.contextmanager
    def keeping(path: Path, size: tuple[float, float]) -> Iterator[Figure]:
        with original(path, size) as figure:
            kept.append(figure)
            yield figure
        figure.draw_without_rendering()  # at the resolution of the figure again

    monkeypatch.setattr(drawing, "figure_to_draw", keeping)
    return kept


def test_curves_in_a_plane_and_in_space_have_equal_scales(figures: list[Figure], tmp_path: Path) -> None:
    def ellipse(found: Points) -> Points:
        angle = np.linspace(0, 2 * np.pi, 9)
        return np.cos(angle), 5 * np.sin(angle)

    def helix(found: Points) -> Points:
        return (*ellipse(found), np.linspace(0, 3, 9))

    panels = [
        Panel("ellipse", "x in m", "y in m", [Curve("ellipse", Squares(4), ellipse)], "plane"),
        Panel("helix", "x in m", "y in m", [Curve("helix", Squares(4), helix)], "space", z="z in m"),
    ]
    draw(compute(replace(tiny(), panels=panels), Session()), tmp_path / "one.svg")
    plane, space = figures[0].axes
    origin, x, y = plane.transData.transform([(0, 0), (1, 0), (0, 1)])
    assert x[0] - origin[0] == pytest.approx(y[1] - origin[1])
    assert isinstance(space, Axes3D)
    extents = [np.ptp(limits) for limits in (space.get_xlim(), space.get_ylim(), space.get_zlim())]
    sides = space._box_aspect
    assert sides / sides[0] == pytest.approx(np.array(extents) / extents[0])


@pytest.mark.slow
def test_axis_labels_are_no_longer_than_their_axes(figures: list[Figure], tmp_path: Path) -> None:
    panel = replace(tiny().panels[0], y=RELATIVE)
    draw(compute(replace(tiny(), panels=[panel, panel]), Session()), tmp_path / "one.svg")
    for axes in figures[0].axes:
        label, box = axes.yaxis.label.get_window_extent(), axes.get_window_extent()
        assert box.y0 <= label.y0 and label.y1 <= box.y1
        assert figures[0].bbox.x0 <= label.x0


@pytest.mark.slow
def test_letters_and_legends_distinguish_several_panels_and_curves(figures: list[Figure], tmp_path: Path) -> None:
    panel = tiny().panels[0]
    several = replace(panel, curves=[panel.curves[0], replace(panel.curves[0], label="again")])
    for panels in ([panel], [panel, several]):
        draw(compute(replace(tiny(), panels=panels), Session()), tmp_path / "one.svg")
    one, two = figures
    assert [axes.get_title(loc="left") for axes in one.axes] == ["squares"] and not one.legends
    assert [axes.get_title(loc="left") for axes in two.axes] == ["(a) squares", "(b) squares"] and two.legends


@pytest.mark.slow
def test_isolated_points_have_no_line(tmp_path: Path) -> None:
    item = tiny()
    panel = item.panels[0]
    for scattered in (False, True):
        curve = replace(panel.curves[0], marked=False, scattered=scattered)
        draw(
            compute(replace(item, panels=[replace(panel, curves=[curve], slopes=())]), Session()), tmp_path / "one.svg"
        )
        (line,) = re.findall(r'<g id="line2d_\d+">\s*<path d="([^"]+)" clip-path[^/]*#0072b2', svg(tmp_path)) or [""]
        assert bool(line) != scattered


@pytest.mark.slow
def test_label_has_one_style_in_all_panels(tmp_path: Path) -> None:
    item = tiny()
    panel = item.panels[0]
    other = replace(panel, curves=[replace(panel.curves[0], label="other")])
    for panels, colours in (((panel, panel), {"#0072b2"}), ((panel, other), {"#0072b2", "#d55e00"})):
        draw(compute(replace(item, panels=panels), Session()), tmp_path / "one.svg")
        assert {colour.lower() for colour in PALETTE if colour.lower() in svg(tmp_path)} - {"#000000"} == colours


def svg(folder: Path) -> str:
    """The figure that was drawn."""
    return (folder / "one.svg").read_text(encoding="utf-8")


def test_pages_are_generated_from_records() -> None:
    items = PAPER.items(False)
    kept = record([compute(item, Session()) for item in items])
    text = page(PAPER, items, kept)
    assert "| largest square | 16 | exactly 16 | 16 |" in text
    assert "![squares](tiny2024/figure_1.png)" in text
    barred = replace(items[0], numbers=[replace(items[0].numbers[0], label="|x|")])
    assert r"| \|x\| | 16 | exactly 16 | 16 |" in page(PAPER, [barred], kept)
    with pytest.raises(FormatError, match="contains other items"):
        page(PAPER, [*items, replace(items[0], number="2")], kept)
    with pytest.raises(FormatError, match="contains other numbers"):
        page(PAPER, [replace(items[0], numbers=[])], kept)


def test_convergence_series_use_known_solutions() -> None:
    """Known solutions and a run of our own give the same errors."""
    ladder = Ladder(TOP, ("half_explicit_5",), (2.0**-10, 2.0**-11), 0.1, ("half_explicit_5", 2.0**-13))
    session = Session()
    assert session.known(TOP, 0.1) is not None and session.known(TOP, 0.2) is None
    known = ladder.run(session)
    assert set(known["half_explicit_5"][0].errors) == {"q", "rotation", "center_of_mass", "multipliers"}
    observed = order("half_explicit_5", "q")(known)
    assert 4.5 < observed < 5.5
    own = replace(ladder, stabilize="projection").run(session)["half_explicit_5"]
    assert "v" in own[0].errors
    assert np.allclose(error("half_explicit_5", "q")(known)[0], ladder.steps)


@pytest.mark.slow
def test_adaptive_steps_are_compared_with_equal_numbers_of_fixed_steps() -> None:
    chain = Case("pendulum_chain", (("links", 2),))
    adaptive = Course(chain, 0.5, "rkmk_dopri5", rtol=0.0, atol=1e-5, h0=0.01, controller="celledoni2022", trace=True)
    session = Session()
    run, fixed = adaptive.run(session), AsManySteps(adaptive).run(session)
    assert fixed.statistics.steps == run.statistics.accepted > 1
    one_length = 0.5 / fixed.statistics.steps
    assert np.allclose(np.diff(fixed.t), one_length) and not np.allclose(np.diff(run.t), one_length)
    (gain,) = Adaptivity((("two", adaptive),), "links", ("rkmk_rk67", 1e-3)).run(session).values()
    assert (gain.accepted, gain.rejected) == (run.statistics.accepted, run.statistics.rejected)
    assert gain.factor == gain.fixed / gain.adaptive > 0


def test_failed_runs_are_listed_in_the_table() -> None:
    wild = Ladder(TOP, ("half_explicit_2",), (0.5, 2.0**-10), 0.1, ("half_explicit_5", 2.0**-11))
    coarse, fine = wild.run(Session())["half_explicit_2"]
    assert coarse.failure and np.isnan(error("half_explicit_2", "q")({"half_explicit_2": [coarse]})[1][0])
    assert not fine.failure


OWN = '''"""A pendulum on a bar."""

import symlie as sl


def build(length: float = 2.0) -> sl.Model:
    """State it."""
    model = sl.Model("own")
    q = model.node("bob", sl.real_space(2))
    model.kinetic_energy(q.v.dot(q.v) / 2)
    model.potential_energy(9.81 * q.x[1])
    model.constraint("bar", q.x.dot(q.x) - length**2)
    model.initial(q, x=[length, 0])
    return model
'''


@pytest.mark.slow
def test_user_defined_models_are_supported(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN, encoding="utf-8")
    session = Session(str(file))
    solution = session.result(RUN)
    assert isinstance(solution, sl.Solution) and solution.system.name == "own"
    assert len(residuals(solution)[0])
    assert session.known(TOP, 0.1) is None
    wrong = replace(tiny(), numbers=[Number("one", lambda found: 1.0, [Squares(4)], 2.0)])
    assert compute(wrong, session).failures == []


def test_missing_formulations_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN.replace("    return model", '    model.output("bob", q.x)\n    return model'), encoding="utf-8")
    options = (("RV", (("coordinates", "lie"),)), ("long", (("length", 3.0),)), ("S3", (("group", "S3"),)))
    study = Formulations(Case("heavy_top"), options, "half_explicit_5", (0.01,), 0.1, "bob", ("half_explicit_5", 1e-3))
    found = study.run(Session(str(file)))
    assert [bool(rows[0].failure) for rows in found.values()] == [False, False, True]
    assert found["S3"][0].failure == f"{file} does not have the options of S3."
    assert found["RV"][0].error.outputs < 1e-6 < found["long"][0].error.outputs


@pytest.fixture
def tiny_paper(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A tiny paper that replaces all others, and the working folder of commands."""
    monkeypatch.setattr(library, "papers", lambda: {PAPER.name: PAPER})
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_command_runs_items(tiny_paper: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["paper", "tiny2024", "--figure", "1", "--data", "curves.csv"]) == 0
    assert "largest square: 16, must be exactly 16, printed 16" in capsys.readouterr().out
    assert {p.name for p in tiny_paper.iterdir()} == {"tiny2024_figure_1.png", "curves.csv"}
    assert main(["paper", "tiny2024", "--all", "--out", "all", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["papers"]["tiny2024"][0]["numbers"][0]["value"] == 16.0
    assert (tiny_paper / "all" / "tiny2024.md").exists() and (tiny_paper / "all" / "tiny2024" / "figure_1.png").exists()


@pytest.mark.slow
def test_command_reports_substituted_models(tiny_paper: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tiny_paper / "own.py").write_text(OWN, encoding="utf-8")
    assert main(["paper", "tiny2024", "--figure", "1", "--model", "own.py"]) == 0
    assert capsys.readouterr().out.startswith("With own.py instead of the models of tiny2024;")


def test_command_fails_if_a_number_fails(
    tiny_paper: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = replace(PAPER, items=lambda quick: [tiny(15.0)])
    monkeypatch.setattr(library, "papers", lambda: {PAPER.name: wrong})
    assert main(["paper", "tiny2024", "--all", "--json"]) == 1
    assert "largest square" in json.loads(capsys.readouterr().out)["failures"][0]
