"""Rendered steps of variational integrators equal the derived ones, and every renderer can read them."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable
from pathlib import Path

import mpmath
import pytest
import sympy

import symlie as sl
from symlie.contract.discrete import DiscreteLagrangian
from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.discrete.momenta import derive_variational
from symlie.derive.equations import Equations
from symlie.errors import FormatError, GroupError, ModelError, UnknownNameError
from symlie.groups.group import LieGroup, algebra_symbols
from symlie.groups.operators import ad_matrix
from symlie.models.registry import build_model
from symlie.runtime.tableaux.discrete_lagrangian import DiscreteConfiguration, Increment, discrete_lagrangian
from tests.derive.test_display import equations_of, formulas, sl_springs, tangent_texts
from tests.evaluation import Evaluation, value_of
from tests.tolerances import REWRITTEN

SERIES_TERMS = 60
"""Terms of T: they decrease like the terms of the exponential, at angles below 1."""


def simpson(q0: DiscreteConfiguration, q1: DiscreteConfiguration, h: Increment) -> object:
    """L_d by Simpson's rule."""
    v, middle = q0.difference(q1) / h, q0.interpolate(q1, 1 / 2)
    return h * (q0.lagrangian(v) + 4 * middle.lagrangian(v) + q1.lagrangian(v)) / 6


@functools.cache
def page_of(name: str, chosen: str | Callable[..., object]) -> str:
    """The part of a page that shows the step."""
    page = equations_of(name).markdown(variational=chosen)
    return page[page.index("## Step of the discrete") :].partition("\n## Operators")[0].replace("_ ", "_")


def shows(page: str, *rows: str) -> None:
    """Check that rows are on a page."""
    for row in rows:
        assert row in page, row


def test_trapezoidal_step_matches_the_paper() -> None:
    shows(
        page_of("SE3", "trapezoid"),
        r"\theta &= \log\left(q_{n}^{-1} \circ q_{n+1}\right)",
        r"L_d &= \frac{h}{2} \left(T\left(q_{n}, \frac{\theta}{h}\right) + T\left(q_{n+1}, \frac{\theta}{h}\right)"
        r" - V\left(q_{n}\right) - V\left(q_{n+1}\right)\right)",
        "p^{+} &= -\\mathrm{D}_{1} \\bar{L}_d \\\\\n&= T^{-\\mathsf{T}}(-\\theta) \\thinspace y \\\\\n",
        "p^{-} &= \\mathrm{D}_{2} \\bar{L}_d \\\\\n&= T^{-\\mathsf{T}}(\\theta) \\thinspace y \\\\\n",
        r"l &= \mathrm{D}_q V" + "\n",
        r"y_{\Omega} &= \frac{1}{h} \operatorname{diag}\left(\mathrm{inertia}\right) \theta_{\Omega}",
        r"y_{U} &= \frac{\mathrm{mass}}{h} \theta_{U}",
        r"p_{n,U} &= \mathrm{mass} \thinspace U_{n}",
        r"a &= -\mathrm{mass} \thinspace R^{\mathsf{T}}_{n} \thinspace \mathrm{gravity}",
        r"l_{n,U} &= a",
        r"p_{n} &= p^{+} + \frac{h}{2} l_{n} + \frac{h}{2} B_{n}^{\mathsf{T}} \lambda_{n}^{+}",
        r"\Phi\left(t_{n+1}, q_{n+1}\right) &= 0",
        r"p_{n+1} &= p^{-} - \frac{h}{2} l_{n+1} - \frac{h}{2} B_{n+1}^{\mathsf{T}} \lambda_{n+1}^{-}",
        r"B_{n+1} \thinspace v_{n+1} + b_{n+1} &= 0",
    )
    assert "d_{n}" not in page_of("SE3", "trapezoid"), "T is that of every configuration"


def test_midpoint_step_is_displayed_with_its_sample() -> None:
    page = page_of("SE3", "midpoint")
    shows(
        page,
        r"q_{n+1/2} &= q_{n} \circ \exp\left(\frac{\theta}{2}\right)",
        r"L_d &= h \left(T\left(q_{n+1/2}, \frac{\theta}{h}\right) - V\left(q_{n+1/2}\right)\right)",
        r"p^{+} &= -\mathrm{D}_{1} L_d \\",
        r"&= T^{-\mathsf{T}}(-\theta) \thinspace y - d_{n} \\",
        r"g_{1} &= \exp\left(\frac{1}{2} \theta\right)",
        r"q_{n+1/2} &= q_{n} \circ g_{1}",
        r"a &= \mathrm{mass} \thinspace h R^{\mathsf{T}}_{n+1/2} \thinspace \mathrm{gravity}",
        r"d_{n,U} &=",
        r"p_{n} &= p^{+} + \frac{h}{2} B_{n}",
    )
    assert "l_{n" not in page and "Loads" not in page, "V is not sampled at the ends"


