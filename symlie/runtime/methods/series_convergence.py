"""Detection of fixed steps beyond the radius of convergence of their series.

``taylor_convergence.h`` takes the same decisions. Terms that do not decrease are only an indication, since motions may
start with high orders: the step must also fail, or end where the rates disagree with those of the series.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from symlie.contract.constants import LAST_TERMS, RATES_APART, RATES_NOTICED, TERMS_FALL
from symlie.errors import DivergentSeriesError, IntegrationError
from symlie.runtime.kernels.series import Series
from symlie.runtime.layout.layout import Array

if TYPE_CHECKING:
    from symlie.runtime.methods.controllers import StepControl


def seems_to_converge(series: Series, h: float) -> bool:
    """Return whether the last terms after a time h, in s, are clearly smaller than the first terms and the middle
    terms."""
    return all(_falls(rows, h / series.unit) for rows in (series.q, series.v))


def estimated_radius(series: Series, h: float) -> float:
    """Estimate the radius of convergence, in s, up to a time h, in s, from terms that cease to decrease."""
    return min(h, *(series.unit * _radius(rows) for rows in (series.q, series.v)))


@contextmanager
def divergence_named(control: StepControl, series: Series, h: float) -> Iterator[None]:
    """Replace the failure of a fixed step of length h, in s, by a DivergentSeriesError if its series appears to
    diverge."""
    try:
        yield
    except (IntegrationError, np.linalg.LinAlgError) as error:
        if control.is_adaptive or seems_to_converge(series, h):
            raise
        raise _divergence(series, h) from error


def check_rates(control: StepControl, series: Series, after: Series, h: float) -> None:
    """Raise a DivergentSeriesError if the rates at the end of a fixed step disagree with its series, which appears to
    diverge."""
    if control.is_adaptive or series.reach.before < h or seems_to_converge(series, h):
        return
    moved = _largest(series.q[0]) / h + _largest(series.v[0])
    of_q, of_v = series.rates(h)
    q_1, v_1 = after.first_rates()
    if not (_agree(of_q, q_1, RATES_NOTICED * moved) and _agree(of_v, v_1, RATES_NOTICED * moved / h)):
        raise _divergence(series, h)


def _divergence(series: Series, h: float) -> DivergentSeriesError:
    radius, order = estimated_radius(series, h), len(series.q) - 1
    return DivergentSeriesError(
        f"The radius of convergence is about {radius:.2g} s, from its terms up to order {order}"
    )


def _largest(x: Array) -> float:
    return float(np.abs(x).max(initial=0.0))


def _windows(order: int) -> tuple[range, range, range]:
    """Return the orders of the last terms, and of equally many first and middle terms."""
    last, first, middle = (range(k, k + LAST_TERMS) for k in (order - LAST_TERMS + 1, 1, order // 2 - 1))
    return last, first, middle


def _falls(rows: Array, h: float) -> bool:
    last, first, middle = (max(_term(rows[k], h, k) for k in window) for window in _windows(len(rows) - 1))
    return last == 0 or last < TERMS_FALL * min(first, middle)


def _term(row: Array, h: float, k: int) -> float:
    """Return the largest component of a term of order k after a length, which may be infinite."""
    size = _largest(row)
    with np.errstate(over="ignore"):
        return float(size * np.float64(h) ** k) if size > 0 else size


def _radius(rows: Array) -> float:
    """Return the time at which a last term becomes as large as the largest of the first or of the middle terms."""
    sizes = [_largest(row) for row in rows]
    last, *others = _windows(len(rows) - 1)
    found = [
        max((sizes[k] / sizes[n]) ** (1 / (n - k)) for k in window if k < n)
        for window in others
        for n in last
        if sizes[n] > 0 and window[0] < n
    ]
    return min((radius for radius in found if radius > 0), default=math.inf)


def _agree(rates: Array, others: Array, noticed: float) -> bool:
    largest, apart = max(_largest(rates), _largest(others)), np.abs(rates - others)
    return bool(np.all((apart <= RATES_APART * largest) | (apart <= noticed)))
