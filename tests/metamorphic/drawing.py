"""Numbers that a figure of a solution shows, without shifts and relative scales of its panels."""

from __future__ import annotations

import re
from unittest import mock

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import symlie as sl
from tests.metamorphic.mechanism import Array

SHIFT = re.compile(r" ?([−+]) (\S+)$")
"""The end of a label of a line that is drawn less its mean."""


def drawn(solution: sl.Solution, outputs: list[str]) -> tuple[Array, list[Array], Array]:
    """Times, values of outputs, (n, components) each, and times of events, as lines of a figure have them."""
    with mock.patch.object(Figure, "draw_without_rendering"):  # it takes a second, and moves no line
        figure = solution.plot(panels=outputs)
    try:
        axes = figure.axes
        values = [_values(a, solution.outputs[name]) for a, name in zip(axes, outputs, strict=True)]
        marks = [path.vertices[0, 0] for marked in axes[0].collections for path in marked.get_paths()]
        return np.asarray(axes[0].lines[0].get_xdata()), values, np.sort(marks)
    finally:
        plt.close(figure)


def _values(axes: Axes, output: Array) -> Array:
    lines = np.array([_unshifted(str(line.get_label()), np.asarray(line.get_ydata())) for line in axes.lines]).T
    if axes.get_title(loc="left").endswith("relative change"):
        start = output.reshape(len(output), -1)[0]
        return lines * float(np.linalg.norm(start)) + start
    return lines


def _unshifted(label: str, values: Array) -> Array:
    found = SHIFT.search(label)
    return values if found is None else values + float(found[2]) * (1 if found[1] == "−" else -1)
