"""Integration methods by name."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.kernels.coordinates import STEP_KINDS
from symlie.runtime.methods.entry import tableau_of_entry
from symlie.runtime.methods.symplectic_theta import ThetaTableau, theta_tableau
from symlie.runtime.methods.tableau import ExplicitTableau, Tableau
from symlie.showing import Brief

MAPS = ("exp", "cayley", "second_kind")
"""Local coordinates of a step: the exponential, the Cayley map, and products of exponentials along basis vectors."""

MOST_COMMUTATORS = 30
"""Terms of dexp⁻¹; far more than the orders of tableaux need."""

OPTIONS = ("commutators", "map", "theta")
"""What can be chosen: the first two for methods of the family rkmk, θ for the symplectic family."""

USES = ("index1", "ambient")
"""What explicit tableaux serve for besides the family rkmk."""


@dataclass(frozen=True, repr=False)
class Method(Brief):
    """An integration method: its coefficients, and how they are used.

    Parameters
    ----------
    tableau : Tableau
        The coefficients; they also give the method its name, family and order.
    commutators : int, optional
        For the family ``rkmk``: the number of nested commutators after which dexp⁻¹ is truncated; 0 leaves the
        identity. ``None`` is the exact dexp⁻¹.
    use : str, optional
        ``"index1"``: constraints are differentiated to the acceleration level, where an explicit tableau applies.
        ``"ambient"``: an explicit tableau on the stored components, which does not stay on the manifold.
    map : str
        For the family ``rkmk``: local coordinates, one of `MAPS`.
    entry : mapping, optional
        The data of a tableau that is not one of the library.

    Raises
    ------
    ModelError
        If ``commutators`` or ``map`` do not fit the method.
    """

    tableau: Tableau
    commutators: int | None = None
    use: str | None = None
    map: str = "exp"
    entry: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        is_number = self.commutators is None or 0 <= self.commutators <= MOST_COMMUTATORS
        if not is_number or (self.commutators is not None and self.family != ExplicitTableau.family):
            raise ModelError(
                f"Method {self.name}: commutators is {self.commutators}, but it must be None or, for the family rkmk, "
                f"a number of commutators from 0 to {MOST_COMMUTATORS}."
            )
        if self.map != "exp" and (self.family != ExplicitTableau.family or self._has_own_commutators):
            raise ModelError(f"Method {self.name}: only methods of the family rkmk have a choice of maps.")
        if self.map != "exp" and self.commutators is not None:
            raise ModelError(
                f"Method {self.name}: the truncated series belongs to exp; take commutators=exact with map={self.map}."
            )

    @property
    def _has_own_commutators(self) -> bool:
        return isinstance(self.tableau, ExplicitTableau) and bool(self.tableau.brackets)

    @property
    def name(self) -> str:
        """Name of the method."""
        return self.tableau.name

    @property
    def family(self) -> str:
        """The tableau's family, or ``index1`` or ``ambient``."""
        return self.use or self.tableau.family

    @property
    def step_kind(self) -> str | None:
        """The kind of further kernels of nodes that steps need, one of `STEP_KINDS`."""
        return self.use if self.use in STEP_KINDS else self.map if self.map in STEP_KINDS else None

    @property
    def is_free_of_commutators(self) -> bool:
        """Whether it takes nothing but flows of slopes: no dexp⁻¹ and no commutators."""
        if self.family == ExplicitTableau.family:
            return self.commutators == 0 and not self._has_own_commutators and self.map == "exp"
        return self.family in ("commutator_free", "crouch_grossman", "ambient")

    @property
    def has_estimate(self) -> bool:
        """Whether an embedded formula estimates the error, so that steps can be adaptive."""
        return self.tableau.has_estimate

    @property
    def order(self) -> int:
        """Order of the states; the multipliers of a half-explicit method have one order less in general."""
        return self._truncated(self.tableau.order)

    @property
    def order_hat(self) -> int | None:
        """Order of the embedded formula."""
        return None if self.tableau.order_hat is None else self._truncated(self.tableau.order_hat)

    def _truncated(self, order: int) -> int:
        if self.commutators is None or self._has_own_commutators:
            return order
        return min(order, order_of_truncation(self.commutators))

    @property
    def options(self) -> dict[str, Any]:
        """Its options as `with_options` takes them; none where there is no choice."""
        if isinstance(self.tableau, ThetaTableau):
            return {"theta": self.tableau.theta}
        if self.family != ExplicitTableau.family or self._has_own_commutators:
            return {}
        return {"commutators": "exact" if self.commutators is None else self.commutators, "map": self.map}

    @property
    def record(self) -> dict[str, Any]:
        """Everything that `symlie.runtime.methods.chosen.recorded_method` needs, as JSON has it."""
        return {"name": self.name, "entry": self.entry, "options": self.options}

    def with_options(self, options: Mapping[str, Any]) -> Method:
        """The method with some options changed.

        Parameters
        ----------
        options
            ``commutators``: ``"exact"``, a number, or ``"auto"`` for as many as the order needs. ``map``: one of
            `MAPS`. ``theta``: θ of the symplectic family, from 0 to 1.

        Raises
        ------
        UnknownNameError
            There is no such option or value.
        ModelError
            The method has no options, or they do not fit together.
        """
        for key in options:
            if key not in OPTIONS:
                raise UnknownNameError(f"A method has no option '{key}'; there are {', '.join(OPTIONS)}.")
        if not options or dict(options) == self.options:
            return self
        foreign = [key for key in options if key not in self.options]
        if foreign:
            raise ModelError(
                f"Method {self.name} of the family {self.family} has no option {foreign[0]}; commutators and map "
                "belong to tableaux of the family rkmk, theta to symplectic_theta."
            )
        if isinstance(self.tableau, ThetaTableau):
            return replace(self, tableau=theta_tableau(self.name, options["theta"], self.tableau.source))
        chosen = options.get("map", self.map)
        if chosen not in MAPS:
            raise UnknownNameError(f"Unknown map '{chosen}'; use one of: {', '.join(MAPS)}.")
        stated = options.get("commutators", "exact" if self.commutators is None else self.commutators)
        return replace(self, map=chosen, commutators=self._commutators(stated))

    def _commutators(self, stated: Any) -> int | None:
        if stated == "exact":
            return None
        if stated == "auto":
            return next(k for k in range(self.tableau.order) if order_of_truncation(k) >= self.tableau.order)
        if isinstance(stated, float) and stated.is_integer():
            stated = int(stated)
        if not isinstance(stated, int) or isinstance(stated, bool) or stated < 0:
            raise UnknownNameError(f"commutators must be exact, auto or a number from 0, not {stated!r}.")
        return stated


