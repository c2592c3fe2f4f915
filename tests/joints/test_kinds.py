"""Rows of joints: they vanish on the motions that a joint allows, and have the documented rank."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from sympy import Matrix, sympify

import symlie as sl
from symlie.elements.joints.frames import Frame
from symlie.elements.joints.joint import Joint
from symlie.elements.placement import initial_placement
from symlie.modeling.expressions import vector
from symlie.modeling.symbolic import SymbolicMatrix
from symlie.runtime.kernels.protocol import States
from tests.evaluation import Evaluation

Array = NDArray[np.float64]
LEAD, RATIO = 0.3, -0.7


def turned(*psi: float) -> Array:
    return Rotation.from_rotvec(psi).as_matrix()


def about_cross(first: float, second: float) -> Array:
    """Of the universal joint: frames of both bodies at rest differ by the cyclic change of axes."""
    return turned(0, 0, first) @ turned(second, 0, 0) @ np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]]).astype(float)


@dataclass(frozen=True)
class Kind:
    """A kind of joint, its constructor and the motions it allows: rotation and position of b in the frame of a."""

    joint: type[Joint]
    rows: int
    allowed: Callable[..., tuple[Array, list[float]]]
    stated: dict[str, object]


POINT = {"at": [0.1, -0.3, 0.2]}
AXIS = {**POINT, "axis": [1.0, 2.0, -0.5]}
KINDS = [
    Kind(sl.RigidJoint, 6, lambda: (np.eye(3), [0, 0, 0]), POINT),
    Kind(sl.RevoluteJoint, 5, lambda a: (turned(0, 0, a), [0, 0, 0]), AXIS),
    Kind(sl.PrismaticJoint, 5, lambda a: (np.eye(3), [0, 0, a]), AXIS),
    Kind(sl.CylindricalJoint, 4, lambda a, b: (turned(0, 0, a), [0, 0, b]), AXIS),
    Kind(sl.ScrewJoint, 5, lambda a: (turned(0, 0, a), [0, 0, LEAD * a / (2 * np.pi)]), {**AXIS, "lead": LEAD}),
    Kind(sl.SphericalJoint, 3, lambda a, b, c: (turned(a, b, c), [0, 0, 0]), POINT),
    Kind(
        sl.UniversalJoint,
        4,
        lambda a, b: (about_cross(a, b), [0, 0, 0]),
        {**POINT, "axis": [[1, 2, -0.5], [2, -1, 0]]},
    ),
    Kind(
        sl.ConstantVelocityJoint,
        4,
        lambda a, b: (turned(a, b, 0), [0, 0, 0]),
        {**POINT, "axis": [[1, 2, -0.5], [2, 2, 0]]},
    ),
    Kind(sl.PlanarJoint, 3, lambda a, b, c: (turned(0, 0, a), [b, c, 0]), AXIS),
    Kind(sl.PointOnLineJoint, 2, lambda a, b, c, d: (turned(a, b, c), [0, 0, d]), AXIS),
    Kind(sl.PointOnPlaneJoint, 1, lambda a, b, c, d, e: (turned(a, b, c), [d, e, 0]), AXIS),
    Kind(sl.InLineJoint, 3, lambda a, b, c: (turned(a, b, 0), [0, 0, c]), AXIS),
    Kind(sl.OrientationJoint, 3, lambda a, b, c: (np.eye(3), [a, b, c]), POINT),
    Kind(
        sl.DistanceJoint,
        1,
        lambda a, b, c, d, e: (turned(a, b, c), [np.cos(d) * np.cos(e), np.sin(d) * np.cos(e), np.sin(e)]),
        {"at": [[0.1, -0.3, 0.2], [0.5, 0.2, 1.0]]},
    ),
]
UPWARD = {**POINT, "normal": [1.0, 2.0, -0.5], "radius": 0.3}
ROLLING = {
    "sphere": Kind(sl.RollingContact, 3, lambda: (np.eye(3), [0, 0, 0]), UPWARD),
    "disk": Kind(sl.RollingContact, 3, lambda: (np.eye(3), [0, 0, 0]), {**UPWARD, "axis": [2.0, 0.3, 1.0]}),
}
"""Contacts that also have rows on velocities; their allowed motions are not used."""

PAIRS = [("SO3xR3", "SE3"), ("S3sR3", None)]
"""Of quick tests, by turns."""

QUICK = (2, 4, 6, 7, 13)
"""Kinds of joints in quick tests; together they have all primitive rows."""

MORE_PAIRS = [
    *PAIRS,
    *((a, b) for a in ("SO3xR3", "SE3", "S3xR3", "S3sR3", "SO3rvxR3") for b in ("S3xR3", "SO3rvxR3", a)),
    (None, "SO3rvxR3"),
    (None, "SE3"),
]


def frame(turn: Array, point: Array) -> Frame:
    return Frame(None, vector(point.tolist()), SymbolicMatrix(Matrix(turn)))


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.joint.kind)
def test_constraints_vanish_exactly_on_allowed_motions(kind: Kind) -> None:
    """Allowed motions have as many coordinates as rows leave, and along these the rows stay zero."""
    draw = np.random.default_rng(1)
    count = kind.allowed.__code__.co_argcount
    assert kind.joint.space is not None
    rows = kind.joint.space
    values = {"length": sympify(1.0), "lead": sympify(LEAD)}
    turn, place = turned(*draw.uniform(-1, 1, 3)), draw.uniform(-1, 1, 3)
    first = frame(turn, place)
    assert count == 6 - kind.rows
    for scale in (0.3, 1.0):
        relative, displaced = kind.allowed(*draw.uniform(-scale, scale, count))
        second = frame(turn @ relative, place + turn @ np.array(displaced))
        vanishing = [float(r) for r in rows.vanishing(first, second, values)]
        assert len(vanishing) == kind.rows and np.abs(vanishing).max() < 1e-14
        assert all(float(r) > 0 for row in rows.positive for r in row(first, second, values))
        # any motion out of the allowed ones moves the rows
        moved = frame(turn @ relative @ turned(0.1, 0.2, 0.3), place + np.array([0.2, 0.3, 0.4]))
        assert np.abs([float(r) for r in rows.vanishing(first, moved, values)]).max() > 1e-2


@dataclass(frozen=True)
class At:
    """A joint's element type at the initial configuration, by direct evaluation of its program."""

    rows: Array
    jacobian: Array
    """B along the velocities of the nodes."""
    sizes: list[int]
    """Velocities of each node."""
    wrench: Callable[[Array], Array]
    """Force and moment that it reports for multipliers, shape (6,)."""


