"""Switched pairs: a Taylor polynomial below a threshold of ω, the definition as it is printed above it.

They are here to be judged: the tables of the papers, and the best switch for a degree.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import ctx

from symlie.certify.cells import BITS, ORDER, CellProver
from symlie.certify.definitions import definition
from symlie.certify.operation_list import parse_function
from symlie.certify.rounding import Contraction
from symlie.certify.subjects import Subject
from symlie.errors import UnknownNameError
from symlie.ir.primitives import Cotangent, Stumpff
from symlie.ir.schemes import indices

CELLS_PER_BINADE = 48
"""Resolution of ω in the search for a switch."""
SMALLEST_SWITCH = 2.0**-10


@dataclass(frozen=True)
class Formula:
    """A coefficient function as it is printed, up to a sign."""

    text: str
    """For people."""
    definition: str
    """Member of the family, ``-c2`` for its negative."""
    source: str
    """In C, with ``w`` for ω."""


FORMULAS = {
    f.definition.removeprefix("-"): f
    for f in (
        Formula("sin ω/ω", "c1", "sin(w) / w"),
        Formula("(cos ω - 1)/ω²", "-c2", "(cos(w) - 1) / (w * w)"),
        Formula("(ω - sin ω)/ω³", "c3", "(w - sin(w)) / (w * w * w)"),
        Formula("(2 - 2 cos ω - ω sin ω)/ω⁴", "-c2_1", "(2 - 2 * cos(w) - w * sin(w)) / (w * w * w * w)"),
        Formula("(ω (2 + cos ω) - 3 sin ω)/ω⁵", "-c3_1", "(w * (2 + cos(w)) - 3 * sin(w)) / (w * w * w * w * w)"),
        Formula("(1 - ω/2 cot(ω/2))/ω²", "g0", "(1 - w / 2 / tan(w / 2)) / (w * w)"),
    )
}
"""The functions that the papers print, by member of the family."""


TITLES = {
    "c1": r"\sin\omega/\omega",
    "c2": r"(1 - \cos\omega)/\omega^2",
    "c3": r"(\omega - \sin\omega)/\omega^3",
    "c2_1": r"(\omega\,\sin\omega - 2 + 2\,\cos\omega)/\omega^4",
    "c3_1": r"(3\,\sin\omega - \omega(2 + \cos\omega))/\omega^5",
    "g0": r"(1 - \frac{\omega}{2}\,\cot\frac{\omega}{2})/\omega^2",
}
"""Closed forms of the same functions."""


@dataclass(frozen=True)
class Threshold:
    """One row of a printed table: a formula, the switch, and the number of terms of the polynomial below it."""

    function: str
    switch: float
    degree: int
    """Of the Taylor polynomial in ω²."""


PAPERS: dict[str, tuple[Threshold, ...]] = {
    "tumiotto2024": (
        Threshold("c1", 1e-4, 1),
        Threshold("c2", 1e-2, 2),
        Threshold("c3", 1e-4, 2),
        Threshold("c2_1", 1e-1, 3),
        Threshold("c3_1", 1e-1, 3),
    ),
    "holzinger2024": (Threshold("c2", 1e-2, 2), Threshold("c3", 1e-4, 2), Threshold("g0", 1e-2, 2)),
}
"""The printed polynomials are the Taylor polynomials of these degrees. Source: [Tumiotto2024], table 2;
[Holzinger2024], equations (A7) to (A9)."""


def title(name: str) -> str:
    """A function and its closed form for pictures, as Matplotlib's mathematics.

    Parameters
    ----------
    name
        Such as ``c2_1``.
    """
    letter, index = name[0], name[1:].replace("_", ",")
    form = TITLES.get(name)
    return f"${letter}_{{{index}}}" + (f" = {form}$" if form else "$")


def switched_subject(threshold: Threshold) -> Subject:
    """A switched pair as a function of ω in C.

    Raises
    ------
    UnknownNameError
        No paper prints the function.
    """
    if threshold.function not in FORMULAS:
        known = ", ".join(FORMULAS)
        raise UnknownNameError(
            f"No closed form of {threshold.function} is printed in the papers; take one of: {known}."
        )
    formula = FORMULAS[threshold.function]
    name = f"switched_{threshold.function}"
    body = [
        f"static double {name}(double w)",
        "{",
        "    const double z = w * w;",
        f"    if (w < {threshold.switch!r}) return {_taylor(formula, threshold.degree)};",
        f"    return {formula.source};",
        "}",
    ]
    source = "\n".join(body) + "\n"
    return Subject(formula.text, formula.definition, source, parse_function(source, name))


def _taylor(formula: Formula, degree: int) -> str:
    """The Taylor polynomial as it is printed: a sum of powers of z with rational coefficients."""
    name = formula.definition.removeprefix("-")
    sign = -1 if formula.definition.startswith("-") else 1
    k, m = indices(name)
    terms = []
    for j in range(degree + 1):
        c = Stumpff.series_coefficient(k, m, j) if name.startswith("c") else Cotangent.series_coefficient(k, j)
        value = Fraction(sign * int(c.p), int(c.q))
        power = " * z" * j
        plus = "-" if value < 0 else "+" if j else ""
        terms.append(f"{plus} {float(abs(value.numerator))!r}{power} / {float(value.denominator)!r}")
    return " ".join(terms).strip()


def best_switches(
    name: str, degrees: Sequence[int], upper: float = math.pi, contraction: Contraction = "any"
) -> list[Threshold]:
    """The switches with the smallest proved bounds, one for each degree.

    Parameters
    ----------
    name
        A function that the papers print.
    degrees
        Of the Taylor polynomials in z = ω².
    upper
        End of the interval of ω.
    contraction
        What compilers may do.
    """
    ctx.prec, ctx.cap = BITS, ORDER
    count = math.ceil(math.log2(upper / SMALLEST_SWITCH) * CELLS_PER_BINADE)
    points = [SMALLEST_SWITCH * (upper / SMALLEST_SWITCH) ** (k / count) for k in range(count + 1)]

    def bounds(degree: int, k: int) -> list[float]:
        subject = switched_subject(Threshold(name, 1.0, degree))
        branch = subject.operations.branches[k]
        function = definition(subject.base_name, upper * upper * 1.01)
        prover = CellProver(branch, "w", function, "double", contraction)
        return [prover.cell(a, b).relative for a, b in itertools.pairwise(points)]

    above = [*reversed(list(itertools.accumulate(reversed(bounds(0, 1)), max))), 0.0]
    results = []
    for degree in degrees:
        below = [0.0, *itertools.accumulate(bounds(degree, 0), max)]
        k = min(range(len(points)), key=lambda i: (max(below[i], above[i]), i))
        results.append(Threshold(name, float(f"{points[k]:.3g}"), degree))
    return results
