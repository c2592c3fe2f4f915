"""Evaluation at given states: both backends, closed forms, the first stage of methods, and bad input."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.errors import (
    InconsistentInitialValuesError,
    ModelError,
    NotConvergedError,
    NotFiniteError,
    RedundantConstraintsError,
    SingularMassMatrixError,
    UnknownNameError,
)
from symlie.runtime.integrate.compiled_method import CompiledMethod
from symlie.runtime.kernels.c import CKernels
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.controllers import FIXED_STEPS
from symlie.runtime.methods.library import method
from symlie.runtime.solution.evaluation.single_outputs import SingleOutputs
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.test_first_order_states import steered
from tests.runtime.test_singular_mass import planar_rod
from tests.systems import (
    CONSTRAINED,
    FREE,
    HEAVY_TOPS,
    chain_system,
    heavy_top_reference,
    heavy_top_system,
    large_system,
    polar_system,
    spaghetti_system,
)

SHARED: dict[str, Callable[[str], System]] = {
    **{group: functools.partial(heavy_top_system, group) for group in HEAVY_TOPS},
    "chain": chain_system,
    "polar": polar_system,
    "spaghetti": spaghetti_system,
    "large": large_system,
    "steered": steered,
    "planar_rod": planar_rod,
}
"""Systems in both backends: several groups, rheonomic constraints, M(q), tables for topologies, first-order states, and
a singular M."""

VECTORS = ("bias_force", "constraint", "hidden_constraint_residual")
MATRICES = ("mass_matrix", "constraint_jacobian")


def states(system: System, count: int = 3, t: float = 0.3) -> sl.State:
    """States near the initial one, which violate the constraints."""
    start, random = system.initial_state, np.random.default_rng(3)
    increments = 0.2 * random.uniform(-1, 1, (count, system.layout.dimension)) * system.layout.integrated
    q = np.array([system.mechanics.moved(start.q, u) for u in increments])
    v = start.v + random.uniform(-1, 1, (count, system.layout.dimension)) * system.layout.free
    return system.state(q, v, t=t)


def size(values: Array) -> float:
    """One plus the largest entry."""
    return 1 + float(np.abs(values).max(initial=0.0))


@pytest.mark.parametrize("name", SHARED)
def test_evaluation_agrees_between_backends(name: str) -> None:
    compiled, other = SHARED[name]("c"), SHARED[name]("numpy")
    assert isinstance(compiled.mechanics.evaluator, CKernels)
    here = states(compiled)
    there = other.state(here.q, here.v, t=here.t)
    a, multipliers = compiled.acceleration(here)
    found = {"v'": a, "λ": multipliers, "M a + g": compiled.inverse_dynamics(here, a)}
    expected = dict(zip(("v'", "λ"), other.acceleration(there), strict=True))
    expected["M a + g"] = other.inverse_dynamics(there, a)
    for term in (*VECTORS, *MATRICES):
        found[term], expected[term] = (getattr(s, term)(x) for s, x in ((compiled, here), (other, there)))
    found |= compiled.outputs(here)
    expected |= other.outputs(there)
    assert found.keys() == expected.keys()
    for label, values in found.items():
        atol = tolerances.BACKENDS * size(expected[label])
        np.testing.assert_allclose(values, expected[label], rtol=0, atol=atol, err_msg=label)


@pytest.mark.parametrize("name", SHARED)
def test_terms_satisfy_the_equations_of_motion(name: str) -> None:
    """M v' + g + Bᵀ λ = 0 on components that can move, and the residuals belong to Φ and B."""
    system = SHARED[name]("c")
    here = states(system)
    a, multipliers = system.acceleration(here)
    M, B, g = system.mass_matrix(here), system.constraint_jacobian(here), system.bias_force(here)
    assert M.shape == (3, *2 * (system.layout.dimension,)) and B.shape == (3, system.layout.rows, M.shape[1])
    np.testing.assert_array_equal(M, np.swapaxes(M, 1, 2))
    inertia = np.einsum("nij,nj->ni", M, a)
    balance = inertia + g + np.einsum("nij,ni->nj", B, multipliers)
    scale = size(inertia) + size(g)
    assert np.abs(balance * system.layout.free).max() <= tolerances.BACKENDS * scale
    applied = system.inverse_dynamics(here, a)
    np.testing.assert_allclose(applied, inertia + g, rtol=0, atol=tolerances.BACKENDS * scale)
    hidden = system.hidden_constraint_residual(here)
    for k, one in enumerate(here):
        b = system.mechanics.hidden_residual(float(one.t), one.q, one.v)
        np.testing.assert_allclose(hidden[k], b, rtol=0, atol=tolerances.BACKENDS * size(b))
        np.testing.assert_array_equal(system.constraint(one), system.mechanics.constraint(float(one.t), one.q))


