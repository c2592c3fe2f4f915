"""Start and mobility of minimal coordinates with dependent bodies, as for long chains, equal those of dense trees."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.elements.joints import minimal
from symlie.errors import InconsistentInitialValuesError, ModelError
from symlie.runtime.system.system import System
from tests import tolerances
from tests.joints.test_initial_velocities import POINTS, chain, five_bar, four_bar, start
from tests.joints.test_mobility import BRICARD, FLAT_FOUR_BAR, loop

STRAIGHT = [[0, 0], [1, 0], [2, 0], [3, 0]]
"""Pivots of a four-bar linkage in its singular position."""


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Patch that sets the largest number of velocities of dense trees."""
    return monkeypatch


def both_forms(model: sl.Model, limit: pytest.MonkeyPatch, backend: Any = "numpy") -> tuple[System, System]:
    """The dense tree and the form with dependent bodies."""
    systems = []
    for most in (1000, 0):
        limit.setattr(minimal, "MOST_VELOCITIES", most)
        systems.append(sl.minimal_coordinates(model).derive().compile(backend=backend))
    dense, long = systems
    assert not dense.layout.state_rates and long.layout.state_rates
    return dense, long


def names(notices: tuple[str, ...]) -> set[str]:
    """Names of completed velocities in warnings."""
    return {word for notice in notices for word in re.findall(r"\w+_\w*rate\b|velocity of \w+", notice)}


def starts_agree(model: sl.Model, limit: pytest.MonkeyPatch, outputs: str = r".*_(\w*rate|speed|x|Omega)") -> None:
    found = [start(system) for system in both_forms(model, limit)]
    (dense, first), (long, second) = found
    shared = [name for name in dense if name in long and re.fullmatch(outputs, name)]
    assert any(name.endswith("rate") for name in shared)
    for name in shared:
        assert np.abs(long[name] - dense[name]).max(initial=0.0) <= tolerances.NEAREST, name
    assert names(first) == names(second)


