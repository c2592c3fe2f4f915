"""Integration methods by name."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.tableau import ExplicitTableau, HalfExplicitTableau, exact_row


@dataclass(frozen=True)
class Method:
    """An integration method: its coefficients, and how they are used.

    Parameters
    ----------
    tableau : ExplicitTableau or HalfExplicitTableau
        The coefficients; they also give the method its name, family and order.
    commutators : int, optional
        For the family ``rkmk``: the number of nested commutators after which dexp⁻¹ is truncated; 0 leaves the
        identity. ``None`` is the exact dexp⁻¹.
    is_index1 : bool
        Whether constraints are differentiated to the acceleration level (index 1), where an explicit tableau applies.

    Raises
    ------
    ModelError
        If ``commutators`` is negative, or given for a half-explicit method.
    """

    tableau: ExplicitTableau | HalfExplicitTableau
    commutators: int | None = None
    is_index1: bool = False

    def __post_init__(self) -> None:
        if self.commutators is not None and (self.commutators < 0 or self.tableau.family != ExplicitTableau.family):
            raise ModelError(
                f"Method {self.name}: commutators is {self.commutators}, but it must be None or, for the family rkmk, "
                "a number of commutators."
            )

    @property
    def name(self) -> str:
        """Name of the method."""
        return self.tableau.name

    @property
    def family(self) -> str:
        """``rkmk`` (Runge–Kutta–Munthe-Kaas), ``half_explicit`` or ``index1``."""
        return "index1" if self.is_index1 else self.tableau.family

    @property
    def has_estimate(self) -> bool:
        """Whether an embedded formula estimates the error, so that steps can be adaptive."""
        return self.tableau.b_hat is not None

    @property
    def order(self) -> int:
        """Order of the states; the multipliers of a half-explicit method have one order less in general."""
        return self.tableau.order


@functools.cache
def _data() -> dict[str, dict[str, Any]]:
    data: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("method_data.json").read_text("utf-8"))
    return data


def method_names() -> tuple[str, ...]:
    """Names of all methods."""
    return tuple(_data())


@functools.cache
def method(name: str) -> Method:
    """The method of this name.

    Raises
    ------
    UnknownNameError
        If there is no such method; the message lists those that exist.
    """
    if not isinstance(name, str) or name not in _data():
        raise _unknown(str(name))
    entry = dict(_data()[name])
    family = entry.pop("family")
    if "tableau_of" in entry:
        entry = {**_data()[entry["tableau_of"]], "source": entry["source"]}
    tableau_family = entry.pop("family", family)
    commutators = entry.pop("commutators", None)
    if "begins_with" in entry:
        first = _data()[entry.pop("begins_with")]
        entry |= {"c": first["c"] + entry["c"], "a": first["a"] + entry["a"]}
        entry |= {"b_hat": first["b_hat"], "order_hat": first["order_hat"]}
    entry["a"] = tuple(exact_row(row) for row in entry["a"])
    entry |= {key: exact_row(entry[key]) for key in ("b", "b_hat", "c", "d") if key in entry}
    kind = ExplicitTableau if tableau_family == ExplicitTableau.family else HalfExplicitTableau
    return Method(kind(name=name, **entry), commutators, is_index1=family == "index1")


def _unknown(name: str) -> UnknownNameError:
    from difflib import get_close_matches

    similar = get_close_matches(name, method_names(), n=1)
    hint = f" Did you mean {similar[0]!r}?" if similar else ""
    return UnknownNameError(f"There is no method {name!r}.{hint} The methods are {', '.join(method_names())}.")