@pytest.mark.parametrize("name", SHARED)
def test_one_state_has_the_bits_of_many(name: str) -> None:
    system = SHARED[name]("c")
    here = states(system)
    a, multipliers = system.acceleration(here)
    M = system.mass_matrix(here)
    for k, one in enumerate(here):
        found = system.acceleration(one)
        np.testing.assert_array_equal(found[0], a[k])
        np.testing.assert_array_equal(found[1], multipliers[k])
        np.testing.assert_array_equal(system.mass_matrix(one), M[k])
    grid = system.state(here.q[None, :, None], here.v[None, :, None], t=here.t[None, :, None])
    assert grid.shape == (1, 3, 1) and system.acceleration(grid)[0].shape == (1, 3, 1, system.layout.dimension)
    np.testing.assert_array_equal(system.acceleration(grid)[0][0, :, 0], a)


@pytest.mark.parametrize("name", ["SE3", "chain", "spaghetti", "planar_rod"])
def test_acceleration_is_that_of_the_first_stage(name: str) -> None:
    system = SHARED[name]("c")
    one = states(system)[1]
    compiled = CompiledMethod(system, method("half_explicit_5"), FIXED_STEPS)
    a, multipliers = np.zeros(system.layout.dimension), np.zeros(system.layout.rows)
    workspace, pointer = compiled.workspace(), compiled.library.pointer
    compiled.problem.workspace = workspace
    status = compiled.library.call.symlie_acceleration(
        compiled.problem, one.t, pointer(one.q), pointer(one.v), pointer(a), pointer(multipliers)
    )
    assert status == 0
    for found, expected in zip(system.acceleration(one), (a, multipliers), strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerances.BACKENDS * size(expected))


@pytest.mark.parametrize("t", ["0.5", "1.0"])
@pytest.mark.parametrize("group", HEAVY_TOPS)
def test_acceleration_of_the_heavy_top_is_known(group: str, t: str) -> None:
    """Angular acceleration and reaction of the reference solution, on all groups."""
    system, known = heavy_top_system(group), heavy_top_reference(t)
    (node,) = system.layout.nodes
    stored = {"R": known["R"], "x": known["x"], "p": known["quaternion"]}
    moving = {"Omega": known["Omega"], "U": known["U_body"], "x_dot": known["u_inertial"]}
    one = system.state(t=0, complete=False, **{node.name: _fields(system, stored | moving)})
    a, multipliers = system.acceleration(one)
    turning = next(f.part for f in node.type.velocity_fields if f.name == "Omega")
    expected = known["Omega_dot"]
    np.testing.assert_allclose(a[turning], expected, rtol=0, atol=tolerances.BACKENDS * size(expected))
    if group in CONSTRAINED:
        np.testing.assert_allclose(multipliers, known["lambda"], rtol=0, atol=tolerances.BACKENDS * size(expected))
    else:
        assert group in FREE and multipliers.shape == (0,)


def _fields(system: System, values: dict[str, Array]) -> dict[str, Array]:
    (node,) = system.layout.nodes
    return {f.name: values[f.name] for f in node.type.fields if f.name in values}


