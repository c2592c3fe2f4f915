"""Every page of the site, from files and without a network: links lead somewhere, formulas are set, search finds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.site.pages import ROOT, Page, paths, read

pytestmark = pytest.mark.browser

LARGEST_SITE = 55e6
"""In bytes; 50e6 with the pages of about 150 public classes and functions and of all modules."""

MOST_WAITING = 30_000
"""For formulas of a page, in ms; a busy machine does not come near."""


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    """All pages by their files."""
    return {path: read(path) for path in paths()}


def test_nothing_is_loaded_from_other_hosts(pages: dict[Path, Page]) -> None:
    assert len(pages) > 300
    assert not {
        (path.name, address)
        for path, page in pages.items()
        for address in page.loaded
        if urlsplit(address).scheme not in ("", "data") or urlsplit(address).netloc
    }


def test_links_have_targets(pages: dict[Path, Page], site: Path) -> None:
    broken = set[str]()
    for path, page in pages.items():
        for address in {*page.links, *page.loaded}:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = pages[file].anchors if file in pages else {unquote(parts.fragment)}
            # The top of a page has no name, and pages of code name lines by the parts of the address of a line.
            if not file.is_file() or unquote(parts.fragment) not in {"", *known}:
                broken.add(f"{path.relative_to(site)}: {address}")
    assert not broken


def test_site_is_small(site: Path) -> None:
    assert sum(file.stat().st_size for file in site.rglob("*") if file.is_file()) <= LARGEST_SITE


def test_every_example_and_view_has_a_page(site: Path) -> None:
    scripts = sorted((ROOT / "docs" / "gallery").glob("*/plot_*.py"))
    assert len(scripts) >= 36
    for script in scripts:
        page = (site / "examples" / script.parent.name / f"{script.stem}.html").read_text(encoding="utf-8")
        views = re.findall(r'<iframe src="\.\./\.\./(views/[^"]+)"', page)
        shown = re.findall(r"^[^#\s].*\.view\(", script.read_text(encoding="utf-8"), re.M)
        assert len(views) == len(shown), script.name
        assert all((site / view).is_file() for view in views)


def opened(browser: Any, path: Path) -> tuple[Any, list[str]]:
    """A page in the browser, and its console messages."""
    page, complaints = browser.new_page(), list[str]()

    def said(message: Any) -> None:
        if "GL Driver Message" not in message.text:  # of the renderer in software, on pictures that Chromium takes
            complaints.append(f"{message.type}: {message.text}")

    page.on("console", said)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))
    page.on(
        "request",
        lambda request: None if request.url.startswith(("file:", "data:", "blob:")) else complaints.append(request.url),
    )
    page.goto(path.as_uri())
    return page, complaints


def test_every_page_opens(browser: Any, pages: dict[Path, Page], site: Path) -> None:
    """No complaint, no page that is wider than its window, and all formulas typeset."""
    found = dict[str, list[str]]()
    for path, known in pages.items():
        page, complaints = opened(browser, path)
        if known.formulas:
            page.wait_for_function("window.MathJax?.startup?.promise", timeout=MOST_WAITING)
            page.evaluate("MathJax.startup.promise")
            typeset = page.locator("mjx-container").count()
            if typeset < known.formulas:
                complaints.append(f"{typeset} of {known.formulas} formulas are typeset")
            if wrong := page.locator("[data-mjx-error], mjx-merror, [data-mml-node=merror]").count():
                complaints.append(f"{wrong} formulas are wrong")
        if (width := page.evaluate("document.documentElement.scrollWidth")) > 390:
            complaints.append(f"it is {width} wide")
        page.close()
        if complaints:
            found[str(path.relative_to(site))] = complaints
    assert not found


def test_views_in_pages_are_animated(browser: Any, site: Path) -> None:
    """The first view of the gallery is ready in its frame."""
    views = sorted(site.glob("views/*.html"))
    assert views
    name = views[0].name
    path = next(p for p in sorted(site.glob("examples/*/plot_*.html")) if name in p.read_text(encoding="utf-8"))
    page, complaints = opened(browser, path)
    frame = page.frame_locator(f"iframe[src$='{name}']")
    page.locator(f"iframe[src$='{name}']").scroll_into_view_if_needed()
    frame.locator("html[data-ready=true]").wait_for(state="attached", timeout=MOST_WAITING)
    page.close()
    assert not complaints


@pytest.mark.parametrize(("words", "page"), [("RATTLie", "variational.html"), ("constraint_force", "Solution.html")])
def test_search_finds_pages(browser: Any, site: Path, words: str, page: str) -> None:
    found, complaints = opened(browser, site / "search.html")
    found.locator("article input[name=q], .sidebar-search").first.fill(words)
    found.goto(f"{(site / 'search.html').as_uri()}?q={words}")
    # Results come sequentially.
    found.locator(f"#search-results li a[href*='{page}']").first.wait_for(timeout=MOST_WAITING)
    found.close()
    assert not complaints
