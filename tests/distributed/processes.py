"""Processes that tests start; each is stopped, with its children, at the end of a block."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Client

ROOT = Path(__file__).parents[2]

PATIENCE = 120.0
"""Time limit of a process in s, far above the time on a busy machine."""

MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_plm": "isolated",
    "OMPI_MCA_oob_tcp_if_include": "lo",
}
"""Open MPI on one machine, also as root and in containers, on the loopback address."""


def until(what: str, is_so: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> None:
    """Wait until something is so; a process that ends before fails."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        if process is not None and process.poll() is not None:
            raise AssertionError(f"{process.args} ended with {process.returncode} before {what}")
        if time.monotonic() > end:
            raise AssertionError(f"no {what} after {PATIENCE:g} s")
        time.sleep(0.002)


@contextlib.contextmanager
def started(
    *command: str | Path, log: Path | None = None, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A process with pipes or an output file, in a separate session that ends with the block."""
    told = contextlib.nullcontext(subprocess.PIPE) if log is None else log.open("w")
    with told as output:
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | (environment or {}),
            stdout=output,
            stderr=subprocess.PIPE if log is None else subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    """Terminate a session, so that launchers stop remote processes; then kill remaining processes."""
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def printed(*command: str | Path, environment: Mapping[str, str] | None = None) -> str:
    """Output of a process that must succeed."""
    with started(*command, environment=environment) as process:
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
    return out


@dataclass(frozen=True)
class DaskCluster:
    """A scheduler and its workers."""

    client: Client
    scheduler: subprocess.Popen[str]
    scheduler_file: Path


@contextlib.contextmanager
def dask_cluster(folder: Path, workers: int = 2, *options: str) -> Iterator[DaskCluster]:
    """A scheduler, workers with options, and a client in this process."""
    from distributed import Client

    folder.mkdir(parents=True, exist_ok=True)
    file, dask = folder / "scheduler.json", [sys.executable, "-m", "dask"]
    with contextlib.ExitStack() as stack:
        command = [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file]
        scheduler = stack.enter_context(started(*command, log=folder / "scheduler.log"))
        until("scheduler file", lambda: file.exists() and bool(file.read_text()), scheduler)
        if workers:
            size = ["--nworkers", str(workers), "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1"]
            place = ["--scheduler-file", file, "--local-directory", folder]
            stack.enter_context(started(*dask, "worker", *size, *place, *options, log=folder / "workers.log"))
        client = Client(scheduler_file=str(file), set_as_default=False)
        stack.callback(client.close, timeout=1)
        if workers:
            client.wait_for_workers(workers, timeout=PATIENCE)
        yield DaskCluster(client, scheduler, file)
