"""Signatures: one description prints the C prototype, the declaration for loading, and the Python definition."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Argument:
    """Argument of a kernel: a scalar (``size`` None) or an array."""

    name: str
    size: int | None
    is_output: bool = False

    def declaration(self, real: str) -> str:
        """Declaration of the argument in C."""
        if self.size is None:
            return f"{real} {self.name}"
        return f"{real} *restrict {self.name}" if self.is_output else f"const {real} *restrict {self.name}"


@dataclass(frozen=True)
class Signature:
    """Name and arguments of a generated function."""

    name: str
    arguments: tuple[Argument, ...]

    def prototype(self, real: str) -> str:
        """Return the C prototype without qualifiers and semicolon; ``real`` is the type of all numbers."""
        return f"void {self.name}({', '.join(a.declaration(real) for a in self.arguments)})"

    def python(self) -> str:
        """First line of the Python definition; outputs are returned."""
        return f"def {self.name}({', '.join(a.name for a in self.arguments if not a.is_output)}):"


def signature_hash(signatures: Iterable[Signature]) -> str:
    """Return the hash of several signatures including sizes; the loaded library must report the same."""
    text = "\n".join(repr(s) for s in signatures)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
