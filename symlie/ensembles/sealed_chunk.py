"""Chunks as they travel to workers: bytes that are opened by the function that integrates them.

What all chunks of an ensemble have in common is pickled once, and opened once by a worker. Nothing in between reads it:
a scheduler passes bytes on, and what fails on opening them, such as another version or a missing compiler, is an
exception of the chunk and not the end of its worker. The bytes come with each chunk, so that none is lost with a worker
that kept them for others.
"""

from __future__ import annotations

import functools
from dataclasses import replace

from symlie.ensembles.results import MemberResults
from symlie.ensembles.tasks import MemberTask, run_chunk
from symlie.runtime.system.pickling import Sealed, opened, sealed

MOST_OPEN = 4
"""Ensembles whose common part a worker keeps."""


class Sealer:
    """Seals chunks of one task; what they have in common, once."""

    def __init__(self) -> None:
        self._common: Sealed | None = None

    def __call__(self, task: MemberTask) -> tuple[Sealed, Sealed]:
        """Arguments of `run_sealed`.

        Parameters
        ----------
        task
            A chunk.
        """
        if self._common is None:
            self._common = sealed(task.part(0, 0))
        return self._common, sealed(task.design.differences())


@functools.lru_cache(maxsize=MOST_OPEN)
def _common(version: str, checksum: int, data: bytes) -> MemberTask:
    task: MemberTask = opened("an ensemble", version, checksum, data)
    return task


def run_sealed(common: Sealed, members: Sealed) -> MemberResults:
    """Integrate the members of a chunk that has travelled.

    Parameters
    ----------
    common, members
        From a `Sealer`.

    Raises
    ------
    FormatError
        They are of another version of symlie.
    NoCompilerError
        This machine has no compiler.
    """
    task = _common(*common)
    return run_chunk(task.of(replace(task.design, **opened("members", *members))))
