"""Options of methods: a choice of words, or a number within bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from symlie.errors import ModelError, UnknownNameError


class Option(Protocol):
    """Range of values of an option."""

    @property
    def text(self) -> str:
        """Return the description of the range for lists of options."""

    def read(self, method: str, name: str, stated: Any) -> Any:
        """Return the value of an option from user input, or raise an error if it is outside the range."""


@dataclass(frozen=True)
class Choice:
    """Option with a choice of words, or of true and false."""

    words: tuple[str | bool, ...]

    @property
    def text(self) -> str:
        return " | ".join(self._names)

    @property
    def _names(self) -> list[str]:
        return [str(word).lower() if isinstance(word, bool) else word for word in self.words]

    def read(self, method: str, name: str, stated: Any) -> Any:
        wanted = str(stated).lower() if isinstance(stated, bool) else stated
        if wanted not in self._names:
            raise UnknownNameError(f"Unknown {name} '{stated}'; use one of: {', '.join(self._names)}.")
        return self.words[self._names.index(wanted)]


@dataclass(frozen=True)
class Bounded:
    """Option whose value is a number within bounds, or text such as 1/2; None for an optional number."""

    least: float = -math.inf
    most: float = math.inf
    is_whole: bool = False
    may_be_missing: bool = False

    @property
    def text(self) -> str:
        if math.isfinite(self.most):
            return f"{self.least:.7g} … {self.most:.7g}"
        return f"from {self.least:g}" if math.isfinite(self.least) else "a number"

    def read(self, method: str, name: str, stated: Any) -> Any:
        if stated is None and self.may_be_missing:
            return None
        try:
            value = float(Fraction(stated) if isinstance(stated, str) else stated)
        except (TypeError, ValueError, ZeroDivisionError, OverflowError):
            value = math.nan
        if not (self.least <= value <= self.most and math.isfinite(value)) or (self.is_whole and value % 1):
            kind = "a whole number" if self.is_whole else "a number"
            between = f" from {self.least:.7g} to {self.most:.7g}" if math.isfinite(self.most) else ""
            raise ModelError(f"Method {method}: {name} is {stated!r}, but it must be {kind}{between}.")
        return int(value) if self.is_whole else value
