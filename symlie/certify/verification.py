"""Verification of coefficient functions by proof and measurement, with the results in a table."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from symlie.certify.definitions import JUDGED_AT_ZERO, has_zero, is_closed_form, value_at_zero
from symlie.certify.measure import Measured, compile_functions, measure
from symlie.certify.operation_list import Branch, OperationList
from symlie.certify.proof import Section, prove
from symlie.certify.rounding import Contraction
from symlie.certify.subjects import Subject
from symlie.errors import SymlieError
from symlie.ir.schemes import POLES, indices
from symlie.ir.series import is_series, tail_of

EPSILON = {"double": 2.0**-52, "float": 2.0**-23}
"""Spacing of the floating-point numbers at one."""

TARGET = 4.0
TARGET_TO_HALF_PI = 1.5
TARGET_AT_ZERO = 3.0
"""Default targets of bounds in eps: for ω ≤ π, for ω ≤ π/2, and for c_0 and c_1."""

TARGET_OF_SERIES = 40.0
"""Default target of tails of user-defined series, times the largest value if it exceeds their scale."""

POLE_TARGET = 1.5
"""Default target of g_m up to the pole, for each of its (m + 2) rounded factors."""


@dataclass(frozen=True)
class Row:
    """Table row: one function on one interval."""

    name: str
    precision: str
    scheme: str
    degree: int
    interval: tuple[float, float]
    """Interval of ω."""
    switch: float | None
    """ω at the switch to another branch; None if one branch covers the interval."""
    relative_to: str
    """Reference of the errors, ``f`` or ``f(0)``."""
    contraction: str
    proved_eps: float
    measured_eps: float
    measured_at: float
    """ω of the largest measured error."""
    target: float

    @property
    def is_proved(self) -> bool:
        """True if the bound is within the target, and no measured error exceeds the bound."""
        return self.proved_eps <= self.target and self.measured_eps <= self.proved_eps


@dataclass(frozen=True)
class Verification:
    """Proof and table rows of one function."""

    subject: Subject
    contraction: Contraction
    sections: tuple[Section, ...]
    judged_at_zero: tuple[bool, ...]
    """True for sections whose errors are relative to f(0)."""
    rows: tuple[Row, ...]


def verify(
    subjects: Sequence[Subject],
    *,
    domain: tuple[float, float] | None = None,
    contraction: Contraction = "any",
    target: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> list[Verification]:
    """Prove and measure functions on an interval of ω; default: up to π/2, up to π, and up to 2π."""
    evaluators = compile_functions([(s.source, s.operations) for s in subjects], contraction)
    results = []
    for k, subject in enumerate(subjects):
        proof = prove_subject(subject, domain=domain, contraction=contraction)
        measured = [
            measure(subject.operations, subject.base_name, s, evaluators[k], judged_at_zero=z)
            for s, z in zip(proof.sections, proof.judged_at_zero, strict=True)
        ]
        rows = _rows(subject, contraction, proof.sections, measured, target, joined=domain is None)
        results.append(replace(proof, rows=rows))
        if progress:
            progress((k + 1) / len(subjects))
    return results


def prove_subject(
    subject: Subject, *, domain: tuple[float, float] | None = None, contraction: Contraction = "any"
) -> Verification:
    """Prove a function without measurements."""
    operations, name = subject.operations, subject.base_name
    marks = _marks(operations, domain)
    at_zero = tuple(judged_at_zero(name, _omega(operations, upper)) for upper in marks[1:])
    sections = tuple(
        prove(operations, name, a, b, contraction=contraction, judged_at_zero=z)
        for (a, b), z in zip(itertools.pairwise(marks), at_zero, strict=True)
    )
    return Verification(subject, contraction, sections, at_zero, ())


def judged_at_zero(name: str, omega: float) -> bool:
    """Return whether errors up to an angle are relative to f(0), because the function has zeros or is close to zero."""
    if is_closed_form(name):
        return has_zero(name, omega)
    name = name.removeprefix("-")
    if name in JUDGED_AT_ZERO or is_series(name):
        return True
    return name.startswith("c") and indices(name)[0] <= 2 and omega > 1.01 * math.pi


def default_target(name: str, omega: float) -> float:
    """Return the default target of the bound in eps on an interval up to an angle."""
    if is_closed_form(name):
        return TARGET
    name = name.removeprefix("-")
    if is_series(name):
        return TARGET_OF_SERIES * tail_of(name).growth_to(omega * omega)
    if name in JUDGED_AT_ZERO:
        return TARGET_AT_ZERO
    if omega < 1.01 * math.pi / 2:
        return TARGET_TO_HALF_PI
    if name.startswith("g") and omega > 1.01 * math.pi:
        return POLE_TARGET * (indices(name)[0] + 2)
    return TARGET


def _marks(operations: OperationList, domain: tuple[float, float] | None) -> list[float]:
    """Return the ends of sections as arguments; the default ends are slightly beyond the multiples of π."""
    is_omega = operations.argument == "w"
    pole = POLES[operations.precision][0]
    if not is_omega:
        pole = min(pole, max(b.upper for b in operations.branches if b.result == b.result))
    if domain is None:
        squares = [0.0, math.nextafter((math.pi / 2) ** 2, 9), math.nextafter(math.pi**2, 99), pole]
        squares = [*(z for z in squares if z < pole), pole]
        return [math.sqrt(z) for z in squares] if is_omega else squares
    lower, upper = domain
    if not 0 <= lower < upper:
        raise SymlieError(f"The domain must be two angles with 0 ≤ lower < upper; it is {lower:g}, {upper:g}.")
    return [lower, upper] if is_omega else [lower * lower, upper * upper]


def _omega(operations: OperationList, argument: float) -> float:
    return argument if operations.argument == "w" else math.sqrt(argument)


def _rows(
    subject: Subject,
    contraction: Contraction,
    sections: Sequence[Section],
    measured: Sequence[Measured],
    target: float | None,
    *,
    joined: bool,
) -> tuple[Row, ...]:
    operations, name = subject.operations, subject.base_name
    eps = EPSILON[operations.precision]
    at_zero = abs(value_at_zero(name))
    rows = []
    for k, section in enumerate(sections):
        lower = sections[0].lower if joined else section.lower
        omega = _omega(operations, section.upper)
        scaled = judged_at_zero(name, omega)
        parts, found = (sections[: k + 1], measured[: k + 1]) if joined else ([section], [measured[k]])
        if scaled:
            proved = max(p.absolute for p in parts) / at_zero
            worst, place = max((m.absolute / at_zero, m.absolute_at) for m in found)
        else:
            proved = max(p.relative for p in parts)
            worst, place = max((m.relative, m.relative_at) for m in found)
        branches = [
            b for b in operations.branches if b.lower <= section.upper and b.upper >= lower and b.result == b.result
        ]
        kinds = list(dict.fromkeys(scheme_of(b) for b in branches))
        # Pairs switch at w < threshold; polynomials are used for z <= end.
        inner = (
            [b.lower for b in branches[1:]]
            if operations.argument == "w"
            else [math.sqrt(b.upper) for b in branches[:-1]]
        )
        rows.append(
            Row(
                name=subject.name,
                precision=operations.precision,
                scheme="threshold" if operations.argument == "w" else ", ".join(kinds),
                degree=max(_degree_of(b, operations.argument) for b in branches),
                interval=(_omega(operations, lower), omega),
                switch=inner[0] if inner else None,
                relative_to=("scale" if is_series(name) else "f(0)") if scaled else "f",
                contraction=contraction,
                proved_eps=proved / eps,
                measured_eps=worst / eps,
                measured_at=_omega(operations, place),
                target=default_target(name, omega) if target is None else target,
            )
        )
    return tuple(rows)


def scheme_of(branch: Branch) -> str:
    """Return the kind of evaluation."""
    operators = {o.operator for o in branch.operations}
    if operators & {"sin", "cos", "tan"}:
        return "closed form"
    is_quotient = any(o.operator == "div" and isinstance(o.operands[1], str) for o in branch.operations)
    if is_quotient:
        return "pole removed"
    results = [o for o in branch.operations if o.target == branch.result]
    is_recurrence = any(o.operator == "sub" and isinstance(o.operands[0], float) for o in results)
    return "recurrence" if is_recurrence else "polynomial"


def _degree_of(branch: Branch, argument: str) -> int:
    """Return the largest degree of a polynomial in z among the operations; 0 for closed forms."""
    if scheme_of(branch) == "closed form":
        return 0
    degrees: dict[object, int] = {argument: 1}
    for o in branch.operations:
        found = [degrees.get(p, 0) for p in o.operands]
        degrees[o.target] = sum(found) if o.operator == "mul" else found[0] if o.operator == "div" else max(found)
    degree = degrees.get(branch.result, 0)
    return degree if argument == "z" else degree // 2
