"""Coordinates without mass that a balance of forces determines: algebraic unknowns, and dampers of first order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import root

import symlie as sl
from symlie.derive import balances
from symlie.ir.program import needed_symbols
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.pivot_blocks import pivot_blocks
from symlie.runtime.linear.saddle import saddle_unknowns
from tests import tolerances

BACKENDS = ("numpy", "c")
G = 9.81


@cache
def three_springs(backend: str = "c") -> sl.System:
    """Three springs meet in a point without mass; the third one bears a body of 0.8 kg."""
    model = sl.Model("three_springs")
    p, body = model.node("p", "R3"), model.node("body", "R3")
    model.kinetic_energy(0.8 * body.x_dot.dot(body.x_dot) / 2)
    for a, b, stiffness in ((p.x, [0.3, 0, 0], 20), (p.x, [0, 0, 0.3], 20), (p.x, body.x, 40)):
        d = a - sl.vector(*b)
        model.potential_energy(stiffness * (sl.sqrt(d.dot(d)) - 0.1) ** 2 / 2)
    model.potential_energy(0.8 * G * body.x[1])
    model.initial(p, x=[0.1, -0.2, 0.1])
    model.initial(body, x=[0.1, -0.4, 0.1])
    return model.derive().compile(backend=backend)


def pull(a: Array, b: Array, stiffness: float) -> Array:
    d = b - a
    return np.asarray(stiffness * (np.linalg.norm(d) - 0.1) * d / np.linalg.norm(d))


@cache
def three_springs_at(t: float) -> Array:
    """Body, its velocity, and the point, by SciPy with the point solved for in each evaluation."""
    guess = np.array([0.1, -0.2, 0.1])

    def point(x: Array) -> Array:
        def force(p: Array) -> Array:
            return pull(p, np.array([0.3, 0, 0]), 20) + pull(p, np.array([0, 0, 0.3]), 20) + pull(p, x, 40)

        guess[:] = root(force, guess, tol=1e-11).x
        return guess.copy()

    def rates(_: float, y: Array) -> Array:
        return np.r_[y[3:], (pull(y[:3], point(y[:3]), 40) - [0, 0.8 * G, 0]) / 0.8]

    end = solve_ivp(rates, (0, t), [0.1, -0.4, 0.1, 0, 0, 0], rtol=1e-11, atol=1e-12, method="DOP853").y[:, -1]
    return np.r_[end, point(end[:3])]


METHODS: Mapping[str, tuple[Mapping[str, Any], float]] = {
    "half_explicit_5": ({"rtol": 1e-9}, 1e-7), "index1_dopri5": ({"rtol": 1e-9}, 1e-7),
    "taylor": ({"rtol": 1e-12}, 1e-9),
    "half_explicit_3": ({"h": 5e-3}, 1e-5), "generalized_alpha": ({"h": 5e-3}, 1e-4),
    "generalized_alpha_index2": ({"h": 5e-3}, 1e-4), "bdf": ({"rtol": 1e-7}, 1e-4), "bdf3": ({"h": 5e-3}, 1e-4),
    "rattlie": ({"h": 5e-3}, 1e-4),
}  # fmt: skip
"""Methods with how they step and how close to the reference they come."""


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_methods_agree_with_a_reference(method: str) -> None:
    arguments, tolerance = METHODS[method]
    run = sl.solve(three_springs(), 2, method=method, **arguments)
    expected = three_springs_at(2.0)
    np.testing.assert_allclose(run.field("body", "x")[-1], expected[:3], rtol=0, atol=tolerance)
    np.testing.assert_allclose(run.field("p", "x")[-1], expected[6:], rtol=0, atol=tolerance)
    np.testing.assert_allclose(expected[:3], [0.16777, -0.73350, 0.16777], rtol=0, atol=1e-5)
    # The balance exerts no force.
    assert np.abs(run.multipliers).max() <= tolerances.FORCE_OF_BALANCES
    assert len(run.t) < 500


@pytest.mark.slow
@pytest.mark.parametrize("method", ["half_explicit_5", "taylor", "generalized_alpha", "bdf2", "index1_dopri5"])
def test_backends_agree(method: str) -> None:
    c, numpy = (sl.solve(three_springs(b), 0.2, h=0.02, method=method) for b in BACKENDS)
    for name in ("q", "v"):
        x, y = getattr(c, name), getattr(numpy, name)
        np.testing.assert_allclose(x, y, rtol=0, atol=tolerances.BACKENDS_OF_NONLINEAR_ROWS * np.abs(x).max())


@pytest.mark.parametrize("method", ["half_explicit_5", "bdf", "generalized_alpha"])
def test_resuming_is_exact(method: str) -> None:
    arguments: dict[str, Any] = {"rtol": 1e-6, "method": method}
    whole = sl.solve(three_springs(), 0.6, t_eval=[0.2, 0.6], **arguments)
    first = sl.solve(three_springs(), 0.2, **arguments)
    second = sl.solve(three_springs(), 0.6, start=first, **arguments)
    assert second.q[-1].tobytes() == whole.q[-1].tobytes()


def test_initial_balances_converge_from_guesses() -> None:
    """The point moves to its force balance; the body remains at its given position."""
    for guess in ([0.1, -0.2, 0.1], [0.3, -0.5, 0.2], [0.1, 0.1, 0.1]):
        state = three_springs("numpy").with_initial("p", x=guess, x_dot=[1, 2, 3]).initial_state
        np.testing.assert_allclose(state.q[:3], three_springs_at(1e-9)[6:], rtol=0, atol=1e-7)
        assert state.q[3:].tolist() == [0.1, -0.4, 0.1] and not state.v.any()
    moving = three_springs("numpy").with_initial("body", x_dot=[0.3, 0.2, -0.1])
    state, h = moving.initial_state, 1e-5
    ends = [moving.with_initial("body", x=state.q[3:] + s * h * state.v[3:]).initial_state.q[:3] for s in (1, -1)]
    np.testing.assert_allclose(state.v[:3], (ends[0] - ends[1]) / (2 * h), rtol=0, atol=1e-7)


def test_energy_is_conserved_and_monitored() -> None:
    system = three_springs()
    assert system.layout.conserves_energy
    energy = sl.solve(system, 2, rtol=1e-9).outputs["energy"]
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=1e-7)


def test_linearisation_has_no_spurious_modes() -> None:
    system = three_springs("numpy")
    q, *_ = system.static_equilibrium()
    force = pull(q[:3], np.array([0.3, 0, 0]), 20) + pull(q[:3], np.array([0, 0, 0.3]), 20)
    np.testing.assert_allclose(force, [0, 0.8 * G, 0], rtol=0, atol=1e-8)
    values = system.linearize(q).eigenvalues

    def reduced(x: Array) -> Array:
        def balance(p: Array) -> Array:
            return pull(p, np.array([0.3, 0, 0]), 20) + pull(p, np.array([0, 0, 0.3]), 20) + pull(p, x, 40)

        return pull(x, root(balance, q[:3], tol=1e-12).x, 40)

    h = 1e-5
    stiffness = -np.stack([(reduced(q[3:] + h * e) - reduced(q[3:] - h * e)) / (2 * h) for e in np.eye(3)], axis=1)
    expected = np.sqrt(np.linalg.eigvals(stiffness / 0.8).real)
    assert len(values) == 6
    np.testing.assert_allclose(np.sort(values.imag)[3:], np.sort(expected), rtol=1e-6)


@cache
def in_series() -> sl.System:
    """A mass on two springs in series, which meet in a point without mass, under a constant force on the point."""
    model = sl.Model("in_series")
    p, body = model.node("p", "R1"), model.node("body", "R1")
    m, first, second, load = (model.parameter(name, 1.0) for name in ("m", "k1", "k2", "load"))
    model.kinetic_energy(m * body.x_dot[0] ** 2 / 2)
    model.potential_energy(first * p.x[0] ** 2 / 2 + second * (body.x[0] - p.x[0]) ** 2 / 2 - load * p.x[0])
    model.initial(p, x=[0])
    model.initial(body, x=[1], x_dot=[0.5])
    return model.derive().compile()


@pytest.mark.slow
@given(
    mass=st.floats(0.01, 100), k=st.floats(1e-3, 1e6), ratio=st.floats(1e-3, 1e3), load=st.floats(-1, 1),
    x=st.floats(-1, 1), method=st.sampled_from(["half_explicit_5", "taylor"]),
)  # fmt: skip
def test_springs_in_series_have_their_harmonic_stiffness(
    mass: float, k: float, ratio: float, load: float, x: float, method: str
) -> None:
    system = in_series().with_parameters(m=mass, k1=k, k2=ratio * k, load=load * k).with_initial("body", x=[x])
    omega = np.sqrt(k * ratio / (1 + ratio) / mass)
    system = system.with_initial("body", x=[x], x_dot=[omega])
    end = 2 / omega
    run = sl.solve(system, end, method=method, rtol=1e-9, atol=1e-9)
    # The load on the point acts on the body as if it were shifted by load/k1.
    exact = load + (x - load) * np.cos(2.0) + np.sin(2.0)
    np.testing.assert_allclose(run.field("body", "x")[-1], exact, rtol=0, atol=1e-6)
    np.testing.assert_allclose(run.field("p", "x")[-1], (load + ratio * exact) / (1 + ratio), rtol=0, atol=1e-6)


@cache
def maxwell(backend: str) -> sl.System:
    """A mass on a damper and a spring in series: the point between them is of first order."""
    model = sl.Model("maxwell")
    p, body = model.node("p", "R1"), model.node("body", "R1")
    model.kinetic_energy(body.x_dot[0] ** 2 / 2)
    model.potential_energy(10 * p.x[0] ** 2)
    model.dissipation(1.5 * (body.x_dot[0] - p.x_dot[0]) ** 2)
    model.initial(p, x=[0.1])
    model.initial(body, x=[1], x_dot=[0.5])
    return model.derive().compile(backend=backend)


MAXWELL = np.array([[-20 / 3, 0, 1], [0, 0, 1], [-20, 0, 0.0]])
"""Rates of p, of the body's position and of its velocity."""


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("method", "arguments", "tolerance"),
    [("half_explicit_5", {"rtol": 1e-9}, 1e-7), ("taylor", {"rtol": 1e-12}, 1e-9), ("bdf", {"rtol": 1e-7}, 1e-4),
     ("generalized_alpha", {"h": 5e-3}, 1e-4), ("index1_dopri5", {"rtol": 1e-9}, 1e-6)],
)  # fmt: skip
def test_spring_in_series_with_damper(backend: str, method: str, arguments: dict[str, Any], tolerance: float) -> None:
    run = sl.solve(maxwell(backend), 1, method=method, **arguments)
    exact = expm(MAXWELL) @ [0.1, 1, 0.5]
    found = np.r_[run.q[-1], run.v[-1, 1]]
    np.testing.assert_allclose(found, exact, rtol=0, atol=tolerance)
    np.testing.assert_allclose(run.v[-1, 0], (MAXWELL @ exact)[0], rtol=0, atol=tolerance * 10)


