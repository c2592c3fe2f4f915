"""Members in SIMD lanes with steps by series are bit-identical to sequential ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.ensembles.results import MemberStatus
from symlie.errors import ModelError
from symlie.models import flying_spaghetti, free_rigid_body, heavy_top
from symlie.runtime.system.system import System
from tests.ensembles.test_ensemble import same
from tests.systems import heavy_top_system, polar_model

LANES = 4
COUNT = 11
"""Members that do not fill the lanes of their last steps."""


def driven() -> sl.Model:
    """A pendulum under a pivot that moves, with elementary functions and a load."""
    model = sl.Model("driven")
    mass = model.parameter("mass", 2.0)
    q = model.node("bead", "R2")
    model.kinetic_energy(mass * q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(mass * 9.81 * q.x[1] + sl.exp(-q.x[0]) + sl.tanh(q.x[1] / 3))
    model.generalized_force(q, [sl.cos(5 * model.t), 0])
    pivot = sl.vector(sl.sin(3 * model.t) / 10, 0)
    model.constraint("rod", (q.x - pivot).dot(q.x - pivot) - 1)
    model.initial(q, x=[0, -1], x_dot=[1.5, 0])
    return model


MODELS: dict[str, Callable[[], sl.Model]] = {
    "space": lambda: heavy_top.build("S3xR3", constraint_frame="space"),
    "angles": lambda: heavy_top.build(coordinates="euler_angles", form="angular_velocity"),
    "momenta": lambda: heavy_top.build(formulation="TSO3"),
    "body": free_rigid_body.build,
    "polar": polar_model,
    "driven": driven,
}


@functools.cache
def system_of(name: str) -> System:
    """A model on a group, with momenta, with M(q), or moved by functions of time."""
    if name in MODELS:
        return MODELS[name]().derive().compile(backend="c")
    return heavy_top_system(name)


RUNS: list[tuple[str, str, dict[str, Any]]] = [
    ("S3", "mass", {"rtol": 1e-9}),
    ("S3", "mass", {"h": 2.0**-7}),
    ("S3", "gravity", {"rtol": 1e-6, "method_options": {"order": 10}}),
    ("S3xR3", "mass", {"rtol": 1e-8}),
    ("S3xR3", "lever", {"rtol": 2.3e-16, "atol": 2.3e-16}),
    ("space", "mass", {"rtol": 1e-9, "method_options": {"order": 36}}),
    ("space", "mass", {"h": 2.0**-6}),
    ("SE3", "inertia", {"rtol": 1e-7}),
    ("angles", "mass", {"rtol": 1e-7}),
    ("momenta", "mgl", {"rtol": 1e-8}),
    ("body", "inertia", {"rtol": 1e-7, "method_options": {"order": 7}}),
    ("polar", "mass", {"rtol": 1e-8}),
    ("driven", "mass", {"rtol": 1e-8}),
]


def both(system: System, t_end: float, **words: Any) -> tuple[sl.Ensemble, sl.Ensemble]:
    """Members alone, and in lanes."""
    alone, lanes = (sl.ensemble(system, t_end, method="taylor", lanes=n, **words) for n in (1, LANES))
    return alone, lanes


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameter", "words"), RUNS)
def test_series_lanes_are_bit_identical_to_members(name: str, parameter: str, words: dict[str, Any]) -> None:
    system = system_of(name)
    stated = system.parameters[system.layout.parameters[parameter][0]]
    values = stated * np.random.default_rng(1).uniform(0.8, 1.2, (COUNT, 1))
    alone, lanes = both(system, 0.125, parameters={parameter: values}, t_eval=[0.0, 0.03, 0.125], **words)
    assert (alone.arrays["status"] == MemberStatus.OK).all()
    assert same(alone, lanes)


@pytest.mark.parametrize("count", [1, LANES - 1, LANES, 2 * LANES + 1])
def test_results_are_independent_of_the_number_of_members(count: int) -> None:
    assert same(*both(heavy_top_system("S3"), 0.1, parameters={"mass": np.linspace(10, 20, count)}, rtol=1e-8))


@pytest.mark.parametrize("h0", [0.2, 0.1, 0.06])
def test_too_long_first_steps_are_shortened_per_lane(h0: float) -> None:
    """Each lane finds out for itself that its series does not reach so far, before it tries such a step; lanes that
    took the step begin the next one with another series than those that did not."""
    rates = np.array([[0, 0, s] for s in np.geomspace(0.1, 300, COUNT)])
    alone, lanes = both(heavy_top_system("S3"), 0.3, initial={"top": {"Omega": rates}}, rtol=1e-7, h0=h0)
    assert len(set(alone.arrays["steps"].tolist())) > 1
    assert (alone.arrays["rejected"] == 0).all()
    assert same(alone, lanes)


@pytest.mark.parametrize("words", [{"rtol": 1e-7}, {"h": 2.0**-7, "record_every": 0}, {"h": 0.007, "record_every": 0}])
def test_last_active_member_continues_alone(words: dict[str, Any]) -> None:
    """It continues alone, and other members fill the lanes."""
    rates = np.array([[0, s, 0] for s in (200.0, 1.0, 1.0, 1.0) * 3])
    assert same(*both(heavy_top_system("S3"), 0.25, initial={"top": {"Omega": rates}}, **words))


def test_fixed_steps_outside_the_series_radius_are_handled() -> None:
    """Steps that are too long for the series of fast members alone."""
    rates = np.array([[0, s, 0] for s in (1.0, 400.0, 20.0, 2000.0, 3.0)])
    alone, lanes = both(heavy_top_system("S3"), 0.5, initial={"top": {"Omega": rates}}, h=2.0**-4)
    assert {MemberStatus.OK, MemberStatus.FAILED} == set(alone.arrays["status"].tolist())
    assert same(alone, lanes)
    assert alone.arrays["sentence"].tolist() == lanes.arrays["sentence"].tolist()


def test_failed_member_does_not_affect_other_lanes() -> None:
    masses = np.full(COUNT, 15.0)
    masses[[2, 7]] = 1e300, np.nan
    alone, lanes = both(heavy_top_system("S3xR3"), 0.05, parameters={"mass": masses}, rtol=1e-8)
    assert same(alone, lanes)
    assert alone.arrays["sentence"].tolist() == lanes.arrays["sentence"].tolist()


def test_outputs_are_recorded_at_every_step() -> None:
    words = {"parameters": {"mass": np.linspace(10, 20, COUNT)}, "h": 2.0**-7, "record": ["top", "energy"]}
    assert same(*both(heavy_top_system("S3xR3"), 0.1, **words))


def jumping() -> sl.Model:
    """A force in two pieces."""
    model = sl.Model("jumping")
    stiffness = model.parameter("stiffness", 4.0)
    q = model.node("bead", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.force(sl.vector(-stiffness * sl.select(q.x[0], q.x[0], 2 * q.x[0])), at=q.x)
    model.initial(q, x=[1], x_dot=[0])
    return model


REFUSED = [
    (lambda: flying_spaghetti.build(segments=3), "load_values", "run-time topologies already use SIMD registers"),
    (jumping, "stiffness", "a piecewise law"),
]


@pytest.mark.parametrize(("build", "parameter", "why"), REFUSED)
def test_unsupported_series_are_rejected(build: Callable[[], sl.Model], parameter: str, why: str) -> None:
    system = build().derive().compile(backend="c")
    stated = system.parameters[system.layout.parameters[parameter][0]]
    with pytest.raises(ModelError, match=why):
        both(system, 0.01, parameters={parameter: [stated, stated]}, rtol=1e-6)
