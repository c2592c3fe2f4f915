"""Random mechanisms give the same results in all units, frames, names, orders, coordinates, backends and files."""

from __future__ import annotations

import dataclasses

import pytest

from tests.metamorphic.building import Builder
from tests.metamorphic.comparing import Judge, compare
from tests.metamorphic.draw import draw
from tests.metamorphic.mechanism import Mechanism
from tests.metamorphic.observing import observe
from tests.metamorphic.run import applied, judged
from tests.metamorphic.transformations import TRANSFORMATIONS, Transformation
from tests.metamorphic.writing import Writing

QUICK = range(40)
SLOW = range(1000, 1040)


@pytest.mark.parametrize("seed", QUICK)
def test_mechanism_agrees_in_other_units_frame_names_and_order(seed: int) -> None:
    assert Judge(seed).judge("everything").disagreements == []


@pytest.mark.parametrize("name", [n for n in TRANSFORMATIONS if n != "everything"])
def test_transformation_keeps_results(name: str) -> None:
    assert Judge(13).judge(name).disagreements == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", SLOW)
def test_mechanism_agrees_under_all_transformations(seed: int) -> None:
    assert judged(seed)["disagreements"] == {}


def test_seeds_apply_all_transformations() -> None:
    assert {name for seed in QUICK for name in applied(seed)} == set(TRANSFORMATIONS)


def _is_free(drawn: Mechanism) -> bool:
    """Whether nothing restricts the first body, whose angular velocity is specified."""
    return not (drawn.mistake or drawn.joints or drawn.blades or drawn.pivots) and (
        drawn.bodies[0].angular_velocity is not None
    )


@pytest.mark.parametrize("change", ["mass", "position", "angular_velocity"])
def test_judge_detects_a_wrong_number(change: str) -> None:
    drawn = next(m for m in map(draw, range(100)) if _is_free(m))
    body = drawn.bodies[0]
    value = getattr(body, change)
    wrong = value * 1.001 if isinstance(value, float) else tuple(c * 1.001 for c in value)
    other = dataclasses.replace(drawn, bodies=[dataclasses.replace(body, **{change: wrong}), *drawn.bodies[1:]])
    original, found = (observe(Builder(m, Writing())) for m in (drawn, other))
    assert compare(original, found, Transformation()).disagreements
