"""Functions of one variable as lists of operations, parsed from generated C.

The proof applies to the text that a compiler reads, independently of its generation.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import re
from dataclasses import dataclass

import numpy as np
from pycparser import CParser, c_ast
from pycparser.c_parser import ParseError

from symlie.certify.source_text import function_text
from symlie.errors import FormatError
from symlie.ir.schemes import Precision

Operand = str | float
"""Name of an operation or of the argument, or a constant."""

CALLS = ("sqrt", "sin", "cos", "tan")
"""Functions of the mathematical library with known or assumed rounding."""

ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "/": "div"}


@dataclass(frozen=True)
class Operation:
    """Operation ``target = operator(operands)`` with one rounding."""

    target: str
    operator: str
    operands: tuple[Operand, ...]


@dataclass(frozen=True)
class Branch:
    """Operations on one interval of the argument."""

    lower: float
    upper: float
    """Smallest and largest argument, both included; inf if unbounded."""
    operations: tuple[Operation, ...]
    result: Operand
    """NaN if the function is undefined."""


@dataclass(frozen=True)
class OperationList:
    """Function parsed from source, with its branches for arguments ≥ 0 in order."""

    name: str
    argument: str
    precision: Precision
    branches: tuple[Branch, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical list, without its name."""
        return hashlib.sha256(json.dumps(self.to_json()).encode()).hexdigest()

    def to_json(self) -> list[dict[str, object]]:
        """Return the branches with hexadecimal constants."""

        def spelled(operand: Operand) -> str:
            return operand.hex() if isinstance(operand, float) else operand

        return [
            {
                "lower": b.lower.hex(),
                "upper": b.upper.hex(),
                "operations": [[o.target, o.operator, *map(spelled, o.operands)] for o in b.operations],
                "result": spelled(b.result),
            }
            for b in self.branches
        ]


def parse_function(source: str, name: str) -> OperationList:
    """Parse a function of one variable from C source, or raise `FormatError` for unsupported syntax."""
    text = re.sub(r"/\*.*?\*/", "", function_text(source, name), flags=re.DOTALL).replace("SYMLIE_COLD", "static")
    try:
        tree = _parser().parse(text)
    except ParseError as error:
        raise FormatError(f"The function {name} cannot be parsed: {error}.") from error
    functions = {f.decl.name: f for f in tree.ext if isinstance(f, c_ast.FuncDef)}
    reader = _Reader(functions, name)
    return reader.read()


@functools.cache
def _parser() -> CParser:
    return CParser()


class _Reader:
    def __init__(self, functions: dict[str, c_ast.FuncDef], name: str) -> None:
        self.functions = functions
        self.name = name
        parameter = functions[name].decl.type.args.params[0]
        self.argument: str = parameter.name
        self.precision: Precision = "float" if _type_of(parameter) == "float" else "double"
        self.branches: list[Branch] = []

    def read(self) -> OperationList:
        self._function(self.name, 0.0, math.inf)
        branches = sorted(self.branches, key=lambda b: b.lower)
        return OperationList(self.name, self.argument, self.precision, tuple(branches))

    def _refuse(self, node: c_ast.Node | None, what: str) -> FormatError:
        where = f" ({node.coord})" if node is not None and node.coord else ""
        return FormatError(f"The function {self.name} cannot be proved: {what}{where}.")

    def _function(self, name: str, lower: float, upper: float) -> None:
        definition = self.functions.get(name)
        if definition is None:
            raise self._refuse(None, f"it calls {name}, whose definition is not in the source")
        (parameter,) = definition.decl.type.args.params
        if {_type_of(parameter), _type_of(definition.decl.type)} != {self.precision}:
            raise self._refuse(definition, f"{name} mixes float and double")
        block = _Block(self, parameter.name)
        for statement in definition.body.block_items:
            if isinstance(statement, c_ast.If):
                lower, upper = self._guard(statement, parameter.name, block, lower, upper)
            elif isinstance(statement, c_ast.Decl) and statement.init is not None:
                if _type_of(statement) != self.precision:
                    raise self._refuse(statement, f"{statement.name} has another type than the argument")
                block.names[statement.name] = block.operand(statement.init)
            elif isinstance(statement, c_ast.Return):
                self._result(statement.expr, block, lower, upper)
                return
            elif not isinstance(statement, c_ast.Cast):  # (void)z;
                raise self._refuse(statement, f"a {type(statement).__name__} is not a declaration, guard or return")
        raise self._refuse(definition, f"{name} does not return")

    def _result(self, node: c_ast.Node, block: _Block, lower: float, upper: float) -> None:
        if isinstance(node, c_ast.FuncCall) and node.name.name in self.functions:
            (argument,) = node.args.exprs
            if block.operand(argument) != self.argument:
                raise self._refuse(node, "a function is called with an expression other than the argument")
            self._function(node.name.name, lower, upper)
            return
        result = math.nan if _is_nan(node) else block.operand(node)
        self.branches.append(Branch(lower, upper, block.needed(result), result))

    def _guard(self, node: c_ast.If, argument: str, block: _Block, lower: float, upper: float) -> tuple[float, float]:
        """Split an interval at ``if (!(z <= c)) return …;`` or ``if (z < c) return …;``, an exact comparison."""
        if not isinstance(node.iftrue, c_ast.Return) or node.iffalse is not None:
            raise self._refuse(node, "a guard contains a statement other than return")
        condition = node.cond
        if isinstance(condition, c_ast.FuncCall) and condition.name.name == "SYMLIE_UNLIKELY":
            (condition,) = condition.args.exprs
        is_negated = isinstance(condition, c_ast.UnaryOp) and condition.op == "!"
        if is_negated:
            condition = condition.expr
        if not (isinstance(condition, c_ast.BinaryOp) and condition.op in ("<", "<=")):
            raise self._refuse(node, "a guard is not of the form z < constant or z <= constant")
        if not (isinstance(condition.left, c_ast.ID) and condition.left.name == argument):
            raise self._refuse(node, "a guard does not compare the argument")
        bound = block.operand(condition.right)
        if not isinstance(bound, float):
            raise self._refuse(node, "a guard does not compare with a constant")
        below = _neighbour(bound, -math.inf, self.precision) if condition.op == "<" else bound
        above = _neighbour(below, math.inf, self.precision)
        inside, outside = (max(lower, above), upper), (lower, min(upper, below))
        if not is_negated:
            inside, outside = outside, inside
        self._result(node.iftrue.expr, block.copy(), *inside)
        return outside