@functools.cache
def pendulum(backend: str = "numpy") -> System:
    """A point on a rod, driven by a force, with outputs of position, velocity and reaction."""
    model = sl.Model("pendulum")
    m, length = model.parameter("mass", 2.0), model.parameter("length", 0.5)
    bob, push = model.node("bob", "R3"), model.input("push", 2)
    model.kinetic_energy(m * bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(9.81 * m * bob.x[2])
    tension = model.constraint("rod", (bob.x.dot(bob.x) - length**2) / 2)
    model.generalized_force(bob, [push[0] ** 3, push[1], 0])
    model.output("position", 1000 * bob.x, unit="")
    model.output("speed", bob.x_dot.dot(bob.x_dot))
    model.output("tension", tension[0])
    model.output("power", push[0] * bob.x_dot[0])
    model.initial(bob, x=[0.3, 0, -0.4], x_dot=[0, 1, 0])
    return model.derive().compile(backend=backend)


def test_pendulum_has_its_closed_form() -> None:
    """m x'' + λ x = f and x·x'' + |v|² = 0 with inputs, parameters of a copy, and outputs that read λ."""
    system = pendulum().with_parameters(mass=3.0)
    x, v = np.array([0.3, 0.0, -0.4]), np.array([0.2, 1.0, 0.15])
    one = system.state(bob={"x": x, "x_dot": v})
    inputs = {"push": [2.0, -1.0]}
    f = np.array([8.0, -1.0, -3 * 9.81])
    tension = (f @ x + 3 * (v @ v)) / 0.25
    a, multipliers = system.acceleration(one, inputs=inputs)
    np.testing.assert_allclose(multipliers, [tension], rtol=tolerances.BACKENDS)
    np.testing.assert_allclose(a, (f - tension * x) / 3, rtol=tolerances.BACKENDS)
    np.testing.assert_allclose(system.bias_force(one, inputs=inputs), -f, rtol=tolerances.BACKENDS)
    np.testing.assert_allclose(system.mass_matrix(one), 3 * np.eye(3), rtol=tolerances.BACKENDS)
    np.testing.assert_allclose(system.constraint_jacobian(one), [x], rtol=tolerances.BACKENDS)
    np.testing.assert_allclose(system.hidden_constraint_residual(one), [x @ v], atol=tolerances.BACKENDS)
    found = system.outputs(one, inputs=inputs)
    assert found["tension"] == pytest.approx(tension, rel=tolerances.BACKENDS)
    assert found["power"] == pytest.approx(0.4, rel=tolerances.BACKENDS)
    np.testing.assert_array_equal(system.outputs(one, ["position"])["position"], 1000 * x)
    assert system.outputs(one)["power"] == 0


def test_derivatives_of_outputs_are_exact() -> None:
    system = pendulum()
    one = system.state(bob={"x": [0.3, 0, -0.4], "x_dot": [0.2, 1.0, 0.15]})
    inputs = {"push": [2.0, -1.0]}
    np.testing.assert_array_equal(system.output_jacobian(one, "position"), 1000 * np.eye(3))
    np.testing.assert_array_equal(system.output_jacobian(one, "position", "q"), 1000 * np.eye(3))
    np.testing.assert_array_equal(system.output_jacobian(one, ["speed", "tension"], "v"), [2 * one.v, 0 * one.v])
    np.testing.assert_array_equal(system.output_jacobian(one, ["speed", "tension"], "multipliers"), [[0], [1]])
    np.testing.assert_array_equal(system.output_jacobian(one, "power", "v", inputs=inputs), [[2, 0, 0]])
    np.testing.assert_array_equal(system.output_jacobian(one, "power", "inputs", inputs=inputs), [[0.2, 0]])
    many = system.state([one.q, one.q], [one.v, 2 * one.v])
    assert system.output_jacobian(many, ["position", "speed"]).shape == (2, 4, 3)
    np.testing.assert_array_equal(system.output_jacobian(many, "speed")[1, 0], 4 * one.v)


@pytest.mark.parametrize("name", ["chain", "S3sR3", "spaghetti"])
def test_jacobians_equal_difference_quotients(name: str) -> None:
    """B and the derivatives of outputs, along increments of the groups."""
    system = SHARED[name]("c")
    one, step = states(system)[0], 1e-5
    outputs = list(system.layout.outputs)
    B, J = system.constraint_jacobian(one), system.output_jacobian(one, outputs, "q")
    for k in np.flatnonzero(system.layout.integrated)[::3]:
        increment = step * np.eye(system.layout.dimension)[k]
        ends = [system.mechanics.moved(one.q, sign * increment) for sign in (1, -1)]
        moved = system.state(ends, [one.v, one.v], t=one.t)
        for exact, values in (
            (B[:, k], system.constraint(moved)),
            (J[:, k], np.column_stack([x.reshape(2, -1) for x in system.outputs(moved, outputs).values()])),
        ):
            slope = (values[0] - values[1]) / (2 * step)
            moving = system.layout.holonomic if len(slope) == len(B) else slice(None)
            atol = tolerances.NEWTON_DIFFERENCE * size(values)
            np.testing.assert_allclose(exact[moving], slope[moving], rtol=0, atol=atol)


@functools.cache
def flyer(group: str) -> System:
    """A free body with the position and rotation of a tool as outputs."""
    model = sl.Model("flyer")
    body = sl.RigidBody(model, "body", 2.0, [0.1, 0.2, 0.3], group, position=[0.1, 0.2, 0.3])
    arm = [0.3, -0.1, 0.2]
    model.output("tip", body.point(arm))
    model.output("tip_R", body.R)
    model.output("tip_velocity", body.velocity_of(arm))
    return model.derive().compile(backend="numpy")


@pytest.mark.parametrize("group", ["SO3xR3", "SE3", "S3sR3", "SO3rvxR3"])
def test_geometric_jacobian_maps_velocities_to_twists(group: str) -> None:
    system = flyer(group)
    R = Rotation.from_rotvec([0.3, -0.5, 0.9]).as_matrix()
    v = np.random.default_rng(1).uniform(-1, 1, 6)
    one = system.state(system.state(body={"rotation": sl.rotation(vector=[0.3, -0.5, 0.9])}).q, v)
    spin = v[next(f.part for f in system.layout.nodes[0].type.velocity_fields if f.name == "Omega")]
    speed = system.outputs(one, "tip_velocity")["tip_velocity"]
    for frame, axes in (("space", np.eye(3)), ("body", R)):
        J = system.output_jacobian(one, ["tip", "tip_R"], frame=frame)
        twist = np.concatenate([axes.T @ speed, axes.T @ R @ spin])
        np.testing.assert_allclose(J @ one.v, twist, rtol=0, atol=tolerances.BACKENDS)


@functools.cache
def driven(backend: str = "numpy") -> System:
    """A hinge that a drive turns, with a second hinge that an input turns."""
    model = sl.Model("driven")
    upper = sl.RigidBody(model, "upper", 2.0, [0.01, 0.04, 0.04], position=[0.25, 0, 0])
    lower = sl.RigidBody(model, "lower", 1.0, [0.01, 0.02, 0.02], position=[0.7, 0, 0])
    shoulder = sl.RevoluteJoint(model, "shoulder", model.ground, upper, at=[0, 0, 0], axis=[0, -1, 0])
    elbow = sl.RevoluteJoint(model, "elbow", upper, lower, at=[0.5, 0, 0], axis=[0, -1, 0])
    shoulder.drive(0.3 * sl.sin(2 * model.t))
    elbow.torque(model.input("motor", 1))
    model.gravity([0, 0, -9.81])
    return model.derive().compile(backend=backend)


def test_inverse_dynamics_recovers_actuators() -> None:
    """The torque of the motor that was applied, and the effort of the drive, at states on the motion."""
    system = driven().with_input("motor", [0, 1], [0.3, 0.9])
    solution = sl.solve(system, 0.2, h=0.02, method="half_explicit_5", multipliers="index1")
    a, multipliers = system.acceleration(solution)
    np.testing.assert_allclose(multipliers, solution.multipliers, rtol=0, atol=tolerances.BACKENDS * size(multipliers))
    assert np.abs(
        system.inverse_dynamics(solution, a)
        + np.einsum("nij,ni->nj", system.constraint_jacobian(solution), multipliers)
    ).max() < tolerances.BACKENDS * size(a)
    efforts, reactions = system.inverse_dynamics(solution, a, ["motor", "shoulder_drive"])
    expected = np.column_stack([0.3 + 0.6 * solution.t, solution.outputs["shoulder_drive_effort"]])
    np.testing.assert_allclose(efforts, expected, rtol=0, atol=tolerances.EFFORTS)
    np.testing.assert_allclose(reactions, multipliers, rtol=0, atol=tolerances.EFFORTS)


def test_inverse_dynamics_solves_nonlinear_inputs() -> None:
    """A force that is the cube of an input."""
    system = pendulum()
    one = system.state()
    a, multipliers = system.acceleration(one, inputs={"push": [1.5, -0.4]})
    efforts, found = system.inverse_dynamics(one, a, ["push"], inputs={"push": [1.0, 0.0]})
    np.testing.assert_allclose(efforts, [1.5, -0.4], rtol=0, atol=tolerances.EFFORTS)
    np.testing.assert_allclose(found, multipliers, rtol=0, atol=tolerances.EFFORTS)


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_arrays_without_states_are_evaluated(backend: str) -> None:
    system = pendulum(backend)
    none = system.state(np.zeros((0, 2, 3)))
    assert none.shape == (0, 2) and list(none) == []
    assert [x.shape for x in system.acceleration(none)] == [(0, 2, 3), (0, 2, 1)]
    assert system.mass_matrix(none).shape == (0, 2, 3, 3)
    assert system.outputs(none)["position"].shape == (0, 2, 3)
    assert system.output_jacobian(none, "position", frame="space").shape == (0, 2, 3, 3)
    efforts, multipliers = system.inverse_dynamics(none, none.v, ["push"])
    assert efforts.shape == (0, 2, 2) and multipliers.shape == (0, 2, 1)


def test_held_inputs_have_no_rate() -> None:
    """An input that is differentiated moves a node: its rates are zero, its value is as given."""
    model = sl.Model("towed")
    base, mass = model.node("base", "R1"), model.node("mass", "R1")
    place = model.input("place", 1, interpolation="quintic")
    model.constraint("track", base.x[0] - place)
    model.kinetic_energy((base.x_dot[0] ** 2 + mass.x_dot[0] ** 2) / 2)
    model.potential_energy((mass.x[0] - base.x[0]) ** 2)
    system = model.derive().compile(backend="numpy")
    one = system.state([0.5, 0.2], [0.1, 0.0])
    inputs = {"place": 0.3}
    np.testing.assert_allclose(system.constraint(one, inputs=inputs), [0.2], rtol=tolerances.BACKENDS)
    np.testing.assert_allclose(system.hidden_constraint_residual(one, inputs=inputs), [0.1], rtol=tolerances.BACKENDS)
    a, _ = system.acceleration(one, inputs=inputs)
    np.testing.assert_allclose(a, [0, 0.6], rtol=0, atol=tolerances.BACKENDS)


def test_threads_hold_separate_inputs() -> None:
    system = pendulum("c")
    one = system.state()
    expected = {force: system.acceleration(one, inputs={"push": [force, 0]})[0] for force in (1.0, 2.0)}

    def repeated(force: float) -> bool:
        found = [system.acceleration(one, inputs={"push": [force, 0]})[0] for _ in range(2000)]
        return bool(np.all(np.array(found) == expected[force]))

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(repeated, [1.0, 2.0, 1.0, 2.0]))


