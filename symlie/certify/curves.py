"""Errors of coefficient functions over ω: bounds on many small cells, and the largest measured error in each."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from symlie.certify.cells import BITS, ORDER, CellProver
from symlie.certify.definitions import Definition, definition
from symlie.certify.measure import Evaluator, compile_functions, evaluate
from symlie.certify.rounding import Contraction
from symlie.certify.stated_functions import PAPERS, StatedFunction, paper_functions
from symlie.certify.subjects import Subject, named_subject
from symlie.certify.switched import switched_subject
from symlie.certify.verification import EPSILON, judged_at_zero

LOWER = 1e-6
CELLS_PER_DECADE = 60
ARGUMENTS = 48
"""Number of arguments in each cell."""

LOOSE = 4.0
DEEPEST = 6
"""Ratio of bound to measured error above which a cell is bisected, and largest number of bisections."""

TITLES = {
    "c1": r"\sin\omega/\omega",
    "c2": r"(1 - \cos\omega)/\omega^2",
    "c3": r"(\omega - \sin\omega)/\omega^3",
    "c2_1": r"(\omega\,\sin\omega - 2 + 2\,\cos\omega)/\omega^4",
    "c3_1": r"(3\,\sin\omega - \omega(2 + \cos\omega))/\omega^5",
    "g0": r"(1 - \frac{\omega}{2}\,\cot\frac{\omega}{2})/\omega^2",
}
"""Closed forms of functions in papers, in the math syntax of Matplotlib."""

Array = NDArray[np.float64]


def title(name: str) -> str:
    """Return a function and its closed form for figure titles, in the math syntax of Matplotlib."""
    letter, index = name[0], name[1:].replace("_", ",")
    form = TITLES.get(name)
    return f"${letter}_{{{index}}}" + (f" = {form}$" if form else "$")


@dataclass(frozen=True)
class ErrorCurve:
    """Errors in units in the last place of the value, or of f(0) if the function has zeros."""

    label: str
    omega: Array
    """Angles at the centres of cells."""
    measured: Array
    proved: Array
    switches: tuple[float, ...]
    """ω at the switches between branches."""


def _error_curve(
    subject: Subject,
    label: str,
    evaluator: Evaluator,
    *,
    upper: float = math.pi,
    contraction: Contraction = "any",
) -> ErrorCurve:
    """Return bounds and measured errors of one function up to the angle ``upper``."""
    ctx.prec, ctx.cap = BITS, ORDER
    operations = subject.operations
    is_omega = operations.argument == "w"
    power = 1 if is_omega else 2
    function = definition(subject.base_name, upper * upper * (1 + 1e-15))
    scaled = judged_at_zero(subject.base_name, upper)
    count = math.ceil(math.log10(upper / LOWER) * CELLS_PER_DECADE)
    inner = [b.upper for b in operations.branches if LOWER**power < b.upper < upper**power]
    regular = ((LOWER * (upper / LOWER) ** (k / count)) ** power for k in range(count))
    ends = sorted({*regular, upper**power, *inner})
    generator = np.random.default_rng(20245)
    omega, measured, proved = [], [], []
    for a, b in itertools.pairwise(ends):
        branch = next(x for x in operations.branches if a < x.upper)
        prover = CellProver(branch, operations.argument, function, operations.precision, contraction)
        values = [function.at_zero] if scaled else [function.value(arb(x) ** (2 if is_omega else 1)) for x in (a, b)]
        least = min(abs(float(v)) for v in values)
        ulp = EPSILON[operations.precision] * 2.0 ** math.floor(math.log2(least))
        omega.append(math.sqrt(a * b) ** (1 if is_omega else 0.5))
        x = generator.uniform(max(a, math.nextafter(branch.lower, math.inf)), b, ARGUMENTS)
        found = _largest(subject, function, evaluator, x)
        measured.append(found / ulp)
        proved.append(_bound(prover, a, b, max(found, ulp / 4)) / ulp)
    switches = tuple(x if is_omega else math.sqrt(x) for x in inner)
    return ErrorCurve(label, np.array(omega), np.array(measured), np.array(proved), switches)


def _bound(prover: CellProver, lower: float, upper: float, measured: float, depth: int = DEEPEST) -> float:
    """Return a bound of the absolute error, with bisection of cells whose bound is far above the measured error."""
    bound = prover.cell(lower, upper).absolute
    if bound <= LOOSE * measured or not depth:
        return bound
    middle = (lower + upper) / 2
    return max(_bound(prover, a, b, measured, depth - 1) for a, b in ((lower, middle), (middle, upper)))


def _largest(subject: Subject, function: Definition, evaluator: Evaluator, x: Array) -> float:
    """Return the largest error at the given arguments, rounded to the precision."""
    operations = subject.operations
    if operations.precision == "float":
        x = x.astype(np.float32).astype(np.float64)
    exact = [function.value(arb(v) * arb(v) if operations.argument == "w" else arb(v)) for v in map(float, x)]
    return max(
        float(abs(reference - value).mid())
        for values in evaluate(operations, evaluator, x)
        for value, reference in zip(map(float, values), exact, strict=True)
    )


def comparison(
    names: Sequence[str],
    *,
    upper: float = math.pi,
    contraction: Contraction = "any",
    precision: str = "double",
    paper: str | None = None,
) -> dict[str, list[ErrorCurve]]:
    """Return, for each function, the error curves of the pairs printed in papers, if any, and of symlie."""
    papers = [paper] if paper else list(reversed(PAPERS))
    printed = {function.name: (function, p) for p in papers for function in paper_functions(p)}
    subjects: list[tuple[str, str, Subject]] = []
    for name in names:
        if name in printed and precision == "double":
            row, source = printed[name]
            label = f"switched pair ({source})" if paper else "switched pair as printed"
            subjects.append((name, label, switched_subject(row)))
        subjects.append((name, "symlie", named_subject(name, "float" if precision == "float" else "double")))
    evaluators = compile_functions([(s.source, s.operations) for _, _, s in subjects])
    panels: dict[str, list[ErrorCurve]] = {name: [] for name in names}
    for (name, label, subject), evaluator in zip(subjects, evaluators, strict=True):
        panels[name].append(_error_curve(subject, label, evaluator, upper=upper, contraction=contraction))
    return panels


def stated_curves(
    functions: Sequence[StatedFunction], best: Sequence[StatedFunction], contraction: Contraction = "any"
) -> dict[str, list[ErrorCurve]]:
    """Return the error curves of pairs with the specified and with optimal thresholds."""
    pairs = [(f, label) for a, b in zip(functions, best, strict=True) for f, label in ((a, "as stated"), (b, "best"))]
    subjects = [switched_subject(f) for f, _ in pairs]
    evaluators = compile_functions([(s.source, s.operations) for s in subjects])
    panels: dict[str, list[ErrorCurve]] = {function.name: [] for function in functions}
    for (function, label), subject, evaluator in zip(pairs, subjects, evaluators, strict=True):
        curve = _error_curve(subject, label, evaluator, upper=function.domain[1], contraction=contraction)
        panels[function.name].append(curve)
    return panels