class _Block:
    """Operations along one path through the function."""

    def __init__(self, reader: _Reader, argument: str) -> None:
        self.reader = reader
        self.names: dict[str, Operand] = {argument: reader.argument}
        self.operations: list[Operation] = []

    def copy(self) -> _Block:
        other = _Block(self.reader, self.reader.argument)
        other.names, other.operations = dict(self.names), list(self.operations)
        return other

    def operand(self, node: c_ast.Node) -> Operand:
        if isinstance(node, c_ast.Constant):
            return self._constant(node)
        if isinstance(node, c_ast.ID):
            if node.name not in self.names:
                raise self.reader._refuse(node, f"{node.name} is not known")
            return self.names[node.name]
        if isinstance(node, c_ast.UnaryOp) and node.op == "-":
            inner = self.operand(node.expr)
            return -inner if isinstance(inner, float) else self._add("neg", inner)
        if isinstance(node, c_ast.BinaryOp) and node.op in ARITHMETIC:
            return self._add(ARITHMETIC[node.op], self.operand(node.left), self.operand(node.right))
        if isinstance(node, c_ast.FuncCall):
            name = node.name.name
            plain = name.removesuffix("f") if self.reader.precision == "float" else name
            if plain in CALLS and (plain != name) == (self.reader.precision == "float"):
                return self._add(plain, *(self.operand(a) for a in node.args.exprs))
        raise self.reader._refuse(node, f"a {type(node).__name__} is not constant, arithmetic or one of {CALLS}")

    def _constant(self, node: c_ast.Constant) -> float:
        text = node.value
        if node.type == "float":
            text = text.rstrip("fF")
        elif node.type == "double" and self.reader.precision == "float":
            raise self.reader._refuse(node, f"the constant {text} has double precision")
        elif node.type not in ("double", "int"):
            raise self.reader._refuse(node, f"the constant {text} has the type {node.type}")
        value = float.fromhex(text) if text.lower().startswith("0x") else float(text)
        return float(np.float32(text)) if self.reader.precision == "float" and "0x" not in text.lower() else value

    def _add(self, operator: str, *operands: Operand) -> Operand:
        target = f"v{len(self.operations)}"
        self.operations.append(Operation(target, operator, operands))
        return target

    def needed(self, result: Operand) -> tuple[Operation, ...]:
        wanted = {result}
        kept: list[Operation] = []
        for operation in reversed(self.operations):
            if operation.target in wanted:
                wanted.update(operation.operands)
                kept.append(operation)
        return tuple(reversed(kept))


def _type_of(node: c_ast.Node) -> str:
    while not isinstance(node, c_ast.IdentifierType):
        node = node.type
    return str(node.names[-1])


def _is_nan(node: c_ast.Node) -> bool:
    """Return whether a node is ``(double)NAN``, with the cast of a float macro."""
    return isinstance(node, c_ast.Cast) and isinstance(node.expr, c_ast.ID) and node.expr.name == "NAN"


def _neighbour(x: float, towards: float, precision: Precision) -> float:
    single = precision == "float"
    return float(np.nextafter(np.float32(x), np.float32(towards))) if single else math.nextafter(x, towards)
