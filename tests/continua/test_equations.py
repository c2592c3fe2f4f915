"""The continuous equations: their signs by the inertial form, by energy and by the elements, and how they are shown."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import sympy
from sympy import Expr, Matrix

import symlie as sl
from symlie.derive.continuum_equations import ContinuumEquations
from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array
from tests import tolerances
from tests.evaluation import evaluate

S, T = sympy.symbols("s t")
AT = (0.3, 0.7)
"""s and t of the point."""

MASS = Matrix([2, 3, 5, 7, 7, 7])
STIFFNESS = Matrix([11, 13, 17, 19, 23, 29])
DAMPING = Matrix([1, 2, 3, 4, 5, 6]) / 10
REST = Matrix([0.1, 0, 0.2, 0, 0, 1])
GRAVITY = Matrix([1, 2, -9])


def beam() -> sl.Continuum:
    """A beam in space on SE(3), with damping, weight and a load that changes along it."""
    found = sl.Continuum(sl.Model("space"), "beam", sl.SE3, length=1.0)
    strain = found.w - sl.vector(list(REST))
    found.kinetic_density(found.v.dot(sl.diag(*MASS) * found.v) / 2)
    found.potential_density(strain.dot(sl.diag(*STIFFNESS) * strain) / 2 - 7 * sl.vector(list(GRAVITY)).dot(found.q.x))
    found.dissipation_density(found.w_dot.dot(sl.diag(*DAMPING) * found.w_dot))
    found.load(force=[found.s, 0, found.t], moment=[0, 1, found.s])
    return found


A, B = S / 2 + T / 3 + S * T**2, T * S**2 - T / 5 + S
"""Angles that are functions of s and t: the rotation is that by A about axis 3, then that by B about axis 1."""


def motion() -> tuple[Matrix, Matrix]:
    """A rotation and a position that are functions of s and t."""
    return sympy.rot_axis3(-A) * sympy.rot_axis1(-B), Matrix([S + S**2 * T, T * S - S**3, S * T**2 / 2])


def derivative(R: Matrix, x: Matrix, by: Expr) -> Matrix:
    """Derivative vector of (R, x)."""
    a, b = A.diff(by), B.diff(by)
    return Matrix([b, a * sympy.sin(B), a * sympy.cos(B), *(R.T * x.diff(by))])


def number(matrix: Any) -> Array:
    """A matrix at the point."""
    return np.array(sympy.lambdify((S, T), list(matrix), "math", cse=True)(*AT))


def balance(equations: ContinuumEquations, R: Matrix, x: Matrix) -> Array:
    """Residual of the equations for an arbitrary motion."""
    c = equations.continuum
    v, w = (derivative(R, x, by) for by in (T, S))
    given = [
        (c.q.storage, [*R, *x]), (c.q.velocity.components, v), (c.strain.components, w),
        (c.strain_rate.components, w.diff(T)), (equations.v_dot.components, v.diff(T)),
        (equations.w_prime.components, w.diff(S)), (equations.w_dot_prime.components, w.diff(S, T)),
        ((c.s, c.t), (S, T)),
    ]  # fmt: skip
    symbols = [symbol for part, _ in given for symbol in part]
    values = dict(zip(symbols, number([e for _, part in given for e in part]), strict=True))
    return np.array([float(e) for e in evaluate(c.stated.program, equations.balance, values)])


def forces(R: Matrix, x: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """v, ẇ and G of the beam."""
    v, w = (derivative(R, x, by) for by in (T, S))
    G = sympy.diag(*STIFFNESS) * (w - REST) + 2 * sympy.diag(*DAMPING) * w.diff(T)
    return v, w, G


@pytest.mark.slow
def test_inertial_form_is_equivalent() -> None:
    """ρA u̇ = ∂f + ρA γ + f_ext and ρ(i ω)˙ = ∂m + ∂x × f + m_ext, in inertial axes."""
    R, x = motion()
    v, _, G = forces(R, x)
    f, m = R * G[3:, :], R * G[:3, :]
    linear = 7 * x.diff(T, T) - f.diff(S) - 7 * GRAVITY - Matrix([S, 0, T])
    spin = R * sympy.diag(*MASS[:3]) * v[:3, :]
    angular = spin.diff(T) - m.diff(S) - x.diff(S).cross(f) - Matrix([0, 1, S])
    expected = [*number(R.T * angular), *number(R.T * linear)]
    np.testing.assert_allclose(balance(beam().derive(), R, x), expected, rtol=tolerances.SMOOTH_IDENTITY)


@pytest.mark.slow
def test_strains_use_section_axes_with_inertial_velocities() -> None:
    """On SO(3)×R³ with e = [K; Rᵀ x'], P in ė and shear held: in inertial axes the equations of the beam on SE(3)."""
    R, x = motion()
    product = sl.Continuum(sl.Model("space"), "beam", "SO3xR3", length=1.0)
    e = sl.vector(*product.w[:3], *(product.q.R.T * sl.vector(*product.w[3:])))
    strain = e - sl.vector(list(REST))
    product.kinetic_density(product.v.dot(sl.diag(*MASS) * product.v) / 2)
    product.potential_density(
        strain.dot(sl.diag(*STIFFNESS) * strain) / 2 - 7 * sl.vector(list(GRAVITY)).dot(product.q.x)
    )
    rate = product.rate(e)
    product.dissipation_density(rate.dot(sl.diag(*DAMPING) * rate))
    product.constraint_density("shear", [e[3]])
    product.load(force=[product.s, 0, product.t], moment=[0, 1, product.s])
    equations = product.derive()
    v, _, G = forces(R, x)
    held, held_prime = 0.7, -0.4  # λ and its derivative by s
    G = G + Matrix([0, 0, 0, held + held_prime * (S - AT[0]), 0, 0])
    f, m = R * G[3:, :], R * G[:3, :]
    linear = 7 * x.diff(T, T) - f.diff(S) - 7 * GRAVITY - Matrix([S, 0, T])
    spin = R * sympy.diag(*MASS[:3]) * v[:3, :]
    angular = spin.diff(T) - m.diff(S) - x.diff(S).cross(f) - Matrix([0, 1, S])
    inertial = [Matrix([*derivative(R, x, by)[:3, :], *x.diff(by)]) for by in (T, S)]
    strains = Matrix([*derivative(R, x, S)])
    (own,) = product.rates
    (own_prime,) = equations.rates_prime
    given = [
        (product.q.storage, [*R, *x]), (product.q.velocity.components, inertial[0]),
        (product.strain.components, inertial[1]), (own.value.components, strains.diff(T)),
        (equations.v_dot.components, inertial[0].diff(T)), (equations.w_prime.components, inertial[1].diff(S)),
        (own_prime.components, strains.diff(S, T)), (product.constraints[0].multipliers, [held + 0 * S]),
        (equations.multipliers_prime.components, [held_prime + 0 * S]), ((product.s, product.t), (S, T)),
    ]  # fmt: skip
    symbols = [symbol for part, _ in given for symbol in part]
    values = dict(zip(symbols, number([e for _, part in given for e in part]), strict=True))
    found = [float(e) for e in evaluate(product.stated.program, equations.balance, values)]
    expected = [*number(R.T * angular), *number(linear)]
    np.testing.assert_allclose(found, expected, rtol=tolerances.SMOOTH_IDENTITY)
    assert r"\dot{e}" in equations.markdown() and "e &=" in equations.markdown()


def test_rates_of_other_quantities_are_derived() -> None:
    product = sl.Continuum(sl.Model("space"), "beam", "SO3xR3", length=1.0)
    with pytest.raises(ModelError, match=r"^The rate of continuum 'beam' depends on v; it must be a function of w, q"):
        product.rate(product.v)
    with pytest.raises(ModelError, match=r"^The rate of continuum 'beam' depends on w_dot; it must be a function of"):
        product.rate(product.w_dot)


@pytest.mark.slow
def test_power_balance_holds() -> None:
    """v·(balance) is the rate of T + U, plus 2P, minus the powers of the section forces, ∂(G·v), and of the loads."""
    R, x = motion()
    v, w, G = forces(R, x)
    kinetic = v.dot(sympy.diag(*MASS) * v) / 2
    elastic = (w - REST).dot(sympy.diag(*STIFFNESS) * (w - REST)) / 2
    lost = 2 * w.diff(T).dot(sympy.diag(*DAMPING) * w.diff(T))
    spin = R * v[:3, :]
    loads = Matrix([S, 0, T]).dot(x.diff(T)) + Matrix([0, 1, S]).dot(spin) + 7 * GRAVITY.dot(x.diff(T))
    expected = number([(kinetic + elastic).diff(T) + lost - G.dot(v).diff(S) - loads])[0]
    assert np.isclose(balance(beam().derive(), R, x) @ number(v), expected, rtol=tolerances.SMOOTH_IDENTITY)


def test_mixed_derivatives_differ_by_the_commutator() -> None:
    """(2): ẇ = v' + ŵ v, with ŵ = [K̃ 0; Γ̃ K̃]."""
    R, x = motion()
    v, w, _ = forces(R, x)
    turned = [*w[:3, :].cross(v[:3, :]), *(w[3:, :].cross(v[:3, :]) + w[:3, :].cross(v[3:, :]))]
    np.testing.assert_allclose(number(w.diff(T)), number(v.diff(S)) + number(turned), rtol=tolerances.SMOOTH_IDENTITY)


def nodes_of_a_curve(segments: int) -> Array:
    """A curve of length one in the plane: rotations, and positions."""
    s = np.arange(segments + 1) / segments
    angle = 0.3 + s - s**2
    return np.column_stack([np.cos(angle), np.sin(angle), s + s**3 / 3, s**2])


def planar(segments: int) -> tuple[sl.Model, sl.Continuum]:
    """A beam on SE(2) with a stiffness that changes along it, on an elastic foundation."""
    model = sl.Model("plane")
    found = sl.Continuum(model, "beam", sl.SE2, length=1.0)
    strain = found.w - sl.vector(0, 1, 0)
    found.kinetic_density(found.v.dot(sl.diag(2, 3, 3) * found.v) / 2)
    found.potential_density((1 + found.s) * strain.dot(sl.diag(5, 7, 11) * strain) / 2 + found.q.x[1] ** 2 * found.w[1])
    found.initial(x=nodes_of_a_curve(segments)[:, 2:], p=nodes_of_a_curve(segments)[:, :2])
    found.discretize(segments)
    return model, found


def test_elements_are_consistent() -> None:
    """Forces on inner nodes over Δs tend to the balance with the square of Δs."""
    errors = []
    for segments in (8, 16, 32):
        model, found = planar(segments)
        system = model.derive().compile("numpy")
        v = np.tile([0.3, -0.2, 0.5], segments + 1)
        q = system.initial_state.q
        force = system.kernels.force(system.prepared, 0.0, q, v).reshape(-1, 3)[segments // 2] * segments
        equations = found.derive()
        s = 0.5
        angle, bent = 0.3 + s - s**2, 1 - 2 * s
        R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        slope, second = np.array([1 + s**2, 2 * s]), np.array([2 * s, 2.0])
        w = np.array([bent, *(R.T @ slope)])
        w_prime = np.array([-2.0, *(R.T @ second - bent * np.array([[0, -1], [1, 0]]) @ w[1:])])
        given = [
            (found.q.storage, nodes_of_a_curve(segments)[segments // 2]), (found.q.velocity.components, v[:3]),
            (found.strain.components, w), (equations.w_prime.components, w_prime),
            (equations.v_dot.components, np.zeros(3)), ((found.s,), (s,)),
        ]  # fmt: skip
        values = {
            a: sympy.Float(float(b), 30) for symbols, numbers in given for a, b in zip(symbols, numbers, strict=True)
        }
        exact = np.array([float(e) for e in evaluate(found.stated.program, equations.balance, values)])
        errors.append(np.abs(force - exact).max())
    observed = np.log2(errors[1] / errors[2])
    assert np.isclose(observed, 2, atol=tolerances.SPACE_ORDER) and errors[2] < 0.1


def test_equations_are_displayed() -> None:
    found = beam()
    found.clamp("start")
    found.constraint_density("shear", found.w[3:5])
    found.end_load("end", force=[1, 0, 0])
    equations = found.derive()
    page = equations.markdown()
    assert repr(equations) == "ContinuumEquations(beam; SE3)" and equations._repr_latex_() == equations.latex()
    motion = r"M \thinspace \dot v &= \widehat{v}^{\mathsf{T}} M v + G' - \widehat{w}^{\mathsf{T}} G + F"
    assert motion in page and motion in equations.latex() and r"0 &= \Psi(w)" in page
    assert re.search(r"19 w_\{4\}.*\\frac\{4 \\dot\{w\}_ ?\{4\}\}\{5\}.*\\lambda_\{1\}", page)
    assert "q(s_0, t) &= q(s_0, 0)" in page and "G(s_K, t) &=" in page
    assert r"\partial_s m + \partial_s x \times f" in page


def test_other_boundary_conditions_and_groups_are_supported() -> None:
    model = sl.Model("others")
    string = sl.Continuum(model, "string", "R3", length=1.0)
    string.kinetic_density((1 + string.s) * string.v.dot(string.v) / 2)
    string.potential_density(string.w.dot(string.w))
    string.prescribe("start", x=[0, 0, 0])
    page = string.derive().markdown()
    assert r"q(s_0, t) &= q_{\mathrm{start}}(t)" in page and "G(s_K, t) &= 0" in page
    assert r"\dot p &=" in page and r"\operatorname{Ad}_ {q^{-1}}^{\mathsf{T}}" in page
    ring = sl.Continuum(model, "ring", sl.SE2, length=1.0)
    ring.kinetic_density(ring.v.dot(ring.v) / 2)
    ring.close()
    assert "G(s_K, t) &= G(s_0, t)" in ring.derive().markdown()
    joined = sl.Continuum(model, "joined", "R3", length=1.0)
    joined.kinetic_density(joined.v.dot(joined.v) / 2)
    joined.join("start", model.node("other", "R3"))
    assert "balance with its momentum" in joined.derive().markdown()
