"""Representation of objects: one line of text, or a small table in a notebook."""

from __future__ import annotations

import dataclasses
import html
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import ClassVar

LONGEST_LINE = 200
"""Maximum characters of an object on one line."""

LONGEST_VALUE = 40
"""Maximum characters of one part of an object."""

MOST_ROWS = 20
"""Maximum lines of a table; further lines are counted."""


LONGEST_WORD = 240
"""Maximum characters of a word of a message, such as a path or a number."""

LONGEST_MESSAGE = 800
"""Maximum characters of a message."""

MOST_LINES = 5
"""Maximum lines of a message."""


def shortened(message: str) -> str:
    """Return a message of limited length, without the middle of long words, long texts and many lines."""
    lines = message.split("\n")
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 2], "…", lines[-1]]
    words = re.sub(rf"\S{{{LONGEST_WORD + 1},}}", lambda word: _ends(word[0], LONGEST_WORD), "\n".join(lines))
    return _ends(words, LONGEST_MESSAGE)


def _ends(text: str, longest: int) -> str:
    """Return the beginning and the end of a text, and the number of characters omitted between."""
    if len(text) <= longest:
        return text
    kept = longest // 2 - 20
    return f"{text[:kept]}… ({len(text) - 2 * kept} characters) …{text[-kept:]}"


def line(kind: str, parts: Iterable[str]) -> str:
    """Return an object on one line of limited length: the name of its class and its parts, the most important first."""
    text = " ".join(f"{kind}({'; '.join(parts)})".split())
    return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 2]}…)"


def listed(names: Iterable[str], plural: str) -> str:
    """Return a plural noun with the names, or with their number if the list is too long for one line."""
    known = list(names)
    text = f"{plural}: {', '.join(known)}" if known else f"no {plural}"
    return text if len(text) <= 2 * LONGEST_VALUE else f"{len(known)} {plural}"


def brief(value: object) -> str:
    """Return a value as part of a line: arrays by shape, collections by length."""
    if isinstance(value, float):
        return f"{value:.6g}"
    shape = getattr(value, "shape", ())
    if isinstance(shape, tuple) and shape:
        return f"shape {shape}"
    if isinstance(value, Mapping | Sequence | Set) and not isinstance(value, str | bytes):
        is_short = len(value) <= 4 and all(isinstance(v, str | int | float | bool | None) for v in value)
        if not is_short or isinstance(value, Mapping):
            return f"{len(value)} {'entry' if len(value) == 1 else 'entries'}"
    if dataclasses.is_dataclass(value) or callable(value):
        return getattr(value, "__name__", type(value).__name__)
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


class Brief:
    """Base of dataclasses with large fields such as arrays or code."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[object]]]

    def __repr__(self) -> str:
        parts = (f"{f.name}={brief(getattr(self, f.name))}" for f in dataclasses.fields(self))
        return line(type(self).__name__, [", ".join(parts)])


def table(caption: str, rows: Iterable[Sequence[object]], header: Sequence[str] = ()) -> str:
    """Return a small HTML table with a caption, empty if it has no cells."""
    known: list[Sequence[object]] = [list(row) for row in rows]
    if not known:
        return ""
    left = len(known) - MOST_ROWS
    shown = known if left <= 0 else [*known[:MOST_ROWS], [f"… {left} more"]]
    head = f"<thead>{_row(header, 'th')}</thead>" if header else ""
    body = "".join(_row(row, "td") for row in shown)
    return f"<table><caption>{html.escape(caption)}</caption>{head}<tbody>{body}</tbody></table>"


def _row(cells: Sequence[object], tag: str) -> str:
    return "<tr>" + "".join(f'<{tag} style="text-align: left">{html.escape(str(c))}</{tag}>' for c in cells) + "</tr>"


class ListsPublicNames:
    """Base of classes with attributes for other modules, which `dir`, completion and the reference leave out."""

    INTERNAL: ClassVar[frozenset[str]] = frozenset()

    def __dir__(self) -> list[str]:
        return sorted(set(super().__dir__()) - self.INTERNAL - {"INTERNAL"})
