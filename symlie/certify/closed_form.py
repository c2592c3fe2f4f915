"""Closed forms of coefficient functions as typed by users: C text and exact interpretation.

A closed form consists of w, numbers, + - * / **, sin, cos and tan. As a function of complex w it is a quotient N/D of
entire functions, with tan u = sin u/cos u.
"""

from __future__ import annotations

import ast
import functools
import operator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, TypeVar

from flint import acb, ctx, fmpq, fmpq_series

from symlie.errors import FormatError
from symlie.ir.schemes import Precision

FUNCTIONS = ("sin", "cos", "tan")
"""Functions that the proofs support."""

LARGEST_POWER = 24

Tree: TypeAlias = Fraction | str | tuple["str | Tree", ...]
"""Number, ``"w"``, or operation with its operands."""

Number = TypeVar("Number", acb, fmpq_series)

_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}


@dataclass(frozen=True)
class ClosedForm:
    """Closed form as typed by a user."""

    text: str
    """Text as typed."""
    tree: Tree
    """Operations."""

    def c_text(self, precision: Precision = "double") -> str:
        """Return C code with the operations in the order of the text; w**3 becomes w * w * w."""
        return _c_text(self.tree, "f" if precision == "float" else "")

    def quotient(self) -> tuple[Tree, Tree]:
        """Return N and D, or raise `FormatError` if the argument of a function has a pole."""
        return _quotient(self.tree, self.text)

    def is_even(self) -> bool:
        """Return whether the parity of the parts proves f(-w) = f(w)."""
        return _parity(self.tree) == 1


def closed_form(text: str) -> ClosedForm:
    """Parse a closed form such as ``(w - sin(w)) / w**3``, where z denotes w², or raise `FormatError`."""
    try:
        parsed = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        where = f", at column {error.offset}" if isinstance(error, SyntaxError) and error.offset else ""
        raise FormatError(f"'{text}' is not a formula{where}; write it as in (w - sin(w)) / w**3.") from error
    return ClosedForm(text, _read(parsed, text))


def _read(node: ast.expr, text: str) -> Tree:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return Fraction(ast.get_source_segment(text.strip(), node) or str(node.value))
    if isinstance(node, ast.Name) and node.id in ("w", "z"):
        return "w" if node.id == "w" else ("*", "w", "w")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return ("neg", _read(node.operand, text))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        sign = _OPERATORS[type(node.op)]
        left, right = _read(node.left, text), _read(node.right, text)
        if sign != "**":
            return (sign, left, right)
        if not (isinstance(right, Fraction) and right.denominator == 1 and 1 <= right <= LARGEST_POWER):
            raise _refused(node, text, f"the exponent is not a whole number from 1 to {LARGEST_POWER}")
        return functools.reduce(lambda product, factor: ("*", product, factor), [left] * int(right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
        if len(node.args) == 1 and not node.keywords:
            return (node.func.id, _read(node.args[0], text))
        raise _refused(node, text, f"{node.func.id} takes one argument")
    what = ast.get_source_segment(text.strip(), node) or type(node).__name__
    raise _refused(node, text, f"'{what}' is not w, z, a number, arithmetic or one of {', '.join(FUNCTIONS)}")


def _refused(node: ast.expr, text: str, why: str) -> FormatError:
    return FormatError(f"The formula '{text}' cannot be checked: at column {node.col_offset + 1}, {why}.")


def _c_text(tree: Tree, suffix: str) -> str:
    if isinstance(tree, Fraction):
        return f"{float(tree)!r}{suffix}"
    if isinstance(tree, str):
        return tree
    name, *operands = tree
    parts = [_c_text(operand, suffix) for operand in operands]
    if name == "neg":
        return f"-({parts[0]})"
    if name in FUNCTIONS:
        return f"{name}{suffix}({parts[0]})"
    return f"({parts[0]} {name} {parts[1]})"


def _parity(tree: Tree) -> int:
    """Return 1 for even functions, -1 for odd ones, and 0 if the parity is not evident."""
    if isinstance(tree, Fraction):
        return 1
    if isinstance(tree, str):
        return -1
    name, *operands = tree
    parities = [_parity(operand) for operand in operands]
    if name in ("+", "-"):
        return parities[0] if parities[0] == parities[1] else 0
    if name in ("*", "/"):
        return parities[0] * parities[1]
    return abs(parities[0]) if name == "cos" else parities[0] if name == "neg" else min(parities[0], 0)


def _quotient(tree: Tree, text: str) -> tuple[Tree, Tree]:
    one = Fraction(1)
    if isinstance(tree, Fraction | str):
        return tree, one
    name, *operands = tree
    parts = [_quotient(operand, text) for operand in operands]
    a, b = parts[0]
    if name == "neg":
        return ("neg", a), b
    if name in FUNCTIONS:
        if not isinstance(b, Fraction):
            raise FormatError(f"In '{text}' the argument of {name} has a pole, so the singularity is not removable.")
        argument = a if b == 1 else ("/", a, b)
        return (("sin", argument), ("cos", argument)) if name == "tan" else ((name, argument), one)
    c, d = parts[1]
    if name == "*":
        return _product(a, c), _product(b, d)
    if name == "/":
        return (_product(a, d), _product(b, c))
    return (name, _product(a, d), _product(c, b)), _product(b, d)


def _product(a: Tree, b: Tree) -> Tree:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    return b if a == 1 else a if b == 1 else ("*", a, b)


def value_at(tree: Tree, w: acb) -> acb:
    """Return an enclosure of an entire function (N or D) over a ball."""
    if isinstance(tree, Fraction):
        return acb(fmpq(tree.numerator, tree.denominator))
    if isinstance(tree, str):
        return w
    name, *operands = tree
    return _applied(str(name), [value_at(operand, w) for operand in operands])


def series_of(tree: Tree, count: int, text: str) -> fmpq_series:
    """Return the exact Taylor series of an entire function at 0, or raise `FormatError` for irrational coefficients."""
    cap, ctx.cap = ctx.cap, count
    try:
        return _series(tree, count, text)
    finally:
        ctx.cap = cap


def _series(tree: Tree, count: int, text: str) -> fmpq_series:
    if isinstance(tree, Fraction):
        return fmpq_series([fmpq(tree.numerator, tree.denominator)], prec=count)
    if isinstance(tree, str):
        return fmpq_series([0, 1], prec=count)
    name, *operands = tree
    parts = [_series(operand, count, text) for operand in operands]
    if name in FUNCTIONS and parts[0][0] != 0:
        raise FormatError(
            f"In '{text}' the argument of {name} is not zero at w = 0, so the series has irrational coefficients; "
            "only polynomials with rational coefficients can be checked."
        )
    return _applied(str(name), parts)


_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "neg": "neg"}
"""Functions of the module `operator`; all others are methods of numbers."""


def _applied(name: str, operands: list[Number]) -> Number:
    first, *_ = operands
    found: Number = getattr(operator, _ARITHMETIC[name])(*operands) if name in _ARITHMETIC else getattr(first, name)()
    return found
