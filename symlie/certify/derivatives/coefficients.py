"""Derivatives of c_{k,m} of all orders: error bounds of backward and of forward recurrences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symlie.certify.derivatives.amplitudes import SHARE, amplitudes
from symlie.certify.derivatives.backward import (
    Errors,
    Switches,
    even_errors,
    first_errors,
    first_numbers,
    gammas,
    largest_around,
    raised_errors,
    waves_on,
)
from symlie.certify.derivatives.forward import forward_bounds
from symlie.certify.derivatives.spherical import SLACK, WINDOW, Array, Cells, Tables, chain, make_tables


@dataclass(frozen=True)
class CoefficientBounds:
    """Error bounds of f⁽ʲ⁾(z)/j! of c_{k,m}, maximum over j = 1 … N, by order N."""

    downwards: Array
    """Relative to the largest value within 2 rad of ω, shape (N,)."""
    upwards: Array
    """Relative to the amplitude, for an argument within 2**-52 z of z, shape (N,)."""


class CoefficientProver:
    """Bounds for some k, and for all m and orders up to given maxima."""

    def __init__(self, switches: Switches, ks: Sequence[int], most_m: int, most_order: int) -> None:
        self.switches = switches
        self.ks = sorted({i for k in ks for i in (1, *chain(k))})
        last = max(switches.last(k, most_m, most_order) for k in self.ks)
        end = max(switches.begin_upwards(k, last) for k in self.ks) + WINDOW
        _, firsts = first_numbers(switches, last, Cells.up_to(end))
        self.tables = make_tables(self.ks, end, firsts + 3)
        self.waves = amplitudes(self.ks, most_m + most_order, (math.ceil(SHARE * end) + 2, end))
        self._around: dict[int, Array] = {}
        self._numbers: dict[int, dict[int, Array]] = {}

    def bounds(self, k: int, m: int, most_order: int, orders: Sequence[int] | None = None) -> CoefficientBounds:
        """Return the bounds of one function for all orders, or for some orders with zero for the others."""
        forward = forward_bounds(self.waves, self.switches, k, m + most_order)
        downwards, upwards = np.zeros(most_order), np.zeros(most_order)
        for order in orders or range(1, most_order + 1):
            backward = self.numbers(self.switches.last(k, m, order))[k]
            n = m + np.arange(1, order + 1)
            factor = gammas(np.asarray(2.0 * n - m + 1, dtype=np.float64))
            for found, by_number in ((downwards, backward), (upwards, forward)):
                found[order - 1] = np.max(by_number[n] + factor * (1 + by_number[n])) * SLACK
        return CoefficientBounds(downwards, upwards)

    def numbers(self, last: int) -> dict[int, Array]:
        """Return the bounds of backward recurrences by k and n, for the arguments where they are used for k."""
        if last not in self._numbers:
            self._numbers[last] = self._proved(last)
        return self._numbers[last]

    def _proved(self, last: int) -> dict[int, Array]:
        end = max(self.switches.begin_upwards(k, last) for k in self.ks)
        count = int(np.searchsorted(self.tables.cells.lower, end))
        low, high = (f[:count] for f in first_numbers(self.switches, last, self.tables.cells))
        tables = self.tables.head(int(high.max()) + 3, count)
        waves = {k: waves_on(tables.cells, self.waves, k, self._rows(end)) for k in self.ks}
        found: dict[int, Array] = {}
        for shift in range(int((high - low).max()) + 1):
            errors = self._errors(tables, np.minimum(low + shift, high), waves)
            for k in self.ks:
                if last < self.switches.last(k, 0, 1):
                    continue
                relative = self._relative(k, last, errors[k], tables)
                found[k] = np.maximum(found.get(k, 0.0), relative)
        return found

    @staticmethod
    def _rows(end: float) -> int:
        return math.ceil(SHARE * end) + 1

    def _errors(self, tables: Tables, first: Array, waves: dict[int, Array]) -> dict[int, Errors]:
        odd = first_errors(tables, first)
        errors = {1: odd, 0: even_errors(tables, odd)} if 0 in self.ks else {1: odd}
        for k in self.ks:
            if k > 1:
                errors[k] = raised_errors(tables, self.switches, k - 2, errors[k - 2], waves[k])
        return errors

    def _relative(self, k: int, last: int, errors: Errors, tables: Tables) -> Array:
        """Return the maximum over all cells in which the recurrence is used."""
        rows = last - k // self.switches.levels
        used = tables.cells.lower < self.switches.begin_upwards(k, last)
        if k not in self._around:
            self._around[k] = largest_around(self.tables.families[k], self.tables.cells, len(self.waves.waves[0][k]))
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = errors.total[:rows] / self._around[k][:rows, : len(used)]
        # Unknown values have no bound; index zero corresponds to no coefficient.
        relative = np.where(np.isnan(relative), np.inf, relative)[:, used]
        return np.concatenate([[0.0], np.max(relative[1:], axis=1)])
