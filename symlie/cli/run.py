"""``symlie run``: integrate a model."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from symlie.cli.common import SYSTEM, add, add_model, checkpoint_seconds, describe, model_options, system_of
from symlie.cli.forms import usual_form
from symlie.cli.output import Progress, print_json, print_table
from symlie.cli.report import add_results, print_solution, results_of, shown, solution_json
from symlie.cli.steps import add_integration, end_of, steps_of
from symlie.cli.values import path
from symlie.errors import IntegrationError, SymlieError, UnknownNameError

if TYPE_CHECKING:
    from symlie.runtime.study.reference import ReferenceState

SUMMARY = "Integrate a model and print, draw or save the solution."
EXAMPLE = """symlie run heavy_top -o group=SE3 --h '2**-11' --t-end 1 --plot top.png --out top.nc
  symlie run heavy_top -o group=SE3 --t-end 2 --view top.html
  symlie run heavy_top -o group=SE3 --rtol 1e-8 --t-end 1 --stabilize projection --plot-steps steps.png
  symlie run rotor -o coordinates=euler_angles -o form=parameter_rates --h 1e-5 --t-end 0.1 --reference
  symlie run roll_up -o segments=64 --h 1e-5 --t-end 1 --out rod.nc --checkpoint rod.checkpoint"""

MOST_DRAWN = 5_000
"""Number of states above which drawings omit steps."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser)
    add_integration(parser)
    parser.add_argument(
        "--trace",
        action="store_true",
        help="record all attempted steps: error estimates, Newton iterations, new matrices, halvings",
    )
    add(parser, *SYSTEM, "--redundant", "--multipliers")
    parser.add_argument(
        "--reference", action="store_true", help="compare the final state with the known solution of the model"
    )
    add_results(parser)
    parser.add_argument(
        "--checkpoint", metavar="FILE", type=path, help="save the run to a file, for 'symlie resume FILE --trust'"
    )
    add(parser, "--checkpoint-seconds", "--progress", "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    describe(arguments, method=arguments.method or "half_explicit_5")
    results = results_of(arguments)
    if arguments.checkpoint_seconds is not None and not arguments.checkpoint:
        raise SymlieError("--checkpoint-seconds needs --checkpoint FILE.")
    t_eval: list[float] | None = arguments.t_eval
    t_end = end_of(arguments)
    reference = _reference(arguments, t_eval[-1] if t_eval else t_end) if arguments.reference else None
    methods = [arguments.method] if arguments.method else []
    system = system_of(arguments, **usual_form(arguments.model, dict(arguments.options), methods))
    from symlie.runtime.integrate.choice import default_method
    from symlie.runtime.integrate.solve import solve
    from symlie.runtime.solution.solution import Solution

    method = arguments.method or default_method(system.layout)
    arguments.result.update(method=method)
    from symlie.runtime.plot.panels import check_panels

    check_panels(system.layout, results.panels or [])
    over_time = t_eval is None and (arguments.out or arguments.plot or arguments.view)
    drawn_only = (arguments.plot or arguments.view) and not arguments.out
    try:
        with Progress(system.name, plain=arguments.progress) as progress:
            solution = solve(
                system,
                t_end,
                method=method,
                t_eval=None if over_time else t_eval or [t_end],
                record_every=max(1, int(t_end / arguments.h / MOST_DRAWN)) if drawn_only and arguments.h else 1,
                multipliers=arguments.multipliers,
                **steps_of(arguments),
                trace=arguments.trace or bool(arguments.plot_steps),
                progress=progress.of_run,
                checkpoint=arguments.checkpoint,
                **checkpoint_seconds(arguments),
                checkpoint_notes=results.notes,
            )
    except IntegrationError as error:
        if isinstance(error.solution, Solution):
            arguments.result.update(shown(error.solution, t_eval).to_json())
            results.write(error.solution)
        raise
    results.write(solution)
    part = shown(solution, t_eval)
    if arguments.json:
        arguments.result.update(solution_json(part))
    errors = reference.errors(part) if reference is not None else None
    if errors is not None:
        arguments.result.update(reference_error=errors)
    if arguments.json:
        print_json(arguments.result)
    else:
        print_solution(part, solution)
        if reference is not None and errors is not None:
            print(f"\nerror at t = {reference.t:g} s against the reference solution")
            relative = {"multipliers": "relative"}
            print_table((name, f"{error:.3e}", relative.get(name, "")) for name, error in errors.items())
        results.print_names()
    return 0


def _reference(arguments: Namespace, t: float) -> ReferenceState:
    from symlie.models.registry import model_path
    from symlie.runtime.study.reference import read_reference

    if arguments.parameters or arguments.initial:
        raise UnknownNameError("The reference solution is valid for the default parameters and initial values only.")
    path = model_path(arguments.model)
    return read_reference(path.with_name(f"{path.stem}_reference.json"), t, model_options(arguments))
