"""Independent checker of certificates in integer arithmetic, without code of the prover.

For every cell of a certificate, the checker expands the list of operations and the definition into separate Taylor
series, bounds the rounding errors, and requires a bound not larger than the certified one.

    python -m symlie.certify.checker FILE
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from symlie.certify.checker.arithmetic import (
    BITS,
    ONE,
    ORDER,
    POLE,
    CertificateError,
    Definition,
    Number,
    Series,
    at,
    evaluate,
    exact,
    expand,
    largest,
    least,
    meet,
    mul,
    rational,
    sub,
)
from symlie.certify.checker.rounding import FORMATS, Roundings
from symlie.certify.checker.series import STATUS as SERIES
from symlie.certify.checker.series import check_series

DEEPEST = 6
"""Largest number of bisections of a cell whose bound is not reproduced directly."""

ASSUMPTIONS = (
    "arithmetic of IEEE 754, rounding to nearest",
    "square roots are correctly rounded",
    "sin and cos of the mathematical library are within one unit in the last place",
)
"""Assumptions of all bounds; certificates with other assumptions are rejected."""

OPERANDS = {"add": 2, "sub": 2, "mul": 2, "div": 2, "neg": 1, "sqrt": 1, "sin": 1, "cos": 1}
"""Number of operands of each operation."""

UNPROVED = "rounding unproved"
"""Status of functions without a proof to check."""


class Cell:
    """Error bounds of one branch of a function on cells."""

    def __init__(self, function: dict[str, Any], branch: dict[str, Any], definition: Definition) -> None:
        self.branch = branch
        self.argument: str = function["argument"]
        self.definition = definition
        self.roundings = Roundings(function, branch)
        self.constants = {
            p: exact(float.fromhex(p)) for _, _, *operands in branch["operations"] for p in operands if "0x" in p
        }
        self.divisor = self._pole_divisor()

    def bounds(self, lower: Fraction, upper: Fraction) -> tuple[int, int | None]:
        """Return bounds of the absolute and relative error in units of 2^-BITS, the latter None if f may vanish."""
        a, b = exact(lower), exact(upper)
        centre = exact((lower + upper) / 2)
        radius = exact((upper - lower) / 2)[1] + 1
        wide_argument = (a[0], b[1])
        near, wide = self._series(centre), self._series(wide_argument)
        ranges = self._ranges(a, b, near, wide, radius)
        f, f_wide = self.definition.taylor(centre), self.definition.taylor(wide_argument)
        result = self.branch["result"]
        rest, k = self.definition.rest, self.definition.order
        value = _bounded(f, f_wide, radius)
        if k and self.divisor is None:
            f, f_wide = self._divided(f, centre, k), self._divided(f_wide, wide_argument, k)
            value = _bounded(f, f_wide, radius)
            for _ in range(k):
                rest = rest * ONE // sub(POLE, wide_argument)[0] + 1
        if self.divisor is not None:
            numerator, divisor = self.divisor
            error = largest(_bounded(_minus(near[numerator], f), _minus(wide[numerator], f_wide), radius)) + rest
            distance = sub(POLE, wide_argument)
            excess = self._excess(divisor, distance, k)
            size = least(value) - rest
            if excess * 2 > ONE or size <= 0:
                raise ZeroDivisionError
            approximation = (error * ONE // size + excess) * ONE // (ONE - excess) + 2
            value = (value[0] - rest, value[1] + rest)
            for _ in range(k):
                value = evaluate("div", [value, distance])
            rest = 0
            difference = (approximation * largest(value) >> BITS) + 1
        else:
            difference = largest(_bounded(_minus(near[result], f), _minus(wide[result], f_wide), radius)) + rest
            approximation = difference * ONE // least(value) + 1 if least(value) else 0
        size = least(value) - rest
        absolute, relative = self.roundings.bounds(ranges)[result]
        total = difference + absolute
        if size <= 0:
            return total, None
        whole = total * ONE // size + 1
        if relative is not None:
            whole = min(whole, approximation + relative + (relative * approximation >> BITS) + 2)
        return total, whole

    @staticmethod
    def _divided(f: Series, x: Number, k: int) -> Series:
        """Return f/(4π² - z)^k."""
        for _ in range(k):
            f = expand("div", [f, [sub(POLE, x), (-ONE, -ONE)]])
        return f

    def _series(self, x: Number) -> dict[str, Series]:
        values: dict[str, Series] = {self.argument: [x, (ONE, ONE)]}
        for target, operator, *operands in self.branch["operations"]:
            if self.divisor is not None and target == self.branch["result"]:
                break
            values[target] = expand(
                operator, [[self.constants[p]] if p in self.constants else values[p] for p in operands]
            )
        return values

    def _ranges(
        self, a: Number, b: Number, near: dict[str, Series], wide: dict[str, Series], radius: int
    ) -> dict[str, Number]:
        first, last = {self.argument: a}, {self.argument: b}
        ranges: dict[str, Number] = {self.argument: (a[0], b[1]), **self.constants}
        for target, operator, *operands in self.branch["operations"]:
            for values in (first, last):
                values[target] = evaluate(operator, [self.constants.get(p) or values[p] for p in operands])
            natural = evaluate(operator, [ranges[p] for p in operands])
            if operator == "mul" and operands[0] == operands[1]:
                natural = (max(natural[0], 0), natural[1])
            if target in wide:
                slope = at(wide[target], 1)
                if slope[0] >= 0 or slope[1] <= 0:
                    both = (*first[target], *last[target])
                    natural = meet(natural, (min(both), max(both)))
                else:
                    natural = meet(natural, _bounded(near[target][:2], [(0, 0), (0, 0), at(wide[target], 2)], radius))
            ranges[target] = natural
        return ranges

    def _pole_divisor(self) -> tuple[str, str] | None:
        """Return numerator and divisor of the result if the divisor is a polynomial of the order of the pole."""
        last = next((o for o in self.branch["operations"] if o[0] == self.branch["result"]), None)
        if not self.definition.order or last is None or last[1] != "div":
            return None
        degrees: dict[str, int] = {self.argument: 1, **dict.fromkeys(self.constants, 0)}
        for target, operator, *operands in self.branch["operations"]:
            if all(p in degrees for p in operands) and operator in ("add", "sub", "neg", "mul"):
                found = [degrees[p] for p in operands]
                degrees[target] = sum(found) if operator == "mul" else max(found)
        numerator, divisor = last[2:]
        return (numerator, divisor) if degrees.get(divisor) == self.definition.order else None

    def _excess(self, divisor: str, distance: Number, k: int) -> int:
        """Return a bound of |divisor/(4π² - z)^k - 1| from the divisor in powers about the pole."""
        about = self._series(POLE)[divisor]
        sign = (-1) ** k
        excess = largest(sub((sign * about[k][0], sign * about[k][0]) if about[k][0] == about[k][1] else about[k],
                             exact(1)))  # fmt: skip
        for j in range(k):
            size = exact(1)
            for _ in range(k - j):
                size = mul(size, (distance[0], distance[0]))
            excess += largest(at(about, j)) * ONE // size[0] + 1
        return excess


def _minus(a: Series, b: Series) -> Series:
    return [sub(at(a, k), at(b, k)) for k in range(ORDER)]


def _bounded(near: Series, wide: Series, radius: int) -> Number:
    """Return the range of a function from its Taylor coefficients at the centre, the last one over the cell."""
    order = len(wide) if len(wide) < ORDER else ORDER
    total = largest(at(wide, order - 1)) if order > 1 else 0
    for k in range(order - 2, 0, -1):
        total = (total * radius >> BITS) + 1 + largest(at(near, k))
    total = (total * radius >> BITS) + 1
    return near[0][0] - total, near[0][1] + total


def digest(branches: object) -> str:
    """Return the SHA-256 of a list of operations in the format of certificates."""
    return hashlib.sha256(json.dumps(branches).encode()).hexdigest()


def check_function(function: dict[str, Any]) -> None:
    """Verify all bounds of one function, or raise a `CertificateError` that names the failed condition."""
    name = function["name"]
    if re.sub(r"_to_\d+_\d+$", "", name) != _name(function["definition"], name):
        raise CertificateError(f"{name}: the definition belongs to another function.")
    if function["contraction"] not in ("any", "on", "off"):
        raise CertificateError(f"{name}: the contraction of products and sums is unknown.")
    if digest(function["branches"]) != function["operations_sha256"]:
        raise CertificateError(f"{name}: the list of operations does not match its hash.")
    if function["status"] != "proved":
        raise CertificateError(f"{name}: no bound is proved ({function['status']}).")
    if function["argument"] != "z":
        raise CertificateError(f"{name}: only functions of z are certified.")
    for branch in function["branches"]:
        _check_operations(name, branch["operations"])
    digits = FORMATS[function["precision"]][0]
    first, last = map(rational, function["domain"])
    if not function["branches"] or _spans(function)[-1][2] < last:
        raise CertificateError(f"{name}: its branches do not cover the domain.")
    reached = first
    for section in function["sections"]:
        ends = [Fraction(float.fromhex(x)) for x in section["ends"]]
        if ends[0] != reached or sorted(set(ends)) != ends or len(ends) != len(section["bounds_eps"]) + 1:
            raise CertificateError(f"{name}: the cells do not cover the domain without gaps.")
        reached = ends[-1]
        if max(section["bounds_eps"]) > section["bound_eps"]:
            raise CertificateError(f"{name}: a cell has a larger bound than its section.")
        definition = Definition(function["definition"], ends[-1])
        if section["relative_to"] not in ("f", "f(0)", "scale"):
            raise CertificateError(f"{name}: the reference of the relative errors is unknown.")
        is_scaled = section["relative_to"] != "f"
        scale = definition.at_zero if is_scaled else Fraction(1)
        for lower, upper, bound in zip(ends, ends[1:], section["bounds_eps"], strict=False):
            allowed = math.floor(rational(bound) * scale * ONE / 2 ** (digits - 1))
            _check_cell(function, definition, lower, upper, allowed, is_scaled, DEEPEST)
    if reached != last or first < 0:
        raise CertificateError(f"{name}: the cells do not cover the domain.")


def _check_operations(name: str, operations: list[list[str]]) -> None:
    """Check that each operation has its number of operands and a unique target."""
    if any(len(operands) != OPERANDS.get(operator) for _, operator, *operands in operations):
        raise CertificateError(f"{name}: an operation is unknown, or has invalid operands.")
    if len({"z", *(target for target, *_ in operations)}) != len(operations) + 1:
        raise CertificateError(f"{name}: two values have the same name.")


def _name(definition: dict[str, Any], own: str) -> str:
    """Return the name of the function of a definition; functions of user-defined series have individual names."""
    family, m = definition["family"], definition["m"]
    if family == "c":
        return f"c{definition['k']:d}" + (f"_{m:d}" if m else "")
    return f"g{m:d}" if family == "g" else own


def _spans(function: dict[str, Any]) -> list[tuple[dict[str, Any], Fraction, Fraction]]:
    """Return the branches with their intervals, adjacent up to neighbouring numbers of the format."""
    digits = FORMATS[function["precision"]][0]
    spans = []
    start = Fraction(0)
    for branch in function["branches"]:
        lower, upper = float.fromhex(branch["lower"]), float.fromhex(branch["upper"])
        if not lower <= upper:
            raise CertificateError(f"{function['name']}: one of its branches is empty.")
        if not start <= Fraction(lower) <= start * (1 + Fraction(1, 2 ** (digits - 1))):
            raise CertificateError(f"{function['name']}: its branches are not contiguous.")
        end = Fraction(upper) if math.isfinite(upper) else Fraction(2) ** 1024
        spans.append((branch, start, end))
        start = end
    return spans


def _check_cell(
    function: dict[str, Any],
    definition: Definition,
    lower: Fraction,
    upper: Fraction,
    allowed: int,
    is_scaled: bool,
    depth: int,
) -> None:
    passes = True
    for branch, start, end in _spans(function):
        a, b = max(lower, start), min(upper, end)
        if a >= b:
            continue
        if not branch["operations"]:
            raise CertificateError(f"{function['name']} is not defined at {float(b)!r}.")
        try:
            absolute, relative = Cell(function, branch, definition).bounds(a, b)
        except ZeroDivisionError:
            passes = False
            break
        found = absolute if is_scaled else relative
        passes &= found is not None and found <= allowed
    if passes:
        return
    middle = (lower + upper) / 2
    if not depth:
        raise CertificateError(
            f"{function['name']}: the bound on {float(lower)!r} ≤ z ≤ {float(upper)!r} cannot be reproduced."
        )
    for a, b in ((lower, middle), (middle, upper)):
        _check_cell(function, definition, a, b, allowed, is_scaled, depth - 1)


def check(certificate: dict[str, Any]) -> list[str]:
    """Check a certificate, the content of ``certificate.json``, and return the names of its proved functions."""
    if certificate.get("format") != 1:
        version = certificate.get("versions", {}).get("symlie", "of unknown version")
        raise CertificateError(
            f"Use the checker of symlie {version}; this one does not support the format of the certificate."
        )
    if tuple(certificate["assumptions"]) != ASSUMPTIONS:
        raise CertificateError("The assumptions of the certificate differ from those of this checker.")
    checked = []
    functions = certificate["functions"]
    names = [function["name"] for function in functions]
    named = all(isinstance(name, str) for name in names)
    if not isinstance(functions, list) or not named or len(set(names)) < len(names):
        raise CertificateError("The certificate must list each function exactly once.")
    for function in functions:
        if function["status"] == "proved":
            check_function(function)
            checked.append(function["name"])
        elif function["status"] == SERIES:
            check_series(function)
        elif function["status"] != UNPROVED:
            raise CertificateError(f"{function['name']}: its status is unknown.")
    return checked


def main() -> int:
    """Check the files given on the command line."""
    for name in sys.argv[1:]:
        try:
            checked = check(json.loads(Path(name).read_text(encoding="utf-8")))
        except CertificateError as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 1
        except (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError) as error:
            print(f"{name} is not a certificate, or it is damaged ({type(error).__name__}).", file=sys.stderr)
            return 1
        print(f"{name}: proved anew: {', '.join(checked)}")
    return 0
