"""Conversion of the links of pages for the site.

Pages are also read in the repository, so that they link to files of the repository. Pages at the root have a
corresponding page of the site; the site contains other files unchanged.
"""

from __future__ import annotations

import posixpath
import re

ROOT_PAGES = {"README.md": "index.rst", "CONTRIBUTING.md": "contributing.rst", "CHANGELOG.md": "changelog.rst"}
"""Pages at the root with their pages of the site."""


def moved(text: str, folder: str) -> str:
    """Return the text of a page with the links of the site.

    Parameters
    ----------
    text
        Markdown.
    folder
        Folder of the page, relative to the root of the repository.
    """

    def target(match: re.Match[str]) -> str:
        path, mark, anchor = match[1].partition("#")
        if "://" in path or not path:
            return match[0]
        file = posixpath.normpath(posixpath.join(folder, path))
        # Pages of `docs` include the pages at the root.
        start = "docs" if folder in ("", ".") else folder
        new = posixpath.relpath(f"docs/{ROOT_PAGES[file]}" if file in ROOT_PAGES else file, start)
        return f"]({new}{mark}{anchor})"

    return re.sub(r"\]\(([^)\s]+)\)", target, text)
