"""Exact coefficients of Runge–Kutta methods, validated on construction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError
from symlie.runtime.tableaux.exact import ExactRow, QuadraticNumber, exact_sum, rounded
from symlie.utilities.showing import line

DECIMAL_TOLERANCE = 1e-13
"""Tolerance of conditions for decimal coefficients, which are published with about fifteen digits."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Tableau:
    """Coefficients of a method: base class of the tableaux of all families, with exact numbers.

    Messages count rows and stages from 1, as in the literature.
    """

    name: str
    """Name of the method."""
    order: int
    """Order of the result of a step; λ of half-explicit methods generally has one order less."""
    c: ExactRow
    """Nodes of the stages; half-explicit methods have one more, for the argument after the last stage."""
    order_hat: int | None = None
    """Order of the embedded formula; None without one."""
    source: str
    """Publication of the coefficients."""
    is_decimal: bool = False
    """True if coefficients are decimal fractions, which satisfy conditions up to rounding."""

    def __repr__(self) -> str:
        return line("Tableau", [self.name, f"{self.stages} stages", f"order {self.order}"])

    @property
    def stages(self) -> int:
        """Number of stages of a step; 1 for methods without coefficients of stages."""
        return 1

    @property
    def has_estimate(self) -> bool:
        """True if the tableau has an embedded formula."""
        return self.order_hat is not None

    @property
    def tolerance(self) -> float:
        """Tolerance of conditions on the coefficients, dimensionless: 0 for exact and 1e-13 for decimal fractions."""
        return DECIMAL_TOLERANCE if self.is_decimal else 0.0

    def _error(self, sentence: str) -> ModelError:
        return ModelError(f"Tableau {self.name}: {sentence}.")

    def _check_length(self, what: str, found: int, wanted: int) -> None:
        if found != wanted:
            raise self._error(f"{what} has length {found}, but it must have length {wanted}")

    def _check_node(self, what: str, total: QuadraticNumber, number: int) -> None:
        node = self.c[number - 1]
        if abs(float(total - node)) > self.tolerance:
            raise self._error(f"{what} sums to {total}, but entry {number} of c is {node}")

    def _check_sum(self, what: str, total: QuadraticNumber) -> None:
        if abs(float(total - 1)) > self.tolerance:
            raise self._error(f"{what} sums to {total}, but weights must sum to 1")

    def _check_orders(self) -> None:
        for what, order in (("order", self.order), ("order_hat", self.order_hat)):
            if order is not None and order < 1:
                raise self._error(f"{what} is {order}, but it must be at least 1")


@dataclass(frozen=True, kw_only=True, repr=False)
class RungeKuttaTableau(Tableau):
    """Coefficients a_ij and embedded weights."""

    a: tuple[ExactRow, ...]
    """Coefficients of the arguments, one row per node; row i, counted from 0, has i entries."""
    b_hat: ExactRow | None = None
    """Embedded weights for the error estimate."""

    def a_float(self) -> NDArray[np.float64]:
        """Return ``a``, rounded to doubles and padded with zeros on the right, shape (len(a), stages)."""
        result = np.zeros((len(self.a), self.stages))
        for number, row in enumerate(self.a):
            result[number, :number] = rounded(row)
        return result

    def b_hat_float(self) -> NDArray[np.float64] | None:
        """Return the embedded weights, rounded to doubles; ``None`` without embedded weights."""
        return None if self.b_hat is None else rounded(self.b_hat)

    def _check_rows(self, count: int) -> None:
        self._check_length("a", len(self.a), count)
        self._check_length("c", len(self.c), count)
        for number, row in enumerate(self.a, start=1):
            self._check_length(f"row {number} of a", len(row), number - 1)
            self._check_node(f"row {number} of a", exact_sum(row), number)

    def _check_weights(self, what: str, weights: ExactRow) -> None:
        self._check_length(what, len(weights), self.stages)
        self._check_sum(what, exact_sum(weights))

    def _check_orders(self) -> None:
        super()._check_orders()
        if (self.b_hat is None) != (self.order_hat is None):
            raise self._error("b_hat and order_hat must be given together")


@dataclass(frozen=True)
class Bracket:
    """Term weight·h²·[K_first, K_second] of a row of a tableau; stages count from 1."""

    row: int
    """Stage whose argument has this term, or s + 1 for the end of the step."""
    weight: QuadraticNumber
    first: int
    second: int


@dataclass(frozen=True, kw_only=True, repr=False)
class ExplicitTableau(RungeKuttaTableau):
    """Explicit Runge–Kutta tableau for Runge–Kutta–Munthe-Kaas methods; a `ModelError` reports inconsistent
    coefficients."""

    b: ExactRow
    """Weights of the result."""
    brackets: tuple[Bracket, ...] = ()
    """Commutators of slopes in the arguments in addition to Σ a_ij K_j, with the signs of right multiplication."""

    def __post_init__(self) -> None:
        self._check_orders()
        self._check_rows(self.stages)
        self._check_weights("b", self.b)
        if self.b_hat is not None:
            self._check_weights("b_hat", self.b_hat)
        for term in self.brackets:
            if not (1 <= term.first < term.row and 1 <= term.second < term.row <= self.stages + 1):
                raise self._error(
                    f"a commutator of row {term.row} is of stages {term.first} and {term.second}, but these must come "
                    "before it"
                )

    @property
    def stages(self) -> int:
        return len(self.b)

    @property
    def fsal(self) -> bool:
        """Return whether the last stage is at the end of the step, so that its slope serves as first stage of the next
        step."""
        return self.c[-1] == 1 and self.b == (*self.a[-1], 0)
