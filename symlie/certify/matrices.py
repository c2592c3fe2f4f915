"""Errors of the generated operators exp, log, T, T⁻¹ and their derivatives, measured against 60 digits.

`matrix_proof` adds proved bounds for the operators that it supports.
"""

from __future__ import annotations

import ctypes
import math
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import mpmath
import numpy as np
from mpmath import mpf
from numpy.typing import NDArray

from symlie.certify.enclosures import NotProvableError
from symlie.certify.matrix_proof import prove_kernel
from symlie.compile.compiler import LIBRARY_SUFFIX, flags, run_compiler
from symlie.derive.operators.group import group_operators
from symlie.derive.operators.samples import point_at, rounded
from symlie.emit.operators.files import emit_operators
from symlie.errors import NoCompilerError
from symlie.groups.group import LieGroup
from symlie.groups.power_series import PowerSeries
from symlie.ir.group_operators import GroupOperators, Operator
from symlie.ir.kernels import Kernel
from symlie.ir.schemes import Precision

DIGITS = 60
LENGTH = 10.0
"""Largest component of translations."""
LARGEST_ANGLE = math.pi - 1e-8
POINTS = 40
PREFIX = "measured"

TARGET = 8.0
TARGET_OF_DERIVATIVES = 16.0
TARGET_OF_SERIES = 32.0
"""Largest accepted errors in eps; the last one applies to all operators of groups without closed forms."""

Function = Callable[..., NDArray[np.floating]]


@dataclass(frozen=True)
class OperatorRow:
    """Error of one operator of a group, relative to the Frobenius norm of its value."""

    name: str
    operator: str
    precision: str
    evidence: str
    """``proved`` if a bound is within the target, else the reference of the measurement."""
    proved_eps: float | None
    """Bound over all rotation angles up to π; None if the operations are not supported."""
    points: int
    measured_eps: float
    measured_at: float
    """Rotation angle of the largest error."""
    target: float

    @property
    def passes(self) -> bool:
        """True if the measured error is within the target, and within its bound if it is proved."""
        return self.measured_eps <= min(self.target, math.inf if self.proved_eps is None else self.proved_eps)


def verify_operators(
    group: LieGroup, precision: Precision = "double", progress: Callable[[float], None] | None = None
) -> list[OperatorRow]:
    """Verify the operators of a group by bounds for angles up to π, and by measurements with translations up to 10."""
    operators = group_operators(group, precision)
    functions = _functions(operators)
    eps = 2.0**-52 if precision == "double" else 2.0**-23
    worst: dict[str, tuple[float, float]] = {}
    for k, (angle, theta, w) in enumerate(_points(group, precision)):
        # Matrices that are not rotations store 1 + O(θ), so the error of log near the identity is relative to 1.
        least = 1.0 if operators.has_series else 0.0
        for name, (found, expected) in _values(group, functions, theta, w).items():
            worst[name] = max(worst.get(name, (0.0, 0.0)), (_distance(found, expected, least) / eps, angle))
        if progress:
            progress((k + 1) / POINTS / 2)
    rows = []
    judged = [o.signature.name for o in operators.operators if o.signature.name != "adjoint"]  # as in `_values`
    kernels = {} if operators.has_series else {k.signature.name: k for k in operators.kernels}
    for (name, (error, angle)), operator in zip(worst.items(), judged, strict=True):
        target = TARGET_OF_DERIVATIVES if name.endswith("derivative") else TARGET
        target = TARGET_OF_SERIES if operators.has_series else target
        proved = _proved(group, kernels[operator], target, precision) if kernels else None
        is_proved = proved is not None and proved <= target
        evidence = "proved" if is_proved else f"measured against {DIGITS} digits"
        rows.append(OperatorRow(group.name, name, precision, evidence, proved, POINTS, error, angle, target))
        if progress:
            progress((1 + len(rows) / len(worst)) / 2)
    return rows


def _proved(group: LieGroup, kernel: Kernel, target: float, precision: Precision) -> float | None:
    try:
        return prove_kernel(group, kernel, target, precision)
    except NotProvableError:
        return None


