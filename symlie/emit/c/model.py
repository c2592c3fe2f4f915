"""C code of a model: kernels and assembly loops."""

from __future__ import annotations

from collections.abc import Sequence

from symlie.contract.kernels import KERNELS, REAL, Gather, gathered, instance_size
from symlie.contract.manifest import Instances, block_sizes, constrained_places, has_outputs_of_instances
from symlie.contract.sets import COORDINATE_RATES, CORE
from symlie.emit.c.blocks import block_kernels
from symlie.emit.c.dependents import dependent_view, stages_read_dependents
from symlie.emit.c.printing import coefficient_function, print_kernel
from symlie.emit.c.sets import table_rows
from symlie.errors import ModelError
from symlie.ir.kernels import ElementTypeKernels, EmittedModel
from symlie.utilities.templating import render

_LEFT_OUT = {
    "columns", "contacts", "inverse_dynamics", "reactions", "resets", "switches", "unwrapped", "unwrapped_rate",
    "unwrapped_start",
}  # fmt: skip
"""Kernels that exist only for models that need them."""

LARGEST_UNROLLED = 800
"""Operations of one stage up to which time loops are unrolled; larger stages increase compile time without benefit."""


def _local_nodes(model: EmittedModel, element: ElementTypeKernels) -> list[dict[str, object]]:
    local: list[dict[str, object]] = []
    storage = velocities = 0
    for name in element.node_types:
        node_type = model.types.node_type(name)
        local.append(
            {
                "type": name,
                "place": len(local),
                "storage": node_type.storage,
                "dimension": node_type.dimension,
                "velocities": node_type.velocities,
                "storage_offset": storage,
                "velocity_offset": velocities,
            }
        )
        storage += node_type.storage
        velocities += node_type.velocities
    return local


def _field_places(model: EmittedModel, element: ElementTypeKernels) -> list[dict[str, int]]:
    """Return the local nodes moved by fields of an element, with the offset of each field in the
    result of the kernel."""
    places = []
    offset = 0
    for place in element.fields:
        dimension = model.types.node_type(element.node_types[place]).dimension
        places.append({"place": place, "dimension": dimension, "offset": offset})
        offset += dimension
    return places


def _acceleration_rows(element: ElementTypeKernels) -> list[int]:
    """Return the indices of the acceleration-level constraints of an element."""
    flags = [c.level == 2 for c in element.constraints for _ in range(c.size)]
    return [row for row, flag in enumerate(flags) if flag]


def _mass_entries(element: ElementTypeKernels, places: Sequence[tuple[str, int, int]]) -> list[dict[str, object]]:
    """Return each stored entry of M with its node and its position in the block of this node."""
    owner = [(p, k) for p, (_, dimension, _) in enumerate(places) for k in range(dimension)]
    entries = []
    for i, j in zip(element.mass.rows, element.mass.columns, strict=True):
        (place, row), (other, column) = owner[i], owner[j]
        if place != other:
            raise ModelError(
                f"The kinetic energy of '{element.name}' couples velocities of different nodes; in large "
                "systems, with node arrays or with prescribed nodes M must be block diagonal by nodes."
            )
        name, dimension, _ = places[place]
        entries.append({"place": place, "type": name, "dimension": dimension, "row": row, "column": column})
    return entries


def _element_view(
    model: EmittedModel, instances: Instances, offsets: tuple[Sequence[int], Sequence[int]]
) -> dict[str, object]:
    element = model.types.element_type(instances.element)
    local = _local_nodes(model, element)
    names = {k.signature.name.removeprefix(f"{element.name}_") for k in element.kernels}
    fixed = model.elimination is not None
    sizes = [(n, model.types.node_type(n).velocities, 0) for n in element.node_types]
    return {
        "name": element.name,
        "local": local,
        "storage": sum(model.types.node_type(n).storage for n in element.node_types) + element.unwrapped,
        "unwrapped": element.unwrapped,
        "velocities": sum(velocities for _, velocities, _ in sizes),
        "fields": _field_places(model, element),
        **dependent_view(element.dependents.nodes, [model.types.node_type(n) for n in element.node_types]),
        "number": model.types.element_types.index(element),
        "acceleration_rows": _acceleration_rows(element),
        "rows": element.rows,
        "outputs": [(o.name, o.size) for o in element.outputs],
        "sizes": {size: instance_size(element, size) for size in ("mass", "jacobian", "events")},
        "values": {k.name: [(k.results, instance_size(element, k.size))] for k in gathered(CORE, Gather.STORED)},
        "mass_entries": [] if fixed else _mass_entries(element, sizes),
        "kernels": names,
        "count": instances.count,
        "storage_of": [[offsets[0][n] for n in row] for row in instances.nodes] if fixed else [],
        "velocity_of": [[offsets[1][n] for n in row] for row in instances.nodes] if fixed else [],
    }


