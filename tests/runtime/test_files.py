"""Saved solutions: complete, exact, described, and never half written."""

from __future__ import annotations

import csv
import dataclasses
import functools
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import symlie as sl
from symlie.errors import FormatError, MissingDependencyError
from symlie.runtime.layout.quantities import field_unit
from symlie.runtime.solution.formats import replaced, save_solution
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.variables import GROUP, solution_attributes, solution_variables
from tests.systems import chain_system, heavy_top_system, polar_system


@functools.cache
def top_solution() -> Solution:
    """A few steps of the heavy top."""
    system = heavy_top_system("SE3", "numpy").with_parameters(mass=16.0)
    return sl.solve(system, (0, 0.004), method="half_explicit_2", h=1e-3)


@functools.cache
def chain_solution() -> Solution:
    """A few steps of two bodies with two constraints."""
    return sl.solve(chain_system("numpy"), (0, 0.003), method="half_explicit_2", h=1e-3)


def read_netcdf(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Variables as (dimensions, values, attributes), and global attributes."""
    netcdf = pytest.importorskip("netCDF4")
    with netcdf.Dataset(path) as file:
        file.set_auto_mask(False)
        apart = {GROUP + name: v for name, v in file.groups["symlie"].variables.items()}
        variables = {
            name: (v.dimensions, np.array(v[...]), {a: v.getncattr(a) for a in v.ncattrs()})
            for name, v in {**file.variables, **apart}.items()
        }
        return variables, {a: file.getncattr(a) for a in file.ncattrs()}


def read_numpy(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The same from a NumPy archive."""
    with np.load(path) as file:
        described = json.loads(file["variables"].item())
        attributes = json.loads(file["attributes"].item())
        variables = {
            name: (tuple(entry["dimensions"]), file[name], entry["attributes"]) for name, entry in described.items()
        }
        assert set(file.files) == {"variables", "attributes", *described}
    return variables, attributes


READERS = {".nc": read_netcdf, ".npz": read_numpy}


@pytest.mark.parametrize("suffix", READERS)
def test_everything_is_saved_exactly(tmp_path: Path, suffix: str) -> None:
    solution = top_solution()
    path = tmp_path / f"top{suffix}"
    solution.save(path)
    variables, attributes = READERS[suffix](path)
    expected = {
        "time": solution.t,
        "top_R": solution.field("top", "R"),
        "top_x": solution.field("top", "x"),
        "top_Omega": solution.field("top", "Omega"),
        "top_U": solution.field("top", "U"),
        "multipliers_fixed_point": solution.multipliers,
        **solution.outputs,
    }
    own = {name for name in variables if name.startswith(GROUP)}  # what load_solution needs besides
    assert set(variables) - own == set(expected)
    for name, values in expected.items():
        dimensions, stored, _ = variables[name]
        assert dimensions[0] == "time"
        assert len(set(dimensions)) == stored.ndim == len(dimensions), "xarray does not read repeated dimensions"
        np.testing.assert_array_equal(stored, values)
    assert variables["top_R"][1].shape == (5, 3, 3)
    units = {name: attributes.get("units") for name, (_, _, attributes) in variables.items()}
    assert units["time"] == "s"
    assert units["top_Omega"] == "rad/s"
    assert units["top_U"] == "m/s"
    assert units["energy"] == "J"
    assert units["center_of_mass"] == "m"
    assert units["multipliers_fixed_point"] is None
    assert attributes == solution_attributes(solution)
    assert attributes["model"] == "heavy_top"
    assert attributes["method"] == "half_explicit_2"
    assert attributes["status"] == "ok"
    assert attributes["backend"] == "numpy"
    assert attributes["interface_hash"] == solution.system.layout.interface_hash
    assert json.loads(attributes["parameters"])["mass"] == 16.0
    assert json.loads(attributes["parameters"])["gravity"] == [0, 0, -9.81]
    assert json.loads(attributes["statistics"])["steps"] == 4
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", READERS)
def test_several_nodes_and_constraints_are_saved(tmp_path: Path, suffix: str) -> None:
    solution = chain_solution()
    path = tmp_path / f"chain{suffix}"
    save_solution(solution, path)
    variables, _ = READERS[suffix](path)
    named = solution.named_multipliers()
    np.testing.assert_array_equal(variables["multipliers_joint"][1], named["joint"])
    np.testing.assert_array_equal(variables["lower_p"][1], solution.field("lower", "p"))
    assert variables["lower_p"][2] == {"kind": "configuration", "node": "lower", "field": "p", "units": "1"}
    assert variables["height"][1].shape == (4,)
    # Fields cover the state, so a file is enough to continue from.
    for part, total in (("configuration", solution.q), ("velocity", solution.v)):
        blocks = [v.reshape(4, -1) for _, v, a in variables.values() if a["kind"] == part]
        np.testing.assert_array_equal(np.concatenate(blocks, axis=1), total)


def test_xarray_reads_the_file(tmp_path: Path) -> None:
    path = tmp_path / "top.nc"
    top_solution().save(path)
    with xarray.open_dataset(path) as data:
        assert data["top_R"].sel(time=0.002).shape == (3, 3)
        assert data["center_of_mass"].attrs["units"] == "m"
        assert data.attrs["model"] == "heavy_top"
        table = data.drop_vars("rotation").to_dataframe()
    # Vectors share their dimension, and the code of the model is no dimension at all.
    assert set(table.index.names) == {"time", "component_3", "row_3", "column_3"}
    assert len(table) == 5 * 3 * 9


def test_names_never_collide() -> None:
    solution = chain_solution()
    outputs = {"energy": solution.outputs["energy"], "time": solution.t, "upper_x": solution.t, "file": solution.t}
    changed = dataclasses.replace(solution)
    changed.__dict__["outputs"] = outputs
    names = [v.name for v in solution_variables(changed)]
    assert len(set(names)) == len(names)
    assert {"output_time", "output_upper_x", "output_file", "upper_x"} <= set(names)


def test_text_files_are_exact(tmp_path: Path) -> None:
    """Columns by component, with all digits; a round trip through a table is lossless."""
    solution, path = top_solution(), tmp_path / "top.csv"
    solution.save(path)
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    frame = solution.to_dataframe()
    assert header == [frame.index.name, *frame.columns]
    np.testing.assert_array_equal(np.array(rows, dtype=float), frame.reset_index().to_numpy())
    np.testing.assert_array_equal(frame["top_R[0,1]"], solution.field("top", "R")[:, 0, 1])
    np.testing.assert_array_equal(frame["energy"], solution.outputs["energy"])
    with pytest.raises(FormatError, match="only numbers"):
        sl.load_solution(path, trust=True)


def test_xarray_dataset_is_complete(tmp_path: Path) -> None:
    """The dataset equals the content of a file."""
    solution = top_solution()
    data = solution.to_xarray()
    solution.save(tmp_path / "top.nc")
    with xarray.open_dataset(tmp_path / "top.nc") as stored:
        xarray.testing.assert_identical(data, stored.load())
    assert data["top_x"].dims == ("time", "component_3") and data["top_x"].attrs["units"] == "m"


@pytest.mark.parametrize(("module", "name"), [("pandas", "to_dataframe"), ("xarray", "to_xarray")])
def test_missing_table_packages_are_reported(module: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependencyError, match=rf'{module}.*pip install "symlie\[tables\]"'):
        getattr(top_solution(), name)()


def test_unknown_file_type_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"\.nc, \.npz or \.csv"):
        top_solution().save(tmp_path / "top.txt")
    assert not list(tmp_path.iterdir())


