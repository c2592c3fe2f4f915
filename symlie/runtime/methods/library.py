"""Integration methods by name."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

from symlie.errors import UnknownNameError
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.registry import FAMILIES
from symlie.runtime.tableaux.entry import EntryReader


@functools.cache
def _data() -> dict[str, dict[str, Any]]:
    data: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("method_data.json").read_text("utf-8"))
    return data


@functools.cache
def method_names() -> tuple[str, ...]:
    """Return the names of all methods."""
    return tuple(_data())


@functools.cache
def method(name: str) -> Method:
    """Return the method of this name, or raise an UnknownNameError."""
    if not isinstance(name, str) or name not in _data():
        raise _unknown(str(name))
    entry = dict(_data()[name])
    if "tableau_of" in entry:
        entry = {**_data()[entry.pop("tableau_of")], **entry}
    if "begins_with" in entry:
        first = _data()[entry.pop("begins_with")]
        entry |= {"c": first["c"] + entry["c"], "a": first["a"] + entry["a"]}
        entry |= {"b_hat": first["b_hat"], "order_hat": first["order_hat"]}
    if "start" in entry:
        entry["start"] = method(entry["start"])
    return FAMILIES[entry["family"]].read(EntryReader(name, entry))


def _unknown(name: str) -> UnknownNameError:
    from difflib import get_close_matches

    if re.fullmatch(r"bdf([6-9]|\d\d+)(_index2)?", name):
        return UnknownNameError(
            f"Unknown method {name!r}: BDF has the orders one to five; order six is stable only within 18° of the "
            "negative real axis, and higher orders are unstable."
        )
    similar = get_close_matches(name, method_names(), n=1)
    hint = f" Did you mean {similar[0]!r}?" if similar else ""
    return UnknownNameError(
        f"Unknown method {name!r}.{hint} The methods are {', '.join(method_names())}; a user-defined tableau is a "
        "file that ends in .toml."
    )
