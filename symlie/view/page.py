"""The page: one HTML file that contains its script, style and data and needs no network."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from symlie.errors import FormatError
from symlie.utilities.encoding import compact_json
from symlie.utilities.paths import template_folder

FOLDER = "viewer"
"""Folder of the templates of the page."""

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def page_of(title: str, scene: Mapping[str, object]) -> str:
    """Return the HTML text of a page, or raise `FormatError` if a template is missing."""
    texts = {name: _template(name) for name in ("page.html", "viewer.js", "viewer.css")}
    parts = {
        "title": html.escape(title),
        "script": texts["viewer.js"],
        "style": texts["viewer.css"],
        "scene": script_json(scene),
    }
    return re.sub(r"\{\{ (\w+) \}\}", lambda found: parts[found[1]], texts["page.html"])


def script_json(content: Mapping[str, object]) -> str:
    """Return JSON for a ``script`` element, escaped such that no text becomes markup."""
    return re.sub("[<>&\u2028\u2029]", lambda found: _ESCAPES[found[0]], compact_json(content))


def _template(name: str) -> str:
    path = template_folder() / FOLDER / name
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise FormatError(f"{path} cannot be read ({error.strerror or error}); install symlie again.") from error
