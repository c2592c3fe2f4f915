"""``symlie converge``: errors and observed orders over step sizes, or over an option that refines the model's grid."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symlie.cli.common import PICTURES, SYSTEM, add, add_model, check_writable, describe, system_of
from symlie.cli.output import Progress, print_json, print_table, seconds
from symlie.cli.steps import METHOD_HELP
from symlie.cli.values import names, number, numbers, path, refined
from symlie.errors import FormatError, UnknownNameError

if TYPE_CHECKING:
    from symlie.runtime.integrate.progress import Progress as RunProgress
    from symlie.runtime.layout.layout import Layout
    from symlie.runtime.solution.solution import Solution
    from symlie.runtime.study.comparison import EndState, Measured
    from symlie.runtime.study.convergence import ConvergenceRow
    from symlie.runtime.system.system import System

SUMMARY = "Compare methods over step sizes, or a model over its grids: errors at the end time and observed orders."
DETAILS = """

With --steps, errors are differences to a run of the method of highest order with half of the smallest step, or to
--reference; an order compares a row with the row before.

With --over KEY=N,N,…, the model is built with each value of the option, and all runs take the step --h, which must be
stable on the finest grid. Reported are differences to the run on the finest grid (no row of its own), or to
--reference, at the nodes that all grids have in common: those of the coarsest grid, so the values must be multiples
of the smallest. Nodes are matched by their index, index·N/N₀, which is the same arc length if all grids are uniform.
Multipliers of repeated elements are compared at the middle of the coarsest grid's elements. The reference has an error
as well, so the order p between two rows with node distances d₁, d₂ is Richardson's: the solution of
e₁/e₂ = (d₁^p − d_ref^p)/(d₂^p − d_ref^p), where e are the reported errors.

