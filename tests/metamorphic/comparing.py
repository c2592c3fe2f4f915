"""Results of a transformed model against those of the original."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tests import tolerances
from tests.metamorphic.building import Builder
from tests.metamorphic.draw import Source, draw
from tests.metamorphic.mechanism import Array, Mechanism
from tests.metamorphic.observing import Results, Way, observe
from tests.metamorphic.transformations import TRANSFORMATIONS, Transformation
from tests.metamorphic.writing import Writing

CHOSEN_AXES = ("displacement_x", "displacement_y")
"""Coordinates along axes of a joint that symlie chooses, whose signs and directions depend on the inertial frame."""


@dataclass
class Verdict:
    """Disagreements, and the largest relative difference of numbers that agree."""

    disagreements: list[str] = field(default_factory=list)
    worst: float = 0.0
    is_refused: bool = False


class Judge:
    """Compares transformations of one mechanism; results of the original are computed once for each way to run it."""

    def __init__(self, seed: int, mechanism: Mechanism | None = None) -> None:
        self.seed = seed
        self.mechanism = draw(seed) if mechanism is None else mechanism
        self._originals: dict[Way, Results] = {}

    def judge(self, name: str) -> Verdict:
        """The verdict on a transformation."""
        transformation = TRANSFORMATIONS[name]
        original = self._original(transformation.way)
        writing = transformation.writing(Source(f"{self.seed}:{name}"))
        found = observe(Builder(self.mechanism, writing, **transformation.coordinates), transformation.way)
        return compare(original, found, transformation)

    def _original(self, way: Way) -> Results:
        """Results of the mechanism as described, in the plainest way that gives the same numbers."""
        plain = Way(adaptive=way.adaptive)
        if plain not in self._originals:
            self._originals[plain] = observe(Builder(self.mechanism, Writing()), plain)
        return self._originals[plain]


def compare(original: Results, found: Results, transformation: Transformation) -> Verdict:
    """All differences."""
    verdict = Verdict(is_refused=bool(original.refusal))
    if original.refusal != found.refusal:
        verdict.disagreements.append(f"refusal: {original.refusal!r} became {found.refusal!r}")
    if original.warnings != found.warnings:
        verdict.disagreements.append(f"warnings: {original.warnings} became {found.warnings}")
    if verdict.disagreements or original.refusal:
        return verdict
    allowed = tolerances.METAMORPHIC_LIMIT if transformation.converges else tolerances.METAMORPHIC
    for name, expected in original.numbers.items():
        if transformation.is_turned and name.endswith(CHOSEN_AXES):
            continue
        difference = _difference(expected, found.numbers.get(name))
        verdict.worst = max(verdict.worst, difference if difference <= allowed else 0.0)
        if not difference <= allowed:
            verdict.disagreements.append(f"{name}: {difference:.2g}")
    return verdict


def _difference(expected: Array, found: Array | None) -> float:
    """The largest difference relative to the size of the quantity, at the times that both have."""
    if found is None or (found.shape[1:] != expected.shape[1:]):
        return np.inf
    if not expected.size:
        return 0.0 if not found.size else np.inf
    if len(found) > len(expected):
        return np.inf
    return float(np.abs(expected[-len(found) :] - found).max() / (1 + np.abs(expected).max()))
