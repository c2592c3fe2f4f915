"""Functions of ad that users state by power series: values, gradients, domains, certificates, and mistakes."""

from __future__ import annotations

import functools
import json
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from mpmath import mpf

import symlie as sl
from symlie.errors import FormatError, GroupError, ModelError
from symlie.groups.group import LieGroup, algebra_symbols
from symlie.groups.operators import ad_matrix, squared_angle
from symlie.groups.spectrum import DEXP, EXP
from symlie.ir.series import Series, evaluate_tail
from symlie.modeling.canonical import canonical_text
from symlie.publish.sets import generated_files
from tests import tolerances
from tests.evaluation import Evaluation
from tests.groups.samples import extended_pose_matrices, special_linear

BACKENDS = ("c", "numpy")

Coefficients = Callable[[int], Any]


def exp_series(n: int) -> Fraction:
    return Fraction(1, math.factorial(n))


def dexp_series(n: int) -> Fraction:
    return Fraction(1, math.factorial(n + 1))


def cosh_and_cube(n: int) -> Fraction:
    """cosh λ + λ³, whose odd tails vanish but for one power."""
    return Fraction(1 - n % 2, math.factorial(n)) + (n == 3)


def fast(n: int) -> Fraction:
    """e^{2λ} sin λ, by its recurrence; it needs several pieces."""
    return Fraction(sympy.im(sympy.expand((2 + sympy.I) ** n)).p, math.factorial(n)) if n else Fraction(0)


def geometric(n: int) -> Fraction:
    """1/(1 - λ/2)."""
    return Fraction(1, 2**n)


def faster(n: int) -> Fraction:
    """e^{8λ}, the fastest that is allowed."""
    return Fraction(8**n, math.factorial(n))


STATED: dict[str, tuple[Coefficients, dict[str, Any]]] = {
    "cosh_and_cube": (cosh_and_cube, {"growth": (7, 1)}),
    "fast": (fast, {"growth": (1, Fraction(9, 4))}),
    "faster": (faster, {"growth": (1, 8)}),
}

GROUPS: dict[str, Callable[[], LieGroup]] = {
    "SO3": lambda: sl.SO3,
    "S3": lambda: sl.S3,
    "SE3": lambda: sl.SE3,
    "SE23": functools.cache(extended_pose_matrices),
    "SE3xR2": lambda: sl.group_from_name("SE3xR2"),
}


def stated(name: str) -> Any:
    coefficient, bound = STATED[name]
    return sl.analytic_function(name, coefficient, **bound)


