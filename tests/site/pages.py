"""Pages of the built site with their resources and links."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).parents[2]

SITE = ROOT / "site" / "html"

LOADING = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src", "embed": "src"}
"""Elements that load something, and the attribute that says what."""

LOADING_RELATIONS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload"}
"""Relations of a link that load something; others only name a page."""


@dataclass
class Page:
    """Resources, links and anchors of a page.

    Attributes
    ----------
    loaded
        What it loads.
    links
        Where its links lead.
    anchors
        Places in it that links can lead to.
    formulas
        Number of formulas.
    """

    loaded: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    formulas: int = 0


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        self.page.anchors.update(known[name] for name in ("id", "name") if name in known)
        self.page.formulas += "math" in known.get("class", "").split()
        if tag == "a" and "href" in known:
            self.page.links.append(known["href"])
        elif (address := known.get(LOADING.get(tag, ""))) and (
            tag != "link" or LOADING_RELATIONS & set(known.get("rel", "").split())
        ):
            self.page.loaded.append(address)


def read(path: Path) -> Page:
    """A page.

    Parameters
    ----------
    path
        Its file.
    """
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.page


def paths() -> list[Path]:
    """Files of all pages but views, which are one file each and tested where the viewer is."""
    return [path for path in sorted(SITE.rglob("*.html")) if "views" not in path.relative_to(SITE).parts[:1]]
