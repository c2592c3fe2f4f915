"""Products with Hessians of runs: closed forms, symmetry, and central differences of exact gradients."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.compile.compiler import compiles_cpp
from symlie.errors import ModelError, UnknownNameError, UnsupportedMethodError
from symlie.runtime.integrate.sensitivities.gradient import Product
from symlie.runtime.integrate.sensitivities.second_order.start_curvature import RELATIVE, WEIGHTS
from symlie.runtime.integrate.sensitivities.start import consistent_start
from symlie.runtime.integrate.sensitivities.variables import Variable, variables_of
from symlie.runtime.layout.layout import Array
from tests import tolerances
from tests.runtime.sensitivities.models import (
    TIGHT,
    differences,
    driven_top,
    hung,
    pendulum,
    perpendicular,
    redundant,
    shaken,
    springs,
    top_with_momenta,
)
from tests.runtime.sensitivities.test_adjoint import (
    NEAR_START,
    WITHIN,
    chain,
    disk,
    dumbbell,
    held,
    held_with_kinks,
    large,
    light_rod,
    polar,
    spheres,
    switching,
)
from tests.systems import heavy_top_system, swing_system

pytestmark = pytest.mark.skipif(not compiles_cpp(), reason="the C compiler does not compile C++")

Returned = tuple[float, Mapping[str, Array], Product]


def quadratic(solution: sl.Solution) -> Returned:
    """Weighted sum of y + y²/2 of all outputs, with weights that depend on the time and the component."""
    outputs = {name: solution.outputs[name] for name in solution.system.layout.outputs}
    weights = {name: np.cos(1.0 + np.arange(y.size)).reshape(y.shape) for name, y in outputs.items()}
    value = sum(float((w * (outputs[name] + outputs[name] ** 2 / 2)).sum()) for name, w in weights.items())
    return (
        value,
        {name: w * (1 + outputs[name]) for name, w in weights.items()},
        lambda changes: {name: w * changes[name] for name, w in weights.items()},
    )


@functools.cache
def oscillator() -> sl.System:
    """A damped linear oscillator."""
    model = sl.Model("oscillator")
    m, k, d = model.parameter("m", 1.2), model.parameter("k", 3.0), model.parameter("d", 0.2)
    x = model.node("x", "R1")
    model.kinetic_energy(m * x.x_dot[0] ** 2 / 2)
    model.potential_energy(k * x.x[0] ** 2 / 2)
    model.force(-d * x.x_dot, at=x.x)
    model.output("place", x.x[0])
    model.initial(x, x=[0.7], x_dot=[0.2])
    return model.derive().compile(backend="c")


@functools.cache
def thrown() -> sl.System:
    """A body whose attitude at the start is determined by parameters, and turns with its angular velocity."""
    model = sl.Model("thrown")
    tilt, J = model.parameter("tilt", [0.4, -0.7, 0.3], unit="rad"), model.parameter("inertia", [0.2, 0.3, 0.4])
    body = model.node("body", sl.SO3)
    model.kinetic_energy(body.Omega.dot(sl.diag(J) * body.Omega) / 2)
    model.potential_energy(body.R[2, 2])
    model.output("axis", body.R[:, 2], unit="1")
    model.initial(body, rotation=sl.rotation(vector=tilt), Omega=[1.0, 0.5 * tilt[0], -2.0])
    return model.derive().compile(backend="c")


def hessian(system: sl.System, t_end: float, names: list[str], options: dict[str, Any]) -> Array:
    count = len(variables_of(system, names))
    return sl.hessian_product(system, t_end, quadratic, wrt=names, direction=np.eye(count), **options).product


def test_hessian_equals_that_of_the_discrete_map_of_a_linear_system() -> None:
    """With A' = [[A, A_i, A_j, A_ij], [0, A, 0, A_j], [0, 0, A, A_i], [0, 0, 0, A]], the last block of the first row of
    f(A') is the second derivative of f(A)."""
    steps, h = 50, 1 / 64
    m, k, d = 1.2, 3.0, 0.2
    x, names = np.array([0.7, 0.2]), ["m", "k", "d", "x.x"]
    first = {"m": (k / m**2, d / m**2), "k": (-1 / m, 0.0), "d": (0.0, -1 / m), "x.x": (0.0, 0.0)}
    second = {"mm": (-2 * k / m**3, -2 * d / m**3), "mk": (1 / m**2, 0.0), "md": (0.0, 1 / m**2)}

    def matrix(row: tuple[float, float], of_x: float = 0.0) -> Array:
        return np.array([[0.0, of_x], row])

    def block(a: str, b: str) -> Array:
        found = np.kron(np.eye(4), matrix((-k / m, -d / m), 1.0))
        for pair, part in (((0, 1), a), ((2, 3), a), ((0, 2), b), ((1, 3), b)):
            found[2 * pair[0] : 2 * pair[0] + 2, 2 * pair[1] : 2 * pair[1] + 2] = matrix(first[part])
        found[:2, 6:] = matrix(second.get(a + b, second.get(b + a, (0.0, 0.0))))
        z = h * found
        one_step = np.eye(8) + z @ (np.eye(8) + z / 2 @ (np.eye(8) + z / 3 @ (np.eye(8) + z / 4)))
        return np.asarray(np.linalg.matrix_power(one_step, steps))

    expected = np.array([[(block(a, b)[:2, 6:] @ x)[0] for b in names] for a in names])
    for j, a in enumerate(names[:3]):
        expected[j, 3] = expected[3, j] = block(a, a)[0, 2]
    run = sl.hessian_product(oscillator(), steps * h, "place", wrt=names, direction=np.eye(4), h=h, method="rkmk_rk44")
    assert abs(run.product - expected).max() <= tolerances.HESSIAN_OF_LINEAR_SYSTEM * abs(expected).max()


TOP = ["mass", "gravity", "top.Omega"]

CASES = [
    (functools.partial(heavy_top_system, "SE3"), TOP, {"h": 1 / 256, "method": "half_explicit_5"}),
    (thrown, ["tilt", "inertia"], {"h": 1 / 64, "method": "rkmk_rk44"}),
    (
        pendulum,
        ["length", "damping", "bob.x_dot"],
        {"h": 1 / 64, "method": "generalized_alpha_index2", "method_options": TIGHT},
    ),
]
"""Models, variables and options: each needs two libraries in C++."""

SLOW = [
    (driven_top, ["inertia", "lag", "torque", "motor.x"], {"h": 1 / 64, "method": "cf4", "t_eval": [0.1, 0.22]}),
    (held, ["mass", "length", "force"], {"h": 1 / 64, "method": "half_explicit_4"}),
    (chain, ["masses", "inertia", "half_length"], {"h": 1 / 128}),
    (large, ["mass", "body0.Omega"], {"h": 1 / 128, "method": "half_explicit_2"}),
    (disk, ["mass", "disk.Omega"], {"h": 1 / 128}),
    (pendulum, ["mass", "length"], {"h": 1 / 64, "method": "index1_dopri5"}),
    (
        functools.partial(heavy_top_system, "SE3"),
        TOP,
        {"h": 1 / 256, "method": "generalized_alpha", "method_options": TIGHT},
    ),
    (functools.partial(heavy_top_system, "SE3"), TOP, {"h": 1 / 256, "method": "rattlie", "method_options": TIGHT}),
    (functools.partial(heavy_top_system, "SE3"), TOP, {"h": 1 / 1024, "method": "bdf3", "method_options": TIGHT}),
    (polar, ["mass", "bead.x"], {"h": 1 / 64, "method": "rattlie", "method_options": TIGHT}),
    (springs, ["stiffness", "one.m", "first.x"], {"h": 1 / 32, "method": "bdf2", "method_options": TIGHT}),
    (held, ["mass", "length", "force"], {"h": 1 / 64, "method": "generalized_alpha_index2", "method_options": TIGHT}),
    (
        dumbbell,
        ["masses", "length", "radius"],
        {"h": 1 / 64, "method": "generalized_alpha_index2", "method_options": TIGHT},
    ),
    (dumbbell, ["masses", "length", "radius"], {"h": 1 / 64, "method": "bdf2_index2", "method_options": TIGHT}),
    (held_with_kinks, ["mass", "length", "force"], {"h": 1 / 64, "method": "bdf3", "method_options": TIGHT}),
    (light_rod, ["mass", "length", "force"], {"h": 1 / 64, "method": "bdf2_index2", "method_options": TIGHT}),
    (
        functools.partial(switching, WITHIN),
        ["mass", "length", "push"],
        {"h": 1 / 64, "method": "bdf2", "method_options": TIGHT},
    ),
    (
        functools.partial(switching, NEAR_START),
        ["mass", "length", "push"],
        {"h": 1 / 64, "method": "bdf2", "method_options": TIGHT},
    ),
    (top_with_momenta, ["mgl", "top.momentum"], {"h": 1 / 64, "method": "symplectic_theta"}),
    (pendulum, ["length", "damping", "bob.x_dot"], {"h": 1 / 64, "stabilize": "projection+velocity"}),
    (perpendicular, ["stiffness", "mass"], {"h": 1 / 64, "stabilize": "projection+velocity"}),
    (shaken, ["amplitude", "frequency", "mass", "force"], {"h": 1 / 64, "method": "half_explicit_4"}),
    (
        hung,
        ["amplitude", "frequency", "mass"],
        {"h": 1 / 64, "method": "variational_midpoint", "method_options": TIGHT},
    ),
]


@pytest.mark.parametrize(
    ("build", "names", "options"), [*CASES, *(pytest.param(*case, marks=pytest.mark.slow) for case in SLOW)]
)
def test_hessian_is_symmetric_and_equals_differences_of_gradients(
    build: Callable[[], sl.System], names: list[str], options: dict[str, Any]
) -> None:
    system, t_end = build(), 0.25
    # Variables have different units: the derivatives are multiplied by the sizes of their values.
    sizes = np.array([v.size(system) for v in variables_of(system, names)])
    found = hessian(system, t_end, names, options) * np.multiply.outer(sizes, sizes)

    def gradient(moved: sl.System) -> Array:
        return sl.gradient(moved, t_end, quadratic, wrt=names, **options).array

    expected = differences(gradient, system, names, 2.0**-11) * np.multiply.outer(sizes, sizes)
    assert abs(found - found.T).max() <= tolerances.SYMMETRY_OF_HESSIANS * abs(found).max()
    assert abs(found - expected).max() <= tolerances.DIFFERENCES_OF_GRADIENTS * abs(found).max()


@pytest.mark.slow
def test_hessian_by_assembled_configurations_equals_second_differences() -> None:
    """A changed configuration is assembled, so that gradients at changed values are not those of the same function."""
    system, names = pendulum(), ["mass", "length", "bob.x", "bob.x_dot"]
    options: dict[str, Any] = {"h": 1 / 64, "method": "half_explicit_5"}
    found = hessian(system, 0.25, names, options)
    assert abs(found - found.T).max() <= tolerances.SYMMETRY_OF_HESSIANS * abs(found).max()
    for component, row in ((0, 2), (2, 4)):
        (variable,) = (v for v in variables_of(system, "bob.x") if v.index == (component,))

        def value(k: int, variable: Variable = variable) -> float:
            moved = consistent_start(variable.moved(system, k * RELATIVE), 0.0)[0]
            return quadratic(sl.solve(moved, 0.25, **options))[0]

        changes = (value(k) - 2 * value(0) + value(-k) for k in range(1, len(WEIGHTS) + 1))
        expected = sum(w * change for w, change in zip(WEIGHTS, changes, strict=True)) / RELATIVE**2
        assert abs(found[row, row] - expected) <= tolerances.SECOND_DIFFERENCES * abs(found).max()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["half_explicit_5", "generalized_alpha", "bdf"])
