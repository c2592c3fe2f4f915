"""Summaries of solutions and states, in one line and as tables for notebooks."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from symlie.utilities.showing import brief, line, table

if TYPE_CHECKING:
    from symlie.runtime.solution.solution import Solution
    from symlie.runtime.solution.state import State


MOST_NAMED = 4
"""Largest number of outputs listed in one line."""


def solution_line(solution: Solution) -> str:
    """Return a summary of a solution in one line."""
    done = solution.statistics
    parts = [
        solution.system.name,
        solution.method,
        _times(solution),
        f"{len(solution.t)} states",
        f"{done.steps} steps",
    ]
    parts += [f"largest |Φ| {done.max_constraint_residual:.2g}"] if solution.system.layout.rows else []
    names = solution.undetermined.outputs
    parts += [f"not unique: {', '.join(names[:MOST_NAMED])}{', …' if len(names) > MOST_NAMED else ''}"] if names else []
    return line("Solution", [*parts, solution.status])


def solution_html(solution: Solution) -> str:
    """Return times, steps and drift of a solution as a table."""
    done, layout = solution.statistics, solution.system.layout
    rows: list[tuple[str, object]] = [
        ("method", solution.method),
        ("status", solution.status),
        ("t in s", _times(solution).removeprefix("t = ").removesuffix(" s")),
        ("recorded states", len(solution.t)),
        ("steps", f"{done.steps} ({done.rejected} rejected)"),
        ("processor time in s", f"{done.cpu_seconds:.3g}"),
    ]
    if layout.rows:
        rows += [("largest |Φ|", f"{done.max_constraint_residual:.2e}")]
        rows += [("largest |B v + b|", f"{done.max_velocity_residual:.2e}")]
    if len(solution.t):
        first, last = _energies(solution)
        rows += [("energy in J, at the end", f"{last:.6g} ({last - first:+.2e} since the start)")]
    rows += [("events", len(solution.events))] if layout.events else []
    rows += [("warning", text) for text in solution.warnings]
    rows += [("in space", "solution.view()")] if len(solution.t) else []
    return table(f"{layout.name}", rows) + outputs_table(solution, layout.outputs)


def outputs_table(solution: Solution, names: Iterable[str]) -> str:
    """Return the table of outputs with their numbers of components and units."""
    layout, undetermined = solution.system.layout, solution.undetermined.outputs
    outputs = []
    for name in names:
        size, unit = 1, "J" if name == "energy" else ""
        if name in layout.outputs:
            position, unit = layout.outputs[name]
            size = position.stop - position.start
        elif name in layout.node_outputs:
            node, field, unit = layout.node_outputs[name]
            size = math.prod(field.shape) * int(np.sum(~node.fixed))
        outputs.append((f"{name} (not unique)" if name in undetermined else name, size, unit))
    return table("outputs", outputs, ("name", "components", "unit"))


def _energies(solution: Solution) -> tuple[float, float]:
    """Return the energies at the start and at the end; for a long solution no other states are evaluated."""
    known = solution.__dict__.get("outputs")
    if known is None:
        ends = {name: getattr(solution, name)[[0, -1]] for name in ("t", "q", "v", "multipliers")}
        known = dataclasses.replace(solution, **ends).outputs
    return float(known["energy"][0]), float(known["energy"][-1])


def state_line(state: State) -> str:
    """Return a summary of one or several states in one line."""
    when = f"t = {state.t:.6g} s" if not state.shape else f"shape {state.shape}"
    known = ("q", "v") if state.of_solution is None else ("q", "v", "multipliers")
    return line(type(state).__name__, [state.system.name, when, *(f"{n} {brief(getattr(state, n))}" for n in known)])


def _times(solution: Solution) -> str:
    return f"t = {solution.t[0]:.6g} … {solution.t[-1]:.6g} s" if len(solution.t) else "no times"
