"""Power series of the operators of a group in high precision, the reference for the derived closed forms.

Only the definition of the group is shared with the derivation, through ad and the linear kinematic equation:

    exp θ = Σ Lʲ s₀/j!,    Ad(exp θ) = Σ adʲ/j!,    T(θ) = Σ (-ad)ʲ/(j+1)!,    T⁻¹ by elimination.

Derivatives by θ are computed term by term, without difference quotients.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import mpmath
import sympy
from mpmath import mpf
from sympy import Expr, ImmutableMatrix

from symlie.groups.group import LieGroup, algebra_symbols
from symlie.groups.kinematics import kinematic_blocks
from symlie.groups.operators import ad_matrix

Numbers = list[mpf]
Rows = list[Numbers]
"""Matrix, row by row."""
Entries = list[tuple[int, int, mpf]]
"""Sparse matrix as triples of row, column and value."""

GUARD_DIGITS = 20
"""Additional digits of intermediate results, to which the digits lost by cancellation between terms are added."""


class PowerSeries:
    """Operators of a group at one θ in a given number of decimal digits, without closed forms."""

    def __init__(self, group: LieGroup, theta: Sequence[object], digits: int) -> None:
        self.group = group
        self.digits = digits
        with mpmath.workdps(digits + GUARD_DIGITS):
            self.theta = [mpf(c) for c in theta]
            self._parts = [_numbers(part) for part in _linear_parts(group, ImmutableMatrix(ad_matrix(group)))]
            self._negative_ad = _at(self._parts, self.theta, -1)

    def exponential(self) -> Numbers:
        """Return the storage of exp(θ), ``storage_dimension`` numbers."""
        with mpmath.workdps(self.digits + GUARD_DIGITS):
            storage = [mpf(int(c)) for c in self.group.identity]
            for group, stored, offset in self.group.simple_factors:
                part = self.theta[offset : offset + group.dimension]
                if group.coordinates_of is not None:
                    storage[stored : stored + group.dimension] = part
                    continue
                for block in kinematic_blocks(group):
                    n = len(block.components)
                    forced = [[block.linear, block.forcing], [sympy.zeros(1, n), sympy.zeros(1, 1)]]
                    matrix = ImmutableMatrix(sympy.BlockMatrix(forced))
                    start = [*(mpf(int(group.identity[i])) for i in block.components), mpf(1)]
                    linear = _at([_numbers(p) for p in _linear_parts(group, matrix)], part, 1)
                    for i, component in zip(block.components, _series(linear, start, 0), strict=False):
                        storage[stored + i] = component
        return self._rounded([storage])[0]

    def adjoint(self) -> Rows:
        """Return Ad(exp θ), shape (n, n)."""
        with mpmath.workdps(self.digits + GUARD_DIGITS):
            ad = [(i, j, -value) for i, j, value in self._negative_ad]
            return self._rounded(_transposed([_series(ad, e, 0) for e in self._units]))

    def tangent_operator(self) -> Rows:
        """Return T(θ), shape (n, n)."""
        return self._rounded(self._tangent.tolist())

    def tangent_operator_inverse(self) -> Rows:
        """Return T⁻¹(θ), shape (n, n)."""
        return self._rounded(self._inverse.tolist())

    def tangent_operator_derivative(self, w: Sequence[object]) -> Rows:
        """Return ∂(T(θ) w)/∂θ, shape (n, n), with the derivative by θ_k in column k."""
        with mpmath.workdps(self.digits + GUARD_DIGITS):
            return self._rounded(self._derivative([mpf(c) for c in w]))

    def tangent_operator_inverse_derivative(self, w: Sequence[object]) -> Rows:
        """Return ∂(T⁻¹(θ) w)/∂θ = -T⁻¹ ∂(T y)/∂θ with y = T⁻¹ w, shape (n, n)."""
        with mpmath.workdps(self.digits + GUARD_DIGITS):
            y = list(self._inverse * mpmath.matrix([mpf(c) for c in w]))
            return self._rounded((-self._inverse * mpmath.matrix(self._derivative(y))).tolist())

    @property
    def _units(self) -> Rows:
        n = self.group.dimension
        return [[mpf(int(i == k)) for i in range(n)] for k in range(n)]

    @functools.cached_property
    def _tangent(self) -> mpmath.matrix:
        with mpmath.workdps(self.digits + GUARD_DIGITS):
            return mpmath.matrix(_transposed([_series(self._negative_ad, e, 1) for e in self._units]))

    @functools.cached_property
    def _inverse(self) -> mpmath.matrix:
        with mpmath.workdps(self.digits + GUARD_DIGITS):
            return mpmath.inverse(self._tangent)

    def _derivative(self, w: Numbers) -> Rows:
        matrix = self._negative_ad
        size = _size(matrix)
        with mpmath.extradps(int(size)):
            term, j = w, 0
            rates = [[mpf(0)] * len(w) for _ in self._parts]
            total = rates
            while j <= size or max(_largest(term), *map(_largest, rates)) > _negligible():
                j += 1
                rates = [
                    [(a - b) / (j + 1) for a, b in zip(_times(matrix, rate), _times(part, term), strict=True)]
                    for part, rate in zip(self._parts, rates, strict=True)
                ]
                term = [c / (j + 1) for c in _times(matrix, term)]
                total = [_sum(a, b) for a, b in zip(total, rates, strict=True)]
        return _transposed(total)

    def _rounded(self, rows: Sequence[Sequence[mpf]]) -> Rows:
        with mpmath.workdps(self.digits):
            return [[+c for c in row] for row in rows]


@functools.cache
def _linear_parts(group: LieGroup, matrix: ImmutableMatrix) -> list[list[tuple[int, int, Expr]]]:
    """Return the constant matrices A_k of A(θ) = Σ θ_k A_k."""
    parts = []
    for symbol in algebra_symbols(group):
        part = matrix.diff(symbol)
        parts.append([(i, j, part[i, j]) for i, j in sorted(part.todok())])
    return parts


def _numbers(entries: Sequence[tuple[int, int, Expr]]) -> Entries:
    return [(i, j, mpf(value.evalf(mpmath.mp.dps)._mpf_)) for i, j, value in entries]


def _at(parts: Sequence[Entries], theta: Sequence[mpf], sign: int) -> Entries:
    """Return ± Σ θ_k A_k."""
    total: dict[tuple[int, int], mpf] = {}
    for part, component in zip(parts, theta, strict=True):
        for i, j, value in part:
            total[i, j] = total.get((i, j), mpf(0)) + sign * component * value
    return [(i, j, value) for (i, j), value in total.items()]


def _times(entries: Entries, x: Numbers) -> Numbers:
    result = [mpf(0)] * len(x)
    for i, j, value in entries:
        result[i] += value * x[j]
    return result


def _sum(x: Numbers, y: Numbers) -> Numbers:
    return [a + b for a, b in zip(x, y, strict=True)]


def _series(matrix: Entries, x: Numbers, shift: int) -> Numbers:
    """Return Σ Aʲ x/(j + shift)! for a shift of 0 or 1."""
    size = _size(matrix)
    with mpmath.extradps(int(size)):
        term, total, j = x, x, 0
        while j <= size or _largest(term) > _negligible():
            j += 1
            term = [c / (j + shift) for c in _times(matrix, term)]
            total = _sum(total, term)
    return total


def _size(entries: Entries) -> float:
    """Return the Frobenius norm, whose exponential bounds the terms of the series."""
    return float(mpmath.sqrt(sum(value**2 for _, _, value in entries)))


def _largest(x: Numbers) -> mpf:
    return max((abs(c) for c in x), default=mpf(0))


def _negligible() -> mpf:
    return mpf(10) ** -mpmath.mp.dps


def _transposed(columns: Sequence[Sequence[mpf]]) -> Rows:
    return [list(row) for row in zip(*columns, strict=True)]