def mechanism(seed: int) -> sl.Model:
    """A random planar linkage on a table, with specified rates of joints and velocities of bodies."""
    draw = random.Random(f"long:{seed}")
    model = sl.Model("mechanism")
    base: Any = model.ground
    if draw.random() < 0.5:
        base = sl.RigidBody(model, "table", 20.0, 5.0, "SE2", position=[0.3, 0.2])
        bearing = sl.RevoluteJoint(model, "bearing", model.ground, base, at=[0.3, 0.2])
        if draw.random() < 0.5:
            model.initial(bearing, rate=draw.uniform(-3, 3))
    count, joints = draw.choice([3, 4, 5]), []
    shifts = [[draw.uniform(-0.2, 0.2) + 2 * (k // 5), draw.uniform(-0.2, 0.2)] for k in range(count + 1)]
    points = [POINTS[k % 5] + shift for k, shift in enumerate(shifts)]
    last, moving = base, draw.randrange(count) if draw.random() < 0.4 else None
    for k in range(count):
        given: dict[str, Any] = {"angular_velocity": draw.uniform(-2, 2)} if k == moving else {}
        middle = (points[k] + points[k + 1]) / 2
        bar = sl.RigidBody(model, f"bar{k}", 1.0 + k, 0.1 * (k + 1), "SE2", position=middle, **given)
        joints.append(sl.RevoluteJoint(model, f"J{k}", last, bar, at=points[k]))
        last = bar
    if draw.random() < 0.3:
        tip = sl.RigidBody(model, "tip", 0.5, 0.1, "SE2", position=points[count] + [0.3, 0.1])
        sl.PrismaticJoint(model, "slide", last, tip, at=points[count], axis=[draw.uniform(0.5, 1), 0.4])
    if count > 3 or draw.random() < 0.7:
        sl.RevoluteJoint(model, "close", last, base, at=points[count])
    if draw.random() < 0.6:
        model.initial(draw.choice(joints), rate=draw.uniform(-2, 2))
    return model


def one_start(system: System) -> Any:
    try:
        return start(system)
    except InconsistentInitialValuesError as error:
        return type(error)


def test_forced_long_form_completes_rates(limit: pytest.MonkeyPatch) -> None:
    """The rates of the five-bar linkage minimise the kinetic energy, and a warning names them."""
    starts_agree(five_bar(1.0)[0], limit)
    _, long = both_forms(five_bar(1.0)[0], limit)
    outputs, notices = start(long)
    assert outputs["J0_rate"] == pytest.approx(1.0, abs=tolerances.REDUCED)
    assert len(notices) == 1 and "J1_rate, J2_rate, J3_rate, J4_rate" in notices[0]
    at_rest, notices = start(both_forms(five_bar(1.0, spin=3.0, crank=None)[0], limit)[1])
    assert np.abs([at_rest[f"J{k}_rate"] for k in range(5)]).max() <= tolerances.REDUCED and not notices


def test_contradictory_rates_of_long_form_name_the_joint(limit: pytest.MonkeyPatch) -> None:
    _, long = both_forms(four_bar(6.0, D=1.0), limit)
    with pytest.raises(InconsistentInitialValuesError, match="rate of joint 'A'"):
        _ = long.initial_state
    right = long.with_initial("D", rate=-2.4)
    assert start(right)[0]["B_rate"] == pytest.approx(-7.2, rel=tolerances.REDUCED)


def arm(**fields: Any) -> sl.Model:
    """Three links of which the last has a specified angular velocity."""
    model = sl.Model("arm")
    last: Any = model.ground
    for k in range(3):
        given = {"angular_velocity": [0, 0, 2.0]} if k == 2 else {}
        body = sl.RigidBody(model, f"b{k}", 1.0, [0.1] * 3, position=[k + 0.5, 0.1 * k * k, 0], **given, **fields)
        joint = sl.RevoluteJoint(model, f"J{k}", last, body, at=[k, 0, 0], axis=[0, 0, 1])
        last = body
        if k == 1 and fields:
            model.initial(joint, rate=0.5)
    return model


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_given_velocities_of_bodies_hold_in_both_forms(limit: pytest.MonkeyPatch, backend: str) -> None:
    for system in both_forms(arm(), limit, backend):
        assert start(system)[0]["b2_Omega"] == pytest.approx([0, 0, 2.0], abs=tolerances.REDUCED)
        assert start(system.with_initial("J1", rate=0.5))[0]["J1_rate"] == pytest.approx(0.5, abs=tolerances.REDUCED)
        with pytest.warns(sl.SymlieWarning, match="J0_rate, J1_rate, J2_rate"):
            later = sl.solve(system, 0.1, h=0.01)
        again = start(system.with_state(later))[0]
        for k in range(3):
            assert again[f"J{k}_rate"] == pytest.approx(later.outputs[f"J{k}_rate"][-1], abs=tolerances.REDUCED)


def floating(node: tuple[float, float, float] = (0, 0, 0), *, is_given: bool = True, **given: Any) -> sl.Model:
    """Two free links with a hinge that is not perpendicular to the specified angular velocity of the first one."""
    model = sl.Model("floating")
    spin = {"angular_velocity": [1.0, 2.0, 3.0]} if is_given else {}
    first = sl.RigidBody(model, "first", 2.0, [0.1, 0.2, 0.3], reference=node, **spin)
    second = sl.RigidBody(model, "second", 1.0, [0.1, 0.2, 0.3], position=[1, 0, 0.5], **given)
    sl.RevoluteJoint(model, "hinge", first, second, at=[0.5, 0, 0], axis=[0, 0, 1])
    model.output("velocity", first.velocity_of([0, 0, 0]))
    model.output("momentum", 2.0 * first.velocity_of([0, 0, 0]) + second.velocity_of([0, 0, 0]))
    return model


@pytest.mark.parametrize("reference", [(0.0, 0.0, 0.0), (0.3, -0.2, 0.1)])
@pytest.mark.parametrize("backend", [pytest.param("c", marks=pytest.mark.slow), "numpy"])
def test_floating_bodies_start_like_bodies_with_joints(
    limit: pytest.MonkeyPatch, backend: Any, reference: tuple[float, float, float]
) -> None:
    """The node of the floating body, which need not be its centre of mass, is at rest, and the hinge is closed."""
    for rate in (None, 0.0):
        model = floating(reference)
        if rate is not None:
            model.initial(model.joints[0], rate=rate)
        for system in (model.derive().compile(backend=backend), *both_forms(model, limit, backend)):
            outputs, notices = start(system)
            assert outputs["velocity"] == pytest.approx(np.zeros(3), abs=tolerances.REDUCED)
            assert outputs["hinge_rate"] == pytest.approx(0.0, abs=tolerances.REDUCED)
            assert not notices


def test_specified_velocities_of_outboard_bodies_start_alike(limit: pytest.MonkeyPatch) -> None:
    """The floating body cannot be at rest, and the kinetic energy is least, regardless of the node of the body."""
    model = floating((0.3, -0.2, 0.1), is_given=False, velocity=[0, 1.0, 0], reference=[0.1, 0.2, 0.3])
    found = [start(s)[0] for s in (model.derive().compile(backend="numpy"), *both_forms(model, limit))]
    assert np.linalg.norm(found[0]["velocity"]) > 0.1
    for other in found[1:]:
        assert other["momentum"] == pytest.approx(found[0]["momentum"], abs=tolerances.NEAREST)
        assert other["hinge_rate"] == pytest.approx(0.0, abs=tolerances.REDUCED)


@pytest.mark.parametrize("is_early", [True, False])
def test_floating_tree_starts_from_the_body_that_is_not_carried(limit: pytest.MonkeyPatch, is_early: bool) -> None:
    """The first body of the chain is at rest, whichever of its joints is defined first."""
    model = sl.Model("chain")
    inertia = [0.1, 0.2, 0.25]
    bodies = [sl.RigidBody(model, f"b{k}", 1.0, inertia, position=[k, 0.1 * k * k, 0]) for k in range(3)]
    joints = {}
    for k in (0, 1) if is_early else (1, 0):
        joints[k] = sl.RevoluteJoint(model, f"J{k}", bodies[k], bodies[k + 1], at=[k + 0.5, 0, 0], axis=[0, 0.3, 1])
    model.initial(joints[1], rate=0.7)
    model.output("first", bodies[0].velocity_of([0, 0, 0]))
    for system in (model.derive().compile(backend="numpy"), *both_forms(model, limit)):
        outputs, _ = start(system)
        assert outputs["first"] == pytest.approx(np.zeros(3), abs=tolerances.REDUCED)
        assert [outputs["J0_rate"], outputs["J1_rate"]] == pytest.approx([0, 0.7], abs=tolerances.REDUCED)


def test_given_rate_holds_next_to_a_floating_body(limit: pytest.MonkeyPatch) -> None:
    """The guess that the node of the floating body is at rest satisfies all equations."""
    model = floating()
    model.initial(model.joints[0], rate=0.5)
    for system in (model.derive().compile(backend="numpy"), *both_forms(model, limit)):
        outputs, _ = start(system)
        assert outputs["hinge_rate"] == pytest.approx(0.5, abs=tolerances.REDUCED)
        assert outputs["momentum"] == pytest.approx([1.0, 2.75, -2.0], abs=tolerances.REDUCED)


def test_long_form_rejects_floating_bodies_with_parameter_rates(limit: pytest.MonkeyPatch) -> None:
    model = sl.Model("floating")
    hull = sl.RigidBody(model, "hull", 2.0, [0.1, 0.2, 0.3], coordinates="euler_parameters")
    arm = sl.RigidBody(model, "arm", 1.0, [0.1, 0.2, 0.3], position=[1, 0, 0])
    sl.RevoluteJoint(model, "hinge", hull, arm, at=[0.5, 0, 0], axis=[0, 0, 1])
    limit.setattr(minimal, "MOST_VELOCITIES", 0)
    with pytest.raises(ModelError, match=r"not from 'hull'.* whose velocity is the rate of rotation parameters"):
        sl.minimal_coordinates(model)


def test_long_form_rejects_bodies_on_free_rods(limit: pytest.MonkeyPatch) -> None:
    model = sl.Model("floating")
    rod = sl.CosseratRod(
        model, "rod", segments=1, length=1.0, stiffness=[1.0] * 6, inertia=[1.0] * 6, position=lambda s: (0, 0, s),
        orientation=sl.rotation(vector=[0, 0, 0]),
    )  # fmt: skip
    arm = sl.RigidBody(model, "arm", 1.0, [0.1, 0.2, 0.3], position=[0.5, 0, 1])
    sl.RevoluteJoint(model, "hinge", rod[-1], arm, at=[0, 0, 1], axis=[0, 0, 1])
    for most in (24, 0):
        limit.setattr(minimal, "MOST_VELOCITIES", most)
        with pytest.raises(ModelError, match=r"not from 'rod\[1\]', which is a node of an array"):
            sl.minimal_coordinates(model)


def test_contradictory_velocities_of_floating_bodies_are_rejected(limit: pytest.MonkeyPatch) -> None:
    for system in both_forms(floating(angular_velocity=[1.0, 1.0, 3.0]), limit):
        with pytest.raises(InconsistentInitialValuesError):
            _ = system.initial_state


@pytest.mark.slow
def test_compromise_is_independent_of_the_form(limit: pytest.MonkeyPatch) -> None:
    """No motion with zero open rates has both specified velocities; all formulations agree on the nearest one."""
    model = arm(group="SE3")
    others = [m.derive().compile(backend="numpy") for m in (model, arm(group="SO3xR3"))]
    found = [[start(s)[0][f"J{k}_rate"] for k in range(3)] for s in (*both_forms(model, limit), *others)]
    assert np.abs(np.array(found) - found[0]).max() <= tolerances.NEAREST
    assert found[0][1] == pytest.approx(0.5, abs=tolerances.REDUCED)


def test_initial_values_of_dependent_bodies_are_rejected(limit: pytest.MonkeyPatch) -> None:
    _, long = both_forms(arm(), limit)
    with pytest.raises(ModelError, match="Node 'b1' depends on other nodes, which determine its initial x"):
        long.with_initial("b1", x=[0, 0, 0])
    with pytest.raises(ModelError, match="Node 'b1' depends on other nodes"):
        sl.ensemble(long, 0.01, h=0.01, initial={"b1": {"x": [[0, 0, 0], [1, 0, 0]]}})
    moved = start(long.with_initial("b1", Omega=[0, 0, 1.0]))[0]
    assert moved["b1_Omega"] == pytest.approx([0, 0, 1.0], abs=tolerances.REDUCED)


@pytest.mark.parametrize("seed", range(2))
def test_random_mechanisms_start_equally(limit: pytest.MonkeyPatch, seed: int) -> None:
    mechanisms_agree(seed, limit)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 200))
def test_many_random_mechanisms_start_equally(limit: pytest.MonkeyPatch, seed: int) -> None:
    mechanisms_agree(seed, limit)


def mechanisms_agree(seed: int, limit: pytest.MonkeyPatch) -> None:
    dense, long = both_forms(mechanism(seed), limit)
    first, second = one_start(dense), one_start(long)
    if isinstance(first, type) or isinstance(second, type):
        assert first == second
        return
    for name, value in first[0].items():
        if name.endswith(("_rate", "_speed", "_Omega", "_x")):
            assert np.abs(second[0][name] - value).max() <= tolerances.NEAREST, name
    assert names(first[1]) == names(second[1])
    reports_agree(dense.mobility(), long.mobility())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_spatial_chains_start_equally(limit: pytest.MonkeyPatch, seed: int) -> None:
    starts_agree(chain(seed, {}), limit, r"[PVW]\d|j\d_\w*rate|j\d_Omega")


def reports_agree(dense: sl.Mobility, long: sl.Mobility) -> None:
    assert (long.bodies, long.degrees_of_freedom, long.singular) == (
        dense.bodies, dense.degrees_of_freedom, dense.singular,
    )  # fmt: skip
    assert dense.motions is not None and long.motions is not None
    shared = sorted({name for m in (*dense.motions, *long.motions) for name in m.rates})
    spans = [np.array([[m.rates.get(name, 0.0) for name in shared] for m in r.motions or ()]) for r in (dense, long)]
    if all(m.rates for m in (*dense.motions, *long.motions)) and len(spans[0]):
        together = np.linalg.matrix_rank(np.vstack(spans), tol=tolerances.NEAREST)
        assert together == len(spans[0]) == len(spans[1])


@pytest.mark.parametrize(
    ("points", "axes", "is_singular"),
    [
        (FLAT_FOUR_BAR, None, False),
        (STRAIGHT, None, True),
        (BRICARD, "bricard", False),
    ],
)
def test_mobility_of_both_forms_agrees(limit: pytest.MonkeyPatch, points: Any, axes: Any, is_singular: bool) -> None:
    """A straight four-bar linkage is singular; motions are described by rates of joints."""
    model = loop(points, [[0, 1, 0], [0, 0, 1], [1, 0, 0]] * 2) if axes else loop(points)
    dense, long = (system.mobility() for system in both_forms(model, limit))
    reports_agree(dense, long)
    assert bool(long.singular) == is_singular
    assert long.motions and all(motion.rates and "v =" not in str(motion) for motion in long.motions)


@pytest.mark.parametrize("form", [{}, {"coordinates": "euler_angles", "form": "angular_velocity"}])
def test_floating_body_in_rotation_parameters_is_not_singular(limit: pytest.MonkeyPatch, form: dict[str, Any]) -> None:
    """Rates of Euler angles near their singularity are much larger than angular velocities."""
    model, turn = sl.Model("hull"), sl.rotation(euler="ZYX", angles=[0.4, 1.55, 0.3])
    axes = np.array(turn.matrix, dtype=float).reshape(3, 3)
    hull = sl.RigidBody(model, "hull", 2.0, [0.4, 0.5, 0.6], orientation=turn, **form)
    tip = sl.RigidBody(model, "tip", 1.0, [0.1, 0.2, 0.25], position=axes[:, 0], orientation=turn)
    sl.RevoluteJoint(model, "hinge", hull, tip, at=0.5 * axes[:, 0], axis=axes @ [0, 0.2, 1])
    point = [-0.5, 0.2, 0.3]
    model.constraint("ball", [p - float(c) for p, c in zip(hull.point(point), axes @ point, strict=True)])
    sl.PointOnPlaneJoint(model, "touch", tip, model.ground, at=axes @ [1.3, 0.1, 0.2], axis=[0, 0.3, 1])
    mobility = both_forms(model, limit)[1].mobility()
    assert (mobility.degrees_of_freedom, mobility.singular) == (3, "")
