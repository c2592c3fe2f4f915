"""Constraints that are nonlinear in the velocities: ψ(t, q, v) = 0 with reactions -(∂ψ/∂v)ᵀλ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import symlie as sl
from symlie.runtime.layout.layout import Array
from tests import tolerances

G = 9.81
BACKENDS = ("numpy", "c")


@cache
def perpendicular(backend: str, level: str = "velocity") -> sl.System:
    """Two particles on a spring whose velocities stay perpendicular."""
    model = sl.Model("perpendicular")
    a, b = model.node("a", "R2"), model.node("b", "R2")
    model.kinetic_energy(a.x_dot.dot(a.x_dot) / 2 + b.x_dot.dot(b.x_dot))
    model.potential_energy(G * (a.x[1] + 2 * b.x[1]) + 10 * (a.x - b.x).dot(a.x - b.x))
    if level == "velocity":
        model.nonholonomic_constraint("perpendicular", a.x_dot.dot(b.x_dot))
    else:
        model.acceleration_constraint("perpendicular", a.x_dot.dot(b.v_dot) + b.x_dot.dot(a.v_dot))
    model.initial(a, x=[0, 0], x_dot=[1, 0])
    model.initial(b, x=[1, 0], x_dot=[0, 2])
    return model.derive().compile(backend=backend)


@cache
def perpendicular_at(t: float) -> tuple[Array, float]:
    """Positions and velocities, and λ, by SciPy."""
    inverse = np.array([1, 1, 0.5, 0.5])

    def forces(y: Array) -> tuple[Array, Array, float]:
        xa, xb, va, vb = y.reshape(4, 2)
        force = np.r_[-20 * (xa - xb) - [0, G], 20 * (xa - xb) - [0, 2 * G]]
        row = np.r_[vb, va]
        return force, row, float(row @ (inverse * force) / (row @ (inverse * row)))

    def rates(_: float, y: Array) -> Array:
        force, row, multiplier = forces(y)
        return np.r_[y[4:], inverse * (force - row * multiplier)]

    start = np.array([0, 0, 1, 0, 1, 0, 0, 2.0])
    end = solve_ivp(rates, (0, t), start, rtol=1e-12, atol=1e-13, method="DOP853").y[:, -1]
    return end, forces(end)[2]


METHODS: Mapping[str, tuple[Mapping[str, Any], float]] = {
    "half_explicit_5": ({"rtol": 1e-10}, 1e-7), "index1_dopri5": ({"rtol": 1e-10}, 1e-7),
    "taylor": ({"rtol": 1e-12}, 1e-9), "half_explicit_2": ({"h": 1e-3}, 1e-4),
    "generalized_alpha": ({"h": 1e-3}, 1e-4), "generalized_alpha_index2": ({"h": 1e-3}, 1e-4),
    "bdf": ({"rtol": 1e-7}, 1e-4), "bdf4": ({"h": 1e-3}, 1e-6), "bdf3_index2": ({"h": 1e-3}, 1e-5),
    "bdf2_increments": ({"h": 1e-3}, 1e-4),
}  # fmt: skip
"""Methods with how they step and how close to the reference they come."""


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_methods_agree_with_a_reference(method: str) -> None:
    arguments, tolerance = METHODS[method]
    run = sl.solve(perpendicular("c"), 0.5, method=method, **arguments)
    end, _ = perpendicular_at(0.5)
    np.testing.assert_allclose(np.r_[run.q[-1], run.v[-1]], end, rtol=0, atol=tolerance)
    drift = np.abs((run.v[:, :2] * run.v[:, 2:]).sum(axis=1)).max()
    assert drift <= (tolerances.CLOSED if method[:4] in ("half", "tayl") else 1e-6)


@pytest.mark.parametrize("method", ["half_explicit_5", "taylor", "generalized_alpha", "bdf2", "index1_dopri5"])
def test_backends_agree(method: str) -> None:
    c, numpy = (sl.solve(perpendicular(b), 0.1, h=0.01, method=method) for b in ("c", "numpy"))
    for name in ("q", "v", "multipliers"):
        x, y = getattr(c, name), getattr(numpy, name)
        np.testing.assert_allclose(x, y, rtol=0, atol=tolerances.BACKENDS_OF_NONLINEAR_ROWS * np.abs(x).max())


@pytest.mark.parametrize("backend", BACKENDS)
def test_adaptive_steps_and_projection_satisfy_the_constraint(backend: str) -> None:
    """The estimate of a half-explicit method solves its stage by Newton's method, too, and so does the projection."""
    system, (end, _) = perpendicular(backend), perpendicular_at(0.1)
    for stabilize in ("none", "projection+velocity"):
        run = sl.solve(system, 0.1, rtol=1e-9, stabilize=stabilize)
        np.testing.assert_allclose(np.r_[run.q[-1], run.v[-1]], end, rtol=0, atol=1e-6)
    kept = sl.solve(system, 0.2, h=0.01, method="index1_dopri5", stabilize="velocity")
    assert np.abs((kept.v[:, :2] * kept.v[:, 2:]).sum(axis=1)).max() <= tolerances.CLOSED


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "q", "multipliers"),
    [("half_explicit_2", 2, 1), ("half_explicit_3", 3, 2), ("half_explicit_4", 4, 3), ("half_explicit_5", 5, 4),
     ("generalized_alpha", 2, 2), ("bdf2", 2, 2)],
)  # fmt: skip
def test_methods_have_their_declared_order(method: str, q: int, multipliers: int) -> None:
    """Methods keep the orders that they have with constraints that are linear in the velocities."""
    end, multiplier = perpendicular_at(0.5)
    errors = []
    for h in (1 / 64, 1 / 128, 1 / 256):
        run = sl.solve(perpendicular("c"), 0.5, h=h, method=method)
        of_state = float(np.abs(np.r_[run.q[-1], run.v[-1]] - end).max())
        errors.append((of_state, abs(float(run.multipliers[-1, 0]) - multiplier)))
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(orders[-1] > np.array([q, multipliers]) - 0.3), orders


