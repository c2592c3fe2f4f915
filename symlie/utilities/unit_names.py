"""Units by name: their dimensions and conversion factors to SI.

Use ``5 * sl.mm`` or ``3 * sl.unit("kN/mm")`` for numbers in a model definition. Parameters, inputs and outputs with
such a unit are set and shown in it; formulas use SI units.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from symlie.errors import ModelError

Dimension = tuple[Fraction, ...]
"""Exponents of kg, m, s, A, K, mol, cd."""

BASE = ("kg", "m", "s", "A", "K", "mol", "cd")
"""Base units."""

_DERIVED = {
    "1": (), "rad": (), "sr": (), "N": (1, 1, -2), "J": (1, 2, -2), "W": (1, 2, -3), "Pa": (1, -1, -2),
    "Hz": (0, 0, -1), "C": (0, 0, 1, 1), "V": (1, 2, -3, -1), "F": (-1, -2, 4, 2), "Ohm": (1, 2, -3, -2),
    "S": (-1, -2, 3, 2), "Wb": (1, 2, -2, -1), "T": (1, 0, -2, -1), "H": (1, 2, -2, -2),
}  # fmt: skip


def _dimension(exponents: Sequence[int | Fraction]) -> Dimension:
    return tuple(Fraction(e) for e in (*exponents, *(0,) * (len(BASE) - len(exponents))))


UNITS: dict[str, Dimension] = {name: _dimension([int(i == k) for i in range(7)]) for k, name in enumerate(BASE)}
UNITS |= {name: _dimension(exponents) for name, exponents in _DERIVED.items()}
"""SI units without prefixes, and what they are made of; angles are numbers."""

NUMBER = UNITS["1"]
"""Dimension of angles and other numbers."""

PREFIXES = {"p": -12, "n": -9, "u": -6, "µ": -6, "m": -3, "c": -2, "d": -1, "k": 3, "M": 6, "G": 9, "T": 12}
"""Prefixes and their powers of ten."""

_WITHOUT_PREFIX = ("1", "kg", "K", "cd", "mol")
"""SI units that accept no prefix here."""


@dataclass(frozen=True)
class Unit:
    """Dimension of a unit and its conversion factor to SI, ratio · π^turns."""

    dimension: Dimension
    ratio: Fraction = Fraction(1)
    turns: int = 0

    @property
    def number(self) -> float:
        """Conversion factor to SI."""
        return float(self.ratio) * math.pi**self.turns

    @property
    def is_si(self) -> bool:
        """True if the conversion factor is one."""
        return self.ratio == 1 and not self.turns


_OTHERS = {
    "deg": Unit(NUMBER, Fraction(1, 180), 1),
    "rev": Unit(NUMBER, Fraction(2), 1),
    "rpm": Unit(UNITS["Hz"], Fraction(1, 30), 1),
    "g": Unit(UNITS["kg"], Fraction(1, 1000)),
    "min": Unit(UNITS["s"], Fraction(60)),
    "h": Unit(UNITS["s"], Fraction(3600)),
}
"""Units outside of SI."""

_FACTOR = re.compile(r"\s*([/·*]?)\s*([A-Za-zµ]+|1)(?:\^(-?\d{1,2})(?!\d))?")


def _single(name: str) -> Unit | None:
    """Return a unit without exponent, with or without a prefix."""
    if name in UNITS:
        return Unit(UNITS[name])
    if name in _OTHERS:
        return _OTHERS[name]
    stem = name[1:]
    power = PREFIXES.get(name[:1])
    if power is None or (stem != "g" and (stem not in UNITS or stem in _WITHOUT_PREFIX)):
        return None
    known = _single(stem)
    return None if known is None else Unit(known.dimension, known.ratio * Fraction(10) ** power)


@functools.cache
def parse_unit(text: str) -> Unit:
    """Parse a unit such as ``kg m^2``, ``N/m``, ``kN/mm``, ``deg/s`` or ``1``; a slash divides by the next factor."""
    dimension, ratio, turns, position = NUMBER, Fraction(1), 0, 0
    while position < len(text.rstrip()):
        match = _FACTOR.match(text, position)
        unit = _single(match[2]) if match is not None else None
        if match is None or unit is None or (position == 0 and match[1]):
            raise ModelError(
                f"The unit '{text if len(text) <= 40 else text[:40] + '…'}' is not known; write products and quotients "
                f"such as 'kg m^2/s' of {', '.join(UNITS)}, of these with the prefixes {' '.join(PREFIXES)}, and of "
                f"{', '.join(_OTHERS)}."
            )
        exponent = int(match[3] or 1) * (-1 if match[1] == "/" else 1)
        dimension = times(dimension, unit.dimension, Fraction(exponent))
        ratio, turns = ratio * unit.ratio**exponent, turns + unit.turns * exponent
        position = match.end()
    if position == 0:
        raise ModelError("The unit is empty; leave it out, or write '1' for a number.")
    return Unit(dimension, ratio, turns)


def parse_units(text: str, size: int) -> list[Unit | None]:
    """Parse the units of a vector: one for all components, or several, separated by commas, for equally long parts."""
    if not isinstance(text, str):
        raise ModelError(f"A unit is a text such as 'kg m^2', not {text!r}.")
    if not text.isprintable():
        raise ModelError(f"A unit is one line of text such as 'kg m^2', not {text!r}.")
    if not text:
        return [None] * size
    parts = [parse_unit(part.strip()) for part in text.split(",")]
    if size % len(parts):
        raise ModelError(f"{len(parts)} units are given for {size} components: '{text}'.")
    return [part for part in parts for _ in range(size // len(parts))]


def times(a: Dimension, b: Dimension, power: Fraction = Fraction(1)) -> Dimension:
    """Return the dimension of a · b^power."""
    return tuple(x + power * y for x, y in zip(a, b, strict=True))


def unit_name(dimension: Dimension) -> str:
    """Return the conventional notation of a unit."""
    known = next((n for n, d in UNITS.items() if d == dimension and n != "Hz"), None)
    if known is not None:
        return known
    return " ".join(n + (f"^{e}" if e != 1 else "") for n, e in zip(BASE, dimension, strict=True) if e)


def unit(text: str) -> float:
    """Return the conversion factor of a unit to SI: ``3 * sl.unit("kN/mm")`` is 3e6, in N/m.

    Parameters
    ----------
    text
        Unit: products and quotients such as ``"kg m^2/s"`` of SI units, with or without the prefixes p n u µ m c d
        k M G T, and of deg, rev, rpm, g, min, h.

    Raises
    ------
    ModelError
        If the text is not a unit.
    """
    found = parse_units(text, 1)[0]
    if found is None:
        raise ModelError("The unit is empty; write '1' for a number.")
    return found.number


deg, mm, rpm = unit("deg"), unit("mm"), unit("rpm")
"""One degree in rad, one millimetre in m, and one revolution per minute in rad/s."""

nano, micro, milli, centi, kilo, mega, giga = (float(f"1e{power}") for power in (-9, -6, -3, -2, 3, 6, 9))
"""SI prefixes as numbers."""