def test_states_can_be_pickled() -> None:
    system = pendulum()
    one = pickle.loads(pickle.dumps(system.state()))
    np.testing.assert_array_equal(system.acceleration(one)[0], system.acceleration(system.state())[0])


def test_states_come_from_nodes_arrays_and_solutions() -> None:
    system = chain_system("numpy")
    start = system.state()
    np.testing.assert_array_equal(start.q, system.initial_state.q)
    np.testing.assert_array_equal(start.multipliers, system.initial_state.multipliers)
    np.testing.assert_array_equal(
        start.field("lower", "x"), system.initial_state.q[system.layout.node("lower").storage][-3:]
    )
    free = system.state(complete=False, upper={"x": [0, 0, 1], "Omega": [1, 2, 3]})
    np.testing.assert_array_equal(free.field("upper", "Omega"), [1, 2, 3])
    np.testing.assert_array_equal(free.field("upper", "U"), 0)
    with pytest.raises(InconsistentInitialValuesError, match="violates"):
        system.state(upper={"x": [0, 0, 1]})
    solution = sl.solve(system, 0.1, h=0.02, method="half_explicit_3")
    all_of_it, last = system.state(solution), system.state(solution)[-1]
    assert (all_of_it.shape, last.shape, len(all_of_it)) == ((6,), (), 6)
    np.testing.assert_array_equal(all_of_it.q, solution.q)
    np.testing.assert_array_equal(last.multipliers, solution.multipliers[-1])
    np.testing.assert_array_equal(all_of_it.field("upper", "R"), solution.field("upper", "R"))
    np.testing.assert_allclose(all_of_it[2:4].rotation("upper").as_matrix(), solution.field("upper", "R")[2:4])
    between = solution(0.05)
    assert isinstance(between, sl.State)
    assert repr(start).startswith("State(chain; t = 0 s; q shape") and "shape (6,)" in repr(all_of_it)


