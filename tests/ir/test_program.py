"""Statement lists: sharing, dependence, lowering, and flattening to instructions."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
import sympy
from sympy import Expr, Rational, Symbol

from symlie.errors import ModelError
from symlie.groups.operations import Compose, Exponential, Inverse, Logarithm
from symlie.groups.rotation import rotate
from symlie.groups.standard import SE3, SO3, group_from_name
from symlie.ir.differentiate import gradient
from symlie.ir.primitives import Cotangent, Stumpff
from symlie.ir.program import (
    Application,
    Assignment,
    Euclidean,
    Program,
    Value,
    depends_on,
    free_symbols,
    lower,
    needed_statements,
)
from symlie.ir.straightline import Instruction, StraightLine, by_output, flatten
from tests import tolerances
from tests.evaluation import assigned, evaluate, interpret, symbols

X, Y, W = symbols("x", 3)
REFERENCES = {X: "x[0]", Y: "x[1]", W: "x[2]"}


def flat(*expressions: Expr) -> StraightLine:
    """Instructions of plain expressions in x, y, w."""
    return flatten(Program(), expressions, REFERENCES)


def operators_of(line: StraightLine) -> list[str]:
    """The operators in order."""
    return [i.operator for i in line.instructions]


def test_equal_expressions_share_a_symbol() -> None:
    program = Program()
    first = program.scalar(X * Y)
    assert program.scalar(Y * X) == first
    assert program.scalar(X + Y) != first
    assert program.vector([X * Y, X + Y])[0] == first
    assert len(program.statements) == 2


def test_atoms_need_no_assignment() -> None:
    program = Program()
    for atom in (X, -X, sympy.Integer(0), Rational(1, 3), sympy.Float(0.5)):
        assert program.scalar(atom) == atom
    assert program.scalar(2) == 2
    assert program.statements == []


@pytest.mark.parametrize("name", ["s_1", "s1", "exp_1_0", "inverse_1", "c_2"])
def test_symbols_of_the_program_are_no_identifiers(name: str) -> None:
    """A user's parameter may have any identifier as its name and must not meet a statement's symbol."""
    program = Program()
    user = Symbol(name, real=True)
    bound = program.scalar(X + 1)
    a = program.input("a", SO3, symbols("a", 9))
    targets = {bound, program.scalar(X + 2, "c"), *program.apply(Inverse(SO3), a).components}
    assert user not in targets
    assert not any(str(t).isidentifier() for t in targets)
    line = flatten(program, [user * bound], {user: "p", **REFERENCES})
    assert interpret(line, {"p": 5.0, "x[0]": 2.0}) == [15.0]


def test_required_assignments_are_ordered() -> None:
    program = Program()
    a = program.scalar(X * Y)
    unused = program.scalar(X + Y)
    b = program.scalar(a * a + W)
    statements = needed_statements(program, [b + 1])
    assert [s.symbol for s in statements if isinstance(s, Assignment)] == [a, b]
    assert needed_statements(program, [X]) == []
    assert [s.symbol for s in needed_statements(program, [unused]) if isinstance(s, Assignment)] == [unused]


def test_required_group_operations_are_found() -> None:
    program = Program()
    a = program.input("a", SO3, symbols("a", 9))
    b = program.input("b", SO3, symbols("b", 9))
    inverse = program.apply(Inverse(SO3), a)
    program.apply(Inverse(SO3), b)
    relative = program.apply(Compose(SO3), inverse, b)
    statements = needed_statements(program, [relative.components[4]])
    assert [s.operation.name for s in statements if isinstance(s, Application)] == ["inverse", "compose"]


def test_dependence_is_transitive() -> None:
    program = Program()
    a = program.input("a", SE3, symbols("a", 12))
    bound = program.scalar(X * X)
    turned = rotate(program, SE3, a.components, (bound, Y, sympy.Integer(0)))
    assert depends_on(program, turned, [X])
    assert depends_on(program, turned, [Y])
    assert depends_on(program, turned, [a.components[0]])
    assert not depends_on(program, turned, [W])
    assert not depends_on(program, [bound], [Y])
    assert depends_on(program, [Y + 1], [Y])


def test_free_symbols_are_sorted() -> None:
    assert free_symbols(W * Y + X) == [X, Y, W]


def test_lowering_leaves_assignments_only() -> None:
    program = Program()
    a = program.input("a", SE3, symbols("a", 12))
    x = program.input("x", Euclidean(6), symbols("x", 6))
    step = program.apply(Exponential(SE3), x)
    moved = program.apply(Compose(SE3), a, step)
    logarithm = program.apply(Logarithm(SE3), moved)
    outputs = [sympy.sin(logarithm.components[0]), X, sympy.Integer(3)]
    before = len(program.statements)
    lowered, expressions = lower(program, outputs)
    assert len(program.statements) == before
    assert all(isinstance(s, Assignment) for s in lowered.statements)
    assert expressions[1:] == (X, 3)
    known = set(a.components) | set(x.components)
    for statement in lowered.statements:
        assert isinstance(statement, Assignment)
        assert statement.expression.free_symbols <= known
        known.add(statement.symbol)
    assert expressions[0].free_symbols <= known


def test_lowering_replaces_simultaneously() -> None:
    """Symbols of the lowered program reuse names of the original one."""
    program = Program()
    program.scalar(X + 7)
    a = program.scalar(X * Y)
    b = program.scalar(a + W)
    c = program.scalar(a * b)
    values = {X: 2, Y: 3, W: 5}
    assert evaluate(program, [a, b, c, a - b], values) == [6, 11, 66, -5]


def test_equal_construction_gives_equal_code() -> None:
    def build() -> list[str]:
        group = group_from_name("SO3xR3")
        program = Program()
        a = program.input("a", group, symbols("a", 12))
        b = program.input("b", group, symbols("b", 12))
        relative = program.apply(Logarithm(group), program.apply(Compose(group), program.apply(Inverse(group), a), b))
        energy = sum((c * c for c in relative.components), sympy.Integer(0))
        references = {s: s.name for s in (*a.components, *b.components)}
        return [str(i) for i in flatten(program, gradient(program, energy, a), references).instructions]

    assert build() == build()


def test_euclidean_space_is_supported() -> None:
    space = Euclidean(3)
    assert space == Euclidean(3)
    assert (space.name, space.storage_dimension, space.dimension) == ("R3", 3, 3)
    vector = symbols("v", 3)
    assert space.storage_tangent(Program(), vector, vector) == vector
    assert space.storage_cotangent(Program(), vector, vector) == vector


def test_unknown_symbol_is_rejected() -> None:
    with pytest.raises(ModelError, match=r"Unknown symbol 'mass'.*model\.parameter"):
        flat(X * Symbol("mass", real=True))


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        (sympy.gamma(X), "gamma"),
        (sympy.Piecewise((X, X > 0), (0, True)), "Piecewise"),
        (sympy.floor(X), "floor"),
        (sympy.I * X, "ImaginaryUnit"),
        (sympy.Function("f")(X), "f"),
    ],
)
def test_unsupported_function_is_rejected(expression: Expr, name: str) -> None:
    with pytest.raises(ModelError, match=f"The function '{name}' in .* cannot be compiled; use one of: Abs, "):
        flat(expression)


def test_value_numbering_merges_equal_expressions() -> None:
    line = flat(X * Y + W, Y * X - W, W + X * Y)
    assert sorted(operators_of(line)) == ["add", "mul", "sub"]
    assert line.outputs[0] == line.outputs[2]
    first = flat(X * Y, Y * X)
    assert first.instructions == (Instruction("s0", "mul", ("x[0]", "x[1]")),)
    assert first.outputs == ("s0", "s0")
    assert flat(X / Y, Y / X).operation_count == 2


def test_instructions_are_selected_by_output() -> None:
    program = Program()
    a, b = (program.scalar(e) for e in (sympy.sin(X), sympy.cos(Y)))
    body = flatten(program, [b + 1, a * b, a], REFERENCES)
    assert operators_of(body) == ["sin", "cos", "add", "mul"]
    ordered = by_output(body)
    assert operators_of(ordered) == ["cos", "add", "sin", "mul"]
    numbers = {"x[0]": 0.3, "x[1]": 0.7, "x[2]": 0.0}
    assert interpret(ordered, numbers) == interpret(body, numbers)


@pytest.mark.parametrize("value", [sympy.oo, -sympy.oo, sympy.zoo, sympy.oo * X, X + sympy.oo])
def test_nonfinite_numbers_are_rejected(value: Expr) -> None:
    with pytest.raises(ModelError, match="not a finite number"):
        flat(value)


@pytest.mark.parametrize(
    "expression", [3 * X * Y - X / 2 + Y, X**2 * Y + sympy.sin(X * Y) * X, 2 * (X + Y) * X, Rational(2), X]
)
def test_partial_derivatives_are_correct(expression: Expr) -> None:
    expected = [(s, sympy.diff(expression, s)) for s in free_symbols(expression)]
    assert Program().partials(expression) == expected


def test_unneeded_instructions_are_dropped_and_targets_numbered() -> None:
    program = Program()
    bound = program.scalar(X * Y)
    program.scalar(Stumpff.of(2, X))
    line = flatten(program, [sympy.sin(bound) + bound, Y, sympy.Integer(2)], REFERENCES)
    assert [i.target for i in line.instructions] == ["s0", "s1", "s2"]
    assert line.outputs == ("s2", "x[1]", 2.0)
    assert line.schemes == ()


@pytest.mark.parametrize(("exponent", "multiplications"), [(2, 1), (3, 2), (4, 2), (5, 3), (7, 4), (8, 3), (12, 4)])
def test_integer_powers_multiply(exponent: int, multiplications: int) -> None:
    line = flat(X**exponent)
    assert operators_of(line) == ["mul"] * multiplications
    assert interpret(line, {"x[0]": 3.0}) == [3.0**exponent]
    assert operators_of(flat(X**-exponent)) == ["mul"] * multiplications + ["div"]


def test_half_integer_powers_use_the_root() -> None:
    assert operators_of(flat(sympy.sqrt(X))) == ["sqrt"]
    assert operators_of(flat(1 / sympy.sqrt(X))) == ["sqrt", "div"]
    assert sorted(operators_of(flat(X ** Rational(3, 2)))) == ["mul", "sqrt"]
    for p in (-5, -3, -1, 1, 3, 5):
        line = flat(X ** Rational(p, 2))
        assert "pow" not in operators_of(line)
        assert interpret(line, {"x[0]": 4.0}) == [2.0**p]
    assert operators_of(flat(X**Y)) == ["pow"]
    assert operators_of(flat(sympy.exp(-X))) == ["neg", "exp"]


def test_signs_cost_no_multiplication() -> None:
    assert flat(X - Y).instructions == (Instruction("s0", "sub", ("x[0]", "x[1]")),)
    assert operators_of(flat(-X)) == ["neg"]
    assert sorted(operators_of(flat(-X - Y))) == ["neg", "sub"]
    assert sorted(operators_of(flat(X - 2 * Y))) == ["mul", "sub"]
    assert sorted(operators_of(flat(-X * Y))) == ["mul", "neg"]
    assert interpret(flat(-X - 2 * Y + W, -(X + Y)), {"x[0]": 1.0, "x[1]": 10.0, "x[2]": 100.0}) == [79.0, -11.0]


def test_quotients_divide_once() -> None:
    assert operators_of(flat(X / Y)) == ["div"]
    assert sorted(operators_of(flat(X / (Y * W)))) == ["div", "mul"]
    assert operators_of(flat(1 / X)) == ["div"]


@pytest.mark.parametrize(
    "constant", [Rational(1, 3), Rational(-7, 30), Rational(10**17 + 1, 3 * 10**17 - 7), Rational(1, 10)]
)
def test_rational_constants_are_correctly_rounded(constant: Rational) -> None:
    rounded = float(Fraction(int(constant.p), int(constant.q)))
    assert flat(constant).outputs == (rounded,)
    (instruction,) = flat(X + abs(constant)).instructions
    assert abs(rounded) in instruction.operands


def test_named_constants_are_supported() -> None:
    assert flat(sympy.pi, sympy.E, sympy.Float(0.1)).outputs == (math.pi, math.e, 0.1)


def test_coefficient_functions_are_calls_with_their_schemes() -> None:
    line = flat(Stumpff.of(2, X) * Cotangent.of(X), Stumpff.of(1, X / 4, Rational(5, 2)), Stumpff.of(2, X))
    calls = [o for o in operators_of(line) if o.startswith("call ")]
    assert sorted(calls) == ["call c1_to_5_2", "call c2", "call g0"]
    assert [s.function for s in line.schemes] == ["c1_to_5_2", "c2", "g0"]


EXPRESSIONS = [
    X * Y - W / (X + Y) ** 3,
    sympy.sqrt(X**2 + Y**2) ** 3 / (1 + W**2),
    sympy.exp(-X) * sympy.log(Y) + sympy.atan2(X, Y) - sympy.tan(X / 3),
    sympy.sinh(X) - sympy.cosh(Y) * sympy.tanh(W),
    sympy.asin(X / 4) + sympy.acos(Y / 4) - sympy.atan(W),
    sympy.Max(X, Y, W) - sympy.Min(X, Y) + sympy.Abs(X - 3) * sympy.sign(Y - X),
    X ** Rational(1, 3) + 2**Y - X**W,
    sympy.pi * X / 7 + Rational(2, 3) * (X - Y) * (X + W) - 5,
    Stumpff.of(3, X) * Cotangent(1, Y, 10) - Stumpff(2, 1, W, 10),
]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=range(len(EXPRESSIONS)))
def test_instructions_compute_the_expression(expression: Expr) -> None:
    line = flat(expression)
    generator = random.Random(4)
    for _ in range(5):
        numbers = [generator.uniform(0.5, 2.0) for _ in range(3)]
        (found,) = interpret(line, dict(zip(REFERENCES.values(), numbers, strict=True)))
        (exact,) = evaluate(Program(), [expression], assigned((X, Y, W), numbers))
        assert abs(found - exact) < tolerances.INSTRUCTIONS * max(1, abs(exact))


def test_instructions_compute_group_operations() -> None:
    program = Program()
    a = program.input("a", SE3, symbols("a", 12))
    x = program.input("x", Euclidean(6), symbols("x", 6))
    relative = program.apply(Compose(SE3), program.apply(Inverse(SE3), a), program.apply(Exponential(SE3), x))
    outputs = program.apply(Logarithm(SE3), relative).components
    references = {s: s.name for v in (a, x) for s in v.components}
    generator = random.Random(5)
    theta = [generator.uniform(-1, 1) for _ in range(6)]
    start = program.apply(Exponential(SE3), Value(symbols("y", 6), Euclidean(6))).components
    element = [float(c) for c in evaluate(program, start, assigned(symbols("y", 6), [0.3, -0.8, 0.5, 1, 2, 3]))]
    exact = evaluate(program, outputs, assigned(a.components, element) | assigned(x.components, theta))
    line = flatten(program, outputs, references)
    found = interpret(line, {f"a{i}": c for i, c in enumerate(element)} | {f"x{i}": c for i, c in enumerate(theta)})
    assert max(abs(p - q) for p, q in zip(found, exact, strict=True)) < 10 * tolerances.INSTRUCTIONS
