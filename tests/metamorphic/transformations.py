"""Transformations of a model or of its run whose effect on every result is known exactly."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import symlie as sl
from tests.metamorphic.draw import Source
from tests.metamorphic.mechanism import rotation_matrix
from tests.metamorphic.observing import Way, run_at_once
from tests.metamorphic.writing import Writing

TIGHT = 1e-10
"""Tolerance of runs whose steps may differ."""


@dataclass(frozen=True)
class Transformation:
    """Another writing or another way to run a mechanism.

    Attributes
    ----------
    writing
        The writing, from a source of random numbers.
    way
        How the model is compiled and run.
    coordinates
        Options of all bodies.
    converges
        Whether results agree in the limit of small steps alone.
    is_turned
        Whether axes that symlie chooses across the axis of a joint differ.
    """

    writing: Callable[[Source], Writing] = lambda source: Writing()
    way: Way = field(default_factory=Way)
    coordinates: Mapping[str, Any] = field(default_factory=dict)
    converges: bool = False
    is_turned: bool = False

    @property
    def keeps_statics(self) -> bool:
        """Whether it concerns runs alone, so that equilibria are those of the original, to the bit."""
        return self.way.run is not run_at_once


def _frame(source: Source) -> Writing:
    return Writing(
        rotation=rotation_matrix(source.unit(), source.one(0.5, 2.5)), translation=np.array(source.vector(2))
    )


def _everything(source: Source) -> Writing:
    moved = _frame(source)
    return replace(
        moved, units=(1000.0, 1000.0, 1000.0), begin=source.one(1, 3), prefix="other_", order=1, elements=True
    )


def _cut(*fractions: float) -> Callable[[sl.System, dict[str, Any]], list[sl.Solution]]:
    """A run that is cut at fractions of its duration."""

    def run(system: sl.System, options: dict[str, Any]) -> list[sl.Solution]:
        begin, end = options["t_span"]
        parts: list[sl.Solution] = []
        for at in (*fractions, 1.0):
            start = {"start": parts[-1]} if parts else {}
            first = parts[-1].t[-1] if parts else begin
            parts.append(sl.solve(system, **options | {"t_span": (first, begin + at * (end - begin))}, **start))
        return parts

    return run


def _member(system: sl.System, options: dict[str, Any]) -> list[sl.Solution]:
    """The second of two members that differ in a parameter."""
    place, shape, _ = system.layout.parameters["gravity"]
    gravity = system.parameters[place].reshape(shape)
    members = sl.ensemble(system, parameters={"gravity": np.stack([0.9 * gravity, gravity])}, workers=1, **options)
    return [members.member(1)]


def _reloaded(suffix: str) -> Callable[[sl.System, dict[str, Any]], list[sl.Solution]]:
    """A solution that was written to a file."""

    def run(system: sl.System, options: dict[str, Any]) -> list[sl.Solution]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"solution{suffix}"
            sl.solve(system, **options).save(path)
            return [sl.load_solution(path, trust=True)]

    return run


TRANSFORMATIONS: dict[str, Transformation] = {
    "metres to millimetres": Transformation(lambda source: Writing(units=(1.0, 1000.0, 1.0))),
    "seconds to milliseconds": Transformation(lambda source: Writing(units=(1.0, 1.0, 1000.0))),
    "kilograms to grams": Transformation(lambda source: Writing(units=(1000.0, 1.0, 1.0))),
    "all units": Transformation(lambda source: Writing(units=(1000.0, 1000.0, 1000.0))),
    "inertial frame": Transformation(_frame, is_turned=True),
    "names": Transformation(lambda source: Writing(prefix="z_")),
    "order of statements": Transformation(lambda source: Writing(order=source.random.randint(0, 99))),
    "element types": Transformation(lambda source: Writing(elements=True)),
    "origin of time": Transformation(lambda source: Writing(begin=source.one(1, 3))),
    "everything": Transformation(_everything, is_turned=True),
    "frozen parameters": Transformation(way=Way(freeze="all")),
    "NumPy": Transformation(way=Way(backend="numpy")),
    "cut in two": Transformation(way=Way(_cut(0.3), adaptive=TIGHT), converges=True),
    "cut in three": Transformation(way=Way(_cut(0.2, 0.35), adaptive=TIGHT), converges=True),
    "member of an ensemble": Transformation(way=Way(_member)),
    "reloaded from npz": Transformation(way=Way(_reloaded(".npz"))),
    "reloaded from netCDF": Transformation(way=Way(_reloaded(".nc"))),
    "adaptive steps": Transformation(_everything, Way(adaptive=TIGHT), converges=True, is_turned=True),
    "SE3": Transformation(way=Way(adaptive=TIGHT), coordinates={"group": "SE3"}, converges=True),
    "Euler parameters": Transformation(
        way=Way(adaptive=TIGHT), coordinates={"coordinates": "euler_parameters"}, converges=True
    ),
    "rotation vectors": Transformation(
        way=Way(adaptive=TIGHT), converges=True,
        coordinates={"coordinates": "rotation_vector", "form": "parameter_rates"},
    ),
}  # fmt: skip
"""All transformations by name."""
