"""Common values of two straight-line programs: the jet of one computes their coefficients for the jet of the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from symlie.ir.jets.one_pass import STEPS
from symlie.ir.straightline import Instruction, Operand, StraightLine, pruned

SHARED = "shared"
"""Array name of values from another jet."""

Numbers = dict[tuple[str, tuple[Operand, ...]], str]
"""Value numbers by operator and operands, which are value numbers, too."""


def shared(
    first: StraightLine, second: StraightLine, constant: Sequence[str], later: Sequence[str]
) -> tuple[StraightLine, StraightLine, int]:
    """Return both straight lines, the first with shared values as last outputs, the second with inputs ``shared[k]``,
    and their count."""
    # Shared are values whose coefficients need products: sums of known values are cheaper than memory. ``later`` are
    # name prefixes of inputs whose coefficients the first straight line does not know in time.
    numbers: Numbers = {}
    of_first, of_second = (numbered(x.instructions, numbers, {}) for x in (first, second))
    offered = {of_first[target]: target for target in _with_products(first, tuple(constant), tuple(later))}
    common = {target for target, number in of_second.items() if number in offered}
    used = [o for i in second.instructions if i.target not in common for o in i.operands] + list(second.outputs)
    taken = list(dict.fromkeys(of_second[o] for o in used if isinstance(o, str) and o in common))
    names = {number: f"{SHARED}[{k}]" for k, number in enumerate(taken)}

    def placed(operand: Operand) -> Operand:
        return names.get(of_second[operand], operand) if isinstance(operand, str) and operand in common else operand

    rest = [replace(i, operands=tuple(map(placed, i.operands))) for i in second.instructions if i.target not in common]
    outputs = tuple(map(placed, second.outputs))
    return (
        replace(first, outputs=first.outputs + tuple(offered[number] for number in taken)),
        pruned(rest, outputs, {s.function: s for s in second.schemes}),
        len(taken),
    )


def numbered(instructions: Sequence[Instruction], numbers: Numbers, known: Mapping[str, str]) -> dict[str, str]:
    """Return the value numbers of instructions, equal for equal values, continuing ``numbers``."""
    found = dict(known)
    for i in instructions:
        operands = tuple(found.get(o, o) if isinstance(o, str) else o for o in i.operands)
        if i.operator in ("add", "mul"):
            operands = tuple(sorted(operands, key=lambda o: (isinstance(o, float), str(o))))
        found[i.target] = numbers.setdefault((i.operator, operands), f"value {len(numbers)}")
    return found


def _with_products(body: StraightLine, constant: tuple[str, ...], later: tuple[str, ...]) -> list[str]:
    """Return non-constant values that are independent of late inputs and whose coefficients need products."""
    fixed: set[Operand] = set()
    late: set[Operand] = set()
    found: dict[Operand, None] = {}

    def is_fixed(operand: Operand) -> bool:
        return isinstance(operand, float) or operand in fixed or operand.startswith(constant)

    def is_late(operand: Operand) -> bool:
        return isinstance(operand, str) and (operand in late or operand.startswith(later))

    def multiplies(instruction: Instruction) -> bool:
        moving = [not is_fixed(o) for o in instruction.operands]
        return {"add": False, "sub": False, "neg": False, "mul": all(moving), "div": moving[-1]}.get(
            instruction.operator, True
        )

    for i in body.instructions:
        if i.operator in STEPS or all(map(is_fixed, i.operands)):
            fixed.add(i.target)
        elif any(map(is_late, i.operands)):
            late.add(i.target)
        elif multiplies(i) or any(o in found for o in i.operands):
            found[i.target] = None
    return [str(target) for target in found]
