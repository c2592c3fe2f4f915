"""Tangents of compiled steps: against those by matrices of the steps, and against differences of runs."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.compile.compiler import compiles_cpp, flags
from symlie.errors import UnsupportedMethodError
from symlie.runtime.integrate.sensitivities import forward, gradient, tangent_run
from symlie.runtime.integrate.sensitivities.tangent_run import has_tangents
from symlie.runtime.integrate.sensitivities.variables import variables_of
from symlie.runtime.layout.layout import Array
from tests import tolerances
from tests.runtime.sensitivities.models import (
    TIGHT,
    differences,
    driven_top,
    pendulum,
    perpendicular,
    redundant,
    springs,
)
from tests.systems import heavy_top_equations

CAYLEY = {"method": "rkmk_rk44", "method_options": {"map": "cayley"}}

pytestmark = pytest.mark.skipif(not compiles_cpp(), reason="the C compiler does not compile C++")

SPAN = 0.25

FAST: dict[str, Any] = {"h": 1 / 1024, "t_eval": [0.03125, 0.0625, SPAN]}
"""Steps of the top, which turns at 150 rad/s."""


@functools.cache
def top(group: str) -> sl.System:
    return heavy_top_equations(group).compile(backend="c")


@functools.cache
def cart(*, is_switched: bool = False) -> sl.System:
    """A pendulum on a cart with a prescribed motion, with a sensor that depends on both and an angle that counts turns,
    a force with branches, and an event."""
    model = sl.Model("cart")
    a, m, k = model.parameter("amplitude", 0.2), model.parameter("mass", 1.5), model.parameter("stiffness", 30.0)
    carriage, bob, sensor = model.node("carriage", "R1"), model.node("bob", sl.SO2), model.node("sensor", "R2")
    model.prescribe(carriage, x=[a * sl.sin(3 * model.t)])
    place = sl.vector(carriage.x[0] + bob.R[0, 0], bob.R[1, 0])
    model.dependent(sensor, x=place, x_dot=model.rate(place))
    model.kinetic_energy(m * sensor.x_dot.dot(sensor.x_dot) / 2 + m * bob.Omega[0] ** 2 / 10)
    model.potential_energy(9.81 * m * sensor.x[1])
    if is_switched:
        model.force(sl.vector(0, sl.select(sensor.x[1], 0, -k * sensor.x[1])), at=sensor.x)
    model.output("place", sensor.x)
    model.event("bottom", bob.R[0, 0], terminal=False)
    model.initial(bob, rotation=sl.rotation(angle=0.3), Omega=[-1.0])
    return model.derive().compile(backend="c")


FAMILIES: dict[str, tuple[Callable[[], sl.System], str, list[str], dict[str, Any]]] = {
    "half-explicit": (pendulum, "tip", ["length", "damping", "bob.x_dot"], {"method": "half_explicit_5"}),
    "adaptive": (pendulum, "speed", ["length", "mass"], {"rtol": 1e-7, "h": None}),
    "Baumgarte": (pendulum, "tip", ["length"], {"stabilize": "baumgarte:10"}),
    "generalized-α": (pendulum, "tip", ["length", "mass"], {"method": "generalized_alpha_index2"}),
    "BDF": (pendulum, "tip", ["length", "damping"], {"method": "bdf2_index2", "method_options": TIGHT}),
    "multistep": (lambda: top("SO3"), "center_of_mass", ["mass", "inertia"], {**FAST, "method": "abmk3"}),
    "commutator-free": (lambda: top("S3"), "center_of_mass", ["mass", "inertia"], {**FAST, "method": "cf43"}),
    "Munthe-Kaas with states": (driven_top, "axis", ["lag", "torque", "motor.x"], {"method": "rkmk_dopri5"}),
    "elements": (springs, "distance", ["stiffness", "m", "one.m"], {}),
}


def by_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Differentiate without compiled tangents."""
    for module in (forward, gradient):
        monkeypatch.setattr(module, "has_tangents", lambda system: False)


def close(found: Array, expected: Array, tolerance: float) -> bool:
    return bool(abs(found - expected).max(initial=0.0) <= tolerance * abs(expected).max(initial=0.0))


