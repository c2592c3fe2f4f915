"""Curves: nodes one after the other along an arc length, between which configurations are interpolated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.groups.homogeneous import ConfigurationSpace
from symlie.modeling.names import identifier
from symlie.showing import Brief
from symlie.stated_numbers import is_number


@dataclass(frozen=True, repr=False)
class StatedCurve(Brief):
    """Nodes of a model along a curve, by the names of nodes and arrays and their index, and their arc lengths in m."""

    name: str
    places: tuple[tuple[str, int], ...]
    arc: tuple[float, ...]


def stated_curve(
    name: str, places: Sequence[tuple[str, int]], spaces: Sequence[ConfigurationSpace], arc: Iterable[float]
) -> StatedCurve:
    """A curve through nodes.

    Parameters
    ----------
    name
        Its name.
    places, spaces
        The nodes and their spaces.
    arc
        Their arc lengths, in m.

    Raises
    ------
    ModelError
        Too few nodes, nodes on several groups or on none, or arc lengths that do not increase.
    """
    identifier("Curve", name)
    lengths = list(arc)
    if len(places) < 2 or len(lengths) != len(places):
        raise ModelError(
            f"Curve '{name}' needs at least two nodes and an arc length for each, not {len(places)} nodes and "
            f"{len(lengths)} lengths."
        )
    if len(set(spaces)) > 1 or not isinstance(spaces[0], LieGroup):
        raise ModelError(
            f"The nodes of curve '{name}' must be on one Lie group; they are on {', '.join(map(str, set(spaces)))}."
        )
    if not (all(is_number(s) for s in lengths) and np.all(np.isfinite(lengths)) and np.all(np.diff(lengths) > 0)):
        raise ModelError(f"The arc lengths of curve '{name}' must be numbers that increase.")
    return StatedCurve(name, tuple(places), tuple(map(float, lengths)))