def _points(group: LieGroup, precision: Precision) -> list[tuple[float, Sequence[float], Sequence[float]]]:
    """Return a fixed sample of angles, log-uniform, uniform and close to π, with θ and a direction."""
    generator = random.Random(20243)
    angles = [0.0, LARGEST_ANGLE, LARGEST_ANGLE, math.pi - 1e-4]
    while len(angles) < POINTS:
        uniform = generator.uniform(0.0, LARGEST_ANGLE)
        angles.append(uniform if len(angles) % 2 else 10.0 ** generator.uniform(-9, math.log10(LARGEST_ANGLE)))
    points: list[tuple[float, Sequence[float], Sequence[float]]] = []
    for angle in angles:
        theta = rounded(point_at(group, angle, generator.uniform(0, LENGTH), generator), precision)
        w = rounded([generator.uniform(-1, 1) for _ in range(group.dimension)], precision)
        points.append((angle, theta, w))
    return points


def _values(
    group: LieGroup, functions: dict[str, Function], theta: Sequence[float], w: Sequence[float]
) -> dict[str, tuple[NDArray[np.floating], list[mpf]]]:
    """Return the computed and the exact values of each operator."""
    series = PowerSeries(group, theta, DIGITS)
    exact = series.exponential()
    stored = [float(c) for c in exact]

    def flat(rows: Sequence[Sequence[mpf]]) -> list[mpf]:
        return [c for row in rows for c in row]

    return {
        "exp": (functions["exp"](theta), exact),
        "log": (functions["log"](stored), series.theta),
        "T": (functions["tangent_operator"](theta), flat(series.tangent_operator())),
        "T inverse": (functions["tangent_operator_inverse"](theta), flat(series.tangent_operator_inverse())),
        "T derivative": (
            functions["tangent_operator_derivative"](theta, w),
            flat(series.tangent_operator_derivative(w)),
        ),
        "T inverse derivative": (
            functions["tangent_operator_inverse_derivative"](theta, w),
            flat(series.tangent_operator_inverse_derivative(w)),
        ),
    }


def _distance(found: NDArray[np.floating], expected: Sequence[mpf], least: float) -> float:
    """Return the Frobenius norm of the difference relative to the norm of the value, or to ``least`` if larger."""
    with mpmath.workdps(DIGITS):
        difference = mpmath.sqrt(sum((mpf(float(a)) - b) ** 2 for a, b in zip(found.ravel(), expected, strict=True)))
        size = max(mpmath.sqrt(sum(b * b for b in expected)), mpf(least))
        return float(difference / size) if size else float(difference)


def _functions(operators: GroupOperators) -> dict[str, Function]:
    """Return the operators as compiled C, or as a NumPy module without a compiler."""
    source = emit_operators(operators, "c", PREFIX)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in source.items():
                Path(folder, name).write_text(text, encoding="utf-8")
            output = Path(folder, f"operators{LIBRARY_SUFFIX}")
            run_compiler(Path(folder, f"{PREFIX}.c"), output, flags("default"))
            library = ctypes.CDLL(str(output))
        return {o.signature.name: _compiled(library, o, operators.real) for o in operators.operators}
    except NoCompilerError:
        module: dict[str, Function] = {}
        exec(emit_operators(operators, "numpy", PREFIX)[f"{PREFIX}.py"], module)
        return {o.signature.name: module[f"{PREFIX}_{o.signature.name}"] for o in operators.operators}


def _compiled(library: ctypes.CDLL, operator: Operator, real: str) -> Function:
    call = getattr(library, f"{PREFIX}_{operator.signature.name}")
    kind: type[np.floating] = np.float64 if real == "double" else np.float32
    size = next(a.size for a in operator.signature.arguments if a.is_output) or 0

    def function(*inputs: Sequence[float]) -> NDArray[np.floating]:
        arrays = [np.ascontiguousarray(x, dtype=kind) for x in inputs]
        result = np.empty(size, dtype=kind)
        call(*(ctypes.c_void_p(a.ctypes.data) for a in (*arrays, result)))
        return result

    return function
