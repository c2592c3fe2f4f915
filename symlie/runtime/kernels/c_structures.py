"""Structures of C as data: a library takes them in memory, and a header states them as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.compile.library import Library, Pointer
from symlie.contract.kernels import REAL

C_TYPES = {"int32": "int", "int64": "long long", "uint8": "unsigned char", "float64": REAL}
"""Types of C by those of arrays."""


@dataclass(frozen=True, eq=False)
class Structures:
    """Structures of one type.

    Attributes
    ----------
    kind
        Name of the type.
    members
        For each structure its members by name: numbers, arrays, further structures. Others are zero.
    """

    kind: str
    members: tuple[Mapping[str, Member], ...]


Member = float | NDArray[np.generic] | Structures
"""The value of a member."""


def in_memory(library: Library, structures: Structures) -> tuple[Pointer, list[object]]:
    """The first of some structures in memory, and everything that must stay alive with it.

    Contiguous arrays are not copied; instead of those without entries there is a zero.
    """
    target = library.ffi.new(f"{structures.kind}[]", max(len(structures.members), 1))
    kept: list[object] = [target]
    for k, members in enumerate(structures.members):
        for name, value in members.items():
            held: Pointer = value
            if isinstance(value, Structures):
                held, further = in_memory(library, value)
                kept += further
            elif isinstance(value, np.ndarray):
                array = np.ascontiguousarray(value) if value.size else np.zeros(1, dtype=value.dtype)
                held = library.pointer(array, f"{C_TYPES[array.dtype.name]}[]")
                kept += [array, held]
            setattr(target[k], name, held)
    return library.ffi.addressof(target, 0), kept
