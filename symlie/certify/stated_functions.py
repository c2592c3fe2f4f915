"""User-defined functions in a TOML file: a closed form, and a polynomial below a threshold.

[c3]
closed_form = "(w - sin(w)) / w**3"
polynomial = "1/6 - w**2/120"
threshold = 1e-4
domain = [0, "pi"]
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from symlie.certify.closed_form import ClosedForm, Tree, closed_form
from symlie.certify.removable import rational_series
from symlie.errors import FormatError, UnknownNameError
from symlie.ir.schemes import Precision

FOLDER = Path(__file__).parent / "papers"
"""Tables from papers."""

PAPERS = ("tumiotto2024", "holzinger2024")

KEYS = ("closed_form", "polynomial", "threshold", "domain", "precision", "title", "target")
REQUIRED = KEYS[:3]

LARGEST_DOMAIN = 100.0


@dataclass(frozen=True)
class StatedFunction:
    """Closed form, and a polynomial that replaces it below a threshold of w."""

    name: str
    """Identifier."""
    closed_form: str
    """Text as typed."""
    polynomial: str
    """Text as typed."""
    threshold: float
    """The polynomial applies to w < threshold."""
    domain: tuple[float, float] = (0.0, math.pi)
    """Interval of w."""
    precision: Precision = "double"
    title: str = ""
    """Title for readers; the closed form by default."""
    target: float | None = None
    """Largest accepted bound in eps; None for the default."""

    @property
    def label(self) -> str:
        """Name in messages and tables."""
        return self.title or self.closed_form

    @property
    def form(self) -> ClosedForm:
        """Parsed closed form."""
        return closed_form(self.closed_form)

    @property
    def degree(self) -> int:
        """Degree of the polynomial in w²."""
        return len(self.coefficients) - 1

    @property
    def coefficients(self) -> tuple[Fraction, ...]:
        """Rational coefficients of the polynomial in w², as typed."""
        found = _polynomial(closed_form(self.polynomial).tree, self.polynomial)
        odd = [power for power in found if power % 2]
        if odd:
            raise FormatError(f"The polynomial '{self.polynomial}' of '{self.name}' has the odd power w**{odd[0]}.")
        return tuple(found.get(2 * k, Fraction(0)) for k in range(max(found, default=0) // 2 + 1))

    def with_switch(self, threshold: float, degree: int | None = None) -> StatedFunction:
        """Return the function with another threshold, and with the Taylor polynomial of a degree in w²."""
        series = rational_series(self.closed_form, (self.degree if degree is None else degree) + 1)
        return replace(self, threshold=threshold, polynomial=_text(series))

    def c_source(self, function: str) -> str:
        """Return C code of the pair, with all operations in the order of the text."""
        suffix = "f" if self.precision == "float" else ""
        polynomial = closed_form(self.polynomial).c_text(self.precision)
        lines = [
            f"static {self.precision} {function}({self.precision} w)",
            "{",
            f"    if (w < {self.threshold!r}{suffix}) return {polynomial};",
            f"    return {self.form.c_text(self.precision)};",
            "}",
        ]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class WrongCoefficient:
    """Coefficient that differs from the Taylor series."""

    power: int
    """Power of w."""
    stated: Fraction
    exact: Fraction

    def __str__(self) -> str:
        return f"the coefficient of w**{self.power} is {self.stated}, but the series has {self.exact}"


def wrong_coefficients(function: StatedFunction) -> list[WrongCoefficient]:
    """Return the coefficients of the polynomial that differ from the Taylor series at 0."""
    stated = function.coefficients
    exact = rational_series(function.closed_form, len(stated))
    return [WrongCoefficient(2 * k, a, b) for k, (a, b) in enumerate(zip(stated, exact, strict=True)) if a != b]


def read_functions(path: Path) -> tuple[StatedFunction, ...]:
    """Read a TOML file with a table for each function, or raise a `FormatError` that names the invalid entry."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FormatError(f"The file {path} with functions does not exist.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{path} is not TOML: {error}.") from error
    if not tables:
        raise FormatError(f"{path} defines no function; define one as a table [NAME] with {', '.join(REQUIRED)}.")
    return tuple(_function(path, name, table) for name, table in tables.items())


def paper_functions(paper: str) -> tuple[StatedFunction, ...]:
    """Return the table of functions in a paper, one of `PAPERS`."""
    return read_functions(FOLDER / f"{paper}.toml")


