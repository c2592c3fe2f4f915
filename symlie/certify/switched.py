"""Pairs of formulas: a Taylor polynomial below a threshold of ω, and the closed form, as typed, above it.

Their errors are bounded, and the best switch for a degree is determined.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from flint import ctx

from symlie.certify.cells import BITS, ORDER, CellProver
from symlie.certify.definitions import definition
from symlie.certify.operation_list import parse_function
from symlie.certify.rounding import Contraction
from symlie.certify.stated_functions import StatedFunction
from symlie.certify.subjects import Subject
from symlie.certify.verification import judged_at_zero

CELLS_PER_BINADE = 48
"""Resolution of ω in the search for a switch."""
SMALLEST_SWITCH = 2.0**-10

BESIDE = 2.0**-10
"""Width of the cells on both sides of a switch, relative to the switch."""


def switched_subject(function: StatedFunction) -> Subject:
    """Return a pair of formulas as a C function of ω."""
    name = f"switched_{function.name}"
    source = function.c_source(name)
    return Subject(function.label, function.closed_form, source, parse_function(source, name))


@dataclass(frozen=True)
class AtSwitch:
    """Bounds of the relative errors immediately below and above a threshold."""

    polynomial: float
    closed_form: float


def errors_at_switch(function: StatedFunction, contraction: Contraction = "any") -> AtSwitch:
    """Return bounds of the errors on both sides of the threshold."""
    ctx.prec, ctx.cap = BITS, ORDER
    subject, threshold = switched_subject(function), function.threshold
    upper = max(function.domain[1], threshold * (1 + BESIDE))
    exact = definition(subject.base_name, upper * upper * (1 + 1e-15))
    ends = (threshold * (1 - BESIDE), threshold, threshold * (1 + BESIDE))
    bounds = [
        CellProver(branch, "w", exact, function.precision, contraction).cell(a, b).relative
        for branch, (a, b) in zip(subject.operations.branches, itertools.pairwise(ends), strict=True)
    ]
    return AtSwitch(*bounds)


def best_switches(
    function: StatedFunction, degrees: Sequence[int], contraction: Contraction = "any"
) -> list[StatedFunction]:
    """Return the pair with the smallest proved bound for each degree of the Taylor polynomial in z = ω²."""
    ctx.prec, ctx.cap = BITS, ORDER
    upper = function.domain[1]
    count = math.ceil(math.log2(upper / SMALLEST_SWITCH) * CELLS_PER_BINADE)
    points = [SMALLEST_SWITCH * (upper / SMALLEST_SWITCH) ** (k / count) for k in range(count + 1)]
    exact = definition(function.closed_form, upper * upper * (1 + 1e-15))
    scaled = judged_at_zero(function.closed_form, upper)

    def bounds(degree: int, k: int) -> list[float]:
        subject = switched_subject(function.with_switch(upper / 2, degree))
        prover = CellProver(subject.operations.branches[k], "w", exact, function.precision, contraction)
        cells = [prover.cell(a, b) for a, b in itertools.pairwise(points)]
        return [cell.absolute if scaled else cell.relative for cell in cells]

    above = [*reversed(list(itertools.accumulate(reversed(bounds(0, 1)), max))), 0.0]
    results = []
    for degree in degrees:
        below = [0.0, *itertools.accumulate(bounds(degree, 0), max)]
        k = min(range(1, len(points) - 1), key=lambda i: (max(below[i], above[i]), i))
        results.append(function.with_switch(float(f"{points[k]:.3g}"), degree))
    return results