def test_damper_has_a_real_eigenvalue() -> None:
    values = maxwell("numpy").linearize(np.zeros(2)).eigenvalues
    np.testing.assert_allclose(np.sort_complex(values), np.sort_complex(np.linalg.eigvals(MAXWELL)), rtol=0, atol=1e-9)


def test_nonlinear_damper_is_correct() -> None:
    """k p = c s³ of the sliding speed s = ẋ - ṗ of a mass that moves at a prescribed speed."""
    model = sl.Model("orifice")
    p, body = model.node("p", "R1"), model.node("body", "R1")
    model.kinetic_energy(body.x_dot[0] ** 2 / 2)
    model.potential_energy(10 * p.x[0] ** 2)
    model.dissipation((body.x_dot[0] - p.x_dot[0]) ** 4 / 2)
    model.initial(p, x=[0.1], x_dot=[0])
    model.initial(body, x=[1], x_dot=[1.5])

    def rates(_: float, y: Array) -> Array:
        return np.r_[y[2] - np.cbrt(10 * y[0]), y[2], -20 * y[0]]

    expected = solve_ivp(rates, (0, 0.05), [0.1, 1, 1.5], rtol=1e-11, atol=1e-12).y[:, -1]
    run = sl.solve(model.derive().compile(backend="numpy"), 0.05, rtol=1e-9)
    np.testing.assert_allclose(np.r_[run.q[-1], run.v[-1, 1]], expected, rtol=0, atol=1e-7)


