"""Random mechanisms give the same results in all units, frames, names, orders, coordinates, backends and files."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np
import pytest

import symlie as sl
from tests.metamorphic.building import Builder
from tests.metamorphic.comparing import Judge, Verdict, compare, compare_at_rest
from tests.metamorphic.draw import draw
from tests.metamorphic.drawing import drawn as drawn_in
from tests.metamorphic.mechanism import Mechanism
from tests.metamorphic.observing import observe
from tests.metamorphic.run import applied, judged
from tests.metamorphic.transformations import TRANSFORMATIONS, Transformation
from tests.metamorphic.writing import Writing

WEIGHTS = {"rods": 5, "filters": 2, "strings": 2, "knots": 2}
"""Costs of statements relative to those of others."""


def _quick_seeds(count: int, among: range) -> list[int]:
    """Return the seeds of the simplest mechanisms, at least two with each kind of statement."""
    drawn = {seed: draw(seed) for seed in among}
    kinds = [f.name for f in dataclasses.fields(Mechanism) if f.default_factory is list]
    seeds = sorted(among, key=lambda seed: sum(WEIGHTS.get(k, 1) * len(getattr(drawn[seed], k)) for k in kinds))
    chosen = dict.fromkeys(seed for kind in kinds for seed in [s for s in seeds if getattr(drawn[s], kind)][:2])
    return list(dict.fromkeys([*chosen, *seeds]))[:count]


QUICK = _quick_seeds(40, range(120))
SLOW = range(1000, 1040)

FOUND = {
    622: "everything",
    737: "everything",
    1015: "everything",
    1072: "SE3",
    1363: "everything",
}
"""Mechanisms that revealed defects, with the transformation: 622, constraint equations of a model eliminated with a
body on which they do not act; 737, multipliers shortly after a step; 1015, a zero row of a nonholonomic constraint;
1072, work of a reaction taken for an error in energy; 1363, a large deviation from the constraints without warning."""

SEEDS_AT_REST = (13, 16, 19)
"""Small mechanisms whose equilibria are compared in quick tests."""

AT_REST = ("seconds to milliseconds", "Euler parameters")
"""Transformations under which equilibria of one mechanism are compared in quick tests."""


@cache
def _judge() -> Judge:
    """Of a small mechanism that has an equilibrium; results of the original are shared."""
    return Judge(13)


@pytest.mark.parametrize("seed", QUICK)
def test_mechanism_agrees_in_other_units_frame_names_and_order(seed: int) -> None:
    assert Judge(seed).judge("everything", at_rest=seed in SEEDS_AT_REST).disagreements == []


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "name"), FOUND.items())
def test_mechanism_that_disagreed_agrees(seed: int, name: str) -> None:
    assert Judge(seed).judge(name, at_rest=True).disagreements == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in TRANSFORMATIONS if n != "everything"])
def test_transformation_preserves_results(name: str) -> None:
    verdict = _judge().judge(name, at_rest=name in AT_REST)
    assert verdict.disagreements == []
    assert verdict.equilibria == ("same" if name in AT_REST else "")


@pytest.mark.slow
@pytest.mark.parametrize("seed", SLOW)
def test_mechanism_agrees_under_all_transformations(seed: int) -> None:
    assert judged(seed)["disagreements"] == {}


def test_seeds_apply_all_transformations() -> None:
    assert {name for seed in QUICK for name in applied(seed)} == set(TRANSFORMATIONS)


def test_all_model_types_are_drawn() -> None:
    lists = [f.name for f in dataclasses.fields(Mechanism) if f.default_factory is list]
    drawn = [draw(seed) for seed in range(500)]
    assert all(sum(bool(getattr(m, name)) for m in drawn) >= 20 for name in lists)
    assert sum(any(rod.corner for rod in m.rods) for m in drawn) >= 20


def _is_free(drawn: Mechanism) -> bool:
    """Whether nothing restricts the first body, whose angular velocity is specified."""
    return not (drawn.mistake or drawn.joints or drawn.blades or drawn.pivots) and (
        drawn.bodies[0].angular_velocity is not None
    )


@pytest.mark.slow
@pytest.mark.parametrize("change", ["mass", "position", "angular_velocity"])
def test_judge_detects_a_wrong_number(change: str) -> None:
    drawn = next(m for m in map(draw, range(100)) if _is_free(m))
    body = drawn.bodies[0]
    value = getattr(body, change)
    wrong = value * 1.001 if isinstance(value, float) else tuple(c * 1.001 for c in value)
    other = dataclasses.replace(drawn, bodies=[dataclasses.replace(body, **{change: wrong}), *drawn.bodies[1:]])
    original, found = (observe(Builder(m, Writing())) for m in (drawn, other))
    assert compare(original, found, Transformation()).disagreements


def test_judge_detects_a_wrong_equilibrium() -> None:
    drawn = _judge().mechanism
    heavier = dataclasses.replace(drawn, gravity=(*drawn.gravity[:2], 1.001 * drawn.gravity[2]))
    original, found = (observe(Builder(m, Writing())).statics for m in (drawn, heavier))
    assert original is not None and found is not None
    compare_at_rest(original, found, original.rest(), verdict := Verdict())
    assert {text.split(":")[0] for text in verdict.disagreements} == {"equilibrium, place", "equilibrium, eigenvalues"}


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e7])
def test_recorded_figures_are_read(offset: float) -> None:
    """Values, those less their mean, and relative changes."""
    model = sl.Model("point")
    p = model.node("p", "R3")
    model.kinetic_energy(p.x_dot.dot(p.x_dot) / 2)
    model.initial(p, x=[offset, 1, 2], x_dot=[3, 2, 1])
    model.output("place", p.x)
    model.event("half", p.x[2] - 2.5, terminal=False)
    solution = sl.solve(model.derive().compile(backend="numpy"), 1, h=0.1)
    times, (place,), events = drawn_in(solution, ["place"])
    np.testing.assert_allclose(place, np.array([offset, 1, 2]) + np.outer(times, [3, 2, 1]), rtol=1e-12)
    np.testing.assert_allclose(events, [0.5], rtol=1e-12)
