"""Archive of a functional mock-up unit: sources, descriptions, and the binary for this system."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
import tempfile
import uuid
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from symlie.compile.compiler import AS_CPP, LIBRARY_SUFFIX, compiles_cpp, find_compiler
from symlie.errors import CompilerError, FormatError, NoCompilerError
from symlie.export.c import source_files, template_values
from symlie.export.description import statuses
from symlie.export.fmu.derivatives import DERIVATIVES, derivatives_source, has_derivatives
from symlie.export.fmu.model_description import UnitDescription, build_description, description_2, description_3
from symlie.export.fmu.variables import Variable, unit_variables
from symlie.export.inputs import VALUES_OF_INPUT
from symlie.export.plan import ExportPlan
from symlie.options import ExportKind
from symlie.utilities.paths import template_folder
from symlie.utilities.templating import render
from symlie.warnings import warn

SOURCE = "fmu.c"
"""The file to be compiled, which includes the others."""

FLAGS = ("-O3", "-fno-tree-slp-vectorize", "-fno-math-errno", "-ffp-contract=off", "-fPIC")
"""Flags of binaries, for all processors of an architecture; results have the bits of compiled systems."""

LARGEST_DRIFT = 5e-10
"""|Φ| or distance from the group after which a unit for model exchange asks to project its states."""

_MACHINES = {"x86_64": "x86_64", "AMD64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
_SYSTEMS_2 = {"linux": "linux64", "win32": "win64", "darwin": "darwin64"}
_SYSTEMS_3 = {"linux": "linux", "win32": "windows", "darwin": "darwin"}


def write_unit(plan: ExportPlan, version: int, prefix: str, step: float, kind: ExportKind, out: Path) -> Path:
    """Write a unit for FMI 2.0 or 3.0; raise `FormatError` if that fails."""
    files = unit_files(plan, version, prefix, step, kind, derives=has_derivatives(plan) and compiles_cpp())
    binary = _binary(files, version, prefix)
    temporary = out.with_name(f".{uuid.uuid4().hex[:12]}-{out.name}")
    try:
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            contents: list[tuple[str, str | bytes]] = [*sorted(files.items()), *binary]
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
    plan: ExportPlan, version: int, prefix: str, step: float, kind: ExportKind, *, derives: bool
) -> dict[str, str]:
    """Return the texts of a unit by name, with derivatives if ``derives`` is true."""
    sources = source_files(plan, prefix)
    if derives:
        sources[DERIVATIVES] = derivatives_source(plan, prefix)
    variables = unit_variables(plan, step, exchanges=plan.with_rates)
    folder = template_folder() / "fmi"
    headers = {p.name: p.read_text(encoding="utf-8") for p in sorted((folder / f"fmi{version}").glob("*.h"))}
    functions = {
        name: (folder / name).read_text(encoding="utf-8")
        for name in (f"fmi{version}.c", "instance.h", "exchange.h", "derivatives.h")
    }
    texts = {**sources, SOURCE: functions[f"fmi{version}.c"], "instance.h": functions["instance.h"]}
    if plan.with_rates:
        texts["exchange.h"] = functions["exchange.h"]
    if derives:
        texts["derivatives.h"] = functions["derivatives.h"]
    values = _unit_values(plan, prefix, variables, step, kind) | {"has_derivatives": derives, "version": version}
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
        "terminal": [int(e.is_terminal) for e in plan.layout.events] or [0],
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


def _binary(files: Mapping[str, str], version: int, prefix: str) -> list[tuple[str, bytes]]:
    """Return name and content of the binary for this system; warn if it cannot be built."""
    try:
        command = find_compiler().command
        content = _compiled(command, files)
    except (NoCompilerError, CompilerError) as error:
        warn(f"The unit contains sources only, because no binary could be compiled: {error}")
        return []
    machine = _MACHINES.get(platform.machine(), platform.machine())
    systems = _SYSTEMS_2 if version == 2 else _SYSTEMS_3
    system = systems.get(sys.platform, sys.platform)
    folder = system if version == 2 else f"{machine}-{system}"
    return [(f"binaries/{folder}/{prefix}{LIBRARY_SUFFIX}", content)]


def _compiled(command: Sequence[str], files: Mapping[str, str]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            if name.startswith("sources/"):
                Path(folder, name.removeprefix("sources/")).write_text(text, encoding="utf-8")
        objects = []
        for name in (SOURCE, DERIVATIVES):
            if f"sources/{name}" in files:
                objects.append(f"{name}.o")
                language = AS_CPP if name == DERIVATIVES else ("-std=c99",)
                _ran([*command, *language, *FLAGS, "-c", name, "-o", objects[-1]], folder)
        _ran([*command, *FLAGS, "-shared", *objects, "-lm", "-o", "unit"], folder)
        return Path(folder, "unit").read_bytes()


def _ran(command: list[str], folder: str) -> None:
    """Run a compiler in a folder; raise `CompilerError` if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CompilerError(f"The compiler failed: {done.stderr.strip()[:400]}")
