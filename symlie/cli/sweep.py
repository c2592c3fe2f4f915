"""``symlie sweep``: integrate many members of a model."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from symlie.cli.common import SYSTEM, add, add_model, describe
from symlie.cli.output import Progress, print_json, seconds
from symlie.cli.steps import add_integration
from symlie.cli.sweeping.draws import FORMS
from symlie.cli.sweeping.folder import check_folder, read_command, stores_in, write_command
from symlie.cli.sweeping.over import over
from symlie.cli.sweeping.plans import Planned, plans_of
from symlie.cli.sweeping.report import counted, counts, ensemble_json, print_ensemble, size_text, titled
from symlie.cli.sweeping.workers import EXECUTION, Executing, add_workers, chosen_workers, executing
from symlie.cli.values import names, number, path, whole
from symlie.errors import InterruptedEnsembleError, SymlieError
from symlie.utilities.trust import check_trust

if TYPE_CHECKING:
    from symlie.ensembles.outcome import Ensemble
    from symlie.ensembles.results import MemberResults
    from symlie.ensembles.store import EnsembleStore

SUMMARY = "Integrate an ensemble of a model: members differ in parameters, initial values or options."
DETAILS = f"""

Each --over specifies values of a parameter, of an initial value NODE.FIELD, or of an option of the model:

  mass=10:20:11          eleven equidistant values from 10 to 20
  mass=0.1:10:7:log      seven values with equal ratios
  mass=10,12,15          the given values; vectors as lever=[0,1,0],[0,1.1,0]
  'mass=normal(15,0.5)'  --samples N random values by --seed and --sampler; vectors as [normal(0,1),0,uniform(1,2)]
  top.Omega=@rates.csv   lines of a file, with a column for each component of a vector
  @members.csv           table of members: names in the first line, components of vectors as name[0], name[1], …
  segments=8,16          option of the model: each value defines a system, whose results have a separate subfolder

{fill(f"Distributions are {FORMS}.", 120)}

