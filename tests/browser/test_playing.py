"""User actions: play, scrub by mouse and keyboard, jump to events, switch layers, save an image."""

from __future__ import annotations

import re

import pytest

from tests.browser.conftest import Open
from tests.browser.scenes import EVENTS, boxes, everything
from tests.tolerances import POINTER

DURATION = 4.0
HANDLE = 16
"""Width of the handle of the time bar, in pixels, as `viewer.css` has it."""


def test_animation_starts_unless_reduced_motion_is_requested(open_page: Open) -> None:
    still = open_page(boxes(1))
    still.page.wait_for_timeout(300)
    assert (still.call("time"), still.call("playing")) == (0, False)
    moving = open_page(boxes(1), reduced_motion="no-preference")
    moving.wait("symlieView.time() > 0")
    assert moving.call("playing")


def test_keys_change_the_time(open_page: Open) -> None:
    view = open_page(everything())
    times = []
    for key in ("ArrowRight", "Shift+ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home", "n", "n", "b", "."):
        view.page.keyboard.press(key)
        times.append(view.call("time"))
    first, second = EVENTS
    expected = [0.04, 0.44, 0.40, 4.0, 4.0, 0.0, first, second, first]
    assert times[:-1] == pytest.approx(expected)
    assert first < times[-1] <= first + DURATION / 20  # the next frame


def test_time_bar_and_panels_are_scrubbed_by_mouse(open_page: Open) -> None:
    view = open_page(everything())
    box = view.page.locator("#time").bounding_box()
    assert box
    view.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert view.call("time") == pytest.approx(DURATION / 2, abs=DURATION * POINTER / box["width"])
    view.page.get_by_label("Go to second").click()
    assert view.call("time") == EVENTS[1]
    face = view.page.locator(".face").first.bounding_box()
    assert face
    view.page.mouse.click(face["x"] + face["width"] - 5, face["y"] + 40)
    assert view.call("time") == DURATION


def test_time_bar_is_scrubbed_by_touch(open_page: Open) -> None:
    view = open_page(everything(), has_touch=True, viewport={"width": 390, "height": 844})
    box = view.page.locator("#time").bounding_box()
    assert box
    view.page.touchscreen.tap(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
    # The middle of the handle stays within the bar.
    way = (box["width"] / 4 - HANDLE / 2) / (box["width"] - HANDLE)
    assert view.call("time") == pytest.approx(DURATION * way, abs=DURATION * POINTER / box["width"])


def test_loop_and_speed_can_be_changed(open_page: Open) -> None:
    view = open_page(boxes(1))
    for _ in range(9):
        view.page.keyboard.press("]")
    assert view.page.locator("#speed").input_value() == "10"
    view.page.keyboard.press("l")
    view.page.keyboard.press("Space")
    view.wait("!symlieView.playing()")
    assert view.call("time") == DURATION
    for _ in range(12):
        view.page.keyboard.press("[")
    assert view.page.locator("#speed").input_value() == "0.01"


def test_every_layer_can_be_hidden(open_page: Open) -> None:
    view = open_page(everything())
    view.page.keyboard.press("v")
    boxes_shown = view.page.locator("#layers input")
    labels = view.page.locator("#layers label").all_text_contents()
    assert [re.sub(r"\s*\d\s*$", "", text).strip() for text in labels] == [
        "Trails", "Frames", "Joints and constraints", "Loads", "Constraint forces", "Axes of space", "Ground grid",
    ]  # fmt: skip
    for number in range(boxes_shown.count()):
        before, calls = boxes_shown.nth(number).is_checked(), view.call("drawCalls")
        view.page.keyboard.press(str(number + 1))
        view.wait(f"symlieView.drawCalls() {'<' if before else '>'} {calls}")
        assert boxes_shown.nth(number).is_checked() != before


def test_camera_follows_a_node_and_returns(open_page: Open) -> None:
    view = open_page(everything())
    start = view.call("camera")["view"]
    view.page.keyboard.press("f")
    view.call("setTime", 2.0)
    assert view.call("camera")["view"] != start
    view.page.keyboard.press("r")
    view.call("setTime", 2.0)
    assert view.call("camera")["view"] == pytest.approx(start)


def test_all_keys_are_listed(open_page: Open) -> None:
    view = open_page(everything())
    view.page.keyboard.press("?")
    listed = view.page.locator("#keys dt").all_text_contents()
    assert len(listed) == view.page.locator("#keys dd").count() == 21
    view.page.keyboard.press("Escape")
    assert not view.page.locator("#help").is_visible()


def test_keyboard_controls_have_names_and_an_order(open_page: Open) -> None:
    view = open_page(everything())
    names = []
    for _ in range(10):
        view.page.keyboard.press("Tab")
        names.append(view.page.evaluate("document.activeElement.id"))
    assert names == [
        "notes-button", "display-button", "picture-button", "theme-button", "help-button", "canvas",
        "play-button", "time", "speed", "loop-button",
    ]  # fmt: skip
    unnamed = view.page.evaluate(
        """() => [...document.querySelectorAll("button, select, input, canvas[tabindex]")].filter((element) =>
          !element.getAttribute("aria-label") && !element.textContent.trim() && !element.closest("label"))
          .map((element) => element.id)"""
    )
    assert unnamed == []


def test_image_is_saved(open_page: Open) -> None:
    view = open_page(boxes(1))
    with view.page.expect_download() as download:
        view.page.get_by_role("button", name="Save picture").click()
    assert download.value.suggested_filename == "by_hand.png"
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    assert view.messages == []
