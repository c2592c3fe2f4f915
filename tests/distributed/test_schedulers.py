"""The same bits from threads, processes, Dask, MPI, in any order, and as `solve` gives them."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import pickle
import random
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.ensembles import dispatch
from tests import tolerances
from tests.conftest import Programs
from tests.distributed.processes import MPI_ENVIRONMENT, DaskCluster, printed
from tests.distributed.sweeps import SWEEPS, digest

pytestmark = pytest.mark.distributed

COUNTS = [24, pytest.param(2000, marks=pytest.mark.slow)]


class Shuffled(concurrent.futures.Executor):
    """One worker that takes whichever chunk it likes."""

    _max_workers = 8

    def __init__(self) -> None:
        self._random, self._waiting = random.Random(3), []
        self._some = threading.Condition()
        self._is_open = True
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> concurrent.futures.Future[Any]:
        """Put a call among those that wait."""
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        with self._some:
            self._waiting.append((future, fn, args, kwargs))
            self._some.notify()
        return future

    def _work(self) -> None:
        while True:
            with self._some:
                self._some.wait_for(lambda: self._waiting or not self._is_open)
                if not self._waiting:
                    return
                future, fn, args, kwargs = self._waiting.pop(self._random.randrange(len(self._waiting)))
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(fn(*args, **kwargs))
                except BaseException as error:
                    future.set_exception(error)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Finish what waits."""
        with self._some:
            self._is_open = False
            self._some.notify()
        if wait:
            self._thread.join()


@pytest.mark.parametrize("count", COUNTS)
def test_all_schedulers_give_equal_results(
    needs: Programs, systems: Path, cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    needs("mpirun", "mpi4py")
    monkeypatch.setattr(dispatch, "LARGEST_CHUNK", max(4, count // 16))
    loaded = {name: pickle.loads((systems / f"{name}.pickle").read_bytes()) for name in SWEEPS}
    expected = {name: digest(sweep.run(loaded[name], count, workers=1)) for name, sweep in SWEEPS.items()}
    with (
        concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as processes,
        Shuffled() as shuffled,
    ):
        executors = {
            "threads": {"workers": 2},
            "processes": {"executor": processes},
            "shuffled": {"executor": shuffled},
            "Dask": {"executor": cluster.client},
        }
        for scheduler, words in executors.items():
            for name, sweep in SWEEPS.items():
                assert digest(sweep.run(loaded[name], count, **words)) == expected[name], (scheduler, name)
    command = ["mpirun", "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures"]
    told = printed(
        *command, "-m", "tests.distributed.sweeps", systems, str(count), *SWEEPS, "--mpi", environment=MPI_ENVIRONMENT
    )
    assert dict(line.split() for line in told.splitlines()) == expected


@pytest.mark.parametrize("name", SWEEPS)
def test_members_equal_solve(systems: Path, name: str) -> None:
    sweep, system = SWEEPS[name], pickle.loads((systems / f"{name}.pickle").read_bytes())
    result = sweep.run(system, 24)
    for k in (0, 7, 23):
        changed = system.with_parameters(**{sweep.parameter: sweep.values(24)[k]})
        alone = sl.solve(changed, sweep.t_end, **sweep.words)
        for quantity in result.quantities:
            node, _, field = quantity.name.partition(".")
            expected = alone.field(node, field) if field else alone.outputs[quantity.name]
            assert result.arrays[quantity.name][k].tobytes() == expected.tobytes(), quantity.name


@pytest.mark.parametrize("name", SWEEPS)
def test_numpy_backend_agrees(systems: Path, name: str) -> None:
    sweep, system = SWEEPS[name], pickle.loads((systems / f"{name}.pickle").read_bytes())
    compiled, plain = sweep.run(system, 2), sweep.run(sweep.system("numpy"), 2)
    for quantity in compiled.quantities:
        scale = np.nanmax(np.abs(compiled.arrays[quantity.name]))
        np.testing.assert_allclose(
            plain.arrays[quantity.name], compiled.arrays[quantity.name], rtol=0, atol=tolerances.BACKENDS * (1 + scale)
        )