def test_named_values_of_many_states_have_leading_axes() -> None:
    """They have the shape to which all values broadcast, and the bits of single states."""
    system, random = chain_system("numpy"), np.random.default_rng(2)
    positions, times = random.uniform(-1, 1, (2, 1, 3)), np.array([0.0, 0.5, 1.0])
    many = system.state(t=times, complete=False, upper={"x": positions, "Omega": [1, 2, 3]})
    assert many.shape == (2, 3)
    for k, j in np.ndindex(many.shape):
        one = system.state(t=times[j], complete=False, upper={"x": positions[k, 0], "Omega": [1, 2, 3]})
        np.testing.assert_array_equal(many[k, j].q, one.q)
        np.testing.assert_array_equal(many[k, j].v, one.v)
        assert many[k, j].t == times[j]
    joints = driven()
    completed = joints.state(elbow={"rate": [0.0, 1.0, 2.0]})
    assert completed.shape == (3,)
    np.testing.assert_array_equal(completed.v[1], joints.state(elbow={"rate": 1.0}).v)
    np.testing.assert_array_equal(completed.multipliers[2], joints.state(elbow={"rate": 2.0}).multipliers)
    with pytest.raises(ValueError, match="read-only"):
        completed.q[0] = 1.0
    with pytest.raises(ModelError, match="one state, not from states of the shape"):
        joints.simulator(h=0.01).set_state(elbow={"rate": [0.0, 1.0]})


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_outputs_of_single_states_have_the_same_bits(backend: str) -> None:
    """With multipliers, for outputs of the model, and for those of every model."""
    system = driven(backend).with_input("motor", 0.0, 0.3)
    of_model = [name for name in system.layout.outputs if name.endswith(("_force", "_moment"))]
    assert len(of_model) == 4
    for names in (of_model, [*of_model, "energy"]):
        evaluate = SingleOutputs(system, names)
        for state in (system.state(elbow={"rate": 2.0}), system.state(t=0.4, complete=False)):
            for name, value in zip(names, evaluate(state), strict=True):
                np.testing.assert_array_equal(value, system.outputs(state, [name])[name])


