"""Constants of ``function_series.h``, read from the source; the proofs assume the operations of the rest of the
source.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from symlie.certify.derivatives.angles import Ratios
from symlie.certify.derivatives.backward import Switches
from symlie.certify.derivatives.cotangents import Poles
from symlie.errors import FormatError
from symlie.utilities.paths import template_folder

FOLLOWED = "62e83ed607f2d0beed1ceb34d4333b34d5ad280a8d242bb865e26a74ad1a7920"
"""Digest of the operations that the proofs model: the text without constants, comments and spaces."""

NUMBER = r"[-+]?(?:0x)?[\d.]+(?:[ep][-+]?\d+)?"

PATTERNS = {
    "enough": rf"#define ENOUGH \(\(symlie_scalar\)({NUMBER})\)",
    "forward": rf"omega < ({NUMBER}) \* last \+ k \?",
    "levels": rf"last = m \+ order \+ 1 \+ k / ({NUMBER});",
    "turn": rf"turn = omega / ({NUMBER}) - \(k \+ 2\) / \(symlie_scalar\)({NUMBER});",
    "further": r"further\[\] = \{([^}]*)\}",
    "square": rf"first = ({NUMBER}), second = ({NUMBER});",
    "explicit": rf"n <= ({NUMBER}); n\+\+\) power\[n - 1\]",
    "ratios": rf"x >= ({NUMBER}) && x <= ({NUMBER})\)",
}
"""Pattern of each constant in the text."""


@dataclass(frozen=True)
class Scheme:
    """Constants and digest of a text of ``function_series.h``."""

    switches: Switches
    poles: Poles
    ratios: Ratios
    digest: str
    """SHA-256 of the whole text."""


def shipped_text() -> str:
    """Return the text of ``function_series.h``."""
    return (template_folder() / "c" / "kernels" / "function_series.h").read_text(encoding="utf-8")


def scheme_of(text: str) -> Scheme:
    """Return the scheme of a source text, or raise `FormatError` if its operations differ from those of the proofs."""
    found: dict[str, tuple[str, ...]] = {}
    rest = text
    for name, pattern in PATTERNS.items():
        match = re.search(pattern, rest)
        if match is None:
            raise FormatError(f"function_series.h does not define the constant '{name}' at the expected place.")
        found[name] = match.groups()
        rest = rest[: match.start()] + name + rest[match.end() :]
    if operations_digest(rest) != FOLLOWED:
        raise FormatError("The operations of function_series.h differ from those of the proofs.")
    numbers = {
        k: tuple(float.fromhex(x) if "x" in x else float(x) for x in v) for k, v in found.items() if k != "further"
    }
    enough = numbers["enough"][0]
    return Scheme(
        Switches(
            enough, (numbers["forward"][0], 1.0), int(numbers["levels"][0]), (numbers["turn"][0], numbers["turn"][1])
        ),
        Poles(
            (numbers["square"][0], numbers["square"][1]),
            int(numbers["explicit"][0]),
            tuple(float(x) for x in found["further"][0].split(",")),
        ),
        Ratios(numbers["ratios"][0], numbers["ratios"][1], enough),
        hashlib.sha256(text.encode()).hexdigest(),
    )


def operations_digest(text: str) -> str:
    """Return the SHA-256 of a text without comments and spaces."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return hashlib.sha256("".join(text.split()).encode()).hexdigest()
