"""Distributions on the command line: ``normal(15, 0.5)``, numbers, and lists of them for vectors."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, TypeAlias

from symlie.cli.values import number

if TYPE_CHECKING:
    from types import ModuleType

Draw: TypeAlias = "Distribution | float | list[Draw]"
"""Distribution of a value; a number is the same for all members."""


@dataclass(frozen=True)
class Distribution:
    """A distribution by name, with its arguments."""

    name: str
    arguments: tuple[float, ...]


KINDS: Mapping[str, tuple[str, Callable[..., object]]] = {
    "normal": ("mean, deviation", lambda s, mean, deviation: s.norm(mean, deviation)),
    "uniform": ("a, b", lambda s, a, b: s.uniform(a, b - a)),
    "lognormal": ("mean of log, deviation of log", lambda s, mean, deviation: s.lognorm(deviation, scale=exp(mean))),
    "loguniform": ("a, b", lambda s, a, b: s.loguniform(a, b)),
    "truncated": (
        "mean, deviation, a, b",
        lambda s, mean, deviation, a, b: s.truncnorm((a - mean) / deviation, (b - mean) / deviation, mean, deviation),
    ),
    "triangular": ("a, mode, b", lambda s, a, mode, b: s.triang((mode - a) / (b - a), a, b - a)),
    "exponential": ("mean", lambda s, mean: s.expon(scale=mean)),
    "gamma": ("shape, scale", lambda s, shape, scale: s.gamma(shape, scale=scale)),
    "beta": ("alpha, beta", lambda s, alpha, beta: s.beta(alpha, beta)),
    "weibull": ("shape, scale", lambda s, shape, scale: s.weibull_min(shape, scale=scale)),
}
"""Arguments by name, and constructors for `scipy.stats`."""

FORMS = ", ".join(f"{name}({arguments})" for name, (arguments, _) in KINDS.items())
"""User-visible list of all distributions."""


def pieces(text: str) -> list[str]:
    """Split a text at commas outside of brackets, or raise `ArgumentTypeError` for unbalanced brackets."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if depth < 0:
            break
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    if depth:
        raise ArgumentTypeError(f"brackets in {text!r} do not match")
    return [piece.strip() for piece in found]


def draw(text: str) -> Draw:
    """Parse a distribution, or raise `ArgumentTypeError` if it is unknown or has different arguments."""
    if text.startswith("[") and text.endswith("]"):
        return [draw(piece) for piece in pieces(text[1:-1])]
    match = re.fullmatch(r"(\w+)\s*\((.*)\)", text)
    if match is None:
        return number(text)
    name, arguments = match[1], tuple(number(piece) for piece in pieces(match[2]))
    if name not in KINDS:
        raise ArgumentTypeError(f"there is no distribution {name!r}; use one of: {FORMS}")
    if len(arguments) != KINDS[name][0].count(",") + 1:
        raise ArgumentTypeError(f"{text!r} must be {name}({KINDS[name][0]})")
    return Distribution(name, arguments)


def stated(found: Draw) -> object:
    """Convert a distribution for `symlie.samples`, or raise `ArithmeticError` for invalid arguments."""
    if isinstance(found, list):
        return [stated(part) for part in found]
    if not isinstance(found, Distribution):
        return found
    from scipy import stats

    return _made(stats, found)


def _made(stats: ModuleType, found: Distribution) -> object:
    return KINDS[found.name][1](stats, *found.arguments)
