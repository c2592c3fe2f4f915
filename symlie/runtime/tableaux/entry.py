"""Tableaux from plain JSON or TOML data: text for fractions, tables for chains of exponentials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symlie.errors import ModelError
from symlie.runtime.tableaux.exact import ExactRow, QuadraticNumber, exact_row, exact_sum

COMMON = ("family", "order", "order_hat", "source")
"""Keys of the tableaux of all families."""


class EntryReader:
    """Reader of the values of an entry, with error messages that name the tableau."""

    def __init__(self, name: str, entry: Mapping[str, object]) -> None:
        self.name, self.entry = name, entry
        self.is_decimal = False

    def error(self, sentence: str) -> ModelError:
        """Return an exception that names the tableau."""
        return ModelError(f"Tableau {self.name}: {sentence}.")

    def check_keys(self, family: str, required: Sequence[str], optional: Sequence[str]) -> None:
        """Check that the entry has all keys that a family requires, and no unknown ones."""
        known = (*required, *optional, *COMMON)
        for key in self.entry:
            if key not in known:
                raise self.error(f"the family {family} has no key '{key}'; it has {', '.join(known)}")
        for key in required:
            if key not in self.entry:
                raise self.error(f"'{key}' is missing; the family {family} needs {', '.join(required)}")

    def common(self) -> dict[str, Any]:
        """Return the arguments common to all tableaux."""
        return {
            "name": self.name,
            "order": self.integer("order", 1),
            "order_hat": self.integer("order_hat", 1 if {"b_hat", "result_hat"} & set(self.entry) else None),
            "source": str(self.entry.get("source", "the user's own")),
            "is_decimal": self.is_decimal,
        }

    def runge_kutta(self, *weights: str) -> dict[str, Any]:
        """Return ``a``, the nodes, and the weights of these names; nodes default to the row sums of ``a``."""
        c = self.row("c", self.entry["c"]) if "c" in self.entry else None
        a = self.rows("a")
        found: dict[str, Any] = {key: self.row(key, self.entry[key]) for key in weights if key in self.entry}
        return {**found, "a": a, "c": c if c is not None else tuple(map(exact_sum, a))}

    def integer(self, key: str, default: int | None = None) -> int | None:
        """Return an integer."""
        value = self.entry.get(key, default)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise self.error(f"{key} is {value!r}, but it must be a whole number")
        return value

    def required_integer(self, key: str) -> int:
        """Return a required integer."""
        value = self.integer(key)
        if value is None:
            raise self.error(f"{key} is None, but it must be a whole number")
        return value

    def row(self, what: str, values: object) -> ExactRow:
        """Return a row of coefficients."""
        if not isinstance(values, Sequence) or isinstance(values, str):
            raise self.error(f'{what} is {values!r}, but it must be an array of fractions such as ["1/3", "2/3"]')
        return tuple(self.number(what, value) for value in values)

    def number(self, what: str, value: object) -> QuadraticNumber:
        """Return a coefficient from text or a number."""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self.error(f'{what} holds {value!r}, but coefficients are text such as "-7*sqrt(3)/108"')
        text = value if isinstance(value, str) else repr(value)
        self.is_decimal = self.is_decimal or "." in text or isinstance(value, float)
        try:
            return exact_row([text])[0]
        except ModelError as error:
            raise self.error(f"in {what} {str(error).rstrip('.')}") from error

    def rows(self, key: str) -> tuple[ExactRow, ...]:
        """Return a strictly lower triangle; full rows may be padded with zeros on the right."""
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
