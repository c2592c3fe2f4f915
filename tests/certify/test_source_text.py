"""Certificates refer to the code that runs, in every form in which it appears in C."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sympy

from symlie.certify.source_text import check_copies, named_functions
from symlie.derive.operators.group import group_operators
from symlie.emit.c.printing import coefficient_function, coefficient_source
from symlie.emit.operators.files import emit_operators
from symlie.errors import FormatError
from symlie.groups.standard import group_from_name
from symlie.ir.primitives import Cotangent, Stumpff
from symlie.ir.schemes import scheme_for
from symlie.utilities.templating import environment

HEADER = Path(__file__).parents[2] / "generated" / "heavy_top_SE3" / "heavy_top.h"
MACRO = (
    '{% from "c/kernels/coefficient_function.jinja" import polynomial_function %}'
    '{{ polynomial_function(f, p, "double") }}'
)


def with_polynomials() -> str:
    """Functions of three kinds with their forms for loops over blocks of nodes."""
    z = sympy.Symbol("z")
    schemes = [scheme_for(f) for f in (Stumpff.of(2, z), Stumpff.of(0, z), Cotangent.of(z))]
    form = environment().from_string(MACRO)
    return "".join(coefficient_source(s) + form.render(f=coefficient_function(s), p="symlie_") for s in schemes)


SOURCES = {
    "arrays": (emit_operators(group_operators(group_from_name("SO3")), "c", "op")["op.c"], "op_"),
    "polynomials": (with_polynomials(), "symlie_"),
    "none": (HEADER.read_text(encoding="utf-8"), "symlie_"),
}


@pytest.mark.parametrize("source", SOURCES)
def test_loop_forms_equal_the_functions(source: str) -> None:
    text, prefix = SOURCES[source]
    names = named_functions(text, prefix).values()
    assert names
    for name in names:
        check_copies(text, name)


@pytest.mark.parametrize(
    ("old", "new"), [("5", "6"), (" + ", " - "), ("z <= 10.0", "z <= 11.0"), ("beyond |=", "beyond =")]
)
@pytest.mark.parametrize("source", ["arrays", "polynomials"])
def test_every_change_of_a_copy_is_detected(source: str, old: str, new: str) -> None:
    text, prefix = SOURCES[source]
    seen = 0
    for name in named_functions(text, prefix).values():
        (copy,) = re.finditer(rf"\b{name}_(?:polynomial|array)\([^)]*\)\n\{{\n.*?^\}}$", text, re.DOTALL | re.MULTILINE)
        for place in re.finditer(re.escape(old), copy[0].split("if (!beyond)")[0]):
            start = copy.start() + place.start()
            changed = text[:start] + new + text[start + len(old) :]
            with pytest.raises(FormatError, match="evaluates another function than the certified"):
                check_copies(changed, name)
            seen += 1
    assert seen >= len(named_functions(text, prefix))
