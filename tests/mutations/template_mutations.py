"""Mutations of templates of C and Python: tokens outside of comments, texts and preprocessor directives."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.mutations.mutation import BOUNDARY, REVERSED, SIGN, Mutation, chosen, is_tolerance, scaled

_HIDDEN = re.compile(
    r"/\*.*?\*/|\{#.*?#\}|//[^\n]*"  # comments
    r'|""".*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    r"|\{%-?\s*(?:from|import|macro|call|set)\b[^%]*%\}|\{%-?|-?%\}|\{\{-?|-?\}\}"
    r"|^\s*#(?!\s*define [A-Z_0-9]+ [-0-9.e]+ *(?:/\*.*)?$)(?:[^\n]*\\\n)*[^\n]*",
    re.DOTALL | re.MULTILINE,
)
"""Text without tokens, also the definitions of macros other than numbers."""

_TOKEN = re.compile(
    r"[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|->|\+\+|--|<<|>>|[-+*/%&|^]=|[<>=!]=|&&|\|\||[^\w\s]"
)
_DECLARATION = re.compile(
    r"\s*(?:static |inline |const |extern |for \()*"
    r"(?:symlie_\w+|double|int|char|unsigned|long|void|struct|enum|typedef)\b"
)
_SWAPPED = {"fmin": "fmax", "fmax": "fmin", "min": "max", "max": "min"}
_LOGIC = {"&&": "||", "||": "&&", "and": "or", "or": "and"}
_OPERAND = re.compile(r"[\w)\]]$")


def _hide(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def _number(path: str, start: int, text: str) -> Iterator[Mutation]:
    if text.isdigit():
        value = int(text)
        after = (str(value + 1), str(value - 1)) if value > 0 else (str(value + 1),)
        yield Mutation(path, start, "integer", text, chosen(after, path, start))
    elif is_tolerance(float(text)):
        after = (scaled(text, "1e3"), scaled(text, "1e-3"))
        yield Mutation(path, start, "tolerance", text, chosen(after, path, start))


def _of_token(path: str, start: int, token: str, before: str, following: str) -> Iterator[Mutation]:
    """Yield the mutations of a token with the text before it and after it on its line."""
    if token in REVERSED and "include" not in before:
        yield Mutation(path, start, "reversed comparison", token, REVERSED[token])
        if token in BOUNDARY:
            yield Mutation(path, start, "boundary", token, BOUNDARY[token])
    elif token in SIGN:
        yield Mutation(path, start, "sign", token, SIGN[token])
    elif token in _LOGIC:
        yield Mutation(path, start, "logic", token, _LOGIC[token])
    elif token == "!" and not following.startswith("="):
        yield Mutation(path, start, "logic", token, "")
    elif token == "not" and following.startswith(" ") and not before.endswith("is "):
        yield Mutation(path, start, "logic", "not ", "")
    elif token in _SWAPPED and following.startswith("("):
        yield Mutation(path, start, "extremum", token, _SWAPPED[token])
    elif token == "]" and _OPERAND.search(before) and not _is_declared(before):
        yield Mutation(path, start, "index", token, " + 1]")
    elif token[0].isdigit():
        yield from _number(path, start, token)


def _is_declared(before: str) -> bool:
    """Return whether a bracket follows the name of a declared array."""
    return bool(_DECLARATION.match(before)) and "=" not in before


def template_mutations(path: str, source: bytes) -> list[Mutation]:
    """Return all mutations of a template."""
    text = source.decode()
    visible = _HIDDEN.sub(_hide, text)
    if path.endswith(".py.jinja"):
        visible = re.sub(r"#[^\n]*", _hide, visible)
    found = []
    for match in _TOKEN.finditer(visible):
        line_begin = visible.rfind("\n", 0, match.start()) + 1
        before = visible[line_begin : match.start()]
        start = len(text[: match.start()].encode())
        found += _of_token(path, start, match.group(), before, visible[match.end() : match.end() + 2])
    return sorted(found)
