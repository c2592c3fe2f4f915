"""What both printers share: turning instructions into a few readable statements."""

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
"""Length of an expression above which it gets a name of its own."""


INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
"""Operators that both languages write the same way."""


class Printer(ABC):
    """A target language: how it writes constants and operators."""

    def constant(self, value: float) -> str:
        """A decimal constant that reads back exactly."""
        text = self.literal(value)
        return f"({text})" if value < 0 else text

    def operation(self, operator: str, operands: Sequence[str]) -> str:
        """An operator applied to printed operands, with parentheses where it is an infix operator."""
        if operator in INFIX:
            return f"({operands[0]} {INFIX[operator]} {operands[1]})"
        if operator == "neg":
            return f"(-{operands[0]})"
        kind, _, name = operator.rpartition(" ")
        if kind == "table":
            position, abscissa, value, count = operands
            return self.table(name, position, abscissa, value, int(float(count)))
        if kind == "input":
            position, slot, *numbers = operands
            return self.input(name, position, slot, *(int(float(n)) for n in numbers))
        return self.call(name, operands) if kind == "call" else self.function(name, operands)

    def fused(self, operator: str, operands: Sequence[str], factors: Sequence[tuple[str, str] | None]) -> str | None:
        """A sum or a difference with a product that is rounded with it; None where the target does not fuse them.

        Parameters
        ----------
        operator
            ``add`` or ``sub``.
        operands
            Its operands as they are printed.
        factors
            Both factors of each operand that is a product, and is written there alone.
        """
        return None

    def literal(self, value: float) -> str:
        """A number that may have a sign."""
        return repr(value)

    @abstractmethod
    def function(self, name: str, operands: Sequence[str]) -> str:
        """A function that the language has, or that every generated file has because the language does not."""

    @abstractmethod
    def call(self, name: str, operands: Sequence[str]) -> str:
        """A coefficient function, or a function that comes with it."""

    @abstractmethod
    def table(self, name: str, position: str, abscissa: str, value: str, count: int) -> str:
        """A function of so many points, whose first abscissa and value are given."""

    @abstractmethod
    def input(self, name: str, position: str, slot: str, component: int, derivative: int) -> str:
        """A function of a run-time table, the first number of whose slot is given."""


def print_statements(
    body: StraightLine, printer: Printer, repeated: Collection[str] = ()
) -> tuple[list[tuple[str, str]], list[str]]:
    """Print instructions.

    An instruction used once is written inside its user as long as that stays short; the order of operations does not
    change.

    Parameters
    ----------
    body, printer
        The instructions, and how they are written.
    repeated
        Targets of instructions that stand in a loop, and users of which no others are written inside.

    Returns
    -------
    statements
        Pairs (name, expression).
    outputs
        The printed outputs.
    """
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
    """Statements and result of the closed form of a coefficient function in z; empty if it has none."""
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
    """Names of the components of arguments that enter printed expressions, such as ``theta2``, and where they are."""
    words = set(re.findall(r"\w+", " ".join(expressions)))
    names = [(f"{a.name}{k}", f"{a.name}[{k}]") for a in arguments for k in range(a.size or 0)]
    return [(name, place) for name, place in names if name in words]
