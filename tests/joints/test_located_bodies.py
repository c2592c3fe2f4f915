"""Minimal coordinates of long chains and trees: poses follow from the tree, and motions equal the constrained form."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.elements.joints.located_bodies import located_model
from symlie.elements.joints.minimal import MOST_VELOCITIES, joint_tree
from symlie.elements.marker import Body
from symlie.errors import ModelError, SymlieError
from symlie.runtime.linear.schur import BandedAlgebra
from symlie.runtime.system.system import System
from tests import tolerances
from tests.joints.test_minimal_coordinates import KINDS, plane, tree

STEP, STEPS = 1e-3, 40

SAME_MOTION = 1e-9
"""Both forms with order five after 40 steps of 1e-3 s, in m, rad and their rates, and of reactions relative to their
largest; found to agree to 2e-11."""

CONSERVED = 1e-10
"""Energy of a long chain with a relative tolerance of 1e-9, in J; measured variation 3e-12."""

LONG = MOST_VELOCITIES + 2


def chain(count: int) -> sl.Model:
    """Bodies on hinges about horizontal and vertical axes in turn."""
    model, before = sl.Model("spatial_chain"), None
    for k in range(count):
        body = sl.RigidBody(model, f"link{k}", 1.0, [0.02, 0.01, 0.015], position=[0.2 * k + 0.1, 0, 0])
        axis = [[0, 1, 0], [0, 0, 1]][k % 2]
        sl.RevoluteJoint(model, f"joint{k}", before or model.ground, body, at=[0.2 * k, 0, 0], axis=axis)
        before = body
    model.gravity([0, 0, -9.81])
    return model


def mixed() -> sl.Model:
    """A branching tree of joints of several kinds in series, with springs, a damper and a torque."""
    model = sl.Model("mixed")
    places = [[0.2, 0, -0.1], [0.5, 0.1, -0.2], [0.8, 0, -0.1], [1.1, -0.1, 0], [0.5, -0.3, -0.2], [0.8, 0.4, 0.1]]
    bodies = [
        sl.RigidBody(model, f"body{k}", 1.0 + 0.1 * k, [0.02, 0.03, 0.01], ("SO3xR3", "SE3")[k % 2], position=place)
        for k, place in enumerate(places)
    ]
    base = sl.RevoluteJoint(model, "base", model.ground, bodies[0], at=[0, 0, 0], axis=[0, 1, 0.1])
    sl.SphericalJoint(model, "ball", bodies[1], bodies[0], at=[0.35, 0.05, -0.15])
    elbow = sl.RevoluteJoint(model, "elbow", bodies[1], bodies[2], at=[0.65, 0.05, -0.15], axis=[0, 0, 1])
    slide = sl.PrismaticJoint(model, "slide", bodies[3], bodies[2], at=[0.95, 0, 0], axis=[1, 0, 0])
    sl.UniversalJoint(model, "cross", bodies[0], bodies[4], at=[0.3, -0.1, -0.1], axis=[[0, 1, 0], [1, 0, 0]])
    sl.RigidJoint(model, "weld", bodies[1], bodies[5], at=[0.6, 0.2, -0.1])
    sl.TorsionSpring(model, "spring", elbow, stiffness=2.0, damping=0.1)
    sl.Spring(model, "strut", bodies[3], bodies[5], at=[places[3], places[5]], stiffness=30.0, length=0.4)
    base.torque(-0.3 * base.rate)
    slide.thrust(-20 * slide.displacement)
    model.event("passes", elbow.angle - 0.02, terminal=False)
    model.initial(base, rate=1.5)
    model.gravity([0.3, 0, -9.81])
    return model


@functools.cache
def long_chain() -> tuple[System, System]:
    """The constrained form and that in minimal coordinates."""
    model = chain(LONG)
    return model.derive().compile(), sl.minimal_coordinates(model).derive().compile()


def judge(model: sl.Model, form: System, minimal: System) -> None:
    """Bodies, energy and outputs of both forms agree."""
    method = "index1_dopri5" if minimal.layout.of_velocities.any() else "rkmk_dopri5"
    # Multipliers of stages are of order four, which is seen in chains of a thousand bodies.
    bodies = sl.solve(form, STEP * STEPS, h=STEP, method="half_explicit_5", multipliers="index1")
    found = sl.solve(minimal, STEP * STEPS, h=STEP, method=method)
    for node in model.nodes:
        expected = {"x": bodies.field(node.name, "x"), "Omega": bodies.field(node.name, "Omega")}
        if node.group.dimension == 6:
            expected["R"] = bodies.rotation(node.name).as_matrix()
        for label, values in expected.items():
            own = found.outputs[f"{node.name}_{label}"].reshape(values.shape)
            assert np.abs(own - values).max() < SAME_MOTION, (node.name, label)
    assert [e.t for e in found.events] == pytest.approx([e.t for e in bodies.events], abs=SAME_MOTION)
    for name in set(bodies.outputs) & set(found.outputs) - {"constraint_residual", "velocity_residual"}:
        a, b = found.outputs[name][:-1], bodies.outputs[name][:-1]
        assert np.abs(a - b).max() < SAME_MOTION * (1 + np.abs(b).max()), name


def forms(model: sl.Model, backend: str = "numpy") -> tuple[System, System]:
    """Both forms of a short tree."""
    located = located_model(model, joint_tree(model))
    return model.derive().compile(backend=backend), located.derive().compile(backend=backend)


@pytest.mark.slow
def test_long_chain_matches_its_constrained_form() -> None:
    judge(chain(LONG), *long_chain())


@pytest.mark.slow
def test_states_are_coordinates_of_joints() -> None:
    _, minimal = long_chain()
    moving = [n.name for n in minimal.layout.nodes if n.is_state]
    assert moving == [f"joint{k}" for k in range(LONG)]
    assert minimal.layout.node("joint3").type.storage == 2


def test_long_chain_conserves_energy() -> None:
    _, minimal = long_chain()
    energy = sl.solve(minimal, 0.2, rtol=1e-9).outputs["energy"]
    kinetic = sl.solve(minimal, 0.2, rtol=1e-9, t_eval=[0.2]).outputs["link5_x"][-1, 2] ** 2
    assert kinetic > 1e-4  # it moves
    assert np.abs(energy - energy[0]).max() < CONSERVED


@pytest.mark.slow
def test_code_is_independent_of_the_number_of_bodies() -> None:
    texts = {sl.minimal_coordinates(chain(n)).derive().canonical_text for n in (LONG, LONG + 7)}
    assert len(texts) == 1


@pytest.mark.slow
def test_mixed_tree_matches_its_constrained_form() -> None:
    model = mixed()
    judge(model, *forms(model))


@pytest.mark.slow
def test_backends_agree() -> None:
    located = located_model(mixed(), joint_tree(mixed()))
    ends = [
        sl.solve(located.derive().compile(backend=backend), 10 * STEP, h=STEP, method="rkmk_rk44")
        for backend in ("c", "numpy")
    ]
    for name in ("body3_x", "body5_Omega", "elbow_angle", "ball_force"):
        a, b = (end.outputs[name] for end in ends)
        assert np.abs(a - b).max() < tolerances.REDUCED * (1 + np.abs(b).max())


@pytest.mark.slow
def test_planar_chain_matches_its_constrained_form() -> None:
    model = plane()
    judge(model, *forms(model))


@pytest.mark.slow
@pytest.mark.parametrize("group", ["SO3xR3", "SE3"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_all_joint_types_match_their_constrained_form(kind: str, reverse: bool, group: str) -> None:
    model = tree(kind, group, reverse)
    judge(model, *forms(model))


@pytest.mark.slow
@pytest.mark.parametrize("count", [256, 1024])
def test_longer_chains_match_their_constrained_form(count: int) -> None:
    model = chain(count)
    judge(model, *(m.derive().compile() for m in (model, sl.minimal_coordinates(model))))


def four_bar_with_drive() -> sl.Model:
    """A loop whose last hinge closes it, and whose first one is driven."""
    model = sl.Model("four_bar")
    corners = np.array([[0, 0], [0, 1], [2, 1.5], [2, 0]])
    bodies: list[Body] = [model.ground]
    for name, start, end in zip(("crank", "coupler", "rocker"), corners[:-1], corners[1:], strict=True):
        angle = np.arctan2(*(end - start)[::-1])
        bodies.append(sl.RigidBody(model, name, 1.0, 0.1, "SE2", position=(start + end) / 2, orientation=float(angle)))
    bodies.append(model.ground)
    pins = [sl.RevoluteJoint(model, f"pin{k}", bodies[k], bodies[k + 1], at=corners[k].tolist()) for k in range(4)]
    pins[0].drive(pins[0].initial_coordinate() + 0.5 * model.t**2)
    model.gravity([0, -9.81])
    return model


@pytest.mark.slow
def test_loops_and_drives_remain_constraints() -> None:
    model = four_bar_with_drive()
    form, minimal = forms(model)
    assert minimal.layout.of_velocities.sum() == 3
    assert sl.method_choice(minimal).default == "index1_dopri5"
    judge(model, form, minimal)


def test_initial_joint_coordinates_are_used() -> None:
    _, system = forms(plane())
    start = sl.solve(system.with_initial("hinge", angle=0.7).with_initial("rail", speed=2.0), STEP, h=STEP)
    found = [start.outputs[name][0] for name in ("hinge_angle", "hinge_rate", "rail_speed")]
    assert found == pytest.approx([0.7, -3.0, 2.0], abs=tolerances.REDUCED)


@pytest.mark.slow
def test_angles_count_full_turns() -> None:
    model = sl.Model("wheel")
    wheel = sl.RigidBody(model, "wheel", 1.0, [0.1, 0.1, 0.1])
    axle = sl.RevoluteJoint(model, "axle", model.ground, wheel, at=[0, 0, 0], axis=[0, 0, 1])
    model.initial(axle, angle=1.0, rate=50.0)
    solution = sl.solve(forms(model)[1], 1.0, h=0.1)
    assert solution.outputs["axle_angle"][-1] == pytest.approx(51.0, abs=tolerances.REDUCED)


def test_unsupported_method_is_rejected() -> None:
    with pytest.raises(SymlieError, match=r"dependent|acceleration"):
        sl.solve(long_chain()[1], STEP, h=STEP, method="rattlie")


def test_taylor_integrates_long_chain() -> None:
    """Series of the bodies of a topology that is known only at run time."""
    form, minimal = long_chain()
    bodies = sl.solve(form, STEP * STEPS, h=STEP)
    found = sl.solve(minimal, STEP * STEPS, method="taylor", rtol=1e-13, atol=1e-13)
    assert len(found.t) < 6
    for name in ("joint0_angle", f"joint{LONG - 1}_rate"):
        np.testing.assert_allclose(found.outputs[name][-1], bodies.outputs[name][-1], atol=SAME_MOTION)
    tip = f"link{LONG - 1}"
    np.testing.assert_allclose(found.outputs[f"{tip}_x"][-1], bodies.field(tip, "x")[-1], atol=SAME_MOTION)
    assert np.ptp(found.outputs["energy"]) < CONSERVED


@pytest.mark.parametrize("model", [functools.partial(chain, 3), pytest.param(mixed, marks=pytest.mark.slow)])
def test_taylor_backends_agree_on_tree_bodies(model: Callable[[], sl.Model]) -> None:
    stated = model()
    equations = located_model(stated, joint_tree(stated)).derive()
    words: dict[str, Any] = {"method": "taylor", "h": 0.02, "method_options": {"order": 8}}
    c, numpy = (sl.solve(equations.compile(backend=backend), 0.1, **words) for backend in ("c", "numpy"))
    np.testing.assert_allclose(c.q, numpy.q, atol=tolerances.BACKENDS)
    reference = sl.solve(equations.compile(), 0.1, rtol=1e-12, atol=1e-12, method="rkmk_dopri5")
    np.testing.assert_allclose(c.q[-1], reference.q[-1], atol=SAME_MOTION)


def test_tree_bodies_cannot_be_projected() -> None:
    _, minimal = forms(four_bar_with_drive())
    with pytest.raises(SymlieError, match="the projection cannot move them"):
        sl.solve(minimal, STEP, h=STEP, method="index1_dopri5", stabilize="projection")


def test_incomplete_or_circular_dependent_nodes_are_rejected() -> None:
    element = sl.ElementType("lift", below="R3", above="R3", turned="S2")
    below, above = element.below, element.above
    for fields, sentence in (
        ({"x_dot": below.x_dot}, "needs x, and either all or none of x_dot, not x_dot"),
        ({"x": below.x[:2, :], "x_dot": below.x_dot}, "needs 3 components, not 2"),
        ({"x": above.x, "x_dot": below.x_dot}, "other nodes, and its velocity of them"),
        ({"x": below.x, "x_dot": below.v_dot}, "other nodes, and its velocity of them"),
    ):
        with pytest.raises(ModelError, match=sentence):
            element.dependent(above, **fields)
    with pytest.raises(ModelError, match="moves by its field"):
        element.dependent(element.turned, q=below.x)
    element.dependent(above, x=below.x, x_dot=below.x_dot)
    with pytest.raises(ModelError, match="already dependent"):
        element.dependent(above, x=below.x, x_dot=below.x_dot)


@pytest.mark.parametrize(("pairs", "sentence"), [([(0, 1), (1, 0)], "that depend on it"), ([(0, 2), (1, 2)], "twice")])
def test_dependent_nodes_are_sorted_topologically(pairs: list[tuple[int, int]], sentence: str) -> None:
    model = sl.Model("stack")
    points = model.node_array("points", "R3", 1 + max(k for pair in pairs for k in pair))
    lift = sl.ElementType("lift", below="R3", above="R3")
    lift.kinetic_energy((lift.below.x_dot.dot(lift.below.x_dot) + lift.above.x_dot.dot(lift.above.x_dot)) / 2)
    lift.dependent(lift.above, x=lift.below.x + sl.vector(0, 0, 1), x_dot=lift.below.x_dot)
    model.add(lift, [(points[a], points[b]) for a, b in pairs])
    with pytest.raises(ModelError, match=sentence):
        model.derive()


def branching(count: int) -> sl.Model:
    """Bodies that bear two others each, on hinges about axes that change from generation to generation."""
    model = sl.Model("branching")
    bodies: list[sl.RigidBody] = []
    places: list[np.ndarray] = []
    for k in range(count):
        before = bodies[(k - 1) // 2] if k else model.ground
        joint = places[(k - 1) // 2] + np.array([0.1, 0, 0]) if k else np.zeros(3)
        places.append(joint + np.array([0.1, 0.02 * (k % 2 - 0.5), 0]))
        bodies.append(sl.RigidBody(model, f"link{k}", 1.0, [0.02, 0.01, 0.015], position=places[-1].tolist()))
        axis = [[0, 1, 0], [0, 0, 1]][(k + 1).bit_length() % 2]
        sl.RevoluteJoint(model, f"joint{k}", before, bodies[-1], at=joint.tolist(), axis=axis)
    model.gravity([0, 0, -9.81])
    return model


@functools.cache
def branching_system(count: int) -> System:
    """In minimal coordinates."""
    return sl.minimal_coordinates(branching(count)).derive().compile()


@pytest.mark.slow
def test_trees_are_eliminated_from_their_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    model, minimal = branching(31), branching_system(31)
    assert minimal.mechanics.saddle_algebra is not None
    assert isinstance(minimal.algebra, BandedAlgebra)
    monkeypatch.setattr("symlie.runtime.linear.saddle.WIDE", minimal.algebra.bandwidth)
    form = model.derive().compile()
    assert form.mechanics.saddle_algebra is None
    judge(model, form, minimal)


@pytest.mark.slow
def test_operations_per_body_of_trees_are_constant() -> None:
    counts = []
    for number in (31, 127):
        saddle = branching_system(number).mechanics.saddle_algebra
        assert saddle is not None
        counts.append(saddle.structure.operations / number)
    assert counts[1] == pytest.approx(counts[0], rel=0.05)
