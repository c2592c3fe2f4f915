"""Loading of systems from generated files, compiled or in NumPy."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from symlie.compile.cache import compiled_library
from symlie.compile.checksums import changed_file
from symlie.compile.compiler import OPTIMIZATIONS
from symlie.compile.library import Library
from symlie.contract.manifest import REMEDY, check_format, read_manifest
from symlie.errors import FormatError, NoCompilerError, UnknownNameError
from symlie.options import Backend, Optimize
from symlie.runtime.kernels.c import CKernels
from symlie.runtime.kernels.c_library import library_files
from symlie.runtime.kernels.numpy import NumpyKernels
from symlie.runtime.kernels.protocol import Kernels
from symlie.runtime.kernels.sets import KernelSets, Source
from symlie.runtime.kernels.unloaded import UnloadedSets, unloaded
from symlie.runtime.layout.layout import Layout
from symlie.runtime.linear.schur import algebra_of
from symlie.runtime.system.parameter_sources import filled_parameters
from symlie.runtime.system.system import System
from symlie.runtime.system.values import Timings
from symlie.utilities.reading import reading
from symlie.utilities.trust import check_trust
from symlie.warnings import warn

BACKENDS = get_args(Backend)
"""Values of ``backend``."""


def load_system(
    files: Mapping[str, str],
    *,
    backend: Backend = "auto",
    optimize: Optimize = "default",
    timings: Timings | None = None,
    set_source: Source | None = None,
    run_code: bool = True,
) -> System:
    """Build a system from generated files by name, including ``manifest.json``, or its layout alone without
    ``run_code``; ``set_source`` supplies the files of a missing kernel set (`symlie.contract.sets.SETS`) on first use.
    """
    if backend not in BACKENDS:
        raise UnknownNameError(f"Unknown backend '{backend}'; use one of: {', '.join(BACKENDS)}.")
    if optimize not in OPTIMIZATIONS:
        raise UnknownNameError(f"Unknown optimize '{optimize}'; use one of: {', '.join(OPTIMIZATIONS)}.")
    layout = Layout(read_manifest(files["manifest.json"]))
    if not run_code:
        return _unloaded_system(layout, files, backend, optimize)
    seconds = 0.0
    kernels: Kernels | None = None
    if backend != "numpy":
        try:
            start = time.perf_counter()
            sources = library_files(files, layout.name, layout.algebra_header)
            path, compiled = compiled_library(sources, "library.c", optimize)
            seconds = time.perf_counter() - start if compiled else 0.0
            kernels = CKernels(layout, Library(path, layout.interface_hash))
        except NoCompilerError as error:
            if backend == "c":
                raise
            warn(f"{error} Continuing with NumPy, which is slower.")
    chosen = "c" if kernels is not None else "numpy"
    if kernels is None:
        name = f"{layout.name}.py"
        if name not in files:
            raise FormatError(f"The generated files of '{layout.name}' lack {name}; generate the model again.")
        kernels = NumpyKernels(layout, files[name])
    return System(
        layout,
        files,
        chosen,
        optimize,
        kernels,
        algebra_of(layout),
        layout.parameter_defaults,
        filled_parameters(layout, layout.parameter_defaults, layout.element_parameters),
        KernelSets(layout, files, set_source, chosen == "c", optimize),
        timings=dataclasses.replace(timings or Timings(), compile=seconds),
    )


def _unloaded_system(layout: Layout, files: Mapping[str, str], backend: str, optimize: str) -> System:
    return System(
        layout,
        files,
        backend,
        optimize,
        unloaded(),
        algebra_of(layout),
        layout.parameter_defaults,
        filled_parameters(layout, layout.parameter_defaults, layout.element_parameters),
        UnloadedSets(layout, files, None, False, optimize),
    )


def load(
    folder: str | Path, *, backend: Backend = "auto", optimize: Optimize = "default", trust: bool = False
) -> System:
    """Load a system from a folder that `Equations.generate` or ``symlie generate`` has written, without SymPy.

    Parameters
    ----------
    folder
        The generated folder.
    backend, optimize
        As in `Equations.compile`.
    trust
        True: permit compiling and running the code in the folder, which is necessary to load it.

    Returns
    -------
    System
        The compiled model with its default parameters and initial values.

    Raises
    ------
    CodeNotLoadedError
        If ``trust`` is not True.
    FormatError
        If the folder is not a generated folder, is damaged, was changed, or has the format of another version.
    NoCompilerError, CompilerError, UnknownNameError
        As in `Equations.compile`.
    """
    folder = Path(folder)
    path = folder / "manifest.json"
    if not path.is_file():
        raise FormatError(f"{folder} has no manifest.json; it is not a folder written by 'symlie generate'.")
    with reading(path, "is damaged; generate the model again"):
        head = json.loads(path.read_text(encoding="utf-8"))
    check_format(head, "The manifest", REMEDY)  # a wrong version is the first error to report
    check_trust(folder, "load it", trust=trust)
    with reading(folder, "cannot be loaded; generate the model again"):
        kinds = {".c", ".h", ".py", ".json", ".txt"}
        files = {p.name: p.read_text(encoding="utf-8", errors="replace") for p in folder.iterdir() if p.suffix in kinds}
        changed = changed_file(files)
        if changed is not None:
            raise FormatError(f"{folder / changed} was changed after its generation; generate the model again.")
        return load_system(files, backend=backend, optimize=optimize)
