"""Copies of statements of one program in another one, with substitutions for some symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sympy import Expr, Symbol

from symlie.ir.program import Assignment, Program, Value, needed_statements


class Restatement:
    """Copies of expressions of other programs in one program; ``values`` are the substitutions of symbols."""

    def __init__(self, program: Program, values: Mapping[Symbol, Expr]) -> None:
        self._program = program
        self._known: dict[Expr, Expr] = dict(values)

    def know(self, values: Mapping[Symbol, Expr]) -> None:
        """Add substitutions for further symbols."""
        self._known |= values

    def follow(self, program: Program, outputs: Sequence[Expr]) -> None:
        """Copy the statements that some outputs need; existing substitutions are reused."""
        for statement in needed_statements(program, outputs):
            if isinstance(statement, Assignment):
                if statement.symbol not in self._known:
                    stem = statement.symbol.name.split(".")[0]
                    self._known[statement.symbol] = self._program.scalar(self.of(statement.expression), stem)
                continue
            arguments = [Value(tuple(map(self.of, a.components)), a.space) for a in statement.arguments]
            result = self._program.apply(statement.operation, *arguments)
            pairs = zip(statement.result.components, result.components, strict=True)
            self._known |= {s: c for s, c in pairs if isinstance(s, Symbol)}

    def of(self, expression: Expr) -> Expr:
        """Return the copy of an expression whose statements were copied."""
        known = self._known.get(expression)
        if known is None:
            known = self._known[expression] = self._rebuilt(expression) if expression.args else expression
        return known

    def _rebuilt(self, expression: Expr) -> Expr:
        arguments = [self.of(a) for a in expression.args]
        if all(a is b for a, b in zip(arguments, expression.args, strict=True)):
            return expression
        return self._of_arguments(expression, arguments)

    def _of_arguments(self, expression: Expr, arguments: Sequence[Expr]) -> Expr:
        """Return an expression of the same kind with other arguments."""
        return expression.func(*arguments)
