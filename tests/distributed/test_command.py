"""``symlie sweep`` on threads, on a cluster of Dask, and under mpirun: one result."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import symlie as sl
from tests.distributed.processes import MPI_ENVIRONMENT, DaskCluster, printed

pytestmark = pytest.mark.distributed

SYMLIE = (sys.executable, "-m", "symlie")
SWEEP = ("sweep", "heavy_top", "--over", "mass=10:20:33", "--t-eval", "0.1,0.2", "--record", "energy,top.R")


def test_all_schedulers_give_equal_results(needs: Callable[..., None], cluster: DaskCluster, tmp_path: Path) -> None:
    needs("mpirun", "mpi4py")
    mpirun = ("mpirun", "--oversubscribe", "-n", "3")
    for name, before, after in (
        ("threads", (), ("--workers", "2")),
        ("dask", (), ("--scheduler-file", str(cluster.scheduler_file))),
        ("mpi", mpirun, ("--mpi",)),
    ):
        told = printed(*before, *SYMLIE, *SWEEP, "--out", str(tmp_path / name), *after, environment=MPI_ENVIRONMENT)
        assert told.count("33 members: 33 ok") == 1
    again = printed(
        *mpirun, *SYMLIE, "resume", str(tmp_path / "threads"), "--trust", "--mpi", environment=MPI_ENVIRONMENT
    )
    assert again.count("33 members: 33 ok") == 1
    found = [sl.open_ensemble(tmp_path / name) for name in ("threads", "dask", "mpi")]
    for name in ("energy", "top.R", "steps"):
        assert len({ensemble.arrays[name].tobytes() for ensemble in found}) == 1
