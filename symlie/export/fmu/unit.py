"""Archive of a functional mock-up unit: sources, descriptions, and the binary for this system."""

from __future__ import annotations

import hashlib
import os
import uuid
import zipfile
from collections.abc import Sequence
from pathlib import Path

from symlie.compile.compiler import compiles_cpp
from symlie.errors import FormatError
from symlie.export.c import source_files, template_values
from symlie.export.description import statuses
from symlie.export.fmu.binaries import SOURCE, binary_for, own_binary
from symlie.export.fmu.corotation import Corotation
from symlie.export.fmu.derivatives import DERIVATIVES, derivatives_source, has_derivatives
from symlie.export.fmu.model_description import UnitDescription, build_description, description_2, description_3
from symlie.export.fmu.modes import gaps
from symlie.export.fmu.variables import NOMINAL_SIZE, Variable, unit_variables
from symlie.export.inputs import VALUES_OF_INPUT
from symlie.export.plan import ExportPlan
from symlie.options import ExportKind, ExportPlatform
from symlie.utilities.paths import template_folder
from symlie.utilities.templating import render

LARGEST_DRIFT = 5e-10
"""|Φ| or distance from the group after which a unit for model exchange asks to project its states."""


def write_unit(
    plan: ExportPlan,
    version: int,
    prefix: str,
    step: float,
    kind: ExportKind,
    out: Path,
    platforms: Sequence[ExportPlatform] = (),
    rotating: Sequence[Corotation] = (),
) -> Path:
    """Write a unit for FMI 2.0 or 3.0, with binaries for this system and for others, and with states of which some
    rotate with bodies; raise `FormatError` if that fails."""
    derives = has_derivatives(plan) and compiles_cpp()
    files = unit_files(plan, version, prefix, step, kind, derives=derives, rotating=rotating)
    binaries = [*own_binary(files, version, prefix), *(binary_for(p, files, version, prefix) for p in platforms)]
    temporary = out.with_name(f".{uuid.uuid4().hex[:12]}-{out.name}")
    try:
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            contents: list[tuple[str, str | bytes]] = [*sorted(files.items()), *dict(binaries).items()]
            for name, content in contents:
                entry = zipfile.ZipInfo(name)
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, content)
        os.replace(temporary, out)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise FormatError(f"{out} cannot be written: {error.strerror or error}.") from error
    return out


def unit_files(
    plan: ExportPlan,
    version: int,
    prefix: str,
    step: float,
    kind: ExportKind,
    *,
    derives: bool,
    rotating: Sequence[Corotation] = (),
) -> dict[str, str]:
    """Return the texts of a unit by name, with derivatives if ``derives`` is true."""
    sources = source_files(plan, prefix)
    if derives:
        sources[DERIVATIVES] = derivatives_source(plan, prefix)
    variables = unit_variables(plan, step, exchanges=plan.with_rates, rotating=rotating)
    folder = template_folder() / "fmi"
    headers = {p.name: p.read_text(encoding="utf-8") for p in sorted((folder / f"fmi{version}").glob("*.h"))}
    parts = {"instance.h": True, "exchange.h": plan.with_rates, "derivatives.h": derives}
    texts = {**sources, SOURCE: (folder / f"fmi{version}.c").read_text(encoding="utf-8")}
    texts |= {n: render(f"fmi/{n}.jinja", corotates=bool(rotating)) for n, is_used in parts.items() if is_used}
    if rotating:
        texts["corotation.h"] = (folder / "corotation.h").read_text(encoding="utf-8")
    values = _unit_values(plan, prefix, variables, step, kind)
    values |= {"has_derivatives": derives, "version": version, "corotates": bool(rotating), "corotations": rotating}
    texts["unit.h"] = render("fmi/unit.h.jinja", **values, token="")
    digest = hashlib.sha256("".join(f"{name}\0{text}\0" for name, text in sorted(texts.items())).encode()).hexdigest()
    token = "{" + str(uuid.UUID(digest[:32])) + "}"
    texts["unit.h"] = render("fmi/unit.h.jinja", **values, token=token)
    layout = plan.layout
    about = UnitDescription(
        layout.name,
        prefix,
        plan.method.name,
        token,
        step,
        variables,
        (SOURCE, DERIVATIVES) if derives else (SOURCE,),
        kind,
        len(layout.events),
        layout.changes_state or any(e.is_terminal for e in layout.events),
        derives,
    )
    found = {f"sources/{name}": text for name, text in {**texts, **headers}.items()}
    found["modelDescription.xml"] = description_2(about) if version == 2 else description_3(about)
    if version == 3:
        found["sources/buildDescription.xml"] = build_description(about)
    found["documentation/licenses/fmi_headers.txt"] = (folder / "LICENSE").read_text(encoding="utf-8")
    return found


def _unit_values(
    plan: ExportPlan, prefix: str, variables: list[Variable], step: float, kind: ExportKind
) -> dict[str, object]:
    """Return the values of the template of ``unit.h``."""
    known = template_values(plan, prefix)
    starts = [float(x) for p in plan.parameters.parameters for x in p.values]
    inputs, first = [], 0
    for i in plan.tables.inputs:
        inputs.append({**vars(i), "first": first})
        first += i.size
    input_starts = [float(x) for i in plan.tables.inputs for x in i.start]
    counts = {
        "parameter": len(starts), "input": len(input_starts), "output": plan.layout.outputs_size,
    }  # fmt: skip
    known |= {
        "counts": counts,
        "variables": variables,
        "step": repr(step),
        "parameter_starts": [*map(repr, starts), "0"] if starts else ["0"],
        "input_starts": [*map(repr, input_starts), "0"] if input_starts else ["0"],
        "statuses": [s for s in statuses() if s[1]],
        "assignments": list(_assignments(plan)),
        "inputs": inputs,
        "input_numbers": [k for k, i in enumerate(plan.tables.inputs) for _ in range(i.size)] or [0],
        "input_places": [i.table + 1 + VALUES_OF_INPUT * k for i in plan.tables.inputs for k in range(i.size)] or [0],
        "events": len(plan.layout.events),
        "exchanges": plan.with_rates,
        "changing": [int(x) for x in plan.layout.event_changes] or [0],
        "steps": kind != "me",
        "states": sum(v.size for v in variables if v.is_state),
        "drift": repr(LARGEST_DRIFT),
        "nominal": repr(NOMINAL_SIZE),
        "terminal": [int(e.is_terminal) for e in plan.layout.events] or [0],
        "first_angle": plan.layout.node_storage,
        "gaps": [int(is_gap) for is_gap in gaps(plan.layout)] or [0],
        "directions": [int(e.direction) for e in plan.layout.events] or [0],
    }
    return known


def _assignments(plan: ExportPlan) -> list[str]:
    """Return the statements that copy consecutive values to the structure of parameters."""
    lines, begin = [], 0
    for p in plan.parameters.parameters:
        shape = p.shape
        if not shape:
            lines.append(f"p->{p.identifier} = from[{begin}];")
        elif len(shape) == 1:
            lines.append(f"for (int k = 0; k < {shape[0]}; k++) p->{p.identifier}[k] = from[{begin} + k];")
        else:
            rows, width = shape
            lines.append(
                f"for (int k = 0; k < {rows * width}; k++) p->{p.identifier}[k / {width}][k % {width}] = "
                f"from[{begin} + k];"
            )
        begin += p.values.size
    return lines
