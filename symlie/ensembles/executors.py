"""Workers for chunks of members: threads, executors of `concurrent.futures`, and Dask clusters."""

from __future__ import annotations

import concurrent.futures
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from symlie.ensembles.chunk_rows import StoppedError
from symlie.ensembles.results import MemberResults
from symlie.ensembles.sealed_chunk import Sealer, run_sealed
from symlie.ensembles.tasks import MemberTask, run_chunk
from symlie.errors import ExecutorError, WorkerLostError
from symlie.utilities.packages import require

if TYPE_CHECKING:
    import distributed

Part: TypeAlias = tuple[int, int]
"""Start and end index of a chunk."""

Outcome: TypeAlias = tuple[Part, MemberResults | Exception]
"""A chunk with its results, or the exception that ended it."""


class Workers(ABC):
    """Interface of workers that run chunks."""

    count: int
    """Number of chunks that run at a time."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of unfinished chunks."""

    @abstractmethod
    def submit(self, part: Part, task: MemberTask) -> None:
        """Submit a chunk."""

    @abstractmethod
    def done(self) -> list[Outcome]:
        """Wait until at least one chunk is finished, and return the finished ones."""

    @abstractmethod
    def finish(self) -> Iterator[Outcome]:
        """Cancel chunks that have not started, and wait for the others."""

    @abstractmethod
    def is_lost(self, error: Exception) -> bool:
        """Return whether an error means that a worker died."""

    @abstractmethod
    def close(self) -> None:
        """Release resources created here, but no user-defined executor."""


class ExecutorWorkers(Workers):
    """User-defined executor of `concurrent.futures`; a broken process pool is replaced by an equal one."""

    def __init__(self, executor: concurrent.futures.Executor, count: int) -> None:
        self._given = self._pool = executor
        self.count, self._sealer = count, Sealer()
        self._futures: dict[concurrent.futures.Future[MemberResults], Part] = {}

    def __len__(self) -> int:
        return len(self._futures)

    def submit(self, part: Part, task: MemberTask) -> None:
        try:
            future = self._future(task)
        except concurrent.futures.BrokenExecutor:
            self._renew()
            future = self._future(task)
        except RuntimeError as error:
            raise ExecutorError(f"The executor accepts no work ({error}); use an open one.") from error
        self._futures[future] = part

    def _future(self, task: MemberTask) -> concurrent.futures.Future[MemberResults]:
        return self._pool.submit(run_sealed, *self._sealer(task))

    def done(self) -> list[Outcome]:
        found = concurrent.futures.wait(self._futures, return_when=concurrent.futures.FIRST_COMPLETED).done
        return [self._outcome(future) for future in found]

    def finish(self) -> Iterator[Outcome]:
        for future in [f for f in self._futures if not f.cancel()]:
            yield self._outcome(future)

    def _outcome(self, future: concurrent.futures.Future[MemberResults]) -> Outcome:
        part = self._futures.pop(future)
        try:
            return part, future.result()
        except Exception as error:
            return part, error

    def is_lost(self, error: Exception) -> bool:
        return isinstance(error, concurrent.futures.BrokenExecutor)

    def _renew(self) -> None:
        """Replace a broken process pool."""
        if not isinstance(self._given, concurrent.futures.ProcessPoolExecutor):
            raise WorkerLostError("A worker of the executor was lost and cannot be replaced.")
        self.close()
        self._pool = concurrent.futures.ProcessPoolExecutor(
            self.count,
            getattr(self._given, "_mp_context", None),
            getattr(self._given, "_initializer", None),
            getattr(self._given, "_initargs", ()),
        )

    def close(self) -> None:
        if self._pool is not self._given:
            self._pool.shutdown(wait=True, cancel_futures=True)


class ThreadWorkers(ExecutorWorkers):
    """Threads of this process; the compiled loop releases the interpreter lock."""

    def __init__(self, count: int) -> None:
        super().__init__(concurrent.futures.ThreadPoolExecutor(count), count)
        self._is_stopped = threading.Event()

    def _future(self, task: MemberTask) -> concurrent.futures.Future[MemberResults]:
        return self._pool.submit(run_chunk, task, self._check)

    def _check(self) -> None:
        if self._is_stopped.is_set():
            raise StoppedError

    def finish(self) -> Iterator[Outcome]:
        self._is_stopped.set()
        yield from super().finish()

    def close(self) -> None:
        self._is_stopped.set()
        self._pool.shutdown(wait=True, cancel_futures=True)


class DaskWorkers(Workers):
    """Dask cluster, which replaces dead workers and repeats their unfinished chunks."""

    def __init__(self, client: distributed.Client, wait: float) -> None:
        self._client, self._sealer = client, Sealer()
        self._check()
        try:
            client.wait_for_workers(1, timeout=wait)
        except TimeoutError as error:
            raise ExecutorError(f"The Dask cluster has no worker after {wait:g} s; start one.") from error
        self.count = max(1, sum(client.nthreads().values()))
        self._futures: dict[distributed.Future, Part] = {}

    def _check(self) -> None:
        if self._client.status != "running":
            raise self._gone()

    def _gone(self) -> ExecutorError:
        return ExecutorError(
            f"The Dask client has no scheduler (its status is {self._client.status}); use the client of a "
            "running cluster. With a store, the same call continues after the completed members."
        )

    def __len__(self) -> int:
        return len(self._futures)

    def submit(self, part: Part, task: MemberTask) -> None:
        self._check()
        self._futures[self._client.submit(run_sealed, *self._sealer(task), pure=False)] = part

    def done(self) -> list[Outcome]:
        from distributed import wait

        try:
            with self._client.as_current():
                found = wait(list(self._futures), return_when="FIRST_COMPLETED").done
        except concurrent.futures.CancelledError as error:
            raise self._gone() from error
        return [self._outcome(future) for future in found]

    def finish(self) -> Iterator[Outcome]:
        for future in list(self._futures):
            if future.status == "pending":
                future.cancel()
            else:
                yield self._outcome(future)

    def _outcome(self, future: distributed.Future) -> Outcome:
        from distributed.comm import CommClosedError

        part = self._futures.pop(future)
        try:
            return part, future.result()
        except (concurrent.futures.CancelledError, CommClosedError) as error:
            raise self._gone() from error
        except Exception as error:
            return part, error

    def is_lost(self, error: Exception) -> bool:
        from distributed.scheduler import KilledWorker

        return isinstance(error, KilledWorker)

    def close(self) -> None:
        """Release leftover chunks, but not the user-defined cluster."""
        for future in self._futures:
            future.release()


def processors() -> int:
    """Return the number of processors available to this process."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1


def workers_of(executor: object, workers: int | None, wait: float) -> Workers:
    """Return the workers for an executor, or raise `ExecutorError` if it is invalid or has no workers."""
    if executor is None:
        return ThreadWorkers(workers or processors())
    if workers is not None:
        raise ExecutorError("workers is the number of threads; it cannot be combined with an executor.")
    if isinstance(executor, concurrent.futures.Executor):
        return ExecutorWorkers(executor, int(getattr(executor, "_max_workers", None) or processors()))
    if type(executor).__module__.startswith("distributed."):
        require("Clusters of Dask", "distributed")
        from distributed import Client

        assert isinstance(executor, Client)
        return DaskWorkers(executor, wait)
    raise ExecutorError(
        f"An executor is one of concurrent.futures or a client of dask.distributed, not {type(executor).__name__}."
    )
