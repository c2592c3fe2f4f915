"""Rejected inputs and isolated failures of members on clusters and process pools."""

from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import symlie as sl
from symlie.ensembles.results import MemberStatus
from symlie.errors import ExecutorError, FormatError
from symlie.runtime.system.system import System
from symlie.version import VERSION
from tests.conftest import Programs
from tests.distributed.hostile import DEADLY, be_mortal, be_of_another_version
from tests.distributed.processes import dask_cluster
from tests.distributed.sweeps import SWEEPS

pytestmark = pytest.mark.distributed

TOPS = SWEEPS["heavy_top"]


def pool_of(initializer: Callable[[], None]) -> concurrent.futures.ProcessPoolExecutor:
    """A pool of two processes with an initializer."""
    return concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn"), initializer)


@pytest.fixture
def top(systems: Path) -> System:
    """The heavy top."""
    system = pickle.loads((systems / "heavy_top.pickle").read_bytes())
    assert isinstance(system, System)
    return system


def test_cluster_without_workers_is_rejected(needs: Programs, top: System, tmp_path: Path) -> None:
    needs("distributed")
    with dask_cluster(tmp_path, workers=0) as cluster:
        with pytest.raises(ExecutorError, match=r"no worker after 0\.2 s"):
            TOPS.run(top, 4, executor=cluster.client, wait=0.2)
        cluster.client.close()
        with pytest.raises(ExecutorError, match="its status is closed"):
            TOPS.run(top, 4, executor=cluster.client)


def test_worker_of_another_version_is_rejected(needs: Programs, top: System, tmp_path: Path) -> None:
    needs("distributed")
    versions = rf"{VERSION}; this is symlie 0\.0\.1"
    preload = ("--preload", "tests.distributed.other_version")
    with dask_cluster(tmp_path, 1, *preload) as cluster, pytest.raises(FormatError, match=versions):
        TOPS.run(top, 4, executor=cluster.client)
    with pool_of(be_of_another_version) as pool, pytest.raises(FormatError, match=versions):
        TOPS.run(top, 4, executor=pool)
    with pytest.raises(ExecutorError, match="accepts no work"):
        TOPS.run(top, 4, executor=pool)


def swing() -> System:
    """A particle on a spring that is hard for a few members."""
    model = sl.Model("swing")
    mass, stiffness = model.parameter("mass", 1.0), model.parameter("stiffness", 1.0)
    limit = model.parameter("limit", 100.0)
    q = model.node("bob", "R2")
    model.kinetic_energy(mass * q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(stiffness * q.x.dot(q.x) / 2)
    model.initial(q, x=[1, 0], x_dot=[0, 0])
    model.event("far", q.x_dot[0] ** 2 - limit**2)
    return model.derive().compile(backend="c")


COUNT = 24
KINDS = {2: "SingularMassMatrixError", 5: "ModelError", 11: "TimeLimitError", 17: "WorkerLostError"}


@pytest.mark.parametrize("scheduler", ["processes", pytest.param("dask", marks=pytest.mark.slow)])
def test_failures_are_named_and_other_members_complete(needs: Programs, tmp_path: Path, scheduler: str) -> None:
    """A zero mass, a NaN, a member that takes too long, one that kills its worker; and an event, which is an end."""
    system = swing()
    values = {"mass": np.linspace(1, 2, COUNT), "stiffness": np.full(COUNT, 4.0), "limit": np.full(COUNT, 100.0)}
    plain = dict(values)
    values = {name: rows.copy() for name, rows in values.items()}
    values["mass"][2], values["stiffness"][5], values["stiffness"][11] = 0.0, np.nan, 1e18
    values["limit"][[8, 11]], values["mass"][17] = [1.0, 1e30], DEADLY
    run = {"rtol": 1e-8, "t_eval": [0.0, 1.0, 2.0], "record": ["bob"]}
    expected = sl.ensemble(system, 2.0, parameters=plain, **run)
    with contextlib.ExitStack() as stack:
        executor: object
        if scheduler == "dask":
            needs("distributed")
            cluster = stack.enter_context(dask_cluster(tmp_path, 2, "--preload", "tests.distributed.mortal"))
            executor = cluster.client
        else:
            executor = stack.enter_context(pool_of(be_mortal))
        result = sl.ensemble(
            system, 2.0, parameters=values, executor=executor, member_seconds=2.0, max_steps=1 << 40, **run
        )
    assert {m.member: m.kind for m in result.failed} == KINDS
    assert result.arrays["status"][8] == MemberStatus.EVENT and 0 < result.arrays["end_time"][8] < 2
    others = [k for k in range(COUNT) if k not in (*KINDS, 8)]
    assert np.array_equal(result.arrays["bob.x"][others], expected.arrays["bob.x"][others])
    assert (result.arrays["status"][others] == MemberStatus.OK).all()