def printed_function(name: str) -> StatedFunction:
    """Return the closed form of a family member, such as ``c3``, from the first paper in which it is printed."""
    known = {f.name: f for paper in reversed(PAPERS) for f in paper_functions(paper)}
    if name not in known:
        raise UnknownNameError(
            f"No closed form of {name} is printed in the papers; use one of: {', '.join(known)}; or define it in a "
            "file, as in symlie verify FILE.toml."
        )
    return known[name]


def _function(path: Path, name: str, table: object) -> StatedFunction:
    where = f"[{name}] of {path}"
    if not isinstance(table, Mapping):
        raise FormatError(f"{path} has '{name}' outside a table; define each function as a table [NAME].")
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        raise FormatError(f"The name of {where} becomes the name of a C function; use letters, digits and _.")
    for key in table:
        if key not in KEYS:
            raise FormatError(f"{where} has '{key}'; the keys of a function are {', '.join(KEYS)}.")
    for key in REQUIRED:
        if key not in table:
            raise FormatError(f"{where} has no {key}; a function needs {', '.join(REQUIRED)}.")
    for key in ("closed_form", "polynomial", "title"):
        if not isinstance(table.get(key, ""), str):
            raise FormatError(f"{key} of {where} is text in quotes, not {table[key]!r}.")
    if table.get("precision", "double") not in ("double", "float"):
        raise FormatError(f"The precision of {where} is 'double' or 'float', not {table['precision']!r}.")
    domain = table.get("domain", [0.0, "pi"])
    if not isinstance(domain, list) or len(domain) != 2:
        raise FormatError(f'The domain of {where} is two angles, as in [0, "pi"], not {domain!r}.')
    lower, upper = (_angle(value, f"The domain of {where}") for value in domain)
    threshold = _angle(table["threshold"], f"The threshold of {where}")
    if not 0 <= lower < upper <= LARGEST_DOMAIN:
        raise FormatError(f"The domain of {where} is two angles with 0 ≤ lower < upper ≤ {LARGEST_DOMAIN:g}.")
    if not 0 < threshold < upper:
        raise FormatError(f"The threshold of {where} is {threshold:g}; it must lie in the domain.")
    target = None if "target" not in table else _angle(table["target"], f"The target of {where}")
    found = StatedFunction(
        name, table["closed_form"], table["polynomial"], threshold, (lower, upper),
        table.get("precision", "double"), table.get("title", ""), target,
    )  # fmt: skip
    _ = found.coefficients
    return found


def _angle(value: object, what: str) -> float:
    if isinstance(value, str):
        match = re.fullmatch(r"\s*(?:(\d+(?:\.\d+)?)\s*\*\s*)?pi\s*(?:/\s*(\d+(?:\.\d+)?))?\s*", value)
        if match is not None:
            return float(match[1] or 1) * math.pi / float(match[2] or 1)
    elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise FormatError(f'{what} has {value!r}; write a number, "pi", "pi/2" or "2*pi".')


def _polynomial(tree: Tree, text: str) -> dict[int, Fraction]:
    """Return the coefficients by power of w."""
    if isinstance(tree, Fraction):
        return {0: tree}
    if isinstance(tree, str):
        return {1: Fraction(1)}
    operator, *operands = tree
    if operator in ("sin", "cos", "tan"):
        raise FormatError(f"The polynomial '{text}' has {operator}; write sums of powers of w, or of z = w².")
    parts = [_polynomial(operand, text) for operand in operands]
    if operator == "neg":
        return {k: -c for k, c in parts[0].items()}
    a, b = parts
    total: dict[int, Fraction] = {}
    if operator in ("+", "-"):
        sign = 1 if operator == "+" else -1
        for k in {*a, *b}:
            total[k] = a.get(k, Fraction(0)) + sign * b.get(k, Fraction(0))
    elif operator == "*":
        for i, x in a.items():
            for j, y in b.items():
                total[i + j] = total.get(i + j, Fraction(0)) + x * y
    else:
        if set(b) != {0} or not b[0]:
            raise FormatError(f"The polynomial '{text}' is divided by a term that is not a number.")
        total = {k: c / b[0] for k, c in a.items()}
    return {k: c for k, c in total.items() if c}


def _text(series: tuple[Fraction, ...]) -> str:
    """Return a polynomial in z as a sum of powers with rational coefficients."""
    terms: list[str] = []
    for k, value in enumerate(series):
        if not value:
            continue
        factors = [str(abs(value.numerator))] if abs(value.numerator) != 1 or not k else []
        power = " * ".join([*factors, *["z"] * k])
        over = f" / {value.denominator}" if value.denominator != 1 else ""
        sign = "-" if value < 0 else "+" if terms else ""
        terms.append(f"{sign} {power}{over}".strip() if terms else f"{sign}{power}{over}")
    return " ".join(terms) or "0"
