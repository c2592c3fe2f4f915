"""All pages: their blocks are run or read by a test, links lead somewhere, and names that they mention exist."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
import tomllib
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import pytest

import symlie as sl
from symlie.cli import COMMANDS, command_module, main
from tests.docs.pages import PAGES, ROOT, Block, Session, blocks_of, prose_of
from tests.docs.recipes import RECIPES

README = ROOT / "README.md"

LONGEST_README = 150
"""Lines."""

CURRENT = [page for page in PAGES if page.name != "CHANGELOG.md"]
"""Documents about what is; the changelog is also about what was."""

BLOCKS = [block for page in PAGES for block in blocks_of(page)]

PLACE = r"(?:symlie|templates|tests|docs|generated)/[\w./*-]+"
"""A path of the repository in the text of a page."""


def named(page: Path) -> str:
    """The path from the root."""
    return page.relative_to(ROOT).as_posix()


def of_language(language: str) -> list[Block]:
    """Blocks of all pages."""
    return [b for b in BLOCKS if b.language == language]


def test_every_block_has_a_reader() -> None:
    """Python is run by a session, TOML is a tableau or a threshold, commands are read below, recipes are followed."""
    others = {named(b.page) for b in BLOCKS if b.language not in ("python", "toml", "sh")}
    assert others == {named(recipe) for recipe in RECIPES} | {"docs/thresholds.md"}
    assert {named(b.page) for b in of_language("toml")} == {"docs/methods.md", "docs/thresholds.md"}


def test_every_page_with_python_has_one_session() -> None:
    """Each in a module with a test that runs it to its end."""
    run: list[str] = []
    for file in sorted(Path(__file__).parent.glob("test_*.py")):
        module = importlib.import_module(f"tests.docs.{file.stem}")
        for session in (value for value in vars(module).values() if isinstance(value, Session)):
            assert callable(getattr(module, "test_blocks", None)), file
            run += session.pages
    assert sorted(run) == sorted({named(b.page) for b in of_language("python")})


def test_the_readme_is_a_front_door() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= LONGEST_README


def slugs(page: Path) -> list[str]:
    """Anchors of the headings of a page, as they are made where the pages are shown."""
    found: list[str] = []
    for heading in re.findall(r"^#+ (.*)$", prose_of(page), re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        count = sum(other == slug or re.fullmatch(rf"{re.escape(slug)}-\d+", other) is not None for other in found)
        found.append(f"{slug}-{count}" if count else slug)
    return found


def links(page: Path) -> Iterator[str]:
    """Targets of all links and pictures of a page."""
    prose = re.sub(r"`[^`]*`", "", prose_of(page))
    yield from re.findall(r"\]\(([^)\s]+)\)", prose)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    for target in links(page):
        if "://" in target:
            assert target.startswith("https://"), target
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.is_relative_to(ROOT) and file.exists(), f"{named(page)}: {target} does not exist"
        assert not anchor or anchor in slugs(file), f"{named(page)}: there is no heading for {target}"


def test_every_page_is_found_from_the_readme() -> None:
    found, new = set(), {README}
    while new:
        page = new.pop()
        found.add(page)
        targets = {(page.parent / t.partition("#")[0]).resolve() for t in links(page) if "://" not in t}
        new |= {t for t in targets if t.suffix == ".md"} - found
    assert found >= set(PAGES)


@pytest.mark.parametrize("page", CURRENT, ids=named)
def test_names_exist(page: Path) -> None:
    """Public names of the package, and files of the repository."""
    text = page.read_text(encoding="utf-8")
    assert not [name for name in re.findall(r"\bsl\.(\w+)", text) if not hasattr(sl, name)]
    assert not [place for place in re.findall(rf"`({PLACE})`", text) if not list(ROOT.glob(place.rstrip("/")))]


def test_blocks_need_the_public_interface_alone() -> None:
    for block in of_language("python"):
        for node in ast.walk(ast.parse(block.text)):
            assert not (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("symlie")), block.place
            if isinstance(node, ast.Import):
                assert all(a.name == "symlie" or not a.name.startswith("symlie") for a in node.names), block.place


def commands() -> Iterator[tuple[str, list[str]]]:
    """Where a command stands, and its words: lines of blocks, and those in the text that are complete."""
    for block in of_language("sh"):
        for line in block.text.splitlines():
            if words := shlex.split(line, comments=True):
                yield block.place, words
    for page in CURRENT:
        for span in re.findall(r"`(symlie [^`]+)`", prose_of(page)):
            if not re.search(r"[…\[|]", span):
                yield named(page), shlex.split(span)


def test_commands_are_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their words are, and what they name exists; they are not run."""
    understood: list[Namespace] = []
    for name in COMMANDS:
        monkeypatch.setattr(command_module(name), "run", lambda options: understood.append(options) or 0)
    targets = re.findall(r"^([\w-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    count = 0
    for place, words in commands():
        match words:
            case ["symlie", command]:  # by its name alone
                assert command in COMMANDS, place
            case ["symlie", *rest] | ["mpirun", "-n", _, "symlie", *rest]:
                count += 1
                try:
                    main(rest)
                except SystemExit:
                    pytest.fail(f"{place}: {shlex.join(words)} is not understood")
            case ["make", *names]:
                assert set(names) <= set(targets), place
            case ["pip", "install", package]:
                asked = re.search(r"\[(.*)\]", package)
                assert asked is None or set(asked[1].split(",")) <= set(extras), place
            case _:
                pytest.fail(f"{place}: nothing reads {shlex.join(words)}")
    assert len(understood) == count > 10


def test_all_commands_are_listed() -> None:
    rows = re.findall(r"^\| (.*?) \|", (ROOT / "docs" / "commands.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(name for row in rows for name in re.findall(r"`symlie (\w+)", row)) == sorted(COMMANDS)
