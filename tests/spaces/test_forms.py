"""Rotation parameters with angular velocities as unknowns, and Euler angles that are stored by steps on the group."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.errors import ChartSingularityError, ModelError, UnsupportedMethodError
from symlie.groups.classical.coordinates import parameters_by_name
from symlie.models import heavy_top
from symlie.runtime.system.system import System
from tests.spaces.coordinates import ANGULAR_VELOCITY, ON_GROUP, stored_by
from tests.tolerances import DIFFERENCE, DIFFERENCE_STEP, SAME_DIGITS

ANGLES = "euler_angles:angular_velocity"

MILD = [0.5, 3.0, 0.2]
"""An angular velocity with which Euler angles of the top stay away from their singularity, in rad/s."""

SAME_MOTION = 1e-9
"""Errors of steps of order four and more with h ω = 3e-3, and of tolerances of 1e-10."""

SECOND_ORDER = 1e-5
"""Errors of methods of order two and three at h ω = 3e-3."""

ROUNDING = 1e-12
"""Rounding of some thousand steps, each of some hundred operations on numbers up to one."""


@functools.cache
def top(word: str | None, group: str = "SO3", backend: str = "c") -> System:
    return heavy_top.build(group=group, **stored_by(word)).derive().compile(backend=backend)


def center(solution: sl.Solution) -> np.ndarray:
    return solution.outputs["center_of_mass"][-1]


@functools.cache
def mild_motion(group: str = "SO3") -> sl.Solution:
    return sl.solve(top(None, group).with_initial("top", Omega=MILD), 0.5, h=5e-4, method="half_explicit_5")


FREE = {
    "rkmk_rk44": ({"h": 1e-3}, SAME_MOTION),
    "rkmk_dopri5": ({"rtol": 1e-10, "atol": 1e-10}, SAME_MOTION),
    "half_explicit_5": ({"h": 1e-3}, SAME_MOTION),
    "cf4": ({"h": 1e-3}, SAME_MOTION),
    "cg3": ({"h": 1e-3}, SECOND_ORDER),
    "abmk4": ({"h": 1e-3}, SECOND_ORDER),
    "ambient_rk4": ({"h": 1e-3}, SAME_MOTION),
    "taylor": ({"rtol": 1e-10}, SAME_MOTION),
    "lie_euler_heun": ({"h": 1e-3}, SECOND_ORDER),
}
"""Methods of all explicit families with steps and errors."""


@pytest.mark.slow
@pytest.mark.parametrize("method", FREE)
def test_explicit_methods_support_angular_velocities(method: str) -> None:
    steps, allowed = FREE[method]
    system = top(ANGLES).with_initial("top", Omega=MILD)
    found = sl.solve(system, 0.5, method=method, **steps)
    assert np.abs(center(found) - center(mild_motion())).max() < allowed


@pytest.mark.slow
@pytest.mark.parametrize("method", ["half_explicit_5", "index1_dopri5", "taylor"])
def test_constrained_methods_support_angular_velocities(method: str) -> None:
    steps = {"rtol": 1e-10} if method == "taylor" else {"h": 1e-3}
    system = top(ANGLES, "SO3xR3").with_initial("top", Omega=MILD)
    found = sl.solve(system, 0.5, method=method, **steps)
    assert np.abs(center(found) - center(mild_motion("SO3xR3"))).max() < SAME_MOTION
    assert np.ptp(found.outputs["energy"]) < SAME_MOTION * np.abs(found.outputs["energy"]).max()


@pytest.mark.parametrize("method", ["rkmk_rk44", "cf4", "abmk4", "ambient_rk4", "taylor", "rkmk_dopri5"])
def test_backends_agree_with_angular_velocities(method: str) -> None:
    steps = {"rtol": 1e-10} if method == "taylor" else {"h": 1e-3}
    compiled, plain = (
        sl.solve(top(ANGLES, backend=b).with_initial("top", Omega=MILD), 0.02, method=method, **steps)
        for b in ("c", "numpy")
    )
    assert np.abs(compiled.q[-1] - plain.q[-1]).max() < ROUNDING
    assert np.abs(compiled.v[-1] - plain.v[-1]).max() < ROUNDING


@pytest.mark.slow
def test_stabilised_steps_support_angular_velocities() -> None:
    """Projections move along B in ω, and back into the angles."""
    system = top(ANGLES, "SO3xR3").with_initial("top", Omega=MILD)
    for backend in ("c", "numpy"):
        found = sl.solve(
            system if backend == "c" else top(ANGLES, "SO3xR3", backend).with_initial("top", Omega=MILD),
            0.05,
            h=5e-3,
            method="half_explicit_3",
            stabilize="projection",
        )
        assert found.statistics.max_constraint_residual < ROUNDING


@pytest.mark.parametrize("method", ["generalized_alpha", "bdf", "bdf2_increments", "rattlie", "variational_midpoint"])
def test_implicit_methods_support_parameter_rates(method: str) -> None:
    with pytest.raises(
        UnsupportedMethodError, match=f"'{method}' supports rotation parameters with their rates.*node 'top'"
    ):
        sl.solve(top(ANGLES), 0.1, h=1e-3, method=method)


@functools.cache
def held_by_ground(word: str | None) -> System:
    """A body on springs that hangs on the ground by a ball joint that is a bit off at the start."""
    model = sl.Model("held_by_ground")
    a = sl.RigidBody(
        model, "a", 2.0, [0.02, 0.03, 0.04], orientation=[[0, -1, 0], [1, 0, 0], [0, 0, 1]], **stored_by(word)
    )
    pull = a.point([0, 0.2, 0.1]) - sl.vector(0.1, 0, 0.2)
    model.potential_energy(100 * pull.dot(pull) / 2)
    sl.SphericalJoint(
        model, "ball", sl.Marker(model.ground, [0.15, 0.05, -0.15]), sl.Marker(a, [0.1, 0, -0.2]), apart=True
    )
    model.gravity([0, 0, -9.81])
    return model.derive().compile()


@functools.cache
def held(word: str | None) -> System:
    """Two bodies on springs, one of which hangs on the other by a ball joint that is a bit off at the start."""
    model = sl.Model("held")
    a = sl.RigidBody(
        model, "a", 2.0, [0.02, 0.03, 0.04], orientation=[[0, -1, 0], [1, 0, 0], [0, 0, 1]], **stored_by(word)
    )
    b = sl.RigidBody(model, "b", 1.0, [0.01, 0.02, 0.02], position=[0.2, 0.05, -0.3], **stored_by(word))
    for k, arm in enumerate(np.eye(3)):
        pull = a.point(0.2 * arm) - sl.vector(*(0.3 * np.roll(arm, k)))
        model.potential_energy(100 * pull.dot(pull) / 2)
    ends = sl.Marker(a, [0.1, 0, -0.2]), sl.Marker(b, [-0.05, 0, 0.1])
    sl.SphericalJoint(model, "ball", *ends, apart=True)
    model.gravity([0, 0, -9.81])
    tip = b.point([0, 0.1, 0])
    model.potential_energy(20 * tip.dot(tip) / 2)
    model.output("tip", tip, unit="m")
    return model.derive().compile()


@pytest.mark.parametrize(("build", "names"), [(held_by_ground, "a"), pytest.param(held, "ab", marks=pytest.mark.slow)])
def test_assembly_and_equilibrium_support_angular_velocities(build: Callable[[str | None], System], names: str) -> None:
    """The equilibrium is that on the group; assembly closes the joint, and is nearest in the angles."""
    places = []
    for word in (ANGLES, None):
        start = build(word).assembled()
        assert np.abs(start.mechanics.constraint(0.0, start.stated_state().q)).max() < ROUNDING
        assert start.assembly is not None
        rest = start.static_equilibrium().q
        places.append([start.assembly.largest["a"], *(rest[start.layout.node(n).storage][-3:] for n in names)])
    # Angles differ from rotation vectors by products of rotations of 0.35 and 0.1 rad.
    assert places[0][0] == pytest.approx(places[1][0], rel=5e-3)
    assert np.abs(np.concatenate(places[0][1:]) - np.concatenate(places[1][1:])).max() < SAME_MOTION


def test_linearised_equations_equal_other_forms() -> None:
    with pytest.raises(ModelError, match="rotation parameters with angular velocities"):
        top(ANGLES).monodromy(1.0)


@pytest.mark.slow
def test_angular_velocities_are_more_accurate_near_the_singularity() -> None:
    """With ω as unknowns little is lost where cos b is 0.02; with rates they are nonsense and 1.9e-2 m off."""
    exact = center(sl.solve(top(None), 1, h=1e-5, method="rkmk_dopri5"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        errors = [
            float(np.linalg.norm(center(sl.solve(top(ANGLES), 1, h=h, method="rkmk_rk44")) - exact))
            for h in (2.5e-4, 1e-4, 5e-5)
        ]
    assert errors == pytest.approx([3.24e-4, 9.0e-6, 7.2e-7], rel=SAME_DIGITS)
    with pytest.warns(UserWarning, match=r"coordinates of node 'top' are nearly singular: cos\(b\) is 0.03"):
        sl.solve(top(ANGLES), 1, h=2.5e-4, method="rkmk_rk44")


@functools.cache
def turning(word: str, backend: str = "c") -> System:
    """A ball that turns about its second axis, through cos b = 0."""
    model = sl.Model("turning")
    body = model.node("body", "SO3", **stored_by(word))
    model.kinetic_energy(body.Omega.dot(body.Omega) / 2)
    model.initial(body, Omega=[0, 1, 0])
    model.output("rotation", body.R)
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["rkmk_rk44", "half_explicit_5", "cf4", "abmk4"])
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_angular_velocity_runs_end_at_the_singularity(method: str, backend: str) -> None:
    with pytest.raises(
        ChartSingularityError, match="singularity of the coordinates of node 'body', where cos"
    ) as error:
        sl.solve(turning(ANGLES, backend), 2, h=0.01, method=method)
    assert abs(error.value.solution.t[-1] - math.pi / 2) < 0.02  # two steps


@pytest.mark.slow
@pytest.mark.parametrize("word", ON_GROUP)
def test_steps_on_the_group_pass_the_singularity(word: str) -> None:
    """The fast top, whose angles come to cos b = 0.03, and one that starts at cos b = 0."""
    upright = sl.rotation(euler="XYZ", angles=[0.3, math.pi / 2, -0.4])
    for start in ({}, {"rotation": upright}):
        found, matrices = (
            sl.solve(top(w).with_initial("top", **start) if start else top(w), 0.5, h=1e-3, method="rkmk_rk44")
            for w in (word, None)
        )
        assert np.abs(found.outputs["rotation"] - matrices.outputs["rotation"]).max() < ROUNDING


@pytest.mark.slow
def test_stored_angles_pass_the_singularity() -> None:
    system = turning("euler_angles:lie")
    found = sl.solve(system, 3, h=0.01, method="rkmk_rk44")
    exact = Rotation.from_rotvec(np.outer(found.t, [0, 1, 0])).as_matrix()
    assert np.abs(found.outputs["rotation"].reshape(-1, 3, 3) - exact).max() < ROUNDING
    assert np.abs(found.field("body", "angles_xyz")[:, 1]).max() <= math.pi / 2


@pytest.mark.parametrize("word", [ANGLES, "euler_angles"])
def test_singular_initial_values_are_rejected(word: str) -> None:
    upright = sl.rotation(euler="XYZ", angles=[0.3, math.pi / 2, -0.4])
    with pytest.raises(ModelError, match="at the singularity of its coordinates, where cos"):
        sl.solve(top(word).with_initial("top", rotation=upright), 1, h=1e-3, method="rkmk_rk44")
    model = sl.Model("upright")
    body = model.node("body", "SO3", **stored_by(word))
    with pytest.raises(ModelError, match=r"singularity of euler_angles, .* use other axes, step=lie"):
        model.initial(body, rotation=upright)


@pytest.mark.slow
def test_angles_are_not_wrapped_with_angular_velocities() -> None:
    model = sl.Model("spinning")
    body = model.node("body", "SO3", coordinates="euler_angles", form="angular_velocity")
    model.kinetic_energy(body.Omega.dot(body.Omega) / 2)
    model.initial(body, Omega=[0, 0, 2])
    found = sl.solve(model.derive().compile(), 10, h=0.01, method="rkmk_rk44")
    assert np.abs(found.field("body", "angles_xyz")[:, 2] - 2 * found.t).max() < ROUNDING
    between = found(np.linspace(0, 10, 37))
    assert np.abs(between.field("body", "angles_xyz")[:, 2] - 2 * between.t).max() < ROUNDING


def test_initial_angular_velocities_are_set() -> None:
    """Ω, or rates of the angles; both are refused, in the statement and where a run starts otherwise."""
    system, parameters = top(ANGLES), parameters_by_name()["euler_angles"]
    rho, rates = np.array([0.4, 0.3, -0.2]), np.array([1.0, 2.0, 3.0])
    changed = system.with_initial("top", angles_xyz=rho, angles_xyz_dot=rates)
    assert np.abs(changed.stated_state().v - parameters.spin_by_rates(rho) @ rates).max() < ROUNDING
    with pytest.raises(ModelError, match="cannot start from"):
        changed.with_initial("top", Omega=[0, 0, 1])
    model = sl.Model("both")
    body = model.node("body", "SO3", coordinates="euler_angles", form="angular_velocity")
    model.kinetic_energy(body.Omega.dot(body.Omega) / 2)
    with pytest.raises(ModelError, match="given twice, as Omega and as angles_xyz_dot"):
        model.initial(body, Omega=[0, 0, 1], angles_xyz_dot=[0, 0, 1])
    model.initial(body, angles_xyz=rho, angles_xyz_dot=rates)
    stated = model.derive().compile().stated_state().v
    assert np.abs(stated - parameters.spin_by_rates(rho) @ rates).max() < ROUNDING


ATTITUDES = 3
"""Random initial attitudes of each coordinates."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "word", [*ANGULAR_VELOCITY, "euler_angles", "rotation_vector:parameter_rates", "euler_parameters"]
)
def test_random_attitudes_agree(word: str) -> None:
    """Away from singularities, in the mild motion of 0.2 s."""
    draw = np.random.default_rng(5)
    for _ in range(ATTITUDES):
        angles = draw.uniform([-2, 0.5, -2], [2, 1.0, 2])
        axes = "ZXZ" if "zxz" in word else "XYZ"
        start = {"rotation": sl.rotation(euler=axes, angles=angles), "Omega": MILD}
        method = "half_explicit_5" if word == "euler_parameters" else "rkmk_dopri5"
        ends = [sl.solve(top(w).with_initial("top", **start), 0.2, h=5e-4, method=method) for w in (word, None)]
        assert np.abs(center(ends[0]) - center(ends[1])).max() < SAME_MOTION
        energy = ends[0].outputs["energy"]
        assert np.ptp(energy) < SAME_MOTION * np.abs(energy).max()


