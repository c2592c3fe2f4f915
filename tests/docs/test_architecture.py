"""The map of the house has all rooms, from top to bottom."""

from __future__ import annotations

import re

from symlie.utilities.paths import PACKAGE
from tests.docs.pages import ROOT
from tests.rooms import ROOMS

MAP = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_map_lists_all_packages() -> None:
    found = re.findall(r"^    symlie/([a-z]+)(?:\.py)? ", MAP, re.MULTILINE)
    assert found == [*dict.fromkeys(room.split(".")[0] for room in ROOMS), "utilities"]


def test_map_lists_all_subpackages() -> None:
    """Packages of ``runtime`` have separate lines; other folders are named on the line of their package."""
    found = re.findall(r"^        ([a-z]+) ", MAP, re.MULTILINE)
    inner = [room.split(".") for room in ROOMS if "." in room]
    assert found == [room for package, room in inner if package == "runtime"]
    for package, room in inner:
        if package != "runtime" and (PACKAGE / package / room).is_dir():
            assert re.search(rf"^    symlie/{package} .*`{room}/`", MAP, re.MULTILINE), room
