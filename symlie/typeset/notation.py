"""LaTeX names of symbols in the notation of the papers, and the order of symbols in formulas."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import sympy
from sympy import Expr, Integer, Matrix, Symbol
from sympy.printing.latex import LatexPrinter, greek_letters_set, tex_greek_dictionary

from symlie.groups.group import Field, LieGroup
from symlie.ir.program import Vector, substitute

PARAMETER, LET, STORAGE, VELOCITY = "p", "s", "u", "v"
"""Kinds of symbols, in their order within a product."""

_T = TypeVar("_T")

_WORD_AND_FACTOR = re.compile(
    r"(\\mathrm\{[^{}]*\}(?:\^\{[^{}]*\}|_\{[^{}]*\})*) (?=[A-Za-z]|\\(?!right|end|times|cdot|circ|thinspace)[a-zA-Z])"
)
_FACTOR_AND_WORD = re.compile(r"(?<![-+=&,(])(?<!times)(?<!cdot)(?<!space)(?<!Vert) (?=\\mathrm)")

_ATOM_IN_PARENTHESES = re.compile(r"(\{)?\\left\((\w(?:_\{\d+\})?) ?\\right\)(?(1)\})")


def word(name: str) -> str:
    """Return a name as upright LaTeX text; Greek names and single letters as symbols."""
    if name in tex_greek_dictionary:
        return str(tex_greek_dictionary[name])
    if name in greek_letters_set:
        return rf"\{name}"
    return name if len(name) == 1 else rf"\mathrm{{{name.strip('_').replace('_', chr(92) + ' ')}}}"


def spaced(latex: str) -> str:
    """Put thin spaces between upright words and the factors that follow them."""
    return _FACTOR_AND_WORD.sub(r" \\thinspace ", _WORD_AND_FACTOR.sub(r"\1 \\thinspace ", latex))


def positive_first(terms: Sequence[_T], is_positive: Callable[[_T], bool]) -> list[_T]:
    """Return the terms of a sum with the first positive one in front, so that the sum does not begin with a minus."""
    first = next((i for i, term in enumerate(terms) if is_positive(term)), 0)
    return [terms[first], *terms[:first], *terms[first + 1 :]] if terms else []


@dataclass(frozen=True)
class Letter:
    """Letter with a superscript and an index; components append their indices."""

    stem: str
    superscript: str = ""
    index: str = ""
    first: int = 1
    """Index of the first component; quaternions count from zero."""

    def __str__(self) -> str:
        return self.component(())

    def component(self, indices: Sequence[int]) -> str:
        """Return the component with these zero-based indices, such as ``R_{12}`` or ``\\Omega^{\\mathrm{tip}}_{3}``."""
        numbers = [str(i + self.first) for i in indices]
        joined = ("," if any(len(n) > 1 for n in numbers) else "").join(numbers)
        index = index_of(self.index, joined)
        return self.stem + (f"^{{{self.superscript}}}" if self.superscript else "") + (f"_{{{index}}}" if index else "")


def letter(name: str, superscript: str = "", first: int = 1) -> Letter:
    """Return the letter of a name: ``x``, ``x_dot`` with a dot, ``Omega2`` with an index."""
    match = re.fullmatch(r"(.+?)(_dot)?(\d*)", name)
    assert match is not None
    stem, dot, index = match.groups()
    return Letter(rf"\dot{{{word(stem)}}}" if dot else word(stem), superscript, index, first)


def field_letter(field: Field, superscript: str = "", at: str = "") -> Letter:
    """Return the letter of a field of a storage or a velocity, with its grid point ``at`` in the index."""
    is_quaternion = field.name.rstrip("0123456789") == "p" and field.shape == (4,)
    found = letter(field.name, superscript, first=0 if is_quaternion else 1)
    return replace(found, index=index_of(at, found.index))


def index_of(*parts: str) -> str:
    """Join the nonempty indices."""
    return ",".join(filter(None, parts))


class _Printer(LatexPrinter):
    """SymPy's printer with positive terms first and sums of parameters in front: (J₃ - J₂) Ω₂ Ω₃."""

    def _as_ordered_terms(self, expr: Expr, order: str | None = None) -> list[Expr]:
        return positive_first(super()._as_ordered_terms(expr, order=order), lambda t: not t.could_extract_minus_sign())

    def _print_Mul(self, expr: Expr) -> str:
        for factor in expr.args:
            if factor.is_Add and all(s.name.startswith(PARAMETER) for s in factor.free_symbols):
                rest = sympy.Mul(*[f for f in expr.args if f != factor])
                if rest.as_coeff_Mul()[0] == 1:
                    return rf"\left({self._print(factor)}\right) {self._print(rest)}"
        return str(super()._print_Mul(expr))


