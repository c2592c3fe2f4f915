"""Solutions as files: netCDF, or NumPy archives if no package for netCDF is installed.

Both contain the variables of `symlie.runtime.solution.variables` with the same attributes. A NumPy archive has the
attributes of the file and of its variables as JSON in its entries ``attributes`` and ``variables``. Archives have a
checksum for each entry; a netCDF file ends with a checksum of all its bytes.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from symlie.errors import FormatError
from symlie.runtime.solution.data_tables import write_text
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.trailer import append_trailer
from symlie.runtime.solution.variables import (
    GROUP,
    Variable,
    group_variables,
    solution_attributes,
    solution_variables,
)
from symlie.utilities.netcdf import netcdf_file
from symlie.utilities.packages import require

_ROOM = 1 << 20
"""Block size in bytes, and free space in bytes above which a full disk cannot be the cause of a failure."""


def save_solution(solution: Solution, path: Path) -> None:
    """Save a solution, see `symlie.runtime.solution.solution.Solution.save`; a complete new file replaces an existing
    one."""
    write = _writer(path)
    variables, attributes = solution_variables(solution) + group_variables(solution), solution_attributes(solution)
    with replaced(path) as temporary:
        write(temporary, variables, attributes)


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Yield a temporary path that replaces the given one on success and is deleted otherwise."""
    temporary = path.with_name(f".{path.stem}-{uuid.uuid4().hex[:12]}{path.suffix}")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        raise FormatError(f"{path} cannot be written: {error.strerror or error}.") from error
    except UnicodeEncodeError as error:
        raise FormatError(
            f"{str(path)!a} cannot be written: the encoding {error.encoding} of this process lacks characters of the "
            "name; set PYTHONUTF8=1."
        ) from error
    finally:
        with contextlib.suppress(OSError, UnicodeEncodeError):
            temporary.unlink(missing_ok=True)


def leftovers(folder: Path) -> list[Path]:
    """Return temporary files of `replaced` that killed processes have left in a folder."""
    return [path for path in folder.iterdir() if re.fullmatch(r"\..+-[0-9a-f]{12}\.\w+", path.name)]


def _writer(path: Path) -> Callable[[Path, list[Variable], Mapping[str, str]], None]:
    if path.suffix == ".npz":
        return _write_numpy
    if path.suffix == ".csv":
        return _write_text
    if path.suffix != ".nc":
        raise FormatError(f"A solution can be saved as .nc, .npz or .csv, not as '{path.name}'.")
    require("Writing .nc files", "netCDF4", alternative=", or save the solution as .npz")
    return write_netcdf


def _write_text(path: Path, variables: list[Variable], attributes: Mapping[str, str]) -> None:
    write_text(path, [v for v in variables if not v.name.startswith(GROUP)])


def write_netcdf(path: Path, variables: Iterable[Variable], attributes: Mapping[str, str]) -> None:
    """Write variables and attributes to a netCDF file with a checksum at its end; a ``/`` in a name separates the
    group."""
    variables = list(variables)
    try:
        with netcdf_file(path, "w") as file:
            for key, text in attributes.items():
                file.setncattr(key, text)
            for variable in variables:
                group, _, name = variable.name.rpartition("/")
                place = file.createGroup(group) if group and group not in file.groups else file.groups.get(group, file)
                for dimension, size in zip(variable.dimensions, variable.values.shape, strict=True):
                    if dimension not in place.dimensions:
                        place.createDimension(dimension, size)
                is_text = variable.values.dtype.kind == "O"
                kind = str if is_text else variable.values.dtype.str[1:]
                has_checksum = not is_text and bool(variable.dimensions)
                stored = place.createVariable(name, kind, variable.dimensions, fletcher32=has_checksum)
                for key, value in variable.attributes.items():
                    stored.setncattr(key, value)
                stored[...] = variable.values
    except (RuntimeError, OSError) as error:
        _raise_cause(path, 2 * sum(v.values.nbytes for v in variables) + _ROOM)
        raise OSError(str(error)) from error
    append_trailer(path)


def _raise_cause(path: Path, size: int) -> None:
    """Raise an error of the file system if the disk is full, which HDF5 reports as "HDF error"."""
    with path.open("ab") as file:
        for _ in range(0, size, _ROOM):
            file.write(bytes(_ROOM))
        file.flush()
        os.fsync(file.fileno())


def _write_numpy(path: Path, variables: list[Variable], attributes: Mapping[str, str]) -> None:
    described = {v.name: {"dimensions": v.dimensions, "attributes": dict(v.attributes)} for v in variables}
    arrays: dict[str, Any] = {v.name: v.values for v in variables}
    arrays |= {
        "attributes": np.array(json.dumps(dict(attributes))),
        "variables": np.array(json.dumps(described)),
    }
    with path.open("wb") as file:
        np.savez(file, **arrays)
