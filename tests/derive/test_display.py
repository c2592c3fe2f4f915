"""Rendered equations equal the derived ones, and every renderer can read them."""

from __future__ import annotations

import functools
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator

import mpmath
import pytest
import sympy
from sympy import Expr, Rational, Symbol

import symlie as sl
from symlie.derive.equations import Equations
from symlie.derive.sets import derive_set
from symlie.emit.sets import emit_set
from symlie.groups.group import LieGroup, algebra_symbols, storage_symbols
from symlie.groups.kinematics import kinematic_blocks
from symlie.groups.operators import ad_matrix, squared_angle
from symlie.groups.spectrum import DEXP, DEXP_NEGATIVE, DEXP_NEGATIVE_INVERSE, EXP
from symlie.models.registry import build_model
from symlie.publish.sets import generated_files
from symlie.typeset.definitions import collected, statement_list
from symlie.typeset.display import latex, markdown, protected
from symlie.typeset.notation import LET, Letter, Notation, Rotation, letter, spaced, word
from symlie.typeset.operator_formulas import closed_form_terms, operator_rows
from symlie.typeset.polynomial import Generators, TooLargeError
from symlie.typeset.vector_forms import VectorForms
from tests.evaluation import Evaluation, value_of
from tests.systems import HEAVY_TOPS, chain_equations, heavy_top_equations, polar_equations
from tests.tolerances import REWRITTEN

SERIES_TERMS = 90
"""Terms of power series: the terms of T⁻¹ decrease by the ratio of the angle to 2π, here below 1/4."""

PAGES = (*HEAVY_TOPS, "chain", "polar", "elastic", "rolling")


CASES = re.compile(r"\\left\(\\begin\{cases\}\n(.*?)\n\\end\{cases\}\\right\)", re.S)
"""Piecewise laws, which Matplotlib cannot typeset as a whole."""


def elastic_equations() -> Equations:
    """Two bodies joined by a spring along log(a⁻¹∘b), with damping: statements that have no vector form."""
    model = sl.Model("elastic")
    stiffness = model.parameter("stiffness", [1, 2, 3, 4, 5, 6], unit="N/m")
    inertia = model.parameter("body_inertia", [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 1]], unit="kg m^2")
    a, b, s = model.node("first", sl.SE3), model.node("second", sl.S3sR3), model.node("slider", "R1")
    for body in (a, b):
        model.kinetic_energy((body.Omega.dot(inertia * body.Omega) + body.U.dot(body.U)) / 2)
    model.kinetic_energy(s.x_dot[0] ** 2)
    strain = (a.inverse() * model.node("third", sl.SE3)).log()
    third = model.nodes[-1]
    model.kinetic_energy(third.v.dot(third.v) / 2)
    model.potential_energy(sum(stiffness[i] * strain[i] ** 2 for i in range(6)) / 2)
    model.dissipation(s.x_dot[0] ** 2 / 10)
    model.constraint("guide", s.x[0] - sl.sin(model.t) * b.x[0])
    model.output("strain", strain)
    return model.derive()


def rolling_equations() -> Equations:
    """Further features: rolling, piecewise laws, gyrostats, multipliers in outputs and events, more groups."""
    model = sl.Model("rolling")
    q, lever, blade = model.node("ball", "S3xR3"), model.node("lever", sl.SO2), model.node("blade", sl.SE2)
    top = model.node("top", sl.SO3rv)
    spin = model.parameter("spin", 2.0)
    model.kinetic_energy((q.x_dot.dot(q.x_dot) + q.Omega.dot(q.Omega) / 10 + blade.v.dot(blade.v)) / 2)
    model.kinetic_energy((lever.Omega[0] ** 2 + top.v.dot(top.v)) / 2 + spin * top.Omega[2] * sl.cos(model.t))
    model.kinetic_energy(blade.x[0] ** 2)
    model.dissipation(sl.select(q.x[0] - q.x[1], 1, 2) * q.x_dot.dot(q.x_dot) / 2)
    contact = q.x_dot + (q.R * q.Omega).cross(sl.vector(0, 0, -0.5)) - sl.vector(0, 0, 2).cross(q.x)
    model.nonholonomic_constraint("contact", contact[:2, :])
    height = model.constraint("height", q.x[2] - 0.5)
    model.nonholonomic_constraint("knife", blade.U[1])
    model.constraint("pin", (blade.R * sl.vector(1, 0) + blade.x - lever.R * sl.vector(0, 1))[0])
    model.output("reaction", model.constraint_force(q, "height"))
    model.output("attitude", top.R)
    model.event("lift", height[0], direction="falling", terminal=False)
    return model.derive()


