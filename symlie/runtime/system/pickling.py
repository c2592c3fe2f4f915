"""Systems that travel: the generated code of a record, and the values of one system beside it.

Pickles hold neither libraries nor functions of the model: whoever unpickles loads the code, with the compiler and the
cache of that machine, and quantities that runs start from are computed before. Systems that share their code share one
`Code`, so that a pickle of many systems has the text once, and a process loads it once: the `MOST_LOADED` models that
were used last stay loaded, since workers receive the same one again and again, with nothing of it in use in between.
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
from symlie.reading import brief, reading
from symlie.runtime.kernels.sets import KernelSets
from symlie.runtime.kernels.unloaded import UnloadedSets
from symlie.runtime.system.initial_values import InitialValues
from symlie.runtime.system.record import code_record, model_hash, system_of_code
from symlie.runtime.system.system import System
from symlie.runtime.system.values import OF_CODE, OF_MODEL
from symlie.version import VERSION

MOST_LOADED = 16
"""Models that stay loaded after they were unpickled."""

Sealed = tuple[str, int, bytes]
"""The version that pickled something, the checksum of the pickle, and the pickle."""


def sealed(content: object) -> Sealed:
    """Pickle what is to be read by the same version, and only as it was written."""
    data = pickle.dumps(content, protocol=5)
    return VERSION, zlib.crc32(data), data


def opened(what: str, version: str, checksum: int, data: bytes) -> Any:
    """What was sealed.

    Raises
    ------
    FormatError
        Another version pickled it, or it is damaged.
    """
    with reading(f"The pickle of {what}"):
        if version != VERSION:
            raise FormatError(
                f"This pickle of {what} is of symlie {brief(version)}; this is symlie {VERSION}, which unpickles its "
                "own alone: have the same version on both sides, or pickle it again."
            )
        if zlib.crc32(data) != checksum:
            raise FormatError(f"This pickle of {what}, of symlie {VERSION} as is this one, is damaged; send it again.")
        return pickle.loads(data)


@dataclass(frozen=True)
class Code:
    """Generated code as it travels; equal where systems may share what was loaded."""

    identity: tuple[str, str, str, str, bool]
    """Hash of the model, its shapes, backend, optimize, and whether the code is run."""
    sets: tuple[str, ...] = field(compare=False)
    """Files of further sets of kernels that are there."""
    text: bytes = field(compare=False)
    """`code_record`, compressed."""

    def __reduce__(self) -> tuple[Callable[..., Code], Sealed]:
        return _code, sealed((self.identity, self.sets, self.text))


def _code(version: str, checksum: int, data: bytes) -> Code:
    return Code(*opened("a system", version, checksum, data))


_codes: weakref.WeakKeyDictionary[KernelSets, Code] = weakref.WeakKeyDictionary()
"""By what all copies of a system share."""


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
    """A system with the values of its model, and the files that its sets of kernels come from."""
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
    """The refusal of initial values by a model that is no longer at hand; of others nothing is known."""

    error: SymlieError
    values: InitialValues

    def __call__(self, values: InitialValues) -> None:
        """Refuse the same values.

        Parameters
        ----------
        values
            Initial values by node and field.
        """
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
    """What pickle asks of a system: a function and its arguments."""
    names = [f.name for f in dataclasses.fields(system) if f.name not in (*OF_CODE, *OF_MODEL)]
    values, start = {name: getattr(system, name) for name in names}, dict(system.initial_fields)
    values |= {"initial_values": start, "branch_check": _refusal(system, start)}
    return _system, (_code_of(system), *sealed(values))


def _system(code: Code, version: str, checksum: int, data: bytes) -> System:
    return dataclasses.replace(_system_of(code), **opened("a system", version, checksum, data))
