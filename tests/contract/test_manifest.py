"""The typed manifest: the same object after writing and reading, and locations of errors in a text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symlie.contract.manifest import FORMAT, Manifest, block_sizes, constrained_places, read_manifest, text_of
from symlie.errors import FormatError
from symlie.publish.sets import generated_files
from tests.systems import heavy_top_equations, spaghetti_system

TEXT = generated_files(heavy_top_equations("SE3"))["manifest.json"]


def test_manifest_round_trip_is_exact() -> None:
    manifest = read_manifest(TEXT)
    assert text_of(Manifest, manifest) == TEXT
    assert manifest.format == FORMAT and manifest.element_types[0].rows == 3
    assert manifest.element_types[0].mass.count == len(manifest.element_types[0].mass.rows)
    assert manifest.node_types[0].fields[1].part == slice(9, 12)
    assert manifest.has("heavy_top", "force") and not manifest.has("heavy_top", "field")
    assert manifest.instances[0].nodes.dtype == np.int32 and manifest.instances[0].count == 1


def wrong(*at: Any, value: Any = None) -> Callable[[dict[str, Any]], None]:
    """Replace what keys lead to, or drop it."""

    def change(content: dict[str, Any]) -> None:
        part: Any = content
        for key in at[:-1]:
            part = part[key]
        if value is None:
            del part[at[-1]]
        else:
            part[at[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (wrong("nodes"), "nodes must be present"),
        (wrong("nodes", value={}), "nodes must be a list"),
        (wrong("nodes", 0, "count", value=1.0), r"nodes\[0\]\.count must be an integer"),
        (wrong("nodes", 0, "count", value=True), r"nodes\[0\]\.count must be an integer"),
        (wrong("nodes", 0, "is_array", value=0), r"nodes\[0\]\.is_array must be true or false"),
        (wrong("nodes", 0, "name", value=3), r"nodes\[0\]\.name must be a string"),
        (
            wrong("element_types", 0, "mass", "rows", 2, value="x"),
            r"element_types\[0\]\.mass\.rows\[2\] must be an in",
        ),
        (wrong("element_types", 0, "dependents", "nodes", value=[[1]]), r"dependents\.nodes\[0\] must be a list of 2"),
        (wrong("instances", 0, "nodes", value=[[0.5]]), r"instances\[0\]\.nodes must be an array of integers"),
        (
            wrong("instances", 0, "parameters", value=[[1], [1, 2]]),
            r"instances\[0\]\.parameters must be an array of n",
        ),
        (wrong("operations", "SE3_advance", value="many"), r"operations\.SE3_advance must be an integer"),
        (wrong("options", value=[]), "options must be an object"),
    ],
)
def test_errors_are_located(change: Callable[[dict[str, Any]], None], sentence: str) -> None:
    content = json.loads(TEXT)
    change(content)
    with pytest.raises(FormatError, match=rf"^The manifest is damaged; generate .*{sentence}"):
        read_manifest(json.dumps(content))


def test_elements_with_shared_nodes_are_marked() -> None:
    manifest = spaghetti_system("numpy").layout.manifest
    places = constrained_places(manifest.node_types, manifest.element_types)
    assert [p.place for p in places] == [0, 1]
    assert {manifest.element_types[p.element].name for p in places} == {"rod_segment"}
    assert [p.offset for p in places] == [0, places[0].rows * places[0].dimension]
    assert block_sizes(places) == [(places[0].rows, places[0].rows, places[0].dimension)]
