"""The checksum at the end of netCDF files: damage is refused before HDF5 opens a file, other programs read on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import xarray

import symlie as sl
from symlie.errors import FormatError
from symlie.runtime.solution.trailer import append_trailer, check_trailer
from tests.runtime.test_crafted_files import numbers, solution
from tests.runtime.test_crafted_netcdf import forbid_hdf5
from tests.written.write import SETS

netCDF4 = pytest.importorskip("netCDF4")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of a solution."""
    solution().save(tmp_path / "x.nc")
    return tmp_path / "x.nc"


def block_of_no_bytes(content: bytes) -> bytes:
    """The first block of values has length 0: HDF5 reads beyond its data."""
    place = content.index(b"TREE\x01\x00\x01\x00") + 24
    return content[:place] + bytes(4) + content[place + 4 :]


def object_of_another_size(content: bytes) -> bytes:
    """A dimension in the heap has 10 bytes instead of 8: HDF5 searches for the next one without end."""
    place = content.index(b"GCOL") + 16 + 24 + 8
    assert content[place : place + 8] == (8).to_bytes(8, "little")
    return content[:place] + (10).to_bytes(8, "little") + content[place + 8 :]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (block_of_no_bytes, "do not have the checksum at its end"),
        (object_of_another_size, "do not have the checksum at its end"),
        (lambda c: c[:-12] + b"\0" + c[-11:], "do not have the checksum at its end"),
        (lambda c: c[1:], "do not have the checksum at its end"),
        (lambda c: c[:-24] + bytes(24), "does not end where its header says"),
        (lambda c: c[:-1], "does not end where its header says"),
        (lambda c: c + b"\n", "does not end where its header says"),
        (lambda c: c[:1000], "does not end where its header says"),
        (lambda c: c[:40], "does not end where its header says"),
        (lambda c: c[:8], "does not end where its header says"),
        (lambda c: b"CDF\x01" + c[4:-24], "is not a netCDF-4 file"),
        (lambda c: b"symlie end 1", "do not have the checksum at its end"),
        (lambda c: b"", "is not a netCDF-4 file"),
    ],
)
def test_damage_is_detected_before_hdf5_opens_the_file(
    damage: Callable[[bytes], bytes], message: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(damage(path.read_bytes()))
    forbid_hdf5(monkeypatch)
    with pytest.raises(FormatError, match=message):
        sl.load_solution(path, trust=False)


def test_undamaged_file_is_opened(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The function that other tests replace is the one that opens files."""
    opened = []
    dataset = netCDF4.Dataset
    monkeypatch.setattr(netCDF4, "Dataset", lambda *of: opened.append(of[0]) or dataset(*of))
    assert numbers(sl.load_solution(path, trust=False)) == numbers(solution())
    assert opened == [path]


def in_place(path: Path) -> None:
    with netCDF4.Dataset(path, "a") as file:
        file.history = "read by another program"


def unchanged_in_place(path: Path) -> None:
    netCDF4.Dataset(path, "a").close()


def by_xarray(path: Path) -> None:
    with xarray.open_dataset(path) as data:
        data.load().to_netcdf(path.with_name("y.nc"), engine="netcdf4")
    path.with_name("y.nc").replace(path)


@pytest.mark.parametrize("change", [in_place, unchanged_in_place, by_xarray])
def test_files_changed_by_other_programs_are_rejected(change: Callable[[Path], None], path: Path) -> None:
    change(path)
    with pytest.raises(FormatError, match="another program wrote or changed it"):
        sl.load_solution(path, trust=False)


def test_checksum_is_written_before_the_file_is_renamed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while it is written leaves the old file and no other one."""
    old = path.read_bytes()

    def interrupted(temporary: Path) -> None:
        assert temporary != path and temporary.stat().st_size > 0
        raise KeyboardInterrupt

    monkeypatch.setattr("symlie.runtime.solution.formats.append_trailer", interrupted)
    with pytest.raises(KeyboardInterrupt):
        solution().save(path)
    assert path.read_bytes() == old
    assert [p.name for p in path.parent.iterdir()] == ["x.nc"]


@pytest.mark.parametrize("size", [0, 1, 23, 24, 25, 2**20 - 1, 2**20, 2**20 + 1])
def test_files_of_any_size_have_a_trailer(size: int, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(bytes(k % 251 for k in range(size)))
    append_trailer(path)
    assert path.stat().st_size == size + 24
    assert check_trailer(path)


def test_earlier_files_are_rejected_by_version() -> None:
    path = SETS / "0.1.0" / "hoist.nc"
    assert not check_trailer(path)
    with pytest.raises(FormatError, match=r"has format 3, written by symlie 0\.1\.0"):
        sl.load_solution(path, trust=True)