def test_hessian_with_adaptive_steps_is_symmetric(method: str) -> None:
    found = hessian(pendulum(), 0.5, ["mass", "damping", "bob.x_dot"], {"rtol": 1e-6, "method": method})
    assert abs(found - found.T).max() <= tolerances.SYMMETRY_OF_HESSIANS * abs(found).max()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bdf2", "rattlie", "generalized_alpha_index2"])
def test_hessian_of_a_long_run_is_symmetric(method: str) -> None:
    """Corrections of some steps stall at rounding, for values and tangents at different times."""
    found = hessian(heavy_top_system("SE3"), 1.0, TOP, {"h": 1e-3, "method": method, "record_every": 0})
    assert abs(found - found.T).max() <= tolerances.SYMMETRY_OF_HESSIANS * abs(found).max()


def test_product_is_that_of_the_hessian_with_the_gradient_and_the_run_of_solve() -> None:
    """More directions than a number has tangents are computed in parts."""
    system, names, options = thrown(), ["tilt", "inertia"], {"h": 1 / 64, "method": "rkmk_rk44"}
    directions = np.random.default_rng(0).standard_normal((6, 11))
    found = sl.hessian_product(system, 0.25, quadratic, wrt=names, direction=directions, **options)
    one = sl.hessian_product(system, 0.25, quadratic, wrt=names, direction=directions[:, 0], **options)
    expected = sl.gradient(system, 0.25, quadratic, wrt=names, **options)
    products = hessian(system, 0.25, names, options) @ directions
    assert abs(found.product - products).max() <= tolerances.SYMMETRY_OF_HESSIANS * abs(products).max()
    assert one.product.shape == (6,)
    assert abs(one.product - products[:, 0]).max() <= tolerances.SYMMETRY_OF_HESSIANS * abs(products).max()
    assert found.value == expected.value and found.variables == expected.variables
    assert abs(found.array - expected.array).max() <= tolerances.FORWARD_AND_REVERSE * abs(expected.array).max()
    assert np.array_equal(found.solution.q, sl.solve(system, 0.25, **options).q)
    assert repr(found).startswith("HessianProduct('thrown'; value ") and "11 directions" in repr(found)


