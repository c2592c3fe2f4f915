"""``symlie verify --derivatives``: errors of the Taylor coefficients of coefficient functions, for all orders."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict, dataclass

from symlie.cli.output import Progress, print_json, print_table
from symlie.contract.constants import MOST_ORDER
from symlie.errors import SymlieError
from symlie.ir.jets.compositions import MOST_DERIVATIVES

ALONE = ("certificate", "domain", "operators", "paper", "plot", "snippet", "suggest")
"""Options that apply only to the functions."""


@dataclass(frozen=True)
class Row:
    """Table row: Taylor coefficients of a function up to an order, on a part of its domain."""

    name: str
    order: int
    where: str
    relative_to: str
    proved_eps: float
    measured_eps: float | None
    target: float

    @property
    def is_proved(self) -> bool:
        """True if the bound does not exceed its target, and the measured error does not exceed the bound."""
        return self.proved_eps <= self.target and (self.measured_eps or 0.0) <= self.proved_eps


def judge_derivatives(arguments: Namespace) -> int:
    """Prove and measure errors of the derivatives of functions."""
    from symlie.certify.derivatives.bounds import REFERENCES, all_names, prove_derivatives, target
    from symlie.certify.derivatives.measured import measured_eps
    from symlie.certify.derivatives.scheme import scheme_of, shipped_text

    order = arguments.derivatives
    if not 1 <= order <= MOST_ORDER:
        raise SymlieError(f"--derivatives {order} must be an order from 1 to {MOST_ORDER}.")
    if (arguments.what is not None) + bool(arguments.all) != 1:
        raise SymlieError("Name a function, as in: symlie verify c2 --derivatives 24, or give --all.")
    elsewhere = [word for word in ALONE if getattr(arguments, word)]
    if elsewhere:
        raise SymlieError(
            f"--derivatives proves bounds over all arguments and cannot be combined with --{elsewhere[0]}."
        )
    names = all_names() if arguments.all else [arguments.what]
    text = shipped_text()
    scheme = scheme_of(text)
    with Progress(f"{len(names)} functions, coefficients up to order {order}") as progress:
        most_m = MOST_DERIVATIVES if arguments.all else None
        bounds = prove_derivatives(scheme, names, most_m, order, progress)
        rows = [
            Row(
                b.name,
                order,
                b.where,
                REFERENCES[b.where],
                b.eps[-1],
                measured_eps(scheme, text, b.name, b.where, order),
                target(b.name, b.where, order) if arguments.target is None else arguments.target,
            )
            for b in bounds
        ]
    passed = all(row.is_proved for row in rows)
    if arguments.json:
        found = [asdict(row) | {"ok": row.is_proved} for row in rows]
        print_json({"functions": found, "status": "ok" if passed else "not proved"})
    else:
        _print_rows(rows)
    return 0 if passed else 1


def _print_rows(rows: list[Row]) -> None:
    lines = [("function", "orders", "recurrences", "relative to", "proved", "measured")]
    for row in rows:
        measured = "" if row.measured_eps is None else f"{row.measured_eps:.4g} eps"
        mark = "" if row.is_proved else f"  not within {row.target:g}"
        where = "" if row.where == "everywhere" else row.where
        orders = f"1 to {row.order}"
        lines.append((row.name, orders, where, row.relative_to, f"{row.proved_eps:.4g} eps", measured + mark))
    print_table(lines, indent="")
