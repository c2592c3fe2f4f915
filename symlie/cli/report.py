"""Printing, saving and drawing of solutions."""

from __future__ import annotations

import dataclasses
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symlie.cli.common import PAGES, PICTURES, RECORDINGS, check_writable
from symlie.cli.output import print_table, seconds
from symlie.cli.values import names, path
from symlie.errors import UnknownNameError

if TYPE_CHECKING:
    from symlie.runtime.layout.layout import Array, Layout
    from symlie.runtime.solution.recorder import Event, Statistics
    from symlie.runtime.solution.solution import Solution

MOST_EVENTS = 20
"""Maximum number of events that are printed."""

MOST_NUMBERS = 9
"""Maximum number of multipliers of a constraint that are printed."""


def shown(solution: Solution, t_eval: Sequence[float] | None) -> Solution:
    """Return the states to print: those at the requested times, or else the last one."""
    if t_eval is not None or not len(solution.t):
        return solution
    last = {name: getattr(solution, name)[-1:] for name in ("t", "q", "v", "multipliers")}
    return dataclasses.replace(solution, **last)


@dataclass(frozen=True)
class Results:
    """Output files of a command."""

    plot: str | None = None
    panels: list[str] | None = None
    plot_steps: str | None = None
    view: str | None = None
    out: str | None = None

    @property
    def files(self) -> list[str]:
        """Names of the files."""
        return [file for file in (self.plot, self.plot_steps, self.view, self.out) if file]

    @property
    def notes(self) -> dict[str, object]:
        """Return absolute paths for a checkpoint, so that the run can be resumed from any folder."""
        places = {name: getattr(self, name) for name in ("plot", "plot_steps", "view", "out")}
        return {name: file and os.path.abspath(file) for name, file in places.items()} | {"panels": self.panels}

    def write(self, solution: Solution) -> None:
        """Save and draw a solution."""
        if self.out:
            solution.save(self.out)
        if self.plot:
            solution.plot(self.plot, self.panels)
        if self.plot_steps and solution.trace is not None:
            solution.plot_steps(self.plot_steps)
        if self.view:
            solution.view().save(self.view)

    def print_names(self) -> None:
        """Print the names of the files written."""
        for file in self.files:
            print(f"\nwrote {file}")


def add_results(parser: ArgumentParser) -> None:
    """Add the arguments for output files."""
    parser.add_argument("--plot", metavar="FILE", type=path, help=f"draw the solution ({', '.join(PICTURES)})")
    parser.add_argument(
        "--panels",
        type=names,
        metavar="NAME,…",
        help="panels of --plot: energy, residuals, snapshots, NODE.FIELD, names of outputs and constraints",
    )
    parser.add_argument(
        "--plot-steps",
        metavar="FILE",
        type=path,
        help="draw sizes, error estimates and Newton iterations of all attempted steps; implies --trace",
    )
    parser.add_argument(
        "--view", metavar="FILE", type=path, help="write an interactive page that animates the motion (.html)"
    )
    parser.add_argument("--out", metavar="FILE", type=path, help=f"save the solution ({', '.join(RECORDINGS)})")


def results_of(arguments: Namespace, notes: Mapping[str, Any] | None = None) -> Results:
    """Return the checked output files from the arguments, or else from the notes of a checkpoint."""
    given = {name: getattr(arguments, name) for name in ("plot", "panels", "plot_steps", "view", "out")}
    results = Results(**{name: value or (notes or {}).get(name) for name, value in given.items()})
    check_writable(results.plot, PICTURES)
    check_writable(results.plot_steps, PICTURES)
    check_writable(results.view, PAGES)
    if results.panels and not results.plot:
        raise UnknownNameError("--panels chooses what --plot draws; add --plot FILE.")
    check_writable(results.out, RECORDINGS)
    return results


def solution_json(solution: Solution) -> dict[str, object]:
    """Return a solution for ``--json``, with the mobility of models with joints."""
    system = solution.system
    return solution.to_json() | ({"mobility": system.mobility().to_json()} if system.layout.joints else {})


