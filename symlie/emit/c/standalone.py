"""Standalone C programs that integrate one system: model, time loop, data and main program."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symlie.compile.compiler import flags
from symlie.compile.headers import with_headers
from symlie.contract.constants import MOST_EVENTS
from symlie.emit.c.structures import Rows, c_array, c_structures
from symlie.options import Stabilization
from symlie.runtime.integrate.c_loop import state_block
from symlie.runtime.integrate.choice import default_method
from symlie.runtime.integrate.compiled_method import control_structure, tables_of
from symlie.runtime.integrate.driver_library import driver_files
from symlie.runtime.integrate.request import check_method, step_control
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.segments import GRID_TOLERANCE, LARGEST_STEPS, step_plan
from symlie.runtime.kernels.c_structures import Member, Structures
from symlie.runtime.kernels.c_tables import problem_structure
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.layout.quantities import field_unit
from symlie.runtime.layout.slices import NodeSlice
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.methods.controllers import FIXED_STEPS, MAX_STEPS, StepControl
from symlie.runtime.methods.family import Method
from symlie.runtime.solution.start import start_of
from symlie.runtime.system.inputs import SLOTS, slots_and_tables, tables_in_use
from symlie.runtime.system.system import System
from symlie.utilities.templating import render
from symlie.version import VERSION


def standalone_files(
    system: System,
    *,
    h: float = 1e-3,
    method: str | Path | Method | None = None,
    method_options: Mapping[str, object] | None = None,
    stabilize: Stabilization = "none",
) -> dict[str, str]:
    """Return the files by name; see `symlie.runtime.system.system.System.write_standalone`."""
    layout = system.layout
    chosen = chosen_method(default_method(layout) if method is None else method, method_options)
    check_method(layout, chosen)
    step_plan(0.0, 1.0, h, None)  # raises for an invalid step size
    control = step_control(system.layout, chosen, RunOptions(h=h, stabilize=stabilize), MAX_STEPS)
    # Fixed-step runs ignore the tolerances.
    unread = {name: getattr(FIXED_STEPS, name) for name in ("rtol", "atol", "weight")}
    control = dataclasses.replace(control, max_steps=LARGEST_STEPS, **unread)
    driver = driver_files(system, chosen)
    known = {
        "model": system.name,
        "method": chosen.name,
        "version": VERSION,
        "h": repr(float(h)),
        "largest_end": repr(float(h) * LARGEST_STEPS),
        **{name: getattr(layout, name) for name in ("storage", "dimension", "rows")},
    }
    constraints = [(name, f"λ[{_spans(part.rows)}]") for name, part in layout.constraints.items()]
    files = {
        **driver,
        "main.c": render("c/standalone/main.c.jinja", **known, frozen=layout.frozen),
        "main_data.h": render("c/standalone/main_data.h.jinja", **known, **_numbers(system, chosen, control)),
        "README.md": render(
            "c/standalone/README.md.jinja",
            **known,
            flags=" ".join(f for f in flags(system.optimize) if f not in ("-shared", "-fPIC")),
            fields=list(_fields(layout)),
            constraints=constraints,
            frozen=layout.frozen,
        ),
    }
    return with_headers(files)


def _numbers(system: System, method: Method, control: StepControl) -> dict[str, object]:
    """Return the data of ``main_data.h``."""
    layout = system.layout
    slots, tables = slots_and_tables(layout, system.inputs)
    # These values are zero until `prepare` computes them.
    model = np.concatenate([np.zeros(layout.prepared_parameters), tables])
    prepared = Prepared(model, tuple(np.zeros_like(rows) for rows in system.prepared.elements))
    problem = problem_structure(layout, tables_of(system, method), prepared)
    arrays = state_block(layout, method, start_of(system, 0.0)).arrays
    size = sum(array.size for array in arrays.values())
    record: dict[str, Member] = {
        "capacity": 1,
        **{name: np.zeros_like(arrays[name]) for name in ("q", "v", "lambda", "carried")},
        "t": np.zeros(1),
        "event_capacity": MOST_EVENTS * len(layout.events),
        "event": np.zeros(MOST_EVENTS * len(layout.events) * (2 + size)),
    }
    changing = {
        "problem_p",
        *(f"problem_elements_{k}_parameters" for k in range(len(prepared.elements))),
        *(f"{owner}_{name}" for owner, part in (("state", arrays), ("record", record)) for name in part),
    }
    rows = {
        "state_q": _node_rows(layout, "storage"),
        "state_v": _node_rows(layout, "velocity"),
        "problem_p": _prepared_rows(system),
    }

    def structures(name: str, structure: Structures) -> str:
        return c_structures(name, structure, rows, changing)

    after, repeated = dict(sorted(system.breakpoints.items())), _repeated_breakpoints(system)
    return {
        "parameters": c_array("parameters", np.concatenate([system.parameters, slots]), _parameter_rows(layout)),
        "elements": list(_elements(system, prepared)),
        "constants": list(_constants(system)),
        "state": structures("state", Structures("symlie_state", (arrays,))),
        "control": structures("control", control_structure(layout, control)),
        "breakpoints": len(after),
        "before": c_array("breakpoint", np.array([*after])),
        "after": c_array("after_breakpoint", np.array([*after.values()])),
        "repeated": len(repeated),
        "repeated_before": c_array("repeated_breakpoint", repeated[:, 0]),
        "repeated_after": c_array("after_repeated_breakpoint", repeated[:, 1]),
        "periods": c_array("breakpoint_period", repeated[:, 2]),
        "grid_tolerance": GRID_TOLERANCE,
        "problem": structures("problem", problem),
        "record": structures("record", Structures("symlie_record", (record,))),
    }


def _repeated_breakpoints(system: System) -> Array:
    """Return rows (breakpoint in the first period, start time of the step after it, period) of periodic time tables."""
    tables = [t for t in tables_in_use(system.layout, system.inputs).values() if t.is_periodic and t.is_of_time]
    rows = [(*times, t.times[-1] - t.times[0]) for t in tables for times in t.breakpoints(math.inf, -math.inf)]
    return np.array(rows).reshape(-1, 3)


_CONSTANT = "a constant of the equations"


def _parameter_rows(layout: Layout) -> Rows:
    named = [
        (part.stop - part.start, ", ".join(filter(None, (name, unit, _CONSTANT * (name in layout.frozen)))))
        for name, (part, _, unit) in layout.parameters.items()
    ]
    slots = [
        (SLOTS, f"{kind} {name}: where its table is, number of knots, degree of its polynomials")
        for kind, names in (("input", layout.inputs), ("table", layout.tables))
        for name in names
    ]
    return named + slots


def _constants(system: System) -> Iterator[dict[str, object]]:
    """Yield parameter arrays that contain compiled constants, with the indices and values of the constants."""
    layout = system.layout
    own = [layout.parameters[name][0] for name in layout.frozen if name in layout.parameters]
    arrays = [("parameters", own, system.parameters[None])]
    for k, (element, rows) in enumerate(zip(layout.elements, system.element_parameters, strict=True)):
        named = {f"{element.name}.{name}": part for name, at in layout.parameters_of_elements.items()
                 for place, part in at if place == k}  # fmt: skip
        arrays.append((f"parameters_of_element_{k}", [named[n] for n in layout.frozen if n in named], rows))
    for name, parts, rows in arrays:
        places = np.array([i for part in parts for i in range(part.start, part.stop)], dtype=np.int32)
        if places.size:
            yield {
                "array": name,
                "rows": len(rows),
                "width": rows.shape[1],
                "count": places.size,
                "where": c_array(f"constants_of_{name}", places),
                "numbers": c_array(f"values_of_{name}", rows[0, places]),
            }


def _prepared_rows(system: System) -> Rows:
    used = tables_in_use(system.layout, system.inputs)
    tables = [(len(t.packed), f"{name}: knots and polynomials") for name, t in used.items()]
    return [(system.layout.prepared_parameters, "from parameters, by prepare"), *tables] if tables else []


def _elements(system: System, prepared: Prepared) -> Iterator[dict[str, object]]:
    """Yield the parameters of each element type, with the numbers of its parameters and of prepared values."""
    layout = system.layout
    columns: dict[int, list[str]] = {}
    for name, places in layout.parameters_of_elements.items():
        for k, part in places:
            columns.setdefault(k, []).append(f"{name} [{_span(part.start, part.stop)}]")
    values = zip(system.element_parameters, prepared.elements, layout.parameter_sources, strict=True)
    for k, (own, all_of_them, sources) in enumerate(values):
        count, width = own.shape
        source = f"parameters_of_element_{k}"
        taken = None if sources is None else np.broadcast_to(sources, own.shape)
        rows = [(width, f"instance {i}") for i in range(count)] if count > 1 else []
        yield {
            "number": k,
            "rows": len(all_of_them),
            "width": width,
            "prepared": all_of_them.shape[1],
            "columns": ", ".join(columns.get(k, [])),
            "source": source if width else "parameters",
            "parameters": c_array(source, own, rows, is_constant=taken is None),
            "taken": "" if taken is None else c_array(f"taken_by_element_{k}", taken, rows),
        }


def _node_rows(layout: Layout, kind: str) -> Rows:
    """Return the parts of q (``storage``) or v (``velocity``) of each node, and the unwrapped angles."""
    rows = []
    for node in layout.nodes:
        part: slice = getattr(node, kind)
        labels = ", ".join(name for name, *_ in _fields_of(node, kind)) or "not used"
        for k in range(node.count):
            owner = f"{node.name}[{k}]" if node.is_array else node.name
            rows.append(((part.stop - part.start) // node.count, f"{owner}: {labels}"))
    if kind == "storage":
        rows += [(1, layout.angle_name(k)) for k in range(layout.storage - layout.node_storage)]
    return rows


def _fields_of(node: NodeSlice, kind: str) -> Iterator[tuple[str, int, int]]:
    """Yield name, offset and size of each field of a node's configuration or velocity."""
    for field in node.type.storage_fields if kind == "storage" else node.type.velocity_fields:
        yield field.name, field.offset, math.prod(field.shape)


def _fields(layout: Layout) -> Iterator[tuple[str, str, str, str]]:
    """Yield node, field, index range and unit of all state components."""
    for node in layout.nodes:
        for symbol, kind in (("q", "storage"), ("v", "velocity")):
            part: slice = getattr(node, kind)
            width = (part.stop - part.start) // node.count
            step = f"{width}k + " if node.is_array else ""
            owner = f"`{node.name}`, k = 0…{node.count - 1}" if node.is_array else f"`{node.name}`"
            for name, offset, size in _fields_of(node, kind):
                first = part.start + offset
                yield owner, f"`{name}`", f"{symbol}[{step}{_span(first, first + size)}]", field_unit(node.type, name)


def _span(first: int, stop: int) -> str:
    return f"{first}" if stop == first + 1 else f"{first}…{stop - 1}"


def _spans(numbers: NDArray[np.int64]) -> str:
    """Return the index ranges that cover the numbers."""
    ordered = np.unique(numbers)
    parts = np.split(ordered, np.flatnonzero(np.diff(ordered) > 1) + 1)
    return ", ".join(_span(int(part[0]), int(part[-1]) + 1) for part in parts)