def _whole(text: str) -> str:
    """Return a piecewise law without the parentheses that it needs as a factor."""
    opening, closing = r"\left(\begin{cases}", r"\end{cases}\right)"
    alone = text.startswith(opening) and text.endswith(closing) and text.count(opening) == 1
    return text[len(r"\left(") : -len(r"\right)")] if alone else text


class Notation:
    """Names of symbols, and the printing of expressions and matrices with them."""

    def __init__(self) -> None:
        self._keys: dict[Symbol, Symbol] = {}
        self._names: dict[Symbol, str] = {}
        self._printer = _Printer({"symbol_names": self._names})

    def name(self, symbol: Expr, latex: str, kind: str) -> None:
        """Give a symbol its LaTeX name, once; formulas list symbols of one kind in the order of their naming."""
        if not isinstance(symbol, Symbol) or symbol in self._keys:
            return
        key = Symbol(f"{kind}{len(self._keys):06d}", real=True)
        self._keys[symbol], self._names[key] = key, latex

    def name_vector(self, components: Sequence[Expr], name: Letter, kind: str, shape: tuple[int, ...] = ()) -> None:
        """Name the components of a scalar, a vector or, with a shape of two numbers, a matrix."""
        for i, symbol in enumerate(components):
            indices: tuple[int, ...] = (i,) if len(components) > 1 else ()
            self.name(symbol, name.component(divmod(i, shape[1]) if len(shape) == 2 else indices), kind)

    def name_fields(
        self, components: Vector, fields: Sequence[Field], kind: str, superscript: str = "", at: str = ""
    ) -> None:
        """Name the components of all fields of a storage or a velocity."""
        for field in fields:
            part = components[field.offset : field.offset + field.size]
            self.name_vector(part, field_letter(field, superscript, at), kind, field.shape)

    def latex(self, expression: Expr) -> str:
        """Return an expression as LaTeX."""
        text = spaced(self._printer.doprint(substitute(sympy.sympify(expression), self._keys)))
        text = _whole(_ATOM_IN_PARENTHESES.sub(r"(\2)", text))
        # In Markdown, a line that begins with "- " is an item of a list.
        return "-" + text[2:] if text.startswith("- ") else text

    def array(self, rows: Sequence[Sequence[str]]) -> str:
        """Return a matrix of printed entries, each row on a separate line, which Markdown on GitHub needs."""
        lines = " \\\\\n".join(" & ".join(row) for row in rows)
        return f"\\left[\\begin{{array}}{{{'c' * len(rows[0])}}}\n{lines}\n\\end{{array}}\\right]"

    def matrix(self, rows: Sequence[Sequence[Expr]]) -> str:
        """Return a matrix of expressions, with a common fraction in front."""
        terms = [t for row in rows for e in row if e != 0 for t in sympy.Add.make_args(e)]
        numbers = {abs(t.as_coeff_Mul()[0]) for t in terms}
        fraction = numbers.pop() if len(numbers) == 1 else Integer(1)
        if not fraction.is_Rational or fraction.is_Integer:
            return self.array([[self.latex(e) for e in row] for row in rows])
        entries = [[self.latex((e / fraction).expand()) for e in row] for row in rows]
        return f"{self.latex(fraction)} {self.array(entries)}"

    def column(self, components: Sequence[Expr]) -> str:
        """Return a column of components; a single component is printed as a scalar."""
        return self.matrix([[c] for c in components]) if len(components) > 1 else self.latex(components[0])


def rotation_entries(group: LieGroup, storage: Vector) -> Vector:
    """Return the entries of R(q), row by row: stored components, or symbols if the entries are polynomials of them."""
    assert group.rotation is not None
    entries = tuple(group.rotation(storage))
    if all(e.is_Symbol for e in entries):
        return entries
    return tuple(Symbol(f"R({storage[0]}){i}", real=True) for i in range(len(entries)))


@dataclass(frozen=True)
class Rotation:
    """Rotation matrix with a name."""

    letter: Letter
    entries: Vector
    """Symbols of the entries, row by row."""
    formulas: Vector
    """Entries as expanded expressions in the stored components."""

    def latex(self, *, transpose: bool) -> str:
        """Return the name of the matrix or of its transpose."""
        if not transpose:
            return str(self.letter)
        inner = self.letter.superscript
        name = Letter(self.letter.stem, (inner + r"\thinspace " if inner else "") + r"\mathsf{T}", self.letter.index)
        return str(name)

    @property
    def matrix(self) -> Matrix:
        """The entries as a matrix."""
        n = math.isqrt(len(self.entries))
        return Matrix(n, n, self.entries)

    @property
    def transposed_entries(self) -> Vector:
        """Entries of the transpose, row by row."""
        return tuple(self.matrix.T)
