"""Measured errors of compiled functions versus ball arithmetic, at arguments where large errors are likely."""

from __future__ import annotations

import ctypes
import math
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from symlie.certify.cells import BITS
from symlie.certify.definitions import Definition, definition
from symlie.certify.operation_list import OperationList
from symlie.certify.proof import Section
from symlie.certify.rounding import Contraction
from symlie.certify.source_text import function_text
from symlie.compile.compiler import LIBRARY_SUFFIX, flags, run_compiler
from symlie.errors import NoCompilerError, SymlieError
from symlie.ir.schemes import POLES

SPREAD = 1500
"""Number of log-uniform arguments in ω, and of uniform ones."""
NEIGHBOURS = 24
"""Number of floating-point numbers on each side of branch boundaries and interval ends."""
CANDIDATES = 100_000
"""Number of arguments in the cells with the largest bounds, of which those with the largest estimated errors are
used."""
KEPT = 2000
NEARLY_WORST = 0.7
"""Cells whose bounds are at least this fraction of the largest one get additional arguments."""
SMALLEST_OMEGA = 1e-9

OPTIMIZE: dict[Contraction, tuple[str, ...]] = {
    "any": ("default", "contract"),
    "off": ("default",),
    "on": ("contract",),
}
"""Compiler options by the permitted use of fused operations."""

FUSED = "double fused(double x) { return x * x - 1.0; }"
"""Function that detects whether products are rounded before additions."""

_TYPES: dict[str, type[np.floating]] = {"double": np.float64, "float": np.float32}

_UFUNCS: dict[str, np.ufunc] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative, "sqrt": np.sqrt,
    "sin": np.sin, "cos": np.cos, "tan": np.tan,
}  # fmt: skip

Evaluator = tuple[tuple[ctypes.CDLL, ...], str] | None
"""Libraries and the name of the function in them."""


@dataclass(frozen=True)
class Measured:
    """Largest measured errors in a section."""

    absolute: float
    absolute_at: float
    relative: float
    relative_at: float


def compile_functions(
    functions: Sequence[tuple[str, OperationList]], contraction: Contraction = "any"
) -> list[Evaluator]:
    """Compile functions without and with fused operations; the result has None for each function without a compiler."""
    lines = ["#include <math.h>", "#define SYMLIE_COLD static", "#define SYMLIE_UNLIKELY(x) (x)", FUSED]
    for k, (source, operations) in enumerate(functions):
        text, real = function_text(source, operations.name), operations.precision
        lines.append(re.sub(rf"\b{operations.name}(?=(_beyond)?\()", f"f{k}_{operations.name}", text))
        lines.append(
            f"void all{k}(long long n, const {real} *x, {real} *y)"
            f"{{ for (long long i = 0; i < n; i++) y[i] = f{k}_{operations.name}(x[i]); }}"
        )
    libraries = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "functions.c")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        for optimize in OPTIMIZE[contraction]:
            output = Path(folder, f"{optimize}{LIBRARY_SUFFIX}")
            try:
                run_compiler(path, output, flags(optimize))
            except NoCompilerError:
                if contraction == "on":
                    raise
                return [None] * len(functions)
            libraries.append(ctypes.CDLL(str(output)))
    if contraction == "on" and not _fuses(libraries[0]):
        raise SymlieError(
            "Multiplications and additions are not fused on this processor; check them with --contraction any or off."
        )
    return [(tuple(libraries), f"all{k}") for k in range(len(functions))]


def _fuses(library: ctypes.CDLL) -> bool:
    library.fused.restype = ctypes.c_double
    return bool(library.fused(ctypes.c_double(1 + 2.0**-30)) != (1 + 2.0**-30) ** 2 - 1)


