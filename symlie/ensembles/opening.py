"""`open_ensemble`: an ensemble from its store alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from symlie.ensembles.outcome import Ensemble
from symlie.ensembles.store import open_store
from symlie.ensembles.store_index import INDEX
from symlie.reading import reading


def open_ensemble(folder: str | Path, *, trust: bool = False) -> Ensemble:
    """An ensemble from its store; members that are not done have NaN, and may be written meanwhile.

    Arrays, the dataset and `Ensemble.on_group` of nodes on standard groups run no code of the store. Members are
    integrated again, by `Ensemble.member` and `Ensemble.view`, with the code that the store holds.

    Parameters
    ----------
    folder
        The store.
    trust
        True allows to unpickle and run the code in the store; without it, methods that need the code raise a
        `CodeNotLoadedError`.

    Returns
    -------
    Ensemble
        The results so far.

    Raises
    ------
    FormatError
        It is no store, damaged, or of another format.
    MissingDependencyError
        Without the package netCDF4.
    """
    store = open_store(folder)
    with reading(store.folder / INDEX):
        settings = store.index.settings
        model, stated = settings["model"], settings["shape"]
        if not (isinstance(model, str) and isinstance(stated, dict)):
            raise TypeError("it has no name of a model or no shape")
        shape = {str(name): int(length) for name, length in stated.items()}
    times = np.zeros(0) if store.times is None else store.times
    return Ensemble(model, store.index.quantities, store, store.given, shape, times, store.folder, trust=trust)
