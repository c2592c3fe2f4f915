"""The stages on one screen: state → derive → emit → compile → run.

    model      = build(**options)                     symlie.modeling
    equations  = model.derive()                       symlie.derive
    files      = generated_files(equations)           symlie.emit
    system     = load_system(files, manifest)         symlie.compile, symlie.runtime
    solution   = solve(system, t_span, method, h)     symlie.runtime

Generated files are cached under a hash of the canonical text of what was stated, so that neither where a model comes
from nor what its statement was computed from matters. Ready-made models are found by name and options alone, before
SymPy is imported: symlie.models.statement_cache.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sys
import uuid
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symlie.compile.cache import publish_files, publish_text, published_files, published_text, text_key
from symlie.compile.checksums import with_checksums
from symlie.contract.manifest import Manifest, Types, read_manifest, read_types, text_of
from symlie.errors import FormatError
from symlie.paths import package_digest
from symlie.runtime.kernels.newton import MATRIX_KINDS
from symlie.runtime.system.initial_values import InitialQuantity, Quantities
from symlie.runtime.system.loading import load_system
from symlie.runtime.system.system import System, Timings
from symlie.stages import stage, watched_stages

if TYPE_CHECKING:
    from symlie.derive.equations import Equations
    from symlie.groups.group import LieGroup
    from symlie.modeling.model import Model


_TYPES = "types"
"""Kind of the cache entries of kernels without their arrangement."""
_TANGENTS = "tangents"
"""Kind of the cache entries of Newton matrices."""
_STEPS = "steps"
"""Kind of the cache entries of further kernels of nodes."""


def _statement_key(equations: Equations) -> str | None:
    """Hash of everything that determines the kernels of a model; None if something has no canonical text."""
    text = equations.canonical_text
    return text and text_key({"statement": text}, (package_digest(), sys.version, version("sympy")))


def derive(model: Model, options: tuple[tuple[str, Any], ...] = (), *, progress: bool | None = None) -> Equations:
    """The equations of a model, derived unless the kernels of an equal statement are in the cache.

    Parameters
    ----------
    model
        The model.
    options
        Names and values that it was built with, for the manifest.
    progress
        As in `Equations.compile`.
    """
    from symlie.derive.equations import equations_of

    with watched_stages(progress):
        equations = equations_of(model, options)
        key = _statement_key(equations)
        if key is None or published_files(_TYPES, key) is None:
            _ = equations.derived
    return equations


def generated_files(equations: Equations) -> dict[str, str]:
    """The generated files that a run needs by name: header, source, NumPy module, manifest.

    Kernels are taken from the cache if an equal statement was generated before, with any number of nodes and elements
    where these are run-time data. The manifest with the values of parameters is that of the model itself.
    """
    from symlie.emit.manifest import manifest_of

    key = _statement_key(equations)
    files = published_files(_TYPES, key) if key else None
    if files is None:
        files = _emitted_files(equations)
        if key:
            publish_files(_TYPES, key, files)
    manifest = manifest_of(read_types(files["manifest.json"]), equations.arrangement, equations.options)
    return {**files, "manifest.json": text_of(Manifest, manifest)}


def tangent_files(equations: Equations, interface_hash: str, kind: str = "tangents") -> dict[str, str]:
    """Files of a set of matrices of derivatives by name, from the cache if an equal statement was derived before.

    They are apart from `generated_files` because runs of explicit methods do without them.

    Parameters
    ----------
    equations
        The model.
    interface_hash
        That of its manifest.
    kind
        ``tangents`` for the Newton matrices, ``ports`` for derivatives by inputs and of outputs.
    """
    from symlie.derive.tangent_kernels import model_tangents
    from symlie.emit.tangents import emit_tangents

    def emitted() -> dict[str, str]:
        what = "Newton matrices" if kind == "tangents" else "derivatives by inputs and of outputs"
        with stage("derive", f"{what} of {equations.model.name}"):
            return emit_tangents(model_tangents(equations.model, equations.derived, kind), interface_hash)

    return _published(_TANGENTS, equations, f"{interface_hash}-{kind}", emitted)


def step_files(equations: Equations, kind: str) -> dict[str, str]:
    """Files of kernels for steps in other coordinates than exp, by name, from the cache if they were derived before.

    Parameters
    ----------
    equations
        The model.
    kind
        One of `symlie.derive.step_kernels.KINDS`.

    Raises
    ------
    GroupError
        A group of the model does not have these coordinates.
    """
    from symlie.derive.step_kernels import step_kernels
    from symlie.emit.steps import NodeSteps, emit_steps

    def emitted() -> dict[str, str]:
        spaces = dict.fromkeys(equations.model.spaces)
        types = [NodeSteps(s.name, s.storage_dimension, s.dimension, step_kernels(s, kind)) for s in spaces]
        return emit_steps(equations.model.name, types, kind)

    return _published(_STEPS, equations, kind, emitted)


def _published(kind: str, equations: Equations, what: str, emitted: Callable[[], dict[str, str]]) -> dict[str, str]:
    """Files by name from an entry of the cache, which is made if it is not there."""
    key = _statement_key(equations)
    if key is None:
        return emitted()
    name = f"{key}-{what}.json"
    known = published_text(kind, name)
    if known is None:
        known = json.dumps(emitted())
        publish_text(kind, name, known)
    files: dict[str, str] = json.loads(known)
    return files


def further_files(equations: Equations, interface_hash: str, kind: str) -> dict[str, str]:
    """Files that some runs need besides `generated_files`, by name.

    Parameters
    ----------
    equations
        The model.
    interface_hash
        That of its manifest.
    kind
        As in `tangent_files` or in `step_files`.
    """
    if kind in MATRIX_KINDS:
        return tangent_files(equations, interface_hash, kind)
    return step_files(equations, kind)


def _emitted_files(equations: Equations) -> dict[str, str]:
    """Generated files with the manifest of the types alone."""
    from symlie.emit.c.model import emit_c
    from symlie.emit.manifest import types_of
    from symlie.emit.numpy.model import emit_numpy

    with stage("emit", equations.model.name):
        emitted = equations.emitted
        types = types_of(emitted)
        return {
            **emit_c(emitted, types.interface_hash),
            **emit_numpy(emitted, types.interface_hash),
            "manifest.json": text_of(Types, types),
        }


def compile_equations(equations: Equations, *, backend: str, optimize: str, progress: bool | None = None) -> System:
    """Emit, compile and load."""
    with watched_stages(progress) as stages:
        files = generated_files(equations)
        system = load_system(
            files,
            backend=backend,
            optimize=optimize,
            timings=Timings(equations.seconds.get("derive", 0.0), stages.seconds["emit"]),
            further_source=lambda kind: further_files(equations, interface_of(files), kind),
        )
    return dataclasses.replace(system, quantity_source=lambda: initial_quantities(equations.model))


def interface_of(files: Mapping[str, str]) -> str:
    """The hash that generated files of a model report."""
    return read_manifest(files["manifest.json"]).interface_hash


def initial_quantities(model: Model) -> Quantities:
    """What node arrays of a model may start from in place of fields, by array and name."""
    return {
        (array.name, name): InitialQuantity(quantity.field.name, quantity.size, quantity.function, quantity.arguments)
        for array in model.arrays
        for name, quantity in array.quantities.items()
    }


def folder_files(equations: Equations) -> dict[str, str]:
    """All files of a generated folder by name: with matrices of derivatives, equations, certificate, checksums."""
    files = generated_files(equations)
    interface_hash = interface_of(files)
    for kind in MATRIX_KINDS:
        files |= tangent_files(equations, interface_hash, kind)
    return with_checksums(certified({**files, "equations.md": equations.markdown()}))


def write_generated(equations: Equations, folder: str | Path) -> Path:
    """Write the generated files of a model into a folder."""
    return write_files(folder_files(equations), folder)


def write_standalone(system: System, folder: str | Path, **stated: Any) -> Path:
    """Write a program in C that integrates a system into a folder; see `System.write_standalone`."""
    from symlie.emit.c.standalone import standalone_files

    return write_files(standalone_files(system, **stated), folder)


def certified(files: Mapping[str, str]) -> dict[str, str]:
    """Generated files of a model with a certificate of all coefficient functions that they define.

    Parameters
    ----------
    files
        File name to text.
    """
    from symlie.certify.certificate import certificate_of_sources

    sources = [text for name, text in sorted(files.items()) if name.endswith((".c", ".h"))]
    return {**files, "certificate.json": certificate_of_sources(sources)}


def write_files(files: Mapping[str, str], folder: str | Path) -> Path:
    """Write generated files into a folder; older files of these names are replaced when all new ones are complete.

    Raises
    ------
    FormatError
        The folder has no name, or a file can not be written; the folder is as it was.
    """
    if not str(folder):
        raise FormatError("The name of the folder to write is empty.")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written: dict[str, Path] = {}
    try:
        for name, text in files.items():
            written[name] = folder / f".{uuid.uuid4().hex[:12]}-{name}"
            written[name].write_text(text, encoding="utf-8")
        for name, temporary in written.items():
            os.replace(temporary, folder / name)
    except OSError as error:
        raise FormatError(f"{folder / name} can not be written: {error.strerror or error}.") from error
    finally:
        for temporary in written.values():
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
    return folder


def operator_files(
    group: LieGroup,
    target: str,
    *,
    prefix: str,
    real: str = "double",
    progress: Callable[[float], None] | None = None,
) -> dict[str, str]:
    """Stand-alone source of the operators of a group: exp, log, Ad, T, T⁻¹ and derivatives, with a self-test.

    Parameters
    ----------
    group
        The group.
    target
        ``c`` or ``numpy``.
    prefix
        What the names of files and functions begin with.
    real
        ``double`` or ``float``.
    progress
        Called with the fraction of the work that is done.

    Returns
    -------
    dict
        File name to text; ``certificate.json`` is among them.
    """
    from symlie.certify import operator_certificate
    from symlie.derive.operator_kernels import group_operators
    from symlie.emit.operators.files import check_options, emit_operators

    check_options(target, prefix, real)
    operators = group_operators(group, real, progress)
    files = emit_operators(operators, target, prefix)
    return files | {"certificate.json": operator_certificate(operators)}
