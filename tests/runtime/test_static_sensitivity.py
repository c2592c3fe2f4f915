"""Derivatives of static equilibria: closed forms, differences, reverse, both backends, fits, and mistakes."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.test_static_equilibrium import HORIZONTAL, elastica, pendulum
from tests.systems import heavy_top_system

PLACES = ("middle", "tip")


@functools.cache
def cantilever(segments: int = 8, backend: str = "c") -> System:
    """A clamped inextensible rod of length one with a load at its tip, a parameter plus an input."""
    model = sl.Model("bent_rod")
    load, bending = model.parameter("load", 0.02, unit="N"), model.parameter("bending", 2.0)
    more = model.input("more", unit="N")
    rod = sl.CosseratRod(
        model, "rod", segments=segments, length=1.0, constraint="inextensible",
        stiffness=[bending, bending, bending, 1e4, 1e4, 1e4], inertia=[1e-6, 1e-6, 2e-6, 1, 1, 1],
        position=lambda s: (s, 0, 0), orientation=HORIZONTAL,
    )  # fmt: skip
    rod.clamp("start")
    rod.end_load("end", force=[0, 0, -load - more])
    for name, node in zip(PLACES, (segments // 2, segments), strict=True):
        probe = sl.ElementType(f"at_{name}", node=sl.S3sR3)
        probe.output(name, probe.node.x, unit="m")
        model.add(probe, [rod[node]])
    return model.derive().compile(backend=backend).with_input("more", [0.0, 10.0], [0.0, 10.0])


@functools.cache
def hanging(backend: str = "numpy") -> System:
    """A weight at a spring whose upper end is prescribed by a parameter."""
    model = sl.Model("hanging")
    length, stiffness = model.parameter("length", 0.3, unit="m"), model.parameter("stiffness", 50.0, unit="N/m")
    mass = model.parameter("mass", [1.0, 0.5], unit="kg")
    top, weight, wind = model.node("top", "R3"), model.node("weight", "R3"), model.input("wind", unit="N")
    model.kinetic_energy((top.x_dot.dot(top.x_dot) + weight.x_dot.dot(weight.x_dot)) / 2)
    chord = weight.x - top.x
    reach = sl.sqrt(chord.dot(chord))
    model.potential_energy(stiffness * (reach - length) ** 2 / 2 + 9.81 * (mass[0] + mass[1]) * weight.x[2])
    model.force(sl.vector(wind, 0, 0), at=weight.x)
    model.prescribe(top, x=[2 * length, 0, 0])
    model.initial(weight, x=[0.6, 0, -1])
    model.output("place", weight.x, unit="m")
    model.output("reach", reach, unit="m")
    return model.derive().compile(backend=backend).with_input("wind", [0.0, 1.0], [3.0, 7.0])


def place(system: System, t: float = 0.0, name: str = "place") -> Array:
    """Output of a system at its equilibrium."""
    found = system.static_equilibrium(t, tolerance=1e-13)
    return np.ravel(system.outputs(system.state(found.q, t=t), [name])[name])


def difference(system: System, name: str, step: float, t: float = 0.0, of: str = "place") -> Array:
    """Derivative of an output by a parameter, by differences of order six."""
    value = system.parameters[system.layout.parameters[name][0]][0]
    found = np.zeros(3)
    for k, weight in enumerate((45 / 60, -9 / 60, 1 / 60), start=1):
        ends = (place(system.with_parameters(**{name: value + s * k * step}), t, of) for s in (1, -1))
        found += weight * np.subtract(*ends) / step
    return found


def test_pendulum_has_closed_form() -> None:
    """λ = m g/L and z = -L, up to the rounding of both."""
    found, g = sl.static_sensitivity(pendulum("numpy"), wrt=["mass", "length"]), 9.81
    expected = [[0, 0], [0, 0], [0, -1]]
    np.testing.assert_allclose(found.configuration, expected, rtol=0, atol=tolerances.STATIC_DERIVATIVE)
    np.testing.assert_allclose(found.multipliers, [[g / 0.5, -2 * g / 0.25]], rtol=tolerances.STATIC_DERIVATIVE)


def test_spring_has_closed_form() -> None:
    """Vertical without wind: reach = length + m g/k; the upper end moves with its parameter."""
    still = hanging().with_input("wind", [0.0], [0.0])
    found, g = sl.static_sensitivity(still, wrt=["length", "stiffness", "mass", "wind"]), 9.81
    assert found.variables == ("length", "stiffness", "mass[0]", "mass[1]", "wind[0, 0]")
    reach = 0.3 + 1.5 * g / 50
    expected = [[2, 0, 0, 0, reach / (1.5 * g)], [0] * 5, [-1, 1.5 * g / 50**2, -g / 50, -g / 50, 0]]
    np.testing.assert_allclose(found["place"], expected, rtol=0, atol=tolerances.STATIC_DERIVATIVE)
    np.testing.assert_allclose(found["reach"], [[1, *(-x for x in expected[2][1:4]), 0]], rtol=0,
                               atol=tolerances.STATIC_DERIVATIVE)  # fmt: skip
    assert found.output_values["reach"] == pytest.approx(reach) and found.output_values["place"].shape == (3,)


def test_running_cost_does_not_rest() -> None:
    model = sl.Model("costly")
    x = model.node("x", "R1")
    stiffness = model.parameter("stiffness", 4.0)
    model.kinetic_energy(x.x_dot[0] ** 2 / 2)
    model.potential_energy(stiffness * x.x[0] ** 2 / 2 - x.x[0])
    model.cost(running=x.x[0] ** 2)
    system = model.derive().compile(backend="numpy")
    for compute in (system.static_equilibrium, lambda: sl.static_sensitivity(system, wrt="stiffness")):
        with pytest.raises(
            sl.errors.ModelError, match="'costly' has a running cost, whose integral does not rest; for equil"
        ):
            compute()


def test_inputs_are_differentiated_by_their_knots() -> None:
    found = sl.static_sensitivity(hanging(), wrt=["wind", "length"], of="place", t=0.25)
    by_wind = sl.static_sensitivity(hanging().with_input("wind", [0.0], [4.0]), wrt="wind", of="place")["place"]
    np.testing.assert_allclose(found["place"][:, :2], by_wind * [0.75, 0.25], rtol=0, atol=tolerances.STATIC_DERIVATIVE)
    by_length = difference(hanging(), "length", 1e-3, 0.25)
    np.testing.assert_allclose(found["place"][:, 2], by_length, rtol=0, atol=tolerances.STATIC_DIFFERENCE)


def test_small_deflection_of_a_rod_has_closed_form() -> None:
    """F L³/(3 E I), up to the discretisation of order two and large deflections."""
    found = sl.static_sensitivity(cantilever(), wrt=["load", "bending"], of="tip")
    np.testing.assert_allclose(found["tip"][2], [-1 / 6, 0.02 / 12], rtol=tolerances.COARSE_ROD)


def test_large_deflection_of_a_rod_converges_to_the_elastica() -> None:
    load, step = 8.0, 1e-3
    exact = np.subtract(elastica((load + step) / 2), elastica((load - step) / 2)) / (2 * step)
    errors = []
    for segments in (8, 16):
        rod = cantilever(segments).with_parameters(load=load)
        found = sl.static_sensitivity(rod, wrt=["load", "bending"], of="tip")["tip"]
        errors.append(np.abs(found[[0, 2], 0] - exact).max())
        # Only load/bending matters.
        np.testing.assert_allclose(found[:, 1], -load / 2 * found[:, 0], rtol=0, atol=tolerances.STATIC_DIFFERENCE)
    assert errors[1] < tolerances.COARSE_ROD * np.abs(exact).max() and errors[0] / errors[1] == pytest.approx(
        4, rel=0.1
    )


def test_derivatives_of_a_rod_are_those_of_its_equilibria() -> None:
    rod = cantilever().with_parameters(load=8.0)
    found = sl.static_sensitivity(rod, wrt=["load", "bending"], of=PLACES)
    for k, (name, step) in enumerate({"load": 0.05, "bending": 0.02}.items()):
        np.testing.assert_allclose(
            found["middle"][:, k], difference(rod, name, step, of="middle"), rtol=0, atol=tolerances.STATIC_DIFFERENCE
        )


def test_backends_agree() -> None:
    found = [
        sl.static_sensitivity(cantilever(backend=b).with_parameters(load=8.0), wrt=["load", "bending", "more"], t=0.5)
        for b in ("c", "numpy")
    ]
    for name in ("configuration", "multipliers"):
        first, second = (getattr(x, name) for x in found)
        np.testing.assert_allclose(first, second, rtol=0, atol=tolerances.STATIC_DIFFERENCE * np.abs(first).max())


@pytest.mark.parametrize("name", ["hanging", "cantilever"])
def test_reverse_agrees_with_forward(name: str) -> None:
    system, wrt, of = {
        "hanging": (hanging(), ["length", "stiffness", "mass", "wind"], "place"),
        "cantilever": (cantilever().with_parameters(load=8.0), ["load", "bending", "more"], "tip"),
    }[name]

    def loss(outputs: dict[str, Array]) -> tuple[float, dict[str, Array]]:
        return float(outputs[of] @ outputs[of]), {of: 2 * outputs[of]}

    found, forward = sl.static_gradient(system, loss, wrt=wrt), sl.static_sensitivity(system, wrt=wrt)
    expected = 2 * forward.output_values[of] @ forward[of]
    np.testing.assert_allclose(found.array, expected, rtol=0, atol=tolerances.STATIC_REVERSE * np.abs(expected).max())
    assert found.variables == forward.variables and found[wrt[0]] == found.array[0]
    assert found.value == loss(dict(forward.output_values))[0]


def test_follower_load_has_transposed_factors() -> None:
    """The stiffness of a load that turns with its body is not symmetric."""
    model = sl.Model("follower")
    push = model.parameter("push", 0.4, unit="N")
    arms = [model.node(name, "R1") for name in ("first", "second")]
    a, b = (arm.x[0] for arm in arms)
    model.kinetic_energy(sum(arm.x_dot[0] ** 2 for arm in arms) / 2)
    model.potential_energy(a**2 + (b - a) ** 2 + sl.sin(a) / 5)
    model.generalized_force(arms[0], x_dot=[push * sl.sin(b - a) + push])
    model.output("angle", b)
    system = model.derive().compile(backend="numpy")
    found = sl.static_gradient(system, lambda y: (float(y["angle"]), {"angle": np.ones(1)}), wrt="push")
    assert found["push"] == pytest.approx(sl.static_sensitivity(system, wrt="push")["angle"][0, 0])
    assert found["push"] == pytest.approx(difference(system, "push", 1e-2, of="angle")[0], rel=1e-9)


def test_result_has_names_and_units() -> None:
    found = sl.static_sensitivity(hanging(), wrt=["length", "mass"])
    data = found.to_xarray()
    assert list(found) == ["place", "reach"] and len(found) == 2 and "by length, mass[0]" in repr(found)
    assert data["place"].attrs["numerator_units"] == "m" and data["place"].dims == ("place_component", "variable")


def test_fit_finds_the_stiffness_of_a_rod_from_its_shape() -> None:
    """A noisy shape under several loads, and an exact shape under one load."""
    true, rod = cantilever().with_parameters(bending=3.3, load=1.0), cantilever().with_parameters(load=1.0)
    times, noise = np.array([1.0, 3.0, 5.0]), np.random.default_rng(2)
    shapes = {name: np.array([place(true, t, name) for t in times]) for name in PLACES}
    record = {"t": times, **{n: x + noise.normal(0, 1e-3, x.shape) for n, x in shapes.items()}}
    found = sl.fit(rod, record, "bending", of="equilibrium")
    assert abs(found["bending"] - 3.3) < 3 * found.standard_errors[0] < 0.1
    assert found.solutions == () and found.equilibria[0].t.tolist() == times.tolist()
    assert found.residuals[0]["tip"].shape == (3, 3)
    single = sl.fit(rod, {"tip": shapes["tip"][1]}, "bending", of="equilibrium", start=3.0)
    assert single["bending"] == pytest.approx(3.3, rel=tolerances.FITTED)
    figure = found.plot()
    assert len(figure.axes) == 12


def test_load_and_stiffness_are_not_both_determined() -> None:
    shape = {"tip": place(cantilever(), 1.0, "tip")}
    with pytest.warns(sl.SymlieWarning, match="do not determine load : bending"):
        found = sl.fit(cantilever(), shape, ["load", "bending"], of="equilibrium")
    assert found.rank == 1


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"wrt": "tension"}, sl.errors.UnknownNameError, "no parameter, input or initial value 'tension'"),
        ({"of": "speed"}, sl.errors.UnknownNameError, "no output 'speed'"),
        ({"wrt": []}, sl.errors.ModelError, "Nothing to differentiate"),
        ({"t": 0.5, "equilibrium": hanging().static_equilibrium()}, sl.errors.EquilibriumError, "is no equilibrium"),
    ],
)
def test_mistake_is_named(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        sl.static_sensitivity(hanging(), **{"wrt": "mass", **options})


def test_motion_without_stiffness_is_named() -> None:
    with pytest.raises(sl.errors.EquilibriumError, match="of node 'top' meets no stiffness"):
        sl.static_sensitivity(heavy_top_system("SO3xR3"), wrt="mass")


def test_redundant_constraints_are_refused() -> None:
    model = sl.Model("twice")
    bob = model.node("bob", "R3")
    weight = model.parameter("weight", 1.0)
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(weight * bob.x[2] + bob.x[0] ** 2 + bob.x[1] ** 2)
    model.constraint("floor", bob.x[2])
    model.constraint("ground", 2 * bob.x[2])
    system = model.derive().compile(backend="numpy").with_redundant("minimal_norm")
    with pytest.raises(sl.errors.UnsupportedFeatureError, match="redundant"):
        sl.static_sensitivity(system, wrt="weight")


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (3.0, "must be a function of the outputs"),
        (lambda y: y["reach"], "number and a mapping"),
        (lambda y: (1.0, {"place": np.ones(2)}), "1 × 3 finite numbers"),
    ],
)
def test_loss_must_return_a_number_and_derivatives(loss: Any, words: str) -> None:
    with pytest.raises(sl.errors.ModelError, match=words):
        sl.static_gradient(hanging(), loss, wrt="mass")


def test_fit_refuses_options_of_runs() -> None:
    shape, options = {"reach": 0.5}, dict[str, Any](of="modes")
    with pytest.raises(sl.errors.ModelError, match="h is an option of runs"):
        sl.fit(hanging(), shape, "stiffness", of="equilibrium", h=0.1)
    with pytest.raises(sl.errors.UnknownNameError, match="a motion or an equilibrium"):
        sl.fit(hanging(), shape, "stiffness", **options)
