"""Loading of a compiled library: declarations come from the interface header and are checked by hash."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, TypeAlias

from symlie.compile.headers import declarations
from symlie.errors import CompilerError, FormatError
from symlie.utilities.reading import brief

Pointer: TypeAlias = Any
"""Objects of cffi, which has no types: pointers, structures, libraries."""


@functools.cache
def _declarations() -> Pointer:
    import cffi

    ffi = cffi.FFI()
    ffi.cdef(declarations())
    return ffi


@functools.cache
def _type(kind: str) -> Pointer:
    return _declarations().typeof(kind)


class Library:
    """Loaded library: ``library.call.symlie_force(...)`` and pointers to arrays."""

    def __init__(self, path: Path, interface_hash: str) -> None:
        self.ffi = _declarations()
        self.path = path
        try:
            self.call = self.ffi.dlopen(str(path))
            found = self.ffi.string(self.call.symlie_interface_hash()).decode()
        except (OSError, AttributeError) as error:
            path.unlink(missing_ok=True)  # possibly truncated by the compiler; later runs must not find it
            raise CompilerError(
                f"The compiled library {path} cannot be loaded ({brief(error)}); it was removed, and the next run "
                "recompiles it."
            ) from error
        if found != interface_hash:
            raise FormatError(
                f"The library {path} has interface {found}, but the manifest has {interface_hash}; generate the model "
                "again."
            )

    def new(self, kind: str) -> Pointer:
        """Return a new structure of zeros for a pointer type."""
        return self.ffi.new(_type(kind))

    def pointer(self, array: object, kind: str = "double[]") -> Pointer:
        """Return a pointer to the memory of a C-contiguous array, which must outlive the call."""
        return self.ffi.from_buffer(_type(kind), array)
