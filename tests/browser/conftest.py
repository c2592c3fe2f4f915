"""Debian's headless Chromium, with pages that record messages and requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.opened import FLAGS, Opened, opened
from tests.browser.scenes import Scene, page_text
from tests.conftest import Programs

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Open = Callable[..., Opened]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here needs a browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browsers(needs: Programs) -> Iterator[Callable[..., Browser]]:
    """Start browsers with separate profiles, and terminate them."""
    needs("chromium", "playwright")
    from playwright.sync_api import sync_playwright

    with ExitStack() as stack:
        chromium = stack.enter_context(sync_playwright()).chromium

        def launch(*flags: str) -> Browser:
            browser = chromium.launch(executable_path="/usr/bin/chromium", args=[*FLAGS, *flags])
            stack.callback(browser.close)
            return browser

        yield launch


@pytest.fixture(scope="session")
def browser(browsers: Callable[..., Browser]) -> Browser:
    """One browser with WebGL in software, for all tests."""
    return browsers("--use-angle=swiftshader", "--enable-unsafe-swiftshader")


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens the page of a scene or of a text from a file; motion is reduced, so that it stands still at first."""
    with ExitStack() as stack:

        def open_it(scene: Scene | str, **settings: Any) -> Opened:
            path = tmp_path / "view.html"
            path.write_text(scene if isinstance(scene, str) else page_text(scene), encoding="utf-8")
            return stack.enter_context(opened(browser, path, **settings))

        yield open_it
