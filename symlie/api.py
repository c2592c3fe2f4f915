"""The stages on one screen: state → derive → emit → compile → run.

    model      = build(**options)                     symlie.modeling
    equations  = model.derive()                       symlie.derive
    files      = generated_files(equations)           symlie.emit
    system     = load_system(files, manifest)         symlie.compile, symlie.runtime
    solution   = solve(system, t_span, method, h)     symlie.runtime

For models by name or file the generated files are cached under a key of the model's source, its options and the
versions, which is looked up before SymPy is imported: symlie.models.statement_cache.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from symlie.runtime.system import System, load_system

if TYPE_CHECKING:
    from symlie.derive.equations import Equations


def generated_files(equations: Equations) -> dict[str, str]:
    """All generated files of a model by name: header, source, NumPy module, manifest, readable equations."""
    from symlie.emit.c import emit_c
    from symlie.emit.manifest import interface_hash, manifest_text
    from symlie.emit.numpy import emit_numpy

    kernels = equations.emitted
    identity = interface_hash(kernels)
    return {
        **emit_c(kernels, identity),
        **emit_numpy(kernels, identity),
        "manifest.json": manifest_text(kernels, equations.options),
        "equations.md": equations.markdown(),
    }


def compile_equations(equations: Equations, *, backend: str, optimize: str) -> System:
    """Emit, compile and load."""
    start = time.perf_counter()
    files = generated_files(equations)
    return load_system(
        files,
        json.loads(files["manifest.json"]),
        backend=backend,
        optimize=optimize,
        derive_seconds=time.perf_counter() - start,
    )


def write_generated(equations: Equations, folder: str | Path) -> Path:
    """Write the generated files of a model into a folder."""
    return write_files(generated_files(equations), folder)


def write_files(files: Mapping[str, str], folder: str | Path) -> Path:
    """Write generated files into a folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
