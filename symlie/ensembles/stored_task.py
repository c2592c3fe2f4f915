"""What was done with the members of an ensemble, beside their results, so that each can be integrated again.

It is a pickle: reading it can run any code, so that it is read only with the consent of the user. Results are read
without it.
"""

from __future__ import annotations

import pickle
from pathlib import Path

from symlie.ensembles.store import TASK, durable
from symlie.ensembles.tasks import MemberTask
from symlie.errors import FormatError
from symlie.reading import reading
from symlie.runtime.system.pickling import opened, sealed
from symlie.trust import check_trust

_NOT_PICKLED = (AttributeError, TypeError, pickle.PicklingError)
"""What functions raise that can not be found by their name."""


def write_task(folder: Path, task: MemberTask) -> None:
    """Write what is done with members; not where a method is a function that has no name.

    Parameters
    ----------
    folder
        The store.
    task
        What is done.
    """
    whole = task.part(0, len(task.design))
    try:
        content = pickle.dumps(sealed(whole))
    except _NOT_PICKLED:
        return
    with durable(folder / TASK) as file:
        file.write_bytes(content)


def read_task(folder: Path, *, trust: bool) -> MemberTask:
    """What was done with members; reading it runs code.

    Parameters
    ----------
    folder
        The store.
    trust
        Whether the user allowed it.

    Raises
    ------
    CodeNotLoadedError
        The user did not.
    FormatError
        It is not there, damaged, or of another version.
    """
    path = folder / TASK
    if not path.is_file():
        raise FormatError(
            f"The store {folder} has results alone, and no {TASK}, so its members can not be integrated again: its "
            "method is a function that can not be pickled."
        )
    check_trust(f"The store {folder}", "integrate its members again", trust=trust)
    with reading(path):
        try:
            version, checksum, data = pickle.loads(path.read_bytes())
        except pickle.UnpicklingError as error:
            raise FormatError(f"{path} is damaged ({error}).") from error
        found: MemberTask = opened("an ensemble", version, checksum, data)
    return found