def test_rotations_without_inertia_are_supported() -> None:
    """A lever without inertia on a ball joint points from its spring to the body: its torques balance."""
    model = sl.Model("lever")
    lever, body = model.node("lever", "SO3"), model.node("body", "R3")
    model.kinetic_energy(body.x_dot.dot(body.x_dot) / 2)
    tip = lever.R * sl.vector(0, 0, -1)
    side = lever.R * sl.vector(1, 0, 0)
    d = body.x - tip
    model.potential_energy(30 * d.dot(d) / 2 + G * body.x[2])
    anchor = side - sl.vector(1, 0, 0)
    model.potential_energy(5 * anchor.dot(anchor) / 2 + 20 * (tip - sl.vector(0.5, 0, -1)).dot(sl.vector(1, 0, 0)) ** 2)
    model.initial(body, x=[0.2, 0.1, -1.2], x_dot=[0.3, 0.5, 0])
    system = model.derive().compile()
    run = sl.solve(system, 1, rtol=1e-9)
    other = sl.solve(system, 1, rtol=1e-11, method="taylor")
    np.testing.assert_allclose(run.field("body", "x")[-1], other.field("body", "x")[-1], rtol=0, atol=1e-6)
    energy = run.outputs["energy"]
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=1e-6)
    assert np.abs(system.mechanics.constraint(0.0, run.q[-1])).max() < 1e-7