def test_runs_without_second_derivatives_are_refused() -> None:
    pattern = r"Runs of 'oscillator' with method '{}' have no (second derivatives|sensitivities): {}"
    refused = [
        ("taylor", {"rtol": 1e-6}, "its steps are no step program"),
        ("abmk2", {"h": 0.1}, "steps depend on the states of earlier ones"),
    ]
    for method, options, reason in refused:
        with pytest.raises(UnsupportedMethodError, match=pattern.format(method, reason)):
            sl.hessian_product(oscillator(), 1.0, "place", wrt="k", direction=[1.0], method=method, **options)
    with pytest.raises(UnsupportedMethodError, match=r"'redundant' .* constraint equations may be redundant"):
        hessian(redundant(), 0.25, ["mass"], {"h": 1 / 64})
    with pytest.raises(UnsupportedMethodError, match=r"by 'ball\.x\[0\]', which moves the initial configuration"):
        hessian(spheres(), 0.25, ["ball.x"], {"h": 1 / 32, "method": "rkmk_bs32"})
    with pytest.raises(UnsupportedMethodError, match=r"an event ends the run before t = 1\."):
        sl.hessian_product(
            swing_system().with_initial("bob", x_dot=[24.9, 0.0]).with_parameters(stiffness=-9.0),
            1.0, lambda run: (0.0, {}, lambda changes: {}), wrt="stiffness", direction=[1.0], h=0.01,
        )  # fmt: skip