@pytest.mark.parametrize("method", ["index1_dopri5", "taylor"])
def test_constraint_may_be_given_by_accelerations(method: str) -> None:
    end, _ = perpendicular_at(0.5)
    run = sl.solve(perpendicular("c", "acceleration"), 0.5, rtol=1e-10, method=method)
    np.testing.assert_allclose(np.r_[run.q[-1], run.v[-1]], end, rtol=0, atol=1e-7)


def particle(constraint: Callable[[Any], Any], v: Any, name: str = "constraint", backend: str = "c") -> sl.System:
    """A particle of 2 kg that falls in the plane or in space under a constraint on its velocity."""
    model = sl.Model("falling")
    node = model.node("p", f"R{len(v)}")
    model.kinetic_energy(node.x_dot.dot(node.x_dot))
    model.potential_energy(2 * G * node.x[len(v) - 1])
    model.nonholonomic_constraint(name, constraint(node.x_dot))
    model.initial(node, x=[0] * len(v), x_dot=v)
    return model.derive().compile(backend=backend)


@cache
def of_constant_speed(form: str) -> sl.System:
    forms: dict[str, Callable[[Any], Any]] = {
        "square": lambda v: v.dot(v) - 4,
        "speed": lambda v: sl.sqrt(v.dot(v)) - 2,
        "inverse": lambda v: 1 - 4 / v.dot(v),
    }
    return particle(forms[form], [2, 0])


@pytest.mark.slow
@pytest.mark.parametrize("form", ["square", "speed", "inverse"])
def test_constant_speed_path_is_a_catenary_of_equal_resistance(form: str) -> None:
    """Its path is y = (c²/g) ln cos(g x/c²), passed as x = (c²/g) gd(g t/c), however the constraint is written."""
    c, scale = 2.0, 4.0 / G
    run = sl.solve(of_constant_speed(form), 1, rtol=1e-10)
    x = scale * 2 * np.arctan(np.tanh(G * run.t / c / 2))
    y = -scale * np.log(np.cosh(G * run.t / c))
    np.testing.assert_allclose(run.q, np.stack([x, y], axis=1), rtol=0, atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(run.v, axis=1), c, rtol=1e-12)
    # The reaction -Bᵀλ brakes along the path: m g tanh(g t/c).
    force = run.constraint_force("p")
    np.testing.assert_allclose(np.linalg.norm(force, axis=1), 2 * G * np.tanh(G * run.t / c), rtol=0, atol=1e-5)


