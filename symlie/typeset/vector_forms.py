"""Recognition of vector forms in components: sums of known vectors, cross products, dot products, blocks.

Terms of the expanded components are matched exactly against candidates, so a form that is shown equals the components.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sympy import Expr, Integer, preorder_traversal

from symlie.groups.standard import skew
from symlie.ir.program import Vector
from symlie.typeset import polynomial
from symlie.typeset.notation import Notation, Rotation, positive_first, spaced
from symlie.typeset.polynomial import Generators, Polynomial, TooLargeError

Rows = Sequence[Sequence[Expr]]
Parts = list[tuple[Expr, str]]
"""Terms of a sum: factor and LaTeX of a vector."""


@dataclass(frozen=True)
class Candidate:
    """Vector of which components may contain a multiple."""

    latex: str
    components: tuple[Polynomial, ...]
    names: frozenset[str]
    """Names of the generators in the components."""
    opposite: str = ""
    """LaTeX of the negative vector if it has a special form."""


def size(expression: Expr) -> int:
    """Return the number of operations of an expression, counted on its tree."""
    return sum(max(1, len(e.args) - 1) for e in preorder_traversal(expression) if e.args)


class VectorForms:
    """Recognises vectors, scalars and blocks; vectors become known when they are named."""

    def __init__(self, notation: Notation) -> None:
        self._notation = notation
        self._generators = Generators()
        self._named: set[Vector] = set()
        self._vectors: list[Candidate] = []
        self._products: list[Candidate] = []
        self._rotations: list[Rotation] = []

    def add(self, latex: str, components: Sequence[Expr]) -> None:
        """Add a known vector."""
        if len(components) > 1:
            self._named.add(tuple(components))
            self._vectors.append(self._candidate(latex, components))

    def add_product(self, latex: str, components: Sequence[Expr]) -> None:
        """Add a known product of a matrix and a vector."""
        self._products.append(self._candidate(latex, components))

    def add_rotation(self, rotation: Rotation) -> None:
        """Add a known rotation matrix."""
        self._rotations.append(rotation)

    def is_named(self, components: Vector) -> bool:
        """Return whether the components are exactly a known vector."""
        return components in self._named

    def vector(self, components: Sequence[Expr]) -> str | None:
        """Return components as a sum of known vectors, or None."""
        parts, rest = self._parts(components)
        return None if rest is None or any(rest) else self._sum(parts)

    def operand(self, components: Sequence[Expr], operator: str = "") -> str:
        """Return an operator applied to components: to a name, a sum in parentheses, a unit vector or a column."""
        if all(c.is_Number for c in components) and sorted(components) == [0] * (len(components) - 1) + [1]:
            return f"{operator} e_{{{list(components).index(Integer(1)) + 1}}}".strip()
        parts, rest = self._parts(components)
        if rest is None or any(rest) or not parts:
            return f"{operator} {self._notation.column(components)}".strip()
        factor, latex = parts[0]
        if len(parts) == 1 and r"\times" not in latex and (operator or factor == 1):
            return self._times(factor, f"{operator} {latex}".strip())
        return spaced(rf"{operator} \left({self._sum(parts)}\right)".strip())

    def scalar(self, expression: Expr) -> str:
        """Return a scalar with its dot products first, followed by the remaining terms."""
        parts, rest = self._parts((expression,))
        if not parts or rest is None:
            return self._notation.latex(expression)
        terms = [(self._generators.expression({m: c}), "") for m, c in sorted(rest[0].items())]
        return self._sum([*parts, *terms])

    def block(self, rows: Rows) -> str | None:
        """Return a block as 0, uᵀ or, if it is square, f I, diag(u), ũ, R, Rᵀ or R ũ; None if it has no such form."""
        n = len(rows)
        entries = tuple(e for row in rows for e in row)
        if all(e == 0 for e in entries):
            return "0"
        if n == 1:
            form = self._notation.latex(entries[0]) if len(entries) == 1 else self.vector(entries)
            plain = len(entries) == 1 or form is None
            return form if plain else rf"{form}^{{\mathsf{{T}}}}" if self.is_named(entries) else None
        if any(len(row) != n for row in rows):
            return None
        diagonal = tuple(rows[i][i] for i in range(n))
        if all(rows[i][j] == 0 for i in range(n) for j in range(n) if i != j):
            if len(set(diagonal)) == 1:
                return self._times(diagonal[0], "I")
            form = self.vector(diagonal)
            return None if form is None else rf"\operatorname{{diag}}\left({form}\right)"
        return self._rotation_block(entries) or self._skew_block(rows) if n == 3 else None

    def blocks(self, rows: Rows, heights: Sequence[int], widths: Sequence[int]) -> str | None:
        """Return a matrix split into blocks, or None if a block has no form; a single block has no brackets."""
        printed: list[list[str]] = []
        row_ends, column_ends = [0, *itertools.accumulate(heights)], [0, *itertools.accumulate(widths)]
        for top, bottom in itertools.pairwise(row_ends):
            line = [self.block([row[a:b] for row in rows[top:bottom]]) for a, b in itertools.pairwise(column_ends)]
            if None in line:
                return None
            printed.append([entry for entry in line if entry is not None])
        return printed[0][0] if len(heights) == len(widths) == 1 else self._notation.array(printed)

    def _rotation_block(self, entries: Vector) -> str | None:
        for rotation in self._rotations:
            for transpose, known in enumerate((rotation.entries, rotation.transposed_entries)):
                for sign, candidate in (("", known), ("-", tuple(-e for e in known))):
                    if entries == candidate:
                        return sign + rotation.latex(transpose=bool(transpose))
        return self._rotated_skew_block(entries)

    def _rotated_skew_block(self, entries: Vector) -> str | None:
        # In ±R ũ, an entry of the first row is R₁₂ u₃ - R₁₃ u₂, and so on: u is found among the known vectors.
        symbols = {s for e in entries for s in e.free_symbols}
        for rotation in self._rotations:
            if len(rotation.entries) != 9 or not symbols.issuperset(rotation.entries):
                continue
            for components in sorted(self._named, key=str):
                if len(components) == 3 and symbols.issuperset(components):
                    matrix = (rotation.matrix * skew(components)).expand()
                    for sign in ("", "-"):
                        if tuple(-matrix if sign else matrix) == entries:
                            return rf"{sign}{rotation.letter} \widetilde{{{self.vector(components)}}}"
        return None

    def _skew_block(self, rows: Rows) -> str | None:
        if any((rows[i][j] + rows[j][i]).expand() != 0 for i in range(3) for j in range(i + 1)):
            return None
        parts, rest = self._parts((rows[2][1], rows[0][2], rows[1][0]))
        return None if rest is None or any(rest) else self._sum([(f, rf"\widetilde{{{latex}}}") for f, latex in parts])

    def _candidate(self, latex: str, components: Sequence[Expr]) -> Candidate:
        return _candidate(latex, [self._generators.polynomial(c) for c in components])

    def _parts(self, components: Sequence[Expr]) -> tuple[Parts, list[Polynomial] | None]:
        """Return multiples of known vectors and the remainder of the components; None if they are too large."""
        try:
            rest = [self._generators.polynomial(c) for c in components]
            names = frozenset(name for p in rest for monomial in p for name, _ in monomial)
            candidates = list(self._known(len(components), names))
        except TooLargeError:
            return [], None
        found: dict[str, Polynomial] = {}
        for candidate in candidates:
            while (factor := _take(rest, candidate.components)) is not None:
                latex = candidate.latex
                if candidate.opposite and all(number < 0 for number in factor.values()):
                    factor, latex = polynomial.negative(factor), candidate.opposite
                found[latex] = polynomial.total([found.get(latex, {}), factor])
        return [(self._generators.expression(factor), latex) for latex, factor in found.items() if factor], rest

    def _known(self, length: int, names: frozenset[str]) -> Iterator[Candidate]:
        products = [u for u in self._products if u.names <= names]
        vectors = [u for u in self._vectors if u.names <= names]
        pairs = [*((u, w) for u in vectors for w in products), *itertools.combinations(vectors, 2)]
        pairs = [(u, w) for u, w in pairs if len(u.components) == len(w.components)]
        in_space = [(u, w) for u, w in pairs if len(u.components) == 3]
        if length == 1:
            for product in (_cross(u, w) for u, w in in_space):
                yield _candidate(rf"\left\Vert {product.latex} \right\Vert^{{2}}", _dot(product, product).components)
            yield from (_dot(u, w) for u, w in [*pairs, *((u, u) for u in vectors)])
        if length == 3:
            yield from (_cross(u, w) for u, w in in_space)
        yield from (u for u in products + vectors if len(u.components) == length)

    def _times(self, factor: Expr, latex: str) -> str:
        if factor in (1, -1) and latex:
            return spaced(latex if factor == 1 else f"-{latex}")
        text = self._notation.latex(factor)
        if not latex:
            return text
        return spaced(
            rf"\left({text}\right) {latex}" if factor.is_Add or text.startswith(r"\begin") else f"{text} {latex}"
        )

    def _sum(self, parts: Parts) -> str:
        parts = positive_first(parts, lambda part: not part[0].could_extract_minus_sign())
        return " + ".join(self._times(factor, latex) for factor, latex in parts).replace("+ -", "- ") or "0"


def _candidate(latex: str, components: Sequence[Polynomial], opposite: str = "") -> Candidate:
    names = frozenset(name for p in components for monomial in p for name, _ in monomial)
    return Candidate(latex, tuple(components), names, opposite)


def _dot(u: Candidate, w: Candidate) -> Candidate:
    products = [polynomial.product(a, b) for a, b in zip(u.components, w.components, strict=True)]
    return _candidate(rf"{u.latex} \cdot {w.latex}", [polynomial.total(products)])


def _cross(u: Candidate, w: Candidate) -> Candidate:
    def minor(i: int, j: int) -> Polynomial:
        first = polynomial.product(u.components[i], w.components[j])
        return polynomial.total([first, polynomial.negative(polynomial.product(u.components[j], w.components[i]))])

    components = [minor(1, 2), minor(2, 0), minor(0, 1)]
    return _candidate(rf"{u.latex} \times {w.latex}", components, rf"{w.latex} \times {u.latex}")


def _take(rest: list[Polynomial], shape: Sequence[Polynomial]) -> Polynomial | None:
    """Remove one multiple of a shape from the terms and return the factor, a monomial; None if none is contained."""
    if not shape[0]:
        return None
    lead = min(shape[0])
    for monomial in sorted(rest[0]):
        power = polynomial.quotient(monomial, lead)
        if power is None:
            continue
        number = rest[0][monomial] / shape[0][lead]
        removed = [polynomial.scaled(p, power, number) for p in shape]
        if all(part.get(m) == c for part, p in zip(rest, removed, strict=True) for m, c in p.items()):
            for part, p in zip(rest, removed, strict=True):
                for m in p:
                    del part[m]
            return {power: number}
    return None
