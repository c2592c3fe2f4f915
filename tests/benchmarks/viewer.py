"""3-D views in headless Chromium without a GPU: loading time and frame rate.

python -m tests.benchmarks.viewer
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, sync_playwright

from symlie.models.systems import system_of_model
from symlie.runtime.integrate.solve import solve
from tests.browser.opened import FLAGS, opened
from tests.browser.scenes import Scene, boxes, page_text

PICTURES = 200
IN_SOFTWARE = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


def pages() -> dict[str, str]:
    """Pages of the timed models."""
    top = solve(system_of_model("heavy_top", {"group": "SE3"}), 1.0, h=1e-3)
    spaghetti = solve(
        system_of_model("flying_spaghetti", {"segments": 64}), 5.0, h=1e-3, t_eval=np.linspace(0, 5, 1001)
    )
    scenes: dict[str, Scene] = {"64 bodies": boxes(64), "1,000 bodies": boxes(1000)}
    return {
        "heavy top, 1,000 frames": top.view().html,
        "rod of 65 nodes, 1,000 frames": spaghetti.view().html,
        **{name: page_text(scene) for name, scene in scenes.items()},
    }


def measured(browser: Browser, path: Path) -> tuple[float, float, int]:
    """Loading time in s, frame rate (median of 200 frames), and number of draw calls."""
    start = time.perf_counter()
    with opened(browser, path) as view:
        ready = time.perf_counter() - start
        view.page.keyboard.press("Space")
        before = view.call("frames")
        view.wait(f"symlieView.frames() > {before + PICTURES}")
        between = np.median(view.call("frameTimes")[-PICTURES:])
        return ready, 1000 / float(between), view.call("drawCalls")


def main() -> None:
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=[*FLAGS, *IN_SOFTWARE])
        print(f"{'':32}{'kB':>8}{'ready, s':>10}{'pictures/s':>12}{'calls':>7}")
        for name, text in pages().items():
            path = Path(folder) / "view.html"
            path.write_text(text, encoding="utf-8")
            ready, rate, calls = measured(browser, path)
            print(f"{name:32}{len(text.encode()) / 1000:8.0f}{ready:10.2f}{rate:12.1f}{calls:7d}")
        browser.close()


if __name__ == "__main__":
    main()
