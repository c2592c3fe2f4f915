"""Thumbnails of examples whose subject is a mechanism: pictures of their 3-D view.

A script requests one by ``# sphinx_gallery_thumbnail_number = -1``, with the view as its last result. Without
Playwright or Chromium, the last figure is the thumbnail.
"""

from __future__ import annotations

import shutil
from pathlib import Path

REQUEST = "sphinx_gallery_thumbnail_number = -1"

SIZE = {"width": 800, "height": 860}
"""Size of the window in pixels, of which the canvas is about the upper half."""

FLAGS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")


def is_requested(example: Path) -> bool:
    """Return whether an example has a picture of its view as thumbnail."""
    return REQUEST in example.read_text(encoding="utf-8")


def picture(page: Path) -> bytes | None:
    """Return a picture of the canvas of a view page in PNG format, or None without a browser."""
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if chromium is None:
        return None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        try:
            opened = browser.new_page(viewport=SIZE, reduced_motion="reduce")
            opened.goto(page.resolve().as_uri())
            opened.locator("html[data-ready='true']").wait_for(state="attached")
            return bytes(opened.locator("#canvas").screenshot())
        finally:
            browser.close()
