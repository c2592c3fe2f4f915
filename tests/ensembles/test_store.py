"""Stores of ensembles: whole at any moment, continued, and refused where they are something else."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import os
import signal
import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from hypothesis import given as given_by
from hypothesis import strategies as st

from symlie.ensembles.results import MemberResults, MemberStatus
from symlie.ensembles.store import begin_store, open_store
from symlie.ensembles.store_index import Quantity, StoreIndex
from symlie.errors import FormatError, MissingDependencyError, UnknownNameError
from symlie.version import VERSION
from tests.ensembles.stores import INDEX, TIMES, assert_equal, given, new_store, results

netCDF4 = pytest.importorskip("netCDF4")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_written_results_are_read(tmp_path: Path) -> None:
    store = new_store(tmp_path / "runs")
    store.write(results(4, 3))
    store.write(results(9, 0, 1, 7))
    assert names(tmp_path / "runs") == [
        "design.nc",
        "index.json",
        "members_00000000-00000001.nc",
        "members_00000003-00000004.nc",
        "members_00000007-00000007.nc",
        "members_00000009-00000009.nc",
    ]
    back = open_store(tmp_path / "runs")
    assert back.index == INDEX and back.finished().tolist() == [0, 1, 3, 4, 7, 9]
    assert_equal(back.read(), results(0, 1, 3, 4, 7, 9))
    assert [part.members.tolist() for part in back.parts()] == [[0, 1], [3, 4], [7], [9]]
    assert np.array_equal(back.given["inertia"], given()["inertia"]) and np.array_equal(back.times, TIMES)


def test_single_quantity_can_be_read(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    store.write(results(3, 4, 5))
    expected = results(3, 4, 5)
    energy = store.values("energy")
    assert energy.shape == (10, 3) and np.all(np.isnan(energy[[0, 1, 2, 6, 9]]))
    assert np.array_equal(energy[3:6], expected.values["energy"], equal_nan=True)
    assert store.values("top.R").shape == (10, 3, 3, 3)
    statuses = [MemberStatus.NOT_RUN] * 3 + [MemberStatus.OK] * 2 + [MemberStatus.FAILED] + [MemberStatus.NOT_RUN] * 4
    assert np.array_equal(store.values("mass"), given()["mass"])
    assert np.array_equal(store.values("value_mass")[3:6], expected.values["mass"])
    assert np.array_equal(store.values("value_status")[3:6], expected.values["status"])
    assert store.values("status").dtype == np.int8 and store.values("status").tolist() == statuses
    assert np.array_equal(store.values("inertia"), given()["inertia"])
    assert store.values("exception").tolist() == [""] * 5 + ["NotFiniteError"] + [""] * 4
    assert store.values("steps").tolist() == [0, 0, 0, 13, 14, 15, 0, 0, 0, 0]
    with pytest.raises(
        UnknownNameError, match=r"has no 'height'; it has: mass, inertia, status, .*, energy, top\.R, value_status"
    ):
        store.values("height")


@pytest.mark.slow
@given_by(
    st.lists(st.integers(0, 30), unique=True, min_size=1),
    st.lists(st.integers(1, 3), max_size=2),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    st.sampled_from(MemberStatus),
    st.integers(0, 3),
    st.data(),
)
def test_round_trips_are_exact(
    members: list[int], shape: list[int], text: str, status: MemberStatus, events: int, data: st.DataObject
) -> None:
    count, numbers = len(members), st.floats(width=64)
    dimensions = {f"axis_{k}": size for k, size in enumerate(shape)}
    index = StoreIndex("a", "b", 31, (Quantity("x", "m", dimensions),), event_names=("bounce",))
    values = data.draw(st.lists(numbers, min_size=count * int(np.prod(shape)), max_size=count * int(np.prod(shape))))
    found = MemberResults.of_columns(
        {
            "members": np.array(members),
            "status": np.full(count, status),
            "sentences": np.array([text] * count, dtype=object),
            "kinds": np.array([text[:3]] * count, dtype=object),
            "steps": np.full(count, data.draw(st.integers(0, 2**62))),
            "rejected": np.arange(count),
            "end_time": np.full(count, data.draw(numbers)),
            "cpu_seconds": np.full(count, data.draw(numbers)),
            "event_member": np.repeat(members, events),
            "event_index": np.zeros(count * events),
            "event_instance": np.arange(count * events),
            "event_time": np.tile(np.arange(events), count),
        },
        {"x": np.array(values, dtype=float).reshape(count, *shape)},
        ("bounce",),
    )
    with tempfile.TemporaryDirectory() as folder:
        begin_store(folder, index, {}).write(found)
        assert_equal(open_store(folder).read(), found.rows(np.argsort(members)))


def test_unsupported_characters_are_escaped(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    store.write(dataclasses.replace(results(0), sentences=("a\0b\udc80",)))
    assert store.read().sentences == ("a\\0b\\udc80",)


def test_xarray_reads_the_files(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    store.write(results(4, 5, 6, 7, 8, 9))
    store.write(results(0, 1, 2, 3))
    expected = results(*range(10))
    with contextlib.ExitStack() as stack:
        files = sorted(tmp_path.glob("members_*.nc"))
        parts = [stack.enter_context(xarray.open_dataset(path)) for path in files]
        check_dataset(xarray.combine_nested(parts, "member", combine_attrs="override"), expected)
        events = [stack.enter_context(xarray.open_dataset(path, group="events")) for path in files]
        together = xarray.concat(events, "event")
    assert together["member"].values.tolist() == expected.event_member.tolist()
    assert together["time"].attrs["units"] == "s" and together["index"].attrs["flag_meanings"] == "lowest at_rest"


def test_xarray_opens_the_store(tmp_path: Path) -> None:
    pytest.importorskip("dask", reason="xarray opens many files with dask")
    store = new_store(tmp_path)
    store.write(results(4, 5, 6, 7, 8, 9))
    store.write(results(0, 1, 2, 3))
    paths = sorted(map(str, tmp_path.glob("members_*.nc")))
    with xarray.open_mfdataset(paths, combine="nested", concat_dim="member") as data:
        check_dataset(data, results(*range(10)))


def check_dataset(data: xarray.Dataset, expected: MemberResults) -> None:
    """All members with units, flags and coordinates."""
    assert np.array_equal(data["energy"], expected.values["energy"], equal_nan=True)
    assert data["energy"].dims == ("member", "time") and data["energy"].attrs["units"] == "J"
    assert data["energy"].attrs["long_name"] == "total energy"
    assert data["top.R"].dims == ("member", "time", "row_3", "column_3")
    assert set(data.coords) == {"member", "time", "mass", "inertia"}
    assert data["mass"].dims == ("member",) and np.array_equal(data["mass"], given()["mass"])
    assert data["inertia"].attrs["units"] == "kg m^2" and np.array_equal(data["inertia"], given()["inertia"])
    assert np.array_equal(data["time"], TIMES) and data["time"].attrs["units"] == "s"
    assert np.array_equal(data["member"], np.arange(10))
    assert data["status"].dtype == np.int8 and np.array_equal(data["status"], expected.status)
    assert data["status"].attrs["flag_values"].tolist() == list(MemberStatus)
    assert data["status"].attrs["flag_meanings"] == "ok event failed time_limit not_run"
    assert data["sentence"].values.tolist() == list(expected.sentences)
    assert np.array_equal(data["steps"], expected.steps) and data["end_time"].attrs["units"] == "s"


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.ensembles.stores import new_store, results
replace, calls = os.replace, []
def killed(*paths):
    calls.append(paths)
    if len(calls) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    replace(*paths)
os.replace = killed
store = new_store(Path(sys.argv[1]))
for member in range(0, 10, 2):
    store.write(results(member, member + 1))
"""


