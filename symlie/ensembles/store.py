"""Results of an ensemble in a folder: one file for each chunk of members, and an index.

    index.json                            contents of the store
    design.nc                             parameter values of all members
    members_00000000-00000499.nc          results of these members

Each file is written to a temporary name, flushed to the disk and renamed, so readers find only complete files, and no
file has two writers. Sorted by name, the files contain the members in order.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symlie.ensembles.member_files import (
    check_file,
    read_members,
    read_values,
    read_variables,
    write_members,
    write_values,
)
from symlie.ensembles.results import MemberResults, MemberStatus, joined
from symlie.ensembles.store_index import INDEX, StoreIndex, read_index
from symlie.errors import FormatError, UnknownNameError
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.formats import leftovers, replaced
from symlie.runtime.solution.trailer import check_length
from symlie.utilities.packages import require
from symlie.utilities.reading import reading
from symlie.version import VERSION

DESIGN = "design.nc"

TASK = "task.pickle"
"""Task of the members, which is not needed for reading results."""

COMMAND = "sweep.json"
"""Words of the command that created the store, if any."""


@dataclass(frozen=True, eq=False)
class EnsembleStore:
    """A folder with results of members; created by `begin_store` or `open_store`."""

    folder: Path
    index: StoreIndex
    given: Mapping[str, Array]
    """Parameter values of the members, by name, shape (N, …)."""
    times: Array | None
    """Times of histories, in s, or None."""
    _checked: set[Path] = field(default_factory=set)
    """Files with verified checksums."""

    def write(self, results: MemberResults) -> None:
        """Write results of new members, one file for each range of consecutive members."""
        ordered = results.rows(np.argsort(results.members))
        ends = np.flatnonzero(np.diff(ordered.members) != 1) + 1
        for rows in np.split(np.arange(len(ordered)), ends) if len(ordered) else ():
            part = ordered.rows(rows)
            given = {name: values[part.members] for name, values in self.given.items()}
            path = self.folder / f"members_{part.members[0]:08d}-{part.members[-1]:08d}.nc"
            with durable(path) as file:
                write_members(file, self.index, part, given, self.times)

    def finished(self) -> NDArray[np.int64]:
        """Return the sorted numbers of the stored members, or raise `FormatError` for truncated or
        overlapping files."""
        files = self._files()
        for path, _ in files:
            with reading(path):
                check_length(path)
        return np.concatenate([np.zeros(0, dtype=np.int64), *(np.arange(m.start, m.stop) for _, m in files)])

    def parts(self) -> Iterator[MemberResults]:
        """Yield results file by file, in the order of members."""
        for path, members in self._files():
            self._check(path)
            yield read_members(path, self.index, members)

    def read(self) -> MemberResults:
        """Return results of all stored members, in order."""
        parts = list(self.parts())
        if not parts:
            raise FormatError(f"The store {self.folder} has no members yet.")
        return joined(parts)

    def values(self, name: str) -> np.ndarray:
        """Return one variable of all N members, by its name in the files."""
        stored = self.index.stored_names()
        given = {stored["parameter", q.name]: self.given[q.name] for q in self.index.parameters}
        shapes = dict.fromkeys(MISSING, ()) | {stored["value", q.name]: q.shape for q in self.index.quantities}
        if name in given:
            return given[name]
        if name not in shapes:
            known = ", ".join([*given, *shapes])
            raise UnknownNameError(f"The store {self.folder} has no '{name}'; it has: {known}.")
        missing = MISSING.get(name, np.nan)
        result = np.full((self.index.members, *shapes[name]), missing, dtype=object if missing == "" else None)
        for path, members in self._files():
            self._check(path)
            result[members.start : members.stop] = read_variables(path, self.index, members, [name])[name]
        return result

    def _check(self, path: Path) -> None:
        if path not in self._checked:
            check_file(path)
            self._checked.add(path)

    def _files(self) -> list[tuple[Path, range]]:
        """Return the files of members in order, with the members of each."""
        found = []
        with reading(self.folder):
            names = sorted(path.name for path in self.folder.iterdir())
        for name in names:
            if numbers := re.fullmatch(r"members_(\d{8,})-(\d{8,})\.nc", name):
                found.append((self.folder / name, range(int(numbers[1]), int(numbers[2]) + 1)))
        for (path, members), (other, following) in itertools.pairwise(found):
            if following.start < members.stop:
                raise FormatError(f"{path} and {other.name} have the same members; delete one of them.")
        if found and found[-1][1].stop > self.index.members:
            raise FormatError(f"{found[-1][0]} has more members than the {self.index.members} of its store; delete it.")
        return found


MISSING: Mapping[str, object] = {
    "status": np.int8(MemberStatus.NOT_RUN),
    "sentence": "",
    "exception": "",
    "steps": 0,
    "rejected": 0,
    "end_time": np.nan,
    "cpu_seconds": np.nan,
}
"""Default values, for missing members, of the variables common to all stores."""


def open_store(folder: str | Path) -> EnsembleStore:
    """Open an existing store for reading, also while it is written."""
    require("Stores of ensembles", "netCDF4")
    folder = Path(folder)
    if not (folder / INDEX).is_file():
        raise FormatError(f"{folder} is not a store of an ensemble: it has no {INDEX}.")
    index = read_index(folder)
    check_file(folder / DESIGN)
    given, times = read_values(folder / DESIGN, index)
    return EnsembleStore(folder, index, given, times)


def begin_store(
    folder: str | Path, index: StoreIndex, given: Mapping[str, Array], times: Array | None = None
) -> EnsembleStore:
    """Create a store, or open the store of the same ensemble for continuation, also with more members."""
    require("Stores of ensembles", "netCDF4")
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise FormatError(f"The store {folder} is a file; give a folder.")
    new = EnsembleStore(folder, index, given, times)
    if (folder / INDEX).is_file():
        _check_same(open_store(folder), new)
    elif folder.is_dir() and {p.name for p in folder.iterdir()} - {
        DESIGN,
        TASK,
        COMMAND,
        *(p.name for p in leftovers(folder)),
    }:
        raise FormatError(f"The folder {folder} contains other files and is not a store; give another one.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in leftovers(folder):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise FormatError(f"The store {folder} cannot be written: {error.strerror or error}.") from error
    # The index marks a complete store, so it is written last.
    with durable(folder / DESIGN) as file:
        write_values(file, index, given, times)
    with durable(folder / INDEX) as file:
        file.write_text(index.as_text(), encoding="utf-8")
    return new


def _check_same(old: EnsembleStore, new: EnsembleStore) -> None:
    """Raise `FormatError` if a store cannot be continued."""
    store = f"The store {new.folder}"
    if old.index.version != VERSION:
        raise FormatError(
            f"{store} was created by symlie {old.index.version}; this is symlie {VERSION}: continue with that "
            "version, or give another folder."
        )
    count = old.index.members
    if count > new.index.members:
        raise FormatError(f"{store} has {count} members, not {new.index.members}; give another folder.")
    same = {name: getattr(old.index, name) == getattr(new.index, name) for name in CONTINUED}
    same["times"] = _are_equal(old.times, new.times)
    if all(same.values()):
        same |= {f"values of {name}": _are_equal(x, new.given[name][:count]) for name, x in old.given.items()}
    if other := [name for name, agrees in same.items() if not agrees]:
        raise FormatError(
            f"{store} belongs to another ensemble: it differs in {other[0].replace('_', ' ')}; give another folder, or "
            "delete it."
        )


CONTINUED = ("design", "system", "quantities", "parameters", "event_names")
"""Common properties of a store and its continuation, except numbers."""


def _are_equal(one: Array | None, other: Array | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other, equal_nan=True))


@contextlib.contextmanager
def durable(path: Path) -> Iterator[Path]:
    """Yield a temporary file that is flushed to the disk and then replaces the path."""
    with replaced(path) as part:
        yield part
        with part.open("r+b") as file:
            os.fsync(file.fileno())
    # Some file systems cannot flush folders.
    with contextlib.suppress(OSError):
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
