"""Running error analysis of the checker: bounds of rounding errors of a list of operations, in units of 2^-BITS."""

from __future__ import annotations

import math
from typing import Any

from symlie.certify.checker.arithmetic import BITS, ONE, Number, largest, least, sine_cosine

FORMATS = {"double": (53, -1074), "float": (24, -149)}
"""Digits, and exponent of the smallest number, of each format."""
LIBRARY_UNITS = 1
"""Error of sin and cos in units in the last place."""

Error = tuple[int, int | None]
"""Absolute bound, and relative bound or None."""


def half(digits: int, exponent: int, binade: int) -> int:
    """Return half the spacing of numbers below 2^binade."""
    shift = BITS + max(binade - digits - 1, exponent - 1)
    return 1 << shift if shift >= 0 else 1


def rounding(digits: int, exponent: int, magnitude: int, error: int) -> int:
    """Return a bound of the rounding error of results within ``error`` of numbers up to ``magnitude``."""
    top = magnitude + error
    if top == 0:
        return 0
    binade = max(top.bit_length() - BITS, exponent)
    over = max(top - (1 << max(BITS + binade - 1, 0)), 0)
    return max(half(digits, exponent, binade - 1), min(over, half(digits, exponent, binade)))


class Roundings:
    """Bounds of the rounding errors of a branch on a cell."""

    def __init__(self, function: dict[str, Any], branch: dict[str, Any]) -> None:
        self.digits, self.exponent = FORMATS[function["precision"]]
        self.contraction = function["contraction"]
        self.operations = branch["operations"]
        uses: dict[str, set[str]] = {}
        kinds = {o[0]: o[1] for o in self.operations}
        for target, operator, *operands in self.operations:
            for p in operands:
                uses.setdefault(p, set()).add(operator if operator != "neg" else f"neg {target}")

        def fuses(name: str) -> bool:
            found = uses.get(name, set()) if name != branch["result"] else {"result"}
            return all(u in ("add", "sub") or (u.startswith("neg ") and fuses(u[4:])) for u in found)

        self.fusible = {t for t, kind in kinds.items() if kind == "mul" and fuses(t)}

    def bounds(self, ranges: dict[str, Number]) -> dict[str, Error]:
        """Return the bounds of all operations from the ranges of their exact values."""
        known: dict[str, Error] = {}
        products: dict[str, Error] = {}
        for target, operator, *operands in self.operations:
            x = [ranges[p] for p in operands]
            e = [known.get(p, (0, 0)) for p in operands]
            value = ranges[target]
            if operator in ("add", "sub"):
                choices = []
                fused = [products.get(p) for p in operands] if self.contraction != "off" else [None, None]
                if self.contraction != "on" or fused == [None, None]:
                    choices.append((e[0][0] + e[1][0], self._sterbenz(operator, x, e)))
                for k in (0, 1):
                    product = fused[k]
                    if product is not None:
                        choices.append((product[0] + e[1 - k][0], False))
                found = [self._finish(value, inherited, None, 0 if free else 1) for inherited, free in choices]
                relatives = [f[1] for f in found]
                known[target] = (
                    max(f[0] for f in found),
                    None if None in relatives else max(r for r in relatives if r is not None),
                )
            elif operator == "mul":
                absolute = (largest(x[0]) * e[1][0] + largest(x[1]) * e[0][0] + e[0][0] * e[1][0] >> BITS) + 1
                relative = None
                if e[0][1] is not None and e[1][1] is not None:
                    relative = e[0][1] + e[1][1] + (e[0][1] * e[1][1] >> BITS) + 1 if e[0][1] or e[1][1] else 0
                is_power = any(_is_power_of_two(v) for v in x)
                known[target] = self._finish(value, absolute, relative, 0 if is_power else 1)
                if target in self.fusible and not is_power:
                    products[target] = self._finish(value, absolute, relative, 0)
            elif operator == "neg":
                known[target] = e[0]
                if operands[0] in products:
                    products[target] = products[operands[0]]
            elif operator == "div":
                known[target] = self._quotient(value, x, e)
            elif operator == "sqrt":
                relative = None if e[0][1] is None or 8 * e[0][1] > ONE else e[0][1]
                absolute = math.isqrt(e[0][0] << BITS) + 1 if e[0][0] else 0
                known[target] = self._finish(value, absolute, relative, 1)
            else:
                around = (x[0][0] - e[0][0], x[0][1] + e[0][0])
                slope = min(ONE, largest(sine_cosine(around)[operator == "sin"]))
                before = (slope * e[0][0] >> BITS) + 1
                magnitude = min(ONE, largest(value) + before)
                unit = half(self.digits, self.exponent, (magnitude - 1).bit_length() - BITS)
                known[target] = self._finish(value, before, None, 2 * LIBRARY_UNITS, unit)
        return known

    def _finish(
        self, value: Number, absolute: int, relative: int | None, halves: int, each: int | None = None
    ) -> Error:
        small = least(value)
        if relative is not None:
            absolute = min(absolute, (relative * largest(value) >> BITS) + 1) if relative else 0
        if each is None:
            each = rounding(self.digits, self.exponent, largest(value), absolute)
        error = halves * each
        after = absolute + error
        if not small:
            return after, None if after else 0
        inherited = absolute * ONE // small + 1 if absolute else 0
        if relative is not None:
            inherited = min(inherited, relative)
        unit = 0
        if halves:
            tiny = (ONE >> -self.exponent if -self.exponent <= BITS else 1) * ONE // small + 1
            unit = min(halves * ONE >> self.digits, error * ONE // small + 1) + halves * tiny
        total = min(inherited + unit + (inherited * unit >> BITS) + 1, after * ONE // small + 1) if after else 0
        return min(after, (total * largest(value) >> BITS) + 1) if total else 0, total

    def _quotient(self, value: Number, x: list[Number], e: list[Error]) -> Error:
        small = least(x[1]) - e[1][0]
        if small <= 0:
            raise ZeroDivisionError
        absolute = (e[0][0] * ONE + largest(value) * e[1][0]) // small + 1
        relative = None
        a, b = e[0][1], e[1][1]
        if a is not None and b is not None and 2 * b < ONE:
            relative = (a + b) * ONE // (ONE - b) + 1 if a or b else 0
        return self._finish(value, absolute, relative, 0 if _is_power_of_two(x[1]) else 1)

    def _sterbenz(self, operator: str, x: list[Number], e: list[Error]) -> bool:
        a = (x[0][0] - e[0][0], x[0][1] + e[0][0])
        b = (x[1][0] - e[1][0], x[1][1] + e[1][0])
        if operator == "add":
            b = (-b[1], -b[0])
        if a[1] < 0:
            a, b = (-a[1], -a[0]), (-b[1], -b[0])
        return a[0] > 0 and b[0] > 0 and 2 * a[0] >= b[1] and a[1] <= 2 * b[0]


def _is_power_of_two(v: Number) -> bool:
    return v[0] == v[1] != 0 and abs(v[0]) & (abs(v[0]) - 1) == 0
