"""``symlie converge``: errors and observed orders over step sizes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from symlie.cli.common import PICTURES, add_json, add_model, add_system, check_writable, describe, system_of
from symlie.cli.output import Progress, print_json, print_table, seconds
from symlie.cli.values import names, number, numbers

if TYPE_CHECKING:
    from symlie.runtime.convergence import ConvergenceRow, Measured

SUMMARY = "Compare methods over step sizes: errors at the end time and observed orders."
EXAMPLE = (
    "symlie converge heavy_top -o group=SE3 --methods half_explicit_2,half_explicit_5 "
    "--steps '2**-10,2**-11,2**-12' --plot orders.png"
)


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    add_model(parser)
    parser.add_argument("--methods", type=names, default=["half_explicit_5"], metavar="NAME,NAME,…")
    parser.add_argument(
        "--steps", type=numbers, required=True, metavar="H,H,…", help="step sizes, such as 2**-10,2**-11"
    )
    parser.add_argument("--t-end", type=number, default=1.0, metavar="T", help="end time in s; default: 1")
    parser.add_argument(
        "--reference",
        default="finest",
        metavar="FILE",
        help="output of 'symlie run --json'; default: finest, a run of the method of highest order with half of the "
        "smallest step",
    )
    add_system(parser)
    parser.add_argument("--plot", metavar="FILE", help=f"draw the errors over the step size ({', '.join(PICTURES)})")
    parser.add_argument("--progress", action="store_true", help="print progress as lines, also without a terminal")
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Run the command."""
    describe(arguments)
    check_writable(arguments.plot, PICTURES)
    rows: list[ConvergenceRow] = []
    system = system_of(arguments)
    arguments.result.update(t=arguments.t_end, reference=arguments.reference, rows=[])
    from symlie.runtime.convergence import convergence, read_end_state

    reference = None
    if arguments.reference != "finest":
        reference = read_end_state(Path(arguments.reference), system.layout, arguments.t_end)
    with Progress("", plain=arguments.progress) as progress:
        for row in convergence(
            system,
            arguments.t_end,
            arguments.methods,
            arguments.steps,
            reference=reference,
            multipliers=arguments.multipliers,
            progress=progress.relabelled,
        ):
            rows.append(row)
            arguments.result["rows"].append(row.to_json())
    if arguments.plot:
        from symlie.runtime.convergence_figure import plot_convergence

        plot_convergence(rows, Path(arguments.plot))
    if arguments.json:
        print_json({**arguments.result, "status": "ok"})
        return 0
    print(
        f"{system.name}: errors at t = {arguments.t_end:g} s against {arguments.reference}, observed orders in brackets"
    )
    head = ("method", "h", "q", "", "v", "", "multipliers", "", "largest |Φ|", "steps", "time loop")
    print_table((head, *map(_cells, rows)), indent="")
    if arguments.plot:
        print(f"\nwrote {arguments.plot}")
    return 0


def _cells(row: ConvergenceRow) -> tuple[str, ...]:
    def pair(part: str) -> tuple[str, str]:
        return _cell(row.error, part, "{:.3e}"), _cell(row.order, part, "({:.2f})")

    return (
        row.method,
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
