"""Constants of exported programs: topology, step control, tables, initial values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from symlie.export.plan import ExportPlan
from symlie.export.single import MORE_ROUNDING
from symlie.export.structures import c_array, c_structures
from symlie.runtime.integrate.compiled_method import control_structure
from symlie.runtime.integrate.request import Request
from symlie.runtime.integrate.segments import GRID_TOLERANCE
from symlie.runtime.kernels.c import starts_structure
from symlie.runtime.kernels.c_structures import Member, Structures
from symlie.runtime.kernels.c_tables import problem_structure
from symlie.runtime.system.initial_values import field_rows, of_nodes
from symlie.runtime.system.inputs import GAP


def constants_of(plan: ExportPlan) -> str:
    """Return the definitions of all constants."""
    return "\n\n".join(_parts(plan))


def problem_constants(plan: ExportPlan) -> str:
    """Return the definition of the topology."""
    layout, system = plan.layout, plan.system
    problem = problem_structure(layout, plan.problem_tables, system.prepared).members[0]
    elements = problem["elements"]
    assert isinstance(elements, Structures)
    without = tuple({k: v for k, v in e.items() if k != "parameters"} for e in elements.members)
    stated: dict[str, Member] = {name: value for name, value in problem.items() if name != "p"}
    stated["elements"] = Structures(elements.kind, without)
    return c_structures("problem", Structures("symlie_problem", (stated,)))


def _parts(plan: ExportPlan) -> Iterator[str]:
    layout = plan.layout
    yield f"#define GRID_TOLERANCE {GRID_TOLERANCE!r} /* fraction of a step */"
    yield f"#define GAP_OF_INPUTS {GAP!r} /* from a jump to the next step, relative to times */"
    yield problem_constants(plan)
    for name, request in (("fixed", plan.fixed), ("adaptive", plan.adaptive)):
        if request is not None:
            yield _control(plan, name, request)
    yield c_structures("start_tables", starts_structure(layout))
    yield from _initial_values(plan)
    yield from _tables(plan)
    vector = plan.parameters
    places = vector.constants
    yield f"#define CONSTANTS_OF_PARAMETERS {places.size}"
    yield c_array("place_of_constant", places.astype(np.int32))
    yield c_array("value_of_constant", vector.values[places])
    yield c_array("default_given", vector.values)
    yield f"#define OTHER_PARAMETERS {vector.others.size}"
    yield c_array("place_of_other", vector.others.astype(np.int32))
    yield from _matrices(plan)
    yield f"#define OUTPUTS_OF_SYSTEM {len(layout.outputs)}"


def _control(plan: ExportPlan, name: str, request: Request) -> str:
    return c_structures(f"{name}_control", control_structure(plan.layout, request.control))


def _initial_values(plan: ExportPlan) -> Iterator[str]:
    system, start = plan.system, plan.start
    q, v, given = system.stated_values()
    places_q, places_v = _sources(plan)
    yield c_array("source_of_q", places_q)
    yield c_array("source_of_v", places_v)
    yield c_array("stated_q", q)
    yield c_array("stated_v", v)
    yield c_array("is_given", given.astype(np.uint8))
    yield c_array("is_free", system.layout.free.astype(np.uint8))
    yield c_array("default_q", start.q)
    yield c_array("default_v", start.v)
    yield c_array("default_lambda", start.multipliers)


def _sources(plan: ExportPlan) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Index of each component among the computed initial values, -1 where a number was stated."""
    layout = plan.layout
    found = np.full(layout.storage, -1, dtype=np.int32), np.full(layout.dimension, -1, dtype=np.int32)
    stated = {n.name: n for n in layout.manifest.nodes}
    begin = [0, 0]
    for node in layout.nodes:
        if stated[node.name].has_numbers:
            continue
        for k, part in enumerate((node.storage, node.velocity)):
            size = part.stop - part.start
            found[k][part] = begin[k] + np.arange(size)
            begin[k] += size
    changed = _changed(plan)
    for own, is_changed in zip(found, changed, strict=True):
        own[is_changed] = -1
    return found


def _changed(plan: ExportPlan) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks of the components that have changed initial values."""
    layout = plan.layout
    q, v = np.zeros(layout.storage, dtype=bool), np.zeros(layout.dimension, dtype=bool)
    for name, label in of_nodes(layout, plan.system.initial_fields):
        field_rows(layout.node(name), label, q, v)[:] = True
    return q, v


def _tables(plan: ExportPlan) -> Iterator[str]:
    tables = plan.tables
    columns = np.array(tables.stops, dtype=float).reshape(-1, 4)
    yield f"#define STOPS_OF_TABLES {len(columns)}"
    yield f"#define STOPS_OF_PARAMETERS {tables.kinks.size}"
    yield c_array("time_of_stop", columns[:, 0])
    yield c_array("gap_of_stop", columns[:, 1] * (MORE_ROUNDING if plan.real == "float" else 1))
    yield c_array("period_of_stop", columns[:, 2])
    yield c_array("input_of_stop", columns[:, 3].astype(np.int32))
    yield c_array("parameter_of_stop", tables.kinks.astype(np.int32))
    yield c_array("default_slots", tables.slots)
    yield c_array("default_tables", tables.packed)


def _matrices(plan: ExportPlan) -> Iterator[str]:
    rows, columns = plan.layout.assembled("mass")
    yield f"#define VALUES_OF_MASS {len(rows)}"
    yield c_array("row_of_mass", rows.astype(np.int32))
    yield c_array("column_of_mass", columns.astype(np.int32))
    yield f"#define LINEARIZES {int(plan.linearizes)}"
    if not plan.linearizes:
        return
    names = ("stiffness", "damping")
    for name, ((down, across), (_, width)) in zip(names, plan.matrix_places, strict=False):
        yield f"#define VALUES_OF_{name.upper()} {len(down)}"
        yield c_array(f"place_of_{name}", (down * width + across).astype(np.int32))
