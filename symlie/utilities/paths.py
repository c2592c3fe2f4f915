"""Locations of the templates and of the cache."""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).parents[1]


def template_folder() -> Path:
    """Return the template folder: next to the package in a source tree, inside it in an installed wheel."""
    source = PACKAGE.parent / "templates"
    return source if source.is_dir() else PACKAGE / "_templates"


def cache_folder() -> Path:
    """Return the cache folder of the user and of the operating system; ``SYMLIE_CACHE`` overrides it."""
    override = os.environ.get("SYMLIE_CACHE")
    if override:
        return Path(override).absolute()  # the compiler runs in another folder
    from platformdirs import user_cache_path

    try:
        return user_cache_path("symlie", appauthor=False).expanduser().absolute()
    except RuntimeError:  # a container whose user has neither HOME nor an entry in the list of users
        return Path(tempfile.gettempdir()) / f"symlie-{user_number()}"


def user_number() -> int | None:
    """Return the user ID, or None on systems without file owners, where each user has a separate folder."""
    return os.geteuid() if hasattr(os, "geteuid") else None


@functools.cache
def package_digest() -> str:
    """Return a hash of the package's sources and templates, so that a changed generator ignores old cache entries."""
    digest = hashlib.sha256()
    for root in (PACKAGE, template_folder()):
        found = (os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names)
        for path in sorted(path for path in found if path.endswith((".py", ".jinja", ".h", ".json"))):
            digest.update(path.removeprefix(str(root)).replace(os.sep, "/").encode())
            with open(path, "rb") as file:
                digest.update(file.read())
    return digest.hexdigest()[:16]
