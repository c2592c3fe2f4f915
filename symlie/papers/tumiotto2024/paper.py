"""Items of [Tumiotto2024]: half-explicit methods on the heavy top and on two rods."""

from __future__ import annotations

from collections.abc import Sequence

from symlie.papers.error_curves import ErrorCurves, error_panels
from symlie.papers.facts import Coefficients, Thresholds, coefficient_rows, threshold_rows
from symlie.papers.items import Item, Number, Paper, Table
from symlie.papers.tumiotto2024 import rods, tops
from symlie.papers.tumiotto2024.tops import METHODS, ORDERS


def coefficients() -> Item:
    """Return table 1."""
    studies = [Coefficients(method) for method in METHODS]
    numbers = [
        Number(f"order from the order conditions, method of order {p}", lambda m: m.orders()[0].order, [study], p, p)
        for p, study in zip(ORDERS, studies, strict=True)
    ]
    return Item(
        "table", "1", "reproduced", "coefficients of the half-explicit methods",
        "The fractions are those of the paper. Some fractions in row 8 of the method of order 5 are illegible in "
        "our copy and are taken from the cited sources. The order conditions for index-2 systems hold exactly up to "
        "the order of each method.",
        table=Table(["method", "row", "c", "a"], coefficient_rows, studies), numbers=numbers,
    )  # fmt: skip


def orders() -> Item:
    """Return the claim on order conditions."""
    study = Coefficients("half_explicit_5")
    return Item(
        "claim", "embedded", "confirmed", "The method that estimates the local error is of order four",
        "The embedded weights satisfy all order conditions up to order 4, because the last stage is solved again "
        "with these weights. With the stored slope of this stage, they would have order 3.",
        numbers=[Number("order of the embedded weights", lambda m: m.orders()[1].order, [study], 4, 4)],
    )  # fmt: skip


WORST = 1e3
"""Error in eps that no function of the table should reach; four of them do."""


def thresholds() -> Item:
    """Return table 2."""
    study, curves = Thresholds("tumiotto2024"), ErrorCurves("tumiotto2024", ("c1", "c2", "c3", "c2_1", "c3_1"))
    return Item(
        "table", "2", "corrected", "singular functions and their Taylor polynomials",
        "The polynomials are accurate. Four thresholds are too small: just above them, cancellation in the closed "
        "forms loses most digits. The table lists the proved bound of the error up to ω = π and the largest error "
        "found there, in units of eps = 2⁻⁵². The figure shows errors in units in the last place (ulp).",
        error_panels(curves), 3,
        table=Table(["function", "threshold", "proved bound in eps", "largest error found in eps"], threshold_rows,
                    [study]),
        numbers=[
            Number("functions with an error above 1000 eps",
                   lambda rows: sum(row.measured_eps > WORST for row in rows), [study], 4, 4),
        ],
    )  # fmt: skip


def items(quick: bool) -> Sequence[Item]:
    """Return all items."""
    return [
        *tops.figures(quick),
        *rods.figures(quick),
        coefficients(),
        thresholds(),
        rods.table(),
        *tops.claims(quick),
        orders(),
        *rods.claims(),
    ]


PAPER = Paper(
    "tumiotto2024",
    "Tumiotto2024",
    "D. Tumiotto, M. Arnold: Local coordinates on Lie groups for half-explicit time integration of Cosserat-rod models "
    "with constraints. Multibody Syst. Dyn., 2024",
    "10.1007/s11044-024-10002-8",
    items,
)
