"""Exact order conditions of methods on manifolds, in the algebra of planar rooted forests.

With frozen coefficients, f at a point is an element of the Lie algebra, and a forest (a word of planar rooted trees)
represents a composition of derivatives along frozen fields. A point y(h) near y is the series α with
g(y(h)) = Σ α(ω) h^|ω| F(ω)[g](y), where products of series are concatenations of words. Then

    f at the point α                    B⁺(α): each word becomes a tree with a new root
    α moved by exp(x), x frozen at y    α exp(x)
    commutator of the library           x y - y x
    exact flow                          α' = α B⁺(α)

so a method has order p if its series agrees with the series of the flow on all words of up to p nodes. A tree is the
tuple of its children's trees, and a forest a tuple of trees; the number of forests of n nodes is a Catalan number.
Source: [Owren2006]; for the products [Lundervold2011].
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from symlie.runtime.tableaux.exact import QuadraticNumber

if TYPE_CHECKING:
    from symlie.runtime.tableaux.chains import Chain, ChainTableau
    from symlie.runtime.tableaux.tableau import ExplicitTableau

MOST_NODES = 6
"""Number of nodes of the largest forests, which is the highest order that is tested."""

Forest: TypeAlias = tuple["Forest", ...]
"""Word of planar rooted trees; a tree is the forest of its children."""

Number: TypeAlias = Fraction | QuadraticNumber
"""Exact number: Fraction, or QuadraticNumber for numbers with roots."""

Series: TypeAlias = list[dict[Forest, Number]]
"""Coefficients of the forests with 0, 1, 2, … nodes; omitted ones are zero."""


def _combined(terms: Iterable[tuple[Number, Series]], nodes: int) -> Series:
    """Return Σ weight·series."""
    total: Series = [{} for _ in range(nodes + 1)]
    for weight, series in terms:
        if weight:
            for level, part in zip(total, series, strict=True):
                for forest, value in part.items():
                    level[forest] = level[forest] + weight * value if forest in level else weight * value
    return total


def _product(x: Series, y: Series) -> Series:
    total: Series = [{} for _ in x]
    for n, level in enumerate(total):
        for k in range(n + 1):
            for first, a in x[k].items():
                for second, b in y[n - k].items():
                    forest = first + second
                    level[forest] = level[forest] + a * b if forest in level else a * b
    return total


def _exponential(x: Series) -> Series:
    """Return exp(x) of a series without constant term."""
    nodes = len(x) - 1
    power = _one(nodes)
    terms: list[tuple[Number, Series]] = [(Fraction(1), power)]
    weight = Fraction(1)
    for k in range(1, nodes + 1):
        power, weight = _product(power, x), weight / k
        terms.append((weight, power))
    return _combined(terms, nodes)


def _one(nodes: int) -> Series:
    return [{(): Fraction(1)}, *({} for _ in range(nodes))]


def _grafted(x: Series) -> Series:
    """Return B⁺: each forest becomes a tree with a new root."""
    grafted: Series = [{}]
    for level in x[:-1]:
        trees: dict[Forest, Number] = {(forest,): value for forest, value in level.items()}
        grafted.append(trees)
    return grafted


def _commutator(x: Series, y: Series) -> Series:
    return _combined([(Fraction(1), _product(x, y)), (Fraction(-1), _product(y, x))], len(x) - 1)


@functools.cache
def flow(nodes: int) -> tuple[dict[Forest, Fraction], ...]:
    """Return the series of the exact flow, from n α_n = Σ_k α_{n-k} B⁺(α_{k-1})."""
    series: list[dict[Forest, Fraction]] = [{(): Fraction(1)}]
    for n in range(1, nodes + 1):
        level: dict[Forest, Fraction] = {}
        for k in range(1, n + 1):
            for first, a in series[n - k].items():
                for inner, b in series[k - 1].items():
                    forest = (*first, inner)
                    level[forest] = level.get(forest, Fraction(0)) + a * b / n
        series.append(level)
    return tuple(series)


@functools.cache
def inverse_weights(terms: int) -> tuple[Fraction, ...]:
    """Return the coefficients of λ/(1 - e^-λ) = Σ (-1)^k B_k/k! λ^k, the weights of T⁻¹(θ) in powers of ad θ."""
    divisor = [Fraction(1)]
    for k in range(1, terms):
        divisor.append(-divisor[-1] / (k + 1))
    series: list[Fraction] = []
    for k in range(terms):
        known = sum((series[j] * divisor[k - j] for j in range(k)), Fraction(0))
        series.append(int(k == 0) - known)
    return tuple(series)


def _corrected(u: Series, slope: Series, commutators: int | None) -> Series:
    """Return T⁻¹(u) of a slope, truncated after a number of commutators."""
    nodes = len(u) - 1
    count = nodes if commutators is None else min(commutators, nodes)
    terms: list[tuple[Number, Series]] = []
    for weight in inverse_weights(count + 1):
        if terms:
            slope = _commutator(u, slope)
        terms.append((weight, slope))
    return _combined(terms, nodes)


def rkmk_series(
    tableau: ExplicitTableau, weights: Sequence[QuadraticNumber], commutators: int | None, nodes: int
) -> Series:
    """Return the series of a Runge–Kutta–Munthe-Kaas step with weights b, up to ``nodes``.

    Embedded weights omit the commutators of the end of the step; ``commutators=None`` is the exact T⁻¹.
    """
    slopes: list[Series] = []

    def argument(row: Sequence[QuadraticNumber], number: int) -> Series:
        terms = [(simple(x), slope) for x, slope in zip(row, slopes, strict=False)]
        for term in tableau.brackets:
            if term.row == number:
                pair = _commutator(slopes[term.first - 1], slopes[term.second - 1])
                terms.append((simple(term.weight), pair))
        return _combined(terms, nodes)

    for number, row in enumerate(tableau.a, start=1):
        u = argument(row, number)
        slopes.append(_corrected(u, _grafted(_exponential(u)), commutators))
    return _exponential(argument(weights, len(tableau.a) + 1))


def chain_series(tableau: ChainTableau, end: Chain, nodes: int) -> Series:
    """Return the series of a step that ends with one of the chains of a tableau."""
    slopes: list[Series] = []
    points: list[Series] = []

    def reached(chain: Chain) -> Series:
        point = points[chain.start - 1] if points else _one(nodes)
        for row in chain.exponentials:
            terms = ((simple(x), slope) for x, slope in zip(row, slopes, strict=False))
            point = _product(point, _exponential(_combined(terms, nodes)))
        return point

    for chain in tableau.chains:
        points.append(reached(chain))
        slopes.append(_grafted(points[-1]))
    return reached(end)


@dataclass(frozen=True)
class FoundOrder:
    """Order of a method, with a summary of the tested conditions."""

    order: int
    """Largest order whose conditions all hold, or the largest tested order if no condition is violated."""
    conditions: int
    """Number of conditions with up to ``order`` nodes."""
    residual: float
    """Largest absolute violation of these conditions; 0 for exact coefficients."""
    violated: int
    """Number of violated conditions of the next order; 0 if these were not tested."""


def order_of(series: Series, tolerance: float) -> FoundOrder:
    """Return the order of a series."""
    return count_order(
        (
            [series[n].get(forest, Fraction(0)) - value for forest, value in level.items()]
            for n, level in enumerate(flow(len(series) - 1))
            if n
        ),
        tolerance,
    )


def count_order(levels: Iterable[Iterable[Number]], tolerance: float) -> FoundOrder:
    """Return the order from the violations of the conditions of order 1, 2, …."""
    conditions, residual = 0, 0.0
    order = 0
    for order, level in enumerate(levels, start=1):
        sizes = [abs(float(x)) if x else 0.0 for x in level]
        violated = sum(size > tolerance for size in sizes)
        if violated:
            return FoundOrder(order - 1, conditions, residual, violated)
        conditions += len(sizes)
        residual = max(residual, *sizes) if sizes else residual
    return FoundOrder(order, conditions, residual, 0)


def simple(number: QuadraticNumber) -> Number:
    """Return a rational number as a Fraction, which has faster arithmetic; other numbers unchanged."""
    return number.rational if not number.factor else number
