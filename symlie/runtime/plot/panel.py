"""Panels of figures, and the presentation of nearly constant quantities.

The natural scale of a quantity is the largest value, over all nodes and times, of those with the same unit: positions
with positions, multipliers with multipliers; for angles it is 1 rad, for relative changes 1. Values below `ROUND_OFF`
of it are computed zeros. A quantity that varies by less than `CONSERVED` of its initial value is shown by its relative
change, so that no ordinate needs an offset.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from symlie.runtime.layout.layout import Array

ROUND_OFF = 1e-13
"""A few hundred ε: round-off of many steps in a quantity that is zero, relative to its natural scale."""

CONSERVED = 1e-5
"""Variation relative to the initial value below which tick labels would agree in most of their digits."""

FAR_OFF = 10.0
"""Ratio of the mean of a component to the largest variation above which the mean is subtracted."""


@dataclass(frozen=True)
class Series:
    """A line: its label and its values over time."""

    label: str
    values: Array


@dataclass(frozen=True)
class Panel:
    """Axes with a title, a label of the ordinate, lines, and a remark inside."""

    title: str
    label: str
    series: tuple[Series, ...]
    logarithmic: bool = False
    kind: str = ""
    """Scale group: the unit, or another name of all quantities of its kind."""
    remark: str = ""
    is_flat: bool = False
    """True if the lines vary by round-off alone, which the ordinate must not magnify."""
    arc: Array | None = None
    """Arc lengths of the abscissa, instead of times."""


def largest(series: tuple[Series, ...]) -> float:
    """Largest finite |value|."""
    return max((float(np.max(np.abs(s.values), where=np.isfinite(s.values), initial=0.0)) for s in series), default=0.0)


def without_round_off(values: Array, scale: float) -> Array:
    """Values (n, components) without round-off: zero or constant if they vary only by round-off relative to a scale."""
    if not np.isfinite(values).all() or not len(values):
        return values
    if np.abs(values).max(initial=0.0) <= ROUND_OFF * scale:
        return np.zeros_like(values)
    if np.ptp(values, axis=0).max(initial=0.0) <= ROUND_OFF * np.linalg.norm(values[0]):
        return np.broadcast_to(values[0], values.shape)
    return values


def presented(panel: Panel, scale: float) -> Panel:
    """Panel with the scale and offset of its presentation, from values in their unit and their natural scale."""
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
    """Subtract the mean of a component that is much larger than the others, and state this in its label."""
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
