"""Preload for a worker of Dask that the deadly member kills."""

from tests.distributed.hostile import be_mortal

be_mortal()
