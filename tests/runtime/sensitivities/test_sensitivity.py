"""Sensitivities against central differences of runs, and of their forms against each other."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import IntegrationError, ModelError, SmoothnessError, UnknownNameError, UnsupportedMethodError
from symlie.models import flying_spaghetti
from symlie.runtime.integrate.sensitivities.variables import variables_of
from symlie.runtime.layout.layout import Array
from tests import tolerances
from tests.runtime.sensitivities.models import TIGHT, differences, driven_top, hinge, hinged_rods, pendulum, springs

STEPS = {"h": 1 / 64, "t_eval": [0.25, 0.5]}


def swung_hinge() -> sl.System:
    """The rod on a hinge with an initial angle and rate."""
    return hinge().with_initial("pivot", angle=0.3, rate=0.5)


CASES: dict[str, tuple[Callable[[], sl.System], str, list[str], dict[str, Any]]] = {
    "parameters of a constrained model": (pendulum, "tip", ["mass", "length", "damping"], {}),
    "initial values along constraints": (pendulum, "speed", ["bob.x", "bob.x_dot"], {}),
    "Baumgarte's stabilisation": (pendulum, "tip", ["length", "bob.x_dot"], {"stabilize": "baumgarte:10"}),
    "generalized-α": (
        pendulum,
        "tip",
        ["mass", "length", "bob.x_dot"],
        {"method": "generalized_alpha", "method_options": TIGHT},
    ),
    "first-order states": (driven_top, "axis", ["inertia", "stiffness", "lag", "motor.x", "body.Omega"], {}),
    "linear table of an input": (driven_top, "axis", ["torque"], {}),
    "Munthe-Kaas": (driven_top, "motor_torque", ["lag", "torque", "motor.x"], {"method": "rkmk_dopri5"}),
    "parameters that elements share": (springs, "distance", ["stiffness", "m", "one.m"], {}),
    "joints in minimal coordinates": (
        hinged_rods,
        "sensor",
        ["offset", "lower_mass", "shoulder_bearing_damping", "shoulder.x", "elbow.x_dot"],
        {},
    ),
    "joints with constraints": (swung_hinge, "place", ["rod.mass", "pivot.angle", "pivot.rate"], {}),
}


def agrees(found: Array, expected: Array) -> bool:
    return bool(abs(found - expected).max() <= tolerances.DERIVATIVE_OF_RUN * abs(expected).max())


def compared(system: sl.System, of: str, names: Sequence[str], options: dict[str, Any]) -> tuple[Array, Array]:
    """Derivatives of an output, and differences of runs."""
    found = sl.sensitivity(system, 0.5, wrt=names, of=of, **options)[of]
    expected = differences(lambda s: sl.solve(s, 0.5, **options).outputs[of], system, names)
    return found, expected.reshape(found.shape)


@pytest.mark.parametrize("case", CASES)
def test_sensitivity_equals_differences_of_runs(case: str) -> None:
    build, of, names, options = CASES[case]
    assert agrees(*compared(build(), of, names, {**STEPS, **options}))


def test_sensitivity_of_held_input_equals_differences() -> None:
    values = [[1.0, 0.3], [-0.5, 0.1], [0.4, 0.2]]
    held = driven_top().with_input("torque", [0.0, 0.21, 0.4], values, "hold")
    found, expected = compared(held, "axis", ["torque"], STEPS)
    assert agrees(found, expected)
    assert not expected[0, :, 4:].any() and expected[1].any(axis=0).all(), "later values act later"


def test_sensitivity_of_adaptive_steps_keeps_their_lengths() -> None:
    system, span = pendulum(), 0.5
    run = sl.sensitivity(system, span, wrt=["length", "mass"], of="tip", rtol=1e-9)
    exact, _ = compared(system, "tip", ["length", "mass"], {"h": 2.0**-10, "t_eval": [0.5]})
    assert abs(run["tip"][-1] - exact[-1]).max() < tolerances.DERIVATIVE_OF_ADAPTIVE_RUN * abs(exact).max()


@pytest.mark.parametrize("options", [{"rtol": 1e-6}, {"rtol": 1e-6, "t_eval": [0.1, 0.45]}, {"h": 1 / 64}])
def test_sensitivity_keeps_the_bits_of_the_run(options: dict[str, Any]) -> None:
    for system in pendulum(), driven_top():
        run = sl.sensitivity(system, 0.5, wrt=next(iter(system.layout.parameters)), **options)
        plain = sl.solve(system, 0.5, **options)
        for name in ("t", "q", "v", "multipliers"):
            assert np.array_equal(getattr(run.solution, name), getattr(plain, name))
        assert np.array_equal(run.t, plain.t) and len(run.configuration) == len(plain.t)


def test_sensitivity_is_equal_in_both_backends() -> None:
    for build, names in ((pendulum, ["length", "bob.x_dot"]), (driven_top, ["inertia", "torque", "lag"])):
        found, other = (sl.sensitivity(build(backend), 0.5, wrt=names, **STEPS) for backend in ("c", "numpy"))
        for name in found:
            assert (
                abs(found[name] - other[name]).max() < tolerances.TWO_BACKENDS_OF_DERIVATIVES * abs(found[name]).max()
            )


def test_sensitivity_of_states_is_that_of_outputs() -> None:
    run = sl.sensitivity(pendulum(), 0.5, wrt="length", of="tip", **STEPS)
    assert np.array_equal(run.configuration, run["tip"])
    assert run.velocity.shape == (2, 3, 1) and run.multipliers.shape == (2, 1, 1)


def test_sensitivity_has_names_and_units() -> None:
    run = sl.sensitivity(pendulum(), 0.5, wrt=["length", "damping"], **STEPS)
    assert list(run) == ["tip", "speed"] and len(run) == 2
    assert run.variables == ("length", "damping[0]", "damping[1]", "damping[2]")
    assert repr(run) == "Sensitivity('pendulum'; 2 states; by length, damping[0], damping[1], damping[2])"
    found = run.to_xarray()
    assert found.tip.dims == ("time", "tip_component", "variable") and found.tip.numerator_units == "m"
    assert found.sizes["variable"] == 4
    with pytest.raises(UnknownNameError, match="no output 'top'; it has: tip, speed"):
        run["top"]


@pytest.mark.parametrize(
    ("error", "sentence", "arguments"),
    [
        (UnknownNameError, "no parameter, input or initial value 'weight'", {"wrt": "weight"}),
        (UnknownNameError, "no output 'top' that can be differentiated", {"wrt": "mass", "of": "top"}),
        (ModelError, "'mass' is named twice", {"wrt": ["mass", "mass"]}),
        (ModelError, "Nothing to differentiate with respect to", {"wrt": []}),
        (UnknownNameError, "Runs have no option 'rtl' here. Did you mean 'rtol'", {"wrt": "mass", "rtl": 1e-3}),
        (UnknownNameError, "no option 'controllers' here. .*Options are: method, ", {"wrt": "mass", "controllers": []}),
        (ModelError, 'use multipliers="stage"', {"wrt": "mass", "multipliers": "index1"}),
        (UnsupportedMethodError, "method 'taylor' have no sensitivities: its steps are no step program",
         {"wrt": "mass", "method": "taylor"}),
        (IntegrationError, "steps", {"wrt": "mass", "h": None, "rtol": 1e-9, "max_steps": 2}),
    ],
)  # fmt: skip
def test_sensitivity_refuses_by_name(error: type[Exception], sentence: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(error, match=sentence):
        sl.sensitivity(pendulum(), 0.5, **{"h": 1 / 64, **arguments})


def test_sensitivity_refuses_variables_without_derivatives() -> None:
    top = driven_top()
    with pytest.raises(ModelError, match=r"body\.R is a rotation without independent components"):
        sl.sensitivity(top, 0.5, wrt="body.R", h=1 / 64)
    with pytest.raises(ModelError, match="Input 'torque' of 'driven_top' has no table"):
        sl.sensitivity(dataclasses.replace(top, inputs={}), 0.5, wrt="torque", h=1 / 64)
    with pytest.raises(ModelError, match="Joint 'pivot' of 'hinge' has no coordinate or rate 'displacement'"):
        sl.sensitivity(hinge(), 0.5, wrt="pivot.displacement", h=1 / 64)
    with pytest.raises(ModelError, match="'shoulder_point_a' of 'hinged_rods' is a compiled constant"):
        sl.sensitivity(hinged_rods(), 0.5, wrt="shoulder_point_a", h=1 / 64)


def test_sensitivity_in_numpy_refuses_runs_that_end_early() -> None:
    model = sl.Model("falling")
    ball, g = model.node("ball", "R1"), model.parameter("gravity", 9.81)
    model.kinetic_energy(ball.x_dot[0] ** 2 / 2)
    model.potential_energy(g * ball.x[0])
    model.output("height", ball.x[0])
    model.initial(ball, x=[1.0])
    model.event("ground", ball.x[0])
    with pytest.raises(ModelError, match=r"A terminal event ends the run at t = 0\.4515"):
        sl.sensitivity(model.derive().compile(backend="numpy"), 1.0, wrt="gravity", h=1 / 64)


def test_sensitivity_refuses_differentiated_inputs() -> None:
    model = sl.Model("follower")
    ball, m = model.node("ball", "R1"), model.parameter("mass", 1.0)
    u = model.input("u", interpolation="cubic")
    model.kinetic_energy(m * ball.x_dot[0] ** 2 / 2)
    model.constraint("path", ball.x[0] - u)
    model.output("place", ball.x[0])
    system = model.derive().compile(backend="numpy").with_input("u", [0.0, 0.3, 0.6, 1.0], [0.0, 0.2, 0.5, 1.0])
    with pytest.raises(SmoothnessError, match="'u' of 'follower' is differentiated by the model"):
        sl.sensitivity(system, 0.5, wrt="u", h=1 / 64)


@pytest.mark.slow
def test_sensitivity_of_rod_equals_differences() -> None:
    """Parameters of many elements, and of a table of the model."""
    system = flying_spaghetti.build(segments=4).derive().compile(backend="c")
    names, options = ["bending_stiffness", "load_values"], {"h": 1 / 512, "t_eval": [0.25, 0.5]}
    found, expected = compared(system, "tip_distance", names, options)
    length = sl.solve(system, 0.5, **options).outputs["tip_distance"].max()
    for k, variable in enumerate(variables_of(system, names)):
        # Rounding of differences is that of the output, which hardly depends on the stiffness.
        size = max(abs(expected[..., k]).max(), 0.01 * length / variable.size(system))
        assert abs(found[..., k] - expected[..., k]).max() <= tolerances.DERIVATIVE_OF_RUN * size
    assert expected[..., 2].any(), "the peak of the load"