@pytest.mark.slow
def test_angular_velocity_runs_support_records_events_and_resuming() -> None:
    """Events, reported times, dense output and continued runs, against the motion on the group."""
    model = sl.Model("quarters")
    body = model.node("body", "SO3", coordinates="euler_angles", form="angular_velocity")
    model.kinetic_energy(body.Omega.dot(sl.diag([1.0, 2.0, 3.0]) * body.Omega) / 2)
    model.initial(body, Omega=[0.3, 0.1, 2])
    model.output("rotation", body.R)
    model.event("quarter", body.R[0, 0], terminal=False)
    system = model.derive().compile()
    exact = sl.solve(system, 2, h=1e-3, method="rkmk_rk67")
    found = sl.solve(system, 2, rtol=1e-10, atol=1e-10, method="rkmk_dopri5")
    assert [e.t for e in found.events] == pytest.approx([e.t for e in exact.events], abs=SAME_MOTION)
    assert len(found.events) == 1
    times = np.linspace(0, 2, 9)
    asked = sl.solve(system, 2, rtol=1e-10, atol=1e-10, method="rkmk_dopri5", t_eval=times)
    assert np.abs(asked.q - exact(times).q).max() < SAME_MOTION
    assert np.abs(found(times).q - exact(times).q).max() < SAME_MOTION
    half = sl.solve(system, 1, h=2**-10, method="abmk4")
    whole, later = (sl.solve(system, end, h=2**-10, method="abmk4", start=s) for end, s in ((2, None), (2, half)))
    assert np.array_equal(whole.q[-1], later.q[-1])


