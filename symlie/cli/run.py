"""``symlie run``: integrate a model."""

from __future__ import annotations

import dataclasses
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from symlie.cli.common import PICTURES, RECORDINGS, add_json, add_model, add_system, check_writable, describe, system_of
from symlie.cli.output import Progress, print_json, print_table, seconds
from symlie.cli.steps import add_steps, steps_of
from symlie.cli.values import names, number, numbers
from symlie.errors import IntegrationError, UnknownNameError

if TYPE_CHECKING:
    from symlie.runtime.layout import Array, Layout
    from symlie.runtime.recorder import Event
    from symlie.runtime.reference import ReferenceState
    from symlie.runtime.solution import Solution

SUMMARY = "Integrate a model and print, draw or save the solution."
EXAMPLE = """symlie run heavy_top -o group=SE3 --h '2**-11' --t-end 1 --plot top.png --out top.nc
  symlie run heavy_top -o group=SE3 --rtol 1e-8 --t-end 1 --stabilize projection --plot-steps steps.png"""

DEFAULT_END = 1.0
"""End time where none is given, in s."""

MOST_DRAWN = 5_000
"""States from which steps are left out of a picture."""

MOST_EVENTS = 20
"""Events that are printed one by one."""

MOST_NUMBERS = 9
"""Multipliers of a constraint that are printed one by one."""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    add_model(parser)
    parser.add_argument("--method", default="half_explicit_5", help="see 'symlie list'; default: half_explicit_5")
    add_steps(parser)
    parser.add_argument("--t-end", type=number, metavar="T", help="end time in s; default: last of --t-eval, else 1")
    parser.add_argument(
        "--t-eval", type=numbers, metavar="T,T,…", help="times to report, hit exactly; default: the end"
    )
    add_system(parser)
    parser.add_argument("--reference", action="store_true", help="compare the end with the model's known solution")
    parser.add_argument("--plot", metavar="FILE", help=f"draw the solution ({', '.join(PICTURES)})")
    parser.add_argument(
        "--panels",
        type=names,
        metavar="NAME,…",
        help="what --plot draws: energy, residuals, snapshots, NODE.FIELD, names of outputs and constraints",
    )
    parser.add_argument(
        "--plot-steps",
        metavar="FILE",
        help="draw sizes and error estimates of all tried steps; implies --trace",
    )
    parser.add_argument("--out", metavar="FILE", help=f"save the solution ({', '.join(RECORDINGS)})")
    parser.add_argument("--progress", action="store_true", help="print progress as lines, also without a terminal")
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Run the command."""
    describe(arguments, method=arguments.method)
    check_writable(arguments.plot, PICTURES)
    check_writable(arguments.plot_steps, PICTURES)
    if arguments.panels and not arguments.plot:
        raise UnknownNameError("--panels chooses what --plot draws; add --plot FILE.")
    check_writable(arguments.out, RECORDINGS)
    t_eval: list[float] | None = arguments.t_eval
    t_end: float = arguments.t_end if arguments.t_end is not None else t_eval[-1] if t_eval else DEFAULT_END
    reference = _reference(arguments, t_eval[-1] if t_eval else t_end) if arguments.reference else None
    system = system_of(arguments)
    from symlie.runtime.integrate import solve

    over_time = t_eval is None and (arguments.out or arguments.plot)
    drawn_only = arguments.plot and not arguments.out
    try:
        with Progress(system.name, plain=arguments.progress) as progress:
            solution = solve(
                system,
                t_end,
                method=arguments.method,
                t_eval=None if over_time else t_eval or [t_end],
                record_every=max(1, int(t_end / arguments.h / MOST_DRAWN)) if drawn_only and arguments.h else 1,
                multipliers=arguments.multipliers,
                **{**steps_of(arguments), "trace": arguments.trace or bool(arguments.plot_steps)},
                progress=progress,
            )
    except IntegrationError as error:
        if error.solution is not None:
            arguments.result.update(_shown(error.solution, t_eval).to_json())
            _write(arguments, error.solution)
        raise
    _write(arguments, solution)
    shown = _shown(solution, t_eval)
    arguments.result.update(shown.to_json())
    errors = reference.errors(shown) if reference is not None else None
    if errors is not None:
        arguments.result.update(reference_error=errors)
    if arguments.json:
        print_json(arguments.result)
    else:
        _print(shown, solution, arguments.h)
        if reference is not None and errors is not None:
            _print_errors(reference, errors)
        for file in filter(None, (arguments.plot, arguments.plot_steps, arguments.out)):
            print(f"\nwrote {file}")
    return 0


def _reference(arguments: Namespace, t: float) -> ReferenceState:
    from symlie.models.registry import model_path
    from symlie.runtime.reference import read_reference

    if arguments.parameters or arguments.initial:
        raise UnknownNameError("The reference solution holds for the model's own parameters and initial values only.")
    path = model_path(arguments.model)
    return read_reference(path.with_name(f"{path.stem}_reference.json"), t)


def _shown(solution: Solution, t_eval: Sequence[float] | None) -> Solution:
    """The part of a solution that is printed: the times that were asked for, else the last one."""
    if t_eval is not None or not len(solution.t):
        return solution
    last = {name: getattr(solution, name)[-1:] for name in ("t", "q", "v", "multipliers")}
    return dataclasses.replace(solution, **last)


def _write(arguments: Namespace, solution: Solution) -> None:
    if arguments.out:
        solution.save(arguments.out)
    if arguments.plot:
        solution.plot(arguments.plot, arguments.panels)
    if arguments.plot_steps and solution.trace is not None:
        solution.plot_steps(arguments.plot_steps)


def _print(solution: Solution, whole: Solution, h: float | None) -> None:
    layout, statistics = solution.system.layout, solution.statistics
    options = "".join(f" {name}={value}" for name, value in layout.options.items())
    steps = "adaptive steps" if h is None else f"h = {h:g} s"
    print(f"{layout.name}{options}: {solution.method}, {steps}, backend {solution.system.backend}")
    units = {name: unit for name, (_, unit) in layout.outputs.items()} | {"energy": "J"}
    outputs, multipliers = solution.outputs, solution.named_multipliers()
    for k, t in enumerate(solution.t):
        print(f"\nt = {t:.9g} s")
        rows = [(_with_unit(name, units.get(name, "")), _numbers(values[k])) for name, values in outputs.items()]
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
            *(
                [
                    ("largest |Φ|", f"{statistics.max_constraint_residual:.3g}"),
                    ("largest |Bv+b|", f"{statistics.max_velocity_residual:.3g}"),
                ]
                if layout.rows
                else []
            ),
            ("time loop", seconds(statistics.cpu_seconds) + per_step),
            (
                "before",
                f"derived in {_spent(statistics.derive_seconds)}, compiled in {_spent(statistics.compile_seconds)}",
            ),
        ],
        indent="",
    )


def _event_name(event: Event, layout: Layout) -> str:
    repeated = sum(e.name == event.name for e in layout.events) > 1
    return f"{event.name}[{event.instance}]" if repeated else event.name


def _with_unit(name: str, unit: str) -> str:
    return f"{name} ({unit})" if unit else name


def _spent(value: float) -> str:
    return seconds(value) if value else "0 s (cached)"


def _numbers(values: Any) -> str:
    import numpy as np

    return "  ".join(f"{value: .9g}" for value in np.ravel(values))


def _numbers_or_largest(values: Array) -> str:
    """Numbers; of many, how many there are and the largest."""
    if values.size <= MOST_NUMBERS:
        return _numbers(values)
    shape = " × ".join(map(str, values.shape))
    return f"{shape} values, largest |λ| = {abs(values).max():.9g}"


def _print_errors(reference: ReferenceState, errors: dict[str, float]) -> None:
    print(f"\nerror at t = {reference.t:g} s against the reference solution")
    print_table((name, f"{error:.3e}", "relative" if name == "multipliers" else "") for name, error in errors.items())
