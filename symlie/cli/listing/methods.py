"""``symlie list``: details of one method, and the methods for a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from symlie.cli.output import print_json, print_table

if TYPE_CHECKING:
    from symlie.runtime.methods.family import Method


def show_method(name: str, *, as_json: bool) -> None:
    """Print the properties, options and limitations of a method."""
    from symlie.runtime.methods.chosen import chosen_method

    method = chosen_method(name)
    options = {
        option: {"default": default, "values": method.option_values[option]}
        for option, default in method.options.items()
    }
    own = [{"name": array.name, "rows": array.rows, "of": array.of or "number"} for array in method.own]
    if as_json:
        print_json(
            {"name": method.name, "family": method.family, "order": method.order, "order_hat": method.order_hat,
             "source": method.tableau.source, "options": options, "own": own, "limits": method.limits,
             "remark": method.remark, "status": "ok"}
        )  # fmt: skip
        return
    embedded = "" if method.order_hat is None else f", embedded {method.order_hat}"
    carried = ", ".join(f"{array.name} ({array.rows}{f' × {array.of}' if array.of else ''})" for array in method.own)
    print(method.name)
    print_table(
        [
            ("family", method.family.replace("_", "-")),
            ("order", f"{method.order}{embedded}"),
            *([("", method.remark)] if method.remark else []),
            ("source", method.tableau.source),
            ("carries", carried or "nothing besides q, v, λ and v'"),
            *(("not for" if not k else "", limit) for k, limit in enumerate(method.limits)),
        ]
    )
    if options:
        print("\nOptions, as --method-option NAME=VALUE")
        print_table(
            (option, str(found["values"]), f"default: {_default(found['default'])}")
            for option, found in options.items()
        )


def _default(value: object) -> str:
    if value is None:
        return "found by the method"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _steps(method: Method) -> str:
    if method.chooses_order:
        return "adaptive steps and orders"
    return "adaptive or fixed steps" if method.has_estimate else "fixed steps, --h"


def show_choice(model: str, options: Mapping[str, object], *, as_json: bool) -> None:
    """Print the methods that support a model, and why the others do not."""
    from symlie.models.systems import system_of_model
    from symlie.runtime.integrate.choice import method_choice
    from symlie.runtime.methods.library import method

    system = system_of_model(model, options, backend="numpy")
    found = method_choice(system)
    taken = [method(name) for name in found.taken]
    if as_json:
        print_json(
            {"model": found.system, "options": system.layout.options, "default": found.default, "reason": found.reason,
             "methods": [{"name": m.name, "order": m.order, "adaptive": m.has_estimate} for m in taken],
             "refusals": found.refusals, "status": "ok"}
        )  # fmt: skip
        return
    print(f"Default for {found.system}: {found.default}")
    print(f"  {found.reason}")
    if found.default in found.refusals:
        print("  It does not support this model; select a method that does, with --method.")
    print("\nMethods that support it")
    print_table((m.name, f"order {m.order}", _steps(m)) for m in taken)
    if found.refusals:
        print("\nMethods that do not support it")
        print_table([sentence] for sentence in found.refusals.values())