@pytest.mark.slow
def test_constrained_partly_massless_points_are_supported() -> None:
    """A point without mass on a rail, between a spring to ground and one to a pendulum on a rod."""
    model = sl.Model("rail")
    p, body = model.node("p", "R2"), model.node("body", "R2")
    model.kinetic_energy(body.x_dot.dot(body.x_dot) / 2)
    model.potential_energy(25 * (p.x[0] - 1) ** 2 + 10 * (body.x - p.x).dot(body.x - p.x) + G * body.x[1])
    model.constraint("rail", p.x[1])
    model.constraint("rod", body.x.dot(body.x) - 1)
    model.initial(p, x=[0, 0])
    model.initial(body, x=[1, 0])
    run = sl.solve(model.derive().compile(backend="numpy"), 1, rtol=1e-9)

    def rates(_: float, y: Array) -> Array:
        x, z = np.cos(y[0]), np.sin(y[0])
        point = (50 + 20 * x) / 70
        force = np.array([-20 * (x - point), -20 * z - G])
        return np.r_[y[1], force @ [-z, x]]

    angle = solve_ivp(rates, (0, 1), [0, 0], rtol=1e-11, atol=1e-12).y[0, -1]
    np.testing.assert_allclose(run.q[-1, 2:], [np.cos(angle), np.sin(angle)], rtol=0, atol=1e-6)
    np.testing.assert_allclose(run.q[-1, 0], (50 + 20 * np.cos(angle)) / 70, rtol=0, atol=1e-6)
    # The force of the rail is that of the spring across it.
    np.testing.assert_allclose(run.constraint_force("p")[-1], [0, -20 * np.sin(angle)], rtol=0, atol=1e-5)


