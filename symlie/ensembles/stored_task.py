"""Task of an ensemble in its store, from which single members can be integrated again.

The file is a pickle: reading it can run arbitrary code, so it is read only with the consent of the user. Reading
results does not need it.
"""

from __future__ import annotations

import pickle
from pathlib import Path

from symlie.ensembles.store import TASK, durable
from symlie.ensembles.tasks import MemberTask
from symlie.errors import FormatError
from symlie.runtime.system.pickling import opened, sealed
from symlie.utilities.reading import reading
from symlie.utilities.trust import check_trust

_NOT_PICKLED = (AttributeError, TypeError, pickle.PicklingError)
"""Exceptions for functions that cannot be pickled by name."""


def write_task(folder: Path, task: MemberTask) -> None:
    """Write the task of the members, unless its method is a function that cannot be pickled."""
    whole = task.part(0, len(task.design))
    try:
        content = pickle.dumps(sealed(whole))
    except _NOT_PICKLED:
        return
    with durable(folder / TASK) as file:
        file.write_bytes(content)


def read_task(folder: Path, *, trust: bool) -> MemberTask:
    """Read the task of the members, which runs code; raise `CodeNotLoadedError` without consent."""
    path = folder / TASK
    if not path.is_file():
        raise FormatError(
            f"The store {folder} contains only results and no {TASK}, so its members cannot be integrated again: its "
            "method is a function that cannot be pickled."
        )
    check_trust(f"The store {folder}", "integrate its members again", trust=trust)
    with reading(path):
        try:
            version, checksum, data = pickle.loads(path.read_bytes())
        except pickle.UnpicklingError as error:
            raise FormatError(f"{path} is damaged ({error}).") from error
        found: MemberTask = opened("an ensemble", version, checksum, data)
    return found
