"""Plots of outputs on a page, and outputs that are points in space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symlie.errors import CodeNotLoadedError
from symlie.runtime.layout.layout import Array
from symlie.runtime.plot.panel import without_round_off
from symlie.runtime.plot.panels import natural_scale
from symlie.runtime.solution.solution import Solution
from symlie.utilities.encoding import Content
from symlie.view.packing import panels
from symlie.view.poses import Track, padded

MOST_COMPONENTS = 6
"""Maximum number of components of a plotted output; nine curves of a rotation matrix would be unreadable."""

MOST_OUTPUTS = 40
"""Maximum number of plotted outputs."""

SAME = 1e-9
"""Distance of an output from a node, relative to the extent of the motion, below which both are the same point."""


def output_entries(solution: Solution, notes: list[str]) -> list[Content]:
    """Return the outputs over time, the energy first, and append omitted outputs to the notes."""
    layout = solution.system.layout
    found: list[Content] = []
    left_out: list[str] = []
    scales: dict[str, float] = {}
    units = {name: unit for name, (_, unit) in layout.outputs.items()} | {"energy": "J"}
    for name in solution.outputs:
        if name in layout.node_outputs or name in ("constraint_residual", "velocity_residual"):
            continue
        try:
            values = solution.outputs[name]
        except CodeNotLoadedError:
            left_out.append(name)
            continue
        rows = values.reshape(len(solution.t), -1)
        if rows.shape[1] > MOST_COMPONENTS:
            continue
        if len(found) == MOST_OUTPUTS or not np.isfinite(rows).all():
            left_out.append(name)
            continue
        names = [name] if rows.shape[1] == 1 else [f"{name}[{k}]" for k in range(rows.shape[1])]
        unit = units.get(name, "")
        if unit not in scales:
            scales[unit] = _scale(solution, unit)
        shown = panels(without_round_off(rows, scales[unit]))
        found.append({"label": name, "unit": unit, "components": names, "values": shown})
    if left_out:
        notes.append(f"Not plotted: {', '.join(left_out)}.")
    return found


def _scale(solution: Solution, unit: str) -> float:
    """Return the natural scale of a unit, or zero if it is unknown."""
    try:
        return natural_scale(solution, unit) if unit else 0.0
    except CodeNotLoadedError:
        return 0.0


def point_tracks(solution: Solution, tracks: Sequence[Track], extent: float) -> list[Track]:
    """Return outputs of two or three components in m as points in space, except those that coincide with a track."""
    found: list[Track] = []
    for name, (part, unit) in solution.system.layout.outputs.items():
        if unit != "m" or part.stop - part.start not in (2, 3):
            continue
        try:
            x = padded(np.asarray(solution.outputs[name]))
        except CodeNotLoadedError:
            continue
        if np.isfinite(x).all() and not any(_is_same(x, k.positions, extent) for k in (*tracks, *found)):
            found.append(Track(name, name, None, x, None, None, None, False))
    return found


def _is_same(a: Array, b: Array, extent: float) -> bool:
    return bool(np.abs(a - b).max(initial=0.0) <= SAME * extent)
