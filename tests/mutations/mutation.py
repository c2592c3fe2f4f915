"""Mutation: replacement of one token of a source file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

REVERSED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
SIGN = {"+": "-", "-": "+", "+=": "-=", "-=": "+="}


@dataclass(frozen=True, order=True)
class Mutation:
    """Replacement of ``before`` at a byte of a file by ``after``."""

    path: str
    start: int
    kind: str
    before: str
    after: str

    @property
    def tree(self) -> str:
        return self.path.partition("/")[0]

    def applied(self, source: bytes) -> bytes:
        """Return the changed source; raise `ValueError` if it does not contain the replaced text."""
        before = self.before.encode()
        end = self.start + len(before)
        if source[self.start : end] != before:
            raise ValueError(f"{self.path} has no '{self.before}' at byte {self.start}.")
        return source[: self.start] + self.after.encode() + source[end:]

    def line(self, source: bytes) -> int:
        """Return the number of the line, from 1."""
        return source[: self.start].count(b"\n") + 1


def chosen(choices: tuple[str, ...], path: str, start: int) -> str:
    """Return one of several replacements, by position."""
    return choices[hashlib.sha256(f"{path} {start}".encode()).digest()[0] % len(choices)]


def is_tolerance(value: float) -> bool:
    """Return whether a number is small enough or large enough to be a tolerance."""
    return value != 0 and not 1e-2 < abs(value) < 1e4


def scaled(text: str, factor: str) -> str:
    """Return a C or Python expression of a multiplied number."""
    return f"({text} * {factor})"
