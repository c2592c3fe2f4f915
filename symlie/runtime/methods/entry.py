"""Tableaux from plain data, as JSON and TOML have it: text for fractions, tables for chains of exponentials."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from symlie.errors import ModelError
from symlie.runtime.methods.commutator_free import Chain, ChainTableau, CrouchGrossmanTableau, along_slopes
from symlie.runtime.methods.exact import ExactRow, QuadraticNumber, exact_row, exact_sum
from symlie.runtime.methods.tableau import Bracket, ExplicitTableau, HalfExplicitTableau, Tableau

_REQUIRED = {
    "rkmk": ("a", "b"),
    "half_explicit": ("s", "a", "d"),
    "commutator_free": ("stages", "result"),
    "crouch_grossman": ("a", "b"),
}
_OPTIONAL = {
    "rkmk": ("c", "b_hat", "brackets", "commutators"),
    "half_explicit": ("c", "b_hat"),
    "commutator_free": ("c", "result_hat"),
    "crouch_grossman": ("c", "b_hat"),
}
_ALIASES = {"cf": "commutator_free", "cg": "crouch_grossman"}
_COMMON = ("family", "order", "order_hat", "source")

FAMILIES = tuple(_REQUIRED)
"""Families of tableaux."""


class EntryReader:
    """Reads the values of an entry, and says what is wrong with them.

    Parameters
    ----------
    name
        Name of the tableau, for messages.
    entry
        Its values by key.
    """

    def __init__(self, name: str, entry: Mapping[str, Any]) -> None:
        self.name, self.entry = name, entry
        self.is_decimal = False

    def error(self, sentence: str) -> ModelError:
        """An exception that names the tableau."""
        return ModelError(f"Tableau {self.name}: {sentence}.")

    def family(self) -> str:
        """The family, after a check of all keys."""
        stated = self.entry.get("family")
        family = _ALIASES.get(stated, stated) if isinstance(stated, str) else None
        if family not in _REQUIRED:
            raise self.error(f"family is {stated!r}, but it must be one of {', '.join(FAMILIES)}")
        known = (*_REQUIRED[family], *_OPTIONAL[family], *_COMMON)
        for key in self.entry:
            if key not in known:
                raise self.error(f"there is no '{key}' in the family {family}; it has {', '.join(known)}")
        for key in _REQUIRED[family]:
            if key not in self.entry:
                raise self.error(f"'{key}' is missing; the family {family} needs {', '.join(_REQUIRED[family])}")
        return family

    def integer(self, key: str, default: int | None = None) -> int | None:
        """A whole number."""
        value = self.entry.get(key, default)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise self.error(f"{key} is {value!r}, but it must be a whole number")
        return value

    def row(self, what: str, values: Any) -> ExactRow:
        """A row of coefficients."""
        if not isinstance(values, Sequence) or isinstance(values, str):
            raise self.error(f'{what} is {values!r}, but it must be an array of fractions such as ["1/3", "2/3"]')
        return tuple(self.number(what, value) for value in values)

    def number(self, what: str, value: Any) -> QuadraticNumber:
        """A coefficient: text, or a number."""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self.error(f'{what} holds {value!r}, but coefficients are text such as "-7*sqrt(3)/108"')
        text = value if isinstance(value, str) else repr(value)
        self.is_decimal = self.is_decimal or "." in text or isinstance(value, float)
        try:
            return exact_row([text])[0]
        except ModelError as error:
            raise self.error(f"in {what} {str(error).rstrip('.')}") from error

    def rows(self, key: str) -> tuple[ExactRow, ...]:
        """A strictly lower triangle; full rows may be filled with zeros to the right."""
        values = self.entry[key]
        if not isinstance(values, Sequence) or isinstance(values, str):
            raise self.error(f"{key} is {values!r}, but it must be an array of rows")
        found = []
        for number, value in enumerate(values, start=1):
            row = self.row(f"row {number} of {key}", value)
            if any(row[number - 1 :]):
                raise self.error(f"row {number} of {key} has entries on or above the diagonal; methods are explicit")
            found.append(row[: number - 1])
        return tuple(found)

    def chain(self, what: str, value: Any) -> Chain:
        """A chain of exponentials: ``{from = "Y2", exps = [["-1/2", "0", "1"]]}``."""
        if not isinstance(value, Mapping) or not set(value) <= {"from", "exps"}:
            raise self.error(
                f'{what} is {value!r}, but it must be a table such as {{from = "Y2", exps = [["-1/2", "0", "1"]]}}'
            )
        start = value.get("from", "y")
        match = re.fullmatch(r"Y([1-9][0-9]*)", start) if isinstance(start, str) else None
        if match is None and start != "y":
            raise self.error(f'{what} is from {start!r}, but it must be from "y" or a stage such as "Y2"')
        rows = value.get("exps", ())
        if not isinstance(rows, Sequence) or isinstance(rows, str):
            raise self.error(f"the exps of {what} are {rows!r}, but they must be an array of rows")
        return Chain(
            tuple(self.row(f"exponential {k} of {what}", row) for k, row in enumerate(rows, start=1)),
            int(match[1]) if match else 1,
        )


def tableau_of_entry(name: str, entry: Mapping[str, Any]) -> Tableau:
    """The tableau that an entry describes.

    Nodes c that are not given are the sums of the rows; an order that is not given is 1.

    Parameters
    ----------
    name
        Its name.
    entry
        ``family`` and what belongs to it, as in the help of ``symlie order``.

    Raises
    ------
    ModelError
        A key is unknown or missing, a value is not of its kind, or the coefficients contradict each other.
    """
    reader = EntryReader(name, entry)
    family = reader.family()
    common: dict[str, Any] = {
        "name": name,
        "order": reader.integer("order", 1),
        "source": str(entry.get("source", "the user's own")),
    }
    reader.integer("commutators")
    order_hat = reader.integer("order_hat", 1 if {"b_hat", "result_hat"} & set(entry) else None)
    common["order_hat"] = order_hat
    c = reader.row("c", entry["c"]) if "c" in entry else None
    if family == "commutator_free":
        if not isinstance(entry["stages"], Sequence) or isinstance(entry["stages"], str):
            raise reader.error(f"stages is {entry['stages']!r}, but it must be an array of chains")
        chains = tuple(reader.chain(f"stage {k}", value) for k, value in enumerate(entry["stages"], start=1))
        ends: dict[str, Any] = {key: reader.chain(key, entry[key]) for key in ("result", "result_hat") if key in entry}
        c = c if c is not None else _nodes(chains)
        return ChainTableau(**common, **ends, c=c, chains=chains, is_decimal=reader.is_decimal)
    a = reader.rows("a")
    c = c if c is not None else tuple(map(exact_sum, a))
    weights: dict[str, Any] = {key: reader.row(key, entry[key]) for key in ("b", "b_hat", "d") if key in entry}
    if family == "crouch_grossman":
        for key, row in weights.items():
            if len(row) != len(a):
                raise reader.error(f"{key} has length {len(row)}, but it must have length {len(a)}")
        ends = {"result": along_slopes(weights["b"])}
        if "b_hat" in weights:
            ends["result_hat"] = along_slopes(weights["b_hat"])
        chains = tuple(map(along_slopes, a))
        return CrouchGrossmanTableau(**common, **ends, c=c, chains=chains, is_decimal=reader.is_decimal)
    if family == "half_explicit":
        s = reader.integer("s")
        assert s is not None
        return HalfExplicitTableau(**common, **weights, c=c, a=a, s=s, is_decimal=reader.is_decimal)
    stated = entry.get("brackets", ())
    if not isinstance(stated, Sequence) or isinstance(stated, str):
        raise reader.error(f"brackets is {stated!r}, but it must be an array of commutators")
    brackets = tuple(_bracket(reader, value) for value in stated)
    return ExplicitTableau(**common, **weights, c=c, a=a, brackets=brackets, is_decimal=reader.is_decimal)


def _nodes(chains: Sequence[Chain]) -> ExactRow:
    nodes: list[QuadraticNumber] = []
    for chain in chains:
        start = nodes[chain.start - 1] if 1 <= chain.start <= len(nodes) else QuadraticNumber()
        nodes.append(start + exact_sum(entry for row in chain.exponentials for entry in row))
    return tuple(nodes)


def _bracket(reader: EntryReader, value: Any) -> Bracket:
    if not isinstance(value, Mapping) or set(value) != {"row", "weight", "first", "second"}:
        raise reader.error(f"a commutator is {value!r}, but it must be a table with row, weight, first and second")
    inner = EntryReader(reader.name, value)
    row, first, second = (inner.integer(key) for key in ("row", "first", "second"))
    assert row is not None and first is not None and second is not None
    return Bracket(row, reader.number("a commutator", value["weight"]), first, second)