def order_of_truncation(commutators: int) -> int:
    """The highest order that a tableau keeps with a truncated dexp⁻¹: k commutators for order k + 2; B₃ = B₅ = … = 0.

    Source: [MuntheKaas1999].
    """
    return commutators + 2 if commutators < 2 else 2 * (commutators // 2) + 3


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
    if entry["family"] == ThetaTableau.family:
        return Method(theta_tableau(name, entry["theta"], entry["source"]))
    use = entry["family"] if entry["family"] in USES else None
    if "tableau_of" in entry:
        entry = {**_data()[entry["tableau_of"]], "source": entry["source"]}
    if "begins_with" in entry:
        first = _data()[entry.pop("begins_with")]
        entry |= {"c": first["c"] + entry["c"], "a": first["a"] + entry["a"]}
        entry |= {"b_hat": first["b_hat"], "order_hat": first["order_hat"]}
    return Method(tableau_of_entry(name, entry), entry.get("commutators"), use)


def _unknown(name: str) -> UnknownNameError:
    from difflib import get_close_matches

    similar = get_close_matches(name, method_names(), n=1)
    hint = f" Did you mean {similar[0]!r}?" if similar else ""
    return UnknownNameError(
        f"There is no method {name!r}.{hint} The methods are {', '.join(method_names())}; a tableau of your own is a "
        "file that ends in .toml."
    )
