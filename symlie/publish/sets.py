"""Generation of sets of kernels: derived and emitted once for equal models, and published in the cache."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

from symlie.compile.cache import publish_text, published_text, text_key
from symlie.contract.attached_shapes import FILE, shapes_text
from symlie.contract.manifest import Manifest, Types, read_types, text_of
from symlie.contract.sets import CORE, kernel_set
from symlie.utilities.paths import package_digest
from symlie.utilities.stages import stage

if TYPE_CHECKING:
    from symlie.derive.equations import Equations

_KIND = "sets"
"""Kind of the cache entries."""


def set_files(equations: Equations, name: str) -> dict[str, str]:
    """Return the files of the set ``name`` by name, from the cache if an equal model was derived before."""
    # The manifest of ``core`` covers only the types; `generated_files` adds the run-time data.
    entry = _entry(equations, name)
    if entry is None:
        return _emitted(equations, name)
    known = published_text(_KIND, entry)
    if known is None:
        known = json.dumps(_emitted(equations, name))
        publish_text(_KIND, entry, known)
    files: dict[str, str] = json.loads(known)
    return files


def is_published(equations: Equations, name: str) -> bool:
    """Return whether a set of an equal model is in the cache."""
    entry = _entry(equations, name)
    return entry is not None and published_text(_KIND, entry) is not None


def generated_files(equations: Equations) -> dict[str, str]:
    """Return the generated files of a run by name: header, source, NumPy module, manifest, and shapes, if any."""
    # The manifest is that of the model itself: with numbers of nodes and elements, if these are run-time data, and with
    # parameter values.
    from symlie.emit.manifest import manifest_of

    files = set_files(equations, CORE)
    manifest = manifest_of(read_types(files["manifest.json"]), equations.arrangement, equations.options)
    shapes = {FILE: shapes_text(equations.model.shapes)} if equations.model.shapes else {}
    return {**files, "manifest.json": text_of(Manifest, manifest), **shapes}


def _entry(equations: Equations, name: str) -> str | None:
    """Return the name of the cache entry of a set; None if something in the model has no canonical text."""
    text = equations.canonical_text
    identities = (package_digest(), sys.version, version("sympy"))
    return text and f"{text_key({'statement': text}, identities)}-{name}.json"


def _emitted(equations: Equations, name: str) -> dict[str, str]:
    if name == CORE:
        return _emitted_core(equations)
    from symlie.derive.sets import derive_set
    from symlie.emit.sets import emit_set

    core = read_types(set_files(equations, CORE)["manifest.json"])
    with stage("derive", f"{kernel_set(name).meaning} of {equations.model.name}"):
        return emit_set(derive_set(equations, name), core.interface_hash)


def _emitted_core(equations: Equations) -> dict[str, str]:
    from symlie.emit.manifest import types_of
    from symlie.emit.target import TARGETS

    with stage("emit", equations.model.name):
        emitted = equations.emitted
        types = types_of(emitted)
        texts = [target.model(emitted, types.interface_hash) for target in TARGETS]
        files = {name: text for found in texts for name, text in found.items()}
        return files | {"manifest.json": text_of(Types, types)}
