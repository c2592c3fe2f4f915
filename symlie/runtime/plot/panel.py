"""Panels of figures, and how a quantity is shown that hardly varies.

The natural scale of a quantity is the largest value, over all nodes and times, of those in the same unit: positions
with positions, multipliers with multipliers; of angles it is 1 rad, of relative changes 1. What stays below `ROUND_OFF`
of it is computed zero. A quantity that varies by less than `CONSERVED` of its start is shown by its relative change, so
that no ordinate needs an offset.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from symlie.runtime.layout.layout import Array

ROUND_OFF = 1e-13
"""Some hundred ε: what many steps leave of a quantity that is zero, relative to its natural scale."""

CONSERVED = 1e-5
"""Variation relative to the start, below which numbers along an ordinate would agree in most of their digits."""

FAR_OFF = 10.0
"""A component whose mean exceeds the largest variation by this factor is drawn less its mean."""


@dataclass(frozen=True)
class Series:
    """A line: its label and its values over the times of the solution."""

    label: str
    values: Array


@dataclass(frozen=True)
class Panel:
    """Axes with a title, a label of the ordinate, lines, and a remark inside of them."""

    title: str
    label: str
    series: tuple[Series, ...]
    logarithmic: bool = False
    kind: str = ""
    """What it is compared with: the unit, or another name of all quantities of its kind."""
    remark: str = ""
    is_flat: bool = False
    """Whether the lines vary by round-off alone, which the ordinate must not magnify."""
    arc: Array | None = None
    """Arc lengths over which the lines are drawn, in place of the times."""


def largest(series: tuple[Series, ...]) -> float:
    """The largest |value| that is finite."""
    return max((float(np.max(np.abs(s.values), where=np.isfinite(s.values), initial=0.0)) for s in series), default=0.0)


def presented(panel: Panel, scale: float) -> Panel:
    """The panel as it is drawn.

    Parameters
    ----------
    panel
        Values in their own unit.
    scale
        Natural scale of the quantity.
    """
    amplitude = largest(panel.series)
    if amplitude <= ROUND_OFF * scale:
        remark = "0 to round-off" if amplitude else "0 throughout"
        zero = tuple(Series(s.label, np.zeros_like(s.values)) for s in panel.series)
        return dataclasses.replace(panel, series=zero, remark=remark, is_flat=True)
    if not all(np.isfinite(s.values).all() for s in panel.series):
        return panel
    start = float(np.linalg.norm([s.values[0] for s in panel.series]))
    variation = max(float(np.ptp(s.values)) for s in panel.series)
    if not variation < CONSERVED * start:
        return dataclasses.replace(panel, series=_shifted(panel.series))
    if variation <= ROUND_OFF * start:
        return dataclasses.replace(
            panel, remark="constant to round-off" if variation else "constant throughout", is_flat=True
        )
    letter = "y" if len(panel.series) == 1 else r"\|y\|"
    unit = panel.label.partition("in ")[2]
    size = panel.series[0].values[0] if len(panel.series) == 1 else start
    return dataclasses.replace(
        panel,
        title=f"{panel.title}, relative change",
        label=r"$(y - y_0)\,/\,|y_0|$",
        series=tuple(Series(s.label, (s.values - s.values[0]) / start) for s in panel.series),
        remark=f"${letter}_0$ = {size:.6g} {unit}".rstrip(),
    )


def _shifted(lines: tuple[Series, ...]) -> tuple[Series, ...]:
    """A component far from all others is drawn less its mean, which its label says: a spin would hide the rest."""
    variation = max(float(np.ptp(line.values)) for line in lines)
    shifted = []
    for line in lines:
        mean = float(f"{line.values.mean():.3g}")
        if len(lines) > 1 and 0 < FAR_OFF * variation < abs(mean):
            label = f"{line.label} − {mean:g}" if mean > 0 else f"{line.label} + {-mean:g}"
            shifted.append(Series(label.strip(), line.values - mean))
        else:
            shifted.append(line)
    return tuple(shifted)
