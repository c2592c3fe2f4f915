"""Taylor series: against references, in both backends, with orders, lengths, events and times between steps."""

from __future__ import annotations

import functools
import math
import re
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError, UnsupportedMethodError
from symlie.models import free_rigid_body, heavy_top, pendulum_chain, quadrotors
from symlie.runtime.methods.controllers import FIXED_STEPS
from symlie.runtime.methods.library import method
from symlie.runtime.methods.stepper import Stepper
from symlie.runtime.methods.taylor import BEST_ORDER, LEAST_ORDER, MOST_ORDER, series_of
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.test_explicit_methods import shaken
from tests.runtime.test_first_order_states import steered
from tests.runtime.test_method_choice import with_dependent_node
from tests.runtime.test_nodes_with_references import markers
from tests.runtime.test_orders import moving_pendulum
from tests.runtime.test_shorter_steps import compass
from tests.spaces.pendulum import pendulum
from tests.systems import (
    CONSTRAINED,
    HEAVY_TOPS,
    chain_equations,
    heavy_top_equations,
    heavy_top_reference,
    heavy_top_system,
    large_system,
    polar_model,
)

SPIN = 150.0
"""Angular velocity of the heavy top, in rad/s."""

TIGHT: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-12}


def taylor(system: System, t_end: float, order: int | None = None, **options: Any) -> sl.Solution:
    """A run by series."""
    return sl.solve(system, t_end, method="taylor", method_options={"order": order}, **options)


@functools.cache
def polar_system(backend: str = "c") -> System:
    """A bead whose mass matrix depends on the configuration, and whose forces have sines and a fourth power."""
    return polar_model().derive().compile(backend=backend)


@functools.cache
def chain_system(backend: str = "c") -> System:
    """Two bodies on different groups under a pivot that moves."""
    return chain_equations().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("group", HEAVY_TOPS)
def test_heavy_tops_match_the_reference(group: str) -> None:
    """A second of the fast top in some sixty steps; Φ stays at rounding without stabilisation."""
    found, expected = taylor(heavy_top_system(group), 1.0, rtol=1e-12), heavy_top_reference("1.0")
    rotation = found.outputs["rotation"][-1]
    assert np.abs(rotation.ravel() - expected["R"]).max() <= tolerances.SERIES
    if group in CONSTRAINED:
        assert np.abs(found.multipliers[-1] - expected["lambda"]).max() <= 1e4 * tolerances.SERIES
        assert found.statistics.max_constraint_residual <= tolerances.HIDDEN_CONSTRAINT
    assert found.statistics.steps < 70
    assert found.statistics.rejected <= 1


@pytest.mark.slow
@pytest.mark.parametrize("build", [chain_system, polar_system, large_system])
def test_other_models_match_the_reference(build: Any) -> None:
    """Constraints in motion, a general mass matrix, and topology that is run-time data, beside another method."""
    expected = sl.solve(build(), 0.5, **TIGHT)
    found = taylor(build(), 0.5, rtol=1e-10, atol=1e-10)
    for name in ("q", "v"):
        a, b = getattr(found, name)[-1], getattr(expected, name)[-1]
        assert np.abs(a - b).max() <= tolerances.SERIES_OF_MODELS
    assert found.statistics.steps < expected.statistics.steps / 10


FIELDS: dict[str, Any] = {
    "momentum of a free body": free_rigid_body.build,
    "quadrotors": quadrotors.build,
    "momentum and vertical": lambda: heavy_top.build(formulation="se3_dual"),
    "momentum on a cotangent bundle": lambda: heavy_top.build(formulation="TSO3"),
    "placed masses under rows of accelerations": lambda: pendulum_chain.build(links=3),
    "placed masses and loads of momenta": lambda: pendulum_chain.build(links=3, formulation="hamiltonian"),
}
"""Models whose nodes move by fields, on spheres, products, duals and cotangent bundles."""


@functools.cache
def moved_by_fields(name: str, backend: str) -> System:
    """One of them."""
    return FIELDS[name]().derive().compile(backend=backend)


OTHERS: dict[str, Any] = {
    "first-order states": steered,
    "tangent bundle": pendulum,
    "prescribed motion": shaken,
    "constraints in motion": moving_pendulum,
    "fields beside constraints and prescribed turns": compass,
}


