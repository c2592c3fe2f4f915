"""Coefficient functions in C text: extraction and identification."""

from __future__ import annotations

import hashlib
import json
import re

from symlie.contract.kernels import LANE, REAL, SCALAR
from symlie.errors import FormatError, ModelError
from symlie.ir.series import Tail, register

NAME = re.compile(r"(?P<base>c\d+(_\d+)?|g\d+|s_\w+_[0-9a-f]{8}_\d+_\d+)(_to_(?P<p>\d+)_(?P<q>\d+))?$")
"""Names of coefficient functions, with the end of the working interval if it is not the standard one."""


def function_text(source: str, name: str) -> str:
    """Return the text of the definitions of ``name`` and ``name_beyond`` in C source, or raise `FormatError`."""
    found = [m.group(0) for m in _definitions(source) if m.group("name") in (name, f"{name}_beyond")]
    if not found:
        raise FormatError(f"The source has no function {name}(z).")
    return "\n".join(found)


def function_names(source: str) -> list[str]:
    """Return the names of all coefficient functions in C source: functions of one number with a part ``_beyond``."""
    names = [m.group("name") for m in _definitions(source)]
    return [n for n in names if f"{n}_beyond" in names]


def _definitions(source: str) -> list[re.Match[str]]:
    source = _of_numbers(source)
    linkage = r"^(?:(?:SYMLIE_COLD|static inline|static) +)?"
    pattern = linkage + r"(?:float|double) (?P<name>\w+)\((?:float|double) \w+\)\n\{\n.*?^\}$"
    return list(re.finditer(pattern, source, re.MULTILINE | re.DOTALL))


def _of_numbers(source: str) -> str:
    """Replace the number types and guards of a text by plain double precision."""
    source = source.replace(REAL, "double").replace(SCALAR, "double").replace(LANE, "double")
    return re.sub(
        r"SYMLIE_WITHIN\((\w+), z, ([^)]*)\);", r"if (SYMLIE_UNLIKELY(!(z <= \2))) return \1_beyond(z);", source
    )


def text_digest(source: str, name: str) -> str:
    """Return the SHA-256 of the text of a function, independent of its name, linkage and compiler hints."""
    text = re.sub(rf"\b{name}(?=(_beyond)?\()", "f", function_text(source, name))
    text = re.sub(r"^(?:SYMLIE_COLD|static inline|static) +", "", text, flags=re.MULTILINE)
    text = re.sub(r"SYMLIE_UNLIKELY\((!\(.*?\))\)", r"\1", text)
    return hashlib.sha256(text.encode()).hexdigest()


def check_copies(source: str, name: str) -> None:
    """Check that NAME_polynomial and NAME_array evaluate the certified polynomial, or raise `FormatError`."""
    source = _of_numbers(source)
    definition = re.search(rf"\b{name}\(\w+ \w+\)\n\{{\n(.*?)^\}}$", source, re.MULTILINE | re.DOTALL)
    if definition is None:
        raise FormatError(f"The source has no function {name}(z).")
    guard, *expected = _lines(definition[1])
    (end,) = re.findall(r"!\(z <= ([^)]*)\)", guard) or [""]
    for suffix in ("polynomial", "array"):
        copy = re.search(rf"\b{name}_{suffix}\([^)]*\)\n\{{\n(.*?)^\}}$", source, re.MULTILINE | re.DOTALL)
        if copy is None:
            continue
        lines = _lines(copy[1].replace("values[i] = ", "return ", 1))
        first = next((k for k, line in enumerate(lines) if line.endswith(("arguments[i];", f"!(z <= {end});"))), -1) + 1
        if lines[first : first + len(expected)] != expected or f"beyond |= !(z <= {end});" not in copy[1]:
            raise FormatError(f"{name}_{suffix} evaluates another function than the certified {name}.")


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def named_functions(source: str, prefix: str) -> dict[str, str]:
    """Return the coefficient functions in C text by short name."""
    _read_series(source)
    names = [n for n in function_names(source) if n.startswith(prefix)]
    return {n.removeprefix(prefix): n for n in names if NAME.fullmatch(n.removeprefix(prefix))}


def _read_series(source: str) -> None:
    """Register the user-defined series that the comments of a source define."""
    for text in re.findall(r"^/\* series (\{.*?\}) \*/$", source, re.MULTILINE | re.DOTALL):
        try:
            content = json.loads(text)
            register(content["name"], Tail.from_json(content))
        except (KeyError, TypeError, ValueError, ZeroDivisionError, ModelError) as error:
            raise FormatError(f"The definition of a series in the source is damaged or doubtful: {error}") from error
