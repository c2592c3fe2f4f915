"""Subjects of verification: coefficient functions by name, by group, or from a folder of C sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import sympy
from sympy import Expr, Rational, Symbol

from symlie.certify.operation_list import OperationList, parse_function
from symlie.certify.source_text import NAME, check_copies, named_functions
from symlie.emit.c.printing import coefficient_source
from symlie.errors import FormatError, UnknownNameError
from symlie.groups import operators
from symlie.groups.group import LieGroup
from symlie.ir.differentiate import forward
from symlie.ir.primitives import CoefficientFunction, Cotangent, Stumpff
from symlie.ir.program import Euclidean, Program, Value, Vector
from symlie.ir.schemes import TAYLOR_UPPER, Precision, indices, scheme_for, standard_pieces
from symlie.ir.series import is_series
from symlie.ir.straightline import flatten


@dataclass(frozen=True)
class Subject:
    """Function in C source, and its definition."""

    name: str
    """Name for readers, such as ``c2_1``."""
    base_name: str
    """Name of its definition."""
    source: str
    """C text that contains the function."""
    operations: OperationList


def function_of(name: str) -> CoefficientFunction:
    """Return the symbolic function of a name such as ``c2_1``, ``g0`` or ``c1_to_5_2``, or raise `UnknownNameError`."""
    match = NAME.fullmatch(name)
    if match is None or is_series(name):
        raise UnknownNameError(f"'{name}' is not a coefficient function; names are c2, c2_1, …, g0, g1, ….")
    k, m = indices(match["base"])
    upper = Rational(int(match["p"]), int(match["q"])) if match["p"] else Rational(TAYLOR_UPPER)
    z = Symbol("z")
    return Stumpff(k, m, z, upper) if name.startswith("c") else Cotangent(k, z, upper)


def named_subject(name: str, precision: Precision = "double") -> Subject:
    """Return the generated coefficient function of a name such as ``c2_1``."""
    function = function_of(name)
    source = coefficient_source(scheme_for(function, precision))
    return Subject(name, function.base_name, source, parse_function(source, f"symlie_{function.primitive_name}"))


def standard_names() -> list[str]:
    """Return the names of the standard family."""
    rows = [(n, upper) for n, upper, precision in standard_pieces() if precision == "double"]
    return [n if u == TAYLOR_UPPER else f"{n}_to_{u.numerator}_{u.denominator}" for n, u in rows]


def source_subjects(sources: Iterable[str], prefix: str = "symlie_") -> list[Subject]:
    """Return all coefficient functions in C sources once, or raise `FormatError` for conflicting definitions."""
    found: dict[str, Subject] = {}
    for source in sources:
        for short, name in named_functions(source, prefix).items():
            base_name = re.sub(r"_to_\d+_\d+$", "", short)
            check_copies(source, name)
            subject = Subject(short, base_name, source, parse_function(source, name))
            other = found.setdefault(short, subject)
            if other.operations.digest != subject.operations.digest:
                raise FormatError(f"The function {name} is defined twice, and differently.")
    return [found[name] for name in sorted(found)]


def folder_subjects(folder: Path) -> list[Subject]:
    """Return all coefficient functions in the C files of a folder, or raise `FormatError` if it has none."""
    sources = [p.read_text(encoding="utf-8") for p in sorted(folder.iterdir()) if p.suffix in (".c", ".h")]
    prefixes = ["symlie_", *(f"{p.stem}_" for p in sorted(folder.glob("*.h")))]
    for prefix in prefixes:
        subjects = source_subjects(sources, prefix)
        if subjects:
            return subjects
    raise FormatError(f"{folder} contains no generated C code with coefficient functions.")


def group_names(group: LieGroup) -> list[str]:
    """Return the names of the functions in exp, T, T⁻¹ and their first and second directional derivatives."""
    n = group.dimension
    theta, u, v, w = (sympy.symbols(f"{letter}:{n}", real=True) for letter in ("theta", "u", "v", "w"))
    references = {s: s.name for s in (*theta, *u, *v, *w)}
    names: set[str] = set()

    def collect(program: Program, result: Sequence[Expr]) -> None:
        names.update(s.function for s in flatten(program, result, references).schemes)

    def along(program: Program, y: Vector, directions: Sequence[tuple[Symbol, ...]]) -> Vector:
        for direction in directions:
            y = tuple(forward(program, program.vector(y), [(Value(theta, Euclidean(n)), direction)]))
        return y

    program = Program()
    collect(program, operators.exponential(program, group, theta))
    for inverse in (False, True):
        for directions in ([], [u], [u, v]):
            program = Program()
            y = operators.tangent_operator(program, group, theta, w, inverse=inverse)
            collect(program, along(program, y, directions))
    return sorted(names)
