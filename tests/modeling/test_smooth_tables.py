"""Smooth tables: splines of time and of coordinates in constraints, drives and prescribed motions, in C and NumPy."""

from __future__ import annotations

import functools
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline, make_interp_spline

import symlie as sl
from symlie.cli import main
from symlie.errors import IntegrationError, ModelError, SmoothnessError, UnknownNameError
from symlie.runtime.system.inputs import InputTable
from symlie.runtime.system.system import System
from tests import tolerances

BACKENDS = ("c", "numpy")
MASS, LENGTH, INERTIA = 2.0, 0.25, 0.04
TIMES = np.linspace(0, 3, 61)


def motion(t: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The angle that is sampled."""
    return 0.3 * np.sin(2 * t)


def effort(t: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The torque that the motion takes: J φ'' - m g r cos φ about an axis that points against the fall."""
    return (INERTIA + MASS * LENGTH**2) * -4 * motion(t) - MASS * 9.81 * LENGTH * np.cos(motion(t))


def arm(drive: Any, rate: float | None = None) -> sl.Model:
    """An arm on a horizontal hinge with a drive."""
    model = sl.Model("arm")
    body = sl.RigidBody(model, "arm", MASS, [0.01, INERTIA, INERTIA], position=[LENGTH, 0, 0])
    hinge = sl.RevoluteJoint(model, "hinge", model.ground, body, at=[0, 0, 0], axis=[0, 1, 0])
    model.gravity([0, 0, -9.81])
    hinge.drive(drive(model))
    if rate is not None:
        model.initial(hinge, angle=0, rate=rate)
    return model


@functools.cache
def sampled_arm(order: int, backend: str = "numpy", coordinates: str = "bodies") -> System:
    """The arm with its motion as a table."""
    rate = (
        float(make_interp_spline(TIMES, motion(TIMES), k=order).derivative()(0)) if coordinates == "minimal" else None
    )
    model = arm(lambda m: m.smooth_table("angle", TIMES, motion(TIMES), order=order), rate)
    return (sl.minimal_coordinates(model) if coordinates == "minimal" else model).derive().compile(backend=backend)


def error_of_effort(system: System, t_end: float = 2.0, **options: Any) -> float:
    """The largest error of the effort in a run."""
    solution = sl.solve(system, t_end, **options)
    return float(np.abs(solution.outputs["hinge_drive_effort"] - effort(solution.t)).max())


@pytest.mark.slow
@pytest.mark.parametrize(("order", "expected"), [(3, 2), (5, 4)])
def test_drive_effort_of_a_sampled_motion_converges(order: int, expected: int) -> None:
    """Second derivatives have errors O(h²) for cubic splines, O(h⁴) for quintic ones."""
    errors = []
    for count in (41, 81, 161):
        t = np.linspace(0, 2, count)
        system = sampled_arm(order, "c").with_table("angle", t, motion(t))
        errors.append(error_of_effort(system, h=0.0125, method="half_explicit_5"))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(orders > expected - 0.35), (errors, orders)


METHODS: dict[str, tuple[dict[str, Any], float]] = {
    "half_explicit_5": ({"h": 0.01}, tolerances.SAMPLED_EFFORT),
    "adaptive": ({"rtol": 1e-6}, tolerances.SAMPLED_EFFORT),
    "taylor": ({"h": 0.05}, tolerances.SAMPLED_EFFORT),
    "generalized_alpha": ({"h": 0.01}, tolerances.SAMPLED_EFFORT_OF_LOW_ORDER),
    "bdf": ({"rtol": 1e-6}, tolerances.SAMPLED_EFFORT_OF_LOW_ORDER),
}
"""Options and errors of the effort of at most 5 N m, for the spline and for methods of low order."""


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", METHODS)
def test_all_methods_find_the_drive_effort(name: str, backend: str) -> None:
    options, bound = METHODS[name]
    method = {} if name == "adaptive" else {"method": name}
    # Errors are largest at the beginning, where the spline ends.
    t_end = 2.0 if backend == "c" else 0.1
    assert error_of_effort(sampled_arm(5, backend), t_end, **options, **method) < bound


@pytest.mark.slow
def test_minimal_coordinates_find_the_drive_effort() -> None:
    assert error_of_effort(sampled_arm(5, "c", coordinates="minimal"), h=0.01) < tolerances.SAMPLED_EFFORT


@pytest.mark.slow
def test_inputs_with_a_declared_interpolation_drive_joints() -> None:
    system = arm(lambda m: m.input("angle", unit="rad", interpolation="cubic")).derive().compile(backend="c")
    driven = {kind: system.with_input("angle", TIMES, motion(TIMES), kind) for kind in (None, "cubic", "quintic")}
    errors = {kind: error_of_effort(s, h=0.02) for kind, s in driven.items()}
    assert errors[None] == errors["cubic"] < tolerances.SAMPLED_EFFORT_OF_LOW_ORDER
    assert errors["quintic"] < tolerances.SAMPLED_EFFORT
    for kind in ("linear", "hold"):
        with pytest.raises(SmoothnessError, match="declared with the interpolation 'cubic'"):
            system.with_input("angle", TIMES, motion(TIMES), kind)
    with pytest.raises(ModelError, match="leaves the table 'angle' of 'arm', which is from 0 s to 3 s"):
        sl.solve(driven[None], 3.5, h=0.1)


@functools.cache
def curve(backend: str, *, order: int = 3, end: str = "not-a-knot", outside: str = "refuse", size: int = 1) -> System:
    """A bead whose outputs are a table of its coordinate, and its first and second rates."""
    model = sl.Model("bead")
    bead = model.node("bead", "R1")
    model.kinetic_energy(bead.x_dot[0] ** 2 / 2)
    points = np.linspace(0, 2, 9)
    values = np.sin(np.pi * points)[:, None] * np.arange(1, size + 1)
    values[-1] = values[0]
    f = model.smooth_table("f", points, values, order=order, of=bead.x[0], end=end, outside=outside)
    f = f if size == 1 else f[size - 1]
    model.output("value", f)
    model.output("slope", f.diff(bead.x[0]))
    model.output("curvature", f.diff(bead.x[0]).diff(bead.x[0]))
    return model.derive().compile(backend=backend)


def values_at(system: System, x: float) -> list[float]:
    """Value, slope and curvature that the kernels see."""
    q, v = np.array([x]), np.zeros(1)
    found = system.kernels.outputs(system.prepared, 0.0, q, v, np.zeros(0))
    return [float(found[system.layout.outputs[name][0]][0]) for name in ("value", "slope", "curvature")]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("end", ["not-a-knot", "clamped", "natural", "periodic"])
def test_cubic_splines_equal_scipy(end: str, backend: str) -> None:
    rng = np.random.default_rng(3)
    points = np.sort(rng.uniform(-1, 4, 17))
    values = rng.normal(size=(17, 2))
    values[-1] = values[0]
    system = curve(backend, end=end, outside="continue", size=2).with_table("f", points, values)
    known = CubicSpline(points, values[:, 1], bc_type=end)
    for x in (*points[[0, 5, -1]], *rng.uniform(-1, 4, 5), -1.5, 4.7):
        expected = [known(x, d) for d in range(3)]
        np.testing.assert_allclose(
            values_at(system, x), expected, rtol=0, atol=tolerances.SPLINES_OF_SCIPY * np.abs(expected).max()
        )


@pytest.mark.parametrize("end", ["not-a-knot", "clamped", "natural", "periodic"])
def test_quintic_splines_satisfy_their_end_conditions(end: str) -> None:
    points = np.linspace(0, 2, 9)
    values = np.cos(np.pi * points) + points * (points - 2)
    table = InputTable(points, values[:, None], "quintic", end, "continue")
    knots, rest = table.packed[:9], table.packed[9:].reshape(10, 6)
    factorial = np.array([1, 1, 2, 6, 24, 120])
    inner = [rest[k] * factorial for k in range(1, 9)]
    np.testing.assert_array_equal(knots, points)
    reached = [
        [sum(inner[k][j + d] * 0.25**j / factorial[j] for j in range(6 - d)) for d in range(6)] for k in range(8)
    ]
    for before, after in itertools.pairwise(range(8)):
        np.testing.assert_allclose(reached[before][:5], inner[after][:5], rtol=0, atol=tolerances.DERIVATIVES_AT_KNOTS)
    if end == "not-a-knot":
        known = make_interp_spline(points, values, k=5)
        value = np.polyval(rest[1][::-1], 0.1)
        np.testing.assert_allclose(known(0.1), value, rtol=0, atol=tolerances.DERIVATIVES_AT_KNOTS)
    elif end == "periodic":
        np.testing.assert_allclose(reached[-1][:5], inner[0][:5], rtol=0, atol=tolerances.DERIVATIVES_AT_KNOTS)
    else:
        orders = (1, 2) if end == "clamped" else (3, 4)
        for d in orders:
            assert max(abs(inner[0][d]), abs(reached[-1][d])) < tolerances.DERIVATIVES_AT_KNOTS


@pytest.mark.parametrize("backend", BACKENDS)
def test_arguments_outside_a_table_follow_its_option(backend: str) -> None:
    held = curve(backend, outside="hold")
    assert values_at(held, 2.5) == [0, 0, 0] and values_at(held, -1.0)[1:] == [0, 0]
    assert np.all(np.isnan(values_at(curve(backend), 2.1))) and np.all(np.isfinite(values_at(curve(backend), 2.0)))
    periodic = curve(backend, end="periodic")
    for x in (0.3, 1.9):
        np.testing.assert_allclose(
            values_at(periodic, x + 6), values_at(periodic, x), rtol=0, atol=tolerances.REPEATED_TABLE
        )
        np.testing.assert_allclose(
            values_at(periodic, x - 4), values_at(periodic, x), rtol=0, atol=tolerances.REPEATED_TABLE
        )


def bead_on_a_curve(kind: str) -> sl.Model:
    """A bead on the curve z = f(x) under gravity, by a table of f or by a formula."""
    model = sl.Model(f"bead_{kind}")
    bead = model.node("bead", "R2", unit="m")
    model.kinetic_energy(bead.x_dot.dot(bead.x_dot) / 2)
    model.potential_energy(9.81 * bead.x[1])
    x = bead.x[0]
    points = np.linspace(-1, 1, 81)
    formula = {"table": lambda: model.smooth_table("f", points, points**2 / 2 + points**4 / 5, order=5, of=x)}
    model.constraint("curve", bead.x[1] - (formula["table"]() if kind == "table" else x**2 / 2 + x**4 / 5))
    model.initial(bead, x=[0.8, 0.8**2 / 2 + 0.8**4 / 5])
    return model


@functools.cache
def bead_system(kind: str, backend: str) -> System:
    return bead_on_a_curve(kind).derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("method", ["half_explicit_5", "taylor", "generalized_alpha", "rkmk_dopri5"])
def test_coordinate_tables_match_formulas_in_constraints(method: str, backend: str) -> None:
    if method == "rkmk_dopri5":
        method = "index1_dopri5"
    h, t = (0.005, 1.0) if backend == "c" else (0.02, 0.2)
    runs = [
        sl.solve(bead_system(kind, backend), 2 * t, h=h, method=method, t_eval=[t, 2 * t])
        for kind in ("table", "formula")
    ]
    # A polynomial of degree four is its own quintic spline, so that only rounding differs.
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=tolerances.SPLINE_OF_A_POLYNOMIAL)
    np.testing.assert_allclose(
        runs[0].multipliers, runs[1].multipliers, rtol=0, atol=100 * tolerances.SPLINE_OF_A_POLYNOMIAL
    )


