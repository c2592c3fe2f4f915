"""``symlie converge``: errors and observed orders versus step size, or versus an option that refines the grid."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symlie.cli.common import PICTURES, SYSTEM, add, add_model, check_writable, describe, system_of
from symlie.cli.forms import coordinates_option, usual_form
from symlie.cli.output import Progress, print_json, print_table, seconds
from symlie.cli.steps import METHOD_HELP
from symlie.cli.values import names, number, numbers, path, refined, whole
from symlie.errors import FormatError, UnknownNameError

if TYPE_CHECKING:
    from symlie.runtime.integrate.progress import Progress as RunProgress
    from symlie.runtime.layout.layout import Layout
    from symlie.runtime.solution.solution import Solution
    from symlie.runtime.study.comparison import EndState, Measured
    from symlie.runtime.study.convergence import ConvergenceRow
    from symlie.runtime.system.system import System

SUMMARY = "Compare methods and coordinates versus step size, or a model on several grids: errors and observed orders."
DETAILS = """

With --steps, errors are differences from a reference: a run of the method of highest order with half of the smallest
step size, or --reference, a file or METHOD:STEP such as rkmk_rk67:1e-5. Observed orders compare each row with the
previous one. A failed run has a row with the reason.

--coordinates NAME,NAME,… runs the model with each of these coordinates of rotations, such as lie, quaternion,
euler_angles, euler_parameters, rotation_vector:parameter_rates or minimal (joint coordinates), and compares all
outputs, or those of --output. The part after a colon selects the velocities that are unknowns, as in
euler_angles:angular_velocity or euler_angles:parameter_rates, or Lie group steps: euler_angles:lie only stores angles.
Without it, Euler angles have angular velocities if all --methods support them, as explicit methods do, and rates
otherwise. The same holds for -o coordinates=euler_angles.

With --over KEY=N,N,…, the model is built with each value of the option, and all runs have the step size --h, which
must be stable on the finest grid. Errors are differences from the run on the finest grid, which has no row, or from
--reference, at the nodes common to all grids. These are the nodes of the coarsest grid, so all values must be multiples
of the smallest one. Nodes are matched by their index, index·N/N₀, which is the same arc length if all grids are
uniform. Multipliers of repeated elements are compared at the centres of the elements of the coarsest grid. The
reference has an error as well, so the order p between two rows with node distances d₁, d₂ follows from Richardson
extrapolation: e₁/e₂ = (d₁^p − d_ref^p)/(d₂^p − d_ref^p), where e are the reported errors.

