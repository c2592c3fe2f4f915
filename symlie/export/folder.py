"""Folder of exported C: sources, self-test, manifest, certificate and page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import numpy as np

from symlie.export import description
from symlie.export.c import exported_names, source_files, template_values
from symlie.export.names import checked_prefix
from symlie.export.plan import ExportPlan
from symlie.export.stack import stack_on_this_machine
from symlie.runtime.integrate.solve import solve
from symlie.runtime.layout.quantities import field_unit
from symlie.utilities.templating import render
from symlie.version import VERSION

STEPS = 64
"""Steps of the self-test."""

EPS_PER_STEP = {"double": 2 * 2.0**-52, "float": 16 * 2.0**-23}
"""Allowed difference of a step from that of symlie by number type: of doubles, if mathematical libraries differ; of
floats, by rounding."""

FORMAT = 1
"""Version of ``manifest.json``."""


def c_folder(plan: ExportPlan, prefix: str) -> dict[str, str]:
    """Return the files of a folder by name."""
    from symlie.certify.certificate import certificate_of_sources

    prefix = checked_prefix(prefix)
    sources = source_files(plan, prefix)
    known = template_values(plan, prefix)
    stack = stack_on_this_machine(sources, f"{prefix}.c", exported_names(plan, prefix))
    return {
        **sources,
        f"{prefix}_selftest.c": _self_test(plan, known),
        "manifest.json": json.dumps(manifest(plan, prefix, stack), indent=1, ensure_ascii=False) + "\n",
        "certificate.json": certificate_of_sources([sources[f"{prefix}.c"]]),
        "README.md": _page(plan, known, stack),
    }


def _self_test(plan: ExportPlan, known: Mapping[str, object]) -> str:
    h, stated = plan.h, plan.options
    times = [h * k for k in range(1, STEPS + 1)]
    is_fixed = plan.fixed is not None
    run = solve(
        plan.system,
        STEPS * h,
        method=stated.method,
        method_options=stated.method_options,
        stabilize=stated.stabilize,
        h=h if is_fixed else None,
        rtol=None if is_fixed else stated.rtol,
        atol=None if is_fixed else stated.atol,
        t_eval=times[-1:] if is_fixed else times,
    )
    parts = run.q[-1], run.v[-1], run.multipliers[-1]
    scales = [max(1.0, float(np.abs(x).max(initial=0.0))) for x in parts]
    # Rounding of multipliers depends on the constraints, and in implicit methods on the step size.
    compared = parts if plan.real == "double" else parts[:2]
    return render(
        "c/export/selftest.c.jinja",
        **known,
        steps=STEPS,
        values=[literal(plan, x) for part in compared for x in part],
        scales=[literal(plan, x) for x in scales],
        tolerance=literal(plan, EPS_PER_STEP[plan.real] * STEPS),
        step=literal(plan, h),
    )


def literal(plan: ExportPlan, x: float) -> str:
    """Return a number in C."""
    return repr(float(x)) if plan.real == "double" else f"{np.float32(x)!s}f"


def _page(plan: ExportPlan, known: Mapping[str, object], stack: int | None) -> str:
    fields = [
        {"name": p.name, "identifier": p.identifier, "size": " × ".join(map(str, p.shape)) or "1", "unit": p.unit}
        for p in plan.parameters.parameters
    ]
    use = "Its functions use the stack alone." if stack is None else (
        f"The functions use at most {stack} bytes of stack, measured for the compiler of the machine that wrote this "
        "file, at -O2, without functions of the mathematical library."
    )  # fmt: skip
    return render(
        "c/export/README.md.jinja",
        **known,
        steps=STEPS,
        stack=use,
        state_bytes=state_bytes(plan),
        constants=[p.name for p in plan.parameters.parameters if p.is_constant],
        fields=fields,
        states=list(_states(plan)),
        tolerance=f"{EPS_PER_STEP[plan.real] * STEPS:.2g}",
    )


def state_bytes(plan: ExportPlan) -> int:
    """Return the size of the structure of a state on machines with 8-byte alignment of its whole numbers."""
    sizes = description.sizes(plan)
    kinds = [c["kind"] for c in description.counters()]
    inputs = len(plan.tables.inputs)
    whole = 2 + description.EVENT_LOG + kinds.count("long long") + 14 + inputs
    single = 2 + description.EVENT_LOG + kinds.count("real") + 6 + inputs
    names = (
        "storage",
        "dimension",
        "rows",
        "carried",
        "dimension",
        "own",
        "events",
        "given",
        "p",
        "event_rows",
        "workspace",
    )
    arrays = [sizes[name] for name in names] + [e.rows * e.prepared for e in description.element_places(plan)]
    numbers = single + sum(max(n, 1) for n in arrays)
    return 8 * (whole + (numbers if plan.real == "double" else (numbers + 1) // 2))


def _states(plan: ExportPlan) -> Iterator[tuple[str, str, str]]:
    layout = plan.layout
    for node in layout.nodes:
        for symbol, kind in (("q", "storage"), ("v", "velocity")):
            part: slice = getattr(node, kind)
            width = (part.stop - part.start) // node.count
            fields = node.type.storage_fields if kind == "storage" else node.type.velocity_fields
            for field in fields:
                first, size = part.start + field.part.start, field.part.stop - field.part.start
                step = f"{width} k + " if node.is_array else ""
                place = f"{first}" if size == 1 else f"{first}…{first + size - 1}"
                owner = f"{node.name}[k]" if node.is_array else node.name
                yield f"{owner}, {field.name}", f"`s.{symbol}[{step}{place}]`", field_unit(node, field.name)
    for name, constraint in layout.constraints.items():
        rows = sorted(int(row) for row in constraint.rows.ravel())
        if rows:
            spans = f"{rows[0]}…{rows[-1]}" if len(rows) > 1 else f"{rows[0]}"
            yield f"multipliers of {name}", f"`s.lambda[{spans}]`", ""


def manifest(plan: ExportPlan, prefix: str, stack: int | None) -> dict[str, object]:
    """Return the description of an exported program in the types of JSON."""
    return {
        "format": FORMAT,
        "symlie": VERSION,
        "model": plan.layout.name,
        "prefix": prefix,
        "method": plan.method.name,
        "real": plan.real,
        "step": plan.h,
        "equations": plan.layout.interface_hash,
        "sizes": dict(description.sizes(plan)),
        "stack_bytes": stack,
        "parameters": [
            {"name": p.name, "field": p.identifier, "shape": list(p.shape), "unit": p.unit,
             "value": p.values.tolist(), "constant": p.is_constant}
            for p in plan.parameters.parameters
        ],
        "inputs": [{"name": i.name, "field": i.identifier, "size": i.size, "unit": i.unit} for i in plan.tables.inputs],
        "outputs": [
            o._asdict() for o in description.outputs(plan.layout)
        ],
        "events": [
            e._asdict() for e in description.events(plan.layout)
        ],
    }  # fmt: skip
