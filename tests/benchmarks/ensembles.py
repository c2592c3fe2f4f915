"""Ensembles: overhead per member on all schedulers, with a store, and compared with other packages.

python -m tests.benchmarks.ensembles [--samples 7] [--members 1000] [--stored 100000] [scipy] [heyoka]

CPU time of all participating processes, schedulers included, minimum of alternating samples after a warm-up run. MPI
needs mpirun and mpi4py, Dask needs distributed; missing packages are skipped. Other packages to compare with are passed
as arguments.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import importlib.util
import multiprocessing
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

import symlie as sl
from symlie.models import flying_spaghetti, heavy_top
from symlie.runtime.study.timing import step_timer
from symlie.runtime.system.system import System
from tests.benchmarks import ensemble_peers
from tests.distributed.processes import MPI_ENVIRONMENT, dask_cluster, printed

STEPS = 1024
STEP = 2.0**-10
TICK = os.sysconf("SC_CLK_TCK")


def row(what: str, figure: str, bar: str = "") -> None:
    """A line of the table."""
    print(f"| {what} | {figure} | {bar} |", flush=True)


def top() -> System:
    """The heavy top on SE(3)."""
    return heavy_top.build("SE3").derive().compile("c")


def masses(count: int) -> np.ndarray:
    """Masses of members, in kg."""
    return np.random.default_rng(0).uniform(10, 20, count)


def swept(system: System, count: int, steps: int = STEPS, **words: object) -> sl.Ensemble:
    """Members with recorded final states."""
    options = {"h": STEP, "record_every": 0} | words
    return sl.ensemble(system, steps * STEP, parameters={"mass": masses(count)}, **options)


def spent(run: Callable[[], object], others: Iterable[int] = ()) -> float:
    """CPU seconds of a call, in this process and in others."""
    begin = time.process_time() + _cpu_of(others)
    run()
    return time.process_time() + _cpu_of(others) - begin


def _cpu_of(processes: Iterable[int]) -> float:
    """CPU seconds of other processes until now."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in processes]
    return sum(int(f[11]) + int(f[12]) for f in fields) / TICK


def single_steps(system: System, samples: int) -> None:
    """Members with a single step, and sequential solutions."""
    swept(system, 1000, 1, workers=1)
    found = [spent(lambda: swept(system, 1000, 1, workers=1)) / 1000 for _ in range(samples)]
    row("member with a single step, in an ensemble of 1,000", f"{min(found) * 1e6:.0f} µs", "50 µs")

    def again(k: int) -> None:
        sl.solve(system.with_parameters(mass=10 + k / 100), STEP, h=STEP, record_every=0)

    again(0)
    found = [spent(lambda k=k: again(k)) for k in range(1, 40 * samples)]
    row("repeated `solve` with a different parameter", f"{statistics.median(found) * 1e6:.0f} µs", "450 µs")


def rods(samples: int) -> None:
    """Members of a rod that have a single step, over a step."""
    rod, h = flying_spaghetti.build(16).derive().compile("c"), 2.0**-12
    timer = step_timer(rod, "half_explicit_5", h, 1000)
    stiffness = np.linspace(500, 550, 1000)

    def members() -> None:
        given = {"bending_stiffness": stiffness}
        sl.ensemble(rod, h, parameters=given, h=h, record_every=0, record=["energy"], workers=1)

    members()
    found = [(spent(members) / 1000, timer() * 1e-9) for _ in range(samples)]
    ratio = min(cpu for cpu, _ in found) / min(step for _, step in found)
    row("member with a single step, in an ensemble of 1,000 rods of 16 segments", f"{ratio:.1f} steps", "3")


def threads(system: System, count: int, samples: int) -> float:
    """Threads of this process; the CPU seconds of one."""
    found: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
    loops = []
    for _ in range(samples):
        for workers, measured in found.items():
            begin = time.perf_counter()
            cpu = spent(lambda n=workers: loops.append(swept(system, count, workers=n)))
            measured.append((cpu, time.perf_counter() - begin))
    inside = min(float(result.arrays["cpu_seconds"].sum()) for result in loops[::2])
    one, two = (min(cpu for cpu, _ in found[n]) for n in (1, 2))
    what = f"{count:,} members with {STEPS:,} steps on one thread, relative to the compiled loops"
    row(what, f"{one / inside:.2f}", "1.15")
    row("two threads relative to one: CPU time", f"{two / one:.2f}", "1.05")
    walls = [min(wall for _, wall in found[n]) for n in (1, 2)]
    row("two threads relative to one: elapsed time", f"{walls[1] / walls[0]:.2f}", "0.55")
    return one


@contextlib.contextmanager
def _processes() -> Iterator[tuple[object, list[int]]]:
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(abs, range(8)))
        yield pool, [p.pid for p in multiprocessing.active_children() if p.pid]


@contextlib.contextmanager
def _dask() -> Iterator[tuple[object, list[int]]]:
    with tempfile.TemporaryDirectory() as folder, dask_cluster(Path(folder)) as cluster:
        workers = cluster.client.run(os.getpid)
        nanny = cluster.client.run(os.getppid)
        yield cluster.client, [cluster.scheduler.pid, *{*workers.values(), *nanny.values()}]


