"""Snapshots of rods."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest

import symlie as sl
from symlie.models import flying_spaghetti, roll_up
from symlie.runtime.plot.centre_line import SNAPSHOTS, Snapshots, snapshots, view_rows
from symlie.runtime.plot.drawn_rotations import continuous_rotation
from symlie.runtime.plot.figures import plot_solution
from symlie.runtime.plot.panels import panels
from symlie.runtime.solution.solution import Solution
from tests import tolerances
from tests.runtime.test_files import chain_solution

pytest.importorskip("matplotlib")


@functools.cache
def solution(model: str) -> Solution:
    """A short run in a plane or in space."""
    system = (roll_up if model == "roll_up" else flying_spaghetti).build(4, "kirchhoff").derive().compile()
    return sl.solve(system, 2, method="half_explicit_4", h=2**-7)


def drawn(model: str) -> Snapshots:
    """Snapshots of a short run."""
    lines = snapshots(solution(model))
    assert lines is not None
    return lines


@pytest.mark.slow
def test_snapshots_are_the_positions_of_joined_nodes() -> None:
    lines, whole = drawn("roll_up"), solution("roll_up")
    chosen = np.searchsorted(whole.t, lines.t)
    assert len(lines.t) == SNAPSHOTS
    assert (lines.t[0], lines.t[-1]) == (0, 2)
    np.testing.assert_array_equal(lines.x, whole.field("rod", "x")[chosen])
    assert lines.links.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]], "the element between the ends is no segment"
    assert lines.held.tolist() == [0]


def test_projections_follow_the_motion() -> None:
    assert drawn("roll_up").projections == [(0, 2)]
    assert drawn("flying_spaghetti").projections == [(0, 1), (0, 2)]
    flat = np.zeros((1, 2, 3))
    flat[0, 1] = [1, 4, 0]
    links = np.array([[0, 1]])
    nobody = np.zeros(0, dtype=int)
    assert Snapshots(np.zeros(1), flat, links, nobody).projections == [(1, 0)], "the long side lies"
    flat[0, 1] = [3, 4, 3]
    side_by_side = view_rows(Snapshots(np.zeros(1), flat, links, nobody))
    assert [row.projections for row in side_by_side] == [(), ((0, 1), (0, 2))]
    flat[0, 1] = [40, 4, 3]
    stacked = view_rows(Snapshots(np.zeros(1), flat, links, nobody))
    assert [row.projections for row in stacked] == [(), ((0, 1),), ((0, 2),)]


def test_bodies_have_no_centre_line() -> None:
    assert snapshots(chain_solution()) is None


@pytest.mark.slow
@pytest.mark.parametrize("model", ["roll_up", "flying_spaghetti"])
def test_figure_is_drawn(model: str) -> None:
    figure = plot_solution(solution(model))
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    views = len(drawn(model).projections)
    assert titles[0] == "", "the legend of times"
    assert all(title.endswith("snapshots of the centre line") for title in titles[1 : 1 + views])
    assert [title.partition(") ")[2] for title in titles[1 + views :]] == [
        "linear momentum",
        "angular momentum",
        "tip distance",
        "tip rotation",
        "multipliers of rod segment strain, largest of 4",
        "energy",
        "residuals of the constraints",
    ]
    texts = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert len(texts) == SNAPSHOTS
    assert texts[-1] == "$t = 2$ s"


@pytest.mark.slow
def test_single_time_can_be_plotted() -> None:
    whole = solution("roll_up")
    one = {name: getattr(whole, name)[:1] for name in ("t", "q", "v", "multipliers")}
    lines = snapshots(dataclasses.replace(whole, **one))
    assert lines is not None
    assert len(lines.t) == 1
    assert lines.projections == [(0, 1)]
    plot_solution(dataclasses.replace(whole, **one))


def test_multipliers_of_many_segments_are_drawn_by_the_largest() -> None:
    whole = solution("roll_up")
    panel = next(p for p in panels(whole) if p.title.startswith("multipliers"))
    values = whole.named_multipliers()["rod_segment_strain"]
    assert len(panel.series) == 2
    np.testing.assert_array_equal(panel.series[0].values, np.abs(values[:, :, 0]).max(axis=1))


@pytest.mark.parametrize("axis", [[1.0], [0.6, 0.0, -0.8]])
def test_rotations_do_not_jump(axis: list[float]) -> None:
    angles = np.concatenate([np.linspace(0, 15, 200), np.linspace(15, -9, 300)])
    principal = np.outer(np.remainder(angles + np.pi, 2 * np.pi) - np.pi, axis)
    assert np.abs(np.diff(principal, axis=0)).max() > 3
    assert continuous_rotation(principal) == pytest.approx(np.outer(angles, axis), abs=tolerances.WHOLE_TURNS)