def equations_of(name: str) -> Equations:
    """The model of a page."""
    others = {"chain": chain_equations, "polar": polar_equations, "elastic": elastic_equations}
    others["rolling"] = rolling_equations
    return others[name]() if name in others else heavy_top_equations(name)


def formulas(text: str) -> Iterator[str]:
    """All formulas of a page without alignment: rows of arrays cell by cell, the rest row by row."""
    for block in re.findall(r"\$\$\n\\begin\{aligned\}\n(.*?)\n\\end\{aligned\}\n\$\$", text, re.S):
        for pieces in re.findall(CASES, block):
            yield from (
                cell.replace(r"\text", r"\mathrm").rstrip("\\") for row in pieces.split("\n") for cell in row.split("&")
            )
        block = re.sub(CASES, "c", block)
        for row in block.replace("\\end{array}\\right]", "").split("\\\\\n"):
            for line in row.split("\n"):
                yield from (re.sub(r"\\left\[\\begin\{array\}\{c+\}", "", cell).strip() for cell in line.split("&"))
    yield from re.findall(r"(?<!\$)\$([^$\n]+)\$", text)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_every_formula_can_be_typeset(name: str) -> None:
    pytest.importorskip("matplotlib.mathtext")
    text = markdown(equations_of(name))
    shown = list(formulas(text))
    assert len(shown) > 30
    for formula in filter(None, shown):
        check_typesetting(re.sub(r"\d+", "2", formula))


