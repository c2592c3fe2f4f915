"""Components read back as what a person would write: sums of known vectors, cross products, dot products, blocks.

Terms of the expanded components are matched exactly against candidates, so a form that is shown equals the components.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, Integer

from symlie.derive.notation import Notation, Rotation, positive_first, spaced
from symlie.groups.operations import cross
from symlie.ir.program import Vector

LARGEST = 120
"""Number of terms in a vector above which no form is looked for."""

Terms = dict[Expr, Expr]
Rows = Sequence[Sequence[Expr]]


@dataclass(frozen=True)
class NamedVector:
    """A vector with its LaTeX."""

    latex: str
    components: Vector
    opposite: str = ""
    """LaTeX of the negative vector, where it has one of its own."""


def size(expression: Expr) -> int:
    """Number of operations of an expression, counted on its tree."""
    return sum(len(e.args) - 1 if len(e.args) > 1 else 1 for e in sympy.preorder_traversal(expression) if e.args)


def _terms(expression: Expr) -> Terms:
    if expression == 0:
        return {}
    return {term: number for term, number in sympy.expand(expression).as_coefficients_dict().items() if number != 0}


def _ordered(terms: Iterable[Expr]) -> list[Expr]:
    return sorted(terms, key=sympy.default_sort_key)


class VectorForms:
    """Recognises vectors and blocks; vectors become known as they are named."""

    def __init__(self, notation: Notation) -> None:
        self._notation = notation
        self._vectors: list[NamedVector] = []
        self._products: list[NamedVector] = []
        self._rotations: list[Rotation] = []

    def add(self, latex: str, components: Sequence[Expr]) -> None:
        """Make a vector known."""
        if len(components) > 1:
            self._vectors.append(NamedVector(latex, tuple(components)))

    def add_product(self, latex: str, components: Sequence[Expr]) -> None:
        """Make a product of a matrix and a vector known."""
        self._products.append(NamedVector(latex, tuple(sympy.expand(c) for c in components)))

    def add_rotation(self, rotation: Rotation) -> None:
        """Make a rotation matrix known."""
        self._rotations.append(rotation)

    def vector(self, components: Sequence[Expr]) -> str | None:
        """Components as a sum of known vectors, or None."""
        parts = self._parts(components)
        return None if parts is None else self._sum(parts)

    def is_named(self, components: Vector) -> bool:
        """Whether the components are exactly a known vector."""
        return any(components == u.components for u in self._vectors)

    def operand(self, components: Sequence[Expr], operator: str = "") -> str:
        """An operator applied to components: to a name, a sum in parentheses, a unit vector or a column."""
        if all(c.is_Number for c in components) and sorted(components) == [0] * (len(components) - 1) + [1]:
            return f"{operator} e_{{{list(components).index(Integer(1)) + 1}}}".strip()
        parts = self._parts(components)
        if parts is None:
            return f"{operator} {self._notation.column(components)}".strip()
        if len(parts) == 1 and r"\times" not in parts[0][1] and (operator or parts[0][0] == 1):
            return self._times(parts[0][0], f"{operator} {parts[0][1]}".strip())
        return rf"{operator} \left({self._sum(parts)}\right)".strip()

    def scalar(self, expression: Expr) -> str:
        """A scalar with its dot products written as such; what is no dot product stays as it is."""
        if size(expression) > LARGEST:
            return self._notation.latex(expression)
        parts = self._parts((expression,))
        return self._notation.latex(expression) if parts is None else self._sum(parts)

    def block(self, rows: Rows) -> str | None:
        """A square block as 0, a multiple of I, diag(u), ũ, R or Rᵀ; or None."""
        n = len(rows)
        if any(len(row) != n for row in rows) or n < 2:
            return "0" if all(e == 0 for row in rows for e in row) else None
        entries = tuple(e for row in rows for e in row)
        if all(e == 0 for e in entries):
            return "0"
        for rotation in self._rotations:
            for known, transpose in ((rotation.entries, False), (rotation.transposed_entries, True)):
                for sign in ("", "-"):
                    if entries == tuple(-e if sign else e for e in known):
                        return sign + rotation.latex(transpose=transpose)
        diagonal = tuple(rows[i][i] for i in range(n))
        if all(rows[i][j] == 0 for i in range(n) for j in range(n) if i != j):
            if len(set(diagonal)) == 1:
                return self._times(diagonal[0], "I")
            form = self.vector(diagonal)
            return None if form is None else rf"\operatorname{{diag}}\left({form}\right)"
        if n == 3 and all(sympy.expand(rows[i][j] + rows[j][i]) == 0 for i in range(3) for j in range(i + 1)):
            parts = self._parts((rows[2][1], rows[0][2], rows[1][0]))
            return None if parts is None else self._sum([(f, rf"\widetilde{{{latex}}}") for f, latex in parts])
        return None

    def blocks(self, rows: Rows, heights: Sequence[int], widths: Sequence[int]) -> str | None:
        """A matrix split into blocks, or None if a block has no form; a single block has no brackets."""
        printed: list[list[str]] = []
        row_ends, column_ends = [0, *itertools.accumulate(heights)], [0, *itertools.accumulate(widths)]
        for top, bottom in itertools.pairwise(row_ends):
            line = [self.block([row[a:b] for row in rows[top:bottom]]) for a, b in itertools.pairwise(column_ends)]
            if None in line:
                return None
            printed.append([entry for entry in line if entry is not None])
        return printed[0][0] if len(heights) == len(widths) == 1 else self._notation.array(printed)

    def _parts(self, components: Sequence[Expr]) -> list[tuple[Expr, str]] | None:
        if any(size(c) > LARGEST for c in components):
            return None
        rest = [_terms(sympy.sympify(c)) for c in components]
        if sum(map(len, rest)) > LARGEST:
            return None
        symbols = {s for c in components for s in c.free_symbols}
        found: dict[str, Expr] = {}
        for candidate in self._known(len(components), symbols):
            shape = [_terms(c) for c in candidate.components]
            while (factor := _take(rest, shape)) is not None:
                latex = candidate.latex
                if candidate.opposite and factor.could_extract_minus_sign():
                    factor, latex = -factor, candidate.opposite
                found[latex] = found.get(latex, Integer(0)) + factor
        if any(rest) or not found:
            return None
        return [(factor, latex) for latex, factor in found.items() if factor != 0]

    def _known(self, length: int, symbols: set[Expr]) -> list[NamedVector]:
        def relevant(vectors: list[NamedVector]) -> list[NamedVector]:
            return [u for u in vectors if all(symbols.issuperset(c.free_symbols) for c in u.components)]

        products, vectors = relevant(self._products), relevant(self._vectors)
        pairs = [(u, w) for u in vectors for w in products] + list(itertools.combinations(vectors, 2))
        pairs = [(u, w) for u, w in pairs if len(u.components) == len(w.components)]
        if length == 1:
            return [_dot(u, w) for u, w in pairs + [(u, u) for u in vectors]]
        crosses = [_cross(u, w) for u, w in pairs if len(u.components) == length == 3]
        return [*crosses, *(u for u in products + vectors if len(u.components) == length)]

    def _times(self, factor: Expr, latex: str) -> str:
        if factor in (1, -1):
            return latex if factor == 1 else f"-{latex}"
        text = self._notation.latex(factor)
        return spaced(rf"\left({text}\right) {latex}" if factor.is_Add else f"{text} {latex}")

    def _sum(self, parts: list[tuple[Expr, str]]) -> str:
        parts = positive_first(parts, lambda part: not part[0].could_extract_minus_sign())
        text = " + ".join(self._times(factor, latex) for factor, latex in parts)
        return text.replace("+ -", "- ") or "0"


def _dot(u: NamedVector, w: NamedVector) -> NamedVector:
    products = [a * b for a, b in zip(u.components, w.components, strict=True)]
    return NamedVector(rf"{u.latex} \cdot {w.latex}", (sum(products, Integer(0)),))


def _cross(u: NamedVector, w: NamedVector) -> NamedVector:
    return NamedVector(
        rf"{u.latex} \times {w.latex}", cross(u.components, w.components), rf"{w.latex} \times {u.latex}"
    )


def _take(rest: list[Terms], shape: list[Terms]) -> Expr | None:
    """Remove one multiple of a shape from the terms, and return the factor; None if no multiple is contained."""
    if not shape[0]:
        return None
    lead = _ordered(shape[0])[0]
    for term in _ordered(rest[0]):
        monomial = term / lead
        powers = monomial.as_powers_dict()
        if any(powers.get(base, 0) < 0 for base in lead.as_powers_dict()):
            continue  # the term does not contain the leading term of the shape
        number = rest[0][term] / shape[0][lead]
        removed = [{monomial * t: number * c for t, c in terms.items()} for terms in shape]
        if all(part.get(t) == c for part, terms in zip(rest, removed, strict=True) for t, c in terms.items()):
            for part, terms in zip(rest, removed, strict=True):
                for t in terms:
                    del part[t]
            return number * monomial
    return None
