"""Solutions in netCDF files whose headers are crafted or damaged: a named error, or the same numbers.

Crafted files are written by netCDF4 itself, so that all checksums of HDF5 are right, and so is the one at the end.
Damaged files have bytes changed, wherever they are; HDF5 never sees them.
"""

from __future__ import annotations

import copy
import functools
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import SymlieError
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.trailer import append_trailer
from tests.runtime.test_crafted_files import numbers, solution

netCDF4 = pytest.importorskip("netCDF4")

QUICK = 40
"""Changes of each kind in the default suite."""

GROUP = "symlie"


@dataclass
class Stored:
    """A variable to be stored."""

    dimensions: tuple[str, ...]
    values: Any
    attributes: dict[str, Any]
    kind: Any = "f8"
    options: dict[str, Any] = field(default_factory=lambda: {"fletcher32": True})
    is_written: bool = True


@dataclass
class Content:
    """A file to be stored: groups by name, "" for the root."""

    attributes: dict[str, Any]
    dimensions: dict[str, dict[str, int | None]]
    variables: dict[str, dict[str, Stored]]
    file_format: str = "NETCDF4"


@functools.cache
def original() -> Content:
    """A solution with events, tried steps, constraints and an end."""
    with netCDF4.Dataset("memory", memory=written()) as file:
        file.set_auto_mask(False)
        content = Content({a: file.getncattr(a) for a in file.ncattrs()}, {}, {})
        for name, place in (("", file), (GROUP, file.groups[GROUP])):
            content.dimensions[name] = {d: len(entry) for d, entry in place.dimensions.items()}
            content.variables[name] = {
                n: Stored(v.dimensions, np.array(v[...]), {a: v.getncattr(a) for a in v.ncattrs()}, v.dtype)
                for n, v in place.variables.items()
            }
        return content


