"""What tests with processes of their own share: programs that must be there, systems that travel, clusters of Dask."""

from __future__ import annotations

import importlib.util
import pickle
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.distributed.processes import DaskCluster, dask_cluster
from tests.distributed.sweeps import SWEEPS

Programs = Callable[..., None]


@pytest.fixture(scope="session")
def needs(pytestconfig: pytest.Config) -> Programs:
    """Skips where programs or packages are missing, with their names; fails there with ``--all-tools``."""

    def need(*names: str) -> None:
        missing = [name for name in names if shutil.which(name) is None and importlib.util.find_spec(name) is None]
        if missing and pytestconfig.getoption("all_tools"):
            pytest.fail(f"{', '.join(missing)} must be there")
        if missing:
            pytest.skip(f"{', '.join(missing)} not found")

    return need


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
