"""Systems stored in files: the generated code as text, with the parameters and initial values of one run.

The file contains the text and not only the name of the model: the text is small (some 10 KB compressed) and documents
exactly the integrated equations. The file stays complete if the model's file changes or is lost, supports models
defined in a notebook, and needs neither SymPy nor a derivation. As for a generated folder, loading runs the code.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping

import numpy as np

from symlie.compile.cache import text_key
from symlie.contract.attached_shapes import FILE as SHAPES
from symlie.contract.manifest import Manifest, check_format, text_of
from symlie.contract.sets import without_sets
from symlie.errors import FormatError
from symlie.options import Backend, Optimize
from symlie.runtime.system.given_coordinates import given_coordinates
from symlie.runtime.system.inputs import recorded_table
from symlie.runtime.system.loading import load_system
from symlie.runtime.system.system import System
from symlie.runtime.system.values import Timings
from symlie.utilities.encoding import Content
from symlie.utilities.reading import check_file_names, reading

_NOT_NEEDED = (".md", "certificate.json")
"""Endings of names of files that no run reads; generated folders contain such files, systems loaded by name may omit
them."""


def model_hash(system: System) -> str:
    """Return the hash of the generated code and manifest of a system, with default parameters and without drawing
    shapes."""
    return text_key({name: text for name, text in _needed(system).items() if name != SHAPES}, ())


def _needed(system: System) -> dict[str, str]:
    files = without_sets(system.files, system.layout.name)
    files["manifest.json"] = text_of(Manifest, dataclasses.replace(system.layout.manifest, sets=()))
    return {name: text for name, text in sorted(files.items()) if not name.endswith(_NOT_NEEDED)}


def code_record(system: System) -> dict[str, object]:
    """Return the generated code of a system and its run options as JSON."""
    return {
        "files": _needed(system) | system.sets.present_files,
        "interface_hash": system.layout.interface_hash,
        "backend": system.backend,
        "optimize": system.optimize,
    }


def system_of_code(
    files: Mapping[str, str], interface_hash: str, backend: Backend, optimize: Optimize, *, run_code: bool = True
) -> System:
    """Return the system of a `code_record` with the values of its model; see `recorded_system`."""
    with reading("The system in this file"):
        check_file_names(files)
        manifest = json.loads(files["manifest.json"])
        if manifest.get("interface_hash") != interface_hash:
            raise FormatError("The generated code in this file does not belong to its manifest; it is damaged.")
        check_format(manifest, "The generated code in this file", "read it with that version, or run the model again")
        return load_system(files, backend=backend, optimize=optimize, run_code=run_code)


def system_record(system: System) -> dict[str, object]:
    """Return a system as JSON."""
    return code_record(system) | {
        "parameters": system.parameters.tolist(),
        "element_parameters": [rows.tolist() for rows in system.element_parameters],
        "initial_values": [[node, field, rows.tolist()] for (node, field), rows in system.initial_fields.items()],
        "inputs": {
            name: [table.times.tolist(), table.values.tolist(), table.interpolation]
            for name, table in system.inputs.items()
        },
        "timings": dataclasses.asdict(system.timings),
        "sources": dict(system.sources),
        "redundant": system.redundant,
        "given_coordinates": [list(key) for key in given_coordinates(system)],
    }


def recorded_system(record: Content, backend: Backend | None = None, *, run_code: bool = True) -> System:
    """Return the system of a `system_record`; raise FormatError if the record is damaged or of another version,
    NoCompilerError for backend ``"c"`` without a compiler.
    """
    with reading("The system in this file"):
        code = record["files"], record["interface_hash"], backend or record["backend"], record["optimize"]
        system = system_of_code(*code, run_code=run_code)
        stated = (system.parameters, *system.element_parameters)
        found = [np.array(rows, dtype=float) for rows in (record["parameters"], *record["element_parameters"])]
        parameters = found[0].reshape(stated[0].shape)
        elements = [
            rows.reshape(1 if len(rows) == 1 else count, known.shape[1])
            for rows, known, count in zip(found[1:], stated[1:], system.layout.instance_counts, strict=True)
        ]
        initial = {(node, field): np.array(rows, dtype=float) for node, field, rows in record["initial_values"]}
        tables = {name: recorded_table(system.layout, name, *points) for name, points in record["inputs"].items()}
        return dataclasses.replace(
            system,
            parameters=parameters,
            element_parameters=tuple(elements),
            initial_values=initial,
            inputs=tables,
            timings=Timings(**record["timings"]),
            sources=dict(record["sources"]),
            redundant=record.get("redundant", "error"),
            given_coordinates=tuple((str(joint), str(name)) for joint, name in record.get("given_coordinates", ())),
        )