def print_solution(solution: Solution, whole: Solution) -> None:
    """Print selected states of a solution, and the events and statistics of the whole solution."""
    h = whole.settings["h"]
    layout, statistics = solution.system.layout, solution.statistics
    options = "".join(f" {name}={value}" for name, value in layout.options.items())
    steps = "adaptive steps" if h is None else f"h = {h:g} s"
    print(f"{layout.name}{options}: {solution.method}, {steps}, backend {solution.system.backend}")
    units = {name: unit for name, (_, unit) in layout.outputs.items()} | {"energy": "J"}
    labels = {name: f"{name} ({unit})" for name, unit in units.items() if unit}
    outputs, multipliers = solution.outputs, solution.named_multipliers()
    for k, t in enumerate(solution.t):
        print(f"\nt = {t:.9g} s")
        rows = [(labels.get(name, name), _numbers(values[k])) for name, values in outputs.items()]
        rows += [(f"λ {name}", _numbers_or_largest(values[k])) for name, values in multipliers.items()]
        print_table(rows)
    if whole.events:
        print("\nevents")
        print_table((_event_name(e, layout), f"t = {e.t:.12g} s") for e in whole.events[:MOST_EVENTS])
        if len(whole.events) > MOST_EVENTS:
            print(f"  … {len(whole.events)} in all")
    print()
    per_step = f" ({seconds(statistics.cpu_seconds / statistics.steps)} per step)" if statistics.steps else ""
    print_table(
        [
            (
                "steps",
                f"{statistics.steps}, {'' if h else f'rejected {statistics.rejected}, '}"
                f"right-hand sides {statistics.rhs_evaluations}",
            ),
            *_newton_rows(statistics),
            *(
                [
                    ("largest |Φ|", f"{statistics.max_constraint_residual:.3g}"),
                    ("largest |Bv+b|", f"{statistics.max_velocity_residual:.3g}"),
                ]
                if layout.of_velocities.any()
                else []
            ),
            *([("mobility", solution.system.mobility().line)] if layout.joints else []),
            ("time loop", seconds(statistics.cpu_seconds) + per_step),
            (
                "before",
                f"derived in {_spent(statistics.derive_seconds)}, emitted in {_spent(statistics.emit_seconds)}, "
                f"compiled in {_spent(statistics.compile_seconds)}",
            ),
        ],
        indent="",
    )


def _newton_rows(statistics: Statistics) -> list[tuple[str, str]]:
    """Return the statistics of Newton's method per step; empty for explicit methods."""
    s, tried = statistics, statistics.accepted + statistics.rejected
    if not s.newton_iterations:
        return []
    refreshes = f", {s.refreshes} instead of reused factors" if s.refreshes else ""
    return [
        ("Newton iterations", f"{s.newton_iterations / tried:.3g} per step, at most {s.most_newton_iterations}"),
        ("slowest", f"{s.slowest_row}, in the step after t = {s.slowest_step:.6g} s"),
        ("fresh matrices", f"{s.jacobians / tried:.3g} per step{refreshes}"),
        ("halvings", f"{s.halvings / tried:.3g} per step"),
        *([("orders", _orders(s))] if _orders(s) else []),
        *([("at rounding", f"{s.rounding_floor} steps")] if s.rounding_floor else []),
    ]


def _orders(statistics: Statistics) -> str:
    """Return the number of steps of each order for methods of variable order."""
    counts = [getattr(statistics, f"steps_of_order_{k}") for k in range(1, 6)]
    return ", ".join(f"{count} of order {k}" for k, count in enumerate(counts, start=1) if count)


def _event_name(event: Event, layout: Layout) -> str:
    repeated = sum(e.name == event.name for e in layout.events) > 1
    return f"{event.name}[{event.instance}]" if repeated else event.name


def _spent(value: float) -> str:
    return seconds(value) if value else "0 s (cached)"


def _numbers(values: Array) -> str:
    import numpy as np

    return "  ".join(f"{value: .9g}" for value in np.ravel(values))


def _numbers_or_largest(values: Array) -> str:
    """Format numbers, or only their count and the largest one for long lists."""
    if values.size <= MOST_NUMBERS:
        return _numbers(values)
    shape = " × ".join(map(str, values.shape))
    return f"{shape} values, largest |λ| = {abs(values).max():.9g}"
