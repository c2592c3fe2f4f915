"""The manifest: a model in numbers, all that the runtime reads of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from symlie.ir.kernels import FieldLayout, ModelKernels
from symlie.ir.signature import signature_hash
from symlie.version import VERSION

FORMAT = 1
"""Version of the manifest's layout; a folder of another format is refused."""


def interface_hash(model: ModelKernels) -> str:
    """Hash of all signatures; C, NumPy and the manifest carry the same one."""
    return signature_hash(k.signature for k in model.kernels)


def manifest(model: ModelKernels, options: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The manifest as a JSON object."""

    def fields(layouts: Sequence[FieldLayout]) -> list[dict[str, Any]]:
        return [{"name": f.name, "offset": f.offset, "shape": list(f.shape)} for f in layouts]

    return {
        "format": FORMAT,
        "symlie": VERSION,
        "model": model.name,
        "options": dict(options),
        "interface_hash": interface_hash(model),
        "node_types": [
            {
                "name": t.name,
                "storage": t.storage,
                "dimension": t.dimension,
                "identity": list(t.identity),
                "storage_fields": fields(t.storage_fields),
                "velocity_fields": fields(t.velocity_fields),
            }
            for t in model.node_types
        ],
        "nodes": [
            {
                "name": n.name,
                "type": n.type,
                "storage_given": list(mask.storage),
                "velocity_given": list(mask.velocity),
            }
            for n, mask in zip(model.nodes, model.initial_masks, strict=True)
        ],
        "element_types": [
            {
                "name": e.name,
                "node_types": list(e.node_types),
                "instances": [list(i) for i in e.instances],
                "mass": {"rows": list(e.mass.rows), "columns": list(e.mass.columns)},
                "mass_is_constant": e.mass_is_constant,
                "jacobian": {"rows": list(e.jacobian.rows), "columns": list(e.jacobian.columns)},
                "constraints": [{"name": c.name, "size": c.size} for c in e.constraints],
                "has_constraint_rate": e.has_constraint_rate,
                "outputs": [{"name": o.name, "size": o.size, "unit": o.unit} for o in e.outputs],
            }
            for e in model.element_types
        ],
        "parameters": [
            {"name": p.name, "shape": list(p.shape), "default": list(p.default), "unit": p.unit}
            for p in model.parameters
        ],
        "prepared_parameters": model.prepared_count,
        "operations": {k.signature.name: k.body.operation_count for k in model.kernels},
    }


def manifest_text(model: ModelKernels, options: Sequence[tuple[str, Any]]) -> str:
    """The manifest as the text of ``manifest.json``."""
    return json.dumps(manifest(model, options), indent=1, sort_keys=False) + "\n"
