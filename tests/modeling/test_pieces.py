"""Piecewise laws: SymPy's piecewise functions and `select`, their derivatives, friction, and NaN."""

from __future__ import annotations

import functools
import itertools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from mpmath import mpf

import symlie as sl
from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances
from tests.evaluation import Evaluation
from tests.modeling.topologies import TOPOLOGIES, finished, stated

BACKENDS = ("c", "numpy")

Law = Callable[[Any, Any], Any]

LAWS: dict[str, tuple[Law, Callable[[float, float], float]]] = {
    "abs": (lambda x, y: sl.Abs(x * y), lambda x, y: abs(x * y)),
    "abs of a root": (lambda x, y: sl.sqrt(x**2 * y**2), lambda x, y: abs(x * y)),
    "sign": (lambda x, y: y * sl.sign(x), lambda x, y: y * np.sign(x)),
    "max": (lambda x, y: sl.Max(x, y, 0), lambda x, y: max(x, y, 0)),
    "min": (lambda x, y: sl.Min(x, y, 1), lambda x, y: min(x, y, 1)),
    "step": (lambda x, y: sl.Heaviside(x) * y, lambda x, y: float(np.heaviside(x, 0.5)) * y),
    "step with value": (lambda x, y: sl.Heaviside(x, 0) * y, lambda x, y: float(np.heaviside(x, 0)) * y),
    "piecewise": (
        lambda x, y: sl.Piecewise((x**2, x > y), (y, (x < 0) & (y >= 0)), (x * y, True)),
        lambda x, y: x**2 if x > y else y if x < 0 and y >= 0 else x * y,
    ),
    "either": (
        lambda x, y: sl.Piecewise((x, sympy.Or(x <= y, sympy.Not(y > 0))), (y, True)),
        lambda x, y: x if x <= y or not y > 0 else y,
    ),
    "select": (lambda x, y: sl.select(x - y, x**2, y), lambda x, y: x**2 if x > y else y),
    "inequality": (lambda x, y: sl.select(x >= y, x**2, y), lambda x, y: x**2 if x >= y else y),
    "root of a negative number": (
        lambda x, y: sl.select(x, sl.sqrt(x) * y, x),
        lambda x, y: x**0.5 * y if x > 0 else x,
    ),
    "pole": (lambda x, y: sl.select(x, sl.exp(-1 / x) * y, 0), lambda x, y: np.exp(-1 / x) * y if x > 0 else 0),
}

POINTS = [-1.5, -0.0, 0.0, 0.25, 2.0]


def law_model(law: Law, topology: str) -> sl.Model:
    """A law as potential and as output of a model with two coordinates."""
    model, statement, q = stated("law", "R2", topology)
    statement.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    value = law(*q.x)
    statement.output("value", value)
    statement.potential_energy(value)
    return finished(model, statement)


@pytest.mark.slow
@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize("name", LAWS)
def test_piecewise_laws_have_correct_gradients(name: str, topology: str) -> None:
    law, expected = LAWS[name]
    equations = law_model(law, topology).derive()
    (derived,) = equations.derived
    force = Evaluation(derived.statement.program, list(derived.dynamics.force))
    symbols = derived.statement.nodes[0].value.components
    systems = [equations.compile(backend=b) for b in BACKENDS]
    for x, y in itertools.product(POINTS, POINTS):
        q, zero = np.array([x, y]), np.zeros(2)
        for system in systems:
            found = system.kernels.outputs(system.prepared, 0.0, q, zero, np.zeros(0))
            assert found == pytest.approx([expected(x, y)], rel=tolerances.KERNEL)
            gradient = system.kernels.force(system.prepared, 0.0, q, zero)
            exact = [float(c) for c in force(dict(zip(symbols, map(mpf, (x, y)), strict=True)))]
            assert np.all(np.isfinite(gradient))
            np.testing.assert_allclose(gradient, exact, rtol=tolerances.KERNEL, atol=0)
            # Differences away from the kinks.
            if 0 not in (x, y, x - y, x - 1, y - 1):
                h = 2.0**-20
                slopes = [(expected(x + a, y + b) - expected(x - a, y - b)) / (2 * h) for a, b in [(h, 0.0), (0.0, h)]]
                np.testing.assert_allclose(gradient, slopes, rtol=tolerances.PIECE_DIFFERENCE, atol=0)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["abs", "max", "min", "sign", "select", "piecewise"])
def test_nan_is_propagated(name: str, backend: str) -> None:
    system = law_model(LAWS[name][0], "fixed").derive().compile(backend=backend)
    for q in ([np.nan, 0.5], [0.5, np.nan], [np.nan, np.nan]):
        found = system.kernels.outputs(system.prepared, 0.0, np.array(q), np.zeros(2), np.zeros(0))
        assert np.isnan(found).all(), q


@pytest.mark.parametrize("backend", BACKENDS)
def test_generated_maximum_propagates_nan(backend: str) -> None:
    # The largest angle of a product of two rotations is a maximum that no user wrote.
    model = sl.Model("two_rotations")
    q = model.node("pair", "SO3xSO3")
    model.kinetic_energy(q.v.dot(q.v) / 2)
    system = model.derive().compile(backend=backend)
    u = np.array([0.1, 0.2, 0.3, 1.0, 1.0, 1.0])
    assert system.kernels.chart(system.layout.identity, u) == pytest.approx(3.0)


