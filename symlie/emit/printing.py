"""Conversion of instructions to readable statements, common to all printers."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Sequence

import sympy

from symlie.contract.signature import Argument
from symlie.ir.program import Program
from symlie.ir.schemes import Scheme, closed_form
from symlie.ir.straightline import Operand, StraightLine, flatten

LONGEST_EXPRESSION = 90
"""Length of an expression above which it is assigned to a variable."""


INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
"""Operators with the same symbol in both languages."""


def is_of_model(slot: Operand) -> bool:
    """Return whether the slot of an input is a parameter of the model; otherwise instance data choose it."""
    return str(slot).startswith("p[")


class Printer(ABC):
    """A target language: notation of constants and operators."""

    def constant(self, value: float) -> str:
        """Return a decimal constant that round-trips exactly."""
        text = self.literal(value)
        return f"({text})" if value < 0 else text

    def operation(self, operator: str, operands: Sequence[str]) -> str:
        """Return an operator applied to printed operands, in parentheses if it is an infix operator."""
        if operator in INFIX:
            return f"({operands[0]} {INFIX[operator]} {operands[1]})"
        if operator == "neg":
            return f"(-{operands[0]})"
        kind, _, name = operator.rpartition(" ")
        if kind == "table":
            position, abscissa, value, count = operands
            return self.table(name, position, abscissa, value, int(float(count)))
        if kind == "input":
            position, slot, component, derivative = operands
            if is_of_model(slot):
                return self.input(name, position, slot, int(float(component)), int(float(derivative)))
            return self.chosen_input(name, position, slot, component, int(float(derivative)))
        return self.call(name, operands) if kind == "call" else self.function(name, operands)

    def fused(self, operator: str, operands: Sequence[str], factors: Sequence[tuple[str, str] | None]) -> str | None:
        """Return ``add`` or ``sub`` fused with a product among its operands, or None; factors are given for inlined
        products."""
        return None

    def literal(self, value: float) -> str:
        """Return a number with its sign."""
        return repr(value)

    @abstractmethod
    def function(self, name: str, operands: Sequence[str]) -> str:
        """Return the call of a function of the language or of the primitives in every generated file."""

    @abstractmethod
    def call(self, name: str, operands: Sequence[str]) -> str:
        """Return the call of a coefficient function or of an auxiliary function."""

    @abstractmethod
    def table(self, name: str, position: str, abscissa: str, value: str, count: int) -> str:
        """Return the lookup in a table of `count` points, given by its first abscissa and value."""

    @abstractmethod
    def input(self, name: str, position: str, slot: str, component: int, derivative: int) -> str:
        """Return the lookup in a run-time table, given by the first number of its slot."""

    @abstractmethod
    def chosen_input(self, name: str, position: str, slot: str, component: str, derivative: int) -> str:
        """Return the lookup in the run-time table that instance data choose."""


def print_statements(
    body: StraightLine, printer: Printer, repeated: Collection[str] = ()
) -> tuple[list[tuple[str, str]], list[str]]:
    """Print instructions in order as pairs (name, expression), and the outputs; short expressions used once are
    inlined, except in users of the loop instructions `repeated`."""
    uses = Counter(o for i in body.instructions for o in i.operands if isinstance(o, str))
    uses.update(o for o in body.outputs if isinstance(o, str))
    before = {o for i in body.instructions if i.target in repeated for o in i.operands if o not in repeated}
    printed: dict[str, str] = {}
    products: dict[Operand, tuple[str, str]] = {}
    statements: list[tuple[str, str]] = []

    def show(operand: Operand) -> str:
        return printed.get(operand, operand) if isinstance(operand, str) else printer.constant(operand)

    for instruction in body.instructions:
        operator, operands, text = instruction.operator, [show(o) for o in instruction.operands], None
        if operator in ("add", "sub"):
            text = printer.fused(operator, operands, [products.get(o) for o in instruction.operands])
        text = text or printer.operation(operator, operands)
        if uses[instruction.target] == 1 and instruction.target not in before and len(text) <= LONGEST_EXPRESSION:
            printed[instruction.target] = text
            if operator == "mul":
                products[instruction.target] = operands[0], operands[1]
        else:
            name = f"s{len(statements)}"
            printed[instruction.target] = name
            statements.append((name, _without_outer_parentheses(text)))
    return statements, [_without_outer_parentheses(show(o)) for o in body.outputs]


def print_closed_form(scheme: Scheme, printer: Printer) -> tuple[list[tuple[str, str]], str]:
    """Return statements and result of the closed form of a coefficient function in z; empty without closed form."""
    if not scheme.has_closed_form:
        return [], ""
    z = sympy.Symbol("z", nonnegative=True)
    statements, (result,) = print_statements(flatten(Program(), [closed_form(scheme.base_name, z)], {z: "z"}), printer)
    return statements, result


def _without_outer_parentheses(text: str) -> str:
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and position < len(text) - 1:
            return text
    return text[1:-1]


def loaded_components(arguments: Sequence[Argument], expressions: Sequence[str]) -> list[tuple[str, str]]:
    """Return names, such as ``theta2``, and addresses of the argument components that occur in expressions."""
    words = set(re.findall(r"\w+", " ".join(expressions)))
    names = [(f"{a.name}{k}", f"{a.name}[{k}]") for a in arguments for k in range(a.size or 0)]
    return [(name, place) for name, place in names if name in words]