@pytest.mark.slow
def test_smooth_inputs_act_on_massless_points() -> None:
    model = sl.Model("driven")
    p, body = model.node("p", "R1"), model.node("body", "R1")
    pull_of = model.input("pull", interpolation="cubic")
    model.kinetic_energy(body.x_dot[0] ** 2 / 2)
    model.potential_energy(10 * p.x[0] ** 2 + 5 * (body.x[0] - p.x[0]) ** 2)
    model.generalized_force(p, [pull_of])
    model.initial(p, x=[0])
    model.initial(body, x=[0])
    times = np.linspace(0, 2, 201)
    system = model.derive().compile(backend="numpy").with_input("pull", times, np.sin(3 * times))
    run = sl.solve(system, 2, rtol=1e-8)

    def rates(t: float, y: Array) -> Array:
        point = (10 * y[0] + np.sin(3 * t)) / 30
        return np.r_[y[1], -10 * (y[0] - point)]

    expected = solve_ivp(rates, (0, 2), [0, 0], rtol=1e-10, atol=1e-11).y[0, -1]
    np.testing.assert_allclose(run.field("body", "x")[-1, 0], expected, rtol=0, atol=1e-5)


def test_forces_with_kinks_are_rejected() -> None:
    """Balances are differentiated twice."""
    with pytest.raises(sl.errors.SmoothnessError, match="p_balance"):
        refused(
            lambda m, p, b: m.potential_energy(10 * p.x.dot(p.x) + sl.Max(p.x[0], 0) ** 2 + p.x.dot(b.x))
        ).derive()  # fmt: skip


def refused(state: Callable[[sl.Model, Any, Any], object]) -> sl.Model:
    model = sl.Model("refused")
    p, body = model.node("p", "R2"), model.node("body", "R2")
    model.kinetic_energy(body.x_dot.dot(body.x_dot) / 2)
    state(model, p, body)
    model.initial(p, x=[0.5, 0])
    model.initial(body, x=[1, 0], x_dot=[0.3, 0])
    return model


def collinear(model: sl.Model, p: Any, body: Any) -> None:
    """Two springs without tension in a line hold no point across it."""
    for a, b in ((p.x, sl.vector(0, 0)), (p.x, body.x)):
        d = a - b
        model.potential_energy(10 * (sl.sqrt(d.dot(d)) - 0.5) ** 2)


def one_damper(model: sl.Model, p: Any, body: Any) -> None:
    """A damper along one direction does not determine two rates."""
    model.potential_energy(10 * p.x.dot(p.x))
    model.dissipation((p.x_dot[0] + p.x_dot[1] - body.x_dot[0]) ** 2)


def test_undetermined_balances_are_rejected() -> None:
    for state in (collinear, one_damper):
        with pytest.raises(sl.errors.SingularMassMatrixError, match=r"do not determine .* of node 'p'"):
            sl.solve(refused(state).derive().compile(backend="numpy"), 1)
    with pytest.raises(sl.errors.ModelError, match="component 0 of node 'p' has no inertia"):
        refused(lambda m, p, b: m.potential_energy(b.x.dot(b.x))).derive()
    with pytest.raises(sl.errors.ModelError, match="velocities of other nodes but not on this component"):
        refused(
            lambda m, p, b: (
                m.potential_energy(p.x.dot(p.x)), m.generalized_force(p, [b.x_dot[0], 0]),
            )
        ).derive()  # fmt: skip


def test_unsolvable_balance_names_the_equation() -> None:
    """exp has no zero."""
    model = refused(lambda m, p, b: m.potential_energy(sl.exp(p.x[0]) + sl.exp(p.x[1]) + b.x.dot(b.x)))
    with pytest.raises(sl.errors.InconsistentInitialValuesError, match="constraint 'p_balance'"):
        sl.solve(model.derive().compile(backend="numpy"), 1)


