"""Compositions of exponentials: commutator-free methods and Crouch–Grossman methods.

    Y_i = Y_start∘exp(h Σ_j e_1j f_j)∘exp(h Σ_j e_2j f_j)∘…  (1)
    f_j = (V_j, V̇_j) at Y_j = (Q_j, V_j)  (2)

Every stage and the result follow from the start of the step or from an earlier stage by a chain of exponentials; the
velocity increments are summed. The first of a chain acts first: q∘exp(h Σ_j α_j f_j)∘exp(h Σ_j β_j f_j) under right
multiplication, exp(h Σ_j β_j f_j)·exp(h Σ_j α_j f_j)·y under an action from the left. Without commutators the signs
agree. The error of a pair is the distance of its two ends,

    log(q_{n+1}⁻¹∘q̂_{n+1})  (3)

or, with the option ``error_metric="algebra"``, the difference of their local coordinates at the start of the step,

    log(q_n⁻¹∘q̂_{n+1}) - log(q_n⁻¹∘q_{n+1})  (4)

as for methods with a single exponential per step: (4) is T⁻¹ of the step times (3), up to squares of (3). Equation
numbers refer to ``commutator_free.h``.

Source: [Celledoni2022], section 2; [Crouch1993]; left-trivialised.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from symlie.runtime.kernels.c_text import c_integers, c_matrix, c_vector
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.family import Method, ScalarStages
from symlie.runtime.methods.options import Choice
from symlie.runtime.methods.stepper import weighted
from symlie.runtime.tableaux.chains import Chain, ChainTableau
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.exact import ExactRow, QuadraticNumber, exact_row, exact_sum, rounded
from symlie.runtime.tableaux.order_conditions import MOST_NODES, FoundOrder, chain_series, order_of

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial


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
class CommutatorFree(Method):
    """Commutator-free method."""

    tableau: ChainTableau
    error_metric: str = "group"
    """Error metric of a pair: ``"group"`` (3), or ``"algebra"`` (4)."""

    family: ClassVar[str] = "commutator_free"
    header: ClassVar[str] = "commutator_free.h"
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

    def constants(self) -> list[str]:
        table = self.table
        return [
            f"#define STAGES {table.stages}",
            f"#define NEEDED {table.needed}",
            f"#define ERROR_IN_ALGEBRA {int(self.error_metric == 'algebra')}",
            c_matrix("EXPONENTIAL", table.exponentials),
            c_integers("BOUND", table.bounds),
            c_integers("START", table.start),
            c_vector("C", table.c),
        ]

    def scalar_stages(self) -> ScalarStages:
        table, end = self.table, self.table.stages + 1
        bounds = zip(table.bounds, table.bounds[1 : end + 1], strict=False)
        return ScalarStages(table.start[:end], [table.exponentials[a:b].sum(axis=0) for a, b in bounds])

    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        table = self.table
        m, k, t = stepper.mechanics, stepper.mechanics.kernels, state.t
        rate: list[Array] = []
        v_dot: list[Array] = []
        points: list[tuple[Array, Array, Array]] = [(state.q, state.v, np.zeros_like(state.v))]

        def end_of(chain: int, time: float) -> tuple[Array, Array, Array]:
            # (1)
            q, v, moved = (x.copy() for x in points[table.start[chain]])
            for weights in table.exponentials[table.bounds[chain] : table.bounds[chain + 1]]:
                theta = h * weighted(weights, rate)
                q = stepper.advance(q, theta)
                v = v + h * weighted(weights, v_dot)
                moved = moved + theta
            m.prescribe(time, q, v)
            return q, v, moved

        stages = table.stages if stepper.control.with_estimate else table.needed
        for i in range(stages):
            stage_t = t + table.c[i] * h
            if i > 0:
                points.append(end_of(i, stage_t))
            Q, V, _ = points[i]
            # (2)
            solved = stepper.stage(state, i, stage_t, Q, V)
            v_dot.append(solved[0])
            rate.append(stepper.moving(m.rate(stage_t, Q, V, *solved)))
        q, v, moved = end_of(table.stages, t + h)
        trial = stepper.trial(state, q, v, v_dot, stages, moved)
        if stepper.rows:
            # λ belongs to the end of the step, whose v' is reused as the first stage of the next step.
            trial.acceleration, trial.multipliers = stepper.acceleration(t + h, trial.q, v, state.multipliers)
            trial.rhs_evaluations += 1
            stepper.measure(trial, t + h, q, v, m.jacobian(t + h, q, v))
        if stepper.control.with_estimate:
            q_hat, v_hat, _ = end_of(table.stages + 1, t + h)
            theta = k.difference(state.q, q)
            if self.error_metric == "algebra":
                # (4)
                theta_hat = k.difference(state.q, q_hat)
            else:
                # (3)
                theta_hat = theta + k.difference(q, q_hat)
            trial.estimate(stepper.control, theta, theta_hat, state.v, v, v_hat)
        return trial


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
