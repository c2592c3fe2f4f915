"""Shapes of a model as a file among its generated ones: no kernel depends on it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symlie.encoding import Content, compact_json
from symlie.reading import other_format, reading
from symlie.shapes import Shape
from symlie.showing import Brief

FILE = "shapes.json"
"""Name of the file; models without shapes have none."""

FORMAT = 1
"""Version of what is in it."""

GROUND = ""
"""What the ground is called in the place of a node."""


@dataclass(frozen=True, eq=False, repr=False)
class AttachedShape(Brief):
    """A shape at a node, or at each node of an array."""

    node: str
    """Name of the node, the array, or a body that outputs place; empty for the ground."""
    index: int | None
    """Number of one node of an array."""
    shape: Shape
    at: tuple[float, ...]
    """Three numbers in axes of the node, in m."""
    rotation: tuple[float, ...]
    """Unit quaternion from axes of the shape to those of the node, scalar part first."""
    color: str | None
    """As ``#rrggbb``, or what the page takes by itself."""


def shapes_text(shapes: Sequence[AttachedShape]) -> str:
    """The text of the file.

    Parameters
    ----------
    shapes
        In the order in which they were stated.
    """
    rows = [
        {
            "node": s.node, "index": s.index, "kind": s.shape.kind, "sizes": dict(s.shape.sizes), "at": s.at,
            "rotation": s.rotation, "color": s.color,
        }
        for s in shapes
    ]  # fmt: skip
    return compact_json({"format": FORMAT, "shapes": rows}) + "\n"


def read_shapes(files: Mapping[str, str]) -> tuple[AttachedShape, ...]:
    """The shapes among generated files; none where there is no file of them.

    Parameters
    ----------
    files
        Generated files by name.

    Raises
    ------
    FormatError
        The file is damaged, or of a later version.
    """
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
        raise ValueError(f"there must be {count} numbers")
    return found
