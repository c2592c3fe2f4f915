"""Figures of fits: data, model and residuals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from symlie.runtime.plot.style import PALETTE, check_drawing, figure_to_draw

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from symlie.runtime.study.fit.result import Fit

WIDTH, ROW_HEIGHT = 7.2, 1.9
"""Width of the figure and height of a row of panels, in inches."""


def plot_fit(fit: Fit, path: str | Path | None) -> Figure:
    """Plot a fit; see `symlie.runtime.study.fit.result.Fit.plot`."""
    check_drawing(path)
    layout, residuals = fit.system.layout, fit.residuals
    names = list(dict.fromkeys(name for record in fit.data for name in record))
    rows = [(name, c) for name in names for c in range(layout.outputs[name][0].stop - layout.outputs[name][0].start)]
    with figure_to_draw(path, (WIDTH, 0.4 + ROW_HEIGHT * len(rows))) as figure:
        panels = figure.subplots(len(rows), 2, sharex=True, squeeze=False)
        for (name, c), (left, right) in zip(rows, panels, strict=True):
            unit, size = layout.outputs[name][1], layout.outputs[name][0]
            for k, (run, record, differences) in enumerate(zip(fit.results, fit.data, residuals, strict=True)):
                if name not in record:
                    continue
                color, label = PALETTE[k % len(PALETTE)], f" {k}" if len(fit.data) > 1 else ""
                model = run.outputs[name].reshape(record[name].shape)
                mark = "-" if len(run.t) > 1 else "x"
                left.plot(run.t, record[name][:, c], ".", color=color, markersize=3, label=f"data{label}")
                left.plot(run.t, model[:, c], mark, color="black", linewidth=0.7, label=f"model{label}")
                right.plot(run.t, differences[name][:, c], ".", color=color, markersize=3)
            right.axhline(0.0, color="black", linewidth=0.7)
            shown = name.replace("_", " ") + (f"[{c}]" if size.stop - size.start > 1 else "")
            left.set_ylabel(f"{shown} in {unit}" if unit and unit != "1" else shown)
            right.set_title("data - model")
        figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
        for axes in panels[-1]:
            axes.set_xlabel("$t$ in s")
    return figure