def test_primitives_in_c_propagate_nan() -> None:

    import cffi

    from symlie.compile.compiler import flags, run_compiler
    from symlie.utilities.templating import template_folder

    names = ("maximum", "minimum")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for name in ("real.h", "primitives.h"):
            (folder / name).write_text((template_folder() / "c" / "kernels" / name).read_text())
        text = "".join(f"double {n}(double a, double b) {{ return symlie_{n}(a, b); }}\n" for n in names)
        text += "double sign(double x) { return symlie_sign(x); }\n"
        (folder / "exposed.c").write_text(f'#include "primitives.h"\n{text}')
        run_compiler(folder / "exposed.c", folder / "exposed.so", flags("default"))
        ffi = cffi.FFI()
        ffi.cdef("double maximum(double, double); double minimum(double, double); double sign(double);")
        library = ffi.dlopen(str(folder / "exposed.so"))
    for a, b in itertools.product([-1.0, 0.5, np.inf, -np.inf, np.nan], repeat=2):
        assert library.maximum(a, b) == pytest.approx(np.maximum(a, b), nan_ok=True)
        assert library.minimum(a, b) == pytest.approx(np.minimum(a, b), nan_ok=True)
        assert library.sign(a) == pytest.approx(np.sign(a), nan_ok=True)


def friction_model(topology: str) -> sl.Model:
    """A block on a belt with a spring: Stribeck friction regularised by tanh, and a stop that acts on one side."""
    model, statement, q = stated("belt", "R1", topology)
    normal = statement.parameter("normal", 20.0)
    static, sliding = statement.parameter("static", 0.5), statement.parameter("sliding", 0.3)
    slow, scale = statement.parameter("slow", 0.1), statement.parameter("scale", 0.05)
    x, rate = q.x[0], q.x_dot[0]
    relative = rate - 0.5
    coefficient = sliding + (static - sliding) * sl.exp(-((relative / slow) ** 2))
    statement.kinetic_energy(rate**2 / 2)
    statement.potential_energy(50 * x**2 + sl.select(x - 0.08, 2000 * (x - 0.08) ** 2, 0))
    statement.generalized_force(q, [-normal * coefficient * sl.tanh(relative / scale)])
    return finished(model, statement, x=[0.02])


@functools.cache
def friction_system(topology: str, backend: str) -> System:
    """The block on the belt, ready to run."""
    return friction_model(topology).derive().compile(backend=backend)


def friction(_: float, state: Array) -> list[float]:
    """The same law written by hand."""
    x, rate = state
    relative = rate - 0.5
    coefficient = 0.3 + 0.2 * np.exp(-((relative / 0.1) ** 2))
    stop = 4000 * (x - 0.08) if x > 0.08 else 0.0
    return [rate, -100 * x - stop - 20 * coefficient * np.tanh(relative / 0.05)]


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_stick_slip_with_a_stop_is_correct(topology: str, backend: str) -> None:
    from scipy.integrate import solve_ivp

    # Runs in NumPy are short and begin next to the stop.
    t_end, x, rate = (0.5, 0.02, 0.0) if backend == "c" else (0.04, 0.07, 0.4)
    system = friction_system(topology, backend).with_initial(
        "body" if topology == "fixed" else "bodies", x=[x], x_dot=[rate]
    )
    solution = sl.solve(system, t_end, method="rkmk_dopri5", h=2e-4, record_every=50)
    exact = solve_ivp(friction, (0, t_end), [x, rate], method="Radau", t_eval=solution.t, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(solution.q[:, 0], exact.y[0], rtol=0, atol=tolerances.FRICTION)
    np.testing.assert_allclose(solution.v[:, 0], exact.y[1], rtol=0, atol=100 * tolerances.FRICTION)
    assert exact.y[0].max() > 0.08


def test_invalid_input_is_reported() -> None:
    model = sl.Model("mistaken")
    x, y = model.node("point", "R2").x
    refused = {
        "The last branch of .* needs the condition True": lambda: sl.Piecewise((x, x > 0), (y, y > 1)),
        r"The condition 'Eq\(.*\)' cannot be compiled": lambda: sl.Piecewise((x, sympy.Eq(x, y)), (0, True)),
        "The function 'floor' in 'floor": lambda: sympy.floor(x),
        "The function 'DiracDelta' in": lambda: sympy.DiracDelta(x),
        "The function 'f' in 'f": lambda: sympy.Function("f")(x),
    }
    for message, law in refused.items():
        for state in (model.potential_energy, lambda e: model.output("out", e), model.rate):
            with pytest.raises(ModelError, match=message):
                state(law())
    with pytest.raises(ModelError, match="branches of a selection differ in shape"):
        sl.select(x, sl.vector(1, 2), 0)


def test_piecewise_laws_in_rotated_vectors_are_supported() -> None:
    model = sl.Model("rotated")
    q = model.node("body", sl.S3)
    model.kinetic_energy(q.Omega.dot(q.Omega) / 2)
    model.potential_energy((q.R * sl.vector(sl.Abs(q.R[0, 1]), 0, sl.Max(q.R[2, 2], 0)))[2])
    model.output("pieces", sl.select(q.R[0, 0], q.R * sl.vector(1, 0, 0), sl.vector(0, 1, 0)))
    equations = model.derive()
    assert r"\begin{cases}" in equations.markdown()
    values = [
        equations.compile(backend=b).kernels.force(equations.compile(backend=b).prepared, 0.0,
                                                   np.array([0.5, 0.5, -0.1, 0.7]), np.zeros(3))
        for b in BACKENDS
    ]  # fmt: skip
    np.testing.assert_allclose(values[0], values[1], rtol=tolerances.KERNEL)
