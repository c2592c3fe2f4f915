"""netCDF files with results of members.

The first dimension of variables is the member; values of parameters are coordinates. Events form a separate group with
one entry for each event.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.ensembles.results import EVENT_COLUMNS, MEMBER_COLUMNS, MemberResults, MemberStatus
from symlie.ensembles.store_index import FORMAT, Quantity, StoreIndex
from symlie.errors import FormatError
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.formats import write_netcdf
from symlie.runtime.solution.trailer import check_length, check_trailer
from symlie.runtime.solution.variables import Variable
from symlie.utilities.netcdf import attributes_of, netcdf_file
from symlie.utilities.packages import require
from symlie.utilities.reading import reading

if TYPE_CHECKING:
    import netCDF4

EVENTS = "events/"
"""Prefix of the names of variables in the event group."""

STORED = {"members": "member", "sentences": "sentence", "kinds": "exception"} | {
    name: EVENTS + name.removeprefix("event_") for name in EVENT_COLUMNS
}
"""Names of variables for fields of results, if different."""

_UNITS = {"end_time": "s", "cpu_seconds": "s", "event_time": "s"}

_LONG_NAMES = {
    "members": "index of the member",
    "status": "status of the run of the member",
    "sentences": "message of the member",
    "kinds": "exception that ended the member",
    "steps": "tried steps",
    "rejected": "rejected steps",
    "end_time": "end time of the member",
    "cpu_seconds": "processor time",
    "event_member": "member that had the event",
    "event_index": "index of the event",
    "event_instance": "instance of the element type of the event",
    "event_time": "time of the event",
}


def write_values(path: Path, index: StoreIndex, values: Mapping[str, Array], times: Array | None) -> None:
    """Write the parameter values of all members, shape (N, …), and the times of histories, in s, or None."""
    members = Variable("member", ("member",), np.arange(index.members), {"long_name": _LONG_NAMES["members"]})
    write_netcdf(path, [members, *_given_variables(index, values, times)], _attributes(index))


def write_members(
    path: Path, index: StoreIndex, results: MemberResults, values: Mapping[str, Array], times: Array | None
) -> None:
    """Write results of n members with their parameter values, shape (n, …), and the times of
    histories, in s, or None."""
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
            about |= _flags([s.name.lower() for s in MemberStatus], np.array([*MemberStatus], dtype=np.int8))
        if name == "event_index":
            events = ["_".join(event.split()) for event in index.event_names]
            about |= _flags(events, np.arange(len(events), dtype=np.int64))
        values = columns[name]
        if values.dtype == object:
            values = np.array([_plain(text) for text in values], dtype=object)
        dimension = "event" if name in EVENT_COLUMNS else "member"
        yield Variable(STORED.get(name, name), (dimension,), values, about)
    for quantity in index.quantities:
        yield _variable(index, "value", quantity, results.values[quantity.name])


def _fields(index: StoreIndex) -> tuple[str, ...]:
    """Return the fields of results in files."""
    return (*MEMBER_COLUMNS, *EVENT_COLUMNS) if index.event_names else MEMBER_COLUMNS


def _variable(index: StoreIndex, kind: str, quantity: Quantity, values: Array) -> Variable:
    if values.shape[1:] != quantity.shape:
        raise FormatError(f"'{quantity.name}' has the shape {values.shape[1:]} for a member, not {quantity.shape}.")
    about = {"long_name": quantity.long_name or quantity.name, "kind": kind, "symlie_name": quantity.name}
    units = {"units": quantity.unit} if quantity.unit else {}
    name = index.stored_names()[kind, quantity.name]
    return Variable(name, ("member", *quantity.dimensions), np.asarray(values, dtype=float), {**about, **units})


def _flags(meanings: list[str], values: NDArray[np.integer]) -> dict[str, object]:
    return {"flag_values": values, "flag_meanings": " ".join(meanings)}


def _plain(text: str) -> str:
    """Return the text with characters escaped that files cannot store."""
    return text.replace("\0", "\\0").encode(errors="backslashreplace").decode()


@contextlib.contextmanager
def opened(path: Path, index: StoreIndex) -> Iterator[netCDF4.Dataset]:
    """Open a file of the store for reading, or raise `FormatError` if it is damaged or of a different ensemble."""
    require("Stores of ensembles", "netCDF4")
    with reading(path), netcdf_file(path) as file:
        attributes = attributes_of(file)
        if (attributes["design"], attributes["system"]) != (index.design, index.system):
            raise FormatError(f"{path} does not belong to the ensemble in {path.parent}; remove it.")
        yield file


def check_file(path: Path) -> None:
    """Verify the checksum of a file before HDF5 opens it, or raise `FormatError`."""
    with reading(path):
        check_length(path)
        check_trailer(path)


def read_values(path: Path, index: StoreIndex) -> tuple[dict[str, Array], Array | None]:
    """Return the parameter values of all members, and the times of histories."""
    names = index.stored_names()
    with opened(path, index) as file:
        # While a store is extended, the file temporarily has more members than the index.
        values = {q.name: file[names["parameter", q.name]][: index.members] for q in index.parameters}
        for quantity in index.parameters:
            _check_shape(path, quantity.name, values[quantity.name], (index.members, *quantity.shape))
        return values, file["time"][...] if "time" in file.variables else None


def read_variables(path: Path, index: StoreIndex, members: range, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Read selected variables of the members of a file."""
    stored = index.stored_names()
    shapes = {stored["value", q.name]: q.shape for q in index.quantities}
    with opened(path, index) as file:
        if not np.array_equal(file["member"][...], members):
            raise FormatError(f"{path} is damaged: its members do not match its name.")
        found = {name: file[name][...] for name in names}
    for name, values in found.items():
        rows = len(values) if name.startswith(EVENTS) else len(members)
        _check_shape(path, name, values, (rows, *shapes.get(name, ())))
    return found


def read_members(path: Path, index: StoreIndex, members: range) -> MemberResults:
    """Read the results of all members of a file."""
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
