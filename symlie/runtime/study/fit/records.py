"""Records of measured outputs: mappings, tables of pandas and xarray, and files, checked against a model."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from symlie.errors import FormatError, ModelError, UnknownNameError
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.system.parameters import real_array
from symlie.utilities.netcdf import attributes_of, netcdf_file
from symlie.utilities.reading import reading
from symlie.utilities.showing import Brief

if TYPE_CHECKING:
    import pandas
    import xarray

RecordLike: TypeAlias = "Mapping[str, ArrayLike] | xarray.Dataset | pandas.DataFrame | str | Path"
"""Times and outputs by name, or a file with them."""

TIMES = ("t", "time")
"""Names of the times of a record, in s."""


@dataclass(frozen=True, eq=False, repr=False)
class Record(Brief):
    """Measured outputs at n times.

    Attributes
    ----------
    label
        Name of the record in messages.
    t
        Times, in s, shape (n,).
    outputs
        Values by name of the output, in its unit, shape (n, components).
    """

    label: str
    t: Array
    outputs: Mapping[str, Array]


@dataclass(frozen=True)
class _Columns:
    """Arrays by name, with the units that are known."""

    label: str
    values: Mapping[str, ArrayLike]
    units: Mapping[str, str]


def read_record(
    source: RecordLike,
    layout: Layout,
    outputs: Sequence[str] | None,
    start: float,
    label: str,
    *,
    at_rest: bool = False,
) -> Record:
    """Return a record of a model; by default of all outputs that it contains; data at rest may have no times.

    Raise UnknownNameError for outputs that do not exist, FormatError for unreadable files, and ModelError for wrong
    values.
    """
    columns = _columns(source, label)
    times = next((name for name in TIMES if name in columns.values), None)
    if times is None and not at_rest:
        raise ModelError(f"There are no times in {columns.label}; name them 't' or 'time'.")
    if times is None:
        columns, t = _one_row(columns), np.array([start])
    else:
        t = _times(columns, times, start, at_rest=at_rest)
    found = {name: _output(columns, layout, name, t) for name in _names(columns, layout, outputs, times)}
    return Record(columns.label, t, found)


def _columns(source: RecordLike, label: str) -> _Columns:
    if isinstance(source, str | Path):
        return _of_file(Path(source))
    if isinstance(source, Mapping):
        variables = getattr(source, "variables", None)
        if variables is None:
            return _Columns(label, {str(name): np.asarray(values) for name, values in source.items()}, {})
        attributes = {str(name): v.attrs.get("units", "") for name, v in variables.items()}
        return _Columns(label, {str(name): v.values for name, v in variables.items()}, attributes)
    if hasattr(source, "columns") and hasattr(source, "index"):
        values = {str(name): source[name].to_numpy() for name in source.columns}
        if source.index.name in TIMES:
            values[str(source.index.name)] = source.index.to_numpy()
        return _Columns(label, values, {})
    raise ModelError(
        f"Data of {label} must be a mapping of names to arrays, a dataset, a data frame or a file, not {source!r:.40}."
    )


def _of_file(path: Path) -> _Columns:
    if path.suffix not in (".csv", ".nc"):
        raise FormatError(f"A record can be read from .csv or .nc files, not from '{path.name}'.")
    if not path.is_file():
        raise FormatError(f"The record {path} does not exist.")
    with reading(path, "is no record"):
        return _of_text(path) if path.suffix == ".csv" else _of_netcdf(path)


def _of_text(path: Path) -> _Columns:
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = [line for line in csv.reader(file, skipinitialspace=True) if line]
    if len(lines) < 2:
        raise FormatError(f"{path} needs a line of names and at least one line of numbers.")
    names, rows = [name.strip() for name in lines[0]], lines[1:]
    for number, row in enumerate(rows, start=2):
        if len(row) != len(names):
            raise FormatError(f"Line {number} of {path} has {len(row)} values for {len(names)} names.")
    table = np.array([[float(cell) for cell in row] for row in rows])
    return _Columns(str(path), dict(zip(names, table.T, strict=True)), {})


def _of_netcdf(path: Path) -> _Columns:
    with netcdf_file(path) as file:
        numeric = {name: v for name, v in file.variables.items() if np.dtype(v.dtype).kind in "iuf"}
        units = {name: str(attributes_of(v).get("units", "")) for name, v in numeric.items()}
        return _Columns(str(path), {name: np.asarray(v[...]) for name, v in numeric.items()}, units)


def _one_row(columns: _Columns) -> _Columns:
    """Return columns without times as one row of data."""
    values = {name: np.ravel(np.asarray(value))[None] for name, value in columns.values.items()}
    return _Columns(columns.label, values, columns.units)


def _times(columns: _Columns, name: str, start: float, *, at_rest: bool) -> Array:
    t = real_array(f"The times of {columns.label}", columns.values[name])
    if t.ndim != 1 or not len(t):
        raise ModelError(f"The times of {columns.label} must have shape (n,), not {t.shape}.")
    if not np.isfinite(t).all():
        raise ModelError(f"The times of {columns.label} contain a value that is not finite, at index {_first(t)}.")
    if (np.diff(t) <= 0).any():
        raise ModelError(f"The times of {columns.label} must increase; sort the record and merge equal times.")
    stated = columns.units.get(name, "")
    if stated not in ("", "s"):
        raise ModelError(f"The times of {columns.label} are in {stated}; convert them to s.")
    if at_rest:
        return t
    if t[0] < start:
        raise ModelError(
            f"The data of {columns.label} begin at t = {t[0]:.9g} s, before the start of the run at {start:.9g} s; "
            f"give start={t[0]:g} if the initial values belong to this time."
        )
    if t[-1] <= start:
        raise ModelError(f"There are no data in {columns.label} after the start of the run at {start:.9g} s.")
    return t


def _names(columns: _Columns, layout: Layout, outputs: Sequence[str] | None, times: str | None) -> list[str]:
    if outputs is not None:
        return list(outputs)
    names = dict.fromkeys(name.partition("[")[0] for name in columns.values if name != times)
    for name in names:
        check_output(layout, name, columns.label)
    if not names:
        raise ModelError(f"There are no outputs besides the times in {columns.label}.")
    return list(names)


def check_output(layout: Layout, name: str, where: str) -> None:
    """Raise UnknownNameError if a model has no output of this name that can be differentiated."""
    if name not in layout.outputs:
        known = ", ".join(layout.outputs) or "none"
        raise UnknownNameError(
            f"'{name}' in {where} is no output of '{layout.name}' that can be fitted; it has: {known}."
        )


def _output(columns: _Columns, layout: Layout, name: str, t: Array) -> Array:
    part, unit = layout.outputs[name]
    size = part.stop - part.start
    parts = [f"{name}[{k}]" for k in range(size)]
    if name in columns.values:
        values = real_array(f"The values of '{name}' in {columns.label}", columns.values[name])
        stated = columns.units.get(name, "")
    elif all(label in columns.values for label in parts):
        values = np.column_stack([real_array(f"The values of '{p}'", columns.values[p]) for p in parts])
        stated = columns.units.get(parts[0], "")
    else:
        raise UnknownNameError(
            f"There are no values of the output '{name}' in {columns.label}; it has: {', '.join(columns.values)}."
        )
    if stated and unit and stated != unit:
        raise ModelError(
            f"Output '{name}' is in {unit}, but {columns.label} contains it in {stated}; convert the data."
        )
    if values.size != len(t) * size or (values.ndim and len(values) != len(t)):
        shape = (len(t),) if size == 1 else (len(t), size)
        raise ModelError(f"The values of '{name}' in {columns.label} must have shape {shape}, not {values.shape}.")
    rows = values.reshape(len(t), size)
    if not np.isfinite(rows).all():
        time = t[_first(rows)]
        raise ModelError(
            f"'{name}' in {columns.label} is not finite at t = {time:.9g} s; leave out times without measurements."
        )
    return rows


def _first(values: Array) -> int:
    """Return the index of the first time with a value that is not finite."""
    is_finite = np.isfinite(values).reshape(len(values), -1).all(axis=1)
    return int(np.flatnonzero(~np.asarray(is_finite))[0])