With --norm max (for --steps only), errors are maxima over the run. With --norm l2, they are maxima over the run of
√(Σ‖q − Q‖²/n), with n stored components of all nodes, and of the same norm of v; of the two quaternions of a rotation,
the nearer one counts. Maxima are taken over at most 100 multiples of the (largest) step size. With l2, --at S,S,…
compares rods and other curves at these arc lengths instead of nodes, on any grids; with --over the default is the nodes
of the coarsest grid, and values need not be multiples. A reference file is the output of 'symlie run --json', or, if
more than the final state is compared, a solution saved by 'symlie run --out'."""
EXAMPLE = """symlie converge heavy_top -o group=SE3 --methods half_explicit_2,half_explicit_5 \\
      --steps '2**-10,2**-11,2**-12' --plot orders.png
  symlie converge flying_spaghetti --over segments=8,16,32,64 --h '2**-11'
  symlie converge rotor --coordinates lie,euler_angles,euler_parameters --methods generalized_alpha \\
      --steps 1e-5,5e-6 --t-end 0.1 --reference rkmk_rk67:1e-6 --plot-iterations iterations.png
  symlie converge flying_spaghetti --over segments=4,8,16 --h '2**-11' --norm l2 --at 0,2.5,5,7.5,10"""

Rows = Iterator["ConvergenceRow"]
Progressing = Callable[[str], "RunProgress"]


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
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
        help="file, or METHOD:STEP; default: finest",
    )
    parser.add_argument(
        "--norm",
        default="end",
        metavar="NAME",
        help="end (default; for q the largest error of a node), max or l2 (both over the run)",
    )
    parser.add_argument("--coordinates", type=names, metavar="NAME,NAME,…", help="coordinates of rotations to compare")
    parser.add_argument("--output", type=names, metavar="NAME,NAME,…", help="outputs to compare instead of states")
    parser.add_argument(
        "--repeat", type=whole, default=1, metavar="N", help="number of runs whose median time is taken; default: 1"
    )
    parser.add_argument("--at", type=numbers, metavar="S,S,…", help="with --norm l2: arc lengths of rods, in m")
    add(parser, *SYSTEM, "--redundant", "--multipliers", "--stabilize")
    parser.add_argument(
        "--plot", metavar="FILE", type=path, help=f"draw errors versus step size or grid ({', '.join(PICTURES)})"
    )
    parser.add_argument("--plot-work", metavar="FILE", type=path, help="draw errors versus processor time")
    parser.add_argument(
        "--plot-iterations", metavar="FILE", type=path, help="draw Newton iterations per step versus step size"
    )
    add(parser, "--trust", "--progress", "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    describe(arguments)
    for file in (arguments.plot, arguments.plot_work, arguments.plot_iterations):
        check_writable(file, PICTURES)
    rows: list[ConvergenceRow] = []
    study = _over_steps if arguments.over is None else _over_grids
    with Progress("", plain=arguments.progress) as progress:
        for row in study(arguments, progress.relabelled):
            rows.append(row)
            arguments.result["rows"].append(row.to_json())
    pictures = [file for file in (arguments.plot, arguments.plot_work, arguments.plot_iterations) if file]
    if pictures:
        from symlie.runtime.plot.convergence_figure import plot_convergence, plot_newton_iterations

        for file, work in ((arguments.plot, False), (arguments.plot_work, True)):
            if file:
                plot_convergence(rows, file, work=work)
        if arguments.plot_iterations:
            plot_newton_iterations(rows, arguments.plot_iterations)
    if arguments.json:
        print_json({**arguments.result, "status": "ok"})
        return 0
    against = arguments.reference
    if arguments.over and against == "finest":
        against = f"{arguments.over[0]} = {max(arguments.over[1]):g}"
    compared = {"l2": "L² errors up to", "max": "largest errors up to"}.get(arguments.norm, "errors at")
    when = f"{compared} t = {arguments.t_end:g} s against {against}"
    print(f"{arguments.result['model']}: {when}, observed orders in brackets")
    columns = _columns(rows, [arguments.over[0]] if arguments.over else [])
    table = [tuple(cell(row) for _, cell in columns) for row in rows]
    print_table((tuple(head for head, _ in columns), *table), indent="")
    for row in rows:
        if row.failure:
            print(f"{_label(row)}, h = {row.h:.6g}: {row.failure}")
    for file in pictures:
        print(f"\nwrote {file}")
    return 0


def _over_steps(arguments: Namespace, progress: Progressing) -> Rows:
    if arguments.h is not None:
        raise UnknownNameError("--h is the step size of --over; --steps gives the step sizes already.")
    system = _systems(arguments)
    arguments.result.update(t=arguments.t_end, reference=arguments.reference, rows=[])
    from symlie.runtime.study.convergence import convergence

    reference = None
    if arguments.reference != "finest":
        first = system if not isinstance(system, dict) else next(iter(system.values()))
        reference = _run_reference(arguments, first) or _read_reference(arguments, first.layout)
    runs = arguments.t_end, arguments.methods, arguments.steps
    compared = {**_how(arguments), "outputs": arguments.output, "repetitions": arguments.repeat}
    yield from convergence(system, *runs, reference=reference, progress=progress, **compared)


def _run_reference(arguments: Namespace, system: System) -> Solution | None:
    """Run the reference if it is specified by method and step, else return None."""
    name, _, step = arguments.reference.rpartition(":")
    if Path(arguments.reference).exists() or not name or Path(name).suffix:
        return None
    from symlie.runtime.integrate.solve import solve
    from symlie.runtime.study.comparison import compared_times

    times = [arguments.t_end] if arguments.norm == "end" else compared_times(arguments.t_end, max(arguments.steps))
    return solve(system, arguments.t_end, method=name, h=number(step), t_eval=times, multipliers=arguments.multipliers)


def _systems(arguments: Namespace) -> System | dict[str, System]:
    """Return the system, or one system for each value of ``--coordinates``."""
    given = dict(arguments.options)
    if arguments.coordinates is None:
        return system_of(arguments, **usual_form(arguments.model, given, arguments.methods))
    if {"coordinates", "form", "step"} & set(given):
        raise UnknownNameError("Coordinates are given twice, by -o and by --coordinates.")
    systems = {}
    for stated in arguments.coordinates:
        options = coordinates_option(stated)
        usual = usual_form(arguments.model, {**given, **options}, arguments.methods)
        systems[stated] = system_of(arguments, **options, **usual)
    return systems


def _over_grids(arguments: Namespace, progress: Progressing) -> Rows:
    option, values = arguments.over
    if arguments.coordinates or arguments.output or arguments.repeat > 1:
        raise UnknownNameError("--coordinates, --output and --repeat can be used with --steps only, not with --over.")
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
    """Return the common options of all runs of a study."""
    return {name: getattr(arguments, name) for name in ("norm", "at", "multipliers", "stabilize")} | {
        "method_options": dict(arguments.method_options)
    }


def _read_reference(arguments: Namespace, layout: Layout) -> EndState | Solution:
    """Read the reference state or solution."""
    from symlie.runtime.solution.file import load_solution
    from symlie.runtime.study.convergence import read_end_state

    path = Path(arguments.reference)
    if arguments.norm != "end" or arguments.output or arguments.coordinates:
        return load_solution(path, trust=arguments.trust)
    return read_end_state(path, layout, arguments.t_end)


def _recorded_option(path: Path, option: str, norm: str) -> Any:
    """Return the value of an option in the output of ``symlie run --json`` or in a saved solution."""
    if norm == "l2":
        from symlie.runtime.solution.file import load_solution

        options = load_solution(path).system.layout.options
        if option not in options:
            raise FormatError(f"{path} is not a solution of a model with '{option}'.")
        return options[option]
    try:
        return json.loads(path.read_text(encoding="utf-8"))["options"][option]
    except OSError as error:
        raise FormatError(f"The reference {path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{path} is not the output of 'symlie run --json' of a model with '{option}'.") from error


def _columns(rows: list[ConvergenceRow], option: list[str]) -> list[tuple[str, Callable[[ConvergenceRow], str]]]:
    """Return table headings with functions for their cells, without empty columns."""

    def pair(part: str, head: str) -> list[tuple[str, Callable[[ConvergenceRow], str]]]:
        return [
            (head, lambda row: _cell(row.error, part, "{:.3e}")),
            ("", lambda row: _cell(row.order, part, "({:.2f})")),
        ]

    def per_step(row: ConvergenceRow) -> str:
        found = row.newton_iterations_per_step
        return "" if found is None else f"{found:.2f}"

    def residual(row: ConvergenceRow) -> str:
        return "" if row.failure else f"{row.max_constraint_residual:.1e}"

    def value(row: ConvergenceRow) -> str:
        return f"{row.to_json()[option[0]]:g}"

    kinds = [part for part in ("q", "v", "multipliers", "outputs") if any(_cell(r.error, part, "{}") for r in rows)]
    return [
        ("method", lambda row: row.method),
        *([("coordinates", lambda row: row.coordinates)] if any(row.coordinates for row in rows) else []),
        *[(name, value) for name in option],
        ("h", lambda row: f"{row.h:.6g}"),
        *[column for part in kinds for column in pair(part, part)],
        ("largest |Φ|", residual),
        ("steps", lambda row: "failed" if row.failure else str(row.steps)),
        *([("iterations", per_step)] if any(row.newton_iterations_per_step for row in rows) else []),
        ("time loop", lambda row: "" if row.failure else seconds(row.cpu_seconds)),
    ]


def _label(row: ConvergenceRow) -> str:
    return ", ".join(filter(None, [row.method, row.coordinates]))


def _cell(values: Measured, part: str, form: str) -> str:
    value = getattr(values, part)
    return "" if value is None else form.format(value)