def evaluate(operations: OperationList, evaluator: Evaluator, x: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return values in the precision of the function, compiled or evaluated by NumPy operation by operation."""
    kind = _TYPES[operations.precision]
    x = np.ascontiguousarray(x, dtype=kind)
    if evaluator is None:
        with np.errstate(all="ignore"):
            return [_interpret(operations, x).astype(np.float64)]
    results = []
    libraries, name = evaluator
    for library in libraries:
        y = np.empty_like(x)
        call = getattr(library, name)
        call(ctypes.c_longlong(len(x)), ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(y.ctypes.data))
        results.append(y.astype(np.float64))
    return results


def _interpret(operations: OperationList, x: NDArray[np.floating]) -> NDArray[np.floating]:
    result = np.full_like(x, np.nan)
    kind = x.dtype.type
    for branch in operations.branches:
        inside = (x >= branch.lower) & (x <= branch.upper)
        if not inside.any():
            continue
        values: dict[object, NDArray[np.floating]] = {operations.argument: x[inside]}
        for o in branch.operations:
            operands = [values[p] if isinstance(p, str) else kind(p) for p in o.operands]
            values[o.target] = _UFUNCS[o.operator](*operands)
        result[inside] = values[branch.result] if isinstance(branch.result, str) else kind(branch.result)
    return result


def measure(
    operations: OperationList, name: str, section: Section, evaluator: Evaluator, *, judged_at_zero: bool
) -> Measured:
    """Return the largest errors in a section, with additional arguments in the cells with the largest bounds."""
    ctx.prec = BITS
    is_omega = operations.argument == "w"
    function = definition(name, section.upper**2 * (1 + 1e-15) if is_omega else section.upper)
    key = "absolute" if judged_at_zero else "relative"
    candidates = _candidates(operations, section, key)
    estimates = _estimated_errors(operations, function, evaluator, candidates, key)
    chosen = candidates[np.argsort(estimates)[-KEPT:]]
    x = np.unique(np.concatenate([_arguments(operations, section), chosen]))
    exact = [function.value(arb(v) * arb(v) if is_omega else arb(v)) for v in map(float, x)]
    worst = {"absolute": (0.0, section.lower), "relative": (0.0, section.lower)}
    for values in evaluate(operations, evaluator, x):
        for argument, value, reference in zip(map(float, x), map(float, values), exact, strict=True):
            error = abs(reference - value) if math.isfinite(value) else arb(math.inf)
            absolute = float(error.mid())
            worst["absolute"] = max(worst["absolute"], (absolute, argument))
            if absolute > worst["relative"][0] * abs(float(reference)):
                worst["relative"] = (absolute / abs(float(reference)) if reference != 0 else math.inf, argument)
    return Measured(*worst["absolute"], *worst["relative"])


def _arguments(operations: OperationList, section: Section) -> NDArray[np.float64]:
    """Return a fixed sample of numbers of the precision in the section."""
    kind: type[np.floating] = _TYPES[operations.precision]
    power = 1 if operations.argument == "w" else 2
    random = np.random.default_rng(20241)
    lower, upper = section.lower, section.upper
    start = max(lower, SMALLEST_OMEGA**power)
    spread = np.exp(random.uniform(math.log(start), math.log(upper), SPREAD))
    samples = [np.array([lower, upper]), spread, random.uniform(lower, upper, SPREAD)]
    for seam in (lower, upper, *(b.upper for b in operations.branches), *(b.lower for b in operations.branches)):
        if lower <= seam <= upper:
            points: list[np.floating] = [kind(seam)]
            for _ in range(NEIGHBOURS):
                points = [np.nextafter(points[0], kind(-np.inf)), *points, np.nextafter(points[-1], kind(np.inf))]
            samples.append(np.array(points, dtype=np.float64))
    x = np.concatenate(samples).astype(kind).astype(np.float64)
    return np.unique(x[(x >= lower) & (x <= upper)])


def _candidates(operations: OperationList, section: Section, key: str) -> NDArray[np.float64]:
    """Return numbers of the precision in the cells with the largest bounds."""
    random = np.random.default_rng(20242)
    bounds = [float(getattr(c, key)) for c in section.cells]
    cells = [c for c, bound in zip(section.cells, bounds, strict=True) if bound >= NEARLY_WORST * max(bounds)]
    samples = [random.uniform(c.lower, c.upper, CANDIDATES // len(cells)) for c in cells]
    x = np.unique(np.concatenate(samples).astype(_TYPES[operations.precision]).astype(np.float64))
    return x[(x >= section.lower) & (x <= section.upper)]


def _estimated_errors(
    operations: OperationList, function: Definition, evaluator: Evaluator, x: NDArray[np.float64], key: str
) -> NDArray[np.float64]:
    """Return errors against the series in extended precision, accurate enough for the choice of arguments."""
    z = x.astype(np.longdouble) ** (2 if operations.argument == "w" else 1)
    value = np.zeros_like(z)
    for coefficient in reversed(function.series.coeffs()):
        high = float(coefficient)
        value = value * z + (np.longdouble(high) + np.longdouble(float(coefficient - high)))
    if function.pole_order:
        high, low = POLES["double"]
        value = value / ((np.longdouble(high) - z) + np.longdouble(low)) ** function.pole_order
    errors = np.max([np.abs(y - value) for y in evaluate(operations, evaluator, x)], axis=0)
    return np.asarray(errors / np.abs(value) if key == "relative" else errors, dtype=np.float64)
