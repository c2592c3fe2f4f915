"""Content of the page: texts, names, light and dark themes, narrow windows, and browsers without WebGL."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from symlie.utilities.encoding import encoded
from tests.browser.conftest import Open
from tests.browser.opened import opened
from tests.browser.scenes import boxes, everything, page_text, scene_of, solution

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MARKUP = "<img src=x onerror=alert(1)></script><b>bold</b> & \u2028 {{ title }}"
NARROW = {"width": 390, "height": 844}


def test_markup_in_names_is_escaped(open_page: Open) -> None:
    scene = everything()
    first = scene["solutions"][0]
    scene["model"] = first["label"] = MARKUP
    first["bodies"]["names"][0] = first["events"][0]["name"] = first["notes"][0] = MARKUP
    first["outputs"][0] |= {"label": MARKUP, "unit": MARKUP}
    view = open_page(scene)
    assert view.messages == []
    assert view.page.locator("img, b").count() == 0
    assert view.page.locator("h1").text_content() == MARKUP
    assert view.page.locator("#solutions li").first.text_content() == MARKUP
    assert MARKUP in (view.page.locator("#follow").text_content() or "")
    assert MARKUP in (view.page.locator("#notes").text_content() or "")
    assert view.page.locator("figcaption .label").first.text_content() == MARKUP


@pytest.mark.parametrize("scene", [boxes(8), everything()], ids=["boxes", "everything"])
def test_narrow_window_shows_everything(open_page: Open, scene: dict[str, object]) -> None:
    view = open_page(scene, viewport=NARROW)
    for sheet in ("", "v", "?"):
        if sheet:
            view.page.keyboard.press(sheet)
        wide = view.page.evaluate(
            """() => [...document.querySelectorAll("body *")].filter((element) => {
              const { right, left, width } = element.getBoundingClientRect();
              return width > 0 && !element.closest("#ticks") && (right > innerWidth + 1 || left < -1);
            }).map((element) => element.id || element.className || element.tagName)"""
        )
        assert wide == []
        assert view.page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_colour_scheme_follows_the_system_until_switched(open_page: Open) -> None:
    brightness = {}
    for scheme in ("light", "dark"):
        view = open_page(boxes(1), color_scheme=scheme)
        picture = view.screenshot()
        brightness[scheme] = picture[100, 20].mean(), picture[20, 640].mean()
        view.page.get_by_role("button", name="Light or dark").click()
        view.page.wait_for_timeout(200)
        brightness[f"{scheme} switched"] = view.screenshot()[100, 20].mean(), view.screenshot()[20, 640].mean()
        assert view.page.evaluate("document.documentElement.dataset.theme") != scheme
    assert min(brightness["light"]) > 200 > 60 > max(brightness["dark"])
    assert min(brightness["dark switched"]) > 200 > 60 > max(brightness["light switched"])


def test_text_has_contrast_in_both_schemes(open_page: Open) -> None:
    for scheme in ("light", "dark"):
        view = open_page(everything(), color_scheme=scheme)
        ratios = view.page.evaluate(
            """() => {
              const light = (text) => {
                const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map((value) => {
                  const part = value / 255;
                  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
                });
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
              };
              const ground = light(getComputedStyle(document.body).backgroundColor);
              return ["h1", "#solutions li", "#reading", "figcaption", ".reading", "#speed-choice"].map((name) => {
                const ink = light(getComputedStyle(document.querySelector(name)).color);
                return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
              });
            }"""
        )
        assert min(ratios) >= 4.5  # level AA of the guidelines for accessible pages


def test_without_webgl_a_message_is_shown_and_outputs_are_plotted(
    browsers: Callable[..., Browser], tmp_path: Path
) -> None:
    path = tmp_path / "view.html"
    path.write_text(page_text(everything()), encoding="utf-8")
    with opened(browsers("--disable-gpu", "--disable-3d-apis"), path) as view:
        assert "no WebGL" in (view.page.get_by_role("alert").text_content() or "")
        assert view.page.locator("figure canvas").first.is_visible()
        before = view.page.locator(".values .reading").first.text_content()
        view.page.keyboard.press("End")
        assert view.page.locator(".values .reading").first.text_content() != before
        view.page.keyboard.press("w")  # keys of the camera do nothing
        assert view.messages == []


def test_newer_format_and_damaged_data_show_a_message(open_page: Open) -> None:
    newer = open_page(boxes(1) | {"format": 3})
    assert "format 3" in (newer.page.get_by_role("alert").text_content() or "")
    assert newer.messages == []
    scene = boxes(1)
    scene["solutions"][0]["times"]["base64"] = "?"
    damaged = open_page(scene)
    assert "damaged" in (damaged.page.get_by_role("alert").text_content() or "")
    assert damaged.messages == []


def test_solutions_with_one_state_or_without_geometry_are_shown(open_page: Open) -> None:
    still = solution(np.zeros(1), outputs=[
        {"label": "energy", "unit": "J", "components": ["energy"], "values": encoded(np.ones((1, 1)))}
    ])  # fmt: skip
    view = open_page(scene_of(still))
    view.page.keyboard.press("Space")
    view.page.keyboard.press("ArrowRight")
    assert view.call("time") == 0
    assert view.messages == []
