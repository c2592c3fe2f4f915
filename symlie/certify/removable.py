"""Functions given by closed forms with a removable singularity at 0: exact series, and bounds of their remainders.

f = N/D is analytic for |w| ≤ R if D vanishes there only at 0, where N has a zero of at least the same order. Cauchy's
estimate with M = max |f| on |w| = R bounds the remainder of the series of f in z = w² after J terms by
M x^J/(1 - x), x = z/R². The winding number of D along the circle counts the zeros of D.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction

from flint import acb, arb, ctx, fmpq_series

from symlie.certify.closed_form import ClosedForm, Tree, closed_form, series_of, value_at
from symlie.errors import FormatError

RADII = (8.0, 5.0, 3.0, 2.0, 1.6, 1.3, 1.15, 1.05)
"""Radii of trial circles relative to the end of the interval."""

ARC_BITS = 12
"""Number of bisections of an arc of the circle after which a zero of D is suspected on it."""

BITS = 192


@functools.cache
def rational_series(text: str, count: int) -> tuple[Fraction, ...]:
    """Return the first Taylor coefficients in z = w², or raise `FormatError` if f is not even, regular and rational."""
    form = closed_form(text)
    above, below = form.quotient()
    margin = 8
    while True:
        size = 2 * count + margin
        numerator, denominator = (series_of(part, size, text) for part in (above, below))
        order = _order(denominator, size)
        if order is not None and order + 2 * count <= size:
            break
        margin *= 2
        if margin > 512:
            raise FormatError(f"The divisor of '{text}' is zero.")
    if any(numerator[k] != 0 for k in range(order)):
        raise FormatError(f"'{text}' has a pole at w = 0; a polynomial cannot replace it there.")
    if not form.is_even():
        raise FormatError(f"'{text}' is not recognised as an even function of w: a polynomial in w² cannot replace it.")
    cap, ctx.cap = ctx.cap, 2 * count
    try:
        top, bottom = (fmpq_series([s[k + order] for k in range(2 * count)], prec=2 * count)
                       for s in (numerator, denominator))  # fmt: skip
        quotient = top / bottom
        return tuple(Fraction(int(c.p), int(c.q)) for c in (quotient[2 * k] for k in range(count)))
    finally:
        ctx.cap = cap


def _order(series: fmpq_series, size: int) -> int | None:
    return next((k for k in range(size) if series[k] != 0), None)


@functools.cache
def circle(text: str, upper: float) -> tuple[float, arb]:
    """Return the radius of a disk in which a function is analytic, and a bound of its values on the circle."""
    form = closed_form(text)
    precision, ctx.prec = ctx.prec, BITS
    try:
        above, below = form.quotient()
        order = _order_of(form, below)
        for factor in RADII:
            radius = factor * upper
            found = _winding(below, radius)
            if found == order:
                return radius, _largest(above, below, radius)
    finally:
        ctx.prec = precision
    raise FormatError(
        f"'{text}' is singular, or divides zero by zero, at some |w| ≤ {RADII[-1] * upper:.4g} other than 0, also for "
        "complex w, so its Taylor series does not converge on the domain; use a smaller domain."
    )


def _order_of(form: ClosedForm, below: Tree) -> int:
    size = 16
    while True:
        order = _order(series_of(below, size, form.text), size)
        if order is not None:
            return order
        size *= 2
        if size > 512:
            raise FormatError(f"The divisor of '{form.text}' is zero.")


def _arcs(tree: Tree, radius: float) -> list[tuple[arb, arb, acb]] | None:
    """Return arcs, by angles over 2π, on each of which a function stays in a half plane without 0, or None."""
    waiting, found = [(arb(k) / 8, arb(k + 1) / 8, 0) for k in reversed(range(8))], []
    while waiting:
        a, b, depth = waiting.pop()
        value = value_at(tree, _ball(a, b, radius))
        middle = value_at(tree, _point((a + b) / 2, radius))
        turned = value / middle
        if turned.real > 0:
            found.append((a, b, value))
        elif depth >= ARC_BITS:
            return None
        else:
            waiting += [((a + b) / 2, b, depth + 1), (a, (a + b) / 2, depth + 1)]
    return found


def _point(turn: arb, radius: float) -> acb:
    return acb(radius) * acb(0, 2 * turn * arb.pi()).exp()


def _ball(a: arb, b: arb, radius: float) -> acb:
    centre, half = (a + b) / 2, (b - a) / 2
    return _point(centre + arb(0, 1) * half.upper(), radius)


def _winding(tree: Tree, radius: float) -> int | None:
    """Return the number of zeros of an entire function in the disk; None if one may lie on the circle."""
    arcs = _arcs(tree, radius)
    if arcs is None:
        return None
    total = arb(0)
    for a, b, _ in arcs:
        total += (value_at(tree, _point(b, radius)) / value_at(tree, _point(a, radius))).arg()
    number = (total / (2 * arb.pi())).unique_fmpz()
    return None if number is None else int(number)


def _largest(above: Tree, below: Tree, radius: float) -> arb:
    arcs = _arcs(below, radius)
    assert arcs is not None
    return max((abs(value_at(above, _ball(a, b, radius)) / value).upper() for a, b, value in arcs), key=float)


def terms(text: str, upper: float, digits: int) -> tuple[tuple[Fraction, ...], arb]:
    """Return the Taylor coefficients in z, and a bound of the remainder for 0 ≤ z ≤ upper."""
    radius, largest = circle(text, math.nextafter(math.sqrt(upper), math.inf))
    ratio = arb(upper) / arb(radius) ** 2
    scale = max((abs(c) for c in rational_series(text, 8)), default=Fraction(1)) or Fraction(1)
    needed = digits * math.log(10) + math.log(max(float(largest) / float(scale), 1.0))
    count = 4 + math.ceil(needed / -math.log(float(ratio.upper())))
    rest = (largest * ratio**count / (1 - ratio)).upper()
    return rational_series(text, count), rest
