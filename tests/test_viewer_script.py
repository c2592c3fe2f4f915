"""The script of views is what its sources give, small, and free of what a page must not hold."""

from __future__ import annotations

import hashlib
import json
import re

from symlie.utilities.paths import template_folder

FOLDER = template_folder() / "viewer"
SCRIPT = (FOLDER / "viewer.js").read_text(encoding="utf-8")

LARGEST = 620_000
"""Bytes of the script, which is in every page with a view."""


def test_script_matches_the_sources() -> None:
    fixed = [FOLDER / name for name in ("LICENSES", "build.mjs", "package-lock.json")]
    files = {p.relative_to(FOLDER).as_posix(): p for p in [*fixed, *(FOLDER / "src").rglob("*.js")]}
    digest = hashlib.sha256()
    for name, path in sorted(files.items()):
        digest.update(f"{name}\n".encode() + path.read_bytes())
    found = re.search(r"^Sources: (\w+)$", SCRIPT, re.MULTILINE)
    assert found and found[1] == digest.hexdigest(), "run `make viewer`"


def test_script_is_small_and_closes_no_element() -> None:
    assert len(SCRIPT.encode()) <= LARGEST
    assert "</script" not in SCRIPT.lower()


def test_script_contains_only_standard_hosts() -> None:
    hosts = set(re.findall(r"\w+://[\w.]+", SCRIPT))
    assert hosts <= {"http://www.w3.org"}


def test_script_includes_licences_of_its_parts() -> None:
    licence = (FOLDER / "LICENSES").read_text(encoding="utf-8")
    assert "three.js authors" in licence and licence in SCRIPT


def test_packages_are_pinned_and_come_from_any_registry() -> None:
    stated = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    locked = json.loads((FOLDER / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    versions = {**stated["dependencies"], **stated["devDependencies"]}
    assert {name: locked[f"node_modules/{name}"]["version"] for name in versions} == versions
    assert not any("resolved" in package for package in locked.values())
    assert all("integrity" in package for name, package in locked.items() if name)


def test_npm_files_are_not_packaged() -> None:
    assert not list(FOLDER.rglob("node_modules"))
