"""netCDF files through the package netCDF4, or through h5netcdf if netCDF4 is not installed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from symlie.utilities.packages import is_present

if TYPE_CHECKING:
    import netCDF4

    Holder = netCDF4.Dataset | netCDF4.Variable[Any]


@contextlib.contextmanager
def netcdf_file(path: Path, mode: Literal["r", "w"] = "r") -> Iterator[netCDF4.Dataset]:
    """Open a file for reading, without masks for missing values, or for writing; both packages have this interface."""
    if is_present("netCDF4"):
        import netCDF4

        with netCDF4.Dataset(path, mode) as file:
            if mode == "r":
                file.set_auto_mask(False)
            yield file
    else:
        from h5netcdf import legacyapi

        with legacyapi.Dataset(path, mode) as file:
            yield file


def attributes_of(holder: Holder) -> dict[str, object]:
    """Return the attributes of a file or variable, without the bytes that h5netcdf returns for text."""
    found = {name: holder.getncattr(name) for name in holder.ncattrs()}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in found.items()}
