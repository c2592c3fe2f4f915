"""Commutator-free methods and Crouch–Grossman methods; `symlie.runtime.methods.programs.commutator_free` contains their
step.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.family import ScalarStages
from symlie.runtime.methods.options import Choice
from symlie.runtime.methods.programs.commutator_free import commutator_free_step
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.tableaux.chains import Chain, ChainTableau
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.exact import ExactRow, QuadraticNumber, exact_row, exact_sum, rounded
from symlie.runtime.tableaux.order_conditions import MOST_NODES, FoundOrder, chain_series, order_of


@dataclass(frozen=True, eq=False)
class ChainTable:
    """Chains of exponentials in a step: first the chains of the stages, then the chains of the result and of the
    embedded result."""

    exponentials: Array
    """Weights of the slopes in each exponential, shape (exponentials, stages)."""
    bounds: tuple[int, ...]
    """Chain k has the exponentials from ``bounds[k]`` to ``bounds[k + 1]``."""
    start: tuple[int, ...]
    """Initial stage of each chain, counted from 0."""
    c: Array
    """Nodes of the stages."""
    needed: int
    """Number of stages that the result depends on; the embedded result uses the others."""

    @property
    def stages(self) -> int:
        """Number of stages."""
        return len(self.c)


ERROR_METRIC = Choice(("group", "algebra"))
"""Metrics of the distance between the two ends of a pair."""


@dataclass(frozen=True, repr=False)
class CommutatorFree(ProgrammedMethod):
    """Commutator-free method."""

    tableau: ChainTableau
    error_metric: str = "group"
    """Error metric of a pair: ``"group"`` or ``"algebra"``."""

    family: ClassVar[str] = "commutator_free"
    takes_coordinate_rates: ClassVar[bool] = True
    required: ClassVar[tuple[str, ...]] = ("stages", "result")
    optional: ClassVar[tuple[str, ...]] = ("c", "result_hat")
    option_values: ClassVar[Mapping[str, str]] = {"error_metric": ERROR_METRIC.text}
    members: ClassVar[str] = "commutator-free pairs"

    @property
    def options(self) -> dict[str, object]:
        return {"error_metric": self.error_metric} if self.has_estimate else {}

    def _with(self, options: Mapping[str, object]) -> Self:
        return replace(self, error_metric=ERROR_METRIC.read(self.name, "error_metric", options["error_metric"]))

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        entry = reader.entry
        if not isinstance(entry["stages"], Sequence) or isinstance(entry["stages"], str):
            raise reader.error(f"stages is {entry['stages']!r}, but it must be an array of chains")
        c = reader.row("c", entry["c"]) if "c" in entry else None
        chains = tuple(_chain(reader, f"stage {k}", value) for k, value in enumerate(entry["stages"], start=1))
        ends: dict[str, Any] = {
            key: _chain(reader, key, entry[key]) for key in ("result", "result_hat") if key in entry
        }
        c = c if c is not None else _nodes(chains)
        return cls(ChainTableau(**ends, c=c, chains=chains, **reader.common()))

    @property
    def is_free_of_commutators(self) -> bool:
        return True

    def orders(self) -> tuple[FoundOrder, FoundOrder | None]:
        tableau = self.tableau
        first, *second = [
            order_of(chain_series(tableau, end, MOST_NODES), tableau.tolerance) for _, end in tableau.ends()
        ]
        return first, second[0] if second else None

    @cached_property
    def table(self) -> ChainTable:
        """Chains of a step."""
        tableau = self.tableau
        chains = [*tableau.chains, *(chain for _, chain in tableau.ends())]
        rows = [row for chain in chains for row in chain.exponentials]
        exponentials = np.zeros((len(rows), tableau.stages))
        for target, row in zip(exponentials, rows, strict=True):
            target[: len(row)] = rounded(row)
        bounds = (0, *itertools.accumulate(len(chain.exponentials) for chain in chains))
        used = [k for row in tableau.result.exponentials for k, weight in enumerate(row, start=1) if weight]
        start = tuple(chain.start - 1 for chain in chains)
        return ChainTable(exponentials, bounds, start, rounded(tableau.c), max([tableau.result.start, *used]))

    def scalar_stages(self) -> ScalarStages:
        table, end = self.table, self.table.stages + 1
        bounds = zip(table.bounds, table.bounds[1 : end + 1], strict=False)
        return ScalarStages(table.start[:end], [table.exponentials[a:b].sum(axis=0) for a, b in bounds])

    def write_step(self, s: StepRecorder) -> None:
        in_algebra = self.error_metric == "algebra"
        commutator_free_step(s, self.table, has_estimate=self.has_estimate, error_in_algebra=in_algebra)


@dataclass(frozen=True, repr=False)
class CrouchGrossman(CommutatorFree):
    """Crouch–Grossman method: Y_i = q∘exp(h a_i1 f_1)∘…∘exp(h a_i,i-1 f_{i-1}), and the same with the weights b at the
    end of the step."""

    family: ClassVar[str] = "crouch_grossman"
    required: ClassVar[tuple[str, ...]] = ("a", "b")
    optional: ClassVar[tuple[str, ...]] = ("c", "b_hat")
    members: ClassVar[str] = "pairs of the family crouch_grossman"

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        rows = reader.runge_kutta("b", "b_hat")
        a: tuple[ExactRow, ...] = rows["a"]
        ends: dict[str, Any] = {}
        for key, name in (("b", "result"), ("b_hat", "result_hat")):
            if key not in rows:
                continue
            if len(rows[key]) != len(a):
                raise reader.error(f"{key} has length {len(rows[key])}, but it must have length {len(a)}")
            ends[name] = along_slopes(rows[key])
        chains = tuple(map(along_slopes, a))
        return cls(ChainTableau(**ends, c=rows["c"], chains=chains, **reader.common()))


def along_slopes(weights: Sequence[QuadraticNumber]) -> Chain:
    """Return a chain that begins at the start of the step and has one exponential for each slope of nonzero weight, in
    order."""
    rows = ((*exact_row([0] * k), weight) for k, weight in enumerate(weights) if weight)
    return Chain(tuple(rows))


def _nodes(chains: Sequence[Chain]) -> ExactRow:
    nodes: list[QuadraticNumber] = []
    for chain in chains:
        start = nodes[chain.start - 1] if 1 <= chain.start <= len(nodes) else QuadraticNumber()
        nodes.append(start + exact_sum(entry for row in chain.exponentials for entry in row))
    return tuple(nodes)


def _chain(reader: EntryReader, what: str, value: object) -> Chain:
    """Return a chain of exponentials from an entry such as ``{from = "Y2", exps = [["-1/2", "0", "1"]]}``."""
    if not isinstance(value, Mapping) or not set(value) <= {"from", "exps"}:
        raise reader.error(
            f'{what} is {value!r}, but it must be a table such as {{from = "Y2", exps = [["-1/2", "0", "1"]]}}'
        )
    start = value.get("from", "y")
    match = re.fullmatch(r"Y([1-9][0-9]*)", start) if isinstance(start, str) else None
    if match is None and start != "y":
        raise reader.error(f'{what} is from {start!r}, but it must be from "y" or a stage such as "Y2"')
    rows = value.get("exps", ())
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise reader.error(f"the exps of {what} are {rows!r}, but they must be an array of rows")
    return Chain(
        tuple(reader.row(f"exponential {k} of {what}", row) for k, row in enumerate(rows, start=1)),
        int(match[1]) if match else 1,
    )