With --norm l2, errors are √(Σ‖q − Q‖²/n) over the n stored components of all nodes, and the same of v: the largest over
the run, at multiples of the (longest) step, of which at most 100 are taken. The nearer of the two quaternions of a
rotation counts. --at S,S,… compares rods and other curves at these arc lengths in place of nodes, on any grids; with
--over the default is the nodes of the coarsest grid, and values need not be multiples. --reference is then a solution
that 'symlie run --out' wrote."""
EXAMPLE = """symlie converge heavy_top -o group=SE3 --methods half_explicit_2,half_explicit_5 \\
      --steps '2**-10,2**-11,2**-12' --plot orders.png
  symlie converge flying_spaghetti --over segments=8,16,32,64 --h '2**-11'
  symlie converge flying_spaghetti --over segments=4,8,16 --h '2**-11' --norm l2 --at 0,2.5,5,7.5,10"""

Rows = Iterator["ConvergenceRow"]
Progressing = Callable[[str], "RunProgress"]


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    add_model(parser)
    parser.add_argument(
        "--methods", type=names, default=["half_explicit_5"], metavar="NAME,NAME,…", help=f"each a {METHOD_HELP}"
    )
    add(parser, "--method-option")
    compared = parser.add_mutually_exclusive_group(required=True)
    compared.add_argument("--steps", type=numbers, metavar="H,H,…", help="step sizes in s, such as 2**-10,2**-11")
    compared.add_argument(
        "--over", type=refined, metavar="KEY=N,N,…", help="option that refines the grid, such as segments=8,16,32"
    )
    parser.add_argument("--h", type=number, metavar="STEP", help="with --over: step size of all runs, in s")
    parser.add_argument("--t-end", type=number, default=1.0, metavar="T", help="end time in s; default: 1")
    parser.add_argument(
        "--reference",
        default="finest",
        metavar="FILE",
        type=path,
        help="output of 'symlie run --json'; default: finest",
    )
    parser.add_argument(
        "--norm",
        default="largest",
        metavar="NAME",
        help="largest (of a node, at the end; the default) or l2 (over the run)",
    )
    parser.add_argument("--at", type=numbers, metavar="S,S,…", help="with --norm l2: arc lengths on rods, in m")
    add(parser, *SYSTEM, "--redundant", "--multipliers", "--stabilize")
    parser.add_argument(
        "--plot", metavar="FILE", type=path, help=f"draw the errors over the steps ({', '.join(PICTURES)})"
    )
    parser.add_argument("--plot-work", metavar="FILE", type=path, help="draw the errors over the processor time")
    add(parser, "--progress", "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    describe(arguments)
    for file in (arguments.plot, arguments.plot_work):
        check_writable(file, PICTURES)
    rows: list[ConvergenceRow] = []
    study = _over_steps if arguments.over is None else _over_grids
    with Progress("", plain=arguments.progress) as progress:
        for row in study(arguments, progress.relabelled):
            rows.append(row)
            arguments.result["rows"].append(row.to_json())
    pictures = [(file, work) for file, work in ((arguments.plot, False), (arguments.plot_work, True)) if file]
    if pictures:
        from symlie.runtime.plot.convergence_figure import plot_convergence

        for file, work in pictures:
            plot_convergence(rows, file, work=work)
    if arguments.json:
        print_json({**arguments.result, "status": "ok"})
        return 0
    against = arguments.reference
    if arguments.over and against == "finest":
        against = f"{arguments.over[0]} = {max(arguments.over[1]):g}"
    compared = "L² errors up to" if arguments.norm == "l2" else "errors at"
    when = f"{compared} t = {arguments.t_end:g} s against {against}"
    print(f"{arguments.result['model']}: {when}, observed orders in brackets")
    option = [arguments.over[0]] if arguments.over else []
    head = ("method", *option, "h", "q", "", "v", "", "multipliers", "", "largest |Φ|", "steps", "time loop")
    print_table((head, *(_cells(row, option) for row in rows)), indent="")
    for file, _ in pictures:
        print(f"\nwrote {file}")
    return 0


def _over_steps(arguments: Namespace, progress: Progressing) -> Rows:
    if arguments.h is not None:
        raise UnknownNameError("--h is the step size of --over; --steps gives the step sizes already.")
    system = system_of(arguments)
    arguments.result.update(t=arguments.t_end, reference=arguments.reference, rows=[])
    from symlie.runtime.study.convergence import convergence

    reference = None
    if arguments.reference != "finest":
        reference = _read_reference(arguments, system.layout)
    runs = arguments.t_end, arguments.methods, arguments.steps
    yield from convergence(system, *runs, reference=reference, progress=progress, **_how(arguments))


def _over_grids(arguments: Namespace, progress: Progressing) -> Rows:
    option, values = arguments.over
    if arguments.h is None:
        raise UnknownNameError("--over needs --h, a step size that is stable on the finest grid.")
    if option in dict(arguments.options):
        raise UnknownNameError(f"Option '{option}' is given twice, by -o and by --over.")

    def system(value: object) -> System:
        return system_of(arguments, **{option: value})

    from symlie.runtime.study.refinement import Grid, refinement

    grids = [Grid(value, system(value)) for value in values]
    reference = None
    if arguments.reference != "finest":
        finest = _recorded_option(Path(arguments.reference), option, arguments.norm)
        grid = Grid(finest, system(finest))
        reference = grid, _read_reference(arguments, grid.system.layout)
    del arguments.result["options"][option]
    arguments.result.update(t=arguments.t_end, reference=arguments.reference, over={option: values}, rows=[])
    runs = arguments.t_end, arguments.methods, arguments.h
    yield from refinement(option, grids, *runs, reference=reference, progress=progress, **_how(arguments))


def _how(arguments: Namespace) -> dict[str, Any]:
    """What all runs of a study have in common."""
    return {name: getattr(arguments, name) for name in ("norm", "at", "multipliers", "stabilize")} | {
        "method_options": dict(arguments.method_options)
    }


def _read_reference(arguments: Namespace, layout: Layout) -> EndState | Solution:
    """The state or solution that runs are compared with."""
    from symlie.runtime.solution.file import load_solution
    from symlie.runtime.study.convergence import read_end_state

    path = Path(arguments.reference)
    return load_solution(path) if arguments.norm == "l2" else read_end_state(path, layout, arguments.t_end)


def _recorded_option(path: Path, option: str, norm: str) -> Any:
    """Value of an option in the output of ``symlie run --json``, or in a solution that was saved."""
    if norm == "l2":
        from symlie.runtime.solution.file import load_solution

        options = load_solution(path).system.layout.options
        if option not in options:
            raise FormatError(f"{path} is no solution of a model with '{option}'.")
        return options[option]
    try:
        return json.loads(path.read_text(encoding="utf-8"))["options"][option]
    except OSError as error:
        raise FormatError(f"The reference {path} can not be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{path} is not the output of 'symlie run --json' of a model with '{option}'.") from error


def _cells(row: ConvergenceRow, option: list[str]) -> tuple[str, ...]:
    def pair(part: str) -> tuple[str, str]:
        return _cell(row.error, part, "{:.3e}"), _cell(row.order, part, "({:.2f})")

    values = row.to_json()
    return (
        row.method,
        *(f"{values[name]:g}" for name in option),
        f"{row.h:.6g}",
        *pair("q"),
        *pair("v"),
        *pair("multipliers"),
        f"{row.max_constraint_residual:.1e}",
        str(row.steps),
        seconds(row.cpu_seconds),
    )


def _cell(values: Measured, part: str, form: str) -> str:
    value = getattr(values, part)
    return "" if value is None else form.format(value)
