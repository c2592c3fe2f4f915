"""Serialisation of chunks: bytes that only the integrating function of a worker unpickles.

The common part of all chunks of an ensemble is pickled once, and unpickled once by each worker. A scheduler only passes
bytes on, and failures to unpickle them, such as a different version or a missing compiler, are exceptions of the chunk
and do not end its worker. Each chunk contains all bytes, so none depends on a worker that stores them for others.
"""

from __future__ import annotations

import functools
from dataclasses import replace

from symlie.ensembles.results import MemberResults
from symlie.ensembles.tasks import MemberTask, run_chunk
from symlie.runtime.system.pickling import Sealed, opened, sealed

MOST_OPEN = 4
"""Number of ensembles whose common part a worker caches."""


class Sealer:
    """Serialises chunks of one task, and their common part once."""

    def __init__(self) -> None:
        self._common: Sealed | None = None

    def __call__(self, task: MemberTask) -> tuple[Sealed, Sealed]:
        """Return the arguments of `run_sealed` for a chunk."""
        if self._common is None:
            self._common = sealed(task.part(0, 0))
        return self._common, sealed(task.design.differences())


@functools.lru_cache(maxsize=MOST_OPEN)
def _common(version: str, checksum: int, data: bytes) -> MemberTask:
    task: MemberTask = opened("an ensemble", version, checksum, data)
    return task


def run_sealed(common: Sealed, members: Sealed) -> MemberResults:
    """Integrate the members of a serialised chunk, or raise `FormatError` for a different version of symlie."""
    task = _common(*common)
    return run_chunk(task.of(replace(task.design, **opened("members", *members))))
