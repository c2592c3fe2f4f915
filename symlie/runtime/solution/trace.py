"""Attempted steps of an integration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.utilities.showing import Brief

TRACE_COLUMNS: dict[str, tuple[str, type]] = {
    "t": ("s", float),
    "h": ("s", float),
    "error": ("1", float),
    "accepted": ("1", bool),
    "newton_iterations": ("1", int),
    "jacobians": ("1", int),
    "halvings": ("1", int),
    "slowest": ("1", int),
    "order": ("1", int),
}
"""Columns of a trace in order, with unit and type; the time loops write them."""

NOT_KEPT = {"newton_iterations": 0, "jacobians": 0, "halvings": 0, "slowest": -1, "order": 0}
"""Columns that earlier versions did not store, and their default values."""


@dataclass(frozen=True, eq=False, repr=False)
class Trace(Brief):
    """Attempted steps of an integration, accepted or not; arrays of shape (n,).

    Attributes
    ----------
    t, h
        Start and length of each step, in s.
    error
        Estimate of the local error relative to the tolerances; NaN for failed steps and methods without an estimate.
    accepted
        True for accepted steps.
    newton_iterations, jacobians, halvings
        Corrections of implicit steps, Newton matrices evaluated for them, and halvings of corrections, without those of
        the event location. Zero in files of versions that did not store them.
    slowest
        Index of the largest residual before the last correction, for `Layout.entry_name`; -1 without corrections.
    order
        Order of each step, for methods that choose it; 0 for others, and in files of versions that did not store it.
    """

    t: Array
    h: Array
    error: Array
    accepted: np.ndarray
    newton_iterations: np.ndarray
    jacobians: np.ndarray
    halvings: np.ndarray
    slowest: np.ndarray
    order: np.ndarray

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """All columns by name."""
        return {name: getattr(self, name) for name in TRACE_COLUMNS}


def trace_of(columns: Mapping[str, np.ndarray]) -> Trace:
    """Return a trace from columns of numbers by name; only those of `NOT_KEPT` may be missing."""
    count = len(columns["t"])
    known = {name: np.full(count, value) for name, value in NOT_KEPT.items()} | dict(columns)
    return Trace(**{name: known[name].astype(kind) for name, (_, kind) in TRACE_COLUMNS.items()})
