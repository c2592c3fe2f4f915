"""Convergence in space: errors versus an option that refines the grid of a model, at the nodes common to all grids."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symlie.errors import IntegrationError, ModelError, UnknownNameError
from symlie.options import Multipliers, Norm, Stabilization
from symlie.runtime.integrate.progress import Progress
from symlie.runtime.integrate.solve import solve
from symlie.runtime.layout.layout import Layout
from symlie.runtime.layout.slices import NodeSlice
from symlie.runtime.layout.topology import Numbers, continues_another, first_numbers
from symlie.runtime.solution.solution import Solution
from symlie.runtime.study.comparison import (
    Comparison,
    EndState,
    Measured,
    Seen,
    check_norm,
    courses,
    end_state,
    error_against,
    points_of,
)
from symlie.runtime.study.convergence import ConvergenceRow, row_of
from symlie.runtime.system.system import System

HIGHEST_ORDER = 20.0
"""Upper bound, and negative lower bound, of the search for an observed order."""

ORDER_RESOLUTION = 1e-9
"""Width of the interval at which the search for an observed order ends."""


@dataclass(frozen=True, eq=False)
class Grid:
    """A system built with one value of the option."""

    value: float
    system: System


@dataclass(frozen=True)
class GridRow(ConvergenceRow):
    """One run on one grid."""

    option: str
    value: float

    def to_json(self) -> dict[str, object]:
        """Return the row as a JSON object, with the value under the name of the option."""
        row = super().to_json()
        del row["option"], row["value"]
        return {self.option: self.value, **row}


def refinement(
    option: str,
    grids: Sequence[Grid],
    t_end: float,
    methods: Sequence[str],
    h: float,
    *,
    reference: tuple[Grid, EndState | Solution] | None = None,
    norm: Norm = "end",
    at: Sequence[float] | None = None,
    method_options: Mapping[str, object] | None = None,
    multipliers: Multipliers = "stage",
    stabilize: Stabilization = "none",
    progress: Callable[[str], Progress | None] = lambda label: None,
) -> Iterator[GridRow]:
    """Integrate a model on several grids with one step size, and compare the states at the end time or over the run."""
    check_norm(norm, at)
    if norm == "max":
        raise UnknownNameError("Grids are compared in the norms end and l2, not in max.")
    every = [*grids, *([reference[0]] if reference else [])]
    coarsest = min(every, key=lambda g: g.value)

    def run(grid: Grid, name: str, times: Sequence[float]) -> Solution:
        label = f"{name}, {option}={grid.value:g}"
        try:
            return solve(
                grid.system,
                t_end,
                method=name,
                method_options=method_options,
                h=h,
                t_eval=times,
                multipliers=multipliers,
                stabilize=stabilize,
                progress=progress(label),
            )
        except IntegrationError as error:
            raise type(error)(f"{label}, h = {h:g}: {error}", error.solution) from error

    if norm == "l2":
        comparison = courses(t_end, h, points_of(coarsest.system.layout, at))
        yield from _rows(run, option, grids, methods, h, comparison, reference)
        return
    # In the norm "end" states are compared at the nodes of the coarsest grid. The reference grid is finite too:
    # e_1/e_2 = (d_1^p - d_ref^p)/(d_2^p - d_ref^p) with the node distances d (Richardson extrapolation).
    _check_refined(option, coarsest, every)
    layouts = {grid.value: grid.system.layout for grid in every}

    def common(found: EndState | Solution, value: float) -> EndState:
        ratio = round(value / coarsest.value)
        return restricted(end_state(found), layouts[value], coarsest.system.layout, ratio)

    ends = Comparison([t_end], common, functools.partial(error_against, coarsest.system))
    yield from _rows(run, option, grids, methods, h, ends, reference)


def _rows(
    run: Callable[[Grid, str, Sequence[float]], Solution],
    option: str,
    grids: Sequence[Grid],
    methods: Sequence[str],
    h: float,
    comparison: Comparison[Seen],
    reference: tuple[Grid, EndState | Solution] | None,
) -> Iterator[GridRow]:
    finest = reference[0] if reference else max(grids, key=lambda g: g.value)
    for name in methods:
        exact = reference[1] if reference else run(finest, name, comparison.times)
        best = comparison.seen(exact, finest.value)
        before: tuple[float, Measured] | None = None
        for grid in grids:
            if grid is finest:
                continue
            solution = run(grid, name, comparison.times)
            error = comparison.error(comparison.seen(solution, grid.value), best)
            ratio = finest.value / grid.value
            order = richardson_orders(before, (ratio, error)) if before else Measured()
            before = ratio, error
            row = row_of(name, h, solution, error, order, solution.statistics.cpu_seconds)
            yield GridRow(**vars(row), option=option, value=grid.value)


def _check_refined(option: str, coarsest: Grid, grids: Sequence[Grid]) -> None:
    if coarsest.value <= 0 or any(g.value % coarsest.value for g in grids):
        raise ModelError(f"The values of '{option}' must be multiples of the smallest one, {coarsest.value:g}.")
    sizes = {tuple(n.count for n in g.system.layout.nodes) for g in grids}
    if len(sizes) == 1:
        raise ModelError(f"Option '{option}' does not change the size of a node array, so no grid is refined.")


def restricted(state: EndState, layout: Layout, coarse: Layout, ratio: int) -> EndState:
    """Return a state at the nodes and elements of a grid coarser by the integer ``ratio``."""
    first, numbers = first_numbers(layout), []
    q, v = [], []
    for target in coarse.nodes:
        node = layout.node(target.name)
        kept = _common_nodes(layout, target, node.count, ratio)
        numbers.append(first[node.name] + kept)
        q.append(state.q[node.storage].reshape(node.count, -1)[kept].ravel())
        v.append(state.v[node.velocity].reshape(node.count, -1)[kept].ravel())
    same = np.concatenate(numbers)
    rows = np.zeros(coarse.rows)
    for name, wanted in coarse.constraints.items():
        if not wanted.is_array:
            rows[wanted.rows] = state.multipliers[layout.constraints[name].rows]
            continue
        element = [e.name for e in coarse.elements].index(wanted.element)
        part = layout.constraints[name]
        members, kept = layout.members[element][part.instances], coarse.members[element][wanted.instances]
        chosen = _instances(members, same[kept], name)
        rows[wanted.rows] = state.multipliers[part.rows][chosen].mean(axis=1)
    return EndState(np.concatenate(q), np.concatenate(v), rows)


def _common_nodes(layout: Layout, coarse: NodeSlice, count: int, ratio: int) -> Numbers:
    """Return the index in the finer array of each node of a coarser one."""
    if count == coarse.count:
        return np.arange(count)
    # A line has one segment fewer than nodes. A ring has as many segments as nodes, and so has a line whose first or
    # last node belongs to another array; if both do, it has one segment more.
    for more in (-1, 0, 1):
        if count + more == ratio * (coarse.count + more):
            before = int(more == 1 or (more == 0 and continues_another(layout, coarse.name)))
            return ratio * (np.arange(coarse.count) + before) - before
    raise ModelError(
        f"Node array '{coarse.name}' has {coarse.count} nodes, but {count} on a grid {ratio} times as fine."
    )


def _instances(members: Numbers, wanted: Numbers, constraint: str) -> Numbers:
    """Return the elements that replace each element between the selected nodes, shape (elements, 1 or 2)."""
    number = {tuple(row): k for k, row in enumerate(members.tolist())}
    found = [number.get(tuple(row)) for row in wanted.tolist()]
    if None not in found:
        return np.array(found, dtype=np.int64)[:, None]
    ratio, rest = divmod(len(members), len(wanted))
    if rest:
        raise ModelError(
            f"The {len(members)} instances of constraint '{constraint}' on a finer grid cannot be matched with the "
            f"{len(wanted)} on the coarsest."
        )
    # A finer grid has several elements instead: take the middle one, or the mean of the two elements adjacent to the
    # middle.
    middle = np.array([(ratio - 1) // 2, ratio // 2], dtype=np.int64)
    starts = ratio * np.arange(len(wanted), dtype=np.int64)
    return starts[:, None] + middle


def richardson_orders(before: tuple[float, Measured], after: tuple[float, Measured]) -> Measured:
    """Compute observed orders from two grids, given by their node distances relative to the reference and their
    errors."""
    (ratio, error), (next_ratio, next_error) = before, after
    pairs = ((getattr(error, part), getattr(next_error, part)) for part in ("q", "v", "multipliers"))
    return Measured(*(_order(a, ratio, b, next_ratio) for a, b in pairs))


def _order(error: float | None, ratio: float, next_error: float | None, next_ratio: float) -> float | None:
    """Solve (ratio^p - 1)/(next_ratio^p - 1) = error/next_error, increasing in p, for p; return None without a
    solution."""
    if not error or not next_error or ratio == next_ratio or min(ratio, next_ratio) <= 1:
        return None
    if ratio < next_ratio:
        return _order(next_error, next_ratio, error, ratio)
    low, high = -HIGHEST_ORDER, HIGHEST_ORDER
    if not _quotient(low, ratio, next_ratio) < error / next_error < _quotient(high, ratio, next_ratio):
        return None
    while high - low > ORDER_RESOLUTION:
        middle = (low + high) / 2
        if _quotient(middle, ratio, next_ratio) < error / next_error:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _quotient(p: float, ratio: float, next_ratio: float) -> float:
    if p == 0:
        return math.log(ratio) / math.log(next_ratio)
    return math.expm1(p * math.log(ratio)) / math.expm1(p * math.log(next_ratio))
