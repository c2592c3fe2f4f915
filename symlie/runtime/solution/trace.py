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
    """Attempted steps of a run with ``trace=True``, accepted and rejected; all arrays have shape (n,).

    Attributes
    ----------
    t, h
        Start time and size of each step, in s.
    error
        Estimate of the local error relative to the tolerances, dimensionless: at most 1 for accepted adaptive steps.
        NaN for failed steps, and for methods without an error estimate.
    accepted
        True for accepted steps.
    newton_iterations, jacobians, halvings
        Numbers of Newton corrections, of evaluated Newton matrices, and of halved corrections, except those of the
        event location; 0 in files of versions that did not store them.
    slowest
        Index of the largest residual before the last correction, which ``system.layout.entry_name`` translates to a
        name; -1 without corrections.
    order
        Order of each step of variable-order methods; 0 for others, and in files of versions that did not store it.
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
        """All arrays by name."""
        return {name: getattr(self, name) for name in TRACE_COLUMNS}


def trace_of(columns: Mapping[str, np.ndarray]) -> Trace:
    """Return a trace from columns of numbers by name; only those of `NOT_KEPT` may be missing."""
    count = len(columns["t"])
    known = {name: np.full(count, value) for name, value in NOT_KEPT.items()} | dict(columns)
    return Trace(**{name: known[name].astype(kind) for name, (_, kind) in TRACE_COLUMNS.items()})