def test_states_cannot_be_changed() -> None:
    system = chain_system("numpy")
    for state in (system.state(), system.state(system.initial_state.q), system.state(complete=False)):
        with pytest.raises(ValueError, match="read-only"):
            state.q[0] = 1.0
        with pytest.raises(AttributeError):
            state.t = 1.0


def test_multipliers_of_states_follow_from_the_accelerations() -> None:
    system = chain_system("c")
    here = states(system)
    np.testing.assert_array_equal(here.multipliers, system.acceleration(here)[1])
    assert len(here[:2].multipliers) == 2


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_prescribed_nodes_follow_time(backend: str) -> None:
    """Their states are computed, their accelerations are prescribed, and others feel them."""
    model = sl.Model("shaken")
    base, mass = model.node("base", "R1"), model.node("mass", "R1")
    model.prescribe(base, x=[sl.sin(2 * model.t)])
    model.kinetic_energy(3 * mass.x_dot[0] ** 2 / 2)
    model.potential_energy(5 * (mass.x[0] - base.x[0]) ** 2 / 2)
    model.output("stretch", mass.x[0] - base.x[0])
    system = model.derive().compile(backend=backend)
    t = np.array([0.0, 0.4, 1.1])
    here = system.state(np.zeros((3, 2)), t=t)
    places = system.layout.node("base"), system.layout.node("mass")
    np.testing.assert_allclose(here.field("base", "x")[:, 0], np.sin(2 * t), rtol=tolerances.BACKENDS)
    a, _ = system.acceleration(here)
    np.testing.assert_allclose(a[:, places[0].velocity][:, 0], -4 * np.sin(2 * t), rtol=tolerances.BACKENDS)
    np.testing.assert_allclose(a[:, places[1].velocity][:, 0], 5 * np.sin(2 * t) / 3, rtol=tolerances.BACKENDS)
    J = system.output_jacobian(here[1], "stretch")
    np.testing.assert_array_equal(J[0, [places[0].velocity.start, places[1].velocity.start]], [-1, 1])


def test_nonholonomic_and_rheonomic_residuals() -> None:
    """A knife edge whose slip velocity is prescribed, with a moving line that holds the position."""
    model = sl.Model("knife")
    q = model.node("q", "SE2")
    model.kinetic_energy((q.U.dot(q.U) + 2 * q.Omega[0] ** 2) / 2)
    model.nonholonomic_constraint("edge", q.U[1] - sl.sin(model.t))
    model.constraint("line", q.x[0] - model.t**2)
    system = model.derive().compile(backend="numpy")
    one = system.state(t=2.0, complete=False, q={"x": [1.0, 0.5], "U": [3.0, 0.7], "Omega": 0.1})
    by_name = {name: part.rows.ravel()[0] for name, part in system.layout.constraints.items()}
    phi, hidden = system.constraint(one), system.hidden_constraint_residual(one)
    assert phi[by_name["edge"]] == 0 and phi[by_name["line"]] == -3
    assert hidden[by_name["edge"]] == pytest.approx(0.7 - np.sin(2.0), rel=tolerances.BACKENDS)
    assert hidden[by_name["line"]] == pytest.approx(3 - 4, rel=tolerances.BACKENDS)


def test_first_order_states_have_no_acceleration() -> None:
    system = steered("c")
    a, _ = system.acceleration(system.state())
    np.testing.assert_array_equal(a[~system.layout.has_velocity], 0)
    M = system.mass_matrix(system.state())
    assert not M[~system.layout.has_velocity].any()