def test_missing_folder_is_reported(tmp_path: Path) -> None:
    for suffix in READERS:
        with pytest.raises(FormatError, match="cannot be written"):
            top_solution().save(tmp_path / "nowhere" / f"top{suffix}")


def test_missing_netcdf_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "netCDF4", None)
    monkeypatch.setitem(sys.modules, "h5netcdf", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "symlie\[io\]".*\.npz'):
        top_solution().save(tmp_path / "top.nc")
    top_solution().save(tmp_path / "top.npz")
    assert [p.name for p in tmp_path.iterdir()] == ["top.npz"]


def test_existing_file_survives_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "top.npz"
    path.write_text("old")

    def fail() -> None:
        with replaced(path) as temporary:
            temporary.write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(FormatError, match="No space left"):
        fail()
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["top.npz"]


def test_coordinate_units_come_from_the_model() -> None:
    (bead,) = polar_system("numpy").layout.nodes
    (top,) = heavy_top_system("SE3", "numpy").layout.nodes
    assert field_unit(bead, "x") == ""
    assert field_unit(top, "x") == "m"
    assert field_unit(top, "Omega") == "rad/s"


def test_rotations_of_an_array_are_saved(tmp_path: Path) -> None:
    model = sl.Model("spinning")
    bodies = model.node_array("bodies", sl.SO3, 2)
    bodies.initial(Omega=[[0, 0, 1], [1, 0, 0]])
    bodies.output("attitudes", "R", unit="1")
    body = sl.ElementType("body", node=sl.SO3)
    body.kinetic_energy(body.node.Omega.dot(body.node.Omega) / 2)
    model.add(body, bodies)
    solution = sl.solve(model.derive().compile(backend="numpy"), 0.1, h=0.05)
    solution.save(tmp_path / "bodies.npz")
    dimensions, values, about = read_numpy(tmp_path / "bodies.npz")[0]["attitudes"]
    assert dimensions == ("time", "attitudes_node", "row_3", "column_3") and about["units"] == "1"
    np.testing.assert_array_equal(values, solution.field("bodies", "R"))