def _total(model: EmittedModel, sizes: Sequence[int], first: int = 0) -> str:
    """Return the C expression for the sum of sizes over all elements from element type `first` on; empty if zero."""
    if model.elimination is not None:
        counts = (i.count for i in model.arrangement.instances)
        return str(sum(size * n for size, n in [*zip(sizes, counts, strict=True)][first:])) if any(sizes) else ""
    places = [k for k in range(first, len(sizes)) if sizes[k]]
    return " + ".join(f"{sizes[k]} * (int)P->elements[{k}].count" for k in places)


def _velocities(model: EmittedModel) -> tuple[str, str]:
    """Return C expressions for the range of velocity components from the first to the last node type
    with velocities."""
    sizes = [f"{t.dimension} * NODES_OF_{t.name}" for t in model.types.node_types]
    places = [k for k, t in enumerate(model.types.node_types) if t.velocities]
    begin, end = (places[0], places[-1] + 1) if places else (0, 0)
    return " + ".join(sizes[:begin]) or "0", " - ".join(["DIMENSION", *sizes[end:]])


def _motion_view(model: EmittedModel, number: int) -> dict[str, object]:
    storage, dimension = (a.size for a in model.types.motions[number].signature.arguments[2:4])
    return {"name": model.types.motions[number].signature.name, "storage": storage, "dimension": dimension}


def _node_offsets(model: EmittedModel) -> tuple[list[int], list[int]]:
    storage, velocity = [0], [0]
    for node in model.arrangement.nodes:
        kind = model.types.node_type(node.type)
        for _ in range(node.count):
            storage.append(storage[-1] + kind.storage)
            velocity.append(velocity[-1] + kind.dimension)
    return storage, velocity


def _assembled_positions(model: EmittedModel, which: str, offsets: Sequence[int]) -> tuple[list[int], list[int]]:
    rows: list[int] = []
    columns: list[int] = []
    row = 0
    for instances in model.arrangement.instances:
        element = model.types.element_type(instances.element)
        pattern = element.mass if which == "mass" else element.jacobian
        moves = [model.types.node_type(t).velocities > 0 for t in element.node_types]
        for members in instances.nodes:
            place = [k for n, m in zip(members, moves, strict=True) if m for k in range(offsets[n], offsets[n + 1])]
            for i, j in zip(pattern.rows, pattern.columns, strict=True):
                rows.append(place[i] if which == "mass" else row + i)
                columns.append(place[j])
            row += element.rows
    return rows, columns


def _mass_numbers(model: EmittedModel) -> list[int]:
    """Return which stored entries of M are numbers that the generated factors do not read; empty if not needed."""
    if not (model.elimination and model.elimination.factor_size and model.rows):
        return []
    patterns = [(i.count, model.types.element_type(i.element).mass) for i in model.arrangement.instances]
    numbers = [int(c is not None) for count, mass in patterns for c in mass.constants * count]
    return numbers if any(numbers) else []


def stage_operations(model: EmittedModel) -> int:
    """Return the number of operations of one stage of a half-explicit method."""
    counts = {k.signature.name: k.body.operation_count for k in model.kernels}
    nodes = sum(
        n.count * (counts[f"{n.type}_advance"] + counts[f"{n.type}_inverse_tangent_operator"])
        for n in model.arrangement.nodes
    )
    elements = sum(
        i.count * (counts.get(f"{i.element}_force", 0) + counts.get(f"{i.element}_jacobian", 0))
        for i in model.arrangement.instances
    )
    return nodes + elements + counts.get("solve_saddle", 0)


