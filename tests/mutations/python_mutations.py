"""Mutations of Python: tokens of expressions whose positions follow from the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.mutations.mutation import BOUNDARY, REVERSED, SIGN, Mutation, chosen, is_tolerance, scaled

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}

_MESSAGES = ("warn", "warn_once", "stage")
"""Functions whose arguments are texts for users."""


def _is_numeric(node: ast.expr) -> bool:
    """Return whether an operand of + is not a text or a sequence."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _is_numeric(node.left) and _is_numeric(node.right)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float)
    return not isinstance(node, ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp | ast.Dict)


class _Finder:
    def __init__(self, path: str, source: bytes) -> None:
        self.path, self.source = path, source
        self.lines = [0]
        for line in source.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))

    def start(self, node: ast.expr) -> int:
        return self.lines[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr) -> int:
        return self.lines[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

    def mutation(self, kind: str, start: int, before: str, *after: str) -> Mutation:
        return Mutation(self.path, start, kind, before, chosen(after, self.path, start))

    def between(self, left: ast.expr, right: ast.expr, token: str) -> int | None:
        """Return the position of an operator between two operands."""
        gap = self.source[self.end(left) : self.start(right)].decode()
        return None if "#" in gap or gap.count(token) != 1 else self.end(left) + gap.index(token)

    def found(self, node: ast.AST) -> Iterator[Mutation]:
        """Yield the mutations of the own tokens of a node."""
        if isinstance(node, ast.Compare):
            for left, op, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
                token = _COMPARISONS.get(type(op), "")
                at = self.between(left, right, token) if token else None
                if at is not None:
                    yield self.mutation("reversed comparison", at, token, REVERSED[token])
                    if token in BOUNDARY:
                        yield self.mutation("boundary", at, token, BOUNDARY[token])
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            token = "+" if isinstance(node.op, ast.Add) else "-"
            at = self.between(node.left, node.right, token)
            if at is not None and _is_numeric(node.left) and _is_numeric(node.right):
                yield self.mutation("sign", at, token, SIGN[token])
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield self.mutation("sign", self.start(node), "-", "+")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield self.mutation("logic", self.start(node), "not ", "")
        elif isinstance(node, ast.BoolOp):
            tokens = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            at = self.between(node.values[0], node.values[1], tokens[0])
            if at is not None and len(node.values) == 2:
                yield self.mutation("logic", at, *tokens)
        elif isinstance(node, ast.Call):
            yield from self._extremum(node)
        elif isinstance(node, ast.Constant):
            yield from self._number(node)

    def _extremum(self, node: ast.Call) -> Iterator[Mutation]:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("min", "max") and len(node.args) == 2 and not node.keywords:
            yield self.mutation("extremum", self.start(node.func), name, "max" if name == "min" else "min")

    def _number(self, node: ast.Constant) -> Iterator[Mutation]:
        text = self.source[self.start(node) : self.end(node)].decode()
        if type(node.value) is int:
            after = (str(node.value + 1), str(node.value - 1)) if node.value > 0 else (str(node.value + 1),)
            yield self.mutation("integer", self.start(node), text, *after)
        elif type(node.value) is float and is_tolerance(node.value):
            yield self.mutation("tolerance", self.start(node), text, scaled(text, "1e3"), scaled(text, "1e-3"))


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node whose values matter at run time, without messages and annotations."""
    skipped: list[ast.AST | None] = []
    match node:
        case ast.Raise():
            return
        case ast.Call(func=ast.Name(id=name)) if name in _MESSAGES:
            return
        case ast.JoinedStr():
            return
        case ast.Constant(value=str()):
            return
        case ast.AnnAssign():
            skipped = [node.annotation]
        case ast.arg():
            return
        case ast.FunctionDef():
            skipped = [node.returns, *node.decorator_list]
        case ast.ClassDef():
            skipped = [*node.decorator_list]
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
    yield from (child for child in ast.iter_child_nodes(node) if child not in skipped)


def python_mutations(path: str, source: bytes) -> list[Mutation]:
    """Return all mutations of a module."""
    finder, pending, found = _Finder(path, source), [ast.parse(source)], []
    nodes: list[ast.AST] = list(pending)
    while nodes:
        node = nodes.pop()
        found += finder.found(node)
        nodes += _children(node)
    return sorted(found)
