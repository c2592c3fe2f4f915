"""Evaluation of texts in complex NumPy: components lead, a batch of states trails, derivatives are imaginary parts.

Imaginary parts are so small that only first orders count, so functions of a complex number are first order, too.
Symlie has no part in this.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

STEP = 1e-30
"""Imaginary part that marks a derivative: its square is below the rounding of anything."""


def _analytic(function: Callable[[Any], Any], derivative: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def value(z: Any) -> Any:
        x = np.real(z)
        return function(x) + 1j * (derivative(x) * np.imag(z))

    return value


sin = _analytic(np.sin, np.cos)
cos = _analytic(np.cos, lambda x: -np.sin(x))
exp = _analytic(np.exp, np.exp)
sqrt = _analytic(np.sqrt, lambda x: 0.5 / np.sqrt(x))
log = _analytic(np.log, lambda x: 1 / x)
tanh = _analytic(np.tanh, lambda x: 1 / np.cosh(x) ** 2)
atan = _analytic(np.arctan, lambda x: 1 / (1 + x * x))
sinh = _analytic(np.sinh, np.cosh)
cosh = _analytic(np.cosh, np.sinh)


def atan2(y: Any, x: Any) -> Any:
    """The angle of (x, y)."""
    a, b = np.real(x), np.real(y)
    return np.arctan2(b, a) + 1j * ((a * np.imag(y) - b * np.imag(x)) / (a * a + b * b))


def select(condition: Any, positive: Any, otherwise: Any) -> Any:
    """The first piece where the condition is positive."""
    return np.where(np.real(condition) > 0, positive, otherwise)


def vec(*parts: Any) -> Array:
    """A vector of scalars; one of numbers alone is a batch of one."""
    return np.stack(np.broadcast_arrays(*map(np.atleast_1d, parts)))


def dot(a: Array, b: Array) -> Any:
    return (a * b).sum(axis=0)


def cross(a: Array, b: Array) -> Array:
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def turn(rotation: Array, x: Array) -> Array:
    """R x."""
    return (rotation * x[None]).sum(axis=1)


def turn_back(rotation: Array, x: Array) -> Array:
    """Rᵀ x."""
    return (rotation * x[:, None]).sum(axis=0)


FUNCTIONS: Mapping[str, Any] = {
    "sin": sin, "cos": cos, "exp": exp, "sqrt": sqrt, "ln": log, "tanh": tanh, "atan": atan, "sinh": sinh,
    "cosh": cosh, "atan2": atan2, "select": select, "vec": vec, "dot": dot, "cross": cross, "turn": turn,
    "turn_back": turn_back,
    "Abs": lambda x: select(x, x, -x),
    "Max": lambda a, b: select(a - b, a, b),
    "Min": lambda a, b: select(a - b, b, a),
    "logarithm": lambda a: a.space.logarithm(a.c),
    "relative": lambda a, b: a.space.logarithm(a.space.between(a.c, b.c)),
}  # fmt: skip
"""Functions that texts can call."""


@functools.lru_cache(maxsize=4096)
def _compiled(text: str) -> CodeType:
    return compile(text, "<text>", "eval")


def evaluate(text: str, values: Mapping[str, Any]) -> Any:
    """The value of a text, a scalar or a vector, over the batch."""
    return eval(_compiled(text), {"__builtins__": {}, **FUNCTIONS, **values})
