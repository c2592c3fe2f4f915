"""One pass through the statements of a straight line: the coefficients of order k of all values by their rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from symlie.contract.set_table import Composition, ScalarFunction
from symlie.errors import ModelError
from symlie.ir.straightline import Instruction, Lines, Operand

ORDER, SUMS, KEPT = "k", "sums", "kept"
"""Names, in stages, of the order k, of the sums of all products, and of values of order 0."""


ARGUMENTS, SLOPES, COMPOSITIONS = "arguments", "slopes", "compositions"
"""Names, in stages, of the arguments, of f_1 of all functions, and of the sums of (1)."""

Rule = Callable[..., Operand | None]
"""Rule for the coefficient of order k of an operator."""

STEPS = frozenset(
    {
        "copysign",
        "rint",
        "sign",
        "input input_begin",
        "input input_end",
        "table interpolate_slope",
        "table interval_begin",
        "table interval_end",
    }
)
"""Operators whose results are constant within a step. Counted turns jump where the angle to which they are added jumps,
so that the series of the angle continues the sum."""


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


class Functions:
    """Numbers of the non-elementary functions of a jet; ``arguments`` maps their operands to indices."""

    def __init__(self) -> None:
        self.arguments: dict[Operand, int] = {}
        self._compositions: dict[Composition, int] = {}

    def number(self, function: ScalarFunction, argument: Operand) -> int:
        """Return the number of a function of an argument, in order of first use."""
        place = self.arguments.setdefault(argument, len(self.arguments))
        return self._compositions.setdefault(Composition(place, function), len(self._compositions))

    @property
    def compositions(self) -> tuple[Composition, ...]:
        """All compositions, ordered by argument."""
        return tuple(sorted(self._compositions, key=lambda c: c.argument))

    @property
    def names(self) -> dict[str, str]:
        """Final names of slopes and compositions, by their provisional names."""
        numbers = [self._compositions[c] for c in self.compositions]
        return {f"{label} {n}": f"{label}[{k}]" for k, n in enumerate(numbers) for label in (SLOPES, COMPOSITIONS)}


class JetValues:
    """Common state of both passes through a straight line: stored values, products and functions."""

    def __init__(
        self, begin: Lines, rules: Mapping[str, Rule], constant: tuple[str, ...], later: tuple[str, ...]
    ) -> None:
        # ``begin`` holds the statements of order 0, with the auxiliary functions that the rules need.
        self.begin, self.rules, self.constant, self.later = begin, rules, constant, later
        self.statements = tuple(begin.instructions)
        self.kept: dict[Operand, int] = {}
        self.products: dict[Product, str] = {}
        self.functions = Functions()
        self._constants: set[Operand] = set()
        self._later: set[Operand] = set()

    def note(self, instruction: Instruction) -> None:
        """Record the dependencies of a value."""
        target, operands = instruction.target, instruction.operands
        if instruction.operator in STEPS or all(map(self.is_constant, operands)):
            self._constants.add(target)
        if any(map(self.is_later, operands)):
            self._later.add(target)

    def is_constant(self, operand: Operand) -> bool:
        """Return whether an operand is constant in time."""
        return isinstance(operand, float) or operand in self._constants or operand.startswith(self.constant)

    def is_later(self, operand: Operand) -> bool:
        """Return whether an operand depends on inputs that are computed later."""
        if isinstance(operand, float):
            return False
        return operand in self._later or (bool(self.later) and operand.startswith(self.later))

    def sum_of(self, product: Product) -> str:
        """Return the provisional name of the sum of a product, used until all products are known."""
        return self.products.setdefault(product, f"product {len(self.products)}")


class Pass:
    """Coefficients of order k of all values without late inputs, or the contributions of these."""

    def __init__(self, values: JetValues, *, of_rest: bool) -> None:
        self.of, self.of_rest = values, of_rest
        self.lines = Lines()
        self._known: dict[Operand, Operand | None] = {}
        self._statements: dict[Operand, Instruction] = {i.target: i for i in values.statements}
        for target in self._statements:
            self._follow(target)

    def _follow(self, target: Operand) -> None:
        """Apply the rules of the operands and of a statement; a rule may use values that are computed after it."""
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
        rule = self.of.rules.get(operator)
        if rule is None:
            raise ModelError(
                f"'{operator.split()[-1]}' has no rule; use another method, such as half_explicit_5 or rkmk_dopri5."
            )
        return rule(self, target, *operands)
