"""Initial values that violate constraints: the smallest correction, redundant equations, and failures."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import symlie as sl
from symlie.errors import InconsistentInitialValuesError, RedundantConstraintsError
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.test_static_equilibrium import HORIZONTAL, chain_of_links, pendulum, pendulum_model, positions


@functools.cache
def linkage() -> System:
    """Two bodies with a spherical pivot and a joint."""
    model = sl.Model("linkage")
    bodies = [model.node(name, sl.SE3) for name in ("upper", "lower")]
    arm = sl.vector(0, 0, 0.5)
    for body in bodies:
        model.kinetic_energy((body.U.dot(body.U) + body.Omega.dot(body.Omega)) / 2)
    upper, lower = bodies
    model.constraint("pivot", upper.x + upper.R * arm)
    model.constraint("joint", upper.x - upper.R * arm - lower.x - lower.R * arm)
    model.initial(upper, x=[0, 0, -0.5], Omega=[1, 0.5, 3])
    model.initial(lower, x=[0, 0, -1.5], Omega=[0, 2, -1])
    return model.derive().compile()


def test_assembly_finds_nearest_point_of_sphere() -> None:
    """Positions move radially, and the velocity loses its radial component."""
    system = pendulum().with_initial("bob", x=[0.6, 0, -0.8], x_dot=[1, 1, 0])
    with pytest.raises(InconsistentInitialValuesError):
        _ = system.initial_state
    assembled = system.assembled()
    state = assembled.initial_state
    assert np.abs(state.q - [0.3, 0, -0.4]).max() <= tolerances.REDUCED
    assert np.abs(state.v - [0.64, 1, 0.48]).max() <= tolerances.REDUCED
    report = assembled.assembly
    assert report is not None and report.largest == {"bob": pytest.approx(0.4)}
    assert np.abs(report.velocity_changes["bob"][0] - [-0.36, 0, 0.48]).max() <= tolerances.REDUCED
    assert system.assembly is None


def test_velocities_are_assembled_on_request() -> None:
    system = pendulum().with_initial("bob", x=[0.6, 0, -0.8], x_dot=[1, 1, 0])
    with pytest.raises(InconsistentInitialValuesError, match="initial velocities"):
        _ = system.assembled(velocities=False).initial_state


@pytest.mark.slow
def test_consistent_values_are_unchanged() -> None:
    system = linkage().assembled()
    before, after = linkage().initial_state, system.initial_state
    assert (
        np.abs(after.q - before.q).max() <= tolerances.EPSILON
        and np.abs(after.v - before.v).max() <= tolerances.REDUCED
    )
    assert system.assembly is not None and system.assembly.iterations == 0


@pytest.mark.slow
def test_correction_of_bodies_is_minimal() -> None:
    """Any other configuration on the constraints nearby is farther away, by a first variation of zero."""
    system = linkage().with_initial("lower", x=[0.1, -0.1, -1.3]).with_initial("upper", x=[0.05, 0, -0.6])
    start = system.stated_state().q
    assembled = system.assembled()
    state = assembled.initial_state
    moved = system.kernels.difference(start, state.q)
    jacobian = system.linearize(state.q).jacobian.toarray()
    along = moved - np.linalg.pinv(jacobian) @ (jacobian @ moved)
    assert np.linalg.norm(moved) > 0.1
    assert np.linalg.norm(along) <= tolerances.NEAREST
    assert np.abs(system.kernels.constraint(system.prepared, 0.0, state.q)).max() <= tolerances.REDUCED
    given = {"upper": [1, 0.5, 3], "lower": [0, 2, -1]}
    for node, spin in given.items():
        assert np.abs(state.v[system.layout.node(node).velocity][:3] - spin).max() <= tolerances.REDUCED
    solution = sl.solve(assembled, 0.1, h=1e-2)
    assert solution.statistics.max_constraint_residual <= tolerances.REDUCED


@pytest.mark.slow
@pytest.mark.parametrize("links", [8, 400])
def test_node_arrays_are_assembled(links: int) -> None:
    """Small systems by singular values, large ones by sparse factors: a half circle whose beads were disturbed."""
    radius = 1 / (2 * links * np.sin(np.pi / (2 * links)))
    angle = np.linspace(np.pi, 2 * np.pi, links + 1)
    circle = radius * np.column_stack([np.cos(angle), 0 * angle, np.sin(angle)])
    disturbed = circle + np.random.default_rng(1).uniform(-0.3, 0.3, circle.shape) / links
    disturbed[[0, -1]] = circle[[0, -1]]
    system = chain_of_links(links, 1.0).with_initial("beads", x=disturbed).assembled()
    x = positions(system, system.initial_state.q)
    assert np.linalg.norm(np.diff(x, axis=0), axis=1) == pytest.approx(
        np.full(links, 1 / links), rel=tolerances.NEAREST
    )
    assert np.array_equal(x[[0, -1]], circle[[0, -1]])
    assert system.assembly is not None and system.assembly.largest["beads"] < 0.6 / links


@pytest.mark.slow
def test_rod_with_internal_constraints_is_assembled() -> None:
    model = sl.Model("bent")
    rod = sl.CosseratRod(
        model, "rod", segments=12, length=1.0, constraint="inextensible", stiffness=[1, 1, 1, 1e3, 1e3, 1e3],
        inertia=[1, 1, 1, 1, 1, 1], position=lambda s: (s, 0, 0.1 * np.sin(3 * s)), orientation=HORIZONTAL,
    )  # fmt: skip
    rod.nodes.fix(0)
    system = model.derive().compile()
    with pytest.raises(InconsistentInitialValuesError):
        _ = system.initial_state
    assert np.abs(system.assembled().initial_state.v).max() == 0


def test_redundant_constraints_are_assembled_and_reported() -> None:
    model = pendulum_model()
    q = model.nodes[0]
    model.constraint("again", q.x.dot(q.x) - 0.25)
    assembled = model.derive().compile().with_initial("bob", x=[0.6, 0, -0.8]).assembled()
    assert np.abs(assembled.stated_state().q - [0.3, 0, -0.4]).max() <= tolerances.REDUCED
    with pytest.raises(
        RedundantConstraintsError, match="row 1 of constraint 'rod', row 1 of constraint 'again' depend"
    ):
        _ = assembled.initial_state


@pytest.mark.slow
@pytest.mark.parametrize(("links", "doubled"), [(1, 0), (3, 0), (3, 1)])
def test_redundant_constraints_of_elements_are_reported(links: int, doubled: int) -> None:
    """Both elements between the same nodes, of a model whose topology is run-time data."""
    model = sl.Model("twice")
    points = model.node_array("points", "R3", links + 1)
    points.initial(x=[[k, 0, 0] for k in range(links + 1)])
    points.fix(0)
    link = sl.ElementType("link", left=sl.group_from_name("R3"), right=sl.group_from_name("R3"))
    chord = link.right.x - link.left.x
    link.kinetic_energy(link.right.x_dot.dot(link.right.x_dot) / 2)
    link.constraint("length", chord.dot(chord) - 1)
    places = [(points[k], points[k + 1]) for k in range(links)]
    model.add(link, [*places, places[doubled]])
    system = model.derive().compile()
    with pytest.raises(RedundantConstraintsError) as error:
        _ = system.initial_state
    named = [f"row 1 of constraint 'length' of element 'link', instance {k}" for k in (doubled, links)]
    assert f"redundant: {', '.join(named)} depend on each other" in str(error.value)
    system.with_initial("points", x=[[1.1 * k, 0, 0] for k in range(links + 1)]).assembled()


def test_impossible_assembly_is_reported() -> None:
    model = pendulum_model()
    q = model.nodes[0]
    model.constraint("far", q.x[2] - 2)
    with pytest.raises(InconsistentInitialValuesError, match=r"cannot be assembled.*row 1 of constraint"):
        model.derive().compile().assembled()


def massless(array: bool) -> sl.Model:
    """A point without mass along the third axis, which a constraint fixes."""
    model = sl.Model("massless")
    m = model.parameter("third", 0.0)
    if array:
        points = model.node_array("points", "R3", 2)
        statement: sl.Model | sl.ElementType = sl.ElementType("point", node=sl.group_from_name("R3"))
        q = statement.node
        model.add(statement, points)
    else:
        statement, q = model, model.node("point", "R3")
    v = q.x_dot
    statement.kinetic_energy((v[0] ** 2 + v[1] ** 2 + m * v[2] ** 2) / 2)
    statement.potential_energy(q.x[0] ** 2 + q.x[1] ** 2 + q.x[2])
    statement.constraint("plane", q.x[2])
    return model


@pytest.mark.slow
@pytest.mark.parametrize("array", [False, True])
def test_mass_regular_on_the_constraints_is_sufficient(array: bool) -> None:
    """Neither statics nor dynamics are affected."""
    system = massless(array).derive().compile()
    assert sl.solve(system, 0.1, h=0.1).status == "ok"
    q, multipliers, _ = system.static_equilibrium()
    assert np.abs(q).max() <= tolerances.EQUILIBRIUM and multipliers == pytest.approx(np.full(len(multipliers), -1.0))
    linear = system.linearize(q, multipliers)
    expected = np.full(len(q) * 2 // 3, 2**0.5 / (2 * np.pi))
    assert linear.frequencies[linear.modes] == pytest.approx(expected, rel=tolerances.FREQUENCY)
    assert sl.solve(system.with_parameters(third=1.0), 0.1, h=0.1).status == "ok"


WHEEL_SPEED, RADIUS, MASS, HEADING = 5.0, 0.3, 2.0, 1e-3
INERTIA = MASS * RADIUS**2 / 2
SHARE = MASS * RADIUS**2 / (MASS * RADIUS**2 + INERTIA)
"""Ratio of rim speed of a free wheel to speed of its frame relative to the ground, at minimal kinetic energy."""


@functools.cache
def rolling_wheel() -> System:
    """A wheel that rolls, in a frame that moves with 5 m/s, with x' + 5 - r ω = 0 and y' - (x' + 5) θ = 0.

    Nothing is stated but the heading θ of a milliradian.
    """
    model = sl.Model("rolling_wheel")
    along, across, heading, spin = (model.node(name, "R1") for name in ("along", "across", "heading", "spin"))
    speed = along.x_dot[0] + WHEEL_SPEED
    for node, mass in ((along, MASS), (across, MASS), (heading, 1.0), (spin, INERTIA)):
        model.kinetic_energy(mass * node.x_dot[0] ** 2 / 2)
    model.nonholonomic_constraint("rolling", speed - RADIUS * spin.x_dot[0])
    model.nonholonomic_constraint("no_slip", across.x_dot[0] - speed * heading.x[0])
    model.initial(heading, x=[HEADING])
    return model.derive().compile()


def rates(system: System) -> dict[str, float]:
    """Velocities that the run starts with."""
    v = system.initial_state.v
    return {node.name: float(v[node.velocity][0]) for node in system.layout.nodes}


@pytest.mark.slow
def test_omitted_velocities_minimise_kinetic_energy_and_are_reported() -> None:
    """Before it was the least sum of squares, in any units: the wheel all but stood still, unreported."""
    assembled = rolling_wheel().assembled()
    report, found = assembled.assembly, rates(assembled)
    assert report is not None
    assert found["spin"] == pytest.approx(SHARE * WHEEL_SPEED / RADIUS, rel=tolerances.SQUARED_HEADING)
    assert found["along"] == pytest.approx((SHARE - 1) * WHEEL_SPEED, rel=tolerances.SQUARED_HEADING)
    assert {name: float(values[0, 0]) for name, values in report.completed.items()} == found
    assert report.largest_change == {} and set(report.largest_completed) == {"along", "across", "spin"}
    assert sl.solve(assembled, 0.1, h=1e-2).status == "ok"


def test_nearly_consistent_velocities_are_preserved() -> None:
    """Stated not to slip sideways at all, it had to stand still, at -5 m/s in its frame, with no word of it."""
    assembled = rolling_wheel().with_initial("across", x_dot=0.0).assembled()
    report, found = assembled.assembly, rates(assembled)
    assert report is not None
    assert found["spin"] == pytest.approx(SHARE * WHEEL_SPEED / RADIUS, rel=1e-2)
    assert found["across"] == pytest.approx(HEADING * (found["along"] + WHEEL_SPEED), abs=tolerances.REDUCED)
    assert report.largest_change == {"across": pytest.approx(found["across"])}
    assert set(report.largest_completed) == {"along", "spin"}


def test_given_velocities_are_preserved_if_others_can_adapt() -> None:
    assembled = rolling_wheel().with_initial("along", x_dot=1.0).assembled()
    assert assembled.assembly is not None and assembled.assembly.largest_change == {}
    assert rates(assembled)["spin"] == pytest.approx((1 + WHEEL_SPEED) / RADIUS)


def test_given_velocities_change_minimally() -> None:
    """They contradict each other; the rate of the wheel is free to follow, and has no part in the change any more."""
    x, y = 1.0, 0.5
    assembled = rolling_wheel().with_initial("along", x_dot=x).with_initial("across", x_dot=y).assembled()
    found = rates(assembled)
    # The nearest point of the line y' = θ (x' + 5) in the metric of M.
    along = (x + HEADING * (y - HEADING * WHEEL_SPEED)) / (1 + HEADING**2)
    assert found["along"] == pytest.approx(along, abs=tolerances.NEAREST)
    assert found["across"] == pytest.approx(HEADING * (along + WHEEL_SPEED), abs=tolerances.REDUCED)
    assert found["spin"] == pytest.approx((along + WHEEL_SPEED) / RADIUS, abs=tolerances.NEAREST)


def closed_chain(length: float, group: str) -> np.ndarray:
    """Places of three links between pivots, assembled, as multiples of a length in some unit."""
    model = sl.Model("chain")
    inertia = np.diag([0.1, 0.2, 0.3]) * length**2
    links = [
        sl.RigidBody(model, f"link{k}", 1.0 + k, inertia * (1 + k), position=length * np.array(at), group=group)
        for k, at in enumerate(([0.5, 0, 0], [1, 0.5, 0], [0.5, 1, 0]))
    ]
    ends = [model.ground, *links, model.ground]
    for k, at in enumerate(([0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0])):
        sl.SphericalJoint(model, f"pivot{k}", ends[k], ends[k + 1], at=length * np.array(at))
    system = model.derive().compile(backend="numpy").with_initial("link2", x=length * np.array([0.45, 1.05, 0.1]))
    q = system.assembled().initial_state.q
    return np.array([q[system.layout.node(link.name).storage][-3:] / length for link in links])


@pytest.mark.slow
@pytest.mark.parametrize("group", ["S3sR3", "SE3", "S3xR3"])
def test_assembly_does_not_depend_on_units(group: str) -> None:
    """Changes are measured by M; in a norm of rad and m, links turned rather than moved in millimetres."""
    metres, millimetres = (closed_chain(length, group) for length in (1.0, 1000.0))
    assert np.abs(metres - closed_chain(1.0, "S3sR3")).max() <= 1e-2
    assert np.abs(metres - millimetres).max() <= tolerances.NEAREST
    assert np.abs(metres[2] - [0.5, 1, 0]).max() > 1e-3


@pytest.mark.parametrize("far", [0.0, 1e3, 1e7])
def test_angles_far_from_the_origin_are_assembled(far: float) -> None:
    """Positions of 1e7 m do not excuse errors of angles."""
    model = sl.Model("far")
    body = model.node("body", "SO3xR3")
    model.kinetic_energy(body.x_dot.dot(body.x_dot) / 2 + body.Omega.dot(body.Omega) / 2)
    model.constraint("level", [body.R[2, 0], body.R[2, 1]])
    model.initial(body, x=[far, 0, 0], R=sl.rotation(axis=[1, 2, 0], angle=1e-7))
    system = model.derive().compile(backend="numpy").assembled()
    R = system.initial_state.q[:9].reshape(3, 3)
    assert np.abs(R[2, :2]).max() <= 1e-13
