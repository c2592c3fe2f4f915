"""Pickled systems: the generated code of a record and the values of one system.

Pickles contain neither libraries nor functions of the model. Unpickling loads the code with the compiler and the cache
of the local machine; fields are computed from initial quantities before pickling. Systems with the same code share one
`Code`, so that a pickle of many systems contains the text once, and a process loads it once. The last `MOST_LOADED`
models stay loaded, because workers receive the same model repeatedly without using it in between.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import pickle
import threading
import weakref
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symlie.contract.attached_shapes import FILE as SHAPES
from symlie.errors import FormatError, SymlieError
from symlie.runtime.kernels.sets import KernelSets
from symlie.runtime.kernels.unloaded import UnloadedSets
from symlie.runtime.system.initial_values import InitialValues
from symlie.runtime.system.record import code_record, model_hash, system_of_code
from symlie.runtime.system.system import System
from symlie.runtime.system.values import OF_CODE, OF_MODEL
from symlie.utilities.reading import brief, reading
from symlie.version import VERSION

MOST_LOADED = 16
"""Number of unpickled models that stay loaded."""

Sealed = tuple[str, int, bytes]
"""Version of symlie, checksum of the pickle, and the pickle."""


def sealed(content: object) -> Sealed:
    """Pickle content with its version and checksum."""
    data = pickle.dumps(content, protocol=5)
    return VERSION, zlib.crc32(data), data


def opened(what: str, version: str, checksum: int, data: bytes) -> Any:
    """Return sealed content, or raise FormatError if another version pickled it or it is damaged."""
    with reading(f"The pickle of {what}"):
        if version != VERSION:
            raise FormatError(
                f"This pickle of {what} was written by symlie {brief(version)}; this is symlie {VERSION}, "
                "which reads only "
                "pickles of the same version: use the same version on both sides, or pickle it again."
            )
        if zlib.crc32(data) != checksum:
            raise FormatError(f"This pickle of {what}, of symlie {VERSION} as is this one, is damaged; send it again.")
        return pickle.loads(data)


@dataclass(frozen=True)
class Code:
    """Pickled generated code; equal codes may share one loaded system."""

    identity: tuple[str, str, str, str, bool]
    """Hash of the model, its shapes, the backend, the value of ``optimize``, and True if the code may be run."""
    sets: tuple[str, ...] = field(compare=False)
    """Files of additional kernel sets that are present."""
    text: bytes = field(compare=False)
    """Compressed `code_record`."""

    def __reduce__(self) -> tuple[Callable[..., Code], Sealed]:
        return _code, sealed((self.identity, self.sets, self.text))


def _code(version: str, checksum: int, data: bytes) -> Code:
    return Code(*opened("a system", version, checksum, data))


_codes: weakref.WeakKeyDictionary[KernelSets, Code] = weakref.WeakKeyDictionary()
"""Codes by the kernel sets, which all copies of a system share."""


def _code_of(system: System) -> Code:
    sets = tuple(system.sets.present_files)
    known = _codes.get(system.sets)
    if known is None or known.sets != sets:
        is_run = not isinstance(system.sets, UnloadedSets)
        identity = model_hash(system), system.files.get(SHAPES, ""), system.backend, system.optimize, is_run
        known = Code(identity, sets, zlib.compress(json.dumps(code_record(system)).encode()))
        _codes[system.sets] = known
    return known


@functools.lru_cache(maxsize=MOST_LOADED)
def _loaded(code: Code) -> tuple[System, dict[str, str]]:
    """Return a system with the values of its model, and the files of its kernel sets."""
    record = json.loads(zlib.decompress(code.text))
    system, files = system_of_code(**record, run_code=code.identity[-1]), dict(record["files"])
    return dataclasses.replace(system, sets=dataclasses.replace(system.sets, known=files)), files


_loading = threading.Lock()


def _system_of(code: Code) -> System:
    with _loading:
        system, files = _loaded(code)
        if not files.keys() >= set(code.sets):
            files.update(json.loads(zlib.decompress(code.text))["files"])
    return system


@dataclass(frozen=True, eq=False)
class Refusal:
    """Recorded error of a model that rejects specific initial values; without the model, other values are not
    checked."""

    error: SymlieError
    values: InitialValues

    def __call__(self, values: InitialValues) -> None:
        """Raise the recorded error for the same initial values."""
        if values.keys() == self.values.keys() and all(np.array_equal(values[k], v) for k, v in self.values.items()):
            raise self.error.with_traceback(None)


def _refusal(system: System, values: InitialValues) -> Refusal | None:
    try:
        if system.branch_check is not None and values:
            system.branch_check(values)
    except SymlieError as error:
        return Refusal(error, values)
    return None


def pickled_system(system: System) -> tuple[Callable[..., System], tuple[object, ...]]:
    """Return the function and arguments that pickle requires of a system."""
    names = [f.name for f in dataclasses.fields(system) if f.name not in (*OF_CODE, *OF_MODEL)]
    values, start = {name: getattr(system, name) for name in names}, dict(system.initial_fields)
    values |= {"initial_values": start, "branch_check": _refusal(system, start)}
    return _system, (_code_of(system), *sealed(values))


def _system(code: Code, version: str, checksum: int, data: bytes) -> System:
    return dataclasses.replace(_system_of(code), **opened("a system", version, checksum, data))
