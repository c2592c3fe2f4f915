"""Order conditions of methods on manifolds, exact, in the algebra of planar rooted forests.

With frozen coefficients, f at a point is an element of the Lie algebra, and a forest (a word of planar rooted trees)
stands for a composition of derivatives along frozen fields. A point y(h) near y is the series α with
g(y(h)) = Σ α(ω) h^|ω| F(ω)[g](y), where products of series are concatenations of words. Then

    f at the point α                    B⁺(α): each word becomes a tree with a new root
    α moved by exp(x), x frozen at y    α exp(x)
    commutator of the library           x y - y x
    exact flow                          α' = α B⁺(α)

so a method has order p if its series agrees with that of the flow on all words of up to p nodes. A tree is the tuple of
its children's trees, and a forest a tuple of trees; there are as many forests of n nodes as Catalan's number.
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
"""Nodes of the largest forests, and so the highest order that is found."""

Forest: TypeAlias = tuple["Forest", ...]
"""A word of planar rooted trees; a tree is the forest of its children."""

Number: TypeAlias = Fraction | QuadraticNumber
"""An exact number: Fraction, or QuadraticNumber where there are roots."""

Series: TypeAlias = list[dict[Forest, Number]]
"""Coefficients of the forests with 0, 1, 2, … nodes; those that are left out are zero."""


def _combined(terms: Iterable[tuple[Number, Series]], nodes: int) -> Series:
    """Σ weight·series."""
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
    """exp(x) for a series without constant term."""
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
    """B⁺: each forest becomes a tree with a new root."""
    grafted: Series = [{}]
    for level in x[:-1]:
        trees: dict[Forest, Number] = {(forest,): value for forest, value in level.items()}
        grafted.append(trees)
    return grafted


def _commutator(x: Series, y: Series) -> Series:
    return _combined([(Fraction(1), _product(x, y)), (Fraction(-1), _product(y, x))], len(x) - 1)


@functools.cache
def flow(nodes: int) -> tuple[dict[Forest, Fraction], ...]:
    """The series of the exact flow, from n α_n = Σ_k α_{n-k} B⁺(α_{k-1})."""
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
    """Coefficients of λ/(1 - e^-λ) = Σ (-1)^k B_k/k! λ^k, by division of power series: T⁻¹(θ) in powers of ad θ."""
    divisor = [Fraction(1)]
    for k in range(1, terms):
        divisor.append(-divisor[-1] / (k + 1))
    series: list[Fraction] = []
    for k in range(terms):
        known = sum((series[j] * divisor[k - j] for j in range(k)), Fraction(0))
        series.append(int(k == 0) - known)
    return tuple(series)


def _corrected(u: Series, slope: Series, commutators: int | None) -> Series:
    """T⁻¹(u) of a slope, truncated after a number of commutators."""
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
    """The series of a step of Runge–Kutta–Munthe-Kaas type with some weights b at its end.

    Parameters
    ----------
    tableau
        Rows and commutators of slopes.
    weights
        b, or embedded weights, for which commutators of the end of the step are left out.
    commutators
        Number of commutators of T⁻¹; ``None`` is all of them.
    nodes
        Nodes of the largest forests.
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
    """The series of a step of a method by chains of exponentials that ends with one of its chains."""
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
    """An order, and what was checked."""

    order: int
    """The largest order whose conditions all hold; the largest that was asked for if none is violated."""
    conditions: int
    """Number of conditions of up to ``order`` nodes."""
    residual: float
    """The largest |violation| among these; 0 where coefficients are exact."""
    violated: int
    """Number of conditions of one order more that are violated; 0 if these were not looked at."""


def order_of(series: Series, tolerance: float) -> FoundOrder:
    """The order that a series has."""
    return count_order(
        (
            [series[n].get(forest, Fraction(0)) - value for forest, value in level.items()]
            for n, level in enumerate(flow(len(series) - 1))
            if n
        ),
        tolerance,
    )


def count_order(levels: Iterable[Iterable[Number]], tolerance: float) -> FoundOrder:
    """The order from the violations of the conditions of order 1, 2, …."""
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
    """The number as a Fraction, where arithmetic is faster, if it is rational."""
    return number.rational if not number.factor else number
