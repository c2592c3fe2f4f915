"""Bodies by classical coordinates: Euler angles, Euler parameters, rotation vectors as elements of Rⁿ."""

from __future__ import annotations

import functools
import math
import warnings
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie import retired
from symlie.derive.equations import Equations
from symlie.errors import ChartSingularityError, GroupError, ModelError
from symlie.groups.classical.coordinates import in_coordinates, parameters_by_name
from symlie.groups.standard import group_from_name
from symlie.ir.program import Program
from symlie.models import heavy_top
from symlie.runtime.system.system import System
from tests.evaluation import evaluate
from tests.spaces.coordinates import ANGULAR_VELOCITY, ON_GROUP, PARAMETER_RATES, stored_by
from tests.tolerances import DIFFERENCE, DIFFERENCE_STEP, IDENTITY

Array = NDArray[np.float64]

SAME_MOTION = 1e-9
"""Two formulations at steps of order five whose own errors are below 3e-10; issue of the evaluation of formulations."""

SAME_STEP = 1e-12
"""One step in C and in NumPy: rounding of a hundred operations on numbers up to a hundred."""

SAME_ROTATION = 1e-14
"""Angles of a rotation and back: some roundings."""


@functools.cache
def gyroscope_equations(coordinates: tuple[str | None, ...]) -> Equations:
    """A gyroscope in a gimbal with springs, loads of every kind, and outputs of every kind."""
    model = sl.Model("gyroscope")
    first, second = map(stored_by, coordinates)
    tilt = sl.rotation(euler="XYZ", angles=[0.5, 0.4, -0.3])
    frame = sl.RigidBody(model, "frame", 0.8, [0.02, 0.03, 0.04], orientation=tilt, **first)
    rotor = sl.RigidBody(model, "rotor", 1.5, [0.01, 0.02, 0.03], orientation=tilt, position=[0, 0, 0.2], **second)
    sl.SphericalJoint(model, "pivot", model.ground, frame, at=[0, 0, 0])
    axle = sl.RevoluteJoint(model, "axle", frame, rotor, at=[0, 0, 0.2], axis=[0, 0.6, 0.8])
    model.gravity([0, 0, -9.81])
    stiffness = model.parameter("stiffness", 3.0, unit="N/m")
    tip = frame.point([0.1, 0, 0.3])
    model.potential_energy(stiffness * tip.dot(tip) / 2)
    model.force(-0.2 * model.rate(tip), at=tip)
    model.torque(sl.vector(0.02, 0, -0.01), on=rotor.node)
    model.generalized_force(frame.node, Omega=-0.01 * frame.Omega)
    model.output("tip", tip, unit="m")
    model.output("attitude", rotor.R)
    model.output("spin", rotor.Omega, unit="rad/s")
    model.initial(axle, rate=3.0)
    return model.derive()


@functools.cache
def gyroscope(coordinates: tuple[str | None, ...], backend: str = "c") -> System:
    """The gyroscope, ready to run."""
    return gyroscope_equations(coordinates).compile(backend=backend)


REPORTED = ["tip", "attitude", "spin", "axle_angle", "axle_rate", "axle_force", "axle_moment"]


def reports(solution: sl.Solution) -> Array:
    return np.concatenate([np.ravel(solution.outputs[name][-1]) for name in REPORTED])


@functools.cache
def reference() -> Array:
    return reports(sl.solve(gyroscope((None, None)), 0.5, h=5e-4, method="half_explicit_5"))


MIXED = [
    ("euler_parameters", None),
    (None, "euler_angles"),
    ("euler_angles:angular_velocity", None),
    ("rotation_vector:angular_velocity", "euler_parameters"),
]


ANGLES = ("euler_angles", "euler_parameters")

QUICK = [("euler_angles_zxz:angular_velocity", "euler_angles:lie"), ANGLES, ("rotation_vector:parameter_rates", None)]
"""Of each form, and of each kind of parameters, one."""

ALIKE = [*MIXED, *((c, c) for c in [*ANGULAR_VELOCITY, *PARAMETER_RATES, *ON_GROUP])]


@pytest.mark.parametrize("coordinates", [*QUICK, *(pytest.param(c, marks=pytest.mark.slow) for c in ALIKE)])
def test_all_coordinates_have_the_same_motion(coordinates: tuple[str | None, ...]) -> None:
    solution = sl.solve(gyroscope(coordinates), 0.5, h=5e-4, method="half_explicit_5")
    difference = np.abs(reports(solution) - reference())
    assert difference.max() < SAME_MOTION * np.abs(reference()).max()


EACH = [(c, "half_explicit_5") for c in QUICK] + [(ANGLES, "generalized_alpha")]
BOTH = [((c, c), m) for c in PARAMETER_RATES for m in ("half_explicit_5", "generalized_alpha")]
ONE = [((c, c), "half_explicit_5") for c in [*ANGULAR_VELOCITY, *ON_GROUP[:2]]]


