"""Log–log pictures of convergence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from symlie.runtime.convergence import ConvergenceRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PANELS = {
    "q": "‖log(q_ref⁻¹∘q)‖",
    "v": "‖v − v_ref‖",
    "multipliers": "‖λ − λ_ref‖ / ‖λ_ref‖",
}


def plot_convergence(rows: Sequence[ConvergenceRow], path: Path | None = None) -> Figure:
    """Draw errors over step sizes, one panel for q, v and λ, one line for each method.

    Parameters
    ----------
    rows
        Rows of `convergence`.
    path
        Picture to write.
    """
    from matplotlib.figure import Figure

    shown = [part for part in _PANELS if any(getattr(row.error, part) for row in rows)]
    figure = Figure(figsize=(1 + 3.4 * max(1, len(shown)), 3.8), layout="constrained")
    for axes, part in zip(figure.subplots(1, max(1, len(shown)), squeeze=False)[0], shown, strict=False):
        for method in dict.fromkeys(row.method for row in rows):
            points = [(r.h, getattr(r.error, part)) for r in rows if r.method == method and getattr(r.error, part)]
            axes.loglog(*zip(*points, strict=True), marker="o", markersize=3.5, linewidth=1.2, label=method)
        axes.set_xscale("log", base=2)  # step sizes are halved as a rule
        axes.set_title(_PANELS[part], fontsize="medium")
        axes.set_xlabel("h in s")
        axes.grid(visible=True, which="major", linewidth=0.4, alpha=0.6)
    if shown:
        figure.axes[0].set_ylabel("error at the end time")
        figure.axes[0].legend(fontsize="small")
    if path is not None:
        figure.savefig(path, dpi=150)
    return figure
