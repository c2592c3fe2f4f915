"""Constants of a run: values that depend only on parameters are computed once, not in every evaluation.

They extend the parameter vector, p[n], p[n+1], …; a kernel ``prepare`` computes them.
"""

from __future__ import annotations

from dataclasses import replace

from symlie.ir.straightline import Instruction, Operand, StraightLine


class ParameterHoisting:
    """Collector of parameter-only subexpressions of several kernels; the constants follow the ``count`` parameters."""

    def __init__(self, count: int, name: str, constant_prefixes: tuple[str, ...] = ()) -> None:
        self.count = count
        self.name = name
        self.constant_prefixes = constant_prefixes or (f"{name}[",)
        self._instructions: list[Instruction] = []
        self._targets: dict[tuple[str, tuple[Operand, ...]], str] = {}
        self._positions: dict[str, int] = {}

    @property
    def size(self) -> int:
        """Length of the extended parameter vector."""
        return self.count + len(self._positions)

    def apply(self, body: StraightLine) -> StraightLine:
        """Replace the parameter-only values of a kernel by components of the extended parameter vector."""
        constant: dict[str, str] = {}
        kept: list[Instruction] = []
        for instruction in body.instructions:
            operands = instruction.operands
            if all(isinstance(o, float) or o.startswith(self.constant_prefixes) or o in constant for o in operands):
                known = tuple(constant.get(o, o) if isinstance(o, str) else o for o in operands)
                constant[instruction.target] = self._intern(instruction.operator, known)
            else:
                kept.append(instruction)

        def placed(operand: Operand) -> Operand:
            if isinstance(operand, str) and operand in constant:
                return self._place(constant[operand])
            return operand

        kept = [replace(i, operands=tuple(map(placed, i.operands))) for i in kept]
        return replace(body, instructions=tuple(kept), outputs=tuple(map(placed, body.outputs)))

    def prepare(self) -> StraightLine:
        """Return the instructions of ``prepare``, whose outputs are the extended parameter vector."""
        outputs: list[Operand] = [f"{self.name}[{k}]" for k in range(self.count)]
        outputs += list(self._positions)
        return StraightLine(tuple(self._instructions), tuple(outputs), ())

    def _intern(self, operator: str, operands: tuple[Operand, ...]) -> str:
        key = (operator, operands)
        if key not in self._targets:
            target = f"s{len(self._instructions)}"
            self._targets[key] = target
            self._instructions.append(Instruction(target, operator, operands))
        return self._targets[key]

    def _place(self, target: str) -> str:
        position = self._positions.setdefault(target, len(self._positions))
        return f"{self.name}[{self.count + position}]"
