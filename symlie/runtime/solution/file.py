"""Loading of saved solutions: states, outputs and events, with the system that produced them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from symlie.errors import FormatError
from symlie.options import Backend
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.checks import check_solution
from symlie.runtime.solution.local_fields import local_fields
from symlie.runtime.solution.outputs import Outputs
from symlie.runtime.solution.recorder import Event, Statistics
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.start import Start
from symlie.runtime.solution.trace import trace_of
from symlie.runtime.solution.trailer import check_trailer
from symlie.runtime.solution.undetermined import Undetermined
from symlie.runtime.solution.variables import (
    CARRIED,
    END,
    EVENT,
    EVENT_STATE,
    FORMAT,
    GROUP,
    SYSTEM,
    TRACE,
    UNWRAPPED,
    unpacked,
)
from symlie.runtime.system.record import model_hash, recorded_system
from symlie.runtime.system.system import System
from symlie.utilities.netcdf import attributes_of, netcdf_file
from symlie.utilities.packages import require
from symlie.utilities.reading import other_format, reading

DENSEST = 200
"""Largest number of values per byte of a file, reached by equal 8-byte numbers, which are compressed by a factor of
1000."""


@dataclass(frozen=True, eq=False)
class _Content:
    """Values and attributes of variables by name, and attributes of the file."""

    values: dict[str, np.ndarray]
    about: dict[str, dict[str, Any]]
    attributes: dict[str, Any]

    def of_kind(self, **wanted: str) -> str | None:
        """Return the name of the variable with the given attributes."""
        return next((n for n, a in self.about.items() if wanted.items() <= a.items()), None)

    def required(self, **wanted: str) -> Array:
        """Return the values of the variable with the given attributes."""
        name = self.of_kind(**wanted)
        if name is None:
            raise KeyError(" ".join(wanted.values()))
        return self.values[name]


def load_solution(path: str | Path, *, backend: Backend | None = None, trust: bool = False) -> Solution:
    """Read a solution from a file of `Solution.save`.

    The file contains the generated code of the system, so that neither the model nor SymPy is necessary, and later
    changes of the model have no effect.

    Parameters
    ----------
    path
        File, ``.nc`` or ``.npz``.
    backend
        ``"c"``, ``"numpy"`` or ``"auto"``; default: the backend of the run.
    trust
        True: permit compiling and running the generated code in the file. Otherwise fields, outputs, multipliers,
        events and plots are available; methods that evaluate the model, such as ``solution(t)`` and
        ``solve(start=solution)``, raise a `CodeNotLoadedError`.

    Returns
    -------
    Solution
        The saved solution.

    Raises
    ------
    FormatError
        If the file does not exist, is not a solution, is damaged, was changed by another program, or has the format of
        another version.
    MissingDependencyError
        If neither netCDF4 nor h5netcdf, one of which ``.nc`` requires, is installed.
    NoCompilerError
        With ``trust=True``, if the run used compiled code and no C compiler is found; ``backend="numpy"`` reads it.
    UnknownNameError
        If the backend does not exist.
    """
    path = Path(path)
    if not path.is_file():
        raise FormatError(f"The file {path} does not exist.")
    if path.suffix == ".csv":
        raise FormatError(f"{path} contains only numbers; save a solution as .nc or .npz to load it again.")
    with reading(path, "is not a solution of symlie, or it is damaged"):
        content = _read_numpy(path) if path.suffix == ".npz" else _read_netcdf(path)
        found = content.attributes.get("symlie_format")
    if not isinstance(found, str) or found != str(FORMAT):
        version = content.attributes.get("symlie_version")
        raise other_format(path, found, FORMAT, version, "read it with that version, or run the model again")
    with reading(path):
        other = [name for name, values in content.values.items() if values.dtype.kind not in "fiu"]
        if other:
            raise TypeError(f"{other[0]} holds no numbers")
        record = unpacked(content.values[SYSTEM])
        system = recorded_system(record, backend, run_code=trust is True)
        if model_hash(system) != content.attributes["model_hash"]:
            raise FormatError(f"The generated code in {path} is not the one it was saved with; the file is damaged.")
        solution = _solution(content, system)
        check_solution(solution)
        return solution


def _solution(content: _Content, system: System) -> Solution:
    layout, attributes = system.layout, content.attributes
    t = content.required(kind="time")
    q, v = np.empty((len(t), layout.storage)), np.zeros((len(t), layout.dimension))
    multipliers = np.empty((len(t), layout.rows))
    for node in layout.nodes:
        for kind, fields, size, part in (
            ("configuration", node.type.storage_fields, node.type.storage, q[:, node.storage]),
            ("velocity", node.type.velocity_fields, node.type.velocities, v[:, node.velocity]),
        ):
            by_node = part.reshape(len(t), node.count, -1)
            position = 0
            for field in fields:
                values = content.required(kind=kind, node=node.name, field=field.name)
                rows = values.reshape(len(t), node.count, -1)
                by_node[:, :, field.offset : field.offset + rows.shape[2]] = rows
                position += rows.shape[2]
            if position != size:
                raise ValueError(f"the {kind} of node {node.name} is not complete")
            part[...] = by_node.reshape(part.shape)
    q[:, layout.unwrapped] = _rows(content, UNWRAPPED, len(t), layout.storage - layout.node_storage)
    for name, rows_of in layout.constraints.items():
        values = content.required(kind="multipliers", constraint=name)
        if values.shape[:1] != t.shape or values.size != len(t) * rows_of.rows.size:
            raise ValueError(f"the multipliers of {name} are not complete")
        multipliers[:, rows_of.rows.ravel()] = values.reshape(len(t), -1)
    columns = {n[len(TRACE) :]: values for n, values in content.values.items() if n.startswith(TRACE)}
    solution = Solution(
        system,
        attributes["method"],
        t,
        q,
        v,
        multipliers,
        _rows(content, CARRIED, len(t), layout.carried_size),
        Statistics(**json.loads(attributes["statistics"])),
        attributes["status"],
        trace_of(columns) if columns else None,
        _events(content, system),
        _end(content, system),
        json.loads(attributes["settings"]),
        tuple(json.loads(attributes["notices"])),
    )
    # Stored outputs are not recomputed, so they do not depend on the processor that reads the file.
    outputs = {a["output"]: content.values[name] for name, a in content.about.items() if a.get("kind") == "output"}
    solution.__dict__["outputs"] = Outputs(solution, outputs)
    undetermined = [a for a in content.about.values() if "undetermined" in a]
    solution.__dict__["undetermined"] = Undetermined(
        *(tuple(a[name] for a in undetermined if name in a) for name in ("output", "constraint"))
    )
    for name, a in content.about.items():
        if a.get("kind") == "segments":
            places = local_fields(layout, a["curve"])[a["field"]].places
            if content.values[name].shape != (len(t), *places.shape):
                raise ValueError(f"{name} is not complete")
            solution.known_fields[a["curve"], a["field"], "body"] = content.values[name]
    return solution


def _rows(content: _Content, name: str, count: int, width: int) -> Array:
    """Return a variable over the recorded times, shape (count, width); files omit variables without columns."""
    values = np.asarray(content.values.get(name, np.zeros((count, 0))), dtype=float)
    if values.shape != (count, width):
        raise ValueError(f"{name} is not complete")
    return values


def _events(content: _Content, system: System) -> tuple[Event, ...]:
    if not system.layout.events:
        return ()
    if not np.all(np.isin(content.values[EVENT], np.arange(len(system.layout.events)))):
        raise IndexError("the model has no such events")
    index, times = content.values[EVENT].astype(int), content.values[f"{EVENT}_t"]
    q, v, multipliers, carried, own = (
        content.values.get(f"{EVENT}_{name}", np.zeros((len(times), 0))) for name in EVENT_STATE
    )
    known = [system.layout.events[k] for k in index]
    return tuple(
        Event(e.name, e.instance, float(times[k]), q[k], v[k], multipliers[k], carried[k], e.is_terminal, own[k])
        for k, e in enumerate(known)
    )


def _end(content: _Content, system: System) -> Start | None:
    found = {name[len(END) :]: value for name, value in content.values.items() if name.startswith(END)}
    if not found:
        return None
    h = float(found.pop("h")[0])
    return Start(**{"multipliers": np.zeros(0), "carried": np.zeros(0), **found}, h=h)


def _read_netcdf(path: Path) -> _Content:
    require("Reading .nc files", "netCDF4")
    is_checked = check_trailer(path)
    with netcdf_file(path) as file:
        attributes = attributes_of(file)
        # Earlier formats have no checksum; only their version is read, and they are rejected.
        if not is_checked and str(attributes.get("symlie_format")) == str(FORMAT):
            raise FormatError(
                f"{path} is not as symlie wrote it: another program wrote or changed it, or it is truncated; load "
                "the original file, or read this one with xarray or netCDF4."
            )
        if not is_checked:
            return _Content({}, {}, attributes)
        apart = file.groups[GROUP.rstrip("/")].variables if file.groups else {}
        variables = {**file.variables, **{GROUP + name: variable for name, variable in apart.items()}}
        if sum(math.prod(v.shape) for v in variables.values()) > DENSEST * path.stat().st_size:
            raise ValueError("it has more values than a file of this size holds")
        values = {name: np.array(variable[...]) for name, variable in variables.items()}
        about = {name: attributes_of(variable) for name, variable in variables.items()}
        return _Content(values, about, attributes)


def _read_numpy(path: Path) -> _Content:
    # The stream is opened here because NumPy does not close a stream that it opened itself if the archive is damaged.
    with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
        described = json.loads(file["variables"].item())
        values = {name: file[name] for name in described}
        about = {name: entry["attributes"] for name, entry in described.items()}
        return _Content(values, about, json.loads(file["attributes"].item()))
