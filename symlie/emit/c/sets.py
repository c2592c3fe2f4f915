"""C code of a set of kernels: a header included after the model header, and a source with the exported functions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from symlie.contract.kernels import KERNELS, REAL, Gather, SystemKernel, gathered
from symlie.contract.set_table import JetLayout
from symlie.emit.c.dependents import dependent_view
from symlie.emit.c.jet_factors import JetFactors, factors_of_element, factors_of_motion, factors_of_node
from symlie.emit.c.printing import FUSED, ROW, CPrinter, coefficient_function, print_kernel
from symlie.emit.c.shared_rows import SharedRows, shared_rows
from symlie.ir.kernels import Kernel
from symlie.ir.sets import ElementTypeSet, NodePlace, SetKernels
from symlie.utilities.templating import render

SYMPLECTIC = ("symplectic_gradient", "symplectic_end_gradient")
"""Gradients of a step of the symplectic θ-family."""

SEPARATE = (*SYMPLECTIC, "dependent_gradient", "dependent_increment_gradient", "motion_gradient")
"""Gradients with separate loops."""


def emit_c_set(kernels: SetKernels, interface_hash: str) -> dict[str, str]:
    """Return the source files of a set of kernels."""
    chosen = kernels.set
    # Coefficient functions get a different prefix, because those of the model are in the same compilation unit.
    prefix, functions = f"symlie_{chosen.name}_", {s.function for s in kernels.schemes}
    printer = CPrinter(coefficients=prefix, functions=functions)
    numbers, rows = (CPrinter(x, prefix, functions=functions, fuses=FUSED[x]) for x in (REAL, ROW))
    of_orders = {name for jet in kernels.jets for name in (jet.name, f"{jet.name}_end")} | {"solve_order"}
    in_rows = {name for jet in kernels.jets if jet.side_by_side for name in (jet.name, f"{jet.name}_end")}
    shared = _shared_rows(kernels)
    gradients = [g for e in kernels.elements for g in e.gradients]
    header, source, *_ = chosen.files(kernels.model)
    values = {
        "model": kernels.model,
        "set": chosen,
        "header": header,
        "hash": interface_hash,
        "prefix": printer.coefficients,
        "real": printer.real,
        "functions": [coefficient_function(s) for s in kernels.schemes],
        "kernels": [
            print_kernel(
                k,
                rows if k.signature.name in in_rows else numbers if k.signature.name in of_orders else printer,
                stores_early=bool(chosen.matrices),
            )
            for k in kernels.kernels
        ],
        "fixed": False,
        "blocks": {"kernels": {}},
        "nodes": kernels.nodes,
        "elements": [{"number": k, **_element_view(e, kernels)} for k, e in enumerate(kernels.elements)],
        "follows_fields": kernels.follows_fields,
        "weights": [printer.constant(w) for w in kernels.weights],
        "motions": kernels.motions,
        **_compositions(kernels.jets),
        "conditions": list(_conditions(kernels)),
        "beside": any(jet.side_by_side for jet in kernels.jets),
        "factors": _factors(kernels),
        "shared_rows": shared,
        "movers": {n.name: _mover(n.name, kernels.elements) for n in kernels.nodes},
        "columns": {name: columns for rows in shared for name, columns in rows.jets.items()},
        "inputs": kernels.inputs,
        "parameters": kernels.parameters,
        "gradient_kernels": [k for k in gathered(chosen.rows, Gather.OWN) if k.name not in SEPARATE],
        "symplectic_gradients": [KERNELS[x] for x in SYMPLECTIC if any(g.kernel == x for g in gradients)],
        "motion_gradients": [_motion_view(kernel, places) for kernel, places in kernels.motion_gradients],
        "has_dependents": any(e.dependents for e in kernels.elements),
        "input_kernels": {g.kernel for g in gradients if dict(g.places)["ub"]},
        "has_event_jets": any(jet.name == f"{e.name}_event_jet" for e in kernels.elements for jet in e.jets),
        "kept_factors": kernels.elimination[0].signature.arguments[-1].size if kernels.elimination else -1,
        "sees_end": any(kernels.weights[1:]),
        "unwrapped": kernels.has_angles,
        "sees_configuration": any(e.sees_configuration for e in kernels.elements),
        **table_rows(chosen.rows),
    }
    return {
        header: render("c/kernels/set.h.jinja", **values),
        source: render("c/kernels/set.c.jinja", **values),
    }


def table_rows(name: str, without: Collection[str] = ()) -> dict[str, list[SystemKernel]]:
    """Return the system kernels of a set for the templates, by their assembly, except those in `without`."""

    def rows(*ways: Gather) -> list[SystemKernel]:
        return [k for k in gathered(name, *ways) if k.name not in without]

    return {
        "exported": rows(),
        "node_kernels": rows(Gather.NODES),
        "largest_kernels": rows(Gather.LARGEST),
        "stored_kernels": rows(Gather.STORED),
        "velocity_kernels": rows(Gather.VELOCITIES),
        "total_kernels": rows(Gather.TOTAL),
    }


def _compositions(jets: Sequence[JetLayout]) -> dict[str, object]:
    """Return jets that use functions of one argument, and the largest number of coefficients in their definitions."""
    parts = [part for jet in jets for c in jet.compositions for part in c.function.expansions]
    return {
        "composed": [jet for jet in jets if jet.arguments],
        "composed_numbers": sorted({ROW if jet.side_by_side else REAL for jet in jets if jet.arguments}),
        "most_terms": max((len(part.coefficients) for part in parts), default=1),
    }


def _factors(kernels: SetKernels) -> dict[str, JetFactors]:
    """Return the location of the factors of each jet, by its name."""
    beside = any(jet.side_by_side for jet in kernels.jets)
    found = {jet.name: factors_of_node(jet, n, beside) for n in kernels.nodes for jet in n.jets}
    found |= {jet.name: factors_of_element(jet, e, beside) for e in kernels.elements for jet in e.jets}
    return found | {m.jet.name: factors_of_motion(m.jet) for m in kernels.motions}


def _motion_view(kernel: Kernel, places: tuple[int, ...]) -> dict[str, object]:
    """Return the gradient of a prescribed motion, with weights of q, v and v'."""
    size = kernel.signature.arguments[1].size
    assert size is not None
    return {"name": kernel.signature.name, "places": places, "dimension": size // 3}


def _shared_rows(kernels: SetKernels) -> list[SharedRows]:
    """Return the shared arrays of types in the batched layout."""
    nodes = [shared_rows(n.name, n.jets, f"NODES_OF_{n.name}") for n in kernels.nodes]
    elements = [shared_rows(e.name, e.jets, f"COUNT_{e.name}") for e in kernels.elements]
    return [rows for rows in (*nodes, *elements) if rows.jets]


def _mover(node: str, elements: Sequence[ElementTypeSet]) -> str:
    """Return the only element type and local node whose fields move nodes of a type, if the type is batched; else
    empty."""
    found = [(e, place) for e in elements for place, _ in e.fields if e.places[place].type == node]
    if len(found) != 1:
        return ""
    (element, place), *_ = found
    jets = [jet for jet in element.jets if jet.name == f"{element.name}_field_jet"]
    is_whole = any(jet.side_by_side and not jet.vanishes for jet in jets)
    return f"{element.name}_{place}" if is_whole else ""


def _conditions(kernels: SetKernels) -> Iterator[tuple[list[JetLayout], str]]:
    """Yield the jets with piecewise functions of each type, and the number of elements."""
    owners = [(e.jets, f"COUNT_{e.name}") for e in kernels.elements] + [((m.jet,), "1") for m in kernels.motions]
    for jets, count in owners:
        if found := [jet for jet in jets if jet.conditions]:
            yield found, count


def _field_offsets(element: ElementTypeSet, follows_fields: bool) -> list[tuple[int, int, int, int, int]]:
    """Return node, dimension, field offset, storage and rate offset of each node moved by fields."""
    sizes = [(place, dimension, element.places[place].storage) for place, dimension in element.fields]
    field, rate = 0, sum(dimension for _, dimension, _ in sizes) if follows_fields else 0
    found = []
    for place, dimension, storage in sizes:
        found.append((place, dimension, field, storage, rate))
        field, rate = field + dimension, rate + storage
    return found


def _places(places: Sequence[NodePlace]) -> list[dict[str, object]]:
    """Return the nodes of an element with their offsets in its vectors."""
    found: list[dict[str, object]] = []
    stored = moved = component = 0
    for k, p in enumerate(places):
        sizes = {"storage": p.storage, "velocities": p.velocities, "dimension": p.dimension}
        found.append({"place": k, "type": p.type, **sizes, "stored": stored, "moved": moved, "component": component})
        stored, moved, component = stored + p.storage, moved + p.velocities, component + p.dimension
    return found


def _element_view(element: ElementTypeSet, kernels: SetKernels) -> dict[str, object]:
    chosen = kernels.set
    counts = {m.letter: p.count for m, p in zip(chosen.matrices, element.patterns, strict=True)}
    stored = gathered(chosen.rows, Gather.STORED)
    return {
        "name": element.name,
        "jets": element.jets,
        "places": _places(element.places),
        "turning": sum(p.storage for p in element.places),
        "fields": _field_offsets(element, kernels.follows_fields),
        "follows_fields": kernels.follows_fields,
        **dependent_view(element.dependents, element.places),
        "dependent_types": sorted({element.places[place].type for place, _ in element.dependents}),
        "dependents_unread": any(jet.unread for jet in element.jets),
        "number": kernels.elements.index(element),
        "storage": element.storage,
        "velocities": element.velocities,
        "rows": element.rows,
        "restricts_accelerations": any(j.name == f"{element.name}_index1_jet" and not j.vanishes for j in element.jets),
        "events": element.events,
        "kernels": {k.signature.name.removeprefix(f"{element.name}_") for k in element.kernels},
        "gradients": {g.kernel: {"weights": g.weights, "places": dict(g.places)} for g in element.gradients},
        "own_parameters": element.own_parameters,
        "own_inputs": element.own_inputs,
        "outputs": element.outputs,
        "counts": counts,
        "rolls": any(k.signature.name.endswith("_rolling") for k in element.kernels),
        "values": {
            k.name: [(r, element.rows if k.size == "rows" else counts[r]) for r in k.result_names] for k in stored
        },
    }