def test_rate_kernel_is_correct() -> None:
    """ρ' = G⁻¹(ρ) ω in both backends, compared with differences of R; without classical coordinates it is v."""
    model = sl.Model("two")
    first = model.node("first", "SO3xR3", coordinates="euler_angles_zyx", form="angular_velocity")
    second = model.node("second", "SO3")
    for body in (first, second):
        model.kinetic_energy(body.Omega.dot(body.Omega) / 2)
    model.kinetic_energy(first.x_dot.dot(first.x_dot) / 2)
    systems = [model.derive().compile(backend=b) for b in ("c", "numpy")]
    draw, (q, v) = np.random.default_rng(2), (systems[0].stated_state().q.copy(), np.arange(1.0, 10.0))
    angles = draw.uniform(-1, 1, 3)
    q[:3] = angles
    rates = [s.kernels.coordinate_rate(q, v) for s in systems]
    assert np.abs(rates[0] - rates[1]).max() < ROUNDING
    assert np.array_equal(rates[0][3:], v[3:])
    before, after = (
        Rotation.from_euler("ZYX", angles + sign * DIFFERENCE_STEP**0.5 * rates[0][:3]).as_matrix() for sign in (-1, 1)
    )
    slope = Rotation.from_euler("ZYX", angles).as_matrix().T @ (after - before) / (2 * DIFFERENCE_STEP**0.5)
    assert np.abs([slope[2, 1] - v[0], slope[0, 2] - v[1], slope[1, 0] - v[2]]).max() < DIFFERENCE**0.25


