"""Jets: the coefficients x_k of x(t_n + s) = Σ x_k s^k of all values of a straight line, order by order.

For a product c = a b the coefficient of order k is

    c_k = a_0 b_k + a_k b_0 + Σ_{0<j<k} a_j b_{k-j}  (1)

Other operators follow from products by an equation that they satisfy: t b = a for quotients, t² = a for roots, and
t' = f(t, a) a' for elementary functions, whose products have the coefficients j a_j instead of a_j. An order first
needs the sums over 0 < j < k, which depend only on lower orders and are computed together, and then one pass through
the derivatives of the statements at order 0. The text of that pass is the same for all orders.

Non-elementary functions of one argument have separate sums (`symlie.ir.jet_compositions`), and piecewise laws have the
branch of order 0 (`symlie.ir.jet_pieces`).

Some inputs may follow from the results of an order. The pass omits them, and their contributions to factors, which are
linear in them, are added once they are known.
Source: [Griewank2008], section 13.2, for the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symlie.contract.set_table import JetLayout
from symlie.errors import ModelError
from symlie.ir import jet_pieces
from symlie.ir.jet_compositions import Functions
from symlie.ir.jet_rules import NEEDS, RULES
from symlie.ir.jet_sharing import Numbers, numbered
from symlie.ir.straightline import Instruction, Lines, Operand, StraightLine, pruned

ORDER, SUMS, KEPT = "k", "sums", "kept"
"""Names, in stages, of the order k, of the sums of all products, and of values of order 0."""


@dataclass(frozen=True)
class Factor:
    """Factor of products: a_j, or with ``is_weighted`` j a_j."""

    operand: Operand
    is_weighted: bool = False


@dataclass(frozen=True)
class Product:
    """Product of two factors."""

    left: Factor
    right: Factor

    def turned(self) -> Product:
        """Return the product with exchanged factors."""
        return Product(self.right, self.left)


@dataclass(frozen=True)
class Jet:
    """Jet of a straight line, as straight lines ``begin`` (order 0), ``order`` (order k) and ``rest`` (late inputs)."""

    # ``begin``, from values of the inputs: results, values of order 0 that orders need, arguments of functions, and
    # switching functions with the sum of the magnitudes of their terms. ``order``, from those, k, the sums and the
    # inputs' coefficients of order k: results, the factors of all products, arguments of functions, and switching
    # functions. ``rest``, from k, values of order 0 and coefficients of late inputs: contributions to the last factors,
    # which are incomplete.

    begin: StraightLine
    order: StraightLine
    rest: StraightLine
    layout: JetLayout


def jet_of(
    name: str,
    body: StraightLine,
    constant: Sequence[str],
    later: Sequence[str] = (),
    numbers: Numbers | None = None,
    known: Mapping[str, str] | None = None,
) -> Jet:
    """Derive the jet of a straight line; raise `ModelError` for an operator without a rule."""
    # ``constant`` are name prefixes of inputs that are no functions of time, such as ``p[``; ``later`` those of inputs
    # that follow from the results; ``numbers`` and ``known`` belong to other jets of the type, see `numbered`.
    return Derivation(body, tuple(constant), tuple(later)).jet(name, {} if numbers is None else numbers, known or {})


class Derivation:
    """Common state of both passes through a straight line: stored values and products."""

    def __init__(self, body: StraightLine, constant: tuple[str, ...], later: tuple[str, ...]) -> None:
        self.body, self.constant, self.later = body, constant, later
        self.begin = Lines(body.instructions)
        for instruction in body.instructions:
            if instruction.operator in NEEDS:
                NEEDS[instruction.operator](self.begin, instruction.target, *instruction.operands)
        self.conditions = tuple(dict.fromkeys(jet_pieces.conditions(self.begin, body.instructions)))
        self.statements = tuple(self.begin.instructions)
        self.kept: dict[Operand, int] = {}
        self.products: dict[Product, str] = {}
        self.functions = Functions(body.schemes)
        self._constants: set[Operand] = set()
        self._later: set[Operand] = set()

    def jet(self, name: str, numbers: Numbers, known: Mapping[str, str]) -> Jet:
        first, rest = Pass(self, of_rest=False), Pass(self, of_rest=True)
        found = {f: None for p in self.products for f in (p.left, p.right)}
        new = {f for f in found if self._is_late(f) and first.factors([f]) == (0.0,)}
        factors = sorted(found, key=lambda f: (self._is_late(f), f in new))
        late = [f for f in factors if self._is_late(f)]
        places = {f: k for k, f in enumerate(factors)}
        # Products of new factors are contiguous, with these on the left, so that whole registers are stored once.
        turned = {name: p.turned() if p.right in new else p for p, name in self.products.items()}
        ordered = sorted(turned, key=lambda name: (turned[name].left not in new, turned[name].right not in new))
        names = {name: f"{SUMS}[{k}]" for k, name in enumerate(ordered)}
        results = tuple(first.coefficient(o) for o in self.body.outputs)
        arguments = tuple(map(first.coefficient, self.functions.arguments))
        chosen_by = jet_pieces.changing(self, self.conditions)
        further = arguments + tuple(map(first.coefficient, chosen_by))
        order = pruned(first.lines.instructions, results + first.factors(factors) + further, {})
        sizes = [jet_pieces.size_of(self.begin, c) for c in chosen_by]
        values = (*self.body.outputs, *self.kept, *self.functions.arguments, *chosen_by, *sizes)
        products = tuple((places[turned[name].left], places[turned[name].right]) for name in ordered)
        counts = len(results), len(self.kept), len(factors), len(late)
        vanishes = not chosen_by and all(r == 0.0 for r in results)
        of_values = numbered(self.statements, numbers, known)
        called = tuple(("k " if f.is_weighted else "") + of_values.get(str(f.operand), str(f.operand)) for f in factors)
        composed = len(arguments), self.functions.compositions, len(chosen_by), vanishes
        return Jet(
            pruned(self.begin.instructions, values, {s.function: s for s in self.body.schemes}),
            _renamed(order, names | self.functions.names),
            pruned(rest.lines.instructions, rest.factors(late), {}),
            JetLayout(name, *counts, products, False, *composed, new=len(new), names=called),
        )

    def note(self, instruction: Instruction) -> None:
        """Record the dependencies of a value."""
        target, operands = instruction.target, instruction.operands
        if instruction.operator in jet_pieces.STEPS or all(map(self.is_constant, operands)):
            self._constants.add(target)
        if any(map(self.is_later, operands)):
            self._later.add(target)

    def is_constant(self, operand: Operand) -> bool:
        """Return whether an operand is no function of time."""
        return isinstance(operand, float) or operand in self._constants or operand.startswith(self.constant)

    def is_later(self, operand: Operand) -> bool:
        """Return whether an operand depends on inputs that are found later."""
        if isinstance(operand, float):
            return False
        return operand in self._later or (bool(self.later) and operand.startswith(self.later))

    def sum_of(self, product: Product) -> str:
        """Return the provisional name of the sum of a product, until all are known."""
        return self.products.setdefault(product, f"product {len(self.products)}")

    def _is_late(self, factor: Factor) -> bool:
        return self.is_later(factor.operand)


def _renamed(body: StraightLine, names: Mapping[str, str]) -> StraightLine:
    def place(operand: Operand) -> Operand:
        return names.get(operand, operand) if isinstance(operand, str) else operand

    instructions = tuple(replace(i, operands=tuple(map(place, i.operands))) for i in body.instructions)
    return replace(body, instructions=instructions, outputs=tuple(map(place, body.outputs)))


class Pass:
    """Coefficients of order k of all values without late inputs, or the contributions of these."""

    def __init__(self, derivation: Derivation, *, of_rest: bool) -> None:
        self.of, self.of_rest = derivation, of_rest
        self.lines = Lines()
        self._known: dict[Operand, Operand | None] = {}
        self._statements: dict[Operand, Instruction] = {i.target: i for i in derivation.statements}
        for target in self._statements:
            self._follow(target)

    def _follow(self, target: Operand) -> None:
        """Apply the rules of the operands and of a statement; values that a rule needs may follow it."""
        if target not in self._statements or target in self._known:
            return
        instruction = self._statements[target]
        for operand in instruction.operands:
            self._follow(operand)
        if not self.of_rest:
            self.of.note(instruction)
        self._known[target] = self._rule(instruction)

    def derivative(self, operand: Operand) -> Operand | None:
        """Return the coefficient of order k; None if it vanishes."""
        if isinstance(operand, float) or operand.startswith(self.of.constant):
            return None
        if operand in self._statements:
            self._follow(operand)
            return self._known[operand]
        return operand if self.of.is_later(operand) == self.of_rest else None

    def coefficient(self, operand: Operand) -> Operand:
        """Return the coefficient of order k; 0 if it vanishes."""
        found = self.derivative(operand)
        return 0.0 if found is None else found

    def factors(self, factors: Sequence[Factor]) -> tuple[Operand, ...]:
        """Return the coefficients of factors."""
        return tuple(self._weighted(f.operand) if f.is_weighted else self.coefficient(f.operand) for f in factors)

    def value(self, operand: Operand) -> Operand:
        """Return the value of order 0."""
        if isinstance(operand, float):
            return operand
        return f"{KEPT}[{self.of.kept.setdefault(operand, len(self.of.kept))}]"

    def at_begin(self, operator: str, *operands: Operand) -> Operand:
        """Return a value of order 0 that the straight line itself does not compute."""
        return self.of.begin.emit(operator, *operands)

    def sum_of(self, left: Operand, right: Operand, *, is_weighted: bool = False) -> Operand | None:
        """Return Σ_{0<j<k} a_j b_{k-j}, or with j a_j."""
        if self.of_rest:
            return None
        if not is_weighted and str(right) < str(left):
            left, right = right, left
        return self.of.sum_of(Product(Factor(left, is_weighted), Factor(right)))

    def weighted_sum(self, left: Operand, right: Operand) -> Operand | None:
        """Return Σ_{0<j<k} j a_j b_{k-j}/k."""
        return self.times(self.sum_of(left, right, is_weighted=True), self.emit("div", 1.0, ORDER))

    def _weighted(self, operand: Operand) -> Operand:
        return self.times(ORDER, self.derivative(operand)) or 0.0

    def emit(self, operator: str, *operands: Operand) -> Operand:
        return self.lines.emit(operator, *operands)

    def plus(self, a: Operand | None, b: Operand | None) -> Operand | None:
        """Return a + b, where None is zero."""
        return (b if a is None else a) if a is None or b is None else self.emit("add", a, b)

    def minus(self, a: Operand | None, b: Operand | None) -> Operand | None:
        """Return a - b."""
        if b is None:
            return a
        return self.emit("neg", b) if a is None else self.emit("sub", a, b)

    def times(self, a: Operand | None, b: Operand | None) -> Operand | None:
        """Return a b."""
        if a is None or b is None:
            return None
        return b if a == 1.0 else a if b == 1.0 else self.emit("mul", a, b)

    def _rule(self, instruction: Instruction) -> Operand | None:
        operator, operands, target = instruction.operator, instruction.operands, instruction.target
        if self.of.is_constant(target) or (self.of_rest and not self.of.is_later(target)):
            return None
        rule = RULES.get(operator) or self.of.functions.rule(operator)
        if rule is None:
            raise ModelError(
                f"'{operator.split()[-1]}' has no rule; use another method, such as half_explicit_5 or rkmk_dopri5."
            )
        return rule(self, target, *operands)
