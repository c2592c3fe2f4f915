"""One translation unit from source files: includes are inlined, and known conditions are resolved."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_DIRECTIVE = re.compile(r"\s*#\s*(\w+)\s*(.*)", re.DOTALL)
_INCLUDE = re.compile(r'"(.+)"')
_DEFINE = re.compile(r"(\w+)(\(.*?\))?\s*(.*)", re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_SUFFIX = re.compile(r"\b(\d+)(?:[uU]?[lL]{0,2})\b")

_MOST_EXPANSIONS = 32
"""Largest depth of macros in a condition."""


@dataclass
class _Condition:
    """A group of branches between ``#if`` and ``#endif``.

    Attributes
    ----------
    is_kept
        True if the compiler decides between its branches.
    is_live
        True if the lines of the current branch are part of the unit.
    is_decided
        True if a branch was chosen.
    """

    is_kept: bool
    is_live: bool
    is_decided: bool


@dataclass
class _Unit:
    files: Mapping[str, str]
    macros: dict[str, str] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    stack: list[_Condition] = field(default_factory=list)

    @property
    def is_live(self) -> bool:
        return all(c.is_live for c in self.stack)

    @property
    def is_certain(self) -> bool:
        return not any(c.is_kept for c in self.stack)

    def lines(self, name: str) -> Iterator[str]:
        """Yield the logical lines of a file and of the files that it includes."""
        for line in _logical_lines(self.files[name]):
            found = _DIRECTIVE.match(line)
            if found is None:
                if self.is_live:
                    yield line
                continue
            word, rest = found[1], _COMMENT.sub(" ", found[2]).strip()
            if word in ("if", "ifdef", "ifndef"):
                yield from self._open(word, rest, line)
            elif word in ("elif", "else"):
                yield from self._branch(word, rest, line)
            elif word == "endif":
                if self.stack.pop().is_kept and self.is_live:
                    yield line
            elif self.is_live:
                yield from self._other(word, rest, line)

    def _open(self, word: str, rest: str, line: str) -> Iterator[str]:
        condition = {"if": rest, "ifdef": f"defined({rest})", "ifndef": f"!defined({rest})"}[word]
        value = self.value(condition) if self.is_live else False
        if value is None:
            yield line
        self.stack.append(_Condition(value is None, value is not False, bool(value)))

    def _branch(self, word: str, rest: str, line: str) -> Iterator[str]:
        top = self.stack[-1]
        if top.is_kept:
            if self.is_live:
                yield line
            return
        top.is_live = False
        if top.is_decided or not self.is_live_outside():
            return
        value = True if word == "else" else self.value(rest)
        if value is None:
            # The branches before this one are known to be dead.
            yield f"#if {rest}"
            self.stack[-1] = _Condition(True, True, True)
            return
        top.is_live = top.is_decided = value

    def is_live_outside(self) -> bool:
        """Return whether the current group is in a live branch."""
        return all(c.is_live for c in self.stack[:-1])

    def _other(self, word: str, rest: str, line: str) -> Iterator[str]:
        if word == "include":
            if (included := _INCLUDE.match(rest)) is not None and included[1] in self.files:
                yield from self.lines(included[1])
            else:
                yield line
            return
        if word in ("define", "undef"):
            found = _DEFINE.match(rest)
            assert found is not None
            name = found[1]
            is_known = name in self.macros and name not in self.unknown and self.is_certain
            if word == "define" and is_known and self.macros[name] == found[3]:
                return
            self.macros.pop(name, None)
            if word == "define":
                self.macros[name] = found[3] if not found[2] else "?"
            if not self.is_certain or found[2]:
                self.unknown.add(name)
        yield line

    def value(self, condition: str) -> bool | None:
        """Return the value of a condition, or None if the compiler decides."""
        expression, unknown = self._expanded(condition)
        names = sorted(unknown)
        values = {
            bool(_evaluated(expression, dict(zip(names, chosen, strict=True))))
            for chosen in itertools.product((None, 99), repeat=len(names))
        }
        return values.pop() if len(values) == 1 else None

    def _expanded(self, condition: str) -> tuple[str, set[str]]:
        unknown: set[str] = set()

        def is_unknown(name: str) -> bool:
            return name in self.unknown or name.startswith("_") or name in ("NAN", "INFINITY")

        def defined(found: re.Match[str]) -> str:
            name = found[1] or found[2]
            if is_unknown(name):
                unknown.add(name)
                return f" DEFINED_{name} "
            return " 1 " if name in self.macros else " 0 "

        text = re.sub(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))", defined, condition)
        for _ in range(_MOST_EXPANSIONS):

            def expand(found: re.Match[str]) -> str:
                name = found[0]
                if name.startswith("DEFINED_") or name in unknown:
                    return name
                if is_unknown(name):
                    unknown.add(name)
                    return name
                return f"({self.macros[name]})" if name in self.macros else "0"

            text, before = _WORD.sub(expand, _SUFFIX.sub(r"\1", text)), text
            if text == before:
                break
        return text, unknown


def _evaluated(expression: str, unknown: Mapping[str, int | None]) -> int:
    """Evaluate a condition of the preprocessor; names without value are not defined."""
    text = expression.replace("&&", " and ").replace("||", " or ")
    text = re.sub(r"!(?!=)", " not ", text).replace("/", "//")
    names = {name: value or 0 for name, value in unknown.items()}
    names |= {f"DEFINED_{name}": int(value is not None) for name, value in unknown.items()}
    text = re.sub(r"\(\s*\)", "0", text).strip().replace("\n", " ")
    return int(eval(_with_ternary(text), {"__builtins__": {}}, names))


def _with_ternary(text: str) -> str:
    """Return a conditional expression of C in the syntax of Python."""
    found = re.fullmatch(r"(.+?)\?(.+?):(.+)", text)
    return f"({found[2]}) if ({found[1]}) else ({found[3]})" if found else text


def _logical_lines(text: str) -> Iterator[str]:
    """Yield lines, each directive and each comment of several lines as one."""
    pending = ""
    for line in text.split("\n"):
        pending = f"{pending}\n{line}" if pending else line
        is_open = _COMMENT.sub("", pending).count("/*") > 0
        is_directive = pending.lstrip().startswith("#")
        if (is_directive and line.endswith("\\")) or is_open:
            continue
        yield pending
        pending = ""
    if pending:
        yield pending


def one_unit(files: Mapping[str, str], first: str, defined: Mapping[str, str]) -> str:
    """Return the text of a source file with all its includes of known files, for given values of macros.

    Conditions on macros of the compiler, whose names begin with an underscore, are kept.
    """
    unit = _Unit(files, dict(defined))
    return "\n".join(unit.lines(first)) + "\n"
