"""Ensembles of four models, and a program that runs them and prints hashes of their results.

python -m tests.distributed.sweeps FOLDER COUNT NAME… [--store FOLDER] [--mpi | --scheduler-file FILE] [--chunk N]
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import symlie as sl
from symlie.ensembles import dispatch
from symlie.models import flying_spaghetti, heavy_top, pendulum_chain, quadrotors
from symlie.runtime.system.system import System


@dataclass(frozen=True)
class Sweep:
    """An ensemble: a model, and which parameter its members differ in."""

    model: Callable[[], sl.Model]
    parameter: str
    spread: tuple[float, float]
    t_end: float
    h: float
    record: tuple[str, ...]

    def system(self, backend: str = "c") -> System:
        """The system of all members."""
        return self.model().derive().compile(backend=backend)

    def values(self, count: int) -> np.ndarray:
        """Values of the parameter; values of the first members do not depend on the number of members."""
        return np.random.default_rng(0).uniform(*self.spread, count)

    def run(self, system: System, count: int, **words: Any) -> sl.Ensemble:
        """The ensemble, with further words."""
        return sl.ensemble(
            system,
            self.t_end,
            parameters={self.parameter: self.values(count)},
            record=self.record,
            **self.words,
            **words,
        )

    @property
    def words(self) -> dict[str, Any]:
        """Arguments of `solve`."""
        return {"h": self.h, "t_eval": np.linspace(0, self.t_end, 5)}


SWEEPS = {
    "heavy_top": Sweep(lambda: heavy_top.build("SE3"), "mass", (10, 20), 0.25, 2.0**-10, ("center_of_mass", "top")),
    "flying_spaghetti": Sweep(
        flying_spaghetti.build, "bending_stiffness", (300, 700), 0.0625, 2.0**-9, ("linear_momentum", "rod")
    ),
    "pendulum_chain": Sweep(lambda: pendulum_chain.build(64), "gravity", (5, 15), 0.125, 2.0**-7, ("energy", "links")),
    "quadrotors": Sweep(
        lambda: quadrotors.build("tracking"), "load_mass", (0.3, 0.5), 0.0625, 2.0**-9, ("load", "quadrotors")
    ),
}


def digest(result: sl.Ensemble) -> str:
    """A hash of all that does not depend on the machine's speed."""
    found = hashlib.sha256()
    for name, values in result.arrays.items():
        if name != "cpu_seconds":
            found.update(
                name.encode() + (repr(values.tolist()).encode() if values.dtype == object else values.tobytes())
            )
    return found.hexdigest()


@contextlib.contextmanager
def executor_of(arguments: argparse.Namespace) -> Iterator[object]:
    """The selected executor."""
    if arguments.mpi:
        from mpi4py.futures import MPIPoolExecutor

        with MPIPoolExecutor() as pool:
            yield pool
    elif arguments.scheduler_file:
        from distributed import Client

        with Client(scheduler_file=arguments.scheduler_file) as client:
            yield client
    else:
        yield None


def main() -> None:
    """Print a name and a hash for each ensemble."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("systems", type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("names", nargs="+", choices=SWEEPS)
    parser.add_argument("--store")
    parser.add_argument("--mpi", action="store_true")
    parser.add_argument("--scheduler-file")
    parser.add_argument("--chunk", type=int, default=dispatch.LARGEST_CHUNK)
    arguments = parser.parse_args()
    dispatch.LARGEST_CHUNK = arguments.chunk
    with executor_of(arguments) as executor:
        for name in arguments.names:
            system = pickle.loads((arguments.systems / f"{name}.pickle").read_bytes())
            result = SWEEPS[name].run(system, arguments.count, executor=executor, store=arguments.store)
            print(name, digest(result), flush=True)


if __name__ == "__main__":
    main()
