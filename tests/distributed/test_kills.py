"""kill −9 of drivers, workers and a scheduler at random times: the resumed sweep is bit-identical."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import pickle
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import symlie as sl
from symlie.ensembles import dispatch
from symlie.ensembles.results import MemberStatus
from symlie.errors import ExecutorError
from symlie.runtime.system.system import System
from tests.conftest import Programs
from tests.distributed.processes import (
    MPI_ENVIRONMENT,
    PATIENCE,
    DaskCluster,
    dask_cluster,
    printed,
    started,
    until,
)
from tests.distributed.sweeps import SWEEPS, digest

pytestmark = pytest.mark.distributed

CHUNK = 5
"""Members of a chunk, few so that there are many interruption points."""

TOPS = SWEEPS["heavy_top"]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many chunks."""
    monkeypatch.setattr(dispatch, "LARGEST_CHUNK", CHUNK)


@pytest.fixture
def top(systems: Path) -> System:
    """The heavy top."""
    system = pickle.loads((systems / "heavy_top.pickle").read_bytes())
    assert isinstance(system, System)
    return system


def killer(times: int, count: int, kill: Callable[[], object], seed: int) -> Callable[[int, int], None]:
    """A progress that kills, at so many moments of an ensemble."""
    moments = sorted(random.Random(seed).sample(range(CHUNK, count - 4 * CHUNK), times))

    def look(done: int, of: int) -> None:
        if moments and done >= moments[0]:
            moments.pop(0)
            kill()
        assert done < of or not moments, "killed too seldom"

    return look


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_driver_can_be_resumed(top: System, systems: Path, tmp_path: Path, kills: int) -> None:
    """A driver that is killed again and again, until it may finish; a store that was finished before is begun anew."""
    count, store, moments = 100 * kills, tmp_path / "store", random.Random(4)
    command = [
        sys.executable, "-m", "tests.distributed.sweeps", systems, str(count), "heavy_top", "--store", store,
        "--chunk", str(CHUNK),
    ]  # fmt: skip
    done = 0
    while done < kills:
        wanted = len(list(store.glob("members_*.nc"))) + moments.randrange(1, 12)
        with started(*command) as driver:
            while driver.poll() is None and len(list(store.glob("members_*.nc"))) < wanted:
                time.sleep(0.002)
            driver.kill()
            ended = driver.wait()
        assert ended in (0, -signal.SIGKILL)
        if ended:
            done += 1
        else:
            shutil.rmtree(store)
    assert printed(*command).split() == ["heavy_top", digest(TOPS.run(top, count))]


@pytest.mark.parametrize("kills", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_killed_pool_workers_are_replaced(top: System, kills: int) -> None:
    count, chosen = 60 * kills, random.Random(5)

    def kill() -> None:
        os.kill(chosen.choice([p.pid for p in multiprocessing.active_children() if p.pid]), signal.SIGKILL)

    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        result = TOPS.run(top, count, executor=pool, progress=killer(kills, count, kill, 6))
    assert digest(result) == digest(TOPS.run(top, count))


@pytest.mark.parametrize("kills", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_killed_dask_workers_are_replaced(top: System, cluster: DaskCluster, kills: int) -> None:
    count, chosen = 60 * kills, random.Random(7)

    def kill() -> None:
        known = [pid for pid in cluster.client.run(os.getpid, on_error="ignore").values() if isinstance(pid, int)]
        if known:
            os.kill(chosen.choice(known), signal.SIGKILL)

    result = TOPS.run(top, count, executor=cluster.client, progress=killer(kills, count, kill, 8))
    assert digest(result) == digest(TOPS.run(top, count))


@pytest.mark.parametrize("kills", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_killed_scheduler_is_reported(needs: Programs, top: System, tmp_path: Path, kills: int) -> None:
    needs("distributed")
    count, store = 80 * (kills + 1), tmp_path / "store"

    def clusters() -> Iterator[sl.Ensemble | str]:
        for k in range(kills + 1):
            with dask_cluster(tmp_path / f"cluster{k}") as cluster:
                look = killer(int(k < kills), 80 * (k + 1), cluster.scheduler.kill, k)
                try:
                    yield TOPS.run(top, count, executor=cluster.client, store=store, progress=look)
                except ExecutorError as error:
                    yield str(error)

    *interrupted, result = clusters()
    assert all("has no scheduler" in str(sentence) for sentence in interrupted) and len(interrupted) == kills
    assert isinstance(result, sl.Ensemble) and digest(result) == digest(TOPS.run(top, count))


def test_killed_mpi_worker_ends_the_sweep_which_can_be_resumed(needs: Programs, tmp_path: Path) -> None:
    needs("mpirun", "mpi4py")
    symlie = ("mpirun", "--oversubscribe", "-n", "3", sys.executable, "-m", "symlie")
    sweep = ("heavy_top", "--over", "mass=10:20:4000", "--t-eval", "0.2", "--record", "energy", "--out")
    store = tmp_path / "killed"
    with started(*symlie, "sweep", *sweep, str(store), "--mpi", environment=MPI_ENVIRONMENT) as launcher:
        until("members", lambda: any(store.glob("members_*.nc")), launcher)
        os.kill(children(launcher.pid)[-1], signal.SIGKILL)
        _, told = launcher.communicate(timeout=PATIENCE)
    assert launcher.returncode != 0 and "exited on signal 9 (Killed)" in told
    assert 0 < np.sum(sl.open_ensemble(store).arrays["status"] == MemberStatus.OK) < 4000
    again = printed(*symlie, "resume", str(store), "--trust", "--mpi", environment=MPI_ENVIRONMENT)
    assert again.count("4000 members: 4000 ok") == 1
    printed(sys.executable, "-m", "symlie", "sweep", *sweep, str(tmp_path / "whole"))
    one, other = (sl.open_ensemble(tmp_path / name).arrays["energy"] for name in ("killed", "whole"))
    assert one.tobytes() == other.tobytes()


def children(pid: int) -> list[int]:
    """Processes that a process has started, in their order."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
