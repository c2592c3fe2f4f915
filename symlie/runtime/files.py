"""Solutions as files: netCDF for other programs, NumPy archives where netCDF4 is not installed.

Both hold the same variables with the same attributes. Fields of nodes are called ``NODE_FIELD``, multipliers
``multipliers_CONSTRAINT``, outputs by their names; the attribute ``kind`` says which of these a variable is.
Arrays of nodes have the nodes as second dimension ``NODE_node``, multipliers of repeated elements their instances as
``ELEMENT_instance``. A NumPy archive has the attributes of the file and of its variables as JSON in its entries
``attributes`` and ``variables``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from symlie.errors import FormatError, MissingDependencyError
from symlie.runtime.layout import Array
from symlie.runtime.quantities import field_unit
from symlie.runtime.solution import Solution
from symlie.version import VERSION

_AXES = {0: (), 1: ("component",), 2: ("row", "column")}
"""Names of the dimensions of a number, a vector and a matrix, after the name of the variable."""

_RESERVED = ("time", "attributes", "variables", "file", "allow_pickle")
"""Names that no variable has: entries of every file, and arguments of `numpy.savez`."""


@dataclass(frozen=True)
class Variable:
    """A quantity over time with what a reader needs to know of it."""

    name: str
    dimensions: tuple[str, ...]
    values: Array
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
    with replaced(path) as temporary:
        write(temporary, variables, attributes)


def solution_variables(solution: Solution) -> list[Variable]:
    """Everything recorded: time, fields of all nodes, multipliers, energy, residuals and outputs."""
    layout = solution.system.layout
    variables: list[Variable] = []
    taken = set(_RESERVED)

    def add(name: str, values: Array, unit: str, repeated: tuple[str, ...] = (), **attributes: str) -> None:
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
    return [Variable("time", ("time",), solution.t, {"units": "s", "kind": "time"}), *variables]


def solution_attributes(solution: Solution) -> dict[str, str]:
    """What produced a solution; objects as JSON."""
    system = solution.system
    parameters = {
        name: system.parameters[position].reshape(shape).tolist()
        for name, (position, shape, _) in system.layout.parameters.items()
    }
    return {
        "title": f"{system.name}, {solution.method}",
        "model": system.name,
        "options": json.dumps(system.layout.options),
        "method": solution.method,
        "status": solution.status,
        "backend": system.backend,
        "symlie_version": VERSION,
        "interface_hash": system.layout.interface_hash,
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
    try:
        import netCDF4  # noqa: F401
    except ImportError as error:
        raise MissingDependencyError(
            'Writing .nc files needs the package netCDF4; install it with: pip install "symlie[io]", '
            "or save the solution as .npz."
        ) from error
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
                stored = file.createVariable(variable.name, "f8", variable.dimensions)
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
