"""Products of quaternions and vectors by seven scalar products instead of twelve.

For p = q∘(0, w) or (0, w)∘q the component p_k is the sum of ± q_i w_{i⊕k} over i ≠ k, where ⊕ adds binary digits
without carry. With all signs positive that is

    p_k = ¼ Σ_m (-1)^{|k∧m|} Q_m W_m,   Q_m = Σ_i (-1)^{|i∧m|} q_i,   W_m = Σ_j (-1)^{|j∧m|} w_j,

four products for all components, from which twice each term of the other sign is subtracted. Rounding is as for
products of the same size, since Q/2 and W/2 are rotated vectors.
Source: [HowellLafon1975], for products of two quaternions by eight.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from symlie.ir.straightline import Lines, Operand

Terms = dict[Operand, Operand]
"""Sum of non-constant values, each with its constant."""

_COMPONENT = re.compile(r"(\w+)\[(\d+)\]")


def with_fewer_products(lines: Lines, outputs: Sequence[Terms]) -> list[Terms]:
    """Return the sums of products with fewer products for quaternions times vectors; new instructions are added to
    ``lines``."""
    factors: dict[Operand, Sequence[Operand]] = {
        i.target: i.operands for i in lines.instructions if i.operator == "mul"
    }
    found, k = list(outputs), 0
    while k + 4 <= len(found):
        signs = _signs_of(found[k : k + 4], factors)
        if signs is None:
            k += 1
            continue
        found[k : k + 4] = _stated(lines, *signs)
        k += 4
    return found


_Signs = tuple[Sequence[str], Sequence[str], float, dict[tuple[int, int], int]]
"""q, w, and the constant with the sign of each q_i w_{i⊕k}, by k and i."""


def _signs_of(outputs: Sequence[Terms], factors: Mapping[Operand, Sequence[Operand]]) -> _Signs | None:
    """Return the factors and signs of four sums if they are the product of a quaternion with a vector."""
    if any(len(terms) != 3 for terms in outputs):
        return None
    pairs = [[_components(factors.get(base, ())) for base in terms] for terms in outputs]
    if any(pair is None for row in pairs for pair in row):
        return None
    parts = {part for row in pairs for pair in row if pair is not None for part in pair}
    arrays = {name: sorted(k for other, k in parts if other == name) for name, _ in parts}
    by_size = {len(places): name for name, places in arrays.items() if places[-1] - places[0] == len(places) - 1}
    if len(arrays) != 2 or set(by_size) != {3, 4}:
        return None
    q, w = ([f"{by_size[n]}[{k}]" for k in arrays[by_size[n]]] for n in (4, 3))
    place = {(by_size[n], k): m + 4 - n for n in (4, 3) for m, k in enumerate(arrays[by_size[n]])}
    sizes: set[float] = set()
    signs: dict[tuple[int, int], int] = {}
    for k, (terms, row) in enumerate(zip(outputs, pairs, strict=True)):
        for constant, pair in zip(terms.values(), row, strict=True):
            assert pair is not None
            (i,) = (place[part] for part in pair if part[0] == by_size[4])
            (j,) = (place[part] for part in pair if part[0] == by_size[3])
            if i ^ j != k or not isinstance(constant, float):
                return None
            sizes.add(abs(constant))
            signs[k, i] = 1 if constant > 0 else -1
    return (q, w, sizes.pop(), signs) if len(sizes) == 1 and len(signs) == 12 else None


def _components(operands: Sequence[Operand]) -> tuple[tuple[str, int], tuple[str, int]] | None:
    """Return the arrays and indices of two factors from different arrays."""
    matches = [_COMPONENT.fullmatch(o) for o in operands if isinstance(o, str)]
    parts = [(m[1], int(m[2])) for m in matches if m is not None]
    return (parts[0], parts[1]) if len(parts) == 2 and parts[0][0] != parts[1][0] else None


def _stated(
    lines: Lines, q: Sequence[str], w: Sequence[str], size: float, signs: Mapping[tuple[int, int], int]
) -> list[Terms]:
    of_q, of_w = _turned(lines, *q), _turned(lines, None, *w)
    products = [lines.emit("mul", x, y) for x, y in zip(of_q, of_w, strict=True)]
    found: list[Terms] = []
    for k, total in enumerate(_turned(lines, *products)):
        row = {i: sign for (row, i), sign in signs.items() if row == k}
        most = 1 if sum(row.values()) > 0 else -1
        terms: Terms = {total: most * size / 4}
        for i, sign in row.items():
            if sign != most:
                terms[lines.emit("mul", q[i], w[(i ^ k) - 1])] = -most * 2 * size
        found.append(terms)
    return found


def _turned(lines: Lines, first: Operand | None, *others: Operand) -> list[Operand]:
    """Return Σ_i (-1)^{|i∧m|} x_i of four numbers for all m; None is zero."""
    second, third, fourth = others
    low = [_sum(lines, operator, first, second) for operator in ("add", "sub")]
    high = [_sum(lines, operator, third, fourth) for operator in ("add", "sub")]
    return [_sum(lines, operator, low[m], high[m]) for operator in ("add", "sub") for m in range(2)]


def _sum(lines: Lines, operator: str, a: Operand | None, b: Operand) -> Operand:
    if a is None:
        return b if operator == "add" else lines.emit("neg", b)
    return lines.emit(operator, a, b)
