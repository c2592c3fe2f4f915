"""C structures as data: in memory for a library, and as source code for a header."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from symlie.compile.library import Library, Pointer
from symlie.contract.kernels import REAL

C_TYPES: dict[np.dtype[np.generic], str] = {
    np.dtype(np.int32): "int",
    np.dtype(np.int64): "long long",
    np.dtype(np.uint8): "unsigned char",
    np.dtype(np.float64): REAL,
}
"""C types by array type."""


@dataclass(frozen=True, eq=False)
class Structures:
    """Structures of one type.

    Attributes
    ----------
    kind
        Name of the type.
    members
        Members of each structure by name: numbers, arrays, nested structures. Missing members are zero.
    """

    kind: str
    members: tuple[Mapping[str, Member], ...]


Member = float | NDArray[np.generic] | Structures
"""Value of a member."""


def in_memory(library: Library, structures: Structures) -> tuple[Pointer, list[object]]:
    """Pointer to the first structure in memory, and the objects that own the memory.

    Contiguous arrays are not copied; an array without entries becomes a single zero.
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
                held = library.pointer(array, f"{C_TYPES[array.dtype]}[]")
                kept += [array, held]
            setattr(target[k], name, held)
    return library.ffi.addressof(target, 0), kept


class Block:
    """Arrays of numbers in one contiguous block of memory with one pointer.

    Parameters
    ----------
    sizes
        Entries of each array by name.
    made
        Allocator of the memory, called with the total number of entries.

    Attributes
    ----------
    arrays
        The arrays by name; each keeps the memory alive.
    """

    def __init__(self, sizes: Mapping[str, int], made: Callable[[int], NDArray[np.float64]] = np.zeros) -> None:
        self._memory, self.arrays, begin = made(sum(sizes.values())), {}, 0
        for name, size in sizes.items():
            self.arrays[name] = self._memory[begin : begin + size]
            begin += size

    def point(self, library: Library, target: Pointer) -> None:
        """Point the members of a structure to the arrays of the same names."""
        place = library.pointer(self._memory)
        for name, array in self.arrays.items():
            setattr(target, name, place)
            place += len(array)


class StructureRows:
    """Contiguous structures of one type, whose members are set by array operations.

    Parameters
    ----------
    library
        A library; all libraries share its structures.
    kind
        Name of the type; the members to be set have eight bytes.
    count
        Number of structures.
    like
        Initial value of each structure; zero by default.

    Attributes
    ----------
    pointer
        Pointer to the first structure.
    """

    def __init__(self, library: Library, kind: str, count: int, like: Pointer | None = None) -> None:
        ffi = library.ffi
        self._library, self._ffi, self._kind, self._count = library, ffi, kind, count
        self.pointer = ffi.new(f"{kind}[]", max(count, 1))
        self._bytes = np.frombuffer(ffi.buffer(self.pointer), dtype=np.uint8).reshape(max(count, 1), -1)
        if like is not None:
            self._bytes[:] = np.frombuffer(ffi.buffer(like, self._bytes.shape[1]), dtype=np.uint8)
        self._held: list[NDArray[np.generic]] = []

    @classmethod
    def interleaved(cls, parts: Sequence[Self]) -> Self:
        """Interleave several groups of structures, which must outlive the result."""
        first = parts[0]
        found = cls(first._library, first._kind, len(parts) * first._count)
        found._bytes[: found._count] = np.stack([p._bytes[: first._count] for p in parts], axis=1).reshape(
            found._count, -1
        )
        return found

    def _place(self, name: str) -> NDArray[np.uint8]:
        begin = self._ffi.offsetof(self._kind, name)
        return self._bytes[: self._count, begin : begin + 8]

    def set(self, name: str, values: NDArray[np.int64] | NDArray[np.float64]) -> None:
        """Set a numeric member, shape (count,)."""
        self._place(name)[:] = np.ascontiguousarray(values)[:, None].view(np.uint8)

    def point(self, name: str, rows: NDArray[np.generic]) -> None:
        """Point a member of each structure to its row of an array, shape (count, …), copied unless contiguous."""
        self.place(name, np.ascontiguousarray(rows))

    def place(self, name: str, rows: NDArray[np.generic]) -> None:
        """Point a member of each structure to its row of an output array, shape (count, …)."""
        self._held.append(rows)
        begin, stride = np.uint64(rows.ctypes.data), np.uint64(rows.strides[0])
        addresses = begin + stride * np.arange(self._count, dtype=np.uint64)
        self._place(name)[:] = addresses[:, None].view(np.uint8)

    def point_to(self, name: str, others: StructureRows, each: int) -> None:
        """Point a member of each structure to a fixed number of other structures."""
        size = others._bytes.shape[1] * each
        first = np.uint64(int(self._ffi.cast("uintptr_t", others.pointer)))
        addresses = first + np.uint64(size) * np.arange(self._count, dtype=np.uint64)
        self._place(name)[:] = addresses[:, None].view(np.uint8)

    def integers(self, name: str) -> NDArray[np.int64]:
        """Copy an integer member of all structures, shape (count,)."""
        return np.ascontiguousarray(self._place(name)).view(np.int64)[:, 0]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Copy a floating-point member of all structures, shape (count,)."""
        return np.ascontiguousarray(self._place(name)).view(np.float64)[:, 0]
