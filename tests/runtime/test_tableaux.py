"""Tableaux: exact order conditions, checks of the classes, correctly rounded coefficients, registry."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.methods.library import method, method_names
from symlie.runtime.methods.rkmk import Rkmk
from symlie.runtime.tableaux.exact import ExactRow, QuadraticNumber, exact_row, rounded
from symlie.runtime.tableaux.half_explicit_tableau import HalfExplicitTableau
from symlie.runtime.tableaux.index2_conditions import (
    StageSeries,
    Tree,
    bicoloured_trees,
    forests,
    half_explicit_orders,
)
from symlie.runtime.tableaux.tableau import ExplicitTableau
from tests.runtime.tableaux import tableau_of

RKMK_METHODS = (
    "rkmk_euler",
    "lie_euler_heun",
    "rkmk_kutta3",
    "rkmk_rk44",
    "rkmk_38",
    "rkmk_bs32",
    "rkmk_dopri5",
    "rkmk_rk67",
)
HALF_EXPLICIT_METHODS = ("half_explicit_2", "half_explicit_3", "half_explicit_4", "half_explicit_5")


# ---------------------------------------------------------------------------------------------------------------------
# Trees and their order conditions


def violated_rooted(tableau: ExplicitTableau, weights: ExactRow, trees: Sequence[Tree]) -> list[Tree]:
    """Rooted trees whose order condition is violated."""
    series = StageSeries((*tableau.a, weights))
    return [tree for tree in trees if series.values(tree)[-1] != tree.weight]


def violated_y(series: StageSeries, argument: int, trees: Sequence[Tree]) -> Iterator[Tree]:
    """y-trees whose condition is violated at an argument, counted from 1."""
    return (tree for tree in trees if series.values(tree)[argument - 1] != tree.weight)


def violated_z(series: StageSeries, d: ExactRow, trees: Sequence[Tree]) -> Iterator[Tree]:
    """z-trees whose condition is violated by the weights d."""
    return (
        tree for tree in trees if sum(x * y for x, y in zip(d, series.values(tree), strict=True) if x) != tree.weight
    )


def up_to(order: int, trees: Sequence[Tree]) -> list[Tree]:
    """Trees up to an order."""
    return [tree for tree in trees if tree.order <= order]


def of_order(order: int, trees: Sequence[Tree]) -> list[Tree]:
    """Trees of an order."""
    return [tree for tree in trees if tree.order == order]


# ---------------------------------------------------------------------------------------------------------------------
# Explicit tableaux


def rooted_trees(max_order: int) -> tuple[Tree, ...]:
    """All rooted trees up to an order."""
    trees: list[Tree] = []
    for order in range(1, max_order + 1):
        trees += [Tree("y", order, children) for children in forests(order - 1, tuple(trees))]
    return tuple(trees)


def test_rooted_trees_are_counted() -> None:
    trees = rooted_trees(7)
    assert [len(of_order(order, trees)) for order in range(1, 8)] == [1, 1, 2, 4, 9, 20, 48]


@pytest.mark.parametrize("name", RKMK_METHODS)
def test_explicit_tableau_has_exactly_the_declared_order(name: str) -> None:
    tableau = tableau_of(name, ExplicitTableau)
    trees = rooted_trees(tableau.order + 1)
    assert not violated_rooted(tableau, tableau.b, up_to(tableau.order, trees))
    assert violated_rooted(tableau, tableau.b, of_order(tableau.order + 1, trees))


@pytest.mark.parametrize("name", ["rkmk_bs32", "rkmk_dopri5"])
def test_embedded_weights_have_exactly_the_declared_order(name: str) -> None:
    tableau = tableau_of(name, ExplicitTableau)
    assert tableau.b_hat is not None and tableau.order_hat is not None
    trees = rooted_trees(tableau.order_hat + 1)
    assert not violated_rooted(tableau, tableau.b_hat, up_to(tableau.order_hat, trees))
    assert violated_rooted(tableau, tableau.b_hat, of_order(tableau.order_hat + 1, trees))


@pytest.mark.parametrize(
    ("name", "order", "stages", "order_hat", "fsal"),
    [
        ("rkmk_euler", 1, 1, None, False),
        ("lie_euler_heun", 2, 2, None, False),
        ("rkmk_kutta3", 3, 3, None, False),
        ("rkmk_rk44", 4, 4, None, False),
        ("rkmk_38", 4, 4, None, False),
        ("rkmk_bs32", 3, 4, 2, True),
        ("rkmk_dopri5", 5, 7, 4, True),
        ("rkmk_rk67", 6, 7, None, False),
    ],
)
def test_explicit_tableaux_have_documented_properties(
    name: str, order: int, stages: int, order_hat: int | None, fsal: bool
) -> None:
    tableau = tableau_of(name, ExplicitTableau)
    facts = (tableau.order, tableau.stages, tableau.order_hat, tableau.fsal)
    assert facts == (order, stages, order_hat, fsal)


# ---------------------------------------------------------------------------------------------------------------------
# Half-explicit tableaux


def test_bicoloured_trees_are_counted() -> None:
    y_trees, z_trees = bicoloured_trees(5)
    assert [len(of_order(order, y_trees)) for order in range(1, 6)] == [1, 3, 22, 192, 1972]
    assert [len(of_order(order, z_trees)) for order in range(1, 5)] == [2, 13, 112, 1131]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count_y", "count_z", "violated_next", "count_next"),
    [
        ("half_explicit_2", 4, 0, 2, 2),
        ("half_explicit_3", 26, 2, 13, 13),
        ("half_explicit_4", 218, 15, 32, 112),
        ("half_explicit_5", 2190, 127, 290, 1131),
    ],
)
def test_half_explicit_tableau_has_exactly_the_declared_order(
    name: str, count_y: int, count_z: int, violated_next: int, count_next: int
) -> None:
    """Order p of q and v, exactly p - 1 of λ in general."""
    tableau = tableau_of(name, HalfExplicitTableau)
    y_trees, z_trees = bicoloured_trees(tableau.order)
    series = StageSeries(tableau.a)
    assert len(y_trees) == count_y
    assert not list(violated_y(series, tableau.s + 1, y_trees))
    needed = up_to(tableau.order - 2, z_trees)
    assert len(needed) == count_z
    assert not list(violated_z(series, tableau.d, needed))
    following = of_order(tableau.order - 1, z_trees)
    assert len(following) == count_next
    assert len(list(violated_z(series, tableau.d, following))) == violated_next


def test_embedded_weights_need_the_last_stage_solved_again() -> None:
    tableau = tableau_of("half_explicit_5", HalfExplicitTableau)
    assert tableau.b_hat is not None and tableau.order_hat == 4
    y_trees, _ = bicoloured_trees(4)
    solved_again = StageSeries((*tableau.a[:-1], tableau.b_hat))
    assert not list(violated_y(solved_again, tableau.stages + 1, y_trees))
    stored = StageSeries(tableau.a)
    weights = [x.rational for x in tableau.b_hat]
    violated = [tree for tree in y_trees if stored.weighted(weights, tree) != tree.weight]
    assert {tree.order for tree in violated} == {4}
    assert len(violated) == 32


@pytest.mark.parametrize("name", HALF_EXPLICIT_METHODS)
def test_order_conditions_detect_every_wrong_sign(name: str) -> None:
    tableau = tableau_of(name, HalfExplicitTableau)
    y_trees, z_trees = bicoloured_trees(min(tableau.order, 4))
    for row, column in nonzero_entries(tableau):
        series = StageSeries(with_entry(tableau.a, row, column, -tableau.a[row][column]))
        violated = itertools.chain(
            violated_y(series, tableau.s + 1, y_trees),
            violated_z(series, tableau.d, up_to(tableau.order - 2, z_trees)),
        )
        assert next(violated, None) is not None, f"a_{row + 1}{column + 1}"


@pytest.mark.parametrize(
    ("name", "order", "s", "stages", "fsal"),
    [
        ("half_explicit_2", 2, 2, 2, False),
        ("half_explicit_3", 3, 3, 3, False),
        ("half_explicit_4", 4, 4, 5, True),
        ("half_explicit_5", 5, 6, 7, True),
    ],
)
def test_half_explicit_tableaux_have_documented_properties(
    name: str, order: int, s: int, stages: int, fsal: bool
) -> None:
    tableau = tableau_of(name, HalfExplicitTableau)
    assert (tableau.order, tableau.s, tableau.stages, tableau.fsal) == (order, s, stages, fsal)
    assert tableau.kappa == 0
    assert tableau.b == (*tableau.a[s], *[0] * (stages - s))


def test_half_explicit_5_extends_dormand_prince() -> None:
    tableau = tableau_of("half_explicit_5", HalfExplicitTableau)
    dormand_prince = tableau_of("rkmk_dopri5", ExplicitTableau)
    assert tableau.a[:7] == dormand_prince.a
    assert tableau.c == (*dormand_prince.c, Fraction(19, 20))
    assert tableau.b == dormand_prince.b
    assert (tableau.b_hat, tableau.order_hat) == (dormand_prince.b_hat, dormand_prince.order_hat)


# ---------------------------------------------------------------------------------------------------------------------
# Broken tableaux


def with_entry(a: tuple[ExactRow, ...], row: int, column: int, value: QuadraticNumber) -> tuple[ExactRow, ...]:
    """Rows with one entry replaced."""
    return tuple(
        tuple(value if (i, j) == (row, column) else entry for j, entry in enumerate(entries))
        for i, entries in enumerate(a)
    )


def nonzero_entries(tableau: ExplicitTableau | HalfExplicitTableau) -> list[tuple[int, int]]:
    """Positions in a that do not hold zero."""
    return [(i, j) for i, row in enumerate(tableau.a) for j, entry in enumerate(row) if entry]


@pytest.mark.parametrize("name", RKMK_METHODS + HALF_EXPLICIT_METHODS)
def test_construction_detects_every_wrong_sign(name: str) -> None:
    tableau = method(name).tableau
    for row, column in nonzero_entries(tableau):
        broken = with_entry(tableau.a, row, column, -tableau.a[row][column])
        with pytest.raises(ModelError, match=f"Tableau {name}: row {row + 1} of a sums to"):
            replace(tableau, a=broken)


def rows(*texts: str) -> tuple[ExactRow, ...]:
    """Rows of a tableau from lines of coefficients."""
    return tuple(exact_row(text.split()) for text in texts)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"order": 0}, "order is 0"),
        ({"a": rows("", "1/2", "0 3/4")}, "a has length 3, but it must have length 4"),
        ({"a": rows("", "1/2", "0 1/2 1/4", "2/9 1/3 4/9")}, "row 3 of a has length 3, but it must have length 2"),
        ({"a": rows("", "1/2", "0 1/2", "2/9 1/3 4/9")}, "row 3 of a sums to 1/2, but entry 3 of c is 3/4"),
        ({"c": exact_row(["0", "1/2", "3/4"])}, "c has length 3, but it must have length 4"),
        ({"c": exact_row(["1/4", "1/2", "3/4", "1"])}, "row 1 of a sums to 0, but entry 1 of c is 1/4"),
        ({"b": exact_row(["2/9", "1/3", "1/3", "0"])}, "b sums to 8/9, but weights must sum to 1"),
        ({"b_hat": exact_row(["7/24", "1/4", "1/3"])}, "b_hat has length 3, but it must have length 4"),
        ({"b_hat": exact_row(["7/24", "1/4", "1/3", "0"])}, "b_hat sums to 7/8, but weights must sum to 1"),
        ({"b_hat": None}, "b_hat and order_hat must be given together"),
        ({"order_hat": None}, "b_hat and order_hat must be given together"),
        ({"order_hat": 0}, "order_hat is 0"),
    ],
)
def test_invalid_explicit_tableaux_are_rejected(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=f"^Tableau rkmk_bs32: {message}"):
        replace(tableau_of("rkmk_bs32", ExplicitTableau), **changes)


KAPPAS = ("-9/10", "-1/2", "1/3", "1/2", "9/10", "1/2 - sqrt(2)/3")


@pytest.mark.parametrize("kappa", KAPPAS)
def test_half_explicit_orders_include_multiplier_errors(kappa: str) -> None:
    """With d = (s/3 - 1, 2 - 4 s/3, s) the conditions of order three hold for each s, and κ = 2 s/3 - 2."""
    (factor,) = exact_row([kappa])
    s = (factor + 2) * Fraction(3, 2)
    tableau = replace(tableau_of("half_explicit_3", HalfExplicitTableau), d=(s / 3 - 1, 2 - s * 4 / 3, s))
    assert tableau.kappa == factor
    found, _ = half_explicit_orders(tableau)
    assert found.order == 3


@pytest.mark.parametrize(
    ("text", "is_negative"),
    [("0", False), ("-1/3", True), ("1 - sqrt(2)", True), ("sqrt(2) - 1", False), ("sqrt(2) - 3/2", True),
     ("3/2 - sqrt(2)", False), ("-1 - sqrt(2)", True), ("1 + sqrt(2)", False)],
)  # fmt: skip
def test_signs_of_exact_numbers_are_correct(text: str, is_negative: bool) -> None:
    assert QuadraticNumber.parse(text).is_negative == is_negative


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"order": 0}, "order is 0"),
        ({"a": rows("", "1/2", "2/9 4/9")}, "a has length 3, but it must have length 4"),
        ({"a": rows("", "1/2", "2/9 4/9", "1/4 3/4")}, "row 4 of a has length 2, but it must have length 3"),
        ({"a": rows("", "1/2", "2/9 4/9", "1/4 1/4 1/4")}, "row 4 of a sums to 3/4, but entry 4 of c is 1"),
        ({"c": exact_row(["0", "1/2", "2/3"])}, "c has length 3, but it must have length 4"),
        ({"a": rows("", "1/2", "2/3 0", "1/4 0 3/4")}, "the last entry of row 3 of a is zero, so stage 2 cannot be"),
        ({"a": rows("", "1/2", "2/9 4/9", "1 0 0")}, "the last entry of row 4 of a is zero, so stage 3 cannot be"),
        ({"s": 1}, "s is 1, but it must be at least 2 and at most s_bar = 3"),
        ({"s": 4}, "s is 4, but it must be at least 2 and at most s_bar = 3"),
        ({"s": 2}, r"b \(row 3 of a\) sums to 2/3, but weights must sum to 1"),
        ({"d": exact_row(["0", "-2", "2"])}, "d sums to 0, but weights must sum to 1"),
        ({"d": exact_row(["1/2", "-4", "9/2"])}, "kappa is 1, but it must be between -1 and 1"),
        ({"d": exact_row(["-1/2", "0", "3/2"])}, "kappa is -1, but it must be between -1 and 1"),
        ({"d": exact_row(["-1", "2", "0"])}, "kappa is -2, but it must be between -1 and 1"),
        ({"b_hat": exact_row(["0", "1", "0"]), "order_hat": 2}, "the last entry of b_hat is zero, so stage 3 cannot"),
        ({"b_hat": exact_row(["0", "1", "1"]), "order_hat": 2}, "b_hat sums to 2, but weights must sum to 1"),
        ({"b_hat": exact_row(["0", "0", "1"])}, "b_hat and order_hat must be given together"),
    ],
)
def test_invalid_half_explicit_tableaux_are_rejected(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=f"^Tableau half_explicit_3: {message}"):
        replace(tableau_of("half_explicit_3", HalfExplicitTableau), **changes)


def test_first_subdiagonal_entry_may_be_zero() -> None:
    """Stage 1 is explicit and solves for nothing, so a_21 = 0 is allowed."""
    tableau = HalfExplicitTableau(
        name="zero_a21",
        order=1,
        s=2,
        c=exact_row(["0", "0", "1"]),
        a=rows("", "0", "0 1"),
        d=exact_row(["0", "1"]),
        source="made for this test",
    )
    assert tableau.kappa == 0


# ---------------------------------------------------------------------------------------------------------------------
# Exact numbers


@pytest.mark.parametrize(
    ("text", "rational", "factor", "radicand"),
    [
        ("0", "0", "0", 1),
        ("-2", "-2", "0", 1),
        ("35/384", "35/384", "0", 1),
        ("1/2 - sqrt(3)/6", "1/2", "-1/6", 3),
        ("-7*sqrt(3)/108", "0", "-7/108", 3),
        ("5 - 2*sqrt(5)", "5", "-2", 5),
        ("sqrt(5)+1-sqrt(5)/2", "1", "1/2", 5),
        (" - 1/3+sqrt(2) ", "-1/3", "1", 2),
        ("0*sqrt(5) + 1", "1", "0", 1),
        ("-0.125", "-1/8", "0", 1),
        (".5e-1 + sqrt(2)", "1/20", "1", 2),
    ],
)
def test_exact_numbers_are_parsed(text: str, rational: str, factor: str, radicand: int) -> None:
    number = QuadraticNumber.parse(text)
    assert (number.rational, number.factor, number.radicand) == (Fraction(rational), Fraction(factor), radicand)


@pytest.mark.parametrize(
    "text", ["", " ", "x", "1 2", "1 +", "0.", "1/0", "1//2", "sqrt(-3)", "2*3", "(1/2)", "2sqrt(3)", "- -1", "1e3"]
)
def test_malformed_numbers_are_rejected(text: str) -> None:
    with pytest.raises(ModelError, match="is not an exact number"):
        QuadraticNumber.parse(text)


@pytest.mark.parametrize("text", ["sqrt(4)", "sqrt(12)", "sqrt(1)", "sqrt(0)"])
def test_radicand_must_be_square_free(text: str) -> None:
    with pytest.raises(ModelError, match="must be square-free"):
        QuadraticNumber.parse(text)


def test_roots_of_different_numbers_are_rejected() -> None:
    for combine in (QuadraticNumber.__add__, QuadraticNumber.__sub__, QuadraticNumber.__mul__):
        with pytest.raises(ModelError, match="roots of different numbers"):
            combine(QuadraticNumber.parse("sqrt(3)"), QuadraticNumber.parse("1 + sqrt(5)"))


FRACTIONS = st.fractions(min_value=-1000, max_value=1000, max_denominator=10**12)
NUMBERS = st.builds(QuadraticNumber, FRACTIONS, FRACTIONS, st.just(5))


@pytest.mark.slow
@given(NUMBERS, NUMBERS, NUMBERS)
def test_arithmetic_satisfies_field_axioms(x: QuadraticNumber, y: QuadraticNumber, z: QuadraticNumber) -> None:
    assert (x + y) * z == x * z + y * z
    assert (x + y) - y == x
    assert 1 - x == -(x - 1) == Fraction(1) + -x
    assert 2 * x == x + x
    assert not y or (x / y) * y == x
    assert not y or 1 / y * y == Fraction(1) / y * y == 1
    assert bool(x) == (x != 0)


@given(NUMBERS)
def test_text_is_read_back(x: QuadraticNumber) -> None:
    assert QuadraticNumber.parse(str(x)) == x
    assert hash(QuadraticNumber.parse(str(x))) == hash(x)


def test_equality_with_other_types_is_false() -> None:
    assert QuadraticNumber.parse("1/2") == Fraction(1, 2)
    assert hash(QuadraticNumber.parse("1/2")) == hash(Fraction(1, 2))
    assert QuadraticNumber.parse("sqrt(3)") != QuadraticNumber.parse("sqrt(5)")
    assert QuadraticNumber.parse("1/2") != "1/2"


@pytest.mark.parametrize("text", ["0", "-35/384", "sqrt(3)", "-7*sqrt(3)/108", "1/2 - sqrt(3)/6", "5 + 2*sqrt(5)"])
def test_exact_numbers_are_formatted(text: str) -> None:
    assert str(QuadraticNumber.parse(text)) == text


# ---------------------------------------------------------------------------------------------------------------------
# Rounding


def nearest_double(x: QuadraticNumber) -> float:
    """The nearest double of an exact number, from far more decimal digits than any cancellation here can consume."""
    with localcontext() as context:
        context.prec = 400
        root = Decimal(x.radicand).sqrt()
        rational = Decimal(x.rational.numerator) / x.rational.denominator
        return float(Fraction(rational + root * x.factor.numerator / x.factor.denominator))


@given(NUMBERS)
def test_floats_are_correctly_rounded(x: QuadraticNumber) -> None:
    assert float(x) == (nearest_double(x) if x.factor else float(x.rational))


def test_cancellation_does_not_affect_rounding() -> None:
    """Convergents p/q of √3, so that p - q√3 becomes tiny."""
    p, q = 2, 1
    for _ in range(100):
        p, q = 2 * p + 3 * q, p + 2 * q
        number = QuadraticNumber(Fraction(p), Fraction(-q), 3)
        assert p**2 - 3 * q**2 == 1
        assert float(number) == nearest_double(number) == -float(-number) > 0


def test_numbers_near_midpoints_are_rounded_correctly() -> None:
    """1 + 2⁻⁵³ ± tiny irrational numbers round to different neighbours."""
    midpoint = 1 + Fraction(1, 2**53)
    tiny = Fraction(1, 2**200)
    assert float(QuadraticNumber(midpoint, tiny, 5)) == 1 + 2.0**-52
    assert float(QuadraticNumber(midpoint, -tiny, 5)) == 1.0
    assert float(QuadraticNumber(-midpoint, -tiny, 5)) == -1 - 2.0**-52


@pytest.mark.parametrize("name", RKMK_METHODS + HALF_EXPLICIT_METHODS)
def test_float_arrays_are_converted(name: str) -> None:
    tableau = method(name).tableau
    assert isinstance(tableau, ExplicitTableau | HalfExplicitTableau)
    pairs = [(tableau.c, rounded(tableau.c)), (tableau.b, rounded(tableau.b))]
    if tableau.b_hat is not None:
        b_hat = tableau.b_hat_float()
        assert b_hat is not None
        pairs.append((tableau.b_hat, b_hat))
    if isinstance(tableau, HalfExplicitTableau):
        pairs.append((tableau.d, rounded(tableau.d)))
    a = tableau.a_float()
    assert a.shape == (len(tableau.c), tableau.stages)
    assert not np.any(np.triu(a))
    pairs += [(row, a[i, :i]) for i, row in enumerate(tableau.a)]
    for exact, floats in pairs:
        assert floats.dtype == np.float64
        assert floats.tolist() == [nearest_double(x) if x.factor else float(x.rational) for x in exact]


# ---------------------------------------------------------------------------------------------------------------------
# Registry


FAMILIES = {
    **dict.fromkeys(RKMK_METHODS, "rkmk"),
    **dict.fromkeys(HALF_EXPLICIT_METHODS, "half_explicit"),
    "rkmk4_two_commutators": "rkmk",
    **dict.fromkeys(("cf4", "cf32a", "cf32b", "cf43"), "commutator_free"),
    **dict.fromkeys(("cg3", "cg4", "cg5"), "crouch_grossman"),
    **dict.fromkeys(("ambient_rk4", "ambient_dopri5"), "ambient"),
    "index1_dopri5": "index1",
    "symplectic_theta": "symplectic",
}


def test_methods_have_names_families_and_commutators() -> None:
    for name, family in FAMILIES.items():
        found = method(name)
        assert found is method(name)
        assert found.name == name
        assert found.order == found.tableau.order
        assert found.tableau.source
        assert found.family == family
        if isinstance(found, Rkmk):
            assert found.commutators == (0 if name in ("lie_euler_heun", "rkmk4_two_commutators") else None)


def test_unknown_name_lists_the_methods_and_suggests_one() -> None:
    with pytest.raises(UnknownNameError) as error:
        method("rkmk_dopri")
    assert "Did you mean 'rkmk_dopri5'?" in str(error.value)
    assert all(name in str(error.value) for name in method_names())
    with pytest.raises(UnknownNameError, match=r"^Unknown method 'zzz'\. The methods are "):
        method("zzz")


def test_commutators_are_checked() -> None:
    assert Rkmk(tableau_of("rkmk_rk44", ExplicitTableau), commutators=2).commutators == 2
    with pytest.raises(ModelError, match="commutators is -1"):
        Rkmk(tableau_of("rkmk_rk44", ExplicitTableau), commutators=-1)
