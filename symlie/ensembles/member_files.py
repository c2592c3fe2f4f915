"""Results of members as a netCDF file, and back.

Variables have the members first; values that members were given are coordinates. Events are in a group of their own,
with a row for each.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from symlie.ensembles.results import EVENT_COLUMNS, MEMBER_COLUMNS, MemberResults, MemberStatus
from symlie.ensembles.store_index import FORMAT, Quantity, StoreIndex
from symlie.errors import FormatError
from symlie.packages import require
from symlie.reading import reading
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.formats import write_netcdf
from symlie.runtime.solution.trailer import check_length, check_trailer
from symlie.runtime.solution.variables import Variable

if TYPE_CHECKING:
    import netCDF4

EVENTS = "events/"
"""Names of variables in the group of events begin with this."""

STORED = {"members": "member", "sentences": "sentence", "kinds": "exception"} | {
    name: EVENTS + name.removeprefix("event_") for name in EVENT_COLUMNS
}
"""Names of variables for fields of results, where they are others."""

_UNITS = {"end_time": "s", "cpu_seconds": "s", "event_time": "s"}

_LONG_NAMES = {
    "members": "number of the member",
    "status": "how the run of the member ended",
    "sentences": "what is said of the member",
    "kinds": "exception that ended the member",
    "steps": "tried steps",
    "rejected": "rejected steps",
    "end_time": "time that was reached",
    "cpu_seconds": "processor time",
    "event_member": "member that had the event",
    "event_index": "which event it was",
    "event_instance": "instance of the element type of the event",
    "event_time": "time of the event",
}


def write_values(path: Path, index: StoreIndex, values: Mapping[str, Array], times: Array | None) -> None:
    """Write what all members are given.

    Parameters
    ----------
    path
        The file.
    index
        What the store holds.
    values
        By name of the parameter, shape (N, …).
    times
        Of histories, in s; None where there are none.
    """
    members = Variable("member", ("member",), np.arange(index.members), {"long_name": _LONG_NAMES["members"]})
    write_netcdf(path, [members, *_given_variables(index, values, times)], _attributes(index))


def write_members(
    path: Path, index: StoreIndex, results: MemberResults, values: Mapping[str, Array], times: Array | None
) -> None:
    """Write results of some members.

    Parameters
    ----------
    path
        The file.
    index
        What the store holds.
    results
        Of n members.
    values
        What these members were given, by name of the parameter, shape (n, …).
    times
        Of histories, in s; None where there are none.
    """
    variables = [*_result_variables(index, results), *_given_variables(index, values, times)]
    write_netcdf(path, variables, _attributes(index))


def _attributes(index: StoreIndex) -> dict[str, str]:
    names = index.stored_names()
    return {
        "symlie_format": str(FORMAT),
        "symlie_version": index.version,
        "design": index.design,
        "system": index.system,
        "coordinates": " ".join(names["parameter", q.name] for q in index.parameters),
    }


def _given_variables(index: StoreIndex, values: Mapping[str, Array], times: Array | None) -> Iterator[Variable]:
    if times is not None:
        yield Variable("time", ("time",), times, {"units": "s", "long_name": "time"})
    for quantity in index.parameters:
        yield _variable(index, "parameter", quantity, values[quantity.name])


def _result_variables(index: StoreIndex, results: MemberResults) -> Iterator[Variable]:
    columns = results.columns
    for name in _fields(index):
        about: dict[str, object] = {"long_name": _LONG_NAMES[name]}
        if name in _UNITS:
            about["units"] = _UNITS[name]
        if name == "status":
            about |= _flags([status.name.lower() for status in MemberStatus], np.int8)
        if name == "event_index":
            about |= _flags(["_".join(event.split()) for event in index.event_names], np.int64)
        values = columns[name]
        if values.dtype == object:
            values = np.array([_plain(text) for text in values], dtype=object)
        dimension = "event" if name in EVENT_COLUMNS else "member"
        yield Variable(STORED.get(name, name), (dimension,), values, about)
    for quantity in index.quantities:
        yield _variable(index, "value", quantity, results.values[quantity.name])


def _fields(index: StoreIndex) -> tuple[str, ...]:
    """Fields of results that files have."""
    return (*MEMBER_COLUMNS, *EVENT_COLUMNS) if index.event_names else MEMBER_COLUMNS


def _variable(index: StoreIndex, kind: str, quantity: Quantity, values: Array) -> Variable:
    if values.shape[1:] != quantity.shape:
        raise FormatError(f"'{quantity.name}' has the shape {values.shape[1:]} for a member, not {quantity.shape}.")
    about = {"long_name": quantity.long_name or quantity.name, "kind": kind, "symlie_name": quantity.name}
    units = {"units": quantity.unit} if quantity.unit else {}
    name = index.stored_names()[kind, quantity.name]
    return Variable(name, ("member", *quantity.dimensions), np.asarray(values, dtype=float), {**about, **units})


def _flags(meanings: list[str], kind: type[np.integer]) -> dict[str, object]:
    return {"flag_values": np.arange(len(meanings), dtype=kind), "flag_meanings": " ".join(meanings)}


def _plain(text: str) -> str:
    """A text that any file can hold."""
    return text.replace("\0", "\\0").encode(errors="backslashreplace").decode()


@contextlib.contextmanager
def opened(path: Path, index: StoreIndex) -> Iterator[netCDF4.Dataset]:
    """A file of the store, open to be read.

    Parameters
    ----------
    path
        The file.
    index
        What the store holds.

    Raises
    ------
    FormatError
        It is damaged, or of another ensemble.
    """
    require("Stores of ensembles", "netCDF4")
    import netCDF4

    with reading(path), netCDF4.Dataset(path) as file:
        if (file.getncattr("design"), file.getncattr("system")) != (index.design, index.system):
            raise FormatError(f"{path} belongs to another ensemble than {path.parent}; take it away.")
        file.set_auto_mask(False)
        yield file


def check_file(path: Path) -> None:
    """Check all bytes of a file, before HDF5 opens it.

    Raises
    ------
    FormatError
        It is damaged.
    """
    with reading(path):
        check_length(path)
        check_trailer(path)


def read_values(path: Path, index: StoreIndex) -> tuple[dict[str, Array], Array | None]:
    """What all members are given, and the times of histories.

    Parameters
    ----------
    path
        The file.
    index
        What the store holds.

    Raises
    ------
    FormatError
        The file is damaged, or of another ensemble.
    """
    names = index.stored_names()
    with opened(path, index) as file:
        # A store that is extended has the values of more members for a moment.
        values = {q.name: file[names["parameter", q.name]][: index.members] for q in index.parameters}
        for quantity in index.parameters:
            _check_shape(path, quantity.name, values[quantity.name], (index.members, *quantity.shape))
        return values, file["time"][...] if "time" in file.variables else None


def read_variables(path: Path, index: StoreIndex, members: range, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Some variables of the members of a file; others are not read.

    Parameters
    ----------
    path
        The file.
    index
        What the store holds.
    members
        In the file.
    names
        Of variables in the file.

    Raises
    ------
    FormatError
        The file is damaged, or of another ensemble.
    """
    stored = index.stored_names()
    shapes = {stored["value", q.name]: q.shape for q in index.quantities}
    with opened(path, index) as file:
        if not np.array_equal(file["member"][...], members):
            raise FormatError(f"{path} is damaged: its members are not those of its name.")
        found = {name: file[name][...] for name in names}
    for name, values in found.items():
        rows = len(values) if name.startswith(EVENTS) else len(members)
        _check_shape(path, name, values, (rows, *shapes.get(name, ())))
    return found


def read_members(path: Path, index: StoreIndex, members: range) -> MemberResults:
    """Results of all members of a file.

    Parameters
    ----------
    path
        The file.
    index
        What the store holds.
    members
        In the file.

    Raises
    ------
    FormatError
        The file is damaged, or of another ensemble.
    """
    columns = {name: STORED.get(name, name) for name in _fields(index)}
    values = {q.name: index.stored_names()["value", q.name] for q in index.quantities}
    found = read_variables(path, index, members, [*columns.values(), *values.values()])
    return MemberResults.of_columns(
        dict.fromkeys(EVENT_COLUMNS, np.zeros(0)) | {name: found[stored] for name, stored in columns.items()},
        {name: found[stored] for name, stored in values.items()},
        index.event_names,
    )


def _check_shape(path: Path, name: str, values: Array, shape: tuple[int, ...]) -> None:
    if values.shape != shape:
        raise FormatError(f"{path} is damaged: '{name}' has the shape {values.shape}, not {shape}.")