@pytest.mark.parametrize(
    ("coordinates", "method"),
    [*EACH, *(pytest.param(c, m, marks=pytest.mark.slow) for c, m in [*BOTH, *ONE])],
)
def test_backends_agree(coordinates: tuple[str | None, ...], method: str) -> None:
    compiled, plain = (
        sl.solve(gyroscope(coordinates, backend), 4e-3, h=1e-3, method=method) for backend in ("c", "numpy")
    )
    assert np.abs(compiled.q - plain.q).max() < SAME_STEP
    assert np.abs(compiled.v - plain.v).max() < SAME_STEP * np.abs(plain.v).max()


@pytest.mark.slow
def test_implicit_steps_converge_to_the_same_motion() -> None:
    """Error of order two in the coordinates, against the motion on the group."""
    errors = []
    for h in (2e-3, 1e-3, 5e-4):
        solution = sl.solve(gyroscope(ANGLES), 0.5, h=h, method="generalized_alpha")
        errors.append(np.abs(solution.outputs["tip"][-1] - reference()[:3]).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.abs(orders - 2).max() < 0.15, orders


def rotation_of(name: str, rho: Array) -> Rotation:
    field = parameters_by_name()[name].field
    if field == "p":
        return Rotation.from_quat(np.roll(rho, -1))
    if field == "psi":
        return Rotation.from_rotvec(rho)
    return Rotation.from_euler(field[-3:].upper(), rho)


@pytest.mark.slow
@pytest.mark.parametrize("name", parameters_by_name())
@given(seed=st.integers(0, 2**32 - 1))
def test_kinematic_equations_are_correct(name: str, seed: int) -> None:
    """R is a rotation, ω = G ρ' is its angular velocity, and G⁺ is an inverse of G."""
    parameters, draw = parameters_by_name()[name], np.random.default_rng(seed)
    start, rate = draw.normal(size=parameters.size), draw.normal(size=parameters.size)
    if parameters.size == 4:
        start /= np.linalg.norm(start)
        rate -= start * (start @ rate)
    symbols, slopes = (sympy.symbols(f"{letter}:{parameters.size}", real=True) for letter in ("rho", "rate"))
    program = Program()
    matrix = parameters.rotation(program, symbols)
    G, inverse = parameters.kinematic_matrix(program, symbols), parameters.inverse_kinematic_matrix(program, symbols)
    wanted = [*matrix, *G, *inverse]
    with mpmath.workdps(50):
        begin = [mpmath.mpf(x) for x in start]
        if parameters.size == 4:
            length = mpmath.sqrt(sum(x * x for x in begin))
            begin = [x / length for x in begin]
        along = [mpmath.mpf(x) for x in rate]
        if parameters.size == 4:
            part = sum(a * b for a, b in zip(begin, along, strict=True))
            along = [a - part * b for a, b in zip(along, begin, strict=True)]

        def at(s: float) -> list[mpmath.mpf]:
            return evaluate(program, wanted, {x: b + s * a for x, b, a in zip(symbols, begin, along, strict=True)}, 50)

        def split(values: list[mpmath.mpf]) -> tuple[mpmath.matrix, mpmath.matrix, mpmath.matrix]:
            n = parameters.size
            shapes = [(3, 3), (3, n), (n, 3)]
            ends = np.cumsum([0, *(a * b for a, b in shapes)])
            return tuple(
                mpmath.matrix(np.array(values[i:j], dtype=object).reshape(shape).tolist())
                for i, j, shape in zip(ends[:-1], ends[1:], shapes, strict=True)
            )

        R, kinematic, back = split(at(0))
        h = mpmath.mpf(DIFFERENCE_STEP)
        slope = (split(at(h))[0] - split(at(-h))[0]) / (2 * h)
        spin, omega = R.T * slope, kinematic * mpmath.matrix(along)
        scale = 1 + max(abs(x) for x in back) ** 3
        assert max(abs(x) for x in R.T * R - mpmath.eye(3)) < IDENTITY
        seen = (spin[2, 1], spin[0, 2], spin[1, 0])
        assert max(abs(a - b) for a, b in zip(seen, omega, strict=True)) < DIFFERENCE * scale
        assert max(abs(x) for x in kinematic * back - mpmath.eye(3)) < IDENTITY * scale
        del slopes
    assert (
        np.abs(np.array(R.tolist(), dtype=float) - rotation_of(name, np.array(begin, dtype=float)).as_matrix()).max()
        < SAME_ROTATION
    )


@given(seed=st.integers(0, 2**32 - 1))
@pytest.mark.parametrize("name", [n for n in parameters_by_name() if n.startswith("euler_angles")])
def test_angles_of_a_rotation_are_recovered(name: str, seed: int) -> None:
    axes = parameters_by_name()[name].field[-3:].upper()
    angles = np.array(sl.rotation(matrix=Rotation.random(random_state=seed).as_matrix()).euler_angles(axes))
    again = np.array(sl.rotation(euler=axes, angles=angles).matrix).reshape(3, 3)
    assert np.abs(again - Rotation.random(random_state=seed).as_matrix()).max() < SAME_ROTATION


@functools.cache
def top(coordinates: str) -> System:
    return heavy_top.build(group="SO3", coordinates=coordinates).derive().compile()


@pytest.mark.slow
def test_fast_top_passes_near_the_euler_singularity() -> None:
    """Errors of RK44 at 1 s as they were found by hand: 1.9e-2 m and 9.3e-4 m, and nonsense that is called so."""
    exact = sl.solve(top("lie"), 1, h=1e-5, method="rkmk_dopri5").outputs["center_of_mass"][-1]
    system = top("euler_angles")

    def error(h: float) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solution = sl.solve(system, 1, h=h, method="rkmk_rk44")
        return float(np.linalg.norm(solution.outputs["center_of_mass"][-1] - exact))

    assert error(1e-4) == pytest.approx(1.9e-2, rel=0.03)
    assert error(5e-5) == pytest.approx(9.3e-4, rel=0.03)
    with pytest.warns(UserWarning, match=r"coordinates of node 'top' are nearly singular: cos\(b\) is 0.06"):
        nonsense = sl.solve(system, 1, h=2.5e-4, method="rkmk_rk44").outputs["center_of_mass"][-1]
    assert np.linalg.norm(nonsense - exact) > 0.1
    with pytest.raises(ChartSingularityError, match="node 'top', where cos"):
        sl.solve(system, 1, h=1e-3, method="rkmk_rk44")


@pytest.mark.slow
def test_adaptive_steps_continue_near_the_singularity() -> None:
    exact = sl.solve(top("lie"), 1, h=1e-5, method="rkmk_dopri5").outputs["center_of_mass"][-1]
    found = sl.solve(top("euler_angles"), 1, rtol=1e-9, atol=1e-9, method="rkmk_dopri5").outputs["center_of_mass"][-1]
    assert np.linalg.norm(found - exact) < 1e-5  # a thousandfold of the tolerance; the motion is ill-conditioned there


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_rotation_vector_run_ends_after_a_full_turn(backend: str) -> None:
    model = sl.Model("spinning")
    body = model.node("body", "SO3", coordinates="rotation_vector", form="parameter_rates")
    model.kinetic_energy(body.Omega.dot(body.Omega) / 2)
    model.initial(body, Omega=[0, 0, 2])
    system = model.derive().compile(backend=backend)
    with pytest.raises(ChartSingularityError, match="'body'") as failure:
        sl.solve(system, 4, h=0.02, method="rkmk_rk44")
    assert abs(failure.value.solution.t[-1] - math.pi) < 0.02  # a step
    turned = failure.value.solution.field("body", "psi")[:, 2]
    assert np.abs(turned - 2 * failure.value.solution.t).max() < SAME_STEP


def test_unit_length_is_a_constraint() -> None:
    solution = sl.solve(gyroscope(ANGLES), 0.5, h=2e-3, method="generalized_alpha")
    p = solution.field("rotor", "p")
    lengths = np.einsum("ti,ti->t", p, p) - 1
    assert 0 < np.abs(lengths).max() < 1e-8  # index 3 keeps it as Newton's method leaves it
    named = solution.system.layout.constraints
    assert "rotor_unit_length" in named and "frame_unit_length" not in named, list(named)


def test_initial_angular_velocity_and_rates_agree() -> None:
    """Ω, or rates that belong to it, also where a run is to start from others than the model states."""
    spin = [0.1, 20.0, 3.0]
    system = top("euler_angles").with_initial("top", Omega=spin)
    stated = system.stated_state().v
    assert np.abs(parameters_by_name()["euler_angles"].rates_by_spin(np.zeros(3)) @ spin - stated).max() < SAME_STEP
    same = top("euler_angles").with_initial("top", angles_xyz_dot=stated)
    assert np.array_equal(same.stated_state().v, stated)
    with pytest.raises(ModelError, match="cannot start from"):
        system.with_initial("top", angles_xyz_dot=stated)


def test_unsupported_features_are_rejected() -> None:
    model = sl.Model("refusals")
    with pytest.raises(
        GroupError, match="Unknown coordinates 'cardan'; use lie, quaternion, rotation_vector, euler_angles"
    ):
        model.node("a", "SO3xR3", coordinates="cardan")
    with pytest.raises(GroupError, match="R3 cannot be stored in the coordinates euler_angles"):
        model.node("a", "R3", coordinates="euler_angles")
    with pytest.raises(GroupError, match="SE3 cannot be stored"):
        model.node("a", "SE3", coordinates="euler_parameters")
    with pytest.raises(GroupError, match="quaternion have no form"):
        model.node("a", "SO3", coordinates="quaternion", form="parameter_rates")
    with pytest.raises(GroupError, match="euler_angles have no form 3; use one of angular_velocity, parameter_rates"):
        model.node("a", "SO3", coordinates="euler_angles", form=3)
    with pytest.raises(GroupError, match="Euler parameters have the form parameter_rates only"):
        model.node("a", "SO3", coordinates="euler_parameters", form="angular_velocity")
    with pytest.raises(GroupError, match="Euler parameters with steps on the group, use coordinates=quaternion"):
        model.node("a", "SO3", coordinates="euler_parameters", step="lie")
    with pytest.raises(GroupError, match="Unknown step='cayley'"):
        model.node("a", "SO3", coordinates="euler_angles", step="cayley")
    with pytest.raises(GroupError, match="Both step=lie and form='angular_velocity' are given"):
        model.node("a", "SO3", coordinates="euler_angles", form="angular_velocity", step="lie")
    with pytest.raises(ModelError, match="step='lie' requires coordinates="):
        model.node("a", "SO3", step="lie")
    with pytest.raises(ModelError, match="requires coordinates="):
        model.node("a", "SO3", form="parameter_rates")
    body = model.node("a", "SO3", coordinates="euler_angles")
    with pytest.raises(ModelError, match="given twice, as Omega and as angles_xyz_dot"):
        model.initial(body, Omega=[0, 0, 1], angles_xyz_dot=[0, 0, 1])
    with pytest.raises(ModelError, match="at the singularity of euler_angles, where"):
        model.initial(body, rotation=sl.rotation(euler="XYZ", angles=[0.1, math.pi / 2, 0]))
    with pytest.raises(ModelError, match=r"a\.Omega needs 3 components, not 2"):
        model.generalized_force(body, Omega=[1, 2])


@pytest.mark.parametrize(("number", "form"), retired.VALUES["form"].items())
def test_numeric_form_names_give_a_warning(number: Any, form: str) -> None:
    with pytest.warns(sl.SymlieWarning, match=f"form={number} is an old name of form='{form}'; use the new one"):
        old = sl.Model("old").node("a", "SO3xR3", coordinates="euler_angles", form=number)
    assert old.group is sl.Model("new").node("a", "SO3xR3", coordinates="euler_angles", form=form).group


def test_start_at_the_singularity_is_rejected() -> None:
    model = sl.Model("upright")
    body = model.node("body", "SO3", coordinates="euler_angles_zxz")
    model.kinetic_energy(body.Omega.dot(body.Omega) / 2)
    with pytest.raises(ModelError, match="node 'body' is at the singularity of its coordinates, where sin"):
        sl.solve(model.derive().compile(), 1, h=0.1, method="rkmk_rk44")
    model.initial(body, Omega=[0, 0, 1])
    with pytest.raises(ModelError, match="singularity of euler_angles_zxz"):
        model.derive().compile()


def test_coordinates_match_the_group() -> None:
    assert in_coordinates(group_from_name("SO3xR3"), "quaternion").simple_factors[0][0].name == "S3"
    assert in_coordinates(group_from_name("S3xR3"), "lie").simple_factors[0][0].name == "SO3"
    assert in_coordinates(group_from_name("SO3"), "rotation_vector").name == "SO3rv"


SECOND_ORDER = 1e-4
"""Errors of methods of order two and more at h ω = 3e-3: its square times ten for constants of theirs."""

OTHERS = ["taylor", "rattlie", "bdf2", "variational_midpoint", "index1_dopri5", "generalized_alpha_index2"]


@pytest.mark.parametrize("coordinates", ["euler_angles", "euler_parameters"])
@pytest.mark.parametrize("method", [OTHERS[0], *(pytest.param(m, marks=pytest.mark.slow) for m in OTHERS[1:])])
def test_all_method_families_are_supported(method: str, coordinates: str) -> None:
    """A mild top, against the motion on the group."""
    exact, end = (
        sl.solve(top(name).with_initial("top", Omega=[0.5, 3, 0.2]), 0.5, method=how, **steps)
        for name, how, steps in (
            ("lie", "rkmk_rk67", {"h": 1e-3}),
            (coordinates, method, {"rtol": 1e-10} if method == "taylor" else {"h": 1e-3}),
        )
    )
    distance = np.linalg.norm(end.outputs["center_of_mass"][-1] - exact.outputs["center_of_mass"][-1])
    assert distance < (SAME_MOTION if method in ("taylor", "index1_dopri5") else SECOND_ORDER)
