"""Solutions as files: netCDF for other programs, NumPy archives where netCDF4 is not installed.

Both hold the same variables with the same attributes. Fields of nodes are called ``NODE_FIELD``, multipliers
``multipliers_CONSTRAINT``, outputs by their names; the attribute ``kind`` says which of these a variable is.
Arrays of nodes have the nodes as second dimension ``NODE_node``, multipliers of repeated elements their instances as
``ELEMENT_instance``. A NumPy archive has the attributes of the file and of its variables as JSON in its entries
``attributes`` and ``variables``.

What no other program needs, but `symlie.load_solution` does, has names that begin with ``symlie_``: the end of the
integration, from which it can be continued, and the system with its generated code, as compressed JSON in bytes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import uuid
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from symlie.errors import FormatError
from symlie.packages import require
from symlie.runtime.identity import identity
from symlie.runtime.quantities import field_unit
from symlie.runtime.solution import Solution
from symlie.runtime.system_record import model_hash, system_record
from symlie.version import VERSION

FORMAT = 1
"""Version of what is in these files."""

SYSTEM = "symlie_system"
"""Variable with the system."""

END = "symlie_end_"
"""Variables of the end of an integration begin with this."""

_AXES = {0: (), 1: ("component",), 2: ("row", "column")}
"""Names of the dimensions of a number, a vector and a matrix, after the name of the variable."""

_RESERVED = ("time", "attributes", "variables", "file", "allow_pickle")
"""Names that no variable has: entries of every file, and arguments of `numpy.savez`."""


_SETTINGS = ("h", "rtol", "atol", "controller", "stabilize", "multipliers")
"""Arguments of `solve` that are attributes of their own, besides all of them as JSON."""


@dataclass(frozen=True)
class Variable:
    """A quantity over time with what a reader needs to know of it."""

    name: str
    dimensions: tuple[str, ...]
    values: np.ndarray
    attributes: Mapping[str, str]


def save_solution(solution: Solution, path: Path) -> None:
    """Write a solution; an existing file is replaced only when the new one is complete.

    Parameters
    ----------
    solution
        The solution.
    path
        File that ends in ``.nc`` (netCDF-4) or ``.npz`` (NumPy).

    Raises
    ------
    FormatError
        The file type is unknown, or the file can not be written.
    MissingDependencyError
        ``.nc`` without the package netCDF4.
    """
    write = _writer(path)
    variables, attributes = solution_variables(solution), solution_attributes(solution)
    record = packed(system_record(solution.system))
    variables.append(Variable(SYSTEM, ("symlie_byte",), record, {"kind": "system"}))
    with replaced(path) as temporary:
        write(temporary, variables, attributes)


def solution_variables(solution: Solution) -> list[Variable]:
    """Everything recorded: time, fields of all nodes, multipliers, energy, residuals, outputs, tried steps, events."""
    layout = solution.system.layout
    variables: list[Variable] = []
    taken = set(_RESERVED)

    def add(name: str, values: np.ndarray, unit: str, repeated: tuple[str, ...] = (), **attributes: str) -> None:
        if name in taken:
            name = f"{attributes['kind']}_{name}"
        taken.add(name)
        leading = ("time", *repeated)
        axes = tuple(f"{name}_{axis}" for axis in _AXES[values.ndim - len(leading)])
        units = {"units": unit} if unit else {}
        variables.append(Variable(name, (*leading, *axes), values, {**attributes, **units}))

    for node in layout.nodes:
        nodes = (f"{node.name}_node",) if node.is_array else ()
        for kind, fields in (("configuration", "storage_fields"), ("velocity", "velocity_fields")):
            for field in node.type[fields]:
                label = field["name"]
                unit = field_unit(node.type, label)
                add(
                    f"{node.name}_{label}",
                    solution.field(node.name, label),
                    unit,
                    nodes,
                    kind=kind,
                    node=node.name,
                    field=label,
                )
    for constraint, values in solution.named_multipliers().items():
        part = layout.constraints[constraint]
        instances = (f"{part.element}_instance",) if part.is_array else ()
        add(f"multipliers_{constraint}", values, "", instances, kind="multipliers", constraint=constraint)
    units = {name: unit for name, (_, unit) in layout.outputs.items()} | {"energy": "J"}
    for output, values in solution.outputs.items():
        add(output, values, units.get(output, ""), kind="output", output=output)
    return [
        Variable("time", ("time",), solution.t, {"units": "s", "kind": "time"}),
        *variables,
        *_trace_variables(solution),
        *_event_variables(solution),
        *_end_variables(solution),
    ]


def _trace_variables(solution: Solution) -> list[Variable]:
    trace = solution.trace
    if trace is None:
        return []
    columns = (("t", trace.t, "s"), ("h", trace.h, "s"), ("error", trace.error, "1"), ("accepted", trace.accepted, "1"))
    return [
        Variable(f"symlie_trace_{name}", ("tried",), np.asarray(values, dtype=float), {"units": unit, "kind": "trace"})
        for name, values, unit in columns
    ]


def _event_variables(solution: Solution) -> list[Variable]:
    known = solution.system.layout.events
    if not known:
        return []
    sizes = (solution.q.shape[1], solution.v.shape[1], solution.multipliers.shape[1])
    names = json.dumps([[e.name, e.element, e.instance] for e in known])
    index = {(e.name, e.instance): k for k, e in enumerate(known)}
    rows = [[index[e.name, e.instance], e.t, *e.q, *e.v, *e.multipliers] for e in solution.events]
    values = np.array(rows, dtype=float).reshape(len(rows), 2 + sum(sizes))
    columns = np.split(values[:, 1:], np.cumsum((1, *sizes)), axis=1)[:4]
    common = {"kind": "event"}
    return [
        Variable("symlie_event", ("event",), values[:, 0], {**common, "events": names}),
        Variable("symlie_event_t", ("event",), columns[0][:, 0], {**common, "units": "s"}),
        *(
            Variable(f"symlie_event_{name}", ("event", name), column, common)
            for name, column in zip(("q", "v", "multipliers"), columns[1:], strict=True)
            if column.shape[1]
        ),
    ]


def _end_variables(solution: Solution) -> list[Variable]:
    if solution.end is None:
        return []
    end = dataclasses.asdict(solution.end)
    return [
        Variable(END + name, (f"{END}{name}_component",), np.atleast_1d(value), {"kind": "end"})
        for name, value in end.items()
        if value is not None and np.size(value)
    ]


def packed(record: Mapping[str, Any]) -> Any:
    """JSON as compressed bytes, and back with `unpacked`."""
    return np.frombuffer(zlib.compress(json.dumps(record).encode(), 6), dtype=np.uint8)


def unpacked(data: Any) -> dict[str, Any]:
    """The JSON that was packed.

    Raises
    ------
    zlib.error, ValueError
        It is damaged.
    """
    record: dict[str, Any] = json.loads(zlib.decompress(np.asarray(data, dtype=np.uint8).tobytes()))
    return record


def solution_attributes(solution: Solution) -> dict[str, str]:
    """What produced a solution; objects as JSON."""
    system = solution.system
    parameters = {
        name: system.parameters[position].reshape(shape).tolist()
        for name, (position, shape, _) in system.layout.parameters.items()
    }
    return {
        "symlie_format": str(FORMAT),
        "title": f"{system.name}, {solution.method}",
        "model": system.name,
        "options": json.dumps(system.layout.options),
        "method": solution.method,
        "status": solution.status,
        "backend": system.backend,
        "optimize": system.optimize,
        "settings": json.dumps(dict(solution.settings)),
        **{name: str(solution.settings[name]) for name in _SETTINGS if solution.settings.get(name) is not None},
        "symlie_version": VERSION,
        "versions": json.dumps(identity()),
        "interface_hash": system.layout.interface_hash,
        "model_hash": model_hash(system),
        "parameters": json.dumps(parameters),
        "statistics": json.dumps(dataclasses.asdict(solution.statistics)),
    }


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """A file beside the path that takes its place when everything went well, and disappears otherwise.

    Raises
    ------
    FormatError
        The file can not be written.
    """
    temporary = path.with_name(f".{path.stem}-{uuid.uuid4().hex[:12]}{path.suffix}")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        raise FormatError(f"{path} can not be written: {error.strerror or error}.") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _writer(path: Path) -> Callable[[Path, list[Variable], Mapping[str, str]], None]:
    if path.suffix == ".npz":
        return _write_numpy
    if path.suffix != ".nc":
        raise FormatError(f"A solution can be saved as .nc or .npz, not as '{path.name}'.")
    require("Writing .nc files", "netCDF4", alternative=", or save the solution as .npz")
    return _write_netcdf


def _write_netcdf(path: Path, variables: list[Variable], attributes: Mapping[str, str]) -> None:
    import netCDF4

    try:
        with netCDF4.Dataset(path, "w", format="NETCDF4") as file:
            file.setncatts(attributes)
            for variable in variables:
                for dimension, size in zip(variable.dimensions, variable.values.shape, strict=True):
                    if dimension not in file.dimensions:
                        file.createDimension(dimension, size)
                kind = variable.values.dtype.str[1:]
                stored = file.createVariable(variable.name, kind, variable.dimensions, fletcher32=True)
                stored.setncatts(variable.attributes)
                stored[...] = variable.values
    except RuntimeError as error:
        raise OSError(str(error)) from error  # how netCDF4 reports, for instance, a full disk


def _write_numpy(path: Path, variables: list[Variable], attributes: Mapping[str, str]) -> None:
    described = {v.name: {"dimensions": v.dimensions, "attributes": dict(v.attributes)} for v in variables}
    arrays: dict[str, Any] = {v.name: v.values for v in variables}
    arrays |= {
        "attributes": np.array(json.dumps(dict(attributes))),
        "variables": np.array(json.dumps(described)),
    }
    with path.open("wb") as file:
        np.savez(file, **arrays)
