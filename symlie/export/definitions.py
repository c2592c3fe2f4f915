"""Definitions of a translation unit: all become local, and those that no exported function uses are removed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_WORD = re.compile(r"[A-Za-z_]\w*")
_FREE = re.compile(r"(?<![.>\w])[A-Za-z_]\w*")
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")
_DECLARED = re.compile(r"\b(?!return\b|else\b|goto\b|case\b|sizeof\b)[A-Za-z_]\w*[\s*]+([A-Za-z_]\w*)\s*(?=[=;,\[)])")
_WORKSPACE = re.compile(r"\bARRAY\(\s*([A-Za-z_]\w*)\s*,")
"""Declarations of arrays of the workspace."""
_PASTED = re.compile(r"(?:(\w+)##)?\b\w+##(\w+)")
"""What macros add to names."""
_ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)")
_TYPES = "int|long long|void|char|double|symlie_real|symlie_scalar"
_EXPORTED = re.compile(rf"^(?=(?:const |unsigned )?(?:{_TYPES})\b[^;{{=]*\()", re.MULTILINE)


@dataclass(frozen=True)
class Definition:
    """A part of a translation unit at file scope, with the comment before it.

    Attributes
    ----------
    text
        The lines.
    names
        Names that it defines; empty for parts that are always kept.
    """

    text: str
    names: frozenset[str]

    @property
    def is_function(self) -> bool:
        """True for the definition of a function."""
        code = _code(self.text).lstrip()
        return "{" in code and "(" in code.split("{")[0] and not code.startswith(("#", "typedef"))

    @property
    def words(self) -> frozenset[str]:
        """Words of the code that may be names of other definitions, without members of structures."""
        return frozenset(_FREE.findall(_code(self.text)))

    @property
    def variables(self) -> frozenset[str]:
        """Words that may be variables of a function or members of a structure, and that are not called."""
        code = _code(self.text)
        declares = self.is_function or code.lstrip().startswith("typedef struct")
        return frozenset(
            {*_DECLARED.findall(code), *_WORKSPACE.findall(code)} - {*_CALLED.findall(code)} if declares else ()
        )


def definitions(text: str) -> Iterator[Definition]:
    """Yield the parts of a translation unit in their order."""
    lines: list[str] = []
    depth = conditions = 0
    is_directive = False
    is_pending = False  # a part is complete but for the end of a comment
    open_lines = _open_lines(text)
    for number, (line, code) in enumerate(zip(text.split("\n"), _code(text).split("\n"), strict=True)):
        if not line.strip() and not depth and not conditions:
            if _is_comment("\n".join(lines)):
                lines = []
            continue
        lines.append(line)
        code = code.strip()
        if is_directive or code.startswith("#"):
            word = "" if is_directive else code[1:].split()[0]
            conditions += word.startswith("if")
            conditions -= word == "endif"
            is_directive = code.endswith("\\")
            is_whole = not (depth or conditions or is_directive)
        else:
            depth += code.count("{") - code.count("}")
            is_whole = code.endswith((";", "}")) and not (depth or conditions)
        if number in open_lines:
            is_pending = is_pending or is_whole
            continue
        if is_whole or is_pending:
            is_pending = False
            yield Definition("\n".join(lines), frozenset(_names("\n".join(lines))))
            lines = []
    if any(line.strip() for line in lines):
        yield Definition("\n".join(lines), frozenset())


def _code(text: str) -> str:
    """Return a text of the same lines without comments and contents of strings."""
    return _STRING.sub('""', _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text))


def _open_lines(text: str) -> frozenset[int]:
    """Return the numbers of the lines that end within a comment."""
    found: set[int] = set()
    for comment in _COMMENT.finditer(_STRING.sub(lambda x: '"' * len(x[0]), text)):
        first = text.count("\n", 0, comment.start())
        found.update(range(first, first + comment[0].count("\n")))
    return frozenset(found)


def _is_comment(text: str) -> bool:
    return bool(text.strip()) and not _code(text).strip()


def _names(text: str) -> Iterator[str]:
    """Yield the names that a part defines."""
    code = _code(text).strip()
    if code.startswith("#"):
        defined = re.findall(r"#\s*define\s+(\w+)", code)
        rest = re.sub(r"#\s*define(?:[^\n]*\\\n)*[^\n]*", "", code)
        inner = "\n".join(line for line in rest.split("\n") if not line.strip().startswith("#"))
        if "pragma" in code or "error" in code or "include" in code:
            return
        yield from defined
        if inner.strip():
            for part in definitions(inner):
                yield from part.names
        return
    if code.startswith("_Static_assert"):
        yield "_Static_assert"
    elif code.startswith("typedef"):
        yield from _WORD.findall(code)[-1:]
    elif code.startswith("enum"):
        yield from _WORD.findall(code)[1:]
    elif ((found := re.match(r"[^={;]*?(\w+)\s*\(", _ATTRIBUTE.sub("", code))) and "{" in code) or found:
        yield found[1]
    else:
        yield from re.findall(r"(\w+)\s*(?:\[[^=]*\]\s*)?(?:=|;|$)", code)[:1]


def used(text: str, exported: Collection[str]) -> str:
    """Return the unit without definitions that none of the exported names needs, directly or indirectly."""
    parts = list(definitions(text))
    owners: dict[str, list[int]] = {}
    for k, part in enumerate(parts):
        for name in part.names:
            owners.setdefault(name, []).append(k)
    pasted = _pasted(parts)
    kept: set[int] = set()
    words = {*exported, *(w for part in parts if not part.names for w in part.words)}
    while words:
        for k in owners.pop(words.pop(), []):
            if k in kept:
                continue
            kept.add(k)
            shadowed = {w for w in parts[k].variables if all(parts[i].is_function for i in owners.get(w, ()))}
            own = parts[k].words - shadowed
            ends = {end for macro in own & pasted.keys() for end in pasted[macro]}
            words |= own | {f"{before}{word}{after}" for word in own for before, after in ends} & owners.keys()
    return "\n\n".join(part.text for k, part in enumerate(parts) if k in kept or not part.names) + "\n"


def _pasted(parts: Collection[Definition]) -> dict[str, set[tuple[str, str]]]:
    """Return what macros add to words before and after them, also by macros that they use."""
    macros = {name: part for part in parts if _code(part.text).lstrip().startswith("#") for name in part.names}
    found = {name: set(_PASTED.findall(_code(part.text))) for name, part in macros.items()}
    for _ in macros:
        before = sum(map(len, found.values()))
        for name, part in macros.items():
            for other in part.words & macros.keys():
                found[name] |= found[other]
        if sum(map(len, found.values())) == before:
            break
    return {name: ends for name, ends in found.items() if ends}


def local(text: str, exported: Collection[str]) -> str:
    """Return the unit with internal linkage of all functions that are not exported, without prototypes."""
    parts = []
    for part in definitions(text):
        code = _code(part.text).strip()
        is_prototype = code.endswith(";") and "(" in code and not code.startswith(("typedef", "static", "#", "_Static"))
        if is_prototype and "=" not in code and "{" not in code:
            continue
        is_local = "{" in code and not part.names & set(exported)
        parts.append(_EXPORTED.sub("static ", part.text, count=1) if is_local else part.text)
    return "\n\n".join(parts) + "\n"
