"""Results of an ensemble in a folder: one file for members that were run together, and an index.

    index.json                            what the store holds
    design.nc                             what all members are given
    members_00000000-00000499.nc          results of these members

Every file is written beside its place, flushed to the disk and renamed, so whoever reads finds whole files at any
moment, and no file has two writers. The sorted files have the members in their order.
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
from symlie.packages import require
from symlie.reading import reading
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.formats import leftovers, replaced
from symlie.runtime.solution.trailer import check_length
from symlie.version import VERSION

DESIGN = "design.nc"

TASK = "task.pickle"
"""What was done with members, which is not needed to read results."""

COMMAND = "sweep.json"
"""Words of the command that made the store, if one did."""


@dataclass(frozen=True, eq=False)
class EnsembleStore:
    """A folder with results of members; made by `begin_store` or `open_store`."""

    folder: Path
    index: StoreIndex
    given: Mapping[str, Array]
    """What members are given, by name of the parameter, shape (N, …)."""
    times: Array | None
    """Of histories, in s; None where there are none."""
    _checked: set[Path] = field(default_factory=set)
    """Files whose bytes were looked at."""

    def write(self, results: MemberResults) -> None:
        """Add results of members that the store does not have; each run of consecutive members is a file.

        Parameters
        ----------
        results
            In any order.

        Raises
        ------
        FormatError
            A file can not be written, or values have other shapes than the index says.
        """
        ordered = results.rows(np.argsort(results.members))
        ends = np.flatnonzero(np.diff(ordered.members) != 1) + 1
        for rows in np.split(np.arange(len(ordered)), ends) if len(ordered) else ():
            part = ordered.rows(rows)
            given = {name: values[part.members] for name, values in self.given.items()}
            path = self.folder / f"members_{part.members[0]:08d}-{part.members[-1]:08d}.nc"
            with durable(path) as file:
                write_members(file, self.index, part, given, self.times)

    def finished(self) -> NDArray[np.int64]:
        """Numbers of the members that the store has, in their order.

        Raises
        ------
        FormatError
            A file lacks its end, or two have the same member.
        """
        files = self._files()
        for path, _ in files:
            with reading(path):
                check_length(path)
        return np.concatenate([np.zeros(0, dtype=np.int64), *(np.arange(m.start, m.stop) for _, m in files)])

    def parts(self) -> Iterator[MemberResults]:
        """Results file by file, in the order of members.

        Raises
        ------
        FormatError
            A file is damaged.
        """
        for path, members in self._files():
            self._check(path)
            yield read_members(path, self.index, members)

    def read(self) -> MemberResults:
        """Results of all members that the store has, in their order.

        Raises
        ------
        FormatError
            A file is damaged, or there is none yet.
        """
        parts = list(self.parts())
        if not parts:
            raise FormatError(f"The store {self.folder} has no members yet.")
        return joined(parts)

    def values(self, name: str) -> np.ndarray:
        """One variable of all N members; nothing else is read.

        Parameters
        ----------
        name
            As files have it: a parameter, a quantity, ``"status"``, ``"sentence"``, ``"exception"``, ``"steps"``,
            ``"rejected"``, ``"end_time"`` or ``"cpu_seconds"``. A quantity with the name of another variable is
            ``value_NAME``.

        Returns
        -------
        ndarray
            Shape (N, …); of members that the store does not have NaN, 0, no text, or `MemberStatus.NOT_RUN`.

        Raises
        ------
        UnknownNameError
            There is nothing of this name.
        FormatError
            A file is damaged.
        """
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
        """Files of members in their order, with the members that each has."""
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
"""Variables that every store has, with what they are for members that are not there."""


def open_store(folder: str | Path) -> EnsembleStore:
    """A store that exists, to be read; it may be written meanwhile.

    Parameters
    ----------
    folder
        The store.

    Raises
    ------
    FormatError
        It is no store, damaged, or of another format.
    MissingDependencyError
        Without the package netCDF4.
    """
    require("Stores of ensembles", "netCDF4")
    folder = Path(folder)
    if not (folder / INDEX).is_file():
        raise FormatError(f"{folder} is no store of an ensemble: it has no {INDEX}.")
    index = read_index(folder)
    check_file(folder / DESIGN)
    given, times = read_values(folder / DESIGN, index)
    return EnsembleStore(folder, index, given, times)


def begin_store(
    folder: str | Path, index: StoreIndex, given: Mapping[str, Array], times: Array | None = None
) -> EnsembleStore:
    """A store to be written: a new one, or that of the same ensemble to be continued, also with more members.

    Parameters
    ----------
    folder
        Where it is, or will be.
    index
        What it holds.
    given
        What members are given, by name of the parameter, shape (N, …).
    times
        Of histories, in s; None where there are none.

    Raises
    ------
    FormatError
        There is something else, such as the store of another ensemble or version, or it can not be written.
    MissingDependencyError
        Without the package netCDF4.
    """
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
        raise FormatError(f"The folder {folder} has other files and is no store; give another one.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in leftovers(folder):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise FormatError(f"The store {folder} can not be written: {error.strerror or error}.") from error
    # Without the index there is no store, so it comes last.
    with durable(folder / DESIGN) as file:
        write_values(file, index, given, times)
    with durable(folder / INDEX) as file:
        file.write_text(index.as_text(), encoding="utf-8")
    return new


def _check_same(old: EnsembleStore, new: EnsembleStore) -> None:
    """Check that a store can be continued."""
    store = f"The store {new.folder}"
    if old.index.version != VERSION:
        raise FormatError(
            f"{store} was begun by symlie {old.index.version}; this is symlie {VERSION}: go on with that version, or "
            "give another folder."
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
            f"{store} is of another ensemble: it differs in {other[0].replace('_', ' ')}; give another folder, or "
            "delete it."
        )


CONTINUED = ("design", "system", "quantities", "parameters", "event_names")
"""What a store and its continuation have in common, apart from numbers."""


def _are_equal(one: Array | None, other: Array | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other, equal_nan=True))


@contextlib.contextmanager
def durable(path: Path) -> Iterator[Path]:
    """A file beside the path that takes its place, and is on the disk before.

    Parameters
    ----------
    path
        What is written.

    Raises
    ------
    FormatError
        It can not be written.
    """
    with replaced(path) as part:
        yield part
        with part.open("r+b") as file:
            os.fsync(file.fileno())
    # Not every file system has folders that can be flushed.
    with contextlib.suppress(OSError):
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