Failed members have a status and do not stop the others; the exit code is 0 if all members were run. After an
interruption or a kill, 'symlie resume FOLDER --trust' continues a sweep with --out."""
EXAMPLE = """symlie sweep heavy_top --over mass=10:20:11 --rtol 1e-8 --t-end 1
  symlie sweep heavy_top --over 'mass=normal(15,0.5)' --samples 1000 --t-eval 0.5,1 --record energy,top.R --out runs
  symlie sweep heavy_top --over 'mass=normal(15,0.5)' --samples 1000 --statistics mean,std
  symlie sweep roll_up --of modes --modes 3 --over bending_stiffness=400:500:5 --along member
  symlie sweep heavy_top --over mass=10:20:11 --over gravity=@gravity.csv --combine grid --out runs --dry-run
  mpirun -n 5 symlie sweep heavy_top --over @members.csv --out runs --mpi
  symlie sweep --status runs"""

FIRST_FILES = 12
"""Approximate number of small files of a store, from the first and the last chunks."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser, optional=True)
    parser.add_argument(
        "--over",
        type=over,
        action="append",
        default=[],
        metavar="NAME=VALUES",
        help="values of members, see above; repeat for several",
    )
    parser.add_argument(
        "--combine",
        choices=("zip", "grid"),
        default="zip",
        help="zip: value k of every name belongs to member k (default); grid: all combinations",
    )
    parser.add_argument("--samples", type=whole, metavar="N", help="number of random members")
    parser.add_argument("--seed", type=whole, default=0, metavar="S", help="seed of random values; default: 0")
    parser.add_argument(
        "--sampler", default="random", metavar="NAME", help="random (default), sobol or latin_hypercube"
    )
    parser.add_argument(
        "--of",
        choices=("motion", "equilibrium", "modes"),
        default="motion",
        help="compute motions (default), static equilibria, or modes of small motions about equilibria",
    )
    add_integration(parser)
    parser.add_argument(
        "--t", type=number, metavar="T", help="with --of equilibrium or modes: time of the loads, in s; default: 0"
    )
    parser.add_argument("--modes", type=whole, metavar="N", help="number of modes, slowest first; default: 6")
    parser.add_argument(
        "--along",
        metavar="NAME",
        help="start each equilibrium from the previous one along this name: the last name of a grid, or member",
    )
    add(parser, *SYSTEM, "--redundant", "--multipliers")
    parser.add_argument(
        "--record",
        type=names,
        metavar="NAME,…",
        help="quantities to record: outputs, NODE.FIELD, nodes, or multipliers_CONSTRAINT; default: all outputs",
    )
    parser.add_argument(
        "--statistics",
        type=names,
        metavar="NAME,…",
        help="mean, std, min or max over the members, recorded instead of the values of members",
    )
    parser.add_argument(
        "--out", metavar="FOLDER", type=path, help="folder for the results, with one file per chunk of members"
    )
    parser.add_argument("--member-seconds", type=number, metavar="S", help="time limit of a member, in s")
    parser.add_argument(
        "--lanes",
        type=int,
        metavar="N",
        help="members integrated together with SIMD instructions: 1, 2, 4, 8 or 16; default: as many as save time",
    )
    add_workers(parser)
    parser.add_argument("--dry-run", action="store_true", help="estimate the work, and stop")
    parser.add_argument("--status", metavar="FOLDER", type=path, help="count the members of a store, and stop")
    add(parser, "--progress", "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    if arguments.status:
        return _show_status(arguments)
    if not arguments.model:
        raise SymlieError("symlie sweep needs a MODEL, or --status FOLDER.")
    if not arguments.over:
        raise SymlieError("symlie sweep needs values that differ between members, such as --over mass=10:20:11.")
    with executing(arguments) as hands:
        # MPI processes that have served as workers are finished.
        return 0 if hands is None else _sweep(arguments, hands)


def resumed(arguments: Namespace) -> int:
    """Continue a sweep with the arguments of ``symlie resume``."""
    command = read_command(arguments.file)
    check_trust(f"The folder {arguments.file}", "continue its sweep", trust=arguments.trust)
    parser = ArgumentParser(allow_abbrev=False)
    add_arguments(parser)
    options = parser.parse_args(command.words)
    given = chosen_workers(arguments)
    if given:
        vars(options).update({word: getattr(arguments, word) for word in EXECUTION})
    options.out = os.path.abspath(arguments.file)
    options.progress, options.json = arguments.progress, arguments.json
    options.words, options.result = list(command.words), arguments.result
    with contextlib.chdir(command.place):
        return run(options)


def _sweep(arguments: Namespace, hands: Executing) -> int:
    describe(arguments)
    if arguments.dry_run:
        return _dry_run(arguments, hands)
    plans = plans_of(arguments)
    folders = dict.fromkeys(plans, None) if arguments.out is None else {x: Path(arguments.out) / x for x in plans}
    stores: dict[str, EnsembleStore | None] = dict.fromkeys(plans)
    if arguments.out is not None:
        check_folder(arguments.out, is_single="" in plans)
        stores = {label: planned.plan.begin(Path(arguments.out) / label) for label, planned in plans.items()}
        write_command(arguments.out, arguments.words)
    found = []
    for label, planned in plans.items():
        outcome = _outcome(arguments, planned, stores[label], hands)
        found.append(ensemble_json(planned.plan, outcome, folders[label]))
        if not arguments.json:
            print("\n" * bool(len(found) > 1), end="")
            print_ensemble(planned.plan, outcome, folders[label])
    if arguments.json:
        print_json(found[0] if len(found) == 1 else {"systems": found})
    return 0


def _outcome(arguments: Namespace, planned: Planned, store: EnsembleStore | None, hands: Executing) -> Ensemble:
    """Run the members of one system and show their progress."""
    from symlie.ensembles.ensemble import WAIT
    from symlie.ensembles.running import run_members

    plan, count, is_begun = planned.plan, planned.members, False
    with Progress(titled(plan), total=count, plain=arguments.progress) as bar:

        def show(found: MemberResults, done: int) -> None:
            nonlocal is_begun
            if not is_begun:
                is_begun = True
                left = count - (done - len(found))
                print(f"symlie: {_work(arguments, planned, found, left, hands)}", file=sys.stderr)
            bar(done, f"{done} of {count} members")

        try:
            return run_members(
                plan,
                store,
                executor=hands.executor,
                workers=hands.workers,
                on_failure="keep",
                wait=WAIT,
                chunk_done=show,
            )
        except InterruptedEnsembleError as error:
            how = "give --out FOLDER to be able to continue"
            if arguments.out is not None:
                how = f"continue with 'symlie resume {shlex.quote(arguments.out)} --trust'"
            raise InterruptedEnsembleError(f"{str(error).partition(';')[0]}; {how}.", error.result) from None


def _dry_run(arguments: Namespace, hands: Executing) -> int:
    """Estimate the work of a sweep from its first members, and print it."""
    from symlie.ensembles.dispatch import FIRST_CHUNK
    from symlie.ensembles.tasks import run_chunk

    result = []
    for planned in plans_of(arguments, FIRST_CHUNK).values():
        found = run_chunk(planned.plan.task.part(0, FIRST_CHUNK))
        stored = {} if arguments.out is None else {"store_bytes": _stored(planned, found)}
        time = _expected(planned, found, planned.members, hands)
        result.append({"members": planned.members, "expected_seconds": time, "at_a_time": hands.count, **stored})
        if not arguments.json:
            print(_work(arguments, planned, found, planned.members, hands))
    if arguments.json:
        print_json(result[0] if len(result) == 1 else {"systems": result})
    return 0


def _expected(planned: Planned, found: MemberResults, left: int, hands: Executing) -> float:
    """Estimate the time of the remaining members, in s, from a first chunk."""
    return _seconds_of_each(found) * left / min(hands.count, max(left // planned.line, 1))


def _seconds_of_each(found: MemberResults) -> float:
    return float(found.cpu_seconds.sum()) / max(len(found), 1)


def _stored(planned: Planned, found: MemberResults) -> int:
    """Estimate the size of the store of all members, in bytes."""
    from symlie.ensembles.dispatch import CHUNK_SECONDS, FIRST_CHUNK

    count = planned.members
    files = min(count / FIRST_CHUNK, FIRST_FILES + _seconds_of_each(found) * count / CHUNK_SECONDS)
    return round(planned.plan.stored_bytes(count, files))


def _work(arguments: Namespace, planned: Planned, found: MemberResults, left: int, hands: Executing) -> str:
    stored = "" if arguments.out is None else f", store about {size_text(_stored(planned, found))}"
    time = f"about {seconds(_expected(planned, found, left, hands))} with {hands.count} at a time"
    return f"{titled(planned.plan)}: {left} members, {time}{stored}."


def _show_status(arguments: Namespace) -> int:
    """Print the number of members in the stores of a folder, by status."""
    result = []
    for label, store in stores_in(arguments.status).items():
        found = counts(store.values("status"), store.values("exception"))
        result.append({"folder": str(store.folder), **found})
        if not arguments.json:
            print(f"{label or arguments.status}: {counted(found)}")
    if arguments.json:
        print_json(result[0] if len(result) == 1 else {"systems": result})
    return 0
