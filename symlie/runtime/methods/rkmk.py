"""Runge–Kutta–Munthe-Kaas methods; `symlie.runtime.methods.programs.rkmk` contains their step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.family import Method, ScalarStages
from symlie.runtime.methods.options import Choice
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.methods.programs.rkmk import rkmk_step
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.exact import ExactRow, rounded
from symlie.runtime.tableaux.order_conditions import MOST_NODES, FoundOrder, inverse_weights, order_of, rkmk_series
from symlie.runtime.tableaux.tableau import Bracket, ExplicitTableau

MAPS = ("exp", "cayley", "second_kind")
"""Local coordinates of a step: exponential map, Cayley map, and products of exponentials along basis vectors."""

MOST_COMMUTATORS = 30
"""Largest number of terms of dexp⁻¹, far more than the orders of tableaux need."""


@dataclass(frozen=True, eq=False)
class ExplicitTable:
    """Explicit tableau in floating-point form for steps."""

    a: Array
    """Coefficients a_ij of the stages, and the weights b as last row, shape (stages + 1, stages)."""
    c: Array
    """Nodes of the stages."""
    b_hat: Array | None
    """Embedded weights of all stages, including the end stage; None without an embedded formula."""
    has_end_stage: bool
    """True if an additional stage at the end of the step serves the embedded formula and the next step."""
    brackets: tuple[Bracket, ...]
    """Commutators of slopes in the rows of the tableau."""
    inverse: tuple[float, ...] | None
    """Weights of dexp⁻¹ in powers of ad, from the first one; empty: identity, None: exact."""

    @property
    def stages(self) -> int:
        """Number of stages without the stage at the end of the step."""
        return len(self.c)


@dataclass(frozen=True, repr=False)
class ExplicitMethod(Method):
    """Base class of methods with an explicit tableau."""

    tableau: ExplicitTableau

    required: ClassVar[tuple[str, ...]] = ("a", "b")
    optional: ClassVar[tuple[str, ...]] = ("c", "b_hat", "brackets", "commutators")
    takes_coordinate_rates: ClassVar[bool] = True

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        rows = reader.runge_kutta("b", "b_hat")
        return cls(ExplicitTableau(**rows, brackets=_brackets(reader), **reader.common()))

    @property
    def has_end_stage(self) -> bool:
        """True if the last stage is at the end of the step and has zero weight, so that fixed steps do not need it."""
        return self.tableau.fsal and self.tableau.has_estimate

    @property
    def inverse(self) -> tuple[float, ...] | None:
        """Weights of the truncated dexp⁻¹; see `ExplicitTable`."""
        return None

    @cached_property
    def table(self) -> ExplicitTable:
        """Tableau in floating-point form for steps."""
        tableau = self.tableau
        weights, rows = rounded(tableau.b), tableau.a_float()
        used = tableau.stages - int(tableau.fsal)
        b_hat = None
        if tableau.b_hat is not None:
            b_hat = np.zeros(used + int(self.has_end_stage))
            b_hat[: tableau.stages] = rounded(tableau.b_hat)
        a = np.vstack([rows[:used, :used], weights[:used]])
        return ExplicitTable(a, rounded(tableau.c)[:used], b_hat, self.has_end_stage, tableau.brackets, self.inverse)

    def orders(self) -> tuple[FoundOrder, FoundOrder | None]:
        tableau = self.tableau
        return self._order(tableau.b), None if tableau.b_hat is None else self._order(tableau.b_hat)

    def _order(self, weights: ExactRow, commutators: int | None = None) -> FoundOrder:
        return order_of(rkmk_series(self.tableau, weights, commutators, MOST_NODES), self.tableau.tolerance)

    def scalar_stages(self) -> ScalarStages:
        return ScalarStages([0] * len(self.table.a), list(self.table.a))


@dataclass(frozen=True, repr=False)
class Rkmk(ExplicitMethod, ProgrammedMethod):
    """Runge–Kutta–Munthe-Kaas method."""

    commutators: int | None = None
    """Number of nested commutators in the truncated dexp⁻¹; 0: identity, None: exact."""
    map: str = "exp"
    """Local coordinates, one of `MAPS`."""

    family: ClassVar[str] = "rkmk"
    option_values: ClassVar[Mapping[str, str]] = {
        "commutators": f"exact | auto | 0 … {MOST_COMMUTATORS}",
        "map": Choice(MAPS).text,
    }
    members: ClassVar[str] = "tableaux of the family rkmk"

    def __post_init__(self) -> None:
        if self.commutators is not None and not 0 <= self.commutators <= MOST_COMMUTATORS:
            raise ModelError(
                f"Method {self.name}: commutators is {self.commutators}, but it must be None or, for the family rkmk, "
                f"a number of commutators from 0 to {MOST_COMMUTATORS}."
            )
        if self.map != "exp" and self.tableau.brackets:
            raise ModelError(f"Method {self.name}: only methods of the family rkmk have the option map.")
        if self.map != "exp" and self.commutators is not None:
            raise ModelError(
                f"Method {self.name}: truncated series require map=exp; use commutators=exact with map={self.map}."
            )

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        return replace(super().read(reader), commutators=reader.integer("commutators"))

    @property
    def order(self) -> int:
        return self._truncated(self.tableau.order)

    @property
    def order_hat(self) -> int | None:
        return None if self.tableau.order_hat is None else self._truncated(self.tableau.order_hat)

    def _truncated(self, order: int) -> int:
        if self.commutators is None or self.tableau.brackets:
            return order
        return min(order, order_of_truncation(self.commutators))

    def _order(self, weights: ExactRow, commutators: int | None = None) -> FoundOrder:
        return super()._order(weights, self.commutators)

    @property
    def options(self) -> dict[str, object]:
        if self.tableau.brackets:
            return {}
        return {"commutators": "exact" if self.commutators is None else self.commutators, "map": self.map}

    def _with(self, options: Mapping[str, object]) -> Self:
        chosen = options.get("map", self.map)
        chosen = Choice(MAPS).read(self.name, "map", chosen)
        stated = options.get("commutators", "exact" if self.commutators is None else self.commutators)
        return replace(self, map=chosen, commutators=self._commutators(stated))

    def _commutators(self, stated: object) -> int | None:
        if stated == "exact":
            return None
        if stated == "auto":
            return next(k for k in range(self.tableau.order) if order_of_truncation(k) >= self.tableau.order)
        if isinstance(stated, float) and stated.is_integer():
            stated = int(stated)
        if not isinstance(stated, int) or isinstance(stated, bool) or stated < 0:
            raise UnknownNameError(f"commutators must be exact, auto or a number from 0, not {stated!r}.")
        return stated

    @property
    def is_free_of_commutators(self) -> bool:
        return self.commutators == 0 and not self.tableau.brackets and self.map == "exp"

    @property
    def kernel_set(self) -> str | None:
        return None if self.map == "exp" else self.map

    @property
    def inverse(self) -> tuple[float, ...] | None:
        if self.commutators is None:
            return None
        return tuple(float(x) for x in inverse_weights(self.commutators + 1)[1:])

    @property
    def coordinates(self) -> str:
        return self.map

    def constants(self) -> list[str]:
        return ["#define STEP_ANGLE(x) (2 * atan(0.5 * (x)))"] if self.map == "cayley" else []

    def angles(self, components: Array) -> Array:
        return 2 * np.arctan(0.5 * components) if self.map == "cayley" else components

    def write_step(self, s: StepRecorder) -> None:
        rkmk_step(s, self.table)


def order_of_truncation(commutators: int) -> int:
    """Return the highest order with dexp⁻¹ truncated after k commutators, at least k + 2. Source: [MuntheKaas1999]."""
    # Even numbers of commutators k ≥ 2 gain one order, since B₃ = B₅ = … = 0.
    return commutators + 2 if commutators < 2 else 2 * (commutators // 2) + 3


def _brackets(reader: EntryReader) -> tuple[Bracket, ...]:
    stated = reader.entry.get("brackets", ())
    if not isinstance(stated, Sequence) or isinstance(stated, str):
        raise reader.error(f"brackets is {stated!r}, but it must be an array of commutators")
    return tuple(_bracket(reader, value) for value in stated)


def _bracket(reader: EntryReader, value: object) -> Bracket:
    if not isinstance(value, Mapping) or set(value) != {"row", "weight", "first", "second"}:
        raise reader.error(f"a commutator is {value!r}, but it must be a table with row, weight, first and second")
    inner = EntryReader(reader.name, value)
    row, first, second = (inner.required_integer(key) for key in ("row", "first", "second"))
    return Bracket(row, reader.number("a commutator", value["weight"]), first, second)
