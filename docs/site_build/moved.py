"""Links of a page as the site has them.

Pages are also read where the repository is shown, so their links are those between its files. Pages at the root have a
page of the site as well; other files are offered as they are.
"""

from __future__ import annotations

import posixpath
import re

ROOT_PAGES = {"README.md": "index.rst", "CONTRIBUTING.md": "contributing.rst", "CHANGELOG.md": "changelog.rst"}
"""Pages at the root, and where the site has them."""


def moved(text: str, folder: str) -> str:
    """The text of a page with its links as the site has them.

    Parameters
    ----------
    text
        Markdown.
    folder
        Where the page is, from the root of the repository.
    """

    def target(match: re.Match[str]) -> str:
        path, mark, anchor = match[1].partition("#")
        if "://" in path or not path:
            return match[0]
        file = posixpath.normpath(posixpath.join(folder, path))
        # The pages of the root are included by pages of `docs`.
        start = "docs" if folder in ("", ".") else folder
        new = posixpath.relpath(f"docs/{ROOT_PAGES[file]}" if file in ROOT_PAGES else file, start)
        return f"]({new}{mark}{anchor})"

    return re.sub(r"\]\(([^)\s]+)\)", target, text)