LARGE = ("quadrotors", "placed masses and loads of momenta")
"""Costly to derive or to compile; spheres, products with TS², placed masses and momenta are in the other models."""


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if n in LARGE else ()) for n in [*FIELDS, *OTHERS]]
)
def test_first_order_and_prescribed_nodes_match_the_reference(name: str) -> None:
    """Fields, and motions that are functions of time."""
    systems = [moved_by_fields(name, b) if name in FIELDS else OTHERS[name](b) for b in ("c", "numpy")]
    expected = sl.solve(systems[0], 0.2, **TIGHT)
    found, other = (taylor(s, 0.2, BEST_ORDER, rtol=1e-11, atol=1e-12) for s in systems)
    assert np.abs(found.q[-1] - expected.q[-1]).max() <= tolerances.SERIES_OF_MODELS
    assert np.abs(found.v[-1] - expected.v[-1]).max(initial=0.0) <= tolerances.SERIES_OF_MODELS
    assert np.abs(found.q[-1] - other.q[-1]).max() <= tolerances.BACKENDS
    assert found.statistics.steps <= max(2, expected.statistics.steps / 8)


@pytest.mark.parametrize("build", [heavy_top_system, chain_system, polar_system, large_system])
def test_backends_agree(build: Any) -> None:
    systems = [build("S3xR3", b) if build is heavy_top_system else build(b) for b in ("c", "numpy")]
    for options in ({"h": 0.01}, {"rtol": 1e-9}):
        first, second = (taylor(s, 0.04, **options) for s in systems)
        assert first.statistics.rhs_evaluations == second.statistics.rhs_evaluations
        assert np.allclose(first.t, second.t, rtol=tolerances.BACKENDS)
        for name in ("q", "v"):
            a, b = getattr(first, name), getattr(second, name)
            assert np.abs(a - b).max() <= tolerances.BACKENDS * max(1.0, float(np.abs(b).max()))


PARTS = ("q", "v", "multipliers")


@pytest.mark.parametrize(("order", "h", "parts"), [(4, 2.0**-10, PARTS), (8, 2.0**-8, PARTS), (12, 2.0**-7, ("v",))])
@pytest.mark.parametrize("group", ["S3", "S3xR3"])
def test_methods_have_their_declared_order(group: str, order: int, h: float, parts: tuple[str, ...]) -> None:
    """The error that one step adds to q, v and λ is of one order more; with order twelve others are at rounding."""
    system = heavy_top_system(group)
    pairs = [(taylor(system, x, order, h=x), taylor(system, x, 30, h=x / 2)) for x in (h, h / 2)]
    for name in parts if group in CONSTRAINED else parts[:2]:
        errors = [np.abs(getattr(found, name)[-1] - getattr(exact, name)[-1]).max() for found, exact in pairs]
        assert abs(math.log2(errors[0] / errors[1]) - order - 1) <= tolerances.SERIES_ORDER


def test_many_steps_have_the_declared_order() -> None:
    """Errors of steps add up to one order less."""
    system = heavy_top_system("S3xR3")
    exact = taylor(system, 0.25, 24, h=0.25 / 80)
    errors = [np.abs(taylor(system, 0.25, 4, h=0.25 / n).v[-1] - exact.v[-1]).max() for n in (120, 240)]
    assert abs(math.log2(errors[0] / errors[1]) - 4) <= tolerances.SERIES_ORDER


def test_order_follows_from_the_tolerance() -> None:
    """N = -ln τ from four to 24, three quarters of it for run-time topology, unless given; the run records it."""
    system = heavy_top_system("S3")
    for rtol, order in ((1e-2, 5), (1e-10, 24), (1e-15, 24)):
        assert taylor(system, 1e-3, rtol=rtol).settings["method_options"] == {"order": order}
    assert taylor(large_system(), 1e-3, rtol=1e-10).settings["method_options"] == {"order": 18}
    assert taylor(system, 1e-3, 12, rtol=1e-10).settings["method_options"] == {"order": 12}
    assert taylor(system, 1e-3, h=1e-3).settings["method_options"] == {"order": 20}


def test_errors_follow_tolerances() -> None:
    system = heavy_top_system("S3xR3")
    exact = taylor(system, 0.5, rtol=1e-14)
    for rtol in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
        found = taylor(system, 0.5, rtol=rtol)
        assert np.abs(found.q[-1] - exact.q[-1]).max() <= tolerances.SERIES_BEHAVIOUR * rtol


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_first_step_size_follows_from_its_series(backend: str) -> None:
    """Steps that are too long are not tried, and neither counted nor traced."""
    system, words = heavy_top_system("S3", backend), {"rtol": 1e-9, "atol": 1e-9, "trace": True}
    done, longer, stated = (taylor(system, 0.2, h0=h0, **words) for h0 in (None, 0.15, 2.0**-10))
    assert done.trace is not None and longer.trace is not None and stated.trace is not None
    assert (done.statistics.rejected, done.statistics.steps) == (0, len(done.trace.h))
    # Proposals are products with h, and steps differences of times: both have the rounding of t at most.
    np.testing.assert_allclose(longer.trace.h, done.trace.h, rtol=0, atol=np.spacing(0.2))
    assert 2.0**-10 == stated.trace.h[0] < done.trace.h[0] < 0.15


