"""Comparison of the results of a transformed model with the original."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

import symlie as sl
from tests import tolerances
from tests.metamorphic.building import Builder
from tests.metamorphic.draw import Source, draw
from tests.metamorphic.mechanism import Array, Mechanism
from tests.metamorphic.observing import Results, Way, masked, observe
from tests.metamorphic.resting import Rest, Statics
from tests.metamorphic.transformations import TRANSFORMATIONS, Transformation
from tests.metamorphic.writing import Writing

DEVIATING = "The last configuration of node NAME"
"""Beginning of the warning about runs whose steps are too long for the mechanism."""

CHOSEN_AXES = ("displacement_x", "displacement_y")
"""Coordinates along axes of a joint that symlie chooses, whose signs and directions depend on the inertial frame."""


@dataclass
class Verdict:
    """Disagreements, and the largest relative difference of numbers that agree."""

    disagreements: list[str] = field(default_factory=list)
    worst: float = 0.0
    is_refused: bool = False
    equilibria: str = ""
    """How equilibria compare: the same one, another one, found in one writing alone, none, or refused."""
    worst_at_rest: float = 0.0


class Judge:
    """Compares transformations of one mechanism; results of the original are computed once for each way to run it."""

    def __init__(self, seed: int, mechanism: Mechanism | None = None) -> None:
        self.seed = seed
        self.mechanism = draw(seed) if mechanism is None else mechanism
        self._originals: dict[Way, Results] = {}
        self._rest: Rest | None = None

    def judge(self, name: str, at_rest: bool = False) -> Verdict:
        """The verdict on a transformation, and on equilibria and their eigenvalues on request."""
        transformation = TRANSFORMATIONS[name]
        original = self._original(transformation.way)
        writing = transformation.writing(Source(f"{self.seed}:{name}"))
        found = observe(Builder(self.mechanism, writing, **transformation.coordinates), transformation.way)
        verdict = compare(original, found, transformation)
        if at_rest and not transformation.keeps_statics and original.statics is not None and found.statics is not None:
            plain = self._original(Way()).statics or original.statics
            compare_at_rest(plain, found.statics, self._at_rest(plain), verdict)
        return verdict

    def _at_rest(self, plain: Statics) -> Rest:
        """The equilibrium of the mechanism as described."""
        if self._rest is None:
            self._rest = plain.rest()
        return self._rest

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
    # Runs that left the constraints amplify rounding; both warn.
    if verdict.disagreements or original.refusal or DEVIATING in original.warnings:
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


def compare_at_rest(original: Statics, found: Statics, expected: Rest, verdict: Verdict) -> None:
    """Compare equilibria and eigenvalues.

    Searches may find different equilibria of one mechanism, or one in a family of neutral ones, and one may fail where
    another succeeds. So that each that is found must be one of the other writing as well, with the same eigenvalues.
    """
    rest = found.rest()
    for one, other in ((expected, rest), (rest, expected)):
        if one.error is not None and not isinstance(one.error, sl.errors.EquilibriumError):
            verdict.equilibria = "refused"
            same = type(other.error) is type(one.error) and masked(str(other.error)) == masked(str(one.error))
            if not same:
                verdict.disagreements.append(f"equilibrium: {expected.error!r} became {rest.error!r}"[:300])
            return
    if expected.place is not None:
        _compare_rests(expected, found.rest(expected.place), verdict)
    if rest.place is not None:
        _compare_rests(rest, original.rest(rest.place), verdict)
    if expected.place is not None and rest.place is not None:
        is_same = expected.place.distance(rest.place) <= tolerances.METAMORPHIC_LIMIT
        verdict.equilibria = "same" if is_same else "another"
    else:
        verdict.equilibria = "none" if expected.place is rest.place else "in one writing"


def _compare_rests(one: Rest, other: Rest, verdict: Verdict) -> None:
    """Compare an equilibrium with the one that the other writing finds from the same place."""
    assert one.place is not None
    if other.place is None:
        verdict.disagreements.append(f"equilibrium is lost: {other.error}"[:300])
        return
    distance = one.place.distance(other.place)
    scale = 1 + float(np.abs(one.eigenvalues).max(initial=0))
    known = one.accuracy.max(initial=0) + other.accuracy.max(initial=0)
    if len(one.eigenvalues) != len(other.eigenvalues):
        error = np.inf
    else:
        apart = np.abs(one.eigenvalues[:, None] - other.eigenvalues)
        error = max(0.0, float(apart[linear_sum_assignment(apart)].max(initial=0)) - known) / scale
    # Searches move along neutral directions by rounding errors over vanishing stiffness.
    is_neutral = np.any(np.abs(one.eigenvalues) <= one.accuracy)
    for name, value in (("place", 0.0 if is_neutral else distance), ("eigenvalues", error)):
        if value <= tolerances.METAMORPHIC_LIMIT:
            verdict.worst_at_rest = max(verdict.worst_at_rest, value)
        else:
            verdict.disagreements.append(f"equilibrium, {name}: {value:.2g}")
    if one.is_resolved and other.is_resolved and one.is_stable != other.is_stable:
        verdict.disagreements.append(f"stability: {one.is_stable} became {other.is_stable}")


def _difference(expected: Array, found: Array | None) -> float:
    """The largest difference relative to the size of the quantity, at the times that both have."""
    if found is None or (found.shape[1:] != expected.shape[1:]):
        return np.inf
    if not expected.size:
        return 0.0 if not found.size else np.inf
    if len(found) > len(expected):
        return np.inf
    return float(np.abs(expected[-len(found) :] - found).max() / (1 + np.abs(expected).max()))