def emit_c(model: EmittedModel, interface_hash: str) -> dict[str, str]:
    """Return the C files of a model: ``NAME.h`` with inline kernels and ``NAME.c`` with the exported functions."""
    types, fixed = model.types, model.elimination is not None
    offsets = _node_offsets(model) if fixed else ([], [])
    mass = _assembled_positions(model, "mass", offsets[1]) if fixed else ([], [])
    jacobian = _assembled_positions(model, "jacobian", offsets[1]) if fixed else ([], [])
    elements = [_element_view(model, i, offsets) for i in model.arrangement.instances]
    constrained = [e.name for e in types.element_types if e.rows]
    constrained_rows = {e.rows for e in types.element_types if e.rows}
    kernels = [print_kernel(k) for k in model.kernels]
    names = {k.signature.name for k in model.kernels}
    stepped = [t.name for t in types.node_types if f"{t.name}_coordinate_rate" in names]
    angles = [e.unwrapped for e in types.element_types]
    own = {name.removeprefix(f"{e.name}_") for e in types.element_types for name in names}
    rows = table_rows(CORE, without=_LEFT_OUT - own)
    of_events = {f"{e.name}_events" for e in types.element_types}
    values = {
        "model": types,
        "table": KERNELS,
        **rows,
        "exported": [*rows["exported"], *(gathered(COORDINATE_RATES) if stepped else ())],
        "coordinate_rates": stepped,
        "frozen": model.arrangement.frozen,
        "tables": (*types.inputs, *model.arrangement.tables),
        "unwrapped": _total(model, angles),
        "switches": _total(model, [e.switches for e in types.element_types]),
        "releases": any(e.activities for e in types.element_types),
        "resets": _total(model, [len(e.resets) for e in types.element_types]),
        "contacts": _total(model, [len(e.contacts) for e in types.element_types]),
        "contact_rows": _total(
            model, [sum((c.normal >= 0) + c.slips for c in e.contacts) for e in types.element_types]
        ),
        "rubs": any(c.normal < 0 for e in types.element_types for c in e.contacts),
        "reactions": _total(model, [sum(c.reactions for c in e.contacts) for e in types.element_types]),
        "turns": any(c.reactions > 1 for e in types.element_types for c in e.contacts),
        "slides": "columns" in own,
        "hash": interface_hash,
        "fixed": fixed,
        "storage": model.storage if fixed else 0,
        "dimension": model.dimension if fixed else 0,
        "rows": model.rows if fixed else 0,
        "multiplies_rows": bool(model.elimination and model.elimination.multiplies_rows),
        "factor_size": model.elimination.factor_size if model.elimination else 0,
        "prefix": "symlie_",
        "real": REAL,
        "functions": [coefficient_function(s) for s in model.schemes],
        "kernels": kernels,
        "events_read_multipliers": any(
            k.signature.name in of_events and "multipliers" not in printed.unused
            for k, printed in zip(model.kernels, kernels, strict=True)
        ),
        "blocks": [] if fixed else block_kernels(types.node_types),
        "nodes": [
            {
                "name": t.name,
                "count": sum(n.count for n in model.arrangement.nodes if n.type == t.name),
                "storage": t.storage,
                "dimension": t.dimension,
                "velocities": t.velocities,
            }
            for t in types.node_types
        ],
        "velocities": _velocities(model),
        "elements": elements,
        "motions": [_motion_view(model, k) for k in range(len(types.motions))],
        "constrained_names": constrained,
        "constrained_rows": constrained_rows.pop() if len(constrained_rows) == 1 else 0,
        "symplectic": any(k.signature.name == f"{types.name}_symplectic" for k in model.kernels),
        "stages_read_dependents": stages_read_dependents(types),
        "has_dependents": any(e["dependents"] for e in elements),
        "has_acceleration_rows": any(e["acceleration_rows"] for e in elements),
        "has_nonlinear_rows": any(not c.is_affine for e in types.element_types for c in e.constraints),
        "restricts_motion": any(len(_acceleration_rows(e)) < e.rows for e in types.element_types),
        "has_fields": any(e.fields for e in types.element_types),
        "constrained": bool(constrained),
        "block_sizes": [] if fixed else block_sizes(constrained_places(types.node_types, types.element_types)),
        "mass_rows": mass[0],
        "mass_columns": mass[1],
        "mass_numbers": _mass_numbers(model),
        "jacobian_rows": jacobian[0],
        "jacobian_columns": jacobian[1],
        "mass_is_constant": all(e.mass_is_constant for e in types.element_types),
        "mass_is_diagonal": all(i == j for e in types.element_types
                                for i, j in zip(e.mass.rows, e.mass.columns, strict=True)),
        "has_constraint_rate": any(e.has_constraint_rate for e in types.element_types),
        "has_angles": any(t.angles for t in types.node_types),
        "angle_count": sum(n.count * len(types.node_type(n.type).angles) for n in model.arrangement.nodes),
        "outputs": {o.name: o.size for e in types.element_types for o in e.outputs}.items(),
        "outputs_of_instances": has_outputs_of_instances(
            (types.element_type(i.element), i) for i in model.arrangement.instances
        ),
        "accelerated_energy": any(k.signature.name.endswith("_accelerated_energy") for k in model.kernels),
        "inverse_dynamics": "inverse_dynamics" in own,
        "event_count": model.events if fixed else 0,
        "unroll_stages": fixed and stage_operations(model) <= LARGEST_UNROLLED,
    }  # fmt: skip
    for k, element in enumerate(elements):
        element["unwrapped_from"] = _total(model, angles, k)
    return {
        f"{types.name}.h": render("c/kernels/model.h.jinja", **values),
        f"{types.name}.c": render("c/kernels/model.c.jinja", **values),
    }