@contextlib.contextmanager
def _mpi() -> Iterator[tuple[object, list[int]]]:
    from mpi4py.futures import MPIPoolExecutor

    with MPIPoolExecutor() as pool:
        yield pool, sorted({pid for pid in pool.map(_pid, range(64)) if pid != os.getpid()})


def _pid(_: int) -> int:
    time.sleep(0.01)
    return os.getpid()


SCHEDULERS = {"processes": _processes, "Dask": _dask, "MPI": _mpi}


def scheduled(name: str, count: int, samples: int) -> float:
    """CPU time of a scheduler with two workers, relative to one thread."""
    system, found = top(), []
    with SCHEDULERS[name]() as (executor, others):
        for _ in range(2):
            swept(system, count, executor=executor)
            swept(system, count, workers=1)
        if name == "Dask":
            row(
                "CPU time of an idle Dask cluster",
                f"{spent(lambda: time.sleep(2), others) / 2:.2f} s in a second",
            )
        for _ in range(samples):
            cpu = spent(lambda: swept(system, count, executor=executor), others)
            found.append((cpu, spent(lambda: swept(system, count, workers=1))))
    return min(cpu for cpu, _ in found) / min(one for _, one in found)


def schedulers(count: int, samples: int) -> None:
    """Pools of processes, Dask and MPI."""
    what = f"two workers relative to one thread, {count:,} members: "
    row(what + "processes", f"{scheduled('processes', count, samples):.2f}", "1.2")
    if importlib.util.find_spec("distributed"):
        row(what + "Dask, with its scheduler", f"{scheduled('Dask', count, samples):.2f}", "1.2")
    if importlib.util.find_spec("mpi4py") and shutil.which("mpirun"):
        command = ["mpirun", "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures", "-m"]
        own = ["tests.benchmarks.ensembles", "--mpi", "--members", str(count), "--samples", str(samples)]
        row(what + "MPI", f"{float(printed(*command, *own, environment=MPI_ENVIRONMENT)):.2f}", "1.2")


def outputs(name: str, system: System, h: float, steps: int, bar: str, samples: int) -> None:
    """All outputs of a recorded state, in steps."""
    timer = step_timer(system, "half_explicit_5", h, steps)
    dict(sl.solve(system, h * steps, h=h).outputs)
    found = []
    for _ in range(samples):
        solution = sl.solve(system, h * steps, h=h)
        found.append((spent(lambda run=solution: dict(run.outputs)) / len(solution.t) * 1e9, timer()))
    ratio = min(cost for cost, _ in found) / min(step for _, step in found)
    row(f"evaluation of all outputs of a recorded state, {name}", f"{ratio:.2f} steps", bar)


def storing(system: System, count: int, stored: int, samples: int) -> None:
    """The share of a store, and memory."""
    found = []
    words = {"t_eval": np.linspace(0, STEPS * STEP, 5), "workers": 1}
    for _ in range(samples + 1):
        with tempfile.TemporaryDirectory() as folder:
            cpu = spent(lambda place=folder: swept(system, count, store=f"{place}/runs", **words))
        found.append((cpu, spent(lambda: swept(system, count, **words))))
    ratio = min(cpu for cpu, _ in found[1:]) / min(one for _, one in found[1:])
    row(f"share of the store in the CPU time of {count:,} members", f"{1 - 1 / ratio:.1%}", "10 %")
    resident: dict[int, float] = {}

    def look(done: int, of: int) -> None:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        resident[done] = pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    with tempfile.TemporaryDirectory() as folder:
        swept(system, stored, 16, store=f"{folder}/runs", progress=look)
    from_there = [size for done, size in resident.items() if done >= min(10_000, stored // 2)]
    change = max(from_there) / from_there[0] - 1
    row(f"peak resident memory with {stored:,} members in a store", f"{max(from_there):.0f} MB", "400 MB")
    row("the same relative to the value at member 10,000", f"{change:+.1%}", "± 5 %")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=7)
    parser.add_argument("--members", type=int, default=1000)
    parser.add_argument("--stored", type=int, default=100_000)
    parser.add_argument("--mpi", action="store_true", help="this process is started by mpirun; print one ratio")
    parser.add_argument("peers", nargs="*", choices=[*ensemble_peers.PEERS, []], help="beside which programs")
    given = parser.parse_args()
    if given.mpi:
        print(scheduled("MPI", given.members, given.samples))
        return
    print("| quantity | measured | target |\n|---|---|---|")
    system = top()
    single_steps(system, given.samples)
    rods(given.samples)
    threads(system, given.members, given.samples)
    schedulers(given.members, given.samples)
    outputs("heavy top", system, STEP, 2000, "2", given.samples)
    rod = flying_spaghetti.build(64).derive().compile("c")
    outputs("flying spaghetti of 64 segments", rod, 2.0**-11, 500, "0.2", given.samples)
    storing(system, given.members, given.stored, given.samples)
    for name in given.peers:
        theirs, ours, error = ensemble_peers.compared(name)
        row(f"member, {ensemble_peers.PROBLEM}: {name}", f"{theirs * 1e6:.0f} µs; symlie {ours * 1e6:.0f} µs; "
            f"final states agree to {error:.0e}")  # fmt: skip


if __name__ == "__main__":
    main()
