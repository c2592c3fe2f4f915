"""Straight-line programs without constant factors in products, so that jets sum fewer products.

From (a x) y and (b y) x with constants a and b a jet has two products and stores the factors a x, y, b y and x for all
orders; from a (x y) and b (x y) it has one, of values that the state contains anyway. Constants are moved out of
products and of sums whose terms have the same constant; terms with the same product are collected.

A product with a sum (a x + b y) z of different constants can be rewritten as x (a z) + y (b z) if other terms multiply
x and y by the same factors: (R X) v with a constant matrix X becomes R (X v), which has fewer factors, and (R X)ᵀ λ
becomes Xᵀ (Rᵀ λ). The form with fewer products, or else with fewer operations, is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

from symlie.ir.quaternion_products import Terms, with_fewer_products
from symlie.ir.straightline import Lines, Operand, StraightLine, pruned


def constants_outside(body: StraightLine, constant: Sequence[str]) -> StraightLine:
    """Move constants (inputs whose names begin with ``constant``) out of the products of a straight-line program."""
    found = [stated_again(body, constant, distributes=distributes) for distributes in (False, True)]
    return min(found, key=lambda again: _size(again, tuple(constant)))


def stated_again(body: StraightLine, constant: Sequence[str], *, distributes: bool) -> StraightLine:
    """Rewrite with constants outside of products; ``distributes`` moves constants of a sum to the other factor."""
    drawn = _Drawing(body, tuple(constant), distributes)
    terms = with_fewer_products(drawn.lines, [drawn.terms_of(o) for o in body.outputs])
    outputs = tuple(map(drawn.value, terms))
    return pruned(drawn.lines.instructions, outputs, {s.function: s for s in body.schemes})


def _size(body: StraightLine, constant: tuple[str, ...]) -> tuple[int, int]:
    """Return the number of products of non-constant values, and of operations."""
    fixed: set[Operand] = set()
    products = 0
    for i in body.instructions:
        moving = [o for o in i.operands if isinstance(o, str) and o not in fixed and not o.startswith(constant)]
        if not moving:
            fixed.add(i.target)
        products += i.operator == "mul" and len(moving) == 2
    return products, len(body.instructions)


class _Product(NamedTuple):
    """Product that is not emitted yet, because others may share its first factor."""

    first: Operand
    second: Operand


_Sum = dict[Operand | _Product, Operand]
"""Terms, some of them pending, each with its constant."""

_Base = TypeVar("_Base")
"""Type of the terms: final, or final or pending."""


class _Drawing:
    """Rewritten straight line: non-constant values are sums of terms until another operation needs their value."""

    # With ``distributes`` products with sums of different constants become sums of products.

    def __init__(self, body: StraightLine, constant: tuple[str, ...], distributes: bool) -> None:
        self.lines, self._constant, self._distributes = Lines(), constant, distributes
        self._fixed: dict[Operand, Operand] = {}
        self._numbers: set[Operand] = set()
        self._negatives: dict[Operand, Operand] = {}
        self._terms: dict[Operand, _Sum] = {}
        self._values: dict[tuple[tuple[Operand, Operand], ...], Operand] = {}
        uses = Counter(o for i in body.instructions for o in i.operands) + Counter(body.outputs)
        for i in body.instructions:
            if all(map(self._is_fixed, i.operands)):
                self._fixed[i.target] = self.lines.emit(i.operator, *map(self._fixed_value, i.operands))
                self._numbers.add(self._fixed[i.target])
            else:
                found = self._combined(i.operator, i.operands)
                is_shared = len(found) > 1 and uses[i.target] > 1
                self._terms[i.target] = {self.value(self._found(found)): 1.0} if is_shared else found

    def terms_of(self, operand: Operand) -> Terms:
        """Return the terms of a value of the body."""
        return self._found(self._sum_of(operand))

    def _sum_of(self, operand: Operand) -> _Sum:
        if operand in self._terms:
            return self._terms[operand]
        return {self._fixed_value(operand) if self._is_fixed(operand) else operand: 1.0}

    def _found(self, terms: Mapping[Operand | _Product, Operand]) -> Terms:
        """Emit the pending products, combining those with a common factor."""
        found: Terms = {}
        alike: dict[Operand, Terms] = {}
        for base, factor in terms.items():
            if isinstance(base, _Product):
                alike.setdefault(base.first, {})[base.second] = factor
            else:
                found[base] = factor
        for first, others in alike.items():
            factor, second = self._scaled(others)
            self._add(found, self.lines.emit("mul", first, second), factor)
        return found

    def value(self, terms: Terms) -> Operand:
        """Return the sum of terms, grouping those whose constants agree up to sign."""
        key = tuple(terms.items())
        if key not in self._values:
            alike: dict[Operand, list[tuple[Operand, bool]]] = {}
            for base, factor in terms.items():
                is_negative = self._is_negative(factor)
                alike.setdefault(self._negative(factor) if is_negative else factor, []).append((base, is_negative))
            parts = [(factor, *self._sum(signed)) for factor, signed in alike.items()]
            total, is_negative = self._sum([(self._times(factor, part), sign) for factor, part, sign in parts])
            self._values[key] = self.lines.emit("neg", total) if is_negative else total
        return self._values[key]

    def _sum(self, signed: Sequence[tuple[Operand, bool]]) -> tuple[Operand, bool]:
        """Return the sum of signed values, and whether its negative was computed instead."""
        if not signed:
            return 0.0, False
        (total, is_negative), *others = sorted(signed, key=lambda part: part[1])
        for part, sign in others:
            total = self.lines.emit("add" if sign == is_negative else "sub", total, part)
        return total, is_negative

    def _is_fixed(self, operand: Operand) -> bool:
        return isinstance(operand, float) or operand in self._fixed or operand.startswith(self._constant)

    def _is_number(self, base: Operand) -> bool:
        """Return whether a term of the new straight line is constant."""
        return isinstance(base, float) or base.startswith(self._constant) or base in self._numbers

    def _fixed_value(self, operand: Operand) -> Operand:
        return self._fixed.get(operand, operand)

    def _combined(self, operator: str, operands: tuple[Operand, ...]) -> _Sum:
        if operator == "neg":
            return {base: self._negative(factor) for base, factor in self._sum_of(operands[0]).items()}
        if operator in ("add", "sub"):
            terms = dict(self._sum_of(operands[0]))
            for base, factor in self._sum_of(operands[1]).items():
                self._add(terms, base, factor if operator == "add" else self._negative(factor))
            return terms
        if operator == "div" and self._is_fixed(operands[1]):
            reciprocal = self.lines.emit("div", 1.0, self._fixed_value(operands[1]))
            self._numbers.add(reciprocal)
            return self._multiplied(operands[0], reciprocal)
        if operator == "mul":
            fixed = [self._fixed_value(o) for o in operands if self._is_fixed(o)]
            if fixed:
                (moving,) = (o for o in operands if not self._is_fixed(o))
                return self._multiplied(moving, fixed[0])
            return self._product(*map(self.terms_of, operands))
        return {self.lines.emit(operator, *(self.value(self.terms_of(o)) for o in operands)): 1.0}

    def _multiplied(self, moving: Operand, constant: Operand) -> _Sum:
        if not (terms := self.terms_of(moving)):
            return {}
        factor, base = self._scaled(terms)
        return {base: self._times(factor, constant)}

    def _product(self, left: Terms, right: Terms) -> _Sum:
        if not (left and right):
            return {}
        for terms, other in ((left, right), (right, left)):
            if self._distributes and len(set(terms.values())) > 1:
                scale, second = self._scaled(other)
                found: _Sum = {}
                for first, factor in terms.items():
                    if self._is_number(first):
                        self._add(found, second, self._times(self._times(factor, first), scale))
                    else:
                        self._add(found, _Product(first, second), self._times(factor, scale))
                return found
        (a, x), (b, y) = self._scaled(left), self._scaled(right)
        return {self.lines.emit("mul", x, y): self._times(a, b)}

    def _scaled(self, terms: Terms) -> tuple[Operand, Operand]:
        """Return a non-constant value as a constant times another one, which is the same for a sum and its negative."""
        if len(set(terms.values())) == 1:
            factor = next(iter(terms.values()))
            return factor, self.value(dict.fromkeys(terms, 1.0))
        first = terms[min(terms, key=str)]
        if self._is_negative(first):
            return -1.0, self.value({base: self._negative(factor) for base, factor in terms.items()})
        return 1.0, self.value(terms)

    def _add(self, terms: dict[_Base, Operand], base: _Base, factor: Operand) -> None:
        if base not in terms:
            terms[base] = factor
            return
        known = terms.pop(base)
        if isinstance(known, float) and isinstance(factor, float):
            total: Operand = known + factor
        else:
            total = self.lines.emit("add", known, factor)
        if total != 0.0:
            terms[base] = total

    def _is_negative(self, factor: Operand) -> bool:
        return factor < 0.0 if isinstance(factor, float) else factor in self._negatives

    def _negative(self, factor: Operand) -> Operand:
        if isinstance(factor, float):
            return -factor
        if factor not in self._negatives:
            self._negatives[self.lines.emit("neg", factor)] = factor
            return self.lines.emit("neg", factor)
        return self._negatives[factor]

    def _times(self, a: Operand, b: Operand) -> Operand:
        if isinstance(a, float) and isinstance(b, float):
            return a * b
        return b if a == 1.0 else a if b == 1.0 else self.lines.emit("mul", a, b)
