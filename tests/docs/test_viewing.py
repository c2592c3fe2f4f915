"""The page about views: its blocks run and write the described files."""

from __future__ import annotations

from tests.docs.pages import Session

SESSION = Session("docs/viewing.md")


def test_code_blocks_run() -> None:
    names = SESSION.run()
    assert SESSION.files == {"pendulum.html"}
    content = names["view"].scene["solutions"][0]
    assert [s["kind"] for s in content["shapes"]] == ["capsule", "box"]
    assert "frames=" in SESSION.printed