@pytest.mark.slow
@pytest.mark.parametrize("call", [2, 5])
def test_killed_writer_leaves_complete_files(call: int, tmp_path: Path) -> None:
    """Killed when the index was to be renamed, or the third file of members."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", KILLED, str(tmp_path), str(call)]
    assert subprocess.run(command, env=environment, check=False).returncode == -signal.SIGKILL
    left = [name for name in names(tmp_path) if name.startswith(".")]
    assert len(left) == 1
    if call == 5:
        assert_equal(open_store(tmp_path).read(), results(0, 1, 2, 3))
    store = new_store(tmp_path)
    assert not [name for name in names(tmp_path) if name.startswith(".")]
    todo = np.setdiff1d(np.arange(10), store.finished())
    assert len(todo) == (6 if call == 5 else 10)
    store.write(results(*todo))
    assert_equal(store.read(), results(*range(10)))


def test_store_can_be_extended_with_members(tmp_path: Path) -> None:
    new_store(tmp_path).write(results(0, 1))
    more = dataclasses.replace(INDEX, members=20)
    store = begin_store(tmp_path, more, given(20), TIMES)
    store.write(results(19))
    assert open_store(tmp_path).finished().tolist() == [0, 1, 19]
    with pytest.raises(FormatError, match="has 20 members, not 10; give another folder"):
        new_store(tmp_path)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"design": "xyz"}, "differs in design"),
        ({"system": "xyz"}, "differs in system"),
        ({"quantities": INDEX.quantities[:2]}, "differs in quantities"),
        ({"event_names": ("lowest",)}, "differs in event names"),
        ({"times": TIMES + 1}, "differs in times"),
        ({"times": None}, "differs in times"),
        ({"given": given(10) | {"mass": np.arange(10.0)}}, "differs in values of mass"),
    ],
)
def test_store_of_another_ensemble_is_rejected(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    new_store(tmp_path).write(results(0, 1))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    other = {"given": given(), "times": TIMES} | {k: x for k, x in changes.items() if k in ("given", "times")}
    index = dataclasses.replace(INDEX, **{k: x for k, x in changes.items() if k not in other})
    with pytest.raises(
        FormatError, match=f"belongs to another ensemble: it {words}; give another folder, or delete it"
    ):
        begin_store(tmp_path, index, other["given"], other["times"])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def change_index(folder: Path, **changes: object) -> None:
    path = folder / "index.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_other_versions_are_rejected(tmp_path: Path) -> None:
    new_store(tmp_path)
    change_index(tmp_path, version="0.0.1")
    assert open_store(tmp_path).index.version == "0.0.1", "it is read"
    with pytest.raises(FormatError, match=f"was created by symlie 0.0.1; this is symlie {VERSION}"):
        new_store(tmp_path)
    change_index(tmp_path, symlie_format=99)
    with pytest.raises(FormatError, match=r"index\.json has format 99, written by symlie 0\.0\.1.*reads format 1"):
        new_store(tmp_path)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [cut, flip, lambda path: path.write_bytes(b"")])
@pytest.mark.parametrize("name", ["members_00000002-00000003.nc", "design.nc", "index.json"])
def test_damaged_files_are_named(name: str, damage: Any, tmp_path: Path) -> None:
    store = new_store(tmp_path)
    store.write(results(0, 1))
    store.write(results(2, 3))
    if (name, damage) == ("index.json", flip):
        change_index(tmp_path, members="many")
    else:
        damage(tmp_path / name)
    with pytest.raises(FormatError, match=rf"{name} is damaged|{name} is not"):
        open_store(tmp_path).read()
    if name.startswith("members"):
        with pytest.raises(FormatError, match=rf"{name} is damaged|{name} is not"):
            open_store(tmp_path).values("energy")
        if damage is not flip:
            with pytest.raises(FormatError, match=rf"{name} is damaged: its end is missing; delete it"):
                new_store(tmp_path).finished()


def test_files_of_other_stores_are_named(tmp_path: Path) -> None:
    new_store(tmp_path / "one").write(results(0, 1))
    other = begin_store(tmp_path / "two", dataclasses.replace(INDEX, design="xyz"), given(), TIMES)
    name = "members_00000000-00000001.nc"
    (tmp_path / "two" / name).write_bytes((tmp_path / "one" / name).read_bytes())
    with pytest.raises(FormatError, match=f"{name} does not belong to the ensemble in .*two"):
        other.read()
    other.write(results(1, 2))
    with pytest.raises(FormatError, match=f"{name} and members_00000001-00000002.nc have the same members"):
        other.finished()
    store = open_store(tmp_path / "one")
    (tmp_path / "one" / name).rename(tmp_path / "one" / "members_00000000-00000002.nc")
    with pytest.raises(FormatError, match="is damaged: its members do not match its name"):
        store.read()
    (tmp_path / "one" / "members_00000000-00000002.nc").rename(tmp_path / "one" / "members_00000009-00000010.nc")
    with pytest.raises(FormatError, match="has more members than the 10 of its store"):
        store.read()


def test_folders_without_a_store_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    with pytest.raises(FormatError, match="file is a file; give a folder"):
        new_store(tmp_path / "file")
    with pytest.raises(FormatError, match="contains other files and is not a store"):
        new_store(tmp_path)
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(FormatError, match="is not a store of an ensemble: it has no index"):
            open_store(folder)
    with pytest.raises(FormatError, match="has no members yet"):
        new_store(tmp_path / "new").read()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_full_or_read_only_disk_is_reported(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = new_store(tmp_path)
    store.write(results(0, 1))

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    for target in (os, "fsync"), (os, "replace"), (netCDF4, "Dataset"):
        with monkeypatch.context() as patch:
            patch.setattr(*target, fail)
            with pytest.raises(FormatError, match=rf"members_00000002-00000003\.nc cannot be .*{os.strerror(number)}"):
                store.write(results(2, 3))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", fail)
        with pytest.raises(FormatError, match=rf"The store .*runs cannot be written: {os.strerror(number)}"):
            new_store(tmp_path / "runs")
    assert_equal(store.read(), results(0, 1))


def test_values_of_another_shape_are_rejected(tmp_path: Path) -> None:
    found = results(0, 1)
    with pytest.raises(FormatError, match=r"'energy' has the shape \(2,\) for a member, not \(3,\)"):
        new_store(tmp_path).write(dataclasses.replace(found, values={**found.values, "energy": np.zeros((2, 2))}))
    assert names(tmp_path) == ["design.nc", "index.json"]


def test_memory_is_independent_of_the_number_of_members(tmp_path: Path) -> None:
    """Memory in use after each file has been written."""
    index = StoreIndex("a", "b", 400, (Quantity("x", "m", {"time": 2000}),))
    store = begin_store(tmp_path, index, {}, np.arange(2000.0))
    kept = []
    tracemalloc.start()
    try:
        for first in range(0, 400, 40):
            part = dataclasses.replace(
                results(*range(40)), values={"x": np.zeros((40, 2000))}, event_member=np.zeros(0)
            )
            store.write(dataclasses.replace(part, members=part.members + first))
            kept.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert max(kept[2:]) - kept[1] < 40 * 2000 * 8


def test_missing_netcdf_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "netCDF4", None)
    monkeypatch.setitem(sys.modules, "h5netcdf", None)
    with pytest.raises(MissingDependencyError, match=r'Stores of ensembles needs netCDF4.*"symlie\[io\]"'):
        new_store(tmp_path / "runs")
    assert names(tmp_path) == []