def test_taylor_steps_end_at_table_knots() -> None:
    """Of a cubic spline of sin, taylor with large steps finds the motion of tiny steps of another method."""
    model = sl.Model("spline_spring")
    q = model.node("mass", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    points = np.linspace(-2, 2, 9)
    model.potential_energy(model.smooth_table("V", points, points**2 + np.cos(3 * points), of=q.x[0]))
    model.initial(q, x=[0.5], x_dot=[1.0])
    found = [
        sl.solve(model.derive().compile(backend=b), 3, method="taylor", rtol=1e-12, t_eval=[3.0]).q[-1, 0]
        for b in BACKENDS
    ]
    exact = sl.solve(model.derive().compile(), 3, method="rkmk_dopri5", h=2.0**-14, t_eval=[3.0]).q[-1, 0]
    assert found == pytest.approx([exact] * 2, rel=0, abs=tolerances.STEPS_ACROSS_A_SPLINE)


def test_newton_matrices_differentiate_tables() -> None:
    for backend in BACKENDS:
        system = bead_system("table", backend)
        q, v, a, multipliers = np.array([0.37, 0.1]), np.array([0.3, 0.2]), np.array([1.0, 2.0]), np.array([1.5])
        found = [m.toarray() for m in system.newton_matrices(system.prepared, 0.0, q, v, a, multipliers)]
        formula = bead_system("formula", backend)
        known = [m.toarray() for m in formula.newton_matrices(formula.prepared, 0.0, q, v, a, multipliers)]
        for left, right in zip(found, known, strict=True):
            np.testing.assert_allclose(left, right, rtol=0, atol=100 * tolerances.SPLINE_OF_A_POLYNOMIAL)


@pytest.mark.slow
def test_run_leaving_a_table_stops() -> None:
    system = bead_system("table", "numpy").with_initial("bead", x_dot=[6.0, 0.0]).assembled()
    with pytest.raises(IntegrationError) as caught:
        sl.solve(system, 2, rtol=1e-6)
    assert 0.9 < caught.value.solution.q[-1, 0] < 1.0 + 1e-5


@pytest.mark.slow
def test_periodic_tables_of_time_repeat_their_steps() -> None:
    turn = np.linspace(0, np.pi, 13)
    model = arm(
        lambda m: m.smooth_table("angle", turn, np.append(0.3 * np.sin(2 * turn[:-1]), 0), end="periodic", order=5)
    )
    system = model.derive().compile(backend="c")
    period = np.pi
    inside = system.breakpoints_between(0.0, 3 * period)
    assert sum(-period / 24 < t < (3 - 1 / 24) * period for t in inside) == 3 * 12
    run = sl.solve(system, 2.5 * period, h=0.05, t_eval=[0.3, 0.3 + period, 0.3 + 2 * period])
    found = run.outputs["hinge_drive_effort"]
    np.testing.assert_allclose(found[1:], found[0], rtol=0, atol=tolerances.SAMPLED_EFFORT)


@pytest.mark.slow
def test_resumed_run_is_bit_identical(tmp_path: Path) -> None:
    """Continued runs, saved solutions, generated folders and pickles have the tables."""
    times = np.linspace(0, 3, 61)
    system = sampled_arm(5).with_table("angle", times, motion(times) * 2)
    whole = sl.solve(system, 0.2, h=0.02)
    half = sl.solve(system, 0.1, h=0.02)
    half.save(tmp_path / "half.npz")
    read = sl.load_solution(tmp_path / "half.npz", trust=True)
    for begun in (half, read):
        rest = sl.solve(begun.system if begun is read else system, 0.2, h=0.02, start=begun)
        assert np.array_equal(rest.q[-1], whole.q[-1]) and np.array_equal(rest.multipliers[-1], whole.multipliers[-1])
    folder = arm(lambda m: m.smooth_table("angle", TIMES, motion(TIMES), order=5)).derive().generate(tmp_path / "arm")
    loaded = sl.load(folder, backend="numpy", trust=True)
    assert error_of_effort(loaded, 0.1, h=0.02) == error_of_effort(sampled_arm(5), 0.1, h=0.02)
    again = sl.solve(loaded.with_table("angle", times, motion(times) * 2), 0.2, h=0.02)
    assert np.array_equal(again.q[-1], whole.q[-1])


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_members_can_have_different_tables(backend: str) -> None:
    model = sl.Model("cart")
    cart = model.node("cart", "R1")
    model.kinetic_energy(cart.x_dot[0] ** 2 / 2)
    model.constraint("track", cart.x[0] - model.smooth_table("track", TIMES, motion(TIMES), order=5))
    system = model.derive().compile(backend=backend)
    tables = [(TIMES, motion(TIMES) * k) for k in (1, 2, 3)]
    members = sl.ensemble(system, 0.5, inputs={"track": tables}, h=0.05, record_every=0, record=["cart"])
    for k, table in enumerate(tables):
        alone = sl.solve(system.with_table("track", *table), 0.5, h=0.05, record_every=0)
        assert members.arrays["cart.x"][k].tobytes() == alone.field("cart", "x").tobytes()


@pytest.mark.parametrize("kind", ["time", "coordinate"])
def test_number_of_points_changes_neither_derivation_nor_code(kind: str) -> None:
    def texts(count: int) -> tuple[str | None, dict[str, str]]:
        model = sl.Model(f"long_{kind}")
        q = model.node("mass", "R1")
        model.kinetic_energy(q.x_dot[0] ** 2 / 2)
        x = np.linspace(-1, 1, count)
        of = None if kind == "time" else q.x[0]
        model.constraint("track", q.x[0] - 0.1 * model.smooth_table("f", x, np.sin(x), of=of, outside="continue"))
        equations = model.derive()
        files = equations.compile(backend="numpy").files
        return equations.canonical_text, {name: text for name, text in files.items() if name != "manifest.json"}

    assert texts(10) == texts(1000)


def point() -> tuple[sl.Model, sl.Node]:
    model = sl.Model("point")
    q = model.node("point", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    return model, q


def test_smooth_tables_are_accepted_where_expressions_are_differentiated() -> None:
    for order, outside, end in itertools.product((3, 5), ("refuse", "continue"), ("not-a-knot", "clamped", "natural")):
        model, q = point()
        f = model.smooth_table("f", TIMES, motion(TIMES), order=order, outside=outside, end=end)
        model.kinetic_energy((2 + f) * q.x_dot[0] ** 2)
        model.nonholonomic_constraint("rate", q.x_dot[0] - f)
        model.constraint("place", q.x[0] - f)
        other = model.node("other", "R1")
        model.prescribe(other, x=[f])


def test_constant_extrapolation_is_not_smooth() -> None:
    smooth = {(3, "clamped"): 1, (3, "natural"): 0, (5, "clamped"): 2, (5, "not-a-knot"): 0}
    for (order, end), known in smooth.items():
        for derivatives, state in ((2, "constraint"), (1, "nonholonomic_constraint")):
            model, q = point()
            f = model.smooth_table("f", TIMES, motion(TIMES), order=order, end=end, outside="hold")
            row = q.x[0] - f if derivatives == 2 else q.x_dot[0] - f
            if known >= derivatives:
                getattr(model, state)("row", row)
            else:
                with pytest.raises(SmoothnessError, match="depends on the table 'f', which has kinks or jumps"):
                    getattr(model, state)("row", row)


def test_differentiated_linear_tables_are_rejected() -> None:
    model, q = point()
    f = model.piecewise_linear("f", [0, 1, 2], [0, 1, 0])
    for state in (
        lambda: model.constraint("place", q.x[0] - f),
        lambda: model.constraint("place", q.x[0] - model.let(f)),
        lambda: model.nonholonomic_constraint("rate", q.x_dot[0] - f),
        lambda: model.kinetic_energy(f * q.x_dot[0] ** 2),
        lambda: model.prescribe(q, x=[f]),
        lambda: arm(lambda m: m.piecewise_linear("angle", [0, 1, 2], [0, 1, 0])),
    ):
        with pytest.raises(SmoothnessError, match=r"piecewise linear table, .* smooth_table\(name, times, values\)"):
            state()
    model.force([f], at=q.x)


def piece(coefficients: list[float], t: Any, switch: float) -> Any:
    return sum(c * (t - switch) ** k for k, c in enumerate(coefficients))


def check_random_pieces(seed: int) -> None:
    """Polynomials that agree in a random number of derivatives at a random switch, of time or of a coordinate."""
    rng = np.random.default_rng(seed)
    model, q = point()
    agreeing, scale = int(rng.integers(0, 4)), 10.0 ** rng.integers(-4, 5)
    switch = float(rng.choice([0.0, 1.0, -0.25, *rng.normal(size=3)])) * float(10.0 ** rng.integers(-3, 4))
    left = [float(x) for x in rng.uniform(0.5, 2, 4)]
    right = [
        c if k < agreeing else c + float(rng.choice([-1, 1])) * float(rng.uniform(0.1, 1)) for k, c in enumerate(left)
    ]
    length = max(abs(switch), 1e-2)
    polynomials = [[scale * c / length**k for k, c in enumerate(part)] for part in (left, right)]
    is_of_time = rng.uniform() < 0.6
    x = model.t if is_of_time else q.x[0]
    form = rng.integers(0, 3)
    a, b = (piece(p, x, switch) for p in polynomials)
    f = [
        lambda: sl.select(x - switch, b, a),
        lambda: sl.Piecewise((a, x < switch), (b, True)),
        lambda: a + sl.Heaviside(x - switch) * (b - a),
    ][form]()
    derivatives = int(rng.integers(1, 3))
    own = model.node("own", "R1")
    model.kinetic_energy(own.x_dot[0] ** 2)
    row = own.x[0] - f if derivatives == 2 else own.x_dot[0] - f
    state = model.constraint if derivatives == 2 else model.nonholonomic_constraint
    if agreeing >= derivatives:
        state("row", row)
        return
    with pytest.raises(SmoothnessError) as caught:
        state("row", row)
    message = str(caught.value)
    assert ("a jump" if agreeing == 0 else "a kink") in message and "smooth_table" in message
    if is_of_time:
        found = float(message.split("at t = ")[1].split(" s")[0])
        assert found == pytest.approx(switch, rel=1e-4, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_discontinuous_branches_are_rejected(seed: int) -> None:
    check_random_pieces(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30, 300))
def test_more_discontinuous_branches_are_rejected(seed: int) -> None:
    check_random_pieces(seed)


@pytest.mark.slow
def test_branches_can_depend_on_coordinates() -> None:
    def rotating() -> tuple[sl.Model, Any]:
        model = sl.Model("wheel")
        body = sl.RigidBody(model, "wheel", 1.0, [1.0, 1.0, 1.0])
        return model, sl.RevoluteJoint(model, "hinge", model.ground, body, at=[0, 0, 0], axis=[0, 0, 1])

    for law, is_smooth in (
        (lambda m, h: h.angle - m.t - sl.Max(h.angle - 0.5, 0), False),
        (lambda m, h: h.angle - m.t - sl.Max(h.angle - 0.5, 0) ** 2, True),
        (lambda m, h: h.angle - m.t - abs(m.nodes[0].R[0, 1]), False),
        (lambda m, h: h.angle - m.t - abs(m.nodes[0].R[0, 1]) ** 3, True),
        (lambda m, h: h.angle - m.t - abs(m.nodes[0].x[0] - 100), False),
        (lambda m, h: h.angle - m.t - sl.select(h.angle, sl.sin(h.angle), h.angle), True),
    ):
        model, hinge = rotating()
        if is_smooth:
            model.constraint("law", law(model, hinge))
        else:
            with pytest.raises(SmoothnessError, match="where a condition changes its sign"):
                model.constraint("law", law(model, hinge))


@pytest.mark.slow
def test_profiles_with_jumps_of_acceleration_are_piecewise() -> None:
    model = arm(lambda m: sl.two_parabolas(m, "turn", 0.0, 1.0, begin=0.5, end=1.5))
    solution = sl.solve(model.derive().compile(backend="c"), 1.0, h=0.01, method="half_explicit_5")
    late = solution.t > 0.5
    angle = 2 * (solution.t - 0.5) ** 2
    expected = (INERTIA + MASS * LENGTH**2) * 4 - MASS * 9.81 * LENGTH * np.cos(angle)
    found = solution.outputs["hinge_drive_effort"]
    np.testing.assert_allclose(found[late][:-1], expected[late][:-1], rtol=0, atol=tolerances.PROFILE_OF_PARABOLAS)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_random_tables_agree_in_c_and_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = np.sort(rng.normal(size=int(rng.integers(6, 40))))
    values = rng.normal(size=len(points))
    systems = [curve(b, order=5, outside="continue").with_table("f", points, values) for b in BACKENDS]
    for x in (*rng.choice(points, 3), *rng.normal(size=3)):
        c, numpy = (np.array(values_at(s, float(x))) for s in systems)
        np.testing.assert_allclose(c, numpy, rtol=tolerances.KERNEL * 100, atol=tolerances.KERNEL * np.abs(c).max())


def test_invalid_tables_are_rejected() -> None:
    model, q = point()
    line = np.arange(8.0)
    system = sampled_arm(5)
    refused: dict[str, Any] = {
        "order of table 'f' must be 3 or 5, not 4": lambda: model.smooth_table("f", line, line, order=4),
        "end of table 'f' must be one of": lambda: model.smooth_table("f", line, line, end="free"),
        "outside of table 'f' must be one of": lambda: model.smooth_table("f", line, line, outside="warn"),
        "finite increasing points": lambda: model.smooth_table("f", [0, 0, 1, 2], [1, 2, 3, 4]),
        "needs at least 4 points for a cubic": lambda: model.smooth_table("f", [0, 1, 2], [1, 2, 3]),
        "needs at least 6 points for a quintic": lambda: model.smooth_table("f", line[:5], line[:5], order=5),
        "is periodic, but its first and last values": lambda: model.smooth_table("f", line, line, end="periodic"),
        "a value, or a row of values, for each of its 8 points": lambda: model.smooth_table("f", line, line[1:]),
        "depends on velocities": lambda: model.smooth_table("f", line, line, of=q.x_dot[0]),
        "depends neither on the time nor on a node": lambda: model.smooth_table(
            "f", line, line, of=model.parameter("p", 1)
        ),
        "must be a scalar, not 2": lambda: model.smooth_table("f", line, line, of=[q.x[0], q.x[0]]),
        "must be cubic or quintic": lambda: model.input("u", interpolation="linear"),
        "has no smooth table 'push'; it has: angle": lambda: system.with_table("push", line, line),
        "'angle' is a smooth table; use with_table": lambda: system.with_input("angle", line, line),
        "Table 'angle' needs 8 × 1 values for 8 times, not 16": lambda: system.with_table(
            "angle", line, np.ones((8, 2))
        ),
        "leaves the table 'angle' of 'arm'": lambda: sl.solve(system, (-1.0, 1.0), h=0.1),
    }
    for message, call in refused.items():
        with pytest.raises((ModelError, UnknownNameError), match=message):
            call()
    model.smooth_table("f", line, line)
    with pytest.raises(ModelError, match="Input 'f' is defined twice"):
        model.input("f")


MODEL_FILE = """
import numpy as np
import symlie as sl

def build():
    model = sl.Model("cart")
    cart = model.node("cart", "R1")
    model.kinetic_energy(cart.x_dot[0] ** 2 / 2)
    times = np.linspace(0, 3, 61)
    model.constraint("track", cart.x[0] - model.smooth_table("track", times, np.sin(times)))
    return model
"""


def test_tables_are_accepted_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "cart.py").write_text(MODEL_FILE, encoding="utf-8")
    points = {"points": TIMES.tolist(), "values": (2 * motion(TIMES)).tolist()}
    out = tmp_path / "run.npz"
    words = ["run", str(tmp_path / "cart.py"), "--t-end", "0.5", "--h", "0.05", "--backend", "numpy"]
    assert main([*words, "--table", f"track={json.dumps(points)}", "--out", str(out)]) == 0
    assert sl.load_solution(out).field("cart", "x")[-1] == pytest.approx(
        2 * motion(np.array([0.5])), abs=tolerances.SAMPLED_EFFORT
    )


def test_coordinate_table_is_shared_by_split_elements() -> None:
    """Three bodies that are cut into elements of one type: each evaluates the table at its coordinate."""
    model = sl.Model("rail")
    carts = [model.node(f"cart{k}", "R2") for k in range(3)]
    for k, cart in enumerate(carts):
        model.kinetic_energy(cart.x_dot.dot(cart.x_dot) / 2)
        model.initial(cart, x=[0.5 + k, 0.1])
    points = np.arange(6.0)
    for k, cart in enumerate(carts):
        push = model.smooth_table(f"push{k}", points, points**2, order=3, of=cart.x[0] + cart.x[1], outside="hold")
        model.force(sl.vector(0, push), at=cart.x)
    for cart in carts[1:]:
        chord = cart.x - carts[0].x
        model.potential_energy(chord.dot(chord) ** 2 / 2)
    system = model.derive().compile(backend="numpy")
    state = system.initial_state
    force = system.mechanics.force(0.0, state.q, state.v).reshape(3, 2)
    x = state.q.reshape(3, 2)
    spring = np.zeros((3, 2))
    for k in (1, 2):
        chord = x[k] - x[0]
        spring[k] += 2 * (chord @ chord) * chord
        spring[0] -= 2 * (chord @ chord) * chord
    expected = spring - np.transpose([np.zeros(3), (x[:, 0] + x[:, 1]) ** 2])
    np.testing.assert_allclose(force, expected, rtol=tolerances.LIBRARY, atol=tolerances.LIBRARY)
