"""Sources of the site: every page has a position, every public name a theme, every example a group."""

from __future__ import annotations

import json
import re
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from site_build import moved, themes

import symlie as sl
from tests.conftest import Programs
from tests.docs.pages import PAGES
from tests.site.pages import ROOT, Page, read

DOCS = ROOT / "docs"


def test_every_page_is_in_the_contents() -> None:
    """In the contents of the front page; the pages of the root by their names there."""
    contents = re.findall(r"^   ([\w/]+)$", (DOCS / "index.rst").read_text(encoding="utf-8"), re.M)
    assert len(contents) == len(set(contents))
    ours = {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES if page.is_relative_to(DOCS)}
    generated = {"examples/index", "api/index"}
    assert set(contents) == ours | generated | {"contributing", "changelog"}
    for page, place in moved.ROOT_PAGES.items():
        assert f".. root-page:: {page}" in (DOCS / place).read_text(encoding="utf-8")


def test_every_public_name_has_a_topic() -> None:
    found = [name for names in themes.names_by_theme().values() for name in names]
    assert sorted(found) == sorted(sl.__all__)
    assert all(themes.names_by_theme().values()), "no theme is empty"
    places = {name: theme.title for theme, names in themes.names_by_theme().items() for name in names}
    assert places["RevoluteJoint"] == "Joints" and places["RigidBody"] == "Bodies, rods and continua"
    assert places["Solution"] == "Solutions" and places["solve"] == "Systems and runs"


def test_name_without_topic_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(themes, "public_modules", lambda: {"wheel": "symlie.wheels"})
    with pytest.raises(LookupError, match=r"symlie\.wheel of symlie\.wheels has no theme"):
        themes.names_by_theme()


@pytest.mark.parametrize(
    ("folder", "link", "there"),
    [
        ("", "docs/running.md#events", "running.md#events"),
        ("", "CONTRIBUTING.md", "contributing.rst"),
        ("", "LICENSE", "../LICENSE"),
        ("docs", "../README.md#a-model-of-your-own", "index.rst#a-model-of-your-own"),
        ("docs", "groups.md", "groups.md"),
        ("docs/extending", "../../CHANGELOG.md", "../changelog.rst"),
        ("docs/extending", "../rods.md#forces", "../rods.md#forces"),
        ("docs", "#here", "#here"),
        ("docs", "https://doi.org/10.1", "https://doi.org/10.1"),
    ],
)
def test_links_between_files_become_site_links(folder: str, link: str, there: str) -> None:
    assert moved.moved(f"See [it]({link}).", folder) == f"See [it]({there})."


def test_version_of_mathjax_is_pinned() -> None:
    folder = DOCS / "site_build" / "mathjax"
    wanted = json.loads((folder / "package.json").read_text(encoding="utf-8"))["dependencies"]["mathjax"]
    locked = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert re.fullmatch(r"3\.\d+\.\d+", wanted) and locked["node_modules/mathjax"]["version"] == wanted
    assert "://" not in json.dumps(locked), "the lock file names no host"


class FakeView:
    """A page that can be written."""

    html = "<!DOCTYPE html>"

    def save(self, path: Path) -> None:
        path.write_text(self.html, encoding="utf-8")


class FakeEquations:
    def _repr_latex_(self) -> str:
        return "$$\n\\begin{aligned}\nM &= 1\n\\end{aligned}\n$$"


def run(content: str, folder: Path, config: str = "", **values: Any) -> tuple[str, dict[str, Any]]:
    """Output of a block, and its names afterwards."""
    shown = pytest.importorskip("site_build.shown", reason="Matplotlib is not installed")
    pictures = (str(folder / f"examples/rods/images/{k}.png") for k in range(9))
    (folder / "examples" / "rods" / "images").mkdir(parents=True, exist_ok=True)
    script = folder / "examples" / "rods" / "plot_hanging_cable.py"
    script.write_text(config, encoding="utf-8")
    variables = {
        "example_globals": values,
        "target_file": str(script),
        "image_path_iterator": pictures,
    }
    return shown.shown(types.SimpleNamespace(content=content), variables, {"src_dir": str(folder)}), values


