"""Fixtures of tests of the site: source folder, site, and a browser without a network."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Programs
from tests.site.pages import ROOT, SITE

sys.path.append(str(ROOT / "docs"))  # of `site_build`

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)


@pytest.fixture(scope="session")
def site(needs: Programs, pytestconfig: pytest.Config) -> Path:
    """The folder of the site, which `make docs` builds."""
    if not (SITE / "index.html").exists():
        message = "the site is not built; build it with: make docs"
        pytest.fail(message) if pytestconfig.getoption("all_tools") else pytest.skip(message)
    return SITE


@pytest.fixture(scope="session")
def browser(needs: Programs, site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium with a separate profile, a narrow window and no network."""
    needs("chromium", "playwright")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("browser"),
            executable_path=shutil.which("chromium"),
            args=FLAGS,
            viewport={"width": 390, "height": 844},
            offline=True,
        )
        yield context
        context.close()