@functools.cache
def point(dimension: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(dimension)
    return random.normal(size=dimension), random.normal(size=dimension)


def operator_model(group: LieGroup, functions: list[Any]) -> sl.Model:
    """φ(ad θ) w as outputs, with θ from a node on Rⁿ."""
    n = group.dimension
    model = sl.Model("functions")
    q = model.node("point", f"R{n}")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    w = model.parameter("w", point(n)[1])
    for function in functions:
        model.output(function.name, model.function_of_ad(function, group, q.x, w))
    return model


def outputs(model: sl.Model, backend: str, theta: np.ndarray) -> np.ndarray:
    system = model.derive().compile(backend=backend)
    return np.asarray(system.kernels.outputs(system.prepared, 0.0, theta, 0 * theta, np.zeros(0)))


def by_powers(group: LieGroup, coefficient: Coefficients, theta: np.ndarray, w: np.ndarray) -> list[mpf]:
    """φ(ad θ) w by its powers, in 60 digits."""
    with mpmath.workdps(60):
        values = dict(zip(algebra_symbols(group), map(sympy.Rational, map(float, theta)), strict=True))
        entries = ad_matrix(group).subs(values, simultaneous=True)
        matrix = mpmath.matrix([[mpf(int(e.p)) / int(e.q) for e in entries.row(i)] for i in range(entries.rows)])
        power, total = mpmath.matrix([mpf(float(c)) for c in w]), mpmath.zeros(len(w), 1)
        for n in range(180):
            phi = coefficient(n)
            total, power = total + power * phi.numerator / phi.denominator, matrix * power
        return list(total)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", GROUPS)
def test_new_functions_are_accurate(name: str, backend: str) -> None:
    group = GROUPS[name]()
    theta, w = point(group.dimension)
    model = operator_model(group, [stated(f) for f in STATED])
    system = model.derive().compile(backend=backend)
    squared = sum(squared_angle(g).subs(dict(zip(algebra_symbols(g), theta[i:], strict=False)))
                  for g, _, i in group.simple_factors)  # fmt: skip
    size = math.sqrt(squared)
    for angle in (0.0, 1e-3, 3.0, 6.0):
        at = theta / size * angle
        found = system.kernels.outputs(system.prepared, 0.0, at, 0 * at, np.zeros(0))
        for k, (coefficient, _) in enumerate(STATED.values()):
            exact = np.array([float(c) for c in by_powers(group, coefficient, at, w)])
            part = found[k * len(w) : (k + 1) * len(w)]
            scale = np.abs(exact).max()
            np.testing.assert_allclose(part, exact, rtol=0, atol=tolerances.STATED_FUNCTION * scale)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SO3", "SE3", "SE23"])
def test_standard_family_is_reproduced(name: str) -> None:
    group = GROUPS[name]()
    pairs = [
        (sl.analytic_function("same_exp", exp_series, growth=(1, 1)), EXP),
        (sl.analytic_function("same_dexp", dexp_series, growth=(1, 1)), DEXP),
    ]
    model = operator_model(group, [f for pair in pairs for f in pair])
    theta = point(group.dimension)[0]
    results = [outputs(model, b, theta) for b in BACKENDS]
    np.testing.assert_allclose(results[0], results[1], rtol=0, atol=tolerances.STATED_FUNCTION)
    exp, standard_exp, dexp, standard_dexp = results[0].reshape(4, group.dimension)
    np.testing.assert_allclose(exp, standard_exp, rtol=0, atol=tolerances.STATED_FUNCTION * np.abs(exp).max())
    np.testing.assert_allclose(dexp, standard_dexp, rtol=0, atol=tolerances.STATED_FUNCTION * np.abs(dexp).max())


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_energy_gradients_are_correct(backend: str) -> None:
    n = 6
    model = operator_model(sl.SE3, [])
    (q,) = model.nodes
    y = model.function_of_ad(stated("cosh_and_cube"), sl.SE3, q.x, point(n)[1])
    energy = y.dot(y) / 2
    model.potential_energy(energy)
    exact = Evaluation(model.program, [energy])
    theta = point(n)[0]
    system = model.derive().compile(backend=backend)
    force = system.kernels.force(system.prepared, 0.0, theta, 0 * theta)

    def gradient(k: int) -> mpf:
        h = mpf(10) ** -12
        w = model.parameters[0]
        fixed = dict(zip(w.symbols, map(mpf, w.default), strict=True))
        values = [
            exact(fixed | dict(zip(q.value.components, [mpf(c) + s * h * (i == k) for i, c in enumerate(theta)],
                                   strict=True)), 50)[0]
            for s in (1, -1)
        ]  # fmt: skip
        return (values[0] - values[1]) / (2 * h)

    with mpmath.workdps(50):
        expected = [float(gradient(k)) for k in range(n)]
    size = np.abs(expected).max()
    np.testing.assert_allclose(np.abs(force), np.abs(expected), rtol=0, atol=tolerances.STATED_FUNCTION * 10 * size)


def test_derivatives_of_the_function_are_correct() -> None:
    z = sympy.Symbol("z")
    tail = stated("fast").tail(2, z, sympy.Integer(10))
    found = [tail, 2 * sympy.diff(tail, z)]
    assert all(isinstance(f, Series) for f in found)
    with mpmath.workdps(50):
        h, x = mpf(10) ** -15, mpf(3)
        slope = (evaluate_tail(found[0].base_name, x + h) - evaluate_tail(found[0].base_name, x - h)) / (2 * h)
        assert abs(2 * slope - evaluate_tail(found[1].base_name, x)) < mpf(10) ** -27
    assert sympy.latex(tail**2) == r"{{fast}_{2,0}\left(z\right)}^{2}"


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_finite_radius_limits_the_domain(backend: str) -> None:
    function = sl.analytic_function("geometric", geometric, radius=(1, 2))
    model = operator_model(sl.SO3, [function])
    w = point(3)[1]
    inside = np.array([0.0, 1.499, 0.0])
    exact = [float(c) for c in by_powers(sl.SO3, geometric, np.array([0, 0.5, 0]), w)]
    np.testing.assert_allclose(outputs(model, backend, inside / inside.max() * 0.5), exact, rtol=0,
                               atol=tolerances.STATED_FUNCTION)  # fmt: skip
    assert np.isfinite(outputs(model, backend, inside)).all()
    assert np.isnan(outputs(model, backend, np.array([0.0, 1.501, 0.0]))).any()
    entire = operator_model(sl.SO3, [stated("fast")])
    assert np.isnan(outputs(entire, backend, np.array([0.0, 6.2833, 0.0]))).any()


def test_definitions_are_distinguished() -> None:
    one, other = (
        sl.analytic_function("phi", lambda n, f=f: Fraction(f, math.factorial(n)), growth=(3, 1)) for f in (1, 2)
    )
    texts = [canonical_text(operator_model(sl.SO3, [f]), with_topology=True) for f in (one, other, one)]
    assert texts[0] != texts[1] and texts[0] == texts[2]
    model = operator_model(sl.SO3, [one])
    model.output("twice", model.function_of_ad(other, sl.SO3, model.nodes[0].x, point(3)[1]))
    first, second = outputs(model, "numpy", point(3)[0]).reshape(2, 3)
    np.testing.assert_allclose(second, 2 * first, rtol=tolerances.KERNEL)


@functools.cache
def certified_sources() -> list[str]:
    model = operator_model(sl.SO3, [sl.analytic_function("certified", dexp_series, growth=(1, 1))])
    return [text for name, text in generated_files(model.derive()).items() if name.endswith((".c", ".h"))]


@pytest.mark.slow
def test_certificates_are_written(tmp_path: Path) -> None:
    pytest.importorskip("flint")
    from symlie.certify.certificate import certificate_of_sources, check_file

    (header,) = (text for text in certified_sources() if "/* series" in text)
    path = tmp_path / "certificate.json"
    path.write_text(certificate_of_sources([header]), encoding="utf-8")
    (tmp_path / "functions.h").write_text(header, encoding="utf-8")
    checked = check_file(path)
    assert {"proved"} == set(checked.values()) and any(name.startswith("s_certified_") for name in checked)
    content = json.loads(path.read_text(encoding="utf-8"))
    entry = next(e for e in content["functions"] if e["name"].startswith("s_"))
    assert entry["definition"]["growth"] == {"constant": "1", "rate": "1"}
    assert max(s["bound_eps"] for s in entry["sections"]) < 10
    entry["definition"]["coefficients"][1] = "1/5"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(FormatError, match=r"has coefficients of the series"):
        check_file(path)
    (tmp_path / "functions.h").unlink()
    with pytest.raises(FormatError, match="proves nothing"):
        check_file(path)


def test_missing_prover_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    from symlie.certify.certificate import UNPROVED, certificate_of_sources

    monkeypatch.setitem(sys.modules, "flint", None)
    entries = json.loads(certificate_of_sources(certified_sources()))["functions"]
    entry = next(e for e in entries if e["name"].startswith("s_"))
    assert entry["status"] == UNPROVED
    assert all(0 < a["remainder"] <= 2.0**-57 for a in entry["approximation"])


def test_invalid_input_is_reported() -> None:
    with pytest.raises(
        ModelError, match="Coefficient 2 of the function 'phi' is 1/2, which is above the specified bound"
    ):
        sl.analytic_function("phi", exp_series, growth=(1, Fraction(9, 10)))
    with pytest.raises(ModelError, match=r"exact rational number.*not 0\.5"):
        sl.analytic_function("phi", lambda n: 0.5, growth=(1, 1))
    with pytest.raises(ModelError, match="needs one bound"):
        sl.analytic_function("phi", exp_series)
    with pytest.raises(ModelError, match="must be positive"):
        sl.analytic_function("phi", exp_series, growth=(0, 1))
    with pytest.raises(ModelError, match="must be an identifier"):
        sl.analytic_function("my phi", exp_series, growth=(1, 1))
    phi = sl.analytic_function("phi", exp_series, growth=(1, 1))
    model = operator_model(sl.SO3, [])
    with pytest.raises(GroupError, match="class B"):
        model.function_of_ad(phi, special_linear(), [1, 2, 3], [1, 2, 3])
    with pytest.raises(ModelError, match="needs 6 components, not 3"):
        model.function_of_ad(phi, "SE3", [1, 2, 3], [1, 2, 3])
    with pytest.raises(ModelError, match="not a Lie group"):
        model.function_of_ad(phi, "S2", [1, 2, 3], [1, 2, 3])
    with pytest.raises(ModelError, match="varies too fast"):
        sl.analytic_function("rapid", lambda n: 9**n * exp_series(n), growth=(1, 9))


def spring_of_pairs(backend: str) -> Any:
    """Springs between neighbours of an array of poses, by a function of their distance in the algebra."""
    model = sl.Model("springs")
    poses = model.node_array("poses", "SE3", 3)
    spring = sl.ElementType("spring", left=sl.SE3, right=sl.SE3)
    mass = sl.ElementType("mass", node=sl.SE3)
    mass.kinetic_energy(mass.node.v.dot(mass.node.v) / 2)
    phi = sl.analytic_function("phi2", lambda n: sl.Rational(1, math.factorial(n + 2)), growth=(1, 1))
    theta = (spring.left.inverse() * spring.right).log()
    w = spring.function_of_ad(phi, "SE3", theta, [0, 0, 1, 0.5, 0, 0])
    spring.potential_energy(w.dot(w) + theta.dot(theta))
    model.add(mass, [poses[k] for k in range(3)])
    model.add(spring, [(poses[0], poses[1]), (poses[1], poses[2])])
    return model.derive().compile(backend=backend)


@pytest.mark.slow
def test_newton_matrices_of_elements_are_correct() -> None:
    found = []
    for backend in BACKENDS:
        system = spring_of_pairs(backend)
        random = np.random.default_rng(2)
        n = system.layout.dimension
        kernels, p = system.kernels, system.prepared
        q = kernels.advance(system.own_initial()[0], random.uniform(-0.6, 0.6, n))
        v, w = random.uniform(-1, 1, (2, n))
        stiffness = system.newton_matrices(p, 0.0, q, v, 0 * v, np.zeros(0))[0].toarray()
        h = 1e-5
        moved = [kernels.force(p, 0.0, kernels.advance(q, s * h * w), v) for s in (1, -1)]
        difference = np.abs(stiffness @ w - (moved[0] - moved[1]) / (2 * h)).max()
        assert difference <= tolerances.NEWTON_DIFFERENCE * np.abs(stiffness).max()
        found.append(stiffness)
    assert np.abs(found[0] - found[1]).max() <= tolerances.LIBRARY * np.abs(found[0]).max()