@functools.cache
def check_typesetting(formula: str) -> None:
    """Formulas that differ in their numbers alone are typeset once."""
    from matplotlib.mathtext import MathTextParser

    MathTextParser("path").parse("$" + formula.replace(r"\thinspace", r"\,").replace("_ ", "_") + "$")


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_page_is_safe_in_markdown(name: str) -> None:
    text = markdown(equations_of(name))
    assert not re.search(r"[^\w\s]_\S", text), "an underscore that may begin emphasis"
    assert all(line.endswith("\\\\") for line in text.splitlines() if "\\\\" in line), "a row break within a line"
    assert not re.search(r"\\[,;:!_{}*]", text), "a backslash that Markdown removes"
    assert not re.search(r"^[-+*] ", text, re.M), "a formula that begins like a list"
    assert text.count("$$") % 2 == 0
    assert text.count(r"\left") == text.count(r"\right")
    assert text.endswith("$$\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_page_names_every_symbol(name: str) -> None:
    text = markdown(equations_of(name))
    for formula in formulas(text):
        assert not re.search(r"\[\d|\.v\d|\.q\d|\.\d+\.", formula), f"an internal name in {formula}"


def test_heavy_top_equations_match_the_paper() -> None:
    text = markdown(heavy_top_equations("SE3")).replace("_ ", "_")
    for formula in (
        r"\dot R &= R \widetilde{\Omega}",
        r"\dot x &= R U",
        r"a &= R^{\mathsf{T}} x",
        r"w &= a \times \Omega + U",
        r"g_{\Omega} &= \Omega \times \operatorname{diag}\left(\mathrm{inertia}\right) \Omega",
        r"\left(\mathrm{inertia}_{3} - \mathrm{inertia}_{2}\right) \Omega_{2} \Omega_{3}",
        r"g_{U} &= \mathrm{mass} \thinspace \Omega \times U + b",
        r"\Phi &= a - \mathrm{lever}",
        "B &= \\left[\\begin{array}{cc}\n\\widetilde{a} & I\n\\end{array}\\right]",
        r"Z &= w \times \Omega",
        r"V &= -\mathrm{mass} \thinspace \mathrm{gravity} \cdot x",
        r"\mathrm{center\ of\ mass} &= x",
        r"\mathrm{rotation} &= R",
        r"T(v) &= I - c_{2}(z) A + c_{3}(z) A^{2} + \frac{c_{2,1}(z)}{2} A \left(A^{2} + z \thinspace I\right)",
        "| `inertia` | $\\mathrm{inertia}$ | 0.234375, 0.46875, 0.234375 | kg m^2 |",
    ):
        assert formula in text, formula


def test_quaternions_and_products_are_displayed() -> None:
    text = markdown(heavy_top_equations("S3xR3")).replace("_ ", "_")
    assert "\\widetilde{a} & R^{\\mathsf{T}}\n" in text
    assert r"R_{11} & R_{21} & R_{31}" in text
    assert r"\mathrm{rotation} &= R" in text
    assert r"\dot p &= \frac{1}{2} \left[" in text
    free = markdown(heavy_top_equations("S3")).replace("_ ", "_")
    assert r"\frac{\mathrm{mass}}{2} \left\Vert \mathrm{lever} \times \Omega \right\Vert^{2}" in free
    assert r"g_{\Omega} &= \mathrm{lever} \times b + \Omega \times \pi_{\Omega}" in free
    assert "lambda" not in free


def test_several_nodes_and_rheonomic_constraints_are_displayed() -> None:
    text = markdown(chain_equations()).replace("_ ", "_")
    assert r"\dot x^{\mathrm{upper}} &= R^{\mathrm{upper}} U^{\mathrm{upper}}" in text
    assert r"\dot x^{\mathrm{lower}} &= R^{\mathrm{lower}} U^{\mathrm{lower}}" in text
    assert r"B_{\mathrm{pivot}} \thinspace v + b_{\mathrm{pivot}}" in text
    assert r"B_{\mathrm{joint}} \thinspace v &=" in text
    assert r"\dot\Phi = B \thinspace v + b = 0" in text


def test_wide_matrices_are_displayed_in_blocks() -> None:
    text = markdown(elastic_equations()).replace("_ ", "_")
    assert r"M_{U^{\mathrm{first}}, U^{\mathrm{first}}} &= I" in text
    assert r"\theta_{1} &= \log\left(\left(q^{\mathrm{first}}\right)^{-1} \circ q^{\mathrm{third}}\right)" in text
    assert r"\dot{x}^{\mathrm{slider}}" in text


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_notebook_output_is_displayed(name: str) -> None:
    text = latex(equations_of(name))
    assert text.startswith("$$\n\\begin{aligned}\n")
    assert text.endswith("\n\\end{aligned}\n$$")
    assert text.count(r"\begin") == text.count(r"\end")
    assert re.search(r"^M.* &= ", text, re.M)
    assert re.search(r"^g_.* &= ", text, re.M)


def test_all_features_are_shown() -> None:
    """On the page and in the notebook."""
    equations = rolling_equations()
    page, block = equations.markdown().replace("_ ", "_"), equations.latex()
    for formula in (
        r"\Phi_{\mathrm{height}} &= x^{\mathrm{ball}}_{3} - 0.5",
        r"b_{\mathrm{contact}} &=",
        r"B_{\mathrm{contact}} \thinspace v + b_{\mathrm{contact}} &=",
        r"B_{\mathrm{knife}} \thinspace v &= U^{\mathrm{blade}}_{2}",
        r"Z_{\mathrm{contact}} &=",
        r"\mathrm{lift} &= \lambda^{\mathrm{height}}",
        r"\mathrm{attitude} &= R^{\mathrm{top}}",
        r"\mathrm{spin} \thinspace \Omega^{\mathrm{top}}_{3} \cos(t)",
        "\\left(\\begin{cases}\n1 & \\text{if }",
        r"g_{U^{\mathrm{blade}}} &=",
    ):
        assert formula in page, formula
        assert formula in block, formula
    reaction = r"\mathrm{reaction} &= \left[\begin{array}{c}" + 5 * "\n0 \\\\" + "\n-\\lambda^{\\mathrm{height}}\n"
    assert reaction in block
    assert "`lift`: falls through zero, which is recorded." in page
    titles = re.findall(r"^## (.*)", page, re.M)
    assert titles[titles.index("Constraints") :][:5] == [
        "Constraints", "Constraint Jacobian", "Hidden constraints", "Nonholonomic constraints", "Curvature",
    ]  # fmt: skip


def test_newton_matrices_are_shown_on_request() -> None:
    equations = heavy_top_equations("SE3")
    assert "K &=" not in equations.latex()
    block = equations.latex(newton=True)
    assert r"K &= \left[\begin{array}{cccccc}" + "\n" + r"-a_{2} \lambda_{2} - a_{3} \lambda_{3}" in block
    assert r"-\mathrm{mass} \thinspace U_{3} & 0 & \mathrm{mass} \thinspace U_{1}" in block
    assert "## Newton matrices" in equations.markdown(newton=True)
    assert shown_hidden(block) == ["H"]
    moving = polar_equations().latex(newton=True)
    assert r"\ddot{x}_{2}" in moving, "M depends on the configuration, so K contains the acceleration"
    assert not re.search(r"lambda_?\d|\ba\.?\d|\{a_\d", moving)


def shown_hidden(block: str) -> list[str]:
    """Left sides of the rows that show D_q(B v + b)."""
    return re.findall(r"^(H\S*) &=", block, re.M)


def test_constraint_derivatives_are_displayed_by_constraint() -> None:
    """Without the rows that restrict accelerations alone, which have none."""
    model = sl.Model("sled")
    body, block = model.node("body", "SE2"), model.node("block", "R1")
    model.kinetic_energy((body.v.dot(body.v) + block.v.dot(block.v)) / 2)
    model.constraint("rail", body.x[1] - sl.sin(block.x[0]))
    model.nonholonomic_constraint("blade", body.v[2])
    model.acceleration_constraint("push", block.v_dot[0] - 1)
    equations = model.derive()
    block_of_rows = equations.latex(newton=True)
    assert shown_hidden(block_of_rows) == [r"H_{\mathrm{rail}}", r"H_{\mathrm{blade}}"]
    assert r"\sin" in block_of_rows[block_of_rows.index(r"H_{\mathrm{rail}} &=") :]
    assert r"$H = \mathrm{D}_ q(B \thinspace v" in equations.markdown(newton=True)
    free = sl.Model("free")
    point = free.node("point", "R1")
    free.kinetic_energy(point.v.dot(point.v) / 2)
    assert "H" not in free.derive().markdown(newton=True).partition("## Newton matrices")[2]


def test_display_does_not_change_generated_code() -> None:
    """Emitted text does not depend on equations shown before."""
    shown, plain = (build_model("heavy_top", {"group": "SE3"}).derive() for _ in range(2))
    shown.latex(newton=True)
    files = [generated_files(e) | tangent_texts(e) for e in (shown, plain)]
    assert files[0] == files[1]


def tangent_texts(equations: Equations) -> dict[str, str]:
    """Files of the Newton matrices, not from the cache."""
    return emit_set(derive_set(equations, "newton"), "")


def test_every_element_type_is_shown() -> None:
    """In a notebook each statement has a heading and its terms."""
    block = sl_springs().latex()
    headings = re.findall(r"\\textbf\{Terms of ([^}]*)\}", block)
    assert headings == ["body", "spring"]
    first, second = block.split(r"\textbf{Terms of spring}")
    assert "M &=" in first
    assert r"\theta_{1} &= \log" in second
    assert r"\mathrm{stiffness}" in second


def sl_springs() -> Equations:
    """Bodies in an array, joined by springs along the logarithm."""
    model = sl.Model("springs")
    bodies = model.node_array("bodies", sl.SE3, 2)
    body = sl.ElementType("body", node=sl.SE3)
    body.kinetic_energy(body.node.v.dot(body.node.v) / 2)
    model.add(body, bodies)
    spring = sl.ElementType("spring", left=sl.SE3, right=sl.SE3)
    stiffness = spring.parameter("stiffness", [1, 2, 3, 4, 5, 6])
    strain = (spring.left.inverse() * spring.right).log()
    spring.potential_energy(strain.dot(sl.diag(stiffness) * strain) / 2)
    model.add(spring, [(bodies[0], bodies[1])])
    return model.derive()


def test_page_is_the_same_for_another_hash_seed() -> None:
    """The seed of this process is random unless it is stated."""
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    (text,) = texts_of("elastic_equations().markdown()", seed)
    assert text.decode().replace("\r\n", "\n") == elastic_equations().markdown() + "\n"


@pytest.mark.slow
def test_same_text_for_any_hash_seed() -> None:
    shown = "elastic_equations().markdown(), top('S3xR3').markdown(), top('SE3').latex()"
    assert len(texts_of(shown, "0", "1")) == 1


def texts_of(shown: str, *seeds: str) -> set[bytes]:
    """What processes of these hash seeds print."""
    code = f"from tests.derive.test_display import elastic_equations, heavy_top_equations as top; print({shown})"
    return {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in seeds
    }


@pytest.mark.parametrize("name", ["SE3", "S3xR3", "S3", "chain", "elastic"])
def test_assignment_list_keeps_every_value(name: str) -> None:
    """Folding and collecting change the form of statements, not their values."""
    derived = equations_of(name).derived[0]
    program, parameters = derived.statement.program, equations_of(name).model.parameters
    shown = [*derived.dynamics.force, *derived.constraints.curvature, *derived.constraints.hidden]
    shown += [e for row in (*derived.constraints.jacobian, *derived.dynamics.mass) for e in row]
    symbols = frozenset(s for p in parameters for s in p.symbols)
    folded = statement_list(program, shown, [derived.dynamics.momentum, derived.constraints.hidden], symbols)
    assert len(folded.definitions) < len(program.statements)

    generator = random.Random(name)
    inputs = [s for value in program.inputs.values() for s in value.components] + sorted(symbols, key=str)
    values = {s: mpmath.mpf(generator.randint(-9, 9)) / 11 for s in inputs if isinstance(s, Symbol)}
    rotations = {
        Symbol(f"R({node.value.components[0]}){i}", real=True): entry
        for node in derived.statement.nodes
        if node.group.rotation
        for i, entry in enumerate(node.group.rotation(node.value.components))
    }
    named = [s for d in folded.definitions for s in d.symbols]
    environment = {**values, **dict(zip(named, Evaluation(program, named)(values), strict=True))}
    environment |= {s: value_of(sympy.sympify(e), environment) for s, e in rotations.items()}
    pairs = [(s, e) for d in folded.definitions if d.expressions for s, e in zip(d.symbols, d.expressions, strict=True)]
    for symbol, expression in pairs:
        assert abs(value_of(expression, environment) - environment[symbol]) < REWRITTEN, symbol
    for written, expected in zip(folded.written(shown), Evaluation(program, shown)(values), strict=True):
        assert abs(value_of(written, environment) - expected) < REWRITTEN * max(1, abs(expected))


@pytest.fixture
def vectors() -> tuple[VectorForms, dict[str, tuple[Expr, ...]]]:
    """Three known vectors and a product with a parameter."""
    notation = Notation()
    forms = VectorForms(notation)
    named = {name: tuple(sympy.symbols(f"{name}1:4", real=True)) for name in "abc"}
    for name, components in named.items():
        notation.name_vector(components, Letter(name), LET)
        forms.add(name, components)
    notation.name(Symbol("m", real=True), "m", "p")
    return forms, named


def test_vector_forms_are_found(vectors: tuple[VectorForms, dict[str, tuple[Expr, ...]]]) -> None:
    forms, named = vectors
    a, b, c = (sympy.Matrix(named[name]) for name in "abc")
    m = Symbol("m", real=True)
    assert forms.vector(tuple(a - 2 * b)) == "a - 2 b"
    assert forms.vector(tuple(m * a.cross(b) + c)) == r"m a \times b + c"
    assert forms.vector(tuple(b.cross(a))) == r"b \times a"
    assert forms.vector(tuple(-a)) == "-a"
    assert forms.vector((a[0], a[1], a[2] + 1)) is None
    assert forms.vector((a[1], a[0], a[2])) is None
    assert forms.scalar(m * a.dot(b) / 2 + a[0]) == r"\frac{m}{2} a \cdot b + a_{1}"
    assert forms.scalar(a.cross(b).dot(a.cross(b))) == r"\left\Vert a \times b \right\Vert^{2}"
    assert forms.operand(tuple(sympy.Matrix([0, 0, 1])), "R") == "R e_{3}"
    assert forms.operand(tuple(a + b), "R") == r"R \left(a + b\right)"
    assert forms.operand(tuple(-m * a), "R") == "-m R a"


def test_block_forms_are_found(vectors: tuple[VectorForms, dict[str, tuple[Expr, ...]]]) -> None:
    forms, named = vectors
    a = sympy.Matrix(named["a"])
    storage = storage_symbols(sl.SO3)
    forms.add_rotation(Rotation(Letter("R"), storage, storage))
    rotation, skew = sympy.Matrix(3, 3, storage), _skew(a)
    assert forms.block(sympy.zeros(3, 3).tolist()) == "0"
    assert forms.block((2 * sympy.eye(3)).tolist()) == "2 I"
    assert forms.block(sympy.diag(*a).tolist()) == r"\operatorname{diag}\left(a\right)"
    assert forms.block(_skew(a).tolist()) == r"\widetilde{a}"
    assert forms.block((-_skew(a)).tolist()) == r"-\widetilde{a}"
    assert forms.block(rotation.T.tolist()) == r"R^{\mathsf{T}}"
    assert forms.block((-rotation * skew).expand().tolist()) == r"-R \widetilde{a}"
    assert forms.block([list(a)]) == r"a^{\mathsf{T}}"
    assert forms.block([[a[0], a[1]], [a[1], a[2]]]) is None
    assert forms.blocks(sympy.diag(_skew(a), sympy.eye(3)).tolist(), [3, 3], [3, 3]) is not None


def _skew(a: sympy.Matrix) -> sympy.Matrix:
    return sympy.Matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def test_polynomials_are_exact_and_bounded() -> None:
    x, y = sympy.symbols("x y", real=True)
    generators = Generators()
    expression = (x + 2 * y) ** 3 * (x - y) / 3 + sympy.sin(x) * y**2 + 1
    assert sympy.expand(generators.expression(generators.polynomial(expression)) - expression) == 0
    with pytest.raises(TooLargeError):
        generators.polynomial(sum(sympy.symbols("s0:30")) ** 3)


def test_parameters_are_collected() -> None:
    k, m, x, y = (Symbol(n, real=True) for n in "kmxy")
    parameters = frozenset([k, m])
    assert collected(k * x * y - m * y * x + x, parameters) == (k - m) * x * y + x
    assert collected(m * (2 * x + x) / 2, parameters) == Rational(3, 2) * m * x


@pytest.mark.parametrize(
    ("name", "shown"),
    [("Omega", r"\Omega"), ("x", "x"), ("mass", r"\mathrm{mass}"), ("tip_mass", r"\mathrm{tip\ mass}")],
)
def test_multiletter_names_are_typeset_as_words(name: str, shown: str) -> None:
    assert word(name) == shown


def test_greek_letters_are_typeset() -> None:
    assert letter("x_dot").component((1,)) == r"\dot{x}_{2}"
    assert letter("Omega2", "tip").component((0,)) == r"\Omega^{tip}_{2,1}"
    assert letter("p", first=0).component((3,)) == "p_{3}"
    assert letter("R").component((0, 2)) == "R_{13}"
    assert letter("y").component((11,)) == "y_{12}"
    assert spaced(r"\mathrm{mass} \Omega_{1} + \mathrm{k}") == r"\mathrm{mass} \thinspace \Omega_{1} + \mathrm{k}"
    assert protected(r"\mathrm{a}_{1} x_{2}") == r"\mathrm{a}_ {1} x_{2}"


@pytest.mark.parametrize("group", [sl.SO3, sl.S3, sl.SE3, sl.S3sR3], ids=str)
def test_operators_are_shown(group: LieGroup) -> None:
    rows = {row.left: row.right[0] for row in operator_rows(group)}
    assert rows["z"] == r"\Omega \cdot \Omega"
    assert rows["T(v)"].startswith("I - c_{2}(z) A + c_{3}(z) A^{2}")
    assert rows["T^{-1}(v)"].startswith(r"I + \frac{1}{2} A + g_{0}(z) A^{2}")


@pytest.mark.slow
@pytest.mark.parametrize("group", [sl.SO3, sl.S3, sl.SE3, sl.S3sR3], ids=str)
def test_closed_forms_equal_their_series(group: LieGroup) -> None:
    symbols, z = algebra_symbols(group), squared_angle(group)
    values = {s: mpmath.mpf(k + 2) / 7 * (-1) ** k for k, s in enumerate(symbols)}
    ad = sympy.ImmutableMatrix(ad_matrix(group))
    blocks = [(EXP if b.forcing.is_zero_matrix else DEXP, b.linear) for b in kinematic_blocks(group)]
    for function, matrix in [(DEXP_NEGATIVE, ad), (DEXP_NEGATIVE_INVERSE, ad), *blocks]:
        a = mpmath.matrix([[value_of(e, values) for e in row] for row in matrix.tolist()])
        identity = mpmath.eye(a.rows)
        ratio, terms = closed_form_terms(function, matrix, z)
        at_z = {Symbol("z"): value_of(z, values)}
        squared = a * a + value_of(ratio, {}) * at_z[Symbol("z")] * identity
        form = sum((value_of(t.coefficient, at_z) * a**t.n * squared**t.k for t in terms), 0 * identity)
        series, power = 0 * identity, identity
        for n in range(SERIES_TERMS):
            series, power = series + value_of(function.coefficient(n), {}) * power, power * a
        assert mpmath.mnorm(form - series, mpmath.inf) < REWRITTEN


def test_commutative_groups_have_no_operators() -> None:
    assert operator_rows(sl.real_space(3)) == []
