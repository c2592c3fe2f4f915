"""The page asks nothing of anybody, and says nothing to the console."""

from __future__ import annotations

from tests.browser.conftest import Open
from tests.browser.opened import Opened
from tests.browser.scenes import boxes, everything

HIDE = """() => {
  const shown = window.requestAnimationFrame;
  const waiting = [];
  window.requestAnimationFrame = (picture) => waiting.push(picture);
  let state = "hidden";
  Object.defineProperty(document, "visibilityState", { get: () => state, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
  window.showAgain = () => {
    state = "visible";
    window.requestAnimationFrame = shown;
    document.dispatchEvent(new Event("visibilitychange"));
    for (const picture of waiting) shown(picture);
  };
}"""
"""Emulates a hidden tab: no frames until it is visible again."""


def play(view: Opened) -> None:
    view.page.keyboard.press("Space")
    before = view.call("frames")
    view.wait(f"symlieView.frames() > {before + 5}")
    assert view.call("time") > 0


def orbit(view: Opened) -> None:
    before = view.page.evaluate("symlieView.camera().view.join()")
    view.page.mouse.move(600, 300)
    view.page.mouse.down()
    view.page.mouse.move(720, 340, steps=4)
    view.page.mouse.up()
    view.page.mouse.wheel(0, 120)
    view.wait(f"symlieView.camera().view.join() !== '{before}'")


def test_no_action_causes_requests_or_console_messages(open_page: Open) -> None:
    view = open_page(everything())
    play(view)
    view.page.keyboard.press("Space")
    for key in ("ArrowRight", "Shift+ArrowLeft", ".", "End", "Home", "n", "b", "c", "f", "r", "m", "o", "o"):
        view.page.keyboard.press(key)
    for layer in "123456789":
        view.page.keyboard.press(layer)
    orbit(view)
    view.page.set_viewport_size({"width": 700, "height": 500})
    view.page.keyboard.press("Space")
    view.page.evaluate(HIDE)
    view.page.wait_for_timeout(200)
    view.page.evaluate("showAgain()")
    before = view.call("frames")
    view.wait(f"symlieView.frames() > {before + 1}")
    view.page.keyboard.press("?")
    view.page.keyboard.press("Escape")
    assert view.messages == []
    assert [address.partition(":")[0] for address in view.requests] == ["file"]


def test_hidden_tab_resumes_at_the_same_time(open_page: Open) -> None:
    view = open_page(boxes(1))
    view.page.keyboard.press("[")  # 1/2: two seconds of hiding would be one second of motion
    play(view)
    view.page.evaluate(HIDE)
    hidden_at = view.call("time")
    view.page.wait_for_timeout(2000)
    assert view.call("time") == hidden_at
    times = view.page.evaluate(
        """() => new Promise((resolve) => {
          showAgain();
          const times = [];
          const note = () => (times.push(symlieView.time()) < 3 ? requestAnimationFrame(note) : resolve(times));
          requestAnimationFrame(note);
        })"""
    )
    assert times[0] == hidden_at  # the first picture takes up time where it was
    assert times == sorted(times)


def test_content_security_policy_forbids_script_requests(open_page: Open) -> None:
    view = open_page(boxes(1))
    refused: list[str | None] = []
    view.page.on("requestfailed", lambda request: refused.append(request.failure))
    violations = view.page.evaluate(
        """async () => {
          const found = [];
          document.addEventListener("securitypolicyviolation", (event) => found.push(event.effectiveDirective));
          const image = new Image();
          image.src = "file:///picture.png";
          const link = document.createElement("link");
          link.rel = "stylesheet";
          link.href = "file:///style.css";
          const script = document.createElement("script");
          script.src = "file:///script.js";
          const frame = document.createElement("iframe");
          frame.src = "file:///page.html";
          document.body.append(image, script, frame);
          document.head.append(link);
          await fetch("file:///data.json").catch(() => {});
          for (let k = 0; new Set(found).size < 5 && k < 600; k++)
            await new Promise((resolve) => setTimeout(resolve, 50));
          return found;
        }"""
    )
    assert set(violations) == {"img-src", "style-src-elem", "script-src-elem", "frame-src", "connect-src"}
    assert refused == ["csp"] * (len(view.requests) - 1)
