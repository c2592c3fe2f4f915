"""`open_ensemble`: read an ensemble from its store."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from symlie.ensembles.outcome import Ensemble
from symlie.ensembles.store import open_store
from symlie.ensembles.store_index import INDEX
from symlie.utilities.reading import reading


def open_ensemble(folder: str | Path, *, trust: bool = False) -> Ensemble:
    """Open the store of a finished, interrupted or running ensemble.

    Members that are not finished have NaN and the status ``NOT_RUN``. Arrays, the dataset, and `Ensemble.on_group` of
    nodes on standard groups require no code from the store. `Ensemble.member` and `Ensemble.view` integrate members
    again with the code in the store.

    Parameters
    ----------
    folder
        The store.
    trust
        True: permit unpickling and running the code in the store. Otherwise methods that require it raise a
        `CodeNotLoadedError`.

    Returns
    -------
    Ensemble
        The results so far.

    Raises
    ------
    FormatError
        If the folder is not a store, is damaged, or has a different format.
    MissingDependencyError
        If neither netCDF4 nor h5netcdf is installed.
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