def at_start(joint: Joint) -> At:
    """Rows, B and reaction of a joint."""
    element = joint._instances.element
    rows = [r for c in element.constraints for r in c.rows]
    rates = [r for c in element.constraints for r in (c.rows if c.level else element.rate(sl.vector(c.rows)))]
    evaluation = Evaluation(element.program, [*rows, *rates])
    values: dict[object, object] = {}
    stated = {f"{what}_{side}": m for m, side in zip(joint.markers, "ab", strict=True) for what in ("point", "axes")}
    for parameter in element.parameters:
        label = parameter.name
        given = getattr(stated[label], label[:-2]).ravel() if label in stated else [joint._values()[label]]
        values |= dict(zip(parameter.symbols, given, strict=True))
    bodies = [m.body for m in joint.markers if isinstance(m.body, sl.RigidBody)]
    for local, body in zip(element.nodes, bodies, strict=True):
        storage = [c for v in joint.model.initial_values[body.name] for c in v.components]
        values |= dict(zip(local.value.components, storage, strict=True))
    velocities = [s for n in element.nodes for s in n.velocity.components]
    columns = []
    for moving in velocities:
        columns.append([float(c) for c in evaluation({**values, **{s: float(s is moving) for s in velocities}}, 20)])
    result = np.array(columns).T
    reported = {o.name: o.components for o in element.outputs if o.name in ("force", "moment")}
    reaction = Evaluation(element.program, [*reported["force"], *reported["moment"]])

    def wrench(multipliers: Array) -> Array:
        known = dict(zip([m for c in element.constraints for m in c.multipliers], multipliers, strict=True))
        at_rest = dict.fromkeys(velocities, 0.0)
        return np.array([float(c) for c in reaction({**values, **at_rest, **known}, 20)])

    positions = sum(len(c.rows) for c in element.constraints if c.level == 0)
    return At(result[:positions, 0], result[len(rows) :], [n.group.dimension for n in element.nodes], wrench)


def two_bodies(groups: tuple[str | None, str | None]) -> tuple[sl.Model, list[object]]:
    model = sl.Model("pair")
    bodies: list[object] = []
    for k, group in enumerate(groups):
        if group is None:
            bodies.append(model.ground)
            continue
        orientation = sl.rotation(vector=[0.3 + k, -0.2, 0.5 - k])
        place = [0.5 * k, 0.3, -0.2]
        bodies.append(sl.RigidBody(model, f"body{k}", 1.0, [1, 1, 1], group, orientation=orientation, position=place))
    return model, bodies


def twist(body: object, velocity: Array, point: Array) -> Array:
    """Velocity at a point of space and angular velocity of a body that moves, in inertial axes, shape (6,)."""
    if not isinstance(body, sl.RigidBody):
        return np.zeros(6)
    turn, place = initial_placement(body.model, body.node)
    spin = turn @ velocity[:3]
    moved = turn @ velocity[3:6] if hasattr(body.node, "U") else velocity[3:6]
    return np.concatenate([moved + np.cross(spin, point - place), spin])