@pytest.mark.parametrize("family", FAMILIES)
def test_tangents_equal_those_by_matrices_of_steps(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    build, of, names, options = FAMILIES[family]
    arguments = {"h": 1 / 128, **options}
    found = sl.sensitivity(build(), SPAN, wrt=names, of=of, **arguments)
    by_matrices(monkeypatch)
    expected = sl.sensitivity(build(), SPAN, wrt=names, of=of, **arguments)
    assert np.array_equal(found.t, expected.t)
    for name in ("configuration", "velocity"):
        assert close(getattr(found, name), getattr(expected, name), tolerances.TWO_FORMS_OF_TANGENTS), name
    assert close(found.multipliers, expected.multipliers, tolerances.MULTIPLIERS_OF_TWO_FORMS)
    assert close(found[of], expected[of], tolerances.TWO_FORMS_OF_TANGENTS)


BEYOND: dict[str, tuple[Callable[[], sl.System], str, list[str], dict[str, Any]]] = {
    "RATTLie": (pendulum, "tip", ["length", "damping"], {"method": "rattlie", "method_options": TIGHT}),
    "midpoint rule": (lambda: top("SO3"), "center_of_mass", ["mass"], {**FAST, "method": "variational_midpoint"}),
    "Cayley coordinates": (lambda: top("SO3"), "center_of_mass", ["mass"], {**FAST, **CAYLEY}),
    "stored coordinates": (
        lambda: top("SO3rv"),
        "center_of_mass",
        ["mass", "inertia"],
        {**FAST, "method": "rkmk_rk44"},
    ),
    "ambient space": (lambda: top("S3"), "center_of_mass", ["mass"], {**FAST, "method": "ambient_rk4"}),
    "prescribed and dependent nodes": (cart, "place", ["amplitude", "mass", "bob.Omega"], {}),
    "implicit steps of dependent nodes": (
        cart,
        "place",
        ["amplitude", "mass"],
        {"method": "generalized_alpha", "method_options": TIGHT},
    ),
    "redundant constraints": (redundant, "tip", ["mass", "length"], {}),
    "implicit steps with redundant constraints": (
        redundant,
        "tip",
        ["mass", "length"],
        {"method": "generalized_alpha_index2", "method_options": TIGHT},
    ),
    "constraints nonlinear in v": (perpendicular, "place", ["stiffness", "mass"], {}),
    "projection": (pendulum, "tip", ["length", "mass", "bob.x_dot"], {"stabilize": "projection"}),
    "projection of velocities": (perpendicular, "place", ["stiffness"], {"stabilize": "projection+velocity"}),
    "branches of forces": (lambda: cart(is_switched=True), "place", ["stiffness", "amplitude"], {}),
}


@pytest.mark.filterwarnings("ignore::symlie.warnings.SymlieWarning")  # redundant constraints
@pytest.mark.parametrize("family", BEYOND)
def test_tangents_equal_differences_of_runs(family: str) -> None:
    build, of, names, options = BEYOND[family]
    arguments = {"h": 1 / 128, "t_eval": [0.125, SPAN], **options}
    system = build()
    found = sl.sensitivity(system, SPAN, wrt=names, of=of, **arguments)
    expected = differences(lambda s: sl.solve(s, SPAN, **arguments).outputs[of], system, names)
    assert close(found[of], expected.reshape(found[of].shape), tolerances.DERIVATIVE_OF_RUN)


@pytest.mark.filterwarnings("ignore::symlie.warnings.SymlieWarning")
def test_multipliers_of_redundant_constraints_equal_differences() -> None:
    arguments: dict[str, Any] = {"h": 1 / 64, "method": "index1_dopri5"}
    found = sl.sensitivity(redundant(), SPAN, wrt=["mass", "length"], of=[], **arguments).multipliers
    expected = differences(lambda s: sl.solve(s, SPAN, **arguments).multipliers, redundant(), ["mass", "length"])
    assert close(found, expected, tolerances.DERIVATIVE_OF_RUN)


@pytest.mark.parametrize(
    ("build", "method", "options"),
    [
        (lambda: top("SE3"), "half_explicit_4", {}),
        (lambda: top("SE3"), "generalized_alpha", {}),
        (lambda: top("SO3"), "bdf", {"rtol": 1e-6, "h": None}),
        (lambda: top("SE3"), "rattlie", {}),
        (driven_top, "bdf3", {}),
        (cart, "rkmk_dopri5", {"rtol": 1e-8, "h": None}),
    ],
)
def test_runs_with_tangents_keep_their_bits(
    build: Callable[[], sl.System], method: str, options: dict[str, Any]
) -> None:
    system, arguments = build(), {"h": 1 / 512, "method": method, **options}
    run = sl.sensitivity(system, SPAN, wrt=next(iter(system.layout.parameters)), of=[], **arguments)
    plain = sl.solve(system, SPAN, **arguments)
    for name in ("t", "q", "v", "multipliers"):
        assert np.array_equal(getattr(run.solution, name), getattr(plain, name)), name
    assert run.solution.statistics.newton_iterations == plain.statistics.newton_iterations
    assert [e.t for e in run.solution.events] == [e.t for e in plain.events]


def test_variables_beyond_one_register_have_the_same_tangents() -> None:
    system, names = driven_top(), ["inertia", "stiffness", "lag", "torque", "body.Omega", "motor.x"]
    assert len(variables_of(system, names)) > tangent_run.AT_ONCE
    together = sl.sensitivity(system, SPAN, wrt=names, of="axis", h=1 / 64)["axis"]
    alone = [sl.sensitivity(system, SPAN, wrt=name, of="axis", h=1 / 64)["axis"] for name in names]
    assert close(together, np.concatenate(alone, axis=2), tolerances.TWO_FORMS_OF_TANGENTS)


def sum_of_axis(solution: sl.Solution) -> tuple[float, dict[str, Array]]:
    values = np.asarray(solution.outputs["axis"])
    return float(values.sum()), {"axis": np.ones_like(values)}


def test_gradient_is_the_same_forward_and_in_reverse(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments: dict[str, Any] = {"wrt": ["inertia", "lag", "torque"], "h": 1 / 64}
    found = sl.gradient(driven_top(), SPAN, sum_of_axis, **arguments)
    monkeypatch.setattr(gradient, "MOST_FORWARD", 1)
    reverse = sl.gradient(driven_top(), SPAN, sum_of_axis, **arguments)
    assert close(found.array, reverse.array, tolerances.TWO_FORMS_OF_TANGENTS)
    assert np.array_equal(found.solution.q, reverse.solution.q) and found.value == reverse.value


def test_gradient_of_steps_without_reverse_is_forward(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradient, "MOST_FORWARD", 0)
    arguments: dict[str, Any] = {"wrt": ["mass"], **FAST, "method": "variational_midpoint"}

    def loss(solution: sl.Solution) -> tuple[float, dict[str, Array]]:
        place = np.asarray(solution.outputs["center_of_mass"])
        return float(place.sum()), {"center_of_mass": np.ones_like(place)}

    found = sl.gradient(top("SO3"), SPAN, loss, **arguments)
    run = sl.sensitivity(top("SO3"), SPAN, of="center_of_mass", **arguments)
    assert abs(found.array[0] - run["center_of_mass"].sum()) <= tolerances.TWO_FORMS_OF_TANGENTS * abs(found.array[0])


def test_fused_operations_and_numpy_have_no_compiled_tangents() -> None:
    assert has_tangents(springs())
    assert not has_tangents(pendulum("numpy"))
    assert not has_tangents(dataclasses.replace(springs(), optimize="contract"))


def test_tangents_refuse_by_name() -> None:
    with pytest.raises(UnsupportedMethodError, match="method 'taylor' have no sensitivities"):
        sl.sensitivity(top("SO3"), SPAN, wrt="mass", h=1 / 128, method="taylor")


def test_flags_of_tangents_replace_the_language() -> None:
    plain, cpp = flags("default", takes_steps=True), flags("default", takes_steps=True, is_cpp=True)
    assert "-std=c11" in plain and "-std=c11" not in cpp
    assert cpp[:3] == ("-x", "c++", "-std=gnu++20")
    assert {f for f in plain if not f.startswith("-std")} <= set(cpp)