def test_long_steps_are_shortened() -> None:
    """Times that are hit exactly do not change what a series leads to."""
    system = heavy_top_system("S3")
    times = np.linspace(0, 0.1, 23)
    found, plain = (taylor(system, 0.1, rtol=1e-12, t_eval=x) for x in (times, [0.1]))
    assert np.array_equal(found.t, times)
    assert np.abs(found.q[-1] - plain.q[-1]).max() <= tolerances.SERIES


def swinging(backend: str = "c") -> System:
    """A mass on a spring that passes the middle."""
    model = sl.Model("swing")
    q = model.node("bob", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(q.x[0] ** 2 / 2)
    model.initial(q, x=[1], x_dot=[0])
    model.event("middle", q.x[0], terminal=False)
    return model.derive().compile(backend=backend)


def test_events_are_found() -> None:
    """A mass on a spring passes the middle at (n + 1/2) π; ends of events are states of the series."""
    for backend in ("c", "numpy"):
        found = taylor(swinging(backend), 6.0, rtol=1e-12)
        expected = [(n + 0.5) * math.pi for n in range(2)]
        assert np.allclose([e.t for e in found.events], expected, rtol=0, atol=tolerances.SERIES)


def test_series_of_a_state_is_exact() -> None:
    """Sums of the series against a method of order six."""
    system = heavy_top_system("S3", "numpy")
    stepper = Stepper(system, method("taylor"), FIXED_STEPS)
    begin = sl.solve(system, 1e-3, method="taylor", h=1e-3)
    series = series_of(stepper, 10, 1e-3, 0.0, begin.q[0], begin.v[0], np.zeros(0))
    h = 1e-3
    later = sl.solve(system, h, method="rkmk_rk67", h=h / 8)
    for found, expected in zip(series.sums(h)[:2], (later.q[-1], later.v[-1]), strict=True):
        assert np.abs(found - expected).max() <= tolerances.SERIES


@pytest.mark.parametrize("order", [LEAST_ORDER - 1, MOST_ORDER + 1, 5.5])
def test_invalid_orders_are_rejected(order: float) -> None:
    with pytest.raises(ModelError, match=r"order is .* must be a whole number from 4 to 60"):
        sl.solve(heavy_top_system("S3"), 1.0, method="taylor", method_options={"order": order})


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_dependent_nodes_are_supported(backend: str) -> None:
    """Markers, each determined by its predecessor, of every order."""
    system = markers(5).derive().compile(backend=backend)
    found = taylor(system, 1.0, rtol=1e-10)
    for name in ("x", "x_dot"):
        points, marks = (found.field(node, name)[-1] for node in ("points", "marks"))
        assert np.abs(marks[1:] - np.cumsum(points, axis=0)).max() < tolerances.SPACES * np.abs(marks).max()
    begin = found.states.q[0], found.states.v[0]
    series = series_of(Stepper(system, method("taylor"), FIXED_STEPS), 4, 1.0, 0.0, *begin, np.zeros(0))
    for rows, width in ((series.q, 3), (series.v, 3)):
        points, marks = np.split(rows[:, : 11 * width].reshape(len(rows), 11, width), [5], axis=1)
        assert np.allclose(marks[:, 1:], np.cumsum(points, axis=1), rtol=0, atol=tolerances.SPACES)


def test_rates_of_fields_omit_cancelling_terms() -> None:
    """Of q' = ω × q and ω' = q × d/L each component has two products, though f = (ω, q (q·d)/L - d/L) has more."""
    table = moved_by_fields("placed masses under rows of accelerations", "numpy").sets.table("jets")
    jets = {jet.name: jet for jet in table.jets}
    assert (jets["rod_field_jet"].results, len(jets["rod_field_jet"].products)) == (6, 12)


def test_angles_follow_fields() -> None:
    """For nodes with angles, fields have separate series, whose means determine the rotation."""
    system = compass("numpy")
    assert system.layout.has_angles
    jets = [jet for jet in system.sets.table("jets").jets if jet.name.endswith("_field_jet")]
    of_nodes = [n.type for n in system.layout.nodes if not n.type.velocities]
    assert sum(jet.results for jet in jets) == sum(t.storage + t.dimension for t in of_nodes)


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_dependent_nodes_are_used_by_all_orders(backend: str) -> None:
    """Masses of a chain are evaluated with states alone, or in all orders where events use them: equal motions."""
    system = moved_by_fields("placed masses under rows of accelerations", backend)
    model = pendulum_chain.build(links=3)
    end = sl.ElementType("end", point="R3")
    end.event("beside", end.point.x[0] - 0.5, terminal=False)
    points = next(array for array in model.arrays if array.name == "points")
    model.add(end, [(points[3],)])
    looked_at = model.derive().compile(backend=backend)
    told = [
        {jet.name: jet.unread for jet in s.sets.table("jets").jets}["rod_dependent_jet"] for s in (system, looked_at)
    ]
    assert told == [True, False]
    found, other = (taylor(s, 1.0, rtol=1e-10) for s in (system, looked_at))
    for name in ("q", "v"):
        assert np.abs(getattr(found, name)[-1] - getattr(other, name)[-1]).max() <= tolerances.BACKENDS
    places = [
        np.cumsum(s.field("links", "directions")[-1], axis=0) - s.field("points", "x")[-1][1:] for s in (found, other)
    ]
    assert np.abs(places).max() <= tolerances.SPACES
    assert [abs(e.q[-3] - 0.5) <= 1e-12 for e in other.events] == [True] * len(other.events) and other.events


def rows_of_both_kinds(backend: str) -> System:
    """A bead on a parabola, followed by another one at a given relative acceleration."""
    model = sl.Model("pushed")
    bead, cart = model.node("bead", "R2"), model.node("cart", "R1")
    model.kinetic_energy((bead.x_dot.dot(bead.x_dot) + 2 * cart.x_dot.dot(cart.x_dot)) / 2)
    model.potential_energy(9.81 * bead.x[1] + 3 * cart.x[0] ** 2)
    model.constraint("parabola", bead.x[1] - bead.x[0] ** 2)
    apart = cart.v_dot[0] - bead.x[0] * bead.v_dot[0]
    model.acceleration_constraint("apart", apart - bead.x_dot[0] ** 2 - sl.sin(2 * model.t))
    model.initial(bead, x=[1, 1], x_dot=[0.5, 1])
    return model.derive().compile(backend=backend)


@pytest.mark.slow
def test_both_constraint_types_are_supported() -> None:
    """Constraints on configurations and on accelerations, whose orders differ by two."""
    expected = sl.solve(rows_of_both_kinds("c"), 1.0, method="index1_dopri5", **TIGHT)
    found, other = (taylor(rows_of_both_kinds(b), 1.0, rtol=1e-11, atol=1e-12) for b in ("c", "numpy"))
    for name in ("q", "v", "multipliers"):
        of_found, of_other, by_method = (getattr(s, name)[-1] for s in (found, other, expected))
        assert np.abs(of_found - by_method).max() <= tolerances.SERIES_OF_MODELS
        assert np.abs(of_found - of_other).max() <= tolerances.BACKENDS
    assert found.statistics.max_constraint_residual <= tolerances.HIDDEN_CONSTRAINT


def test_unsupported_features_are_rejected() -> None:
    with pytest.raises(ModelError, match=r"tolerance 1e-17 is below 2\.2e-16, the spacing of doubles at one"):
        taylor(heavy_top_system("S3"), 1.0, rtol=1e-17)
    model = sl.Model("power")
    point = model.node("point", "R2")
    model.kinetic_energy(point.x_dot.dot(point.x_dot) / 2)
    model.potential_energy(point.x[0] ** point.x[1])
    model.initial(point, x=[1, 1])
    with pytest.raises(
        ModelError,
        match="The force of 'power' has no Taylor series, which method taylor requires: "
        "a power with a variable exponent has",
    ):
        taylor(model.derive().compile(backend="numpy"), 1.0, rtol=1e-6)
    with pytest.raises(
        UnsupportedMethodError, match="does not integrate 'placed', because it has dependent nodes together"
    ):
        taylor(with_dependent_node(), 1.0, rtol=1e-6)


@pytest.mark.slow
def test_processors_without_wide_registers_are_supported() -> None:
    """Sums of products one by one, and none of them fused: the steps that wide registers take."""
    system = heavy_top_equations("S3xR3").compile(optimize="portable")
    found, expected = (taylor(s, 0.2, rtol=1e-11) for s in (system, heavy_top_system("S3xR3")))
    assert found.statistics.steps == expected.statistics.steps
    assert np.abs(found.q[-1] - expected.q[-1]).max() <= tolerances.BACKENDS


def test_only_order_loops_fuse_products() -> None:
    """Orders round products with their sums, where processors do; kernels that other methods share do not."""
    files = heavy_top_system("S3").sets.files("jets")
    jets = next(text for name, text in files.items() if name.endswith("_jets.h"))
    begin, order = (re.search(rf"void S3_rate_jet{end}\(.*?^}}", jets, re.S | re.M) for end in ("_begin", ""))
    assert begin and "FUSED(" not in begin[0] and order and "FUSED(" in order[0]
    assert not any("FUSED" in text for name, text in files.items() if name.endswith(".py"))