def test_simpson_step_is_displayed_with_its_samples() -> None:
    """A user-defined function, with damping at samples, rows without Φ and groups without T."""
    page = page_of("rolling", simpson)
    shows(
        page,
        "## Step of the discrete Lagrangian `simpson`",
        r"L_d &= \frac{h}{6} \left(T\left(q_{n}, \frac{\theta}{h}\right) + 4 T\left(q_{n+1/2}, \frac{\theta}{h}\right)",
        r"\bar{L}_d &= L_d + \frac{h}{6} V(q_{n}) + \frac{h}{6} V(q_{n+1})",
        r"y &= \frac{\partial \bar{L}_d}{\partial \theta} - \frac{2 h}{3} "
        r"\left(\frac{\partial q_{n+1/2}}{\partial \theta}\right)^{\mathsf{T}} \frac{\partial D}{\partial v}",
        r"l &= \mathrm{D}_q V + \frac{\partial D}{\partial v}",
        r"\rho &= \frac{h}{6} \left(\left(B \thinspace v + b\right)\left(q_{n}, \frac{\theta}{h}\right)",
        r"\rho_{\mathrm{knife}} &= \theta^{\mathrm{blade}}_{U,2}",
        r"q^{\mathrm{blade}}_{n+1/2} &= q^{\mathrm{blade}}_{n} \circ g_{2}",
        r"d^{\mathrm{blade}}_{n+1,U} &=",
        r"\cos{\left(\frac{h}{2} + t_{n} \right)}",
    )
    assert r"\mathrm{D}_{1}" not in page, "forces at samples are part of both momenta"


def test_configuration_dependent_masses_are_displayed() -> None:
    page = page_of("polar", "trapezoid")
    shows(page, r"d_{n} &= \mathrm{D}_{q_{n}} \bar{L}_d", r"d_{n+1} &= \mathrm{D}_{q_{n+1}} \bar{L}_d")
    shows(page, r"&= y - d_{n} \\", r"&= y + d_{n+1} \\")
    assert r"T^{-\mathsf{T}}" not in page, "T = 1 in R(n)"


def test_step_is_hidden_by_default() -> None:
    equations = equations_of("polar")
    assert "discrete" not in equations.markdown() + equations.latex()


def test_every_element_type_has_a_step() -> None:
    block, page = sl_springs().latex(variational="trapezoid"), sl_springs().markdown(variational="trapezoid")
    headings = re.findall(r"\\textbf\{([^}]*)\}", block)
    assert headings == [
        "Terms of body", "Terms of spring", "Step of the discrete Lagrangian trapezoid", "Terms of body in a step",
        "Terms of spring in a step",
    ]  # fmt: skip
    shows(
        block.partition("Terms of body in a step")[2],
        r"y_{U} &= \frac{1}{h} \theta_{U}",
        r"\vartheta_{1} &= \log\left(\left(q^{\mathrm{left}}_{n}\right)^{-1} \circ q^{\mathrm{right}}_{n}\right)",
    )
    assert re.findall(r"^### Terms of (.*)", page, re.M) == ["`body` in a step", "`spring` in a step"]
    assert "#### Loads" in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "chosen"),
    [("SE3", "trapezoid"), ("S3xR3", "midpoint"), ("polar", "trapezoid"), ("rolling", simpson)],
)
def test_every_formula_can_be_typeset(name: str, chosen: str | Callable[..., object]) -> None:
    mathtext = pytest.importorskip("matplotlib.mathtext")
    parser, page = mathtext.MathTextParser("path"), page_of(name, chosen)
    for formula in filter(None, formulas(page)):
        assert not re.search(r"\[\d|\.v\d|\.q\d|\.\d+\.|end\.|theta\.", formula), f"an internal name in {formula}"
        parser.parse("$" + formula.replace(r"\thinspace", r"\,") + "$")
    assert all(line.endswith("\\\\") for line in page.splitlines() if "\\\\" in line), "a row break within a line"
    assert not re.search(r"\\[,;:!_{}*]|^[-+*] ", page, re.M)
    assert page.count(r"\left") == page.count(r"\right")
    assert page.count("$$") % 2 == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "chosen"), [("SE3", "trapezoid"), ("S3xR3", "midpoint"), ("polar", "trapezoid"), ("rolling", simpson)]
)
def test_momenta_equal_their_rendered_form(name: str, chosen: str | Callable[..., object]) -> None:
    """T(-θ)ᵀ (p⁺ + d_n) = y = T(θ)ᵀ (p⁻ - d_{n+1}), with T by its series."""
    (derived,) = equations_of(name).derived
    for shown, expected in _both_sides(derived, discrete_lagrangian(chosen)):
        assert mpmath.mnorm(shown - expected, mpmath.inf) < REWRITTEN * max(1, mpmath.mnorm(expected, mpmath.inf))


