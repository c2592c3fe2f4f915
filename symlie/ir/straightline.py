"""Flat instruction lists: the last form before printing, the same for every target language.

A program of assignments becomes instructions of one operator each, with value numbering. Both printers preserve the
order of every operation, so C without contraction and NumPy agree bitwise if the mathematical library does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy
from sympy import Expr, Symbol

from symlie.contract.constants import WHOLE_TURN
from symlie.errors import ModelError
from symlie.ir.primitives import (
    AngleExcess,
    CoefficientFunction,
    FullAngleRatio,
    HalfAngleRatio,
    NearestTurn,
    PiecewiseLinear,
    PiecewiseSlope,
    RotationQuaternion,
    RunTimeInput,
    Select,
)
from symlie.ir.program import Assignment, Program, lower
from symlie.ir.schemes import Scheme, scheme_for

Operand = str | float
"""Reference (an input such as ``y[3]``, or an instruction's target) or constant."""

FUNCTIONS = {
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "atan2": "atan2",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "exp": "exp", "log": "log", "Abs": "abs", "Max": "maximum",
    "Min": "minimum", "sign": "sign",
}  # fmt: skip
"""Operators of the SymPy functions that models may contain."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """``target = operator(operands)``."""

    target: str
    operator: str
    operands: tuple[Operand, ...]


@dataclass(frozen=True)
class StraightLine:
    """Instructions in order, the operands that hold the outputs, and the schemes of the primitives used."""

    instructions: tuple[Instruction, ...]
    outputs: tuple[Operand, ...]
    schemes: tuple[Scheme, ...]

    @property
    def operation_count(self) -> int:
        """Number of instructions; a coefficient function counts one."""
        return len(self.instructions)


_PRIMITIVES = (
    AngleExcess, CoefficientFunction, HalfAngleRatio, RotationQuaternion, PiecewiseLinear, PiecewiseSlope, RunTimeInput,
    NearestTurn, Select, sympy.exp,
)  # fmt: skip


def check_functions(expression: Expr) -> None:
    """Check that all functions in an expression are compilable; otherwise raise `ModelError`."""
    for function in sorted(expression.atoms(sympy.Function), key=str):
        if type(function).__name__ not in FUNCTIONS and not isinstance(function, _PRIMITIVES):
            raise _refused(function)


def _refused(expression: Expr) -> ModelError:
    return ModelError(
        f"The function '{type(expression).__name__}' in '{expression}' cannot be compiled; use one of: "
        f"{', '.join(sorted(FUNCTIONS))}, select, powers and roots."
    )


class Lines:
    """Growing list of distinct instructions, which may continue a `StraightLine`."""

    def __init__(self, instructions: Sequence[Instruction] = ()) -> None:
        self.instructions = list(instructions)
        self._numbers = {(i.operator, i.operands): i.target for i in instructions}

    def emit(self, operator: str, *operands: Operand) -> Operand:
        """Return the result of an operator, appending an instruction if it is new."""
        if operator in {"add", "mul"}:
            operands = tuple(sorted(operands, key=lambda o: (isinstance(o, float), str(o))))
        key = (operator, operands)
        if key not in self._numbers:
            target = f"s{len(self.instructions)}"
            self._numbers[key] = target
            self.instructions.append(Instruction(target, operator, operands))
        return self._numbers[key]


class _Flattener(Lines):
    def __init__(self, references: Mapping[Symbol, str]) -> None:
        super().__init__()
        self.operands: dict[Expr, Operand] = dict(references)
        self.schemes: dict[str, Scheme] = {}

    def flatten(self, expression: Expr) -> Operand:
        known = self.operands.get(expression)
        if known is None:
            known = self._flatten(expression)
            self.operands[expression] = known
        return known

    def _flatten(self, expression: Expr) -> Operand:
        if expression.is_Atom and expression.is_finite is False:  # SymPy would prove it slowly for others
            raise ModelError(f"An expression contains {expression}, which is not a finite number.")
        if expression.is_Number or expression.is_NumberSymbol:
            return _constant(expression)
        if expression.is_Symbol:
            raise ModelError(
                f"Unknown symbol '{expression}': it is neither a parameter, nor the time, nor a component of a node; "
                "declare it with model.parameter(...)."
            )
        if expression.is_Add:
            return self._sum(expression.args)
        if expression.is_Mul:
            return self._product(expression)
        if expression.is_Pow:
            return self._power(*expression.as_base_exp())
        return self._function(expression)

    def _sum(self, terms: Sequence[Expr]) -> Operand:
        positive = [t for t in terms if not _is_negative(t)]
        negative = [-t for t in terms if _is_negative(t)]
        if positive:
            total = self.flatten(positive[0])
            for term in positive[1:]:
                total = self.emit("add", total, self.flatten(term))
        else:
            total = self.emit("neg", self.flatten(negative.pop(0)))
        for term in negative:
            total = self.emit("sub", total, self.flatten(term))
        return total

    def _product(self, expression: Expr) -> Operand:
        coefficient, factors = expression.as_coeff_mul()
        if coefficient == -1:
            return self.emit("neg", self.flatten(-expression))
        numerator = [f for f in factors if not _is_reciprocal(f)]
        denominator = [1 / f for f in factors if _is_reciprocal(f)]
        operands = [self.flatten(f) for f in numerator]
        if coefficient != 1 or not operands:
            operands.insert(0, self.flatten(coefficient))
        product = operands[0]
        for operand in operands[1:]:
            product = self.emit("mul", product, operand)
        if denominator:
            divisor = self.flatten(denominator[0])
            for factor in denominator[1:]:
                divisor = self.emit("mul", divisor, self.flatten(factor))
            product = self.emit("div", product, divisor)
        return product

    def _power(self, base: Expr, exponent: Expr) -> Operand:
        if exponent.is_Integer:
            if exponent < 0:
                return self.emit("div", 1.0, self.flatten(base ** (-exponent)))
            half, odd = divmod(int(exponent), 2)
            square = self.flatten(base**half) if half > 1 else self.flatten(base)
            square = self.emit("mul", square, square)
            return self.emit("mul", square, self.flatten(base)) if odd else square
        if exponent.is_Rational and exponent.q == 2:
            root = self.emit("sqrt", self.flatten(base))
            whole = (exponent.p - 1) // 2 if exponent.p > 0 else (exponent.p + 1) // 2
            if exponent.p == 1:
                return root
            if exponent.p == -1:
                return self.emit("div", 1.0, root)
            power = self.flatten(base**whole)
            return self.emit("mul", power, root) if exponent.p > 0 else self.emit("div", power, root)
        if base == sympy.E:
            return self.emit("exp", self.flatten(exponent))
        return self.emit("pow", self.flatten(base), self.flatten(exponent))

    def _function(self, expression: Expr) -> Operand:
        if isinstance(expression, CoefficientFunction):
            scheme = scheme_for(expression)
            self.schemes[scheme.function] = scheme
            return self.emit(f"call {scheme.function}", self.flatten(expression.argument))
        if isinstance(expression, AngleExcess | HalfAngleRatio | FullAngleRatio | RotationQuaternion):
            return self.emit(f"call {expression.primitive_name}", *(self.flatten(a) for a in expression.args))
        if isinstance(expression, PiecewiseLinear | PiecewiseSlope):
            position, abscissa, value, count = (self.flatten(a) for a in expression.args)
            return self.emit(f"table {expression.primitive_name}", position, abscissa, value, count)
        if isinstance(expression, RunTimeInput):
            return self.emit("input input", *(self.flatten(a) for a in expression.args[:4]))
        if isinstance(expression, NearestTurn):
            turns = self.emit("rint", self.emit("div", self.flatten(expression.args[0]), WHOLE_TURN))
            return self.emit("mul", turns, WHOLE_TURN)
        if isinstance(expression, Select):
            return self.emit("select", *(self.flatten(a) for a in expression.args))
        if isinstance(expression, sympy.exp):
            return self.emit("exp", self.flatten(expression.args[0]))
        operator = FUNCTIONS.get(type(expression).__name__)
        if operator is None:
            raise _refused(expression)
        operands = [self.flatten(a) for a in expression.args]
        if operator in {"maximum", "minimum"}:
            result = operands[0]
            for operand in operands[1:]:
                result = self.emit(operator, result, operand)
            return result
        return self.emit(operator, *operands)


def _constant(number: Expr) -> float:
    if number.is_Rational:
        return float(Fraction(int(number.p), int(number.q)))
    return float(number)


def _is_negative(term: Expr) -> bool:
    return bool(term.as_coeff_Mul()[0].is_negative)


def _is_reciprocal(factor: Expr) -> bool:
    return bool(factor.is_Pow and factor.exp.is_Rational and factor.exp.is_negative)


def flatten(program: Program, outputs: Sequence[Expr], references: Mapping[Symbol, str]) -> StraightLine:
    """Lower a program and flatten it to instructions; raise `ModelError` for unknown symbols and functions."""
    # ``references`` are the texts of the input symbols, such as ``q[3]``.
    lowered, expressions = lower(program, outputs)
    flattener = _Flattener(references)
    for statement in lowered.statements:
        if not isinstance(statement, Assignment):
            raise TypeError(f"{statement} was not lowered")
        flattener.operands[statement.symbol] = flattener.flatten(statement.expression)
    results = tuple(flattener.flatten(sympy.sympify(e)) for e in expressions)
    return pruned(flattener.instructions, results, flattener.schemes)


def by_output(body: StraightLine) -> StraightLine:
    """Sort the instructions by the outputs that need them."""
    # Fewer values of long functions are live at once, which saves C compilers a third of their time.
    defined: dict[Operand, Instruction] = {i.target: i for i in body.instructions}
    ordered: dict[Operand, Instruction] = {}
    for output in body.outputs:
        waiting = [output]
        while waiting:
            operands = defined[waiting[-1]].operands if waiting[-1] in defined else ()
            needed = [o for o in operands if o in defined and o not in ordered]
            waiting += reversed(needed)
            if not needed and (last := waiting.pop()) in defined:
                ordered[last] = defined[last]
    return pruned(tuple(ordered.values()), body.outputs, {s.function: s for s in body.schemes})


def pruned(
    instructions: Sequence[Instruction], outputs: tuple[Operand, ...], schemes: Mapping[str, Scheme]
) -> StraightLine:
    """Return the instructions that the outputs need, renumbered."""
    needed = {o for o in outputs if isinstance(o, str)}
    kept: list[Instruction] = []
    for instruction in reversed(instructions):
        if instruction.target in needed:
            needed |= {o for o in instruction.operands if isinstance(o, str)}
            kept.append(instruction)
    kept.reverse()
    names = {i.target: f"s{n}" for n, i in enumerate(kept)}

    def rename(operand: Operand) -> Operand:
        return names.get(operand, operand) if isinstance(operand, str) else operand

    renamed = tuple(Instruction(names[i.target], i.operator, tuple(map(rename, i.operands))) for i in kept)
    used = {i.operator.removeprefix("call ") for i in kept}
    return StraightLine(
        renamed, tuple(map(rename, outputs)), tuple(schemes[name] for name in sorted(schemes) if name in used)
    )
