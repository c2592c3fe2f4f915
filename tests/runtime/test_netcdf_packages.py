"""netCDF4 and h5netcdf write and read the same files."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import symlie as sl
from symlie.utilities.netcdf import attributes_of, netcdf_file
from tests.runtime.test_files import chain_solution, top_solution
from tests.systems import heavy_top_system

PACKAGES = ("netCDF4", "h5netcdf")


@pytest.fixture(autouse=True)
def _installed() -> None:
    for package in PACKAGES:
        pytest.importorskip(package)


def use(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide netCDF4 for h5netcdf."""
    monkeypatch.undo()
    if package == "h5netcdf":
        monkeypatch.setitem(sys.modules, "netCDF4", None)


@pytest.mark.parametrize("writer", PACKAGES)
@pytest.mark.parametrize("reader", PACKAGES)
def test_solutions_are_equal_with_both_packages(
    writer: str, reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, solution in {"top": top_solution(), "chain": chain_solution()}.items():
        path = tmp_path / f"{name}.nc"
        use(writer, monkeypatch)
        solution.save(path)
        use(reader, monkeypatch)
        loaded = sl.load_solution(path, trust=True)
        for part in ("t", "q", "v", "multipliers", "carried"):
            assert getattr(loaded, part).tobytes() == getattr(solution, part).tobytes()
        assert loaded.settings == solution.settings and loaded.statistics == solution.statistics
        assert {k: v.tobytes() for k, v in loaded.outputs.items()} == {
            k: v.tobytes() for k, v in solution.outputs.items()
        }
        continued = sl.solve(loaded.system, float(solution.t[-1]) + 1e-3, start=loaded, h=1e-3)
        assert np.isfinite(continued.q).all()


@pytest.mark.parametrize("package", PACKAGES)
def test_attributes_and_shapes_are_those_of_the_other_package(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "top.nc"
    use(package, monkeypatch)
    top_solution().save(path)
    found = {}
    for reader in PACKAGES:
        use(reader, monkeypatch)
        with netcdf_file(path) as file:
            found[reader] = (
                attributes_of(file),
                {n: (v.dimensions, attributes_of(v)) for n, v in file.variables.items()},
                {n: np.array(v[...]).tobytes() for n, v in file.variables.items() if v.dtype.kind == "f"},
            )
    assert found["netCDF4"] == found["h5netcdf"]


@pytest.mark.parametrize("package", PACKAGES)
def test_stores_of_ensembles_are_written_and_read(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(package, monkeypatch)
    system, masses = heavy_top_system("SE3", "numpy"), {"mass": [1.0, 2.0, 3.0]}
    stored = sl.ensemble(system, 0.004, parameters=masses, h=1e-3, store=tmp_path / "store")
    single = sl.ensemble(system, 0.004, parameters=masses, h=1e-3)
    again = sl.open_ensemble(tmp_path / "store")
    for found in (stored, again):
        assert found.arrays["status"].tobytes() == single.arrays["status"].tobytes()
        for name in ("rotation", "energy", "sentence"):
            assert np.array_equal(found.arrays[name], single.arrays[name])