@functools.cache
def written() -> bytes:
    """The bytes of the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.nc")
        solution().save(path)
        return path.read_bytes()


def write(content: Content, path: Path) -> None:
    """Store a crafted file."""
    with netCDF4.Dataset(path, "w", format=content.file_format) as file:
        file.setncatts(content.attributes)
        for group, variables in content.variables.items():
            place = file.createGroup(group) if group else file
            for dimension, size in content.dimensions.get(group, {}).items():
                place.createDimension(dimension, size)
            for name, entry in variables.items():
                kind = entry.kind(place) if callable(entry.kind) and not isinstance(entry.kind, type) else entry.kind
                stored = place.createVariable(name, kind, entry.dimensions, **entry.options)
                stored.setncatts(entry.attributes)
                if entry.is_written:
                    stored[...] = entry.values


Change = Callable[[Content], None]

ATTRIBUTES: tuple[Any, ...] = (
    "", "x", "[]", "{}", "null", "NaN", "[" * 10_000, "x" * 100_000, "3", "time", 0, -1, 3, 2.5, float("nan"), 2**62,
    np.array([1, 2]), np.array([1.5, np.nan]), np.zeros(1000), np.uint8(3), ["a", "b"],
)  # fmt: skip
"""Values instead of attributes: other types, lengths and texts."""

NAMES = ("x", "time_", "größe", "a b", "x" * 250, "_FillValue", "symlie", "0")


def changes_of_attributes(content: Content) -> Iterator[Change]:
    """Attributes of the file and of variables left out, of other types, and others."""
    for name in content.attributes:
        yield lambda c, n=name: c.attributes.pop(n)
        for value in ATTRIBUTES:
            yield lambda c, n=name, v=value: c.attributes.update({n: v})
    yield lambda c: c.attributes.update({"history": "read by another program"})
    for group, name, entry in entries(content):
        for attribute in entry.attributes:
            yield lambda c, g=group, n=name, a=attribute: c.variables[g][n].attributes.pop(a)
            for value in ATTRIBUTES:
                yield lambda c, g=group, n=name, a=attribute, v=value: c.variables[g][n].attributes.update({a: v})


def entries(content: Content) -> Iterator[tuple[str, str, Stored]]:
    """All variables."""
    return ((g, n, entry) for g, variables in content.variables.items() for n, entry in variables.items())


def changes_of_names(content: Content) -> Iterator[Change]:
    """Variables, dimensions and groups that are left out, called otherwise, or exchanged."""
    for group, name, _ in entries(content):
        yield lambda c, g=group, n=name: c.variables[g].pop(n)
        for other in (*NAMES, *content.variables[group]):
            yield functools.partial(rename, group=group, name=name, other=other)
    for group, dimensions in content.dimensions.items():
        for name in dimensions:
            for other in NAMES[:4]:
                yield functools.partial(rename_dimension, group=group, name=name, other=other)
    yield lambda c: c.variables.pop(GROUP)
    for other in ("other", f"{GROUP}/deeper"):
        yield lambda c, o=other: regroup(c, o)
    yield lambda c: c.variables.update(other={})
    for file_format in ("NETCDF4_CLASSIC", "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET"):
        yield functools.partial(ungrouped, file_format=file_format)


def rename(content: Content, group: str, name: str, other: str) -> None:
    variables = content.variables[group]
    entry = variables.pop(name)
    if other in variables:
        variables[name] = variables[other]
    variables[other] = entry


def rename_dimension(content: Content, group: str, name: str, other: str) -> None:
    content.dimensions[group][other] = content.dimensions[group].pop(name)
    for entry in content.variables[group].values():
        entry.dimensions = tuple(other if d == name else d for d in entry.dimensions)


def regroup(content: Content, name: str) -> None:
    content.variables[name], content.dimensions[name] = content.variables.pop(GROUP), content.dimensions.pop(GROUP)


def ungrouped(content: Content, file_format: str) -> None:
    content.variables.pop(GROUP)
    content.file_format = file_format
    for _, _, entry in entries(content):
        entry.options = {}


SIZES = (0, 1, 2, 10**6, 10**9, 2**40, None)
"""Lengths of dimensions; None for one without a limit. Of longer ones netCDF4 itself crashes when it writes them."""


MOST_VALUES = 10**6
"""Of a crafted variable, whose values are all written."""


def changes_of_dimensions(content: Content) -> Iterator[Change]:
    """Lengths of dimensions, with values that fill them or with none, and other dimensions of variables."""
    for group, dimensions in content.dimensions.items():
        for name, size in dimensions.items():
            for other in (*SIZES, size - 1, size + 1):
                for is_written in (False, True):
                    if not is_written or other is None or other <= 2 * size:
                        yield functools.partial(resize, group=group, name=name, size=other, is_written=is_written)
    for group, name, entry in entries(content):
        for dimensions in ((), entry.dimensions[::-1], entry.dimensions * 2, entry.dimensions[:1] * 3):
            if dimensions != entry.dimensions and len(entry.values) ** len(dimensions) <= MOST_VALUES:
                yield functools.partial(reshape, group=group, name=name, dimensions=dimensions)


def resize(content: Content, group: str, name: str, size: int | None, is_written: bool) -> None:
    content.dimensions[group][name] = size
    for entry in content.variables[group].values():
        if name in entry.dimensions and size is not None:
            shape = tuple(content.dimensions[group].get(d) or 0 for d in entry.dimensions)
            entry.is_written, entry.options = is_written, {"fletcher32": is_written}
            if is_written:
                entry.values = np.resize(entry.values, shape)


def reshape(content: Content, group: str, name: str, dimensions: tuple[str, ...]) -> None:
    entry = content.variables[group][name]
    entry.dimensions = dimensions
    shape = tuple(content.dimensions[group].get(d) or content.dimensions[""][d] for d in dimensions)
    entry.values = np.resize(entry.values, shape)


KINDS: dict[str, Any] = {
    **{name: np.dtype(name) for name in ("f4", "i1", "u1", "i2", "i4", "i8", "u8", "S1")},
    "text": str,
    "lists": lambda place: place.createVLType(np.float64, "lists"),
    "pairs": lambda place: place.createCompoundType(np.dtype([("a", "f8"), ("b", "i4")]), "pairs"),
    "words": lambda place: place.createEnumType(np.uint8, "words", {"no": 0, "yes": 1}),
}  # fmt: skip

VALUES: dict[str, Callable[[Any], Any]] = {
    "NaN": lambda a: a * np.nan,
    "infinite": lambda a: a + np.inf,
    "negative": lambda a: -a - 1,
    "backwards": lambda a: a[::-1] + 0.0,
    "never written": lambda a: np.full_like(a, netCDF4.default_fillvals["f8"]),
    "denormal": lambda a: a * 1e-310,
}


def changes_of_values(content: Content) -> Iterator[Change]:
    """Other types, impossible numbers, other storage."""
    for group, name, entry in entries(content):
        for kind in KINDS.values():
            yield functools.partial(retype, group=group, name=name, kind=kind)
        if entry.values.dtype.kind == "f":
            for way in VALUES.values():
                yield functools.partial(revalue, group=group, name=name, way=way)
        yield lambda c, g=group, n=name: setattr(c.variables[g][n], "is_written", False)
        for options in ({}, {"zlib": True, "complevel": 9}, {"endian": "big"}, {"contiguous": True}, {"fill_value": 0}):
            yield lambda c, g=group, n=name, o=options: setattr(c.variables[g][n], "options", dict(o))


def retype(content: Content, group: str, name: str, kind: Any) -> None:
    entry = content.variables[group][name]
    entry.kind, entry.options = kind, {}
    if kind is str or callable(kind) or kind.kind == "S":
        entry.is_written = False
    else:
        with np.errstate(invalid="ignore"):
            entry.values = entry.values.astype(kind)


def revalue(content: Content, group: str, name: str, way: Callable[[Any], Any]) -> None:
    entry = content.variables[group][name]
    with np.errstate(invalid="ignore", under="ignore"):
        entry.values = way(entry.values)


KINDS_OF_CHANGES = {
    f.__name__.removeprefix("changes_of_"): f
    for f in (changes_of_attributes, changes_of_names, changes_of_dimensions, changes_of_values)
}


@pytest.fixture(params=[pytest.param(True, marks=pytest.mark.slow, id="all"), pytest.param(False, id="some")])
def chosen(request: pytest.FixtureRequest) -> Callable[[list[Any]], list[Any]]:
    """All changes in the slow suite, some in the default one."""
    return lambda changes: changes if request.param else random.Random(1).sample(changes, min(QUICK, len(changes)))


def outcome(path: Path) -> tuple[str, Solution | None]:
    """Classify the result of reading a file."""
    try:
        loaded = sl.load_solution(path, trust=False)
    except SymlieError as error:
        assert 0 < len(str(error).splitlines()) < 6 and len(str(error)) < 800
        return "refused by name", None
    return ("read, equal" if numbers(loaded) == numbers(solution()) else "read, other numbers"), loaded


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", KINDS_OF_CHANGES)
def test_crafted_headers_are_rejected(kind: str, chosen: Callable[[list[Any]], list[Any]], tmp_path: Path) -> None:
    counts = Counter[str]()
    for number, change in enumerate(chosen(list(KINDS_OF_CHANGES[kind](original())))):
        content, path = copy.deepcopy(original()), tmp_path / f"{number}.nc"
        change(content)
        try:
            write(content, path)
        except Exception:
            # What netCDF4 does not write is no header to be read; what it wrote until then is a file all the same.
            counts["not written to the end"] += 1
        append_trailer(path)
        counts["tried"] += 1
        found, loaded = outcome(path)
        counts[found] += 1
        if loaded is not None:
            check(loaded)
        path.unlink(missing_ok=True)
    print(kind, dict(counts))
    assert counts["not written to the end"] < counts["tried"] / 2


def check(loaded: Solution) -> None:
    """Check that numbers can be a solution."""
    assert np.all(np.isfinite(loaded.t)) and np.all(np.diff(loaded.t) >= 0)
    assert len(loaded.t) == len(loaded.q) == len(loaded.v) == len(loaded.multipliers)
    assert all(np.all(np.isfinite(values)) for values in (loaded.q, loaded.v, loaded.multipliers))


def test_unchanged_file_is_read(tmp_path: Path) -> None:
    write(original(), tmp_path / "x.nc")
    append_trailer(tmp_path / "x.nc")
    assert outcome(tmp_path / "x.nc")[0] == "read, equal"


def damages(content: bytes) -> Iterator[bytes]:
    """Words of eight bytes with a bit flipped, or replaced by -1, a huge number or zero, in turns; and beginnings."""
    words = [b"\xff" * 8, (1 << 62).to_bytes(8, "little"), (1 << 33).to_bytes(8, "little"), bytes(8)]
    for number, at in enumerate(range(0, len(content), 8)):
        if number % 2:
            changed = content[:at] + words[number // 2 % 4][: len(content) - at] + content[at + 8 :]
        else:
            flipped = min(at + number // 2 % 8, len(content) - 1)
            changed = content[:flipped] + bytes([content[flipped] ^ 1 << number % 7]) + content[flipped + 1 :]
        if changed != content:
            yield changed
        if number % 64 == 0:
            yield content[:at]


def forbid_hdf5(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, a file that is opened fails the test."""
    monkeypatch.setattr(netCDF4, "Dataset", lambda *_, **__: pytest.fail("HDF5 opened a file"))


@pytest.mark.slow
def test_damaged_bytes_are_detected(
    chosen: Callable[[list[Any]], list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All damage is refused before HDF5 sees it."""
    path = tmp_path / "x.nc"
    changes = chosen(list(damages(written())))
    forbid_hdf5(monkeypatch)
    for content in changes:
        path.write_bytes(content)
        assert outcome(path)[0] == "refused by name"
    print("bytes", len(changes))