def check_joint(kind: Kind, groups: tuple[str | None, str | None]) -> None:
    """Check the rank of its rows, and that its multipliers do the work of its reaction between the bodies."""
    model, bodies = two_bodies(groups)
    joint = kind.joint(model, "joint", *bodies, **kind.stated)
    at = at_start(joint)
    b = at.jacobian
    assert np.abs(at.rows).max() < 1e-14
    start = 0
    for size in at.sizes:  # of each body alone, the other being held
        assert np.linalg.matrix_rank(b[:, start : start + size], tol=1e-6) == kind.rows
        start += size
    assert len(b) == kind.rows
    draw = np.random.default_rng(2)
    multipliers, velocity = draw.uniform(-1, 1, len(b)), draw.uniform(-1, 1, b.shape[1])
    point = joint.markers[1].placed(model)[0]
    rest, parts = velocity, []
    for marker in joint.markers:
        parts.append(twist(marker.body, rest, point))
        rest = rest[6:] if isinstance(marker.body, sl.RigidBody) else rest
    power = at.wrench(multipliers) @ (parts[1] - parts[0])
    np.testing.assert_allclose(power, -multipliers @ b @ velocity, rtol=0, atol=1e-13)
    # It does none along motions that the joint allows.
    allowed = velocity - np.linalg.pinv(b) @ (b @ velocity)
    assert abs(multipliers @ b @ allowed) < 1e-13


@pytest.mark.slow
@pytest.mark.parametrize("number", QUICK, ids=lambda k: KINDS[k].joint.kind)
def test_joint_constraints_have_full_rank_and_no_power(number: int) -> None:
    check_joint(KINDS[number], PAIRS[number % 2])


@pytest.mark.slow
@pytest.mark.parametrize("groups", MORE_PAIRS, ids=str)
@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.joint.kind)
def test_joint_constraints_have_full_rank_on_all_groups(kind: Kind, groups: tuple[str | None, str | None]) -> None:
    check_joint(kind, groups)


@pytest.mark.parametrize("contact", ROLLING)
def test_rolling_constraints_have_full_rank_and_no_power(contact: str) -> None:
    check_joint(ROLLING[contact], PAIRS[0])


@pytest.mark.slow
@pytest.mark.parametrize("groups", [g for g in MORE_PAIRS if g[1] is not None], ids=str)
@pytest.mark.parametrize("contact", ROLLING)
def test_rolling_constraints_have_full_rank_on_all_groups(contact: str, groups: tuple[str | None, str | None]) -> None:
    check_joint(ROLLING[contact], groups)


def check_coupling(groups: tuple[str, str], *, is_rack: bool) -> None:
    """A gear or a rack on joints of a chain: one row of full rank, and its effort does the work of its multiplier."""
    model, (first, second) = two_bodies(groups)
    hinge = sl.RevoluteJoint(model, "hinge", model.ground, first, at=[0.1, 0.2, 0.3], axis=[1.0, 2.0, -0.5])
    if is_rack:
        slide = sl.PrismaticJoint(model, "second", first, second, at=[0, 0.5, 0], axis=[0.3, 0.1, 1.0])
        sl.RackJoint(model, "coupling", hinge, slide, RATIO)
    else:
        wheel = sl.RevoluteJoint(model, "second", first, second, at=[0, 0.5, 0], axis=[0.3, 0.1, 1.0])
        sl.GearJoint(model, "coupling", hinge, wheel, RATIO)
    system = model.derive().compile(backend="numpy")
    mechanics, layout = system.mechanics, system.layout
    q = mechanics.with_start_angles(0.0, system.stated_state().q)
    values = mechanics.jacobian(0.0, q, np.zeros(layout.dimension))
    b = system.algebra.sparse_jacobian(values).toarray()
    assert np.linalg.matrix_rank(b, tol=1e-6) == len(b) == 11
    (row,) = layout.constraints["coupling"].rows[0]
    draw = np.random.default_rng(3)
    v, multipliers = draw.uniform(-1, 1, layout.dimension), draw.uniform(-1, 1, layout.rows)
    names = ["hinge_rate", "second_speed" if is_rack else "second_rate", "coupling_effort"]
    states = States(np.zeros(1), q[None], v[None], multipliers[None])
    turning, other, effort = system.kernels.observe(system.prepared, states, (), names)["outputs"][0]
    np.testing.assert_allclose(b[row] @ v, other - RATIO * turning, rtol=0, atol=1e-13)
    np.testing.assert_allclose(effort * other - RATIO * effort * turning, -multipliers[row] * (b[row] @ v), atol=1e-13)


@pytest.mark.slow
def test_couplings_have_full_rank_and_no_power() -> None:
    check_coupling(("SO3xR3", "SE3"), is_rack=True)


@pytest.mark.slow
@pytest.mark.parametrize("groups", [(a, b) for a, b in MORE_PAIRS if a and b], ids=str)
@pytest.mark.parametrize("is_rack", [False, True], ids=["gear", "rack"])
def test_couplings_have_full_rank_on_all_groups(groups: tuple[str, str], is_rack: bool) -> None:
    check_coupling(groups, is_rack=is_rack)
