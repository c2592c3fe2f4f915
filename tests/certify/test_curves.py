"""Errors as functions of ω and their plot."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("flint")

from symlie.certify.curves import ErrorCurve, comparison
from symlie.errors import FormatError

JUST_ABOVE = (1e-4, 1.3e-4)


@pytest.fixture(scope="module")
def panels() -> dict[str, list[ErrorCurve]]:
    """c3 and c5, of which the papers print the first."""
    return comparison(["c3", "c5"], upper=1.0)


@pytest.mark.slow
def test_error_curves_are_computed(panels: dict[str, list[ErrorCurve]]) -> None:
    """Bounds exceed measured errors, the published pair fails just above its switch, and ours does not."""
    assert [[c.label for c in panel] for panel in panels.values()] == [
        ["switched pair as printed", "symlie"],
        ["symlie"],
    ]
    for curve in (c for panel in panels.values() for c in panel):
        assert np.all(curve.measured <= curve.proved) and np.all(np.isfinite(curve.proved))
        assert np.all(np.diff(curve.omega) > 0) and curve.omega[-1] < 1.0
    printed, ours = panels["c3"]
    worst = printed.omega[printed.measured.argmax()]
    assert JUST_ABOVE[0] < worst < JUST_ABOVE[1] and printed.measured.max() > 1e8
    assert printed.switches == pytest.approx((1e-4,)) and ours.switches == ()
    assert ours.proved.max() < 2


@pytest.mark.slow
def test_curves_of_other_papers_and_precisions_are_computed() -> None:
    (curves,) = comparison(["g0"], upper=math.pi, paper="holzinger2024").values()
    assert curves[0].label == "switched pair (holzinger2024)" and np.all(np.isfinite(curves[0].proved))
    (curves,) = comparison(["c3"], upper=1.0, precision="float").values()
    assert [c.label for c in curves] == ["symlie"] and curves[0].proved.max() < 2


def test_figure_is_drawn(panels: dict[str, list[ErrorCurve]], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from symlie.runtime.plot.error_figure import plot_errors

    figure = plot_errors(panels, tmp_path / "errors.png")
    assert (tmp_path / "errors.png").stat().st_size > 10_000
    assert [len(axes.lines) for axes in figure.axes] == [5, 2]
    with pytest.raises(FormatError, match="A figure can be written as"):
        plot_errors(panels, tmp_path / "errors.txt")


@pytest.mark.slow
@pytest.mark.parametrize("names", [["c3"], ["c3", "c5"]])
def test_legend_is_inside_the_figure(panels: dict[str, list[ErrorCurve]], names: list[str]) -> None:
    pytest.importorskip("matplotlib")
    from symlie.runtime.plot.error_figure import plot_errors

    figure = plot_errors({name: panels[name] for name in names})
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
