"""``symlie order``: theoretical order of a method from its coefficients, and observed order."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from symlie.cli.common import add
from symlie.cli.output import print_json, print_table
from symlie.cli.steps import METHOD_HELP
from symlie.cli.values import path
from symlie.errors import ModelError

if TYPE_CHECKING:
    from symlie.runtime.methods.family import Method

SUMMARY = "Check the order conditions of a method exactly, and measure its order on a heavy top."
DETAILS = """

The conditions hold for methods on manifolds: planar rooted trees and forests with up to six nodes, in rational
arithmetic; half-explicit methods are checked with the trees of index-2 systems, up to order five. If coefficients
are decimal fractions, the conditions must hold to 1e-13.

A file has the keys name, family, A, b, c, and b_hat for an embedded formula; fractions are strings:

  name = "heun"
  family = "rkmk"              # or crouch_grossman, half_explicit (with s and d), commutator_free
  A = [[], ["1"]]
  b = ["1/2", "1/2"]
  c = ["0", "1"]

A commutator-free method has products of exponentials. Each row has the weights of the slopes; the first row acts first:

  stages = [{}, {exps = [["1/2"]]}, {exps = [["0", "1/2"]]}, {from = "Y2", exps = [["-1/2", "0", "1"]]}]
  result = {exps = [["1/4", "1/6", "1/6", "-1/12"], ["-1/12", "1/6", "1/6", "1/4"]]}"""
EXAMPLE = """symlie order cf4
  symlie order rkmk_dopri5 --method-option commutators=1
  symlie order my_tableau.toml --json
  symlie order my_method.py:midpoint"""

MODEL = "heavy_top"
"""Model for the observed order."""
SPIN = [0.4, 3.0, -1.0]
"""Its initial Ω, in rad/s, much slower than the default of the model."""
END = 1.0
"""End time of its motion, in s."""
SLACK = 0.5
"""Largest shortfall of an observed order from the declared one: half of the distance between two orders."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("method", metavar="METHOD", type=path, help=METHOD_HELP)
    add(parser, "--method-option")
    parser.add_argument("--exact-only", action="store_true", help="only check the conditions, without running a model")
    add(parser, "--backend", "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    arguments.result.update(method=arguments.method)
    from symlie.runtime.methods.chosen import chosen_method
    from symlie.runtime.tableaux.half_explicit_tableau import HalfExplicitTableau

    method = chosen_method(arguments.method, dict(arguments.method_options))
    found, embedded = method.orders() if method.has_coefficients else (None, None)
    arguments.result.update(
        name=method.name,
        family=method.family,
        options=method.options,
        order=found.order if found else method.order,
        order_hat=embedded.order if embedded else method.order_hat,
        exact=found is not None and not method.tableau.is_decimal,
    )
    if found:
        arguments.result.update(conditions=found.conditions, violated=found.violated, residual=found.residual)
    if isinstance(method.tableau, HalfExplicitTableau):
        arguments.result.update(kappa=str(method.tableau.kappa))
    measures = not (arguments.exact_only or method.chooses_order)
    if measures:
        arguments.result.update(observed=_observed(arguments))
        if found is None:
            _check_observed(method, arguments.result["observed"]["order"])
    if arguments.json:
        print_json({**arguments.result, "status": "ok"})
        return 0
    rows = [("order", str(arguments.result["order"]))]
    if arguments.result["order_hat"] is not None:
        rows.append(("embedded", str(arguments.result["order_hat"])))
    if found is None:
        rows.append(("conditions", "not available for a step program"))
    else:
        how = f"up to {found.residual:.1e}" if method.tableau.is_decimal else "exactly"
        rows.append(("conditions", f"{found.conditions} hold {how}"))
    if isinstance(method.tableau, HalfExplicitTableau):
        rows.append(("kappa", f"{method.tableau.kappa}, factor of an error in λ over one step"))
    if found and found.violated:
        rows.append(("order + 1", f"{found.violated} violated"))
    print(f"{method.name} ({method.family.replace('_', '-')})")
    print_table(rows)
    if measures:
        _print_observed(arguments.result["observed"])
    return 0


def _check_observed(method: Method, orders: list[float]) -> None:
    """Raise an error if the observed order contradicts the declared one."""
    if orders and orders[-1] < method.order - SLACK:
        raise ModelError(
            f"Method {method.name}: the declared order is {method.order}, but the observed order is {orders[-1]:.2f}."
        )


def _observed(arguments: Namespace) -> dict[str, Any]:
    from symlie.models.systems import system_of_model
    from symlie.runtime.methods.chosen import chosen_method
    from symlie.runtime.study.observed_orders import observed_orders

    method = chosen_method(arguments.method, dict(arguments.method_options))
    group = "SE3" if method.takes_constraints else "SO3"
    system = system_of_model(MODEL, {"group": group}, backend=arguments.backend).with_initial("top", Omega=SPIN)
    found = observed_orders(system, method, END)
    return {"model": MODEL, "group": group, "h": list(found.h), "error": list(found.error), "order": list(found.order)}


def _print_observed(observed: dict[str, Any]) -> None:
    print(f"\n{observed['model']} on {observed['group']}: errors at t = {END:g} s, observed orders in brackets")
    orders = ["", *(f"({order:.2f})" for order in observed["order"])]
    print_table(
        (f"h = {h:.3e}", f"{e:.3e}", o) for h, e, o in zip(observed["h"], observed["error"], orders, strict=False)
    )
