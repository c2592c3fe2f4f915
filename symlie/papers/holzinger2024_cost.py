"""The item of [Holzinger2024], section 4.1.1, on the cost of integration formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from symlie.papers.formula_times import POINT, STORED, FormulaTime, FormulaTimes
from symlie.papers.items import Item, Number, Table

METHODS = {"RK44": "rkmk_rk44", "RK67": "rkmk_rk67"}
SAME = 1e-11
"""Difference of rotations after 20,000 steps: rounding."""

Found = Mapping[str, FormulaTime]


def factor(name: str) -> Callable[[Found], float]:
    """Time of the formulas with rotations stored in a way, over that of a point."""
    return lambda found: found[name].seconds / found[POINT].seconds


def apart(found: Found) -> float:
    """Largest difference of rotation matrices at the end."""
    rotations = [found[name].rotation for name in STORED]
    return float(np.ptp(rotations, axis=0).max())


def rows(*results: Found) -> list[list[str]]:
    """Factors by method."""
    return [
        [method, *(f"{factor(name)(found):.1f}" for name in STORED)]
        for method, found in zip(METHODS, results, strict=True)
    ]


def cost_claim() -> Item:
    """Note 14."""
    studies = {name: FormulaTimes(method) for name, method in METHODS.items()}
    numbers = [
        Number(f"{method}, factor, {name}", factor(name), [study], printed="about 6")
        for method, study in studies.items() for name in STORED
    ]  # fmt: skip
    numbers += [
        Number(f"{method}, largest difference of the rotations of all three", apart, [study], None, SAME)
        for method, study in studies.items()
    ]
    return Item(
        "claim", "formulas", "refuted", "The formulas of a step cost six times as much on the group",
        "Times of steps of a ball with v' = -d v, whose formulas are all there is to compute, over those of a point "
        "with the same equation, which are the formulas on Rⁿ. Times are of one machine and are not judged. The factor "
        "belongs to how rotations are stored: with the rotation vectors of the paper, which each stage composes, it is "
        "larger than 6 here; with matrices and quaternions, whose angles need not be found again, it is smaller. All "
        "three give the same motion.",
        table=Table(["method", *STORED], rows, list(studies.values())), numbers=numbers,
    )  # fmt: skip