def test_view_has_a_page_and_a_frame(tmp_path: Path) -> None:
    text, values = run("solution.view()", tmp_path, ___=FakeView())
    assert (tmp_path / "examples/extra/views/rods_hanging_cable_1.html").read_text(encoding="utf-8") == FakeView.html
    assert 'src="../../views/rods_hanging_cable_1.html" title="Hanging cable, 3-D view"' in text
    assert values["___"] is None, "no text stands for it"


def test_views_share_their_script(tmp_path: Path) -> None:
    shown = pytest.importorskip("site_build.shown", reason="Matplotlib is not installed")
    policy = "<meta content=\"script-src 'unsafe-inline'; style-src 'unsafe-inline'\">"
    for name in ("a.html", "b.html"):
        page = f'{policy}<script type="application/json">{name}</script><script>draw()</script></body>'
        (tmp_path / name).write_text(page, encoding="utf-8")
        shown.share_script(tmp_path / name)
        found = (tmp_path / name).read_text(encoding="utf-8")
        assert f'{name}</script><script src="viewer.js"></script></body>' in found
        assert "script-src 'self' file:; style-src 'unsafe-inline'" in found
    assert (tmp_path / "viewer.js").read_text(encoding="utf-8") == "draw()"


def test_view_images_are_thumbnails_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("site_build.thumbnails.picture", lambda page: page.read_bytes()[:6])
    for config, pictures in (("", []), ("# sphinx_gallery_thumbnail_number = -1\n", ["0.png"])):
        text, _ = run("solution.view()", tmp_path, config, ___=FakeView())
        found = [p.name for p in (tmp_path / "examples/rods/images").iterdir()]
        assert found == pictures and "image::" not in text


@pytest.mark.browser
def test_view_image_is_rendered(needs: Programs, tmp_path: Path) -> None:
    needs("chromium", "playwright")
    from matplotlib.image import imread
    from site_build import thumbnails

    path = tmp_path / "view.html"
    model = sl.Model("top")
    sl.RigidBody(model, "top", 1.0, [1.0, 1.0, 1.0])
    sl.solve(model.derive().compile("numpy"), 1.0).view().save(path)
    with ThreadPoolExecutor(1) as another_thread:  # this one runs the event loop of the browser of other tests
        image = another_thread.submit(thumbnails.picture, path).result()
    assert image is not None
    (tmp_path / "view.png").write_bytes(image)
    pixels = imread(tmp_path / "view.png")
    assert np.unique(pixels.reshape(-1, pixels.shape[-1]), axis=0).shape[0] > 20


def test_figure_is_an_image(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    text, _ = run("solution.plot()", tmp_path, ___=Figure())
    assert text.startswith(".. image:: /examples/rods/images/0.png\n   :alt: Hanging cable\n")
    assert (tmp_path / "examples/rods/images/0.png").stat().st_size > 1000


def test_equations_are_typeset(tmp_path: Path) -> None:
    text, _ = run("equations", tmp_path, ___=FakeEquations())
    assert text.startswith(".. math::\n\n") and "   M &= 1\n" in text and "$" not in text


@pytest.mark.parametrize("content", ["x = 1", "for k in range(3):\n    k", ""])
def test_blocks_without_value_have_no_output(tmp_path: Path, content: str) -> None:
    """The value of an earlier block is still there."""
    assert run(content, tmp_path, ___=FakeView())[0] == ""


def test_other_values_are_left_to_the_gallery(tmp_path: Path) -> None:
    text, values = run("table", tmp_path, ___=np.eye(2))
    assert text == "" and values["___"] is not None


def test_page_content_is_parsed(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<link rel="stylesheet" href="a.css"><link rel="next" href="b.html"><script src="c.js"></script>'
        '<h1 id="top">T</h1><a href="d.html#e">d</a><span class="math notranslate">x</span>'
        '<iframe src="v.html"></iframe>',
        encoding="utf-8",
    )
    assert read(page) == Page(["a.css", "c.js", "v.html"], ["d.html#e"], {"top"}, 1)
