"""Shapes of a model, in a separate generated file because no kernel depends on them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symlie.contract.shapes import Shape
from symlie.utilities.encoding import Content, compact_json
from symlie.utilities.reading import other_format, reading
from symlie.utilities.showing import Brief

FILE = "shapes.json"
"""Name of the file; models without shapes have none."""

FORMAT = 1
"""Version of the file format."""

GROUND = ""
"""Name of the ground, used instead of a node name."""


@dataclass(frozen=True, eq=False, repr=False)
class AttachedShape(Brief):
    """A shape at a node, or at each node of an array."""

    node: str
    """Name of a node, of an array, or of a body whose position is an output; empty for the ground."""
    index: int | None
    """Index of the node in an array; None for a single node or all nodes."""
    shape: Shape
    at: tuple[float, ...]
    """Position in the axes of the node, three numbers, in m."""
    rotation: tuple[float, ...]
    """Unit quaternion from the axes of the shape to the axes of the node, scalar part first."""
    color: str | None
    """Colour as ``#rrggbb``; None for the default of the page."""


def shapes_text(shapes: Sequence[AttachedShape]) -> str:
    """Return the text of the file, with the shapes in order of definition."""
    rows = [
        {
            "node": s.node, "index": s.index, "kind": s.shape.kind, "sizes": dict(s.shape.sizes), "at": s.at,
            "rotation": s.rotation, "color": s.color,
        }
        for s in shapes
    ]  # fmt: skip
    return compact_json({"format": FORMAT, "shapes": rows}) + "\n"


def read_shapes(files: Mapping[str, str]) -> tuple[AttachedShape, ...]:
    """Return the shapes among generated files, empty without a shape file; raise `FormatError` if it is damaged or
    newer."""
    if FILE not in files:
        return ()
    with reading(FILE, "is damaged; generate the model again"):
        content: Content = json.loads(files[FILE])
        if content["format"] != FORMAT:
            raise other_format(FILE, content["format"], FORMAT, None, "generate the model again")
        return tuple(
            AttachedShape(
                str(row["node"]),
                None if row["index"] is None else int(row["index"]),
                Shape(str(row["kind"]), dict(row["sizes"])),
                _numbers(row["at"], 3),
                _numbers(row["rotation"], 4),
                None if row["color"] is None else str(row["color"]),
            )
            for row in content["shapes"]
        )


def _numbers(values: Sequence[float], count: int) -> tuple[float, ...]:
    found = tuple(float(v) for v in values)
    if len(found) != count:
        raise ValueError(f"expected {count} numbers")
    return found
