"""Exported C in single precision: constants, functions of ``math.h``, and coefficient functions proved for floats."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np

from symlie.certify.source_text import NAME
from symlie.emit.c.printing import coefficient_source
from symlie.export.definitions import Definition, definitions
from symlie.ir.schemes import TAYLOR_UPPER, named_scheme

ROUNDINGS = ("ROUNDING", "TIME_RESOLUTION", "GAP_OF_INPUTS")
"""Constants that are multiples of the rounding of numbers."""

TOLERANCES = (
    "LOST_PIVOT", "PIVOT_LOSS", "ON_GROUP", "POSITION_TOLERANCE", "VELOCITY_TOLERANCE", "SURELY_MASS",
    "SURELY_INDEPENDENT", "SURELY_COMPLETED", "RESTING_SIZE", "SETTLED", "NEWTON_ENOUGH", "START_TOLERANCE",
    "RANK_SHIFT", "SAME_LENGTH", "DRIFT_ROUND_OFF", "JUMP_OF_RATES", "INCREMENT_ENOUGH", "GRID_TOLERANCE",
    "CONTINUOUS_INPUTS", "CONE_TOLERANCE", "CONE_ACCEPTED", "CONTACT_ROUNDING", "LIFTED", "NEGLIGIBLE",
)  # fmt: skip
"""Constants that are a power of this rounding: numbers that keep a part of the digits."""

MORE_ROUNDING = 2.0**29
"""Rounding of floats relative to that of doubles."""

FEWER_DIGITS = 24 / 53
"""Digits of floats relative to those of doubles."""

LEAST_TOLERANCE = 1e-5
"""Smallest relative tolerance of adaptive steps: a hundred units of rounding."""

DEFAULT_TOLERANCE = 1e-4
"""Relative tolerance of adaptive steps that are not stated."""

_SQUARED = {"NEGLIGIBLE": 1e-18}
"""Constants whose squares must not be subnormal."""

_MATHEMATICS = (
    "acos|acosh|asin|asinh|atan|atan2|atanh|cbrt|ceil|copysign|cos|cosh|erf|erfc|exp|exp2|expm1|fabs|floor|fma|fmax|"
    "fmin|fmod|frexp|hypot|ldexp|lgamma|log|log10|log1p|log2|pow|remainder|rint|round|sin|sinh|sqrt|tan|tanh|tgamma|trunc"
)
_TOKEN = re.compile(
    r"(?P<other>/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\")"
    r"|(?<![\w.])(?P<number>(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)(?![\w.])"
    rf"|(?<![\w.])(?P<function>{_MATHEMATICS})(?=\()"
    r"|\b(?P<word>double|HUGE_VAL)\b",
    re.DOTALL,
)
_WORDS = {"double": "float", "HUGE_VAL": "HUGE_VALF"}
_CONSTANT = re.compile(r"^#define (\w+) ([\d.e+-]+)(?=\s|$)", re.MULTILINE)


def in_single(text: str) -> str:
    """Return a translation unit in which all numbers are floats."""
    parts = [*definitions(text)]
    known = {name for part in parts for name in part.names}
    return "\n\n".join(filter(None, (_part_in_single(part, known) for part in parts))) + "\n"


def _part_in_single(part: Definition, known: set[str]) -> str:
    for name in part.names:
        plain = re.sub(r"_(beyond|polynomial)$", "", name)
        found = _coefficient(plain)
        if found is None or f"{plain}_beyond" not in known:
            continue
        prefix, match = found
        upper = Fraction(int(match["p"]), int(match["q"])) if match["p"] else TAYLOR_UPPER
        scheme = named_scheme(match[0], match["base"], upper, "float")
        if name.endswith("_polynomial"):
            return coefficient_source(scheme, prefix, is_copy=True).strip()
        return coefficient_source(scheme, prefix).strip() if name.endswith("_beyond") else ""
    return _TOKEN.sub(_token, _CONSTANT.sub(_constant, part.text))


def _coefficient(name: str) -> tuple[str, re.Match[str]] | None:
    """Return the prefix and the parts of the name of a coefficient function, or None for other names."""
    begins = [0, *(found.end() for found in re.finditer("_", name))]
    for begin in begins[1:] if name.startswith("symlie_") else ():
        match = NAME.fullmatch(name[begin:])
        if match is not None:
            return name[:begin], match
    return None


def _token(found: re.Match[str]) -> str:
    if found["number"]:
        return f"{np.float32(found['number'])!s}f"
    if found["function"]:
        return f"{found['function']}f"
    return _WORDS[found["word"]] if found["word"] else found[0]


def _constant(found: re.Match[str]) -> str:
    """Return the definition of a constant with its value for floats."""
    name, value = found[1], found[2]
    if name in ROUNDINGS:
        value = repr(float(value) * MORE_ROUNDING)
    elif name in TOLERANCES:
        value = repr(_SQUARED.get(name, float(f"{float(value) ** FEWER_DIGITS:.2g}")))
    return f"#define {name} {value}"
