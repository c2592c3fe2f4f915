"""Hostile workers: a member that kills the process integrating it, and another version of symlie.

The scheduler and workers of Dask take such modules as ``--preload``; pools of processes, as initializers.
"""

from __future__ import annotations

import os
import signal

from symlie.ensembles import sealed_chunk
from symlie.ensembles.results import MemberResults
from symlie.ensembles.tasks import MemberTask, run_chunk

DEADLY = 13.0
"""First parameter of the member that kills."""


def _deadly_chunk(task: MemberTask) -> MemberResults:
    if (task.design.parameters[:, 0] == DEADLY).any():
        os.kill(os.getpid(), signal.SIGKILL)
    return run_chunk(task)


def be_mortal() -> None:
    """From now on the deadly member kills this process."""
    sealed_chunk.run_chunk = _deadly_chunk


def be_of_another_version() -> None:
    """From now on this process has another version of symlie."""
    from symlie.runtime.system import pickling

    pickling.VERSION = "0.0.1"
