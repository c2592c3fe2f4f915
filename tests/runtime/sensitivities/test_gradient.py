"""Gradients in reverse against sensitivities, and invalid losses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.layout.layout import Array
from tests import tolerances
from tests.runtime.sensitivities.models import driven_top, hinged_rods, pendulum, springs


def squares(*names: str) -> Callable[[sl.Solution], tuple[float, Mapping[str, Array]]]:
    """Sum of the squares of outputs minus one, with its derivatives."""

    def loss(run: sl.Solution) -> tuple[float, Mapping[str, Array]]:
        rest = {name: run.outputs[name] - 1.0 for name in names}
        return sum(float((r**2).sum()) for r in rest.values()), {name: 2 * r for name, r in rest.items()}

    return loss


@pytest.mark.parametrize(
    ("build", "names", "outputs", "options"),
    [
        (pendulum, ["length", "damping", "bob.x_dot"], ["tip", "speed"], {"h": 1 / 64}),
        (pendulum, ["mass", "length"], ["tip"], {"rtol": 1e-6, "stabilize": "baumgarte:10"}),
        (pendulum, ["length", "bob.x"], ["speed"], {"h": 1 / 64, "method": "generalized_alpha"}),
        (driven_top, ["inertia", "lag", "torque", "motor.x"], ["axis", "motor_torque"], {"rtol": 1e-6}),
        (driven_top, ["inertia", "torque"], ["axis"], {"h": 1 / 64, "t_eval": [0.1, 0.33]}),
        (springs, ["stiffness", "one.m", "first.x"], ["distance"], {"rtol": 1e-6}),
        (hinged_rods, ["offset", "upper_mass", "elbow.x_dot"], ["sensor"], {"rtol": 1e-6}),
    ],
)
def test_gradient_equals_sensitivity(
    build: Callable[[], sl.System], names: list[str], outputs: list[str], options: dict[str, Any]
) -> None:
    system = build()
    found = sl.gradient(system, 0.5, squares(*outputs), wrt=names, **options)
    run = sl.sensitivity(system, 0.5, wrt=names, of=outputs, **options)
    parts = [2 * (run.solution.outputs[n].reshape(run[n].shape[:2]) - 1) for n in outputs]
    expected = sum(np.einsum("nc,nck->k", w, run[n]) for w, n in zip(parts, outputs, strict=True))
    assert abs(found.array - expected).max() <= tolerances.FORWARD_AND_REVERSE * abs(expected).max()
    assert found.variables == run.variables and np.array_equal(found.solution.q, run.solution.q)


def test_gradient_is_a_mapping() -> None:
    found = sl.gradient(springs(), 0.5, squares("distance"), wrt=["stiffness", "first.x"], h=1 / 64)
    assert list(found) == ["stiffness", "first.x"] and len(found) == 2
    assert found["first.x"] == found.array[1]
    assert repr(found).startswith("Gradient('springs'; value ")
    assert "first.x" in found and "mass" not in found
    with pytest.raises(UnknownNameError, match=r"no variable 'mass'; it has: stiffness, first\.x"):
        found["mass"]


def test_names_of_vectors_and_tables_give_all_components() -> None:
    """Parameters, initial values and tables of inputs, in gradients and in sensitivities."""
    names = ["stiffness", "inertia", "torque", "motor.x"]
    found = sl.gradient(driven_top(), 0.5, squares("axis"), wrt=names, h=1 / 64)
    np.testing.assert_array_equal(found["inertia"], found.array[1:4])
    np.testing.assert_array_equal(found["torque"], found.array[4:10].reshape(3, 2))
    assert found["inertia[1]"] == found.array[2] and found["torque[2, 0]"] == found.array[8]
    assert isinstance(found["stiffness"], float) and isinstance(found["motor.x"], float)
    assert "inertia" in found and "inertia" not in list(found) and len(found) == 11
    run = sl.sensitivity(driven_top(), 0.5, wrt=names, of="axis", h=1 / 64)
    assert run["axis", "inertia"].shape == (34, 3, 3) and run["axis", "stiffness"].shape == (34, 3)
    np.testing.assert_array_equal(run["axis", "torque"][..., 2, 0], run["axis", "torque[2, 0]"])
    np.testing.assert_array_equal(run["axis", "torque[2, 0]"], run["axis"][..., 8])
    assert "axis" in run and "tip" not in run
    with pytest.raises(UnknownNameError, match=r"This sensitivity has no variable 'lag'; it has: stiffness, inertia"):
        run["axis", "lag"]


@pytest.mark.parametrize(
    ("error", "sentence", "returned"),
    [
        (ModelError, "must return a number and a mapping", 1.5),
        (ModelError, r"must be a finite number, not an array of the shape \(2,\); sum its", (np.ones(2), {})),
        (ModelError, "must be a finite number", (np.nan, {})),
        (ModelError, "must be a finite number, not None", (None, {})),
        (ModelError, "must be a finite number, not 1j", (1j, {})),
        (ModelError, "by 'distance' must be numbers, not 'x'", (1.0, {"distance": "x"})),
        (UnknownNameError, "a derivative by 'top', which is no output of 'springs'", (1.0, {"top": np.ones(33)})),
        (ModelError, "by 'distance' must consist of 33 × 1 finite numbers", (1.0, {"distance": np.ones(3)})),
        (ModelError, "by 'distance' must consist of 33 × 1 finite numbers", (1.0, {"distance": np.full(33, np.nan)})),
    ],
)
def test_gradient_refuses_invalid_losses(error: type[Exception], sentence: str, returned: Any) -> None:
    with pytest.raises(error, match=sentence):
        sl.gradient(springs(), 0.5, lambda run: returned, wrt="stiffness", h=1 / 64)


@pytest.mark.parametrize("loss", [None, 3.0])
def test_gradient_refuses_a_loss_that_is_no_function(loss: Any) -> None:
    with pytest.raises(ModelError, match=r"^The loss must be the name of an output, or a function of the solution"):
        sl.gradient(springs(), 0.5, loss, wrt="stiffness", h=1 / 64)


def test_gradient_of_an_output_belongs_to_its_last_value() -> None:
    found = sl.gradient(springs(), 0.5, "distance", wrt=["stiffness", "first.x"], h=1 / 64)
    run = sl.sensitivity(springs(), 0.5, wrt=["stiffness", "first.x"], of="distance", h=1 / 64)
    assert found.value == run.solution.outputs["distance"][-1]
    np.testing.assert_array_equal(found.array, run["distance"][-1, 0])


def test_gradient_of_cost_in_reverse_equals_closed_form() -> None:
    """A mass m under the force u(t) from rest: ∫ u² dt/2 and m v²/2 at the end, by the values of u and m."""
    model = sl.Model("cart")
    m, u, cart = model.parameter("mass", 2.0), model.input("push", 1), model.node("cart", "R1")
    model.kinetic_energy(m * cart.x_dot[0] ** 2 / 2)
    model.generalized_force(cart, [u])
    model.cost(running=u**2 / 2, terminal=m * cart.x_dot[0] ** 2 / 2)
    values = np.array([1.0, -0.5, 2.0, 0.5, 1.5])
    system = model.derive().compile(backend="c").with_input("push", np.linspace(0, 1, 5), values)
    found = sl.gradient(system, 1.0, wrt=["push", "mass"], h=1 / 8)
    weights = np.array([0.5, 1, 1, 1, 0.5]) / 4
    gram = (np.diag([2.0, 4, 4, 4, 2]) + np.eye(5, k=1) + np.eye(5, k=-1)) / 24
    impulse = weights @ values
    assert found.value == pytest.approx(values @ gram @ values / 2 + impulse**2 / 4, rel=tolerances.FORWARD_AND_REVERSE)
    expected = [*(gram @ values + impulse / 2 * weights), -(impulse**2) / 8]
    np.testing.assert_allclose(found.array, expected, rtol=tolerances.FORWARD_AND_REVERSE)


@pytest.mark.parametrize(
    ("loss", "error", "sentence"),
    [
        ("tip", ModelError, "A loss must be a scalar, but output 'tip' has 3 components"),
        ("place", UnknownNameError, "Model 'pendulum' has no output 'place'"),
        ("cost", ModelError, "Model 'pendulum' has no cost; state one by model.cost"),
    ],
)
def test_gradient_refuses_outputs_that_are_no_loss(loss: str, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=f"^{sentence}"):
        sl.gradient(pendulum(), 0.5, loss, wrt="mass", h=1 / 64)


def test_memory_is_not_ignored_silently() -> None:
    """Forward derivatives store no states; matrices of steps need all of them."""
    with pytest.warns(sl.SymlieWarning, match="memory has no effect: the gradient of 'springs' is computed forward"):
        sl.gradient(springs(), 0.5, "distance", wrt="stiffness", h=1 / 64, memory=1e6)
    with pytest.raises(ModelError, match="by matrices of steps, which need all states; leave memory out"):
        sl.gradient(pendulum("numpy"), 0.5, "speed", wrt="mass", h=1 / 64, memory=1e6)


@pytest.mark.parametrize("wrt", [[1], None, 1, ["stiffness", None], b"stiffness"])
def test_names_of_variables_are_checked(wrt: Any) -> None:
    system, sentence = springs(), r" must be a name or a list of names, such as \["
    with pytest.raises(ModelError, match=f"^wrt{sentence}"):
        sl.gradient(system, 0.5, squares("distance"), wrt=wrt, h=1 / 64)
    with pytest.raises(ModelError, match=f"^wrt{sentence}"):
        sl.sensitivity(system, 0.5, wrt=wrt, h=1 / 64)
    with pytest.raises(ModelError, match=f"^parameters{sentence}"):
        sl.fit(system, {"t": [0.5], "distance": [0.1]}, wrt, h=1 / 64)


@pytest.mark.parametrize("of", [[1], 1, [None]])
def test_names_of_outputs_are_checked(of: Any) -> None:
    with pytest.raises(ModelError, match=r"^of must be a name or a list of names, such as \["):
        sl.sensitivity(springs(), 0.5, wrt="stiffness", of=of, h=1 / 64)
