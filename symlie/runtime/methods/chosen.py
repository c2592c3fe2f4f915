"""Methods as arguments of `solve`: a name, a file with a user-defined tableau, or a `Method`, each with options."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from symlie.contract.discrete import DiscreteLagrangian
from symlie.errors import FormatError, ModelError
from symlie.options import MethodName
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.library import method
from symlie.runtime.methods.registry import stated_method
from symlie.runtime.tableaux.discrete_lagrangian import as_entry, discrete_lagrangian, evaluated
from symlie.runtime.tableaux.user_files import named_in_file
from symlie.utilities.reading import brief

MethodLike = MethodName | str | Path | Method | Callable[..., object]
"""A name, a file with a tableau, a method, a discrete Lagrangian, or ``FILE.py:name`` of one of the latter two."""


def chosen_method(stated: MethodLike, options: Mapping[str, object] | None = None) -> Method:
    """Return the specified method with changed options; see `Method.with_options`."""
    if isinstance(stated, Method):
        found = stated
    elif isinstance(stated, str) and ".py:" in stated:
        loaded = named_in_file(stated)
        found = loaded if isinstance(loaded, Method) else _variational(evaluated(stated.rpartition(":")[2], loaded))
    elif callable(stated):
        found = _variational(discrete_lagrangian(stated))
    elif isinstance(stated, Path) or (isinstance(stated, str) and stated.endswith(".toml")):
        found = load_tableau(stated)
    else:
        found = method(stated if isinstance(stated, str) else repr(stated))
    return found.with_options(options or {})


def _variational(discrete: DiscreteLagrangian) -> Method:
    return own_method(discrete.name, as_entry(discrete))


def load_tableau(path: str | Path) -> Method:
    """Read a tableau from a TOML file and return its method, with the orders that the coefficients satisfy.

    Parameters
    ----------
    path
        File with the keys ``name`` (default: the name of the file), ``family`` and the coefficients, exact fractions as
        text such as ``"1/3"``; ``symlie order --help`` shows an example.

    Raises
    ------
    FormatError
        If the file cannot be read, or is not TOML.
    ModelError
        If coefficients are missing or contradict each other, or do not have the specified order.
    """
    path = Path(path)
    try:
        entry = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FormatError(f"The tableau {path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:  # errors of huge numbers are not TOML errors
        raise FormatError(f"{path} is not a TOML file with a tableau: {error}.") from error
    if "A" in entry and "a" not in entry:
        entry["a"] = entry.pop("A")
    name = entry.pop("name", path.stem)
    if not (isinstance(name, str) and name.isprintable() and name.strip() and "*/" not in name):
        raise ModelError(f"{path}: name is {name!r}, but it must be text on one line.")
    return own_method(name, entry)


def own_method(name: str, entry: Mapping[str, Any]) -> Method:
    """Return the method of a user-defined tableau, with the orders that its coefficients satisfy; `entry` is the
    argument of `stated_method`."""
    start = {"start": method(str(entry["start"]))} if "start" in entry else {}
    found = replace(stated_method(name, {**entry, **start}), entry=entry)
    for key in ("order", "order_hat"):
        stated = entry.get(key, 0)
        if not isinstance(stated, int) or isinstance(stated, bool):
            raise ModelError(f"Tableau {name}: {key} is {brief(repr(stated))}, but it must be a whole number.")
    if not found.has_coefficients:
        return found
    orders = dict(zip(("order", "order_hat"), found.orders(), strict=True))
    changes = {}
    for key, order in orders.items():
        if order is None:
            continue
        if order.order < 1:
            raise ModelError(f"Tableau {name}: its {key} is 0, so it does not converge.")
        if entry.get(key, 0) > order.order:
            raise ModelError(f"Tableau {name}: {key} is {entry[key]}, but conditions hold up to {order.order} only.")
        changes[key] = entry.get(key, order.order)
    return replace(found, tableau=replace(found.tableau, **changes))


def method_of_run(name: str, settings: Mapping[str, object]) -> Method:
    """Return the method of a solution from its name and the settings of the run."""
    options = settings.get("method_options", {})
    return recorded_method({"name": name, "entry": settings.get("tableau"), "options": options})


def recorded_method(record: Mapping[str, Any]) -> Method:
    """Return the method described by a `Method.record`."""
    known = method(record["name"]) if record["entry"] is None else own_method(record["name"], record["entry"])
    return known.with_options(record["options"])
