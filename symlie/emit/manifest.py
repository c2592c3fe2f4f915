"""The manifest: a model in numbers, all that the runtime reads of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from symlie.contract.signature import signature_hash
from symlie.emit.c.model import output_positions, pair_kinds
from symlie.ir.kernels import Arrangement, EmittedModel, FieldLayout, NodeSet, ParameterLayout
from symlie.version import VERSION

FORMAT = 7
"""Version of the manifest's layout; a folder of another format is refused."""


def interface_hash(model: EmittedModel) -> str:
    """Hash of all signatures; C, NumPy and the manifest carry the same one."""
    return signature_hash(k.signature for k in model.kernels)


def _fields(layouts: Sequence[FieldLayout]) -> list[dict[str, Any]]:
    return [{"name": f.name, "offset": f.offset, "shape": list(f.shape)} for f in layouts]


def _parameters(layouts: Sequence[ParameterLayout]) -> list[dict[str, Any]]:
    return [{"name": p.name, "shape": list(p.shape), "default": list(p.default), "unit": p.unit} for p in layouts]


def _nodes(nodes: NodeSet) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": nodes.name,
        "type": nodes.type,
        "count": nodes.count,
        "is_array": nodes.is_array,
        "fixed": [int(k) for k in nodes.fixed.nonzero()[0]],
        "storage_given": nodes.storage_given.tolist(),
        "velocity_given": nodes.velocity_given.tolist(),
        "outputs": [{"name": o.name, "field": o.field, "unit": o.unit} for o in nodes.outputs],
    }
    if nodes.storage is not None and nodes.velocity is not None:
        entry |= {"storage": nodes.storage.tolist(), "velocity": nodes.velocity.tolist()}
    return entry


def types_manifest(model: EmittedModel) -> dict[str, Any]:
    """The part of the manifest that depends on types only."""
    types = model.types
    positions, output_count = output_positions(model)
    return {
        "format": FORMAT,
        "symlie": VERSION,
        "model": types.name,
        "interface_hash": interface_hash(model),
        "fixed_topology": model.elimination is not None,
        "node_types": [
            {
                "name": t.name,
                "storage": t.storage,
                "dimension": t.dimension,
                "velocities": t.velocities,
                "is_frame": t.is_frame,
                "identity": list(t.identity),
                "storage_fields": _fields(t.storage_fields),
                "velocity_fields": _fields(t.velocity_fields),
                "angles": [vars(a) for a in t.angles],
            }
            for t in types.node_types
        ],
        "element_types": [
            {
                "name": e.name,
                "node_types": list(e.node_types),
                "prepared_parameters": e.prepared_count,
                "mass": {"rows": list(e.mass.rows), "columns": list(e.mass.columns)},
                "mass_is_constant": e.mass_is_constant,
                "conserves_energy": e.conserves_energy,
                "jacobian": {"rows": list(e.jacobian.rows), "columns": list(e.jacobian.columns)},
                "constraints": [
                    {"name": c.name, "size": c.size, "holonomic": c.is_holonomic,
                     "accelerations": c.is_of_accelerations} for c in e.constraints
                ],
                "fields": list(e.fields),
                "places_backwards": e.places_backwards,
                "placements": [list(p) for p in e.placements],
                "has_constraint_rate": e.has_constraint_rate,
                "outputs": [
                    {"name": o.name, "size": o.size, "unit": o.unit, "position": positions[o.name]} for o in e.outputs
                ],
                "events": [
                    {"name": v.name, "direction": v.direction, "terminal": v.is_terminal} for v in e.events
                ],
            }
            for e in types.element_types
        ],
        "output_count": output_count,
        "pairs": [] if model.elimination else [
            {key: c[key] for key in ("first", "first_place", "second", "second_place")} for c in pair_kinds(model)
        ],
        "inputs": [{"name": i.name, "size": i.size, "unit": i.unit} for i in types.inputs],
        "prepared_parameters": types.prepared_count,
        "operations": {k.signature.name: k.body.operation_count for k in model.kernels},
    }  # fmt: skip


def manifest(types: Mapping[str, Any], arrangement: Arrangement, options: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The manifest as a JSON object: types, and the run-time data of one model."""
    return {
        **types,
        "options": dict(options),
        "parameters": _parameters(arrangement.parameters[types["model"]]),
        "nodes": [_nodes(n) for n in arrangement.nodes],
        "instances": [
            {
                "element": i.element,
                "parameter_names": [p.name for p in arrangement.parameters[i.element]],
                "parameter_sizes": [len(p.default) for p in arrangement.parameters[i.element]],
                "nodes": i.nodes.tolist(),
                "parameters": i.parameters.tolist(),
            }
            for i in arrangement.instances
        ],
        "motions": list(arrangement.motions),
        "breakpoints": list(arrangement.breakpoints),
    }


def manifest_text(content: Mapping[str, object]) -> str:
    """A manifest as the text of ``manifest.json``: one line per entry, so that large tables stay compact."""
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in content.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"
