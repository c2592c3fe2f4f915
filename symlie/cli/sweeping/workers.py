"""Executors of a sweep: threads, a Dask cluster, or processes started by mpirun."""

from __future__ import annotations

import contextlib
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from symlie.cli.values import path, whole
from symlie.errors import ExecutorError, SymlieError
from symlie.utilities.packages import require

EXECUTION = ("workers", "scheduler", "scheduler_file", "mpi")
"""Arguments for the executor."""

CONNECT = 30.0
"""Time within which a scheduler must respond, in s."""


@dataclass(frozen=True)
class Executing:
    """Executor of a sweep."""

    executor: object
    """As in `symlie.ensemble`."""
    workers: int | None
    """As in `symlie.ensemble`."""
    count: int
    """Number of members that run at a time."""


def add_workers(parser: ArgumentParser) -> None:
    """Add the arguments for the executor."""
    parser.add_argument("--workers", type=whole, metavar="N", help="number of threads; default: one for each processor")
    parser.add_argument(
        "--scheduler", type=path, metavar="ADDRESS", help="scheduler of a Dask cluster, such as tcp://host:8786"
    )
    parser.add_argument("--scheduler-file", type=path, metavar="FILE", help="scheduler file of a Dask cluster")
    parser.add_argument(
        "--mpi", action="store_true", help="use the processes that mpirun started: mpirun -n 5 symlie sweep … --mpi"
    )


def chosen_workers(arguments: Namespace) -> dict[str, object]:
    """Return the given arguments of `add_workers`, or raise `SymlieError` for conflicts."""
    given = {word: getattr(arguments, word) for word in EXECUTION if getattr(arguments, word) not in (None, False)}
    if len(given) > 1:
        named = " and ".join(f"--{word.replace('_', '-')}" for word in given)
        raise SymlieError(f"{named} exclude each other; give one of them.")
    if arguments.workers is not None and arguments.workers < 1:
        raise SymlieError(f"--workers must be at least 1, not {arguments.workers}.")
    return given


@contextlib.contextmanager
def executing(arguments: Namespace) -> Iterator[Executing | None]:
    """Yield the executor, or None in MPI processes that have served as workers; raise `ExecutorError` without
    connection."""
    given = chosen_workers(arguments)
    if "mpi" in given:
        with _processes_of_mpi() as found:
            yield found
    elif "scheduler" in given or "scheduler_file" in given:
        with _cluster(arguments.scheduler, arguments.scheduler_file) as found:
            yield found
    else:
        from symlie.ensembles.executors import processors

        yield Executing(None, arguments.workers, arguments.workers or processors())


@contextlib.contextmanager
def _processes_of_mpi() -> Iterator[Executing | None]:
    require("--mpi", "mpi4py")
    try:
        from mpi4py import MPI
        from mpi4py.futures import MPICommExecutor
    except (ImportError, RuntimeError) as error:
        raise ExecutorError(f"--mpi needs an MPI library, such as Open MPI ({error}).") from error
    size = MPI.COMM_WORLD.Get_size()
    if size < 2:
        raise ExecutorError(
            "--mpi needs two processes or more, one of which distributes the members: mpirun -n 5 symlie sweep … --mpi."
        )
    with MPICommExecutor(MPI.COMM_WORLD, root=0) as executor:
        yield None if executor is None else Executing(executor, None, size - 1)


@contextlib.contextmanager
def _cluster(address: str | None, file: str | None) -> Iterator[Executing]:
    require("--scheduler" if address else "--scheduler-file", "distributed")
    if file is not None and not Path(file).is_file():
        raise ExecutorError(f"No Dask scheduler has written {file}: dask scheduler --scheduler-file {file}.")
    from distributed import Client

    try:
        client = Client(address, scheduler_file=file, timeout=CONNECT)
    except (OSError, ValueError) as error:
        raise ExecutorError(f"No Dask scheduler answers at {address or file} ({type(error).__name__}).") from error
    with client:
        yield Executing(client, None, max(1, sum(client.nthreads().values())))