def test_model_is_unchanged_by_balances() -> None:
    """Balances belong to equations, so that forces may be added between two derivations."""
    model = refused(lambda m, p, b: m.potential_energy(10 * p.x.dot(p.x) + 10 * (p.x - b.x).dot(p.x - b.x)))
    first = model.derive().compile(backend="numpy").initial_state.q
    assert not model.constraints
    model.potential_energy(-8 * model.nodes[0].x[1])
    second = model.derive().compile(backend="numpy").initial_state.q
    np.testing.assert_allclose(first[:2], [0.5, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(second[:2], [0.5, 0.2], rtol=0, atol=1e-12)


def test_members_of_an_ensemble_are_balanced() -> None:
    system, stiffness = in_series(), [1.0, 3.0]
    found = sl.ensemble(system, 0.5, parameters={"k1": stiffness}, h=0.02)
    for k, value in enumerate(stiffness):
        alone = sl.solve(system.with_parameters(k1=value), 0.5, h=0.02)
        assert found.member(k).q.tobytes() == alone.q.tobytes()


def test_kinetic_energy_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search for each node would make the cost of the derivation quadratic in their number."""
    calls = []

    def counted(*arguments: Any) -> Any:
        calls.append(arguments)
        return needed_symbols(*arguments)

    monkeypatch.setattr(balances, "needed_symbols", counted)
    model = sl.Model("points")
    for k in range(5):
        node = model.node(f"p{k}", "R1")
        model.kinetic_energy(node.x_dot[0] ** 2)
    model.derive()
    assert len(calls) == 1


def net(is_reversed: bool) -> sl.Model:
    """A point without mass between springs to a body with a blade, beside a body on which neither acts; masses on
    springs make the model large."""
    model = sl.Model("net")
    bodies = [model.node(name, "SO3xR3") for name in ("sledge", "other")][:: -1 if is_reversed else 1]
    sledge = bodies[is_reversed]
    p, line = model.node("p", "R3"), model.node_array("line", "R3", 40)
    for body in bodies:
        model.kinetic_energy((body.x_dot.dot(body.x_dot) + body.Omega.dot(body.Omega)) / 2)
    segment = sl.ElementType("segment", left="R3", right="R3")
    d = segment.right.x - segment.left.x - sl.vector(1, 0, 0)
    segment.kinetic_energy(segment.right.x_dot.dot(segment.right.x_dot) / 2)
    segment.potential_energy(5 * d.dot(d))
    model.add(segment, [(line[k], line[k + 1]) for k in range(39)])
    line.fix(0)
    line.initial(x=[[k, 0, 0] for k in range(40)])
    for a, stiffness in (([1, 0, 0], 20), ([0, 0, 1], 30), (sledge.x, 40)):
        d = p.x - a
        model.potential_energy(stiffness * d.dot(d) / 2)
    model.nonholonomic_constraint("blade", (sledge.R.T * sledge.x_dot)[1])
    model.initial(p, x=[0.3, 0, 0.4])
    model.initial(sledge, x_dot=[0.5, 0, 0], Omega=[0, 0, 1])
    return model


@pytest.mark.parametrize("is_reversed", [False, True])
def test_balance_is_eliminated_with_a_node_on_which_it_acts(is_reversed: bool) -> None:
    """The constraint equations of a model are one element; those of the blade and of the balance act on other nodes."""
    system = net(is_reversed).derive().compile(backend="numpy")
    layout = system.layout
    assert not layout.is_fixed
    algebra = system.mechanics.saddle_algebra
    assert algebra is not None
    point, body = (np.arange(layout.dimension)[layout.node(name).velocity] for name in ("p", "sledge"))
    blocks = pivot_blocks(saddle_unknowns(layout, point))
    named = {r: layout.row_name(r) for r in range(layout.rows)}
    partners = {
        frozenset(unknowns[unknowns < layout.dimension]): {
            named[u - layout.dimension] for u in unknowns[unknowns >= layout.dimension]
        }
        for unknowns in blocks.unknowns
    }
    assert partners[frozenset(point)] == {name for name in named.values() if "balance" in name}
    assert partners[frozenset(body)] == {name for name in named.values() if "blade" in name}
