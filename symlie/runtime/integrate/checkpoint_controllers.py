"""Controllers in checkpoints: their pickled state, and the history of the inputs that they write."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Sequence

import numpy as np

from symlie.errors import FormatError
from symlie.runtime.integrate.checkpoint_content import CONTROLLERS, HISTORY, chunk
from symlie.runtime.integrate.simulation.sampled import Sampled
from symlie.runtime.integrate.simulation.sampling import Sampling, SavedSampling
from symlie.runtime.integrate.simulation.simulator_inputs import HeldValues
from symlie.runtime.system.system import System
from symlie.utilities.reading import brief

_VALUE = struct.Struct("<QQd")
"""Index of an input, number of its components and time, followed by the components."""


class ControllerRecords:
    """Records of controllers since the last checkpoint.

    Parameters
    ----------
    sampling
        The controllers.
    is_resumed
        True if the history so far is in the file.
    """

    def __init__(self, sampling: Sampling, *, is_resumed: bool = False) -> None:
        self._sampling = sampling
        self._written = {name: len(values) if is_resumed else 0 for name, values in sampling.held.history.items()}

    def new(self) -> bytes:
        """Return the new records; raise ModelError if a controller cannot be pickled."""
        rows = []
        for k, (name, values) in enumerate(self._sampling.held.history.items()):
            for t, value in [*values.items()][self._written[name] :]:
                rows.append(_VALUE.pack(k, len(value), t) + value.astype("<f8").tobytes())
        found = chunk(HISTORY, b"".join(rows)) + chunk(CONTROLLERS, self._sampling.pickled())
        self._written = {name: len(values) for name, values in self._sampling.held.history.items()}
        return found


def recorded_sampling(system: System, names: Sequence[str], chunks: Sequence[tuple[bytes, bytes]]) -> Sampling:
    """Return the controllers of a checkpoint, which runs code of the file, and the inputs that they write.

    Raises
    ------
    FormatError
        If the pickle of the controllers cannot be loaded, for example because their module is missing.
    """
    try:
        saved = pickle.loads([data for kind, data in chunks if kind == CONTROLLERS][-1])
    except Exception as error:
        raise FormatError(
            f"The controllers of the checkpoint cannot be loaded ({brief(error)}); resume it where their modules can "
            "be imported."
        ) from error
    if not isinstance(saved, SavedSampling) or not all(isinstance(each, Sampled) for each in saved.controllers):
        raise ValueError("the controllers have another type")
    held = HeldValues(system, names)
    held.begin(saved.start)
    for data in (data for kind, data in chunks if kind == HISTORY):
        position = 0
        while position < len(data):
            k, size, t = _VALUE.unpack_from(data, position)
            position += _VALUE.size
            held.set(names[k], np.frombuffer(data, "<f8", size, position))
            position += 8 * size
            held.keep(names[k], t)
    sampling = Sampling(held, saved.controllers, saved.start)
    sampling.put(saved)
    return sampling