@pytest.mark.slow
def test_prescribed_motions_support_all_forms() -> None:
    """A body on a support with prescribed motion, by its angles or by its rotation."""
    ends = []
    for word in (None, "euler_angles", ANGLES, "euler_angles:lie"):
        model = sl.Model("shaken")
        support, body = model.node("support", "SO3xR3", **stored_by(word)), model.node("body", "R3")
        model.kinetic_energy(body.x_dot.dot(body.x_dot) / 2)
        model.potential_energy(9.81 * body.x[2])
        rod = body.x - support.x - support.R * sl.vector(0.1, 0.05, 0.02)
        model.constraint("rod", rod.dot(rod) - 0.09)
        angles, place = [sl.sin(model.t), 0.3 * model.t, 0.2 * model.t], [0, 0, sl.cos(model.t)]
        rotation = {"rotation": sl.rotation(euler="XYZ", angles=angles)} if word is None else {"angles_xyz": angles}
        model.prescribe(support, **rotation, x=place)
        model.initial(body, x=[0.1, 0.05, 0.72])
        model.output("place", body.x, unit="m")
        model.output("spin", support.Omega, unit="rad/s")
        found = sl.solve(model.derive().compile(backend="numpy"), 0.03, h=5e-3, method="half_explicit_5")
        ends.append(np.concatenate([found.outputs["place"][-1], found.outputs["spin"][-1]]))
    assert np.abs(np.array(ends[1:]) - ends[0]).max() < SAME_MOTION