def test_energy_change_by_reactions_gives_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    """Reactions of v·v = c² do work; those of homogeneous constraints do none, and there energy is watched and kept."""
    system = of_constant_speed("square")
    assert not system.layout.conserves_energy
    run = sl.solve(system, 1, rtol=1e-8)
    assert run.outputs["energy"][-1] < run.outputs["energy"][0] - 10
    homogeneous = perpendicular("c")
    assert homogeneous.layout.conserves_energy
    kept = sl.solve(homogeneous, 0.5, rtol=1e-10)
    np.testing.assert_allclose(kept.outputs["energy"], kept.outputs["energy"][0], rtol=1e-8)
    assert not [w for w in recwarn if "energy" in str(w.message)]


@pytest.mark.slow
@given(k=st.floats(0.2, 3), angle=st.floats(0, 6.2), speed=st.floats(0.1, 5))
def test_appell_hamel_particle_slides_along_a_line(k: float, angle: float, speed: float) -> None:
    """ẋ² + ẏ² = k² ż²: the particle slides along a straight line, downwards with g/(1 + k²)."""
    model = sl.Model("cone")
    node, ratio = model.node("p", "R3"), model.parameter("k", 1.0)
    model.kinetic_energy(node.x_dot.dot(node.x_dot) / 2)
    model.potential_energy(G * node.x[2])
    v = node.x_dot
    model.nonholonomic_constraint("cone", v[0] ** 2 + v[1] ** 2 - ratio**2 * v[2] ** 2)
    model.initial(node, x=[0, 0, 0], x_dot=[1, 0, -1])
    system = COMPILED.setdefault("cone", model.derive().compile())
    along = k * np.array([np.cos(angle), np.sin(angle)])
    run = sl.solve(system.with_parameters(k=k).with_initial("p", x_dot=[*(speed * along), -speed]), 1, rtol=1e-9)
    fallen = speed + G / (1 + k**2) / 2
    np.testing.assert_allclose(run.q[-1], [*(fallen * along), -fallen], rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(run.outputs["energy"], run.outputs["energy"][0], rtol=1e-7, atol=1e-7)


COMPILED: dict[str, sl.System] = {}


@pytest.mark.parametrize("v", [None, [0, 0, 0]])
def test_apex_of_the_cone_is_rejected(v: list[float] | None) -> None:
    model = sl.Model("cone")
    node = model.node("p", "R3")
    model.kinetic_energy(node.x_dot.dot(node.x_dot) / 2)
    model.nonholonomic_constraint("cone", node.x_dot[0] ** 2 - node.x_dot[2] ** 2)
    model.initial(node, x=[0, 0, 0], **({} if v is None else {"x_dot": v}))
    with pytest.raises(sl.errors.InconsistentInitialValuesError, match=r"nonlinear in the velocities.*give initial"):
        sl.solve(model.derive().compile(backend="numpy"), 1)


def two_particles(given: float, name: str, scale: float = 1.0) -> sl.System:
    """Particles of 1 kg and 2 kg whose velocities are parallel (Benenti); the velocity of the second one is open."""
    model = sl.Model(name)
    a, b = model.node("a", "R2"), model.node("b", "R2")
    model.kinetic_energy(scale * (a.x_dot.dot(a.x_dot) / 2 + b.x_dot.dot(b.x_dot)))
    model.potential_energy(scale * G * (a.x[1] + 2 * b.x[1]))
    model.nonholonomic_constraint("parallel", scale * (a.x_dot[0] * b.x_dot[1] - a.x_dot[1] * b.x_dot[0] + given))
    model.initial(a, x=[0, 0], x_dot=[1, 0.5])
    model.initial(b, x=[1, 0])
    return model.derive().compile(backend="numpy")


def test_unspecified_velocities_minimise_the_kinetic_energy() -> None:
    """v_a × v_b = -1 leaves v_b a line; its nearest point to zero is perpendicular to v_a."""
    system = two_particles(1.0, "benenti")
    v = system.initial_state.v
    np.testing.assert_allclose(v, [1, 0.5, 0.4, -0.8], rtol=0, atol=1e-12)
    other = two_particles(1.0, "benenti_scaled", scale=1e3).initial_state.v
    np.testing.assert_allclose(other, v, rtol=0, atol=1e-12)


def test_unspecified_velocities_of_a_curve_are_completed() -> None:
    """r + r³/3 = 2 for r = ẋ_b + ẋ_a/2: Newton's method finds the velocity that the given one leaves open."""
    model = sl.Model("cubic")
    a, b = model.node("a", "R2"), model.node("b", "R1")
    model.kinetic_energy(a.x_dot.dot(a.x_dot) / 2 + b.x_dot.dot(b.x_dot) / 2)
    rate = b.x_dot[0] + 0.5 * a.x_dot[0]
    model.nonholonomic_constraint("rate", rate + rate**3 / 3 - a.x_dot[1])
    model.initial(a, x=[0, 0], x_dot=[1, 2])
    model.initial(b, x=[0])
    found = model.derive().compile(backend="numpy").initial_state.v[2] + 0.5
    assert abs(found + found**3 / 3 - 2) < 1e-12


def test_velocities_that_violate_the_constraint_are_rejected() -> None:
    with pytest.raises(sl.errors.InconsistentInitialValuesError, match="row 1 of constraint 'speed'"):
        sl.solve(particle(lambda v: v.dot(v) - 4, [2.1, 0], "speed", "numpy"), 1)


@cache
def sledge(form: str) -> sl.System:
    """A knife edge on a slope, its constraint written directly or as a function that vanishes with it."""
    model = sl.Model("sledge")
    q = model.node("blade", "SE2")
    model.kinetic_energy(q.U.dot(q.U) / 2 + q.Omega.dot(q.Omega) / 4)
    model.potential_energy(2 * q.x[0])
    slip = q.U[1] - q.Omega[0] / 3
    forms = {"affine": slip, "exponential": sl.exp(slip) - 1, "cubic": slip + slip**2 + slip**3}
    model.nonholonomic_constraint("edge", forms[form])
    model.initial(q, x=[0, 0], U=[0.2, 0.5], Omega=1.5)
    return model.derive().compile()


@pytest.mark.slow
@pytest.mark.parametrize("form", ["exponential", "cubic"])
@pytest.mark.parametrize("method", ["half_explicit_4", "taylor", "generalized_alpha", "bdf2"])
def test_forms_of_an_affine_constraint_agree(form: str, method: str) -> None:
    """∂ψ/∂v is the same on the constraint, so that all methods give the same motion and multipliers."""
    affine, other = (sl.solve(sledge(f), 1, h=0.01, method=method) for f in ("affine", form))
    for name in ("q", "v", "multipliers"):
        x, y = getattr(affine, name), getattr(other, name)
        np.testing.assert_allclose(y, x, rtol=0, atol=tolerances.FORMS_OF_ROWS * max(1.0, np.abs(x).max()))


def test_resuming_is_exact() -> None:
    for method in ("half_explicit_5", "bdf", "generalized_alpha"):
        arguments: dict[str, Any] = {"rtol": 1e-6, "method": method}
        whole = sl.solve(perpendicular("c"), 0.3, t_eval=[0.1, 0.3], **arguments)
        first = sl.solve(perpendicular("c"), 0.1, **arguments)
        second = sl.solve(perpendicular("c"), 0.3, start=first, **arguments)
        assert second.q[-1].tobytes() == whole.q[-1].tobytes()
        assert second.v[-1].tobytes() == whole.v[-1].tobytes()


@pytest.mark.slow
@given(length=st.floats(0.01, 100), time=st.floats(0.1, 10), mass=st.floats(0.01, 100), weight=st.floats(1e-3, 1e3))
def test_units_do_not_change_the_motion(length: float, time: float, mass: float, weight: float) -> None:
    """A constant speed in other units, its constraint multiplied by a number."""
    model = COMPILED.get("units")
    if model is None:
        stated = sl.Model("units")
        p = stated.node("p", "R2")
        m, g, c, w = (stated.parameter(name, 1.0) for name in ("m", "g", "c", "w"))
        stated.kinetic_energy(m * p.x_dot.dot(p.x_dot) / 2)
        stated.potential_energy(m * g * p.x[1])
        stated.nonholonomic_constraint("speed", w * (p.x_dot.dot(p.x_dot) - c**2))
        stated.initial(p, x=[0, 0], x_dot=[1, 0])
        model = COMPILED.setdefault("units", stated.derive().compile())
    speed = 2 * length / time
    system = model.with_parameters(m=mass, g=G * length / time**2, c=speed, w=weight)
    run = sl.solve(system.with_initial("p", x_dot=[speed, 0]), time, h=time / 50)
    reference = of_constant_speed("square")
    expected = COMPILED_RUNS.setdefault("speed", sl.solve(reference, 1, h=1 / 50))
    np.testing.assert_allclose(run.q[-1] / length, expected.q[-1], rtol=1e-10)
    np.testing.assert_allclose(run.v[-1] * time / length, expected.v[-1], rtol=1e-10, atol=1e-12)


COMPILED_RUNS: dict[str, sl.Solution] = {}


@pytest.mark.parametrize("method", ["rattlie", "variational_midpoint"])
def test_variational_methods_reject_nonlinear_constraints(method: str) -> None:
    with pytest.raises(sl.errors.UnsupportedMethodError, match="nonlinear in the velocities"):
        sl.solve(perpendicular("numpy"), 1, h=0.1, method=method)


def test_monodromy_rejects_nonlinear_constraints() -> None:
    with pytest.raises(sl.errors.ModelError, match="nonlinear in the velocities"):
        perpendicular("numpy").monodromy(1.0)


def test_equilibria_ignore_nonlinear_constraints() -> None:
    """At rest ∂ψ/∂v may not even be defined."""
    model = sl.Model("speed_on_a_spring")
    p = model.node("p", "R2")
    model.kinetic_energy(p.x_dot.dot(p.x_dot) / 2)
    model.potential_energy(50 * p.x.dot(p.x) + G * p.x[1])
    model.nonholonomic_constraint("speed", sl.sqrt(p.x_dot.dot(p.x_dot)) - 2)
    model.initial(p, x=[0, 0], x_dot=[2, 0])
    q, *_ = model.derive().compile(backend="numpy").static_equilibrium()
    np.testing.assert_allclose(q, [0, -G / 100], rtol=0, atol=1e-9)


@pytest.mark.parametrize("group", ["S3xR3", "SE3"])
def test_conservation_of_energy_is_independent_of_the_group(group: str) -> None:
    """A constant speed needs power, perpendicular velocities need none; in SE3 velocities are rotated."""
    for name, conserves in (("speed", False), ("perpendicular", True)):
        model = sl.Model("of_constant_speed")
        body = sl.RigidBody(model, "body", 1.0, [1.0, 2.0, 3.0], group)
        velocity = body.velocity_of([0, 0, 0])
        product = velocity.dot(velocity) - 4 if name == "speed" else velocity.dot(body.R * body.Omega)
        model.nonholonomic_constraint(name, product)
        model.gravity([0, 0, -9.81])
        assert model.derive().compile(backend="numpy").layout.conserves_energy == conserves


def test_linearization_ignores_constraints_without_rows_at_rest() -> None:
    """The velocities of two oscillators are perpendicular, and one of them is a skate: its row is independent."""
    model = sl.Model("skate_and_perpendicular")
    a, b = model.node("a", "R2"), model.node("b", "R2")
    model.kinetic_energy((a.x_dot.dot(a.x_dot) + b.x_dot.dot(b.x_dot)) / 2)
    model.potential_energy((4 * a.x.dot(a.x) + 9 * b.x.dot(b.x)) / 2)
    model.nonholonomic_constraint("perpendicular", a.x_dot.dot(b.x_dot))
    model.nonholonomic_constraint("skate", a.x_dot[0])
    model.initial(a, x=[0, 0], x_dot=[0, 1])
    model.initial(b, x=[0, 0], x_dot=[1, 0])
    system = model.derive().compile(backend="numpy")
    q, multipliers, _ = system.static_equilibrium()
    found = system.linearize(q, multipliers)
    frequencies = np.sort(np.abs(found.eigenvalues.imag))
    np.testing.assert_allclose(frequencies, [0] * (len(frequencies) - 6) + [2, 2, 3, 3, 3, 3], rtol=0, atol=1e-9)


def test_newton_matrices_contain_derivatives_of_reactions() -> None:
    """C has ∂(Bᵀλ)/∂v, compared with differences."""
    system = perpendicular("numpy")
    m, q = system.mechanics, np.array([0.1, -0.3, 0.8, 0.2])
    v, multipliers = np.array([1.0, 0.3, -0.2, 0.7]), np.array([1.7])
    _, damping, _ = system.newton_matrices(m.p, 0.0, q, v, 0 * v, multipliers)

    def force(v: Array) -> Array:
        return m.force(0.0, q, v) + m.algebra.pull(m.jacobian(0.0, q, v), multipliers)

    found = np.stack([(force(v + e) - force(v - e)) / 2 for e in np.eye(4)], axis=1)
    np.testing.assert_allclose(damping.toarray(), found, rtol=0, atol=1e-12)
    assert np.abs(found).max() > 1


def test_members_equal_single_systems() -> None:
    system, speeds = of_constant_speed("square"), [[2, 0], [0, 2], [1.2, 1.6]]
    found = sl.ensemble(system, 0.5, initial={"p": {"x_dot": speeds}}, h=0.02)
    for k, v in enumerate(speeds):
        alone = sl.solve(system.with_initial("p", x_dot=v), 0.5, h=0.02)
        assert found.member(k).q.tobytes() == alone.q.tobytes()


def test_equations_name_psi() -> None:
    model = sl.Model("speed")
    p = model.node("p", "R2")
    model.kinetic_energy(p.x_dot.dot(p.x_dot) / 2)
    model.nonholonomic_constraint("speed", p.x_dot.dot(p.x_dot) - 4)
    model.initial(p, x=[0, 0], x_dot=[2, 0])
    text = model.derive().markdown(newton=True)
    assert r"\psi(t, q, v) &= 0" in text and r"B = \partial \psi / \partial v" in text


@pytest.mark.parametrize("count", [3, 10, pytest.param(40, marks=pytest.mark.slow)])
def test_massless_nodes_follow_points_of_constant_speed(count: int) -> None:
    """Small and large systems whose mass matrix is regular on the constraints alone, with both backends."""
    model = sl.Model("speeds")
    points = []
    for k in range(count):
        point, marker = model.node(f"point{k}", "R2"), model.node(f"marker{k}", "R2")
        model.kinetic_energy(point.x_dot.dot(point.x_dot) / 2)
        model.potential_energy(9.81 * marker.x[1] / 2)
        model.constraint(f"tie{k}", marker.x - 2 * point.x)
        model.nonholonomic_constraint(f"speed{k}", point.x_dot.dot(point.x_dot) - 1)
        model.initial(point, x=[0.3 * k, 0], x_dot=[np.cos(0.3 * k), np.sin(0.3 * k)])
        model.initial(marker, x=[0.6 * k, 0])
        if points:
            chord = point.x - points[-1].x
            model.potential_energy(chord.dot(chord) / 2)
        points.append(point)
    equations = model.derive()
    c, numpy = (sl.solve(equations.compile(backend=b), 0.5, method="half_explicit_5", h=0.02) for b in BACKENDS[::-1])
    assert np.abs(c.q - numpy.q).max() <= tolerances.BACKENDS
    assert np.abs(c.multipliers - numpy.multipliers).max() <= tolerances.BACKENDS * np.abs(numpy.multipliers).max()
    for point in points:
        speed = np.linalg.norm(c.field(point.name, "x_dot"), axis=-1)
        assert np.abs(speed - 1).max() <= tolerances.REDUCED
