"""Preload for a worker of Dask with another version of symlie."""

from tests.distributed.hostile import be_of_another_version

be_of_another_version()
