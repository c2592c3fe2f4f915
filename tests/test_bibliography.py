"""Sources are keys of the bibliography, each entry is used, and DOIs have the form of DOIs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE, _, FURTHER = (ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8").partition("## Further reading")

KEY = r"\[([A-Z][A-Za-z]+\d{4}[a-z]?)\]"
SOURCE = re.compile(r"\bSource:(.*)")
"""A source in a docstring or in a comment, to the end of its line."""

FILES = [
    path
    for folder in ("symlie", "templates")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".h", ".c", ".jinja")
]
METHODS = list((ROOT / "symlie").rglob("method_data.json"))


def entries(text: str) -> dict[str, str]:
    """Entries of a part of the page by key."""
    found = re.findall(rf"^- \*\*{KEY}\*\* (.*?)(?=^- |\Z|^## )", text, re.S | re.M)
    assert len({key for key, _ in found}) == len(found)
    return {key: " ".join(entry.split()) for key, entry in found}


SOURCES, READING = entries(PAGE), entries(FURTHER)


def problem(source: str) -> str | None:
    """Problem with the text of a source."""
    keys = re.findall(KEY, source)
    unknown = [key for key in keys if key not in SOURCES]
    if not keys:
        return "names no key"
    if unknown:
        return f"names {', '.join(unknown)}, which is not in the bibliography"
    return "cites by year" if re.search(r"\b(1[789]|20)\d\d\b", re.sub(KEY, "", source)) else None


def test_sources_are_in_the_bibliography() -> None:
    found = [(path, source) for path in FILES for source in SOURCE.findall(path.read_text(encoding="utf-8"))]
    assert len(found) > 30
    wrong = [f"{path.relative_to(ROOT)}: '{source}' {problem(source)}" for path, source in found if problem(source)]
    assert not wrong, "\n".join(wrong)
    for path in FILES:
        keys = set(re.findall(KEY, path.read_text(encoding="utf-8")))
        assert keys <= SOURCES.keys(), path


def test_methods_name_their_sources() -> None:
    (path,) = METHODS
    for name, entry in json.loads(path.read_text(encoding="utf-8")).items():
        assert problem(entry["source"]) is None, name


def test_every_entry_is_used() -> None:
    assert not SOURCES.keys() & READING.keys()
    pages = [p for p in sorted((ROOT / "docs").rglob("*.md")) if p.name != "bibliography.md"]
    texts = [p.read_text(encoding="utf-8") for p in (*FILES, *METHODS, *pages, ROOT / "README.md")]
    used = {key for text in texts for key in re.findall(KEY, text)}
    assert used >= SOURCES.keys(), f"not used: {sorted(SOURCES.keys() - used)}"
    assert not used & READING.keys(), "what is used belongs to the sources"


def test_entries_are_in_order_and_link_to_dois() -> None:
    for part in (SOURCES, READING):
        assert list(part) == sorted(part)
    for key, entry in (SOURCES | READING).items():
        assert re.search(r"\d{4}", key)[0] in entry, key
        for link in re.findall(r"<(https://doi\.org/.*?)>", entry):
            assert re.fullmatch(r"https://doi\.org/10\.\d{4,9}/\S+", link), key
        assert entry.count("doi.org") == len(re.findall(r"<https://doi\.org/[^>]+>", entry)), key


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"""A step.\n\n    Source: [Hante2022], equation (17).\n    """', None),
        ("/* A step.\n * Source: [Hante2022], section 2; [Owren2006], for the products. */", None),
        ('"""Source: Hante 2022."""', "names no key"),
        ('"""Source: [Nobody2022]."""', "names Nobody2022, which is not in the bibliography"),
        ('"""Source: [Hante2022]; Owren 2006."""', "cites by year"),
    ],
)
def test_rules_detect_violations(text: str, message: str | None) -> None:
    (source,) = SOURCE.findall(text)
    assert problem(source) == message
