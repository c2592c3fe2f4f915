"""Numbers that C and Python share stand once, in Python."""

from __future__ import annotations

import re

import pytest

from symlie.contract import constants
from symlie.contract.constants import Status, constants_header
from symlie.utilities.paths import template_folder

NAMES = [name for name in vars(constants) if name.isupper()]
HEADERS = {
    path.name: path.read_text(encoding="utf-8")
    for room in ("driver", "implicit", "linear", "methods")
    for path in (template_folder() / "c" / room).glob("*.h")
}


def numbers_in(header: str) -> list[str]:
    """Numbers in a header: constants with values, statuses, and small numbers in its code."""
    code = re.sub(r" */\*.*?\*/", "", header, flags=re.S)
    defined = re.findall(r"^#define (\w+) +(\d*\.?\d[\d.eE-]*)$", code, re.M)
    values = [name for name, value in defined if value not in ("0", "1")]
    return [*values, *re.findall(r"\bSYMLIE_\w+ *= *\d+", code), *re.findall(r"\b[\d.]+[eE]-?\d+", code)]


@pytest.mark.parametrize("name", sorted(HEADERS))
def test_headers_define_no_constants(name: str) -> None:
    assert not numbers_in(HEADERS[name])
    assert not re.findall(rf"# *define +({'|'.join(NAMES)})\b", HEADERS[name])


def test_scan_finds_numbers_in_headers() -> None:
    text = "#define A 5\n#define B 0.1 /* 1e-3 */\n#define C 1\n#define D (2 * n)\nx < 1e-9; SYMLIE_DONE = 0"
    assert numbers_in(text) == ["A", "B", "SYMLIE_DONE = 0", "1e-9"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_constant_is_used_by_the_time_loop(name: str) -> None:
    assert any(re.search(rf"\b{name}\b", text) for text in HEADERS.values())


def test_header_is_generated() -> None:
    (text,) = constants_header().values()
    printed = dict(re.findall(r"^#define (\w+) (\S+)$", text, re.M))
    assert {name: float(value) for name, value in printed.items()} == {n: getattr(constants, n) for n in NAMES}
    assert dict(re.findall(r"SYMLIE_(\w+) = (\d+)", text)) == {s.name: str(s.value) for s in Status}