@functools.cache
def bars(backend: str) -> System:
    """A plate on three parallel bars, one of which is redundant."""
    model = sl.Model("bars")
    plate = sl.RigidBody(model, "plate", 4.0, 0.1, "SE2", position=[0, -1])
    for name, at in (("left", -0.5), ("middle", 0.0), ("right", 0.5)):
        bar = sl.RigidBody(model, name, 1.0, 1 / 12, "SE2", position=[at, -0.5])
        sl.RevoluteJoint(model, f"{name}_top", model.ground, bar, at=[at, 0])
        sl.RevoluteJoint(model, f"{name}_end", bar, plate, at=[at, -1])
    model.gravity([1, -9.81])
    return model.derive().compile(backend=backend)


@pytest.mark.parametrize("backend", [pytest.param("c", marks=pytest.mark.slow), "numpy"])
def test_redundant_constraints_need_a_treatment(backend: str) -> None:
    system = bars(backend)
    minimal = system.with_redundant("minimal_norm")
    one = minimal.state()
    with pytest.raises(RedundantConstraintsError, match=r"are redundant: joints .* hold a motion redundantly"):
        system.acceleration(one)
    a, multipliers = minimal.acceleration(one)
    np.testing.assert_allclose(multipliers, minimal.initial_state.multipliers, rtol=0, atol=tolerances.EFFORTS)
    B = minimal.constraint_jacobian(one)
    balance = minimal.inverse_dynamics(one, a) + B.T @ multipliers
    assert np.abs(balance).max() < tolerances.BACKENDS * size(multipliers)
    kernel = np.linalg.svd(B.T)[2][np.linalg.matrix_rank(B) :]
    assert len(kernel) and np.abs(kernel @ multipliers).max() < tolerances.BACKENDS * size(multipliers)
    with pytest.raises(RedundantConstraintsError, match="redundant"):
        system.inverse_dynamics(one, a, [])
    efforts, found = minimal.inverse_dynamics(one, a, [])
    assert efforts.shape == (0,)
    np.testing.assert_allclose(found, multipliers, rtol=0, atol=tolerances.EFFORTS)


def test_large_systems_have_sparse_matrices() -> None:
    model = sl.Model("string")
    beads = model.node_array("bead", "R1", 250)
    spring = sl.ElementType("spring", a="R1", b="R1")
    spring.kinetic_energy((spring.a.x_dot[0] ** 2 + spring.b.x_dot[0] ** 2) / 4)
    spring.potential_energy((spring.a.x[0] - spring.b.x[0]) ** 2)
    model.add(spring, [(beads[k], beads[k + 1]) for k in range(249)])
    system = model.derive().compile(backend="numpy")
    one = system.state()
    M = system.mass_matrix(one)
    assert M.nnz < 1000 and M.shape == (250, 250)
    two = system.mass_matrix(system.state([one.q, one.q]))
    np.testing.assert_array_equal(two[1], M.toarray())


def test_undetermined_accelerations_name_the_state() -> None:
    """A mass that vanishes at the origin, and a force that is not finite there."""
    model = sl.Model("bead")
    x = model.node("x", "R1")
    model.kinetic_energy(x.x[0] ** 2 * x.x_dot[0] ** 2 / 2)
    system = model.derive().compile(backend="numpy")
    many = system.state([[1.0], [0.0], [2.0]])
    with pytest.raises(SingularMassMatrixError, match=r"No acceleration at state 1, t = 0 s: .* 'bead' is singular"):
        system.acceleration(many)
    assert system.acceleration(many[[0, 2]])[0].shape == (2, 1)
    other = sl.Model("pole")
    x = other.node("x", "R1")
    other.kinetic_energy(x.x_dot[0] ** 2 / 2)
    other.generalized_force(x, [1 / x.x[0]])
    pole = other.derive().compile(backend="numpy")
    with pytest.raises(NotFiniteError, match=r"state 1, t = 0 s: the force of 'pole' along .*'x' is not"):
        pole.acceleration(pole.state([[1.0], [0.0]]))


