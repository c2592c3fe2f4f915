"""An open page: messages, requests, positions of objects, and screenshots."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.image import imread

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"]

PATIENCE = 60_000
"""Milliseconds after which a page that is not ready is broken, on any machine."""


@dataclass
class Opened:
    """A page with its console messages, errors and requests so far."""

    page: Page
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def call(self, expression: str, *arguments: Any) -> Any:
        """The value of ``symlieView.expression(arguments)``."""
        return self.page.evaluate(f"(given) => symlieView.{expression}(...given)", list(arguments))

    def wait(self, condition: str) -> None:
        """Until an expression of the page is true; asked from outside, since the policy forbids to evaluate inside."""
        deadline = time.monotonic() + PATIENCE / 1000
        while not self.page.evaluate(condition):
            assert time.monotonic() < deadline, f"{condition} never came true; the page said {self.messages}"
            self.page.wait_for_timeout(20)

    def screenshot(self) -> np.ndarray:
        """Colours of all pixels of the window, (height, width, 3), from 0 to 255."""
        picture = imread(io.BytesIO(self.page.screenshot()), format="png")
        return np.round(255 * picture[..., :3]).astype(int)

    def projected(self, point: np.ndarray) -> np.ndarray:
        """Return the window position (2,) in pixels of a point in space (3,)."""
        camera = self.call("camera")
        projection, view = (np.reshape(camera[name], (4, 4)).T for name in ("projection", "view"))
        clip = projection @ view @ np.append(point, 1.0)
        x, y = clip[:2] / clip[3]
        return np.array([
            camera["left"] + (x + 1) / 2 * camera["width"],
            camera["top"] + (1 - y) / 2 * camera["height"],
        ])  # fmt: skip

    def found(self, color: str, nearness: int = 3) -> np.ndarray | None:
        """The middle of all pixels of a colour ``#rrggbb``, (2,), or None."""
        wanted = np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)])
        rows, columns = np.nonzero(np.abs(self.screenshot() - wanted).max(axis=2) <= nearness)
        return np.array([columns.mean() + 0.5, rows.mean() + 0.5]) if len(rows) else None


@contextmanager
def opened(browser: Browser, path: Path, **settings: Any) -> Iterator[Opened]:
    """The page of a file, ready, without a network."""
    settings = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", "offline": True} | settings
    context = browser.new_context(**settings)
    try:
        page = context.new_page()
        result = Opened(page)
        page.on("console", lambda message: result.messages.append(message.text))
        page.on("pageerror", lambda error: result.messages.append(str(error)))
        page.on("request", lambda request: result.requests.append(request.url))
        page.goto(path.as_uri())
        result.wait("document.documentElement.dataset.ready === 'true'")
        yield result
    finally:
        context.close()
