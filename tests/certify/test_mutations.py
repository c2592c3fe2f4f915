"""Wrong functions are not proved; right ones are, however they came about."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

pytest.importorskip("flint")

from symlie.certify.definitions import definition
from symlie.certify.operation_list import parse_function
from symlie.certify.subjects import Subject, function_of, named_subject
from symlie.certify.verification import EPSILON, default_target, judged_at_zero, prove_subject
from symlie.emit.c.printing import coefficient_source
from symlie.errors import FormatError
from symlie.ir.minimax import fit
from symlie.ir.schemes import Piece, Scheme, scheme_for


def passes(name: str, scheme: Scheme, change: Callable[[str], str] = str) -> bool:
    """Whether a modified scheme, printed in C, is proved; nothing is measured, to save time."""
    source = change(coefficient_source(scheme))
    proof = prove_subject(Subject(name, name, source, parse_function(source, f"symlie_{name}")))
    unit = EPSILON["double"] * abs(float(definition(name, 10.0).at_zero))
    for count, last in enumerate(proof.sections, start=1):
        omega, parts = math.sqrt(last.upper), proof.sections[:count]
        is_scaled = judged_at_zero(name, omega)
        bound = max(p.absolute / unit if is_scaled else p.relative / EPSILON["double"] for p in parts)
        if not bound <= default_target(name, omega):
            return False
    return True


def with_coefficient(name: str, index: int, factor: float) -> Scheme:
    """The shipped scheme with one coefficient of the working interval multiplied."""
    scheme = scheme_for(function_of(name))
    piece = scheme.working
    changed = [c * factor if k == index else c for k, c in enumerate(piece.coefficients)]
    return Scheme(name, name, (replace(piece, coefficients=tuple(changed)), *scheme.pieces[1:]))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["c1", "c2", "c3", "c2_1", "c3_1", "g0"])
def test_shipped_schemes_pass(name: str) -> None:
    assert passes(name, scheme_for(function_of(name)))


@pytest.mark.slow
@pytest.mark.parametrize("index", range(6))
@pytest.mark.parametrize("name", ["c1", "c2", "c3_1", "c7", "g0"])
def test_coefficient_error_of_a_billionth_is_detected(name: str, index: int) -> None:
    assert not passes(name, with_coefficient(name, index, 1 + 1e-9))


@pytest.mark.slow
@pytest.mark.parametrize("index", range(8))
def test_wrong_sign_is_detected(index: int) -> None:
    assert not passes("c3", with_coefficient("c3", index, -1.0))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["c2", "c3", "c2_1", "g1"])
def test_missing_last_term_is_detected(name: str) -> None:
    scheme = scheme_for(function_of(name))
    piece = scheme.working
    shorter = Piece(piece.upper, piece.coefficients[:-1], chains=piece.chains)
    assert not passes(name, Scheme(name, name, (shorter, *scheme.pieces[1:])))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "upper"), [("c2", 12.0), ("c4", 12.0), ("c3_1", 12.0), ("c3", 14.0), ("g0", 11.0)])
def test_longer_interval_with_the_same_degree_is_detected(name: str, upper: float) -> None:
    scheme = scheme_for(function_of(name))
    piece = Piece(upper, scheme.working.coefficients, chains=scheme.working.chains)
    assert not passes(name, Scheme(name, name, (piece, *scheme.pieces[1:])))


def test_single_precision_constants_are_detected() -> None:
    coefficients = tuple(float(np.float32(c)) for c in scheme_for(function_of("c3")).working.coefficients)
    assert not passes("c3", Scheme("c3", "c3", (Piece(10.0, coefficients),)))


@pytest.mark.slow
def test_reassociated_pole_is_detected() -> None:
    scheme = scheme_for(function_of("g0"))

    def change(source: str) -> str:
        changed = re.sub(r"\((39\.\d+) - z\) \+ ([\d.e-]+);", r"\1 - (z - \2);", source)
        assert changed != source
        return changed

    assert passes("g0", scheme)
    assert not passes("g0", scheme, change)


def test_longer_interval_with_higher_degree_is_detected() -> None:
    assert passes("c3", Scheme("c3", "c3", (Piece(12.0, fit("c3", 11, Fraction(12))),)))


def test_last_coefficient_error_of_a_millionth_is_detected() -> None:
    last = scheme_for(function_of("c3")).working.degree
    assert passes("c3", with_coefficient("c3", last, 1 + 1e-6))


def test_wrong_closed_form_is_detected() -> None:
    """A sign in a closed form that is used beyond π alone."""
    scheme = scheme_for(function_of("c3"))

    def change(source: str) -> str:
        changed = source.replace("(1.0 - (sin(s0) / s0)) / z", "(1.0 + (sin(s0) / s0)) / z")
        assert changed != source
        return changed

    assert not passes("c3", scheme, change)


def test_misplaced_guard_is_detected() -> None:
    def change(source: str) -> str:
        return source.replace("!(z <= 10.0)", "!(z <= 14.0)")

    assert not passes("c3", scheme_for(function_of("c3")), change)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("    return exp(z);", "exp|FuncCall"),
        ("    return z > 1 ? z : 1.0;", "TernaryOp"),
        ("    double y = 0; while (z > 1) y += 1;\n    return y;", "While"),
        ("    return a * z;", "a is not known"),
        ("    return 0.5f * z;", "type"),
        ("    const double y = z;", "does not return"),
    ],
)
def test_unprovable_schemes_are_rejected(line: str, message: str) -> None:
    source = "static inline double symlie_f(double z)\n{\n" + line + "\n}\n"
    if message == "type":
        source = source.replace("double", "float").replace("0.5f", "0.5")
        message = "double precision"
    with pytest.raises(FormatError, match=message):
        parse_function(source, "symlie_f")


def test_operation_list_matches_the_source_text() -> None:
    source = (
        "static double symlie_f(double z)\n{\n    if (z < 0.5) return 1.0 - z;\n"
        "    const double y = z * z;\n    return sin(y) / (-y);\n}\n"
    )
    found = parse_function(source, "symlie_f")
    first, second = found.branches
    assert (first.lower, first.upper, second.lower) == (0.0, np.nextafter(0.5, 0), 0.5)
    assert [o.operator for o in first.operations] == ["sub"]
    assert [o.operator for o in second.operations] == ["mul", "sin", "neg", "div"]
    assert second.operations[-1].operands == ("v1", "v2")
    assert named_subject("c2").operations.digest != named_subject("c3").operations.digest