def _both_sides(derived: DerivedStatement, discrete: DiscreteLagrangian) -> list[tuple[mpmath.matrix, mpmath.matrix]]:
    step, generator = derive_variational(derived, discrete), random.Random(discrete.name)
    vectors = (step.by_increment, step.by_start, step.by_end, step.start_momentum, step.end_momentum)
    evaluation = Evaluation(step.program, [e for v in vectors for e in v])
    read = {s for statement in evaluation.program.statements for s in statement.read} | set(step.increment)
    read |= {s for e in evaluation.expressions for s in e.free_symbols}
    inputs = sorted((s for s in read if evaluation.program.line_of(s) is None), key=str)
    values = {s: mpmath.mpf(generator.randint(1, 9)) / 20 for s in inputs}
    found = evaluation(values)
    size = len(step.increment)
    y, start, end, plus, minus = (mpmath.matrix(found[k : k + size]) for k in range(0, 5 * size, size))
    pairs, offset = [], 0
    for node in derived.statement.nodes:
        assert isinstance(node.group, LieGroup)
        part = slice(offset, offset + node.group.dimension)
        theta = [values[s] for s in step.increment[part]]
        offset = part.stop
        for sign, momentum in ((-1, plus + start), (1, minus - end)):
            tangent = _tangent(node.group, [sign * x for x in theta])
            pairs.append((tangent.T * momentum[part.start : part.stop], y[part.start : part.stop]))
    return pairs


def _tangent(group: LieGroup, theta: list[mpmath.mpf]) -> mpmath.matrix:
    """T = Σ (-ad)^k/(k + 1)!."""
    values = dict(zip(algebra_symbols(group), theta, strict=True))
    ad = mpmath.matrix([[value_of(sympy.sympify(e), values) for e in row] for row in ad_matrix(group).tolist()])
    power = total = mpmath.eye(len(theta))
    for k in range(1, SERIES_TERMS):
        power = power * -ad / (k + 1)
        total = total + power
    return total


def test_display_does_not_change_generated_code() -> None:
    shown, plain = (build_model("heavy_top", {"group": "SE3"}).derive() for _ in range(2))
    shown.latex(newton=True, variational="midpoint")
    assert tangent_texts(shown) == tangent_texts(plain)


def test_unsupported_steps_are_rejected_by_name(tmp_path: Path) -> None:
    equations = equations_of("polar")
    with pytest.raises(
        UnknownNameError, match="Unknown discrete Lagrangian 'simpson'; use one of: trapezoid, midpoint"
    ):
        equations.latex(variational="simpson")
    with pytest.raises(FormatError, match="of 'mine' does not exist"):
        equations.markdown(variational=f"{tmp_path}/none.py:mine")
    wrong = "def mine(q0, q1, h):\n    return 2 * h * q0.lagrangian(q0.difference(q1) / h)\n"
    (tmp_path / "wrong.py").write_text(wrong, encoding="utf-8")
    with pytest.raises(ModelError, match="'mine' is not consistent"):
        equations.latex(variational=f"{tmp_path}/wrong.py:mine")


def test_models_unsupported_by_variational_methods_are_rejected() -> None:
    fields = build_model("free_rigid_body", {}).derive()
    with pytest.raises(GroupError, match="variational methods have no θ"):
        fields.latex(variational="trapezoid")
    with pytest.raises(ModelError, match="'marked' has dependent nodes, which variational"):
        _marked().latex(variational="trapezoid")
    with pytest.raises(ModelError, match="'pushed' has acceleration-level constraints, which variational"):
        _pushed().markdown(variational="midpoint")


def _pushed() -> Equations:
    model = sl.Model("pushed")
    block = model.node("block", "R1")
    model.kinetic_energy(block.v.dot(block.v) / 2)
    model.acceleration_constraint("push", block.v_dot[0] - 1)
    return model.derive()


def _marked() -> Equations:
    model = sl.Model("marked")
    point, mark, origin = (model.node(name, "R2") for name in ("point", "mark", "origin"))
    model.kinetic_energy(sum(node.v.dot(node.v) for node in (point, mark, origin)) / 2)
    model.dependent(mark, x=origin.x + point.x)
    return model.derive()
