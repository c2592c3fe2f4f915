"""``symlie resume``: continue an interrupted run."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from symlie.cli.common import add, checkpoint_seconds
from symlie.cli.output import Progress, print_json
from symlie.cli.report import add_results, print_solution, results_of, shown, solution_json
from symlie.cli.sweep import resumed
from symlie.cli.sweeping.workers import add_workers, chosen_workers
from symlie.cli.values import path
from symlie.errors import IntegrationError, SymlieError

SUMMARY = "Continue a run from its checkpoint, or a sweep from its store; results are bitwise identical."
DETAILS = """

FILE is a checkpoint of 'symlie run --checkpoint FILE', or the folder of 'symlie sweep --out FOLDER'.

A checkpoint contains the whole run: generated code, parameters, method and all recorded data. The output files of the
run are written at the end; files given here replace them. Figures and files can only contain recorded data. A finished
run returns its solution again. A run continues only with the same version of symlie, on the same type of processor and
with the same compiler, because any other would change the result. The code in the file is executed, so --trust is
required.

The folder of a sweep contains its command, which is executed again in the original working folder for the members that
are not finished; the model and files of values must be unchanged. Another executor may be given: --workers,
--scheduler, --scheduler-file or --mpi. The command names the model file, which is executed, so --trust is required."""
EXAMPLE = """symlie resume rod.checkpoint --trust

  continues
  symlie run roll_up --h 1e-5 --t-end 1 --out rod.nc --checkpoint rod.checkpoint

  symlie resume runs --trust --workers 4

  continues
  symlie sweep heavy_top --over mass=10:20:1001 --t-end 10 --out runs"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "file", metavar="FILE", type=path, help="checkpoint of 'symlie run --checkpoint FILE', or folder of a sweep"
    )
    add_results(parser)
    add_workers(parser)
    add(parser, "--trust", "--checkpoint-seconds", "--progress", "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    of_runs = ("plot", "panels", "plot_steps", "view", "out", "checkpoint_seconds")
    if Path(arguments.file).is_dir():
        if given := [word for word in of_runs if getattr(arguments, word) is not None]:
            raise SymlieError(f"--{given[0].replace('_', '-')} belongs to a run; {arguments.file} is a sweep.")
        return resumed(arguments)
    if given := [*chosen_workers(arguments)]:
        raise SymlieError(f"--{given[0].replace('_', '-')} belongs to a sweep; {arguments.file} is not a folder.")
    from symlie.runtime.integrate.checkpoint import checkpoint_notes, resume
    from symlie.runtime.solution.solution import Solution
    from symlie.utilities.reading import reading

    with reading(f"The checkpoint {arguments.file}"):
        results = results_of(arguments, checkpoint_notes(arguments.file))
    try:
        with Progress(Path(arguments.file).name, plain=arguments.progress) as progress:
            solution = resume(
                arguments.file, trust=arguments.trust, progress=progress.of_run, **checkpoint_seconds(arguments)
            )
    except IntegrationError as error:
        if isinstance(error.solution, Solution):
            arguments.result.update(shown(error.solution, error.solution.settings["t_eval"]).to_json())
            results.write(error.solution)
        raise
    results.write(solution)
    part = shown(solution, solution.settings["t_eval"])
    if arguments.json:
        print_json(solution_json(part))
    else:
        print_solution(part, solution)
        results.print_names()
    return 0