@pytest.mark.parametrize("direction", [[1.0], [[1.0, 2.0]], [np.nan, 1.0], np.ones((2, 1, 1)), np.ones((2, 0))])
def test_directions_have_one_row_for_each_variable(direction: Any) -> None:
    with pytest.raises(ModelError, match=r"finite numbers with shape \(2,\) or \(2, directions\)"):
        sl.hessian_product(oscillator(), 1.0, "place", wrt=["m", "k"], direction=direction)


def test_invalid_losses_and_variables_are_reported() -> None:
    def first_order(run: sl.Solution) -> tuple[float, Mapping[str, Array]]:
        return 0.0, {}

    def without_mapping(run: sl.Solution) -> Any:
        return 0.0, {}, lambda changes: None

    arguments: dict[str, Any] = {"wrt": "k", "direction": [1.0], "h": 1 / 64, "method": "rkmk_rk44"}
    with pytest.raises(ModelError, match="must return three results for second derivatives"):
        sl.hessian_product(oscillator(), 1.0, first_order, **arguments)
    with pytest.raises(ModelError, match="must be a function that returns a mapping of outputs to changes, not None"):
        sl.hessian_product(oscillator(), 1.0, without_mapping, **arguments)
    with pytest.raises(UnknownNameError, match="a change of the derivative by 'tip', which is no output"):
        sl.hessian_product(oscillator(), 1.0, lambda run: (0.0, {}, lambda changes: {"tip": run.t}), **arguments)
    system = held()
    with pytest.raises(ModelError, match=r"Times of jumps such as 'force\.times\[1\]' have no second derivatives"):
        sl.hessian_product(system, 0.5, quadratic, wrt="force.times", direction=[1.0, 0.0], h=1 / 64)
