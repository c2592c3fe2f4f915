"""Figures of paths of equilibria."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.errors import UnknownNameError
from symlie.runtime.plot.style import check_drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from symlie.runtime.statics.equilibrium_path import EquilibriumPath


def plot_path(path: EquilibriumPath, output: str | None) -> Figure:
    """Plot a path of equilibria; see `symlie.runtime.statics.equilibrium_path.EquilibriumPath.plot`."""
    check_drawing(None)
    from matplotlib.figure import Figure

    if output is not None and (output not in path.outputs or path.outputs[output].ndim != 1):
        known = ", ".join(name for name, values in path.outputs.items() if values.ndim == 1) or "none"
        raise UnknownNameError(f"The path has no output '{output}' with one component; it has: {known}.")
    across = path.arc_lengths if output is None else path.outputs[output]
    figure = Figure(layout="constrained")
    axes = figure.subplots()
    axes.plot(across, path.values, "C1", label="unstable")
    axes.plot(across, np.where(path.is_stable, path.values, np.nan), "C0", label="stable")
    for points, marker, label in ((path.limit_points, "ko", "limit"), (path.bifurcation_points, "ks", "bifurcation")):
        if points:
            where = np.interp([p.arc_length for p in points], path.arc_lengths, across)
            axes.plot(where, [p.value for p in points], marker, label=label, fillstyle="none")
    axes.set(xlabel=output or "arc length", ylabel=path.parameter)
    axes.legend()
    return figure
