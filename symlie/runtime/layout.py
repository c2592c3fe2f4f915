"""The layout of a model's state, read from its manifest."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symlie.errors import FormatError, UnknownNameError

FORMAT = 1
"""The manifest format that this version reads."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class NodeSlice:
    """Where a node sits in the state vectors."""

    name: str
    type: dict[str, Any]
    storage: slice
    velocity: slice
    storage_given: NDArray[np.bool_]
    velocity_given: NDArray[np.bool_]


class Layout:
    """Names and positions of nodes, parameters, constraint rows and outputs.

    Parameters
    ----------
    manifest
        The parsed ``manifest.json``.

    Raises
    ------
    FormatError
        The manifest was written by a version with another format, or is damaged.
    """

    def __init__(self, manifest: dict[str, Any]) -> None:
        version = manifest.get("format") if isinstance(manifest, dict) else None
        if version != FORMAT:
            raise FormatError(
                f"The manifest has format {version!r}; this version of symlie reads format {FORMAT}. "
                "Generate the model again with 'symlie generate'."
            )
        try:
            self._read(manifest)
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(
                f"The manifest is damaged: {type(error).__name__} at {error}. Generate the model again with "
                "'symlie generate'."
            ) from error

    def _read(self, manifest: dict[str, Any]) -> None:
        self.manifest = manifest
        self.name: str = manifest["model"]
        self.options: dict[str, Any] = manifest["options"]
        self.elements: list[dict[str, Any]] = manifest["element_types"]
        types = {t["name"]: t for t in manifest["node_types"]}
        self.nodes: list[NodeSlice] = []
        storage = velocity = 0
        for node in manifest["nodes"]:
            kind = types[node["type"]]
            self.nodes.append(
                NodeSlice(
                    node["name"],
                    kind,
                    slice(storage, storage + kind["storage"]),
                    slice(velocity, velocity + kind["dimension"]),
                    np.array(node["storage_given"], dtype=bool),
                    np.array(node["velocity_given"], dtype=bool),
                )
            )
            storage += kind["storage"]
            velocity += kind["dimension"]
        self.storage = storage
        self.dimension = velocity
        self.rows = sum(sum(c["size"] for c in e["constraints"]) * len(e["instances"]) for e in self.elements)
        self.interface_hash = str(manifest["interface_hash"])
        """Hash that the generated code must report."""
        self.prepared_parameters = int(manifest["prepared_parameters"])
        """Length of the parameter vector with the constants computed from it."""
        self.parameter_defaults = np.array([c for p in manifest["parameters"] for c in p["default"]], dtype=float)
        """All default values."""
        self.outputs_size = sum(o["size"] for e in self.elements for o in e["outputs"] for _ in e["instances"])

    @property
    def mass_is_constant(self) -> bool:
        """Whether no mass matrix depends on the configuration."""
        return all(e["mass_is_constant"] for e in self.elements)

    @cached_property
    def constraints(self) -> dict[str, slice]:
        """Rows of each named constraint."""
        rows: dict[str, slice] = {}
        position = 0
        for element in self.elements:
            for _ in element["instances"]:
                for constraint in element["constraints"]:
                    rows[constraint["name"]] = slice(position, position + constraint["size"])
                    position += constraint["size"]
        return rows

    def row_name(self, row: int) -> str:
        """A constraint row as people call it."""
        for name, rows in self.constraints.items():
            if rows.start <= row < rows.stop:
                return f"row {row - rows.start + 1} of constraint '{name}'"
        return f"row {row + 1}"

    @cached_property
    def outputs(self) -> dict[str, tuple[slice, str]]:
        """Position and unit of each named output."""
        named: dict[str, tuple[slice, str]] = {}
        position = 0
        for element in self.elements:
            for output in element["outputs"]:
                named[output["name"]] = (slice(position, position + output["size"]), output["unit"])
                position += output["size"]
        return named

    @cached_property
    def parameters(self) -> dict[str, tuple[slice, tuple[int, ...], str]]:
        """Position, shape and unit of each parameter."""
        named: dict[str, tuple[slice, tuple[int, ...], str]] = {}
        position = 0
        for parameter in self.manifest["parameters"]:
            size = math.prod(parameter["shape"])
            named[parameter["name"]] = (slice(position, position + size), tuple(parameter["shape"]), parameter["unit"])
            position += size
        return named

    def node(self, name: str) -> NodeSlice:
        """The node of a name.

        Raises
        ------
        UnknownNameError
            There is none.
        """
        for node in self.nodes:
            if node.name == name:
                return node
        raise UnknownNameError(
            f"Model '{self.name}' has no node '{name}'; it has: {', '.join(n.name for n in self.nodes)}."
        )

    def assembled(self, which: str) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows and columns of the stored values of ``"mass"`` (lower triangle) or ``"jacobian"``."""
        rows: list[int] = []
        columns: list[int] = []
        row = 0
        for element in self.elements:
            pattern = element[which]
            for instance in element["instances"]:
                place = [k for n in instance for k in range(self.nodes[n].velocity.start, self.nodes[n].velocity.stop)]
                for i, j in zip(pattern["rows"], pattern["columns"], strict=True):
                    rows.append(place[i] if which == "mass" else row + i)
                    columns.append(place[j])
                row += sum(c["size"] for c in element["constraints"])
        return np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read ``manifest.json`` of a generated folder.

    Raises
    ------
    FormatError
        It is missing or is not JSON.
    """
    path = folder / "manifest.json"
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FormatError(f"{folder} has no manifest.json; it is not a folder written by 'symlie generate'.") from None
    except json.JSONDecodeError as error:
        raise FormatError(f"{path} is damaged ({error}); generate the model again.") from error
    return manifest
