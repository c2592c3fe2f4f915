"""Fixtures of tests with separate processes: transferred systems and Dask clusters."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Programs
from tests.distributed.processes import DaskCluster, dask_cluster
from tests.distributed.sweeps import SWEEPS


@pytest.fixture(scope="session")
def systems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pickled systems of all sweeps."""
    folder = tmp_path_factory.mktemp("systems")
    for name, sweep in SWEEPS.items():
        system = sweep.system()
        sweep.run(system, 1)  # sets of kernels travel once they are derived
        (folder / f"{name}.pickle").write_bytes(pickle.dumps(system))
    return folder


@pytest.fixture
def cluster(needs: Programs, tmp_path: Path) -> Iterator[DaskCluster]:
    """A scheduler of Dask and two workers."""
    needs("distributed")
    with dask_cluster(tmp_path / "cluster") as found:
        yield found
