"""Catalogue of contacts and stops of joints, compared with closed forms and conserved quantities."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipk

import symlie as sl
from symlie.errors import ModelError
from tests import tolerances
from tests.runtime.heaps import gaps

G = 9.81
TIGHT: dict[str, Any] = {"rtol": 1e-12}


def solved(model: sl.Model, t_end: float, **options: Any) -> sl.Solution:
    return sl.solve(model.derive().compile(backend="c"), t_end, **{**TIGHT, **options})


def test_sphere_on_a_plane_is_thrown() -> None:
    model = sl.Model("element_thrown")
    ball = sl.RigidBody(model, "ball", 1.0, sl.inertia.sphere(1.0, radius=0.1), position=[0, 0, 0.6])
    model.gravity([0, 0, -G])
    restitution = model.parameter("restitution", 0.5)
    sl.SpherePlaneContact(model, "floor", model.ground, ball, radius=0.1, friction=0.1, restitution=restitution)
    model.initial(ball, x_dot=[3, 4, 0], Omega=[0, 0, 7])
    solution = solved(model, 2.0)
    assert np.abs(solution.field("ball", "x")[-1, :2] - [4.93981713786, 6.58642285049]).max() <= tolerances.CONTACT
    assert solution.outputs["floor_state"][-1] == 2 and solution.impacts[0].contacts == ("floor",)


ROLLS = 1 / (3 * 0.3 * G)
"""Time at which a homogeneous disk with the initial speed 1 m/s rolls on a plane with μ = 0.3."""


def test_circle_on_a_line_rolls() -> None:
    model = sl.Model("element_circle")
    disk = sl.RigidBody(model, "disk", 1.0, 0.005, position=[0, 0.1], group=sl.SE2)
    model.gravity([0, -G])
    sl.SpherePlaneContact(model, "floor", model.ground, disk, radius=0.1, friction=0.3)
    model.initial(disk, U=[1, 0])
    solution = solved(model, 1.0)
    (stick,) = solution.events
    assert stick.name == "floor_stick" and abs(stick.t - ROLLS) <= tolerances.CONTACT
    assert abs(solution.v[-1, 0] + 20 / 3) <= tolerances.CONTACT


def test_wheel_on_a_plane_rolls() -> None:
    model = sl.Model("element_wheel")
    wheel = sl.RigidBody(model, "wheel", 1.0, [0.0025, 0.005, 0.0025], position=[0, 0, 0.1])
    model.gravity([0, 0, -G])
    sl.DiskPlaneContact(model, "floor", model.ground, wheel, radius=0.1, axis=[0, 1, 0], friction=0.3)
    model.initial(wheel, x_dot=[1, 0, 0])
    solution = solved(model, 1.0)
    (stick,) = solution.events
    assert stick.name == "floor_stick" and abs(stick.t - ROLLS) <= tolerances.CONTACT
    assert np.abs(solution.field("wheel", "x_dot")[-1] - [2 / 3, 0, 0]).max() <= tolerances.CONTACT


@pytest.mark.parametrize("friction", [0.0, 0.01])
def test_spheres_collide_with_their_momentum(friction: float) -> None:
    model = sl.Model(f"element_spheres_{int(friction > 0)}")
    first = sl.RigidBody(model, "first", 1.0, sl.inertia.sphere(1.0, radius=0.1))
    second = sl.RigidBody(model, "second", 2.0, sl.inertia.sphere(2.0, radius=0.2), position=[1, 0.05, 0.02])
    sl.SphereSphereContact(model, "pair", first, second, radii=(0.1, 0.2), restitution=1, friction=friction)
    model.initial(first, x_dot=[2, 0, 0])
    solution = solved(model, 1.0)
    a, b = (solution.field(name, "x_dot")[-1] for name in ("first", "second"))
    assert np.abs(a + 2 * b - [2, 0, 0]).max() <= tolerances.IMPACT
    apart = np.array([1, 0.05, 0.02]) - [1 - math.sqrt(0.09 - 0.05**2 - 0.02**2), 0, 0]
    # The normal impulse of an elastic impact is twice the reduced mass times the speed along the line of centres.
    (impact,) = solution.impacts
    assert abs(impact.impulses["pair"][0] - 2 * (2 / 3) * 2 * apart[0] / 0.3) <= tolerances.CONTACT
    tangential = np.linalg.norm(impact.impulses["pair"][1:])
    assert abs(tangential - friction * impact.impulses["pair"][0]) <= tolerances.CONTACT
    x = [solution.field(name, "x")[-1] for name in ("first", "second")]
    spin = sum(
        m * np.cross(q, v) + 0.4 * m * r**2 * solution.field(name, "Omega")[-1]
        for name, m, r, q, v in (("first", 1, 0.1, x[0], a), ("second", 2, 0.2, x[1], b))
    )
    assert np.abs(spin).max() <= tolerances.CONTACT


def test_box_falls_on_its_corners_and_rests() -> None:
    model = sl.Model("element_box")
    body = sl.RigidBody(model, "box", 1.0, [0.0108, 0.0167, 0.0208], position=[0, 0, 0.5])
    model.gravity([0, 0, -G])
    sl.BoxPlaneContact(model, "floor", model.ground, body, size=[0.4, 0.3, 0.2], friction=0.4, restitution=0.3)
    c, s = math.cos(0.3), math.sin(0.3)
    tilted = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    system = model.derive().compile(backend="c").with_initial("box", R=tilted)
    solution = sl.solve(system, 3.0, rtol=1e-8)
    forces = [solution.outputs[f"floor_corner_{k}_normal"][-1] for k in range(8)]
    gaps = [solution.outputs[f"floor_corner_{k}_gap"].min() for k in range(8)]
    assert np.abs(solution.v[-1]).max() <= tolerances.CONTACT and min(gaps) >= -tolerances.CONTACT
    assert abs(sum(forces) - G) <= tolerances.CONTACT


def test_point_slides_down_an_inclined_plane() -> None:
    model = sl.Model("element_point")
    body = sl.RigidBody(model, "body", 2.0, [1.0, 1.0, 1.0])
    model.gravity([0, 0, -G])
    normal = [-math.sin(0.5), 0, math.cos(0.5)]
    sl.PointPlaneContact(model, "slope", model.ground, body, at=[0, 0, 0], normal=normal, friction=0.2)
    solution = solved(model, 1.0)
    along = solution.field("body", "x")[-1] @ [math.cos(0.5), 0, math.sin(0.5)]
    assert abs(along + G * (math.sin(0.5) - 0.2 * math.cos(0.5)) / 2) <= tolerances.CONTACT


def all_contacts(*, by_markers: bool) -> sl.System:
    """Contacts of an inclined plane of one body with shapes of another one, defined by markers or in inertial axes."""
    model = sl.Model(f"element_markers_{int(by_markers)}")
    turn = sl.rotation(axis=[1, 2, 3], angle=0.7)
    base = sl.RigidBody(model, "base", 1.0, [1.0, 1.0, 1.0], position=[0.1, 0.2, -2.0], orientation=turn)
    body = sl.RigidBody(model, "body", 1.0, [1.0, 1.0, 1.0], position=[0.3, 0.1, 3.0], orientation=turn)
    R = np.array([float(c) for c in turn.matrix]).reshape(3, 3)
    normal, place, center, axis = (
        np.array(v, dtype=float) for v in ([0.2, 0, 1], [0, 0, -2], [0.3, 0, 3], [1, 0.5, 0])
    )
    sides: Any = base, body
    on_plane: dict[str, Any] = {"plane": place, "normal": normal}
    point: dict[str, Any] = {"at": center}
    disk, both = {"at": center, "axis": axis}, {"at": (place, center)}
    if by_markers:
        plane = sl.Marker(base, R.T @ (place - [0.1, 0.2, -2.0]), axis=R.T @ normal)
        middle = R.T @ (center - [0.3, 0.1, 3.0])
        sides, on_plane, point, disk, both = (plane, sl.Marker(body, middle)), {}, {}, {}, {}
    rim = (sides[0], sl.Marker(body, middle, axis=R.T @ axis)) if by_markers else sides
    sl.PointPlaneContact(model, "point", *sides, **on_plane, **point)
    sl.BoxPlaneContact(model, "box", *sides, size=[0.3, 0.2, 0.1], **on_plane, **point)
    sl.SpherePlaneContact(model, "ball", *sides, radius=0.1, **on_plane, **point)
    sl.DiskPlaneContact(model, "disk", *rim, radius=0.2, **on_plane, **disk)
    sl.SphereSphereContact(model, "pair", *sides, radii=(0.1, 0.2), **both)
    return model.derive().compile(backend="numpy")


def test_markers_define_the_same_contacts() -> None:
    values = []
    for by_markers in (False, True):
        system = all_contacts(by_markers=by_markers)
        state = system.state(body={"x": [0.5, -0.3, 2.0], "R": np.linalg.qr([[1, 2, 0], [0, 1, 3], [-2, 0, 1]])[0]})
        values.append(np.array([v for k, v in system.outputs(state).items() if k.endswith("_gap")]))
    assert len(values[0]) == 12 and np.abs(values[0] - values[1]).max() <= tolerances.PENETRATION


def swinging(*, minimal: bool) -> sl.System:
    """An arm whose links touch an inclined plane with a ball and a point."""
    model = sl.Model(f"element_swinging_{int(minimal)}")
    upper = sl.RigidBody(model, "upper", 1.0, [0.1, 0.1, 0.1], position=[0, 0, 1])
    lower = sl.RigidBody(model, "lower", 1.0, [0.1, 0.1, 0.1], position=[0.7, 0, 1])
    sl.RevoluteJoint(model, "shoulder", model.ground, upper, at=[0, 0, 1], axis=[0, 1, 0])
    sl.RevoluteJoint(model, "elbow", upper, lower, at=[0.5, 0, 1], axis=[0, 1, 0])
    laws: dict[str, Any] = {"friction": 0.3, "restitution": model.parameter("restitution", 0.4)}
    plane = sl.Marker(model.ground, [0, 0, 0.2], axis=[0.1, 0, 1])
    sl.SpherePlaneContact(model, "tip", plane, sl.Marker(lower, [0.3, 0, 0]), radius=0.3, **laws)
    sl.PointPlaneContact(model, "corner", plane, sl.Marker(upper, [0.5, 0, -0.7]), **laws)
    model.gravity([0, 0, -G])
    return (sl.minimal_coordinates(model) if minimal else model).derive().compile()


def test_contacts_of_links_agree_in_minimal_coordinates() -> None:
    runs = [sl.solve(swinging(minimal=minimal), 0.45, rtol=1e-9) for minimal in (False, True)]
    for run in runs:
        assert [e.name for e in run.events] == ["corner_touch", "corner_touch", "tip_touch"]
        assert [impact.contacts for impact in run.impacts] == [("corner",), ("corner",), ("tip",)]
    for quantity in ("t", "energy_loss"):
        values = [[getattr(impact, quantity) for impact in run.impacts] for run in runs]
        assert np.abs(np.subtract(*values)).max() <= tolerances.PIN
    ends = [[run.outputs[name][-1] for name in ("tip_gap", "corner_gap")] for run in runs]
    assert np.abs(np.subtract(*ends)).max() <= tolerances.PIN


def test_contacts_of_instances_without_names_need_them_in_minimal_coordinates() -> None:
    model, body = bodies()
    sl.RevoluteJoint(model, "hinge", model.ground, body, at=[0, 0, 0], axis=[0, 1, 0])
    floor = sl.ElementType("floor", body=body.node.group)
    floor.contact("touch", floor.body.x[2])
    model.add(floor, [(body.node,)])
    with pytest.raises(ModelError, match="only for instances with names"):
        sl.minimal_coordinates(model)


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_stops_of_a_hinge_beyond_a_turn(backend: Any) -> None:
    """A rod on a hinge without gravity runs between stops at -4 rad and 0.5 rad."""
    model = sl.Model("element_stops")
    rod = sl.RigidBody(model, "rod", 1.0, [1 / 12] * 3, position=[0, 0, -0.5])
    hinge = sl.RevoluteJoint(model, "hinge", model.ground, rod, at=[0, 0, 0], axis=[0, -1, 0])
    sl.JointStops(model, "stop", hinge, (-4.0, 0.5), restitution=0.5)
    hinge.place(angle=0.0, rate=-8.0)
    solution = sl.solve(model.derive().compile(backend=backend), 2.0, rtol=1e-9)
    assert [e.name for e in solution.events] == ["stop_lower_touch", "stop_upper_touch"]
    times = np.array([e.t for e in solution.events])
    assert np.abs(times - [0.5, 0.5 + 4.5 / 4]).max() <= tolerances.PIN
    assert abs(solution.outputs["hinge_angle"][-1] - (0.5 - 2 * (2 - times[1]))) <= tolerances.PIN


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_guided_sphere_bounces_without_slip(backend: Any) -> None:
    model = sl.Model("element_guided")
    ball = sl.RigidBody(model, "ball", 1.0, [0.004, 0.004, 0.004], position=[0, 0, 1.1])
    sl.PrismaticJoint(model, "guide", model.ground, ball, at=[0, 0, 0], axis=[0, 0, 1])
    sl.SpherePlaneContact(model, "floor", model.ground, ball, radius=0.1, friction=0.3, restitution=0.5)
    model.gravity([0, 0, -G])
    solution = sl.solve(model.derive().compile(backend=backend), 1.0, rtol=1e-10)
    fall = math.sqrt(2 / G)
    assert np.abs([i.t - k * fall for k, i in enumerate(solution.impacts, 1)]).max() <= tolerances.PIN
    for k, impact in enumerate(solution.impacts):
        assert np.abs(impact.impulses["floor"] - [1.5 * G * fall / 2**k, 0, 0]).max() <= tolerances.PIN


def test_stop_of_a_slider_on_one_side() -> None:
    model = sl.Model("element_slider")
    block = sl.RigidBody(model, "block", 1.0, [1.0, 1.0, 1.0])
    slider = sl.PrismaticJoint(model, "slider", model.ground, block, at=[0, 0, 0], axis=[0, 0, 1])
    model.gravity([0, 0, -G])
    sl.JointStops(model, "stop", slider, (-0.5, None))
    solution = solved(model, 1.0)
    assert abs(solution.events[0].t - math.sqrt(1 / G)) <= tolerances.CONTACT
    assert abs(solution.outputs["stop_lower_normal"][-1] - G) <= tolerances.CONTACT
    assert "stop_upper_gap" not in solution.outputs


def bodies(*, is_plane: bool = False) -> tuple[sl.Model, Any]:
    model = sl.Model("element_refusals")
    if is_plane:
        return model, sl.RigidBody(model, "body", 1.0, 1.0, position=[0, 1], group=sl.SE2)
    return model, sl.RigidBody(model, "body", 1.0, [1.0, 1.0, 1.0], position=[0, 0, 1])


@pytest.mark.parametrize(("make", "sentence"), [
    (lambda m, b: sl.SpherePlaneContact(m, "c", m.ground, b, radius=-1), "needs a positive radius, not -1 m"),
    (lambda m, b: sl.SpherePlaneContact(m, "c", m.ground, b, radius=1, friction=-1), "friction coefficient that is"),
    (lambda m, b: sl.SpherePlaneContact(m, "c", m.ground, b, radius=1, restitution=2), "restitution from 0 to 1"),
    (lambda m, b: sl.SphereSphereContact(m, "c", m.ground, m.ground, radii=(1, 1)), "two bodies in space, or two in"),
    (lambda m, b: sl.BoxPlaneContact(m, "c", m.ground, b, size=[1, 1]), "positive length along each axis"),
    (lambda m, b: sl.DiskPlaneContact(m, "c", m.ground, b, radius=1, axis=[0, 0, 1]), "lies flat on the plane"),
    (lambda m, b: sl.SphereSphereContact(m, "c", b, b, radii=(1, 1)), "centres of the spheres .* coincide"),
    (lambda m, b: sl.PointPlaneContact(m, "c", m.ground, b), r"needs its point: at=\[…\]"),
    (lambda m, b: sl.DiskPlaneContact(m, "c", m.ground, b, radius=1), r"needs the axis of the disk: axis=\[…\]"),
    (lambda m, b: sl.PointPlaneContact(m, "c", m.ground, sl.Marker(b, [0, 0, 0]), at=[0, 0, 0]), "do not also give at"),
    (lambda m, b: sl.SpherePlaneContact(m, "c", sl.Marker(m.ground, [0, 0, 0]), b, radius=1, normal=[0, 0, 1]),
     "do not also give normal"),
])  # fmt: skip
def test_invalid_contacts_of_bodies_are_refused(make: Any, sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        make(*bodies())


def test_disks_in_the_plane_are_spheres() -> None:
    model, body = bodies(is_plane=True)
    with pytest.raises(ModelError, match="in the plane, use SpherePlaneContact"):
        sl.DiskPlaneContact(model, "c", model.ground, body, radius=1, axis=[0, 1])


def test_invalid_stops_are_refused() -> None:
    model, body = bodies()
    hinge = sl.RevoluteJoint(model, "hinge", model.ground, body, at=[0, 0, 0], axis=[0, 0, 1])
    for limits in ((1.0, 0.5), (None, None)):
        with pytest.raises(ModelError, match="need a lower limit below the upper one"):
            sl.JointStops(model, "stop", hinge, limits)


BOWL, BALL, TILT = 1.0, 0.1, 0.8
"""Radii of a bowl and of a ball in it, in m, and the initial angle of the ball, in rad."""


def time_to_the_bottom(inertia: float) -> float:
    """Quarter of the period of a pendulum of the length BOWL - BALL with the given ratio of inertia and mass."""
    return math.sqrt(inertia * (BOWL - BALL) / G) * float(ellipk(math.sin(TILT / 2) ** 2))


@pytest.mark.parametrize(("size", "friction", "inertia"), [(2, 0.0, 1.0), (2, 2.0, 1.5), (3, 2.0, 1.4)])
def test_ball_in_a_bowl_is_a_pendulum(size: int, friction: float, inertia: float) -> None:
    """Friction lets the ball roll; a rotated marker of the bowl does not change the motion."""
    model = sl.Model(f"element_bowl_{size}_{int(friction)}")
    place = np.zeros(size)
    place[[0, -1]] = (BOWL - BALL) * math.sin(TILT), -(BOWL - BALL) * math.cos(TILT)
    down = np.zeros(size)
    down[-1] = -G
    if size == 2:
        ball = sl.RigidBody(model, "ball", 1.0, BALL**2 / 2, position=place, group=sl.SE2)
    else:
        ball = sl.RigidBody(model, "ball", 1.0, sl.inertia.sphere(1.0, radius=BALL), position=place)
    model.gravity(down)
    sl.SphereSurfaceContact(
        model, "bowl", model.ground, ball, surface=lambda x: BOWL - sl.sqrt(x.dot(x)), radius=BALL, friction=friction
    )
    solution = solved(model, time_to_the_bottom(inertia), rtol=1e-11)
    x = solution.field("ball", "x")[-1]
    expected = np.zeros(size)
    expected[-1] = BALL - BOWL
    assert np.abs(x - expected).max() <= tolerances.ROLLING_BOWL
    assert solution.outputs["bowl_state"][-1] == (2 if friction else 1)


def test_point_slides_on_a_parabola() -> None:
    """The function of the curve y = x² is not a distance, so that it is suitable for points only."""
    model = sl.Model("element_parabola")
    bead = sl.RigidBody(model, "bead", 1.0, 0.01, position=[1, 1], group=sl.SE2)
    model.gravity([0, -G])
    sl.SphereSurfaceContact(model, "wire", model.ground, bead, surface=lambda x: x[1] - x[0] ** 2, radius=0)
    solution = solved(model, 2.0, t_eval=np.linspace(0, 2, 41))
    x, speed = solution.field("bead", "x"), solution.field("bead", "U")
    assert np.abs(x[:, 1] - x[:, 0] ** 2).max() <= tolerances.CONTACT
    assert np.abs((speed**2).sum(axis=1) / 2 + G * (x[:, 1] - 1)).max() <= tolerances.ROLLING_BOWL
    with pytest.raises(ModelError, match=r"of contact 'ball' has a gradient of the length 2.23607"):
        sl.SphereSurfaceContact(model, "ball", model.ground, bead, surface=lambda x: x[1] - x[0] ** 2, radius=0.1)


@pytest.mark.slow
def test_stones_that_lean_on_each_other_do_not_penetrate() -> None:
    """Sequences of impacts of several contacts end together, while others close or separate slowly."""
    height, width, distance, count = 0.05, 0.008, 0.02, 6
    model = sl.Model("leaning_stones")
    stones = [
        sl.RigidBody(model, f"stone_{k}", 0.02, 4.3e-6, position=[distance * k, height / 2], group=sl.SE2)
        for k in range(count)
    ]
    laws = {"friction": 0.2, "restitution": 0.1}
    for k, stone in enumerate(stones):
        sl.BoxPlaneContact(model, f"floor_{k}", model.ground, stone, size=[width, height], friction=0.3)
    for k, (a, b) in enumerate(itertools.pairwise(stones)):
        right, left = distance * k + width / 2, distance * (k + 1) - width / 2
        sl.PointPlaneContact(model, f"upper_{k}", b, a, at=[right, height], plane=[left, 0], normal=[-1, 0], **laws)
        sl.PointPlaneContact(model, f"lower_{k}", a, b, at=[left, 0], plane=[right, 0], normal=[1, 0], **laws)
    model.gravity([0, -9.81])
    model.initial(stones[0], Omega=[-6.0], U=[3 * height, -3 * width])
    with pytest.warns(sl.SymlieWarning, match="closes at the start"):
        solution = sl.solve(model.derive().compile(), 0.4, rtol=1e-8)
    assert solution.status == "ok"
    assert gaps(solution).min() >= -tolerances.EVENT_DRIVEN_PENETRATION