def test_bad_states_are_refused() -> None:
    system, other = pendulum(), heavy_top_system("SE3")
    q, v = np.array([0.3, 0, -0.4]), np.zeros(3)
    with pytest.raises(ModelError, match=r"belongs to another system, 'heavy_top', not to 'pendulum'"):
        system.acceleration(other.state())
    with pytest.raises(ModelError, match=r"must come from system.state or from a solution, not array"):
        system.acceleration(q)
    with pytest.raises(
        ModelError, match=r"configuration q of 'pendulum' has the shape \(2,\) instead of \(\.\.\., 3\)"
    ):
        system.state(q[:2], v)
    with pytest.raises(ModelError, match=r"velocity v of 'pendulum' has the shape \(\) instead"):
        system.state(q, 1.0)
    with pytest.raises(ModelError, match=r"do not fit"):
        system.state([q, q], [v, v, v])
    with pytest.raises(ModelError, match=r"The v of a state of 'pendulum' is not finite"):
        system.state(q, [0, np.nan, 0])
    with pytest.raises(ModelError, match=r"must be numbers"):
        system.state("initial")
    with pytest.raises(ModelError, match=r"configuration of node 'top' is not in SE3"):
        other.state(np.ones(other.layout.storage))
    with pytest.raises(ModelError, match=r"either by arrays or by nodes"):
        system.state(q, v, bob={"x": q})
    with pytest.raises(ModelError, match=r"omit v and t"):
        system.state(system.state(), t=1)
    with pytest.raises(ModelError, match=r"Velocities need configurations"):
        system.state(None, v)
    with pytest.raises(ModelError, match=r"values of 'bob' must be a mapping"):
        system.state(bob=[0, 0, 1])
    with pytest.raises(ModelError, match=r"time of a state of named nodes"):
        system.state(t=[0, np.nan])
    with pytest.raises(ModelError, match=r"states of different shapes: t of \(2,\), bob.x of \(3,\)"):
        system.state(t=[0, 1], bob={"x": np.ones((3, 3))}, complete=False)
    with pytest.raises(ModelError, match=r"arrays are passed by position, as in system.state\(q, v\)"):
        system.state(q=q)
    with pytest.raises(UnknownNameError, match=r"no node 'bop'"):
        system.state(bop={"x": q})
    with pytest.raises(UnknownNameError, match=r"no field 'y'"):
        system.state(bob={"y": q})
    with pytest.raises(ModelError, match=r"only by completion"):
        driven().state(complete=False, elbow={"rate": 1.0})


def test_bad_names_and_values_are_refused() -> None:
    system = pendulum()
    one = system.state()
    with pytest.raises(UnknownNameError, match=r"no input 'pull'; it has: push"):
        system.acceleration(one, inputs={"pull": 1})
    with pytest.raises(ModelError, match=r"Input 'push' of 'pendulum' needs 2 numbers, not 1"):
        system.bias_force(one, inputs={"push": 1})
    with pytest.raises(ModelError, match=r"value of input 'push' of 'pendulum' is not finite"):
        system.bias_force(one, inputs={"push": [1, np.inf]})
    with pytest.raises(UnknownNameError, match=r"no output 'tip'; it has: energy, .*position"):
        system.outputs(one, ["tip"])
    with pytest.raises(UnknownNameError, match=r"no output 'energy'; it has: position"):
        system.output_jacobian(one, "energy")
    with pytest.raises(UnknownNameError, match=r"Unknown wrt 'x'; use one of: q, v"):
        system.output_jacobian(one, "position", "x")
    with pytest.raises(UnknownNameError, match=r"Unknown frame 'world'; use one of: body, space"):
        system.output_jacobian(one, "position", frame="world")
    with pytest.raises(ModelError, match=r"Body axes need one output of 'pendulum' that is a rotation matrix, not 0"):
        system.output_jacobian(one, "position", frame="body")
    with pytest.raises(ModelError, match=r"'speed' of 'pendulum' with 1 components is neither a vector nor a rotation"):
        system.output_jacobian(one, "speed", frame="space")
    with pytest.raises(ModelError, match=r"frame belongs to derivatives by the configuration"):
        system.output_jacobian(one, "position", "inputs", frame="space")
    with pytest.raises(ModelError, match=r"acceleration of 'pendulum' has the shape \(2,\) instead of \(3,\)"):
        system.inverse_dynamics(one, [0, 0])
    with pytest.raises(UnknownNameError, match=r"no input or drive 'motor'; it has: push"):
        system.inverse_dynamics(one, [0, 0, 0], ["motor"])
    with pytest.raises(ModelError, match=r"The acceleration violates .* of 'driven' by .*; it must satisfy"):
        driven().inverse_dynamics(driven().state(), np.ones(12), ["shoulder_drive"])
    turned = driven().acceleration(driven().state(), inputs={"motor": 1.0})[0]
    with pytest.raises(NotConvergedError, match=r"\(shoulder_drive\) cannot produce this acceleration: a force"):
        driven().inverse_dynamics(driven().state(), turned, ["shoulder_drive"])
    with pytest.raises(ModelError, match=r"does not determine the inputs push"):
        system.inverse_dynamics(one, system.acceleration(one)[0], ["push"], inputs={"push": [0, 0]})
    with pytest.raises(ModelError, match=r"Input 'push' of 'pendulum' needs 2 numbers"):
        system.inverse_dynamics(one, one.v, ["push"], inputs={"push": 1})
