"""Systems of models by name or file.

A model file may depend on anything: files, the environment, other programs. So its ``build`` always runs, and the cache
finds generated code by the resulting model definition. Ready-made models depend only on their options and on the
package, and imported robots on the text of their model file, so that the cache finds their code without a model.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from symlie.api import derive, with_starts_of
from symlie.compile.cache import publish_files, published_files, text_key
from symlie.models.registry import build_model, is_ready_made, plain
from symlie.options import Backend, Optimize
from symlie.publish.sets import generated_files, set_files
from symlie.runtime.solution.provenance import file_digest
from symlie.runtime.system.loading import load_system
from symlie.runtime.system.system import System
from symlie.runtime.system.values import Timings
from symlie.utilities.paths import package_digest
from symlie.utilities.stages import watched_stages

if TYPE_CHECKING:
    from symlie.derive.equations import Equations
    from symlie.modeling.model import Model

_KIND = "models"


def system_of_model(
    model: str,
    options: Mapping[str, object],
    *,
    backend: Backend = "auto",
    optimize: Optimize = "default",
    freeze: str | Sequence[str] = (),
) -> System:
    """Return the system of a model by name or file, from the cache of generated files if possible; raise
    `UnknownNameError` or `ModelError` if the model, an option or a parameter to freeze is invalid."""
    if is_ready_made(model) and plain(dict(options)) == options:
        return _ready_made_system(model, options, backend, optimize, freeze)
    built = build_model(model, options)
    # Digests are computed before the derivation, during which the user may edit the files.
    sources = {file: file_digest(file) for file in built.files}
    system = built.derive(freeze).compile(backend, optimize)
    return dataclasses.replace(system, sources=sources)


def system_of_text(text: str, build: Callable[[], Model], files: Sequence[str], backend: Backend) -> System:
    """Return the system of a model that a text and the contents of some files determine, from the cache if possible.

    Parameters
    ----------
    text
        Text of a model file.
    build
        Function that returns its model.
    files
        Files that the model reads.
    backend
        Implementation of the kernels.
    """
    key = text_key({}, (text, *map(file_digest, files), *_versions()))
    model = functools.cache(build)
    return _system_by_key(key, model, functools.cache(lambda: derive(model())), backend, "default")


def _ready_made_system(
    model: str, options: Mapping[str, object], backend: Backend, optimize: Optimize, freeze: str | Sequence[str]
) -> System:
    built = functools.cache(lambda: build_model(model, options))
    derived = functools.cache(lambda: built().derive(freeze))
    return _system_by_key(_key(model, options, freeze), lambda: built().model, derived, backend, optimize)


def _system_by_key(
    key: str, model: Callable[[], Model], derived: Callable[[], Equations], backend: Backend, optimize: Optimize
) -> System:
    """Return the system of the files with a key, which are generated if the cache does not hold them."""
    files = published_files(_KIND, key)
    timings = Timings()
    if files is None:
        with watched_stages() as stages:
            files = generated_files(derived())
        publish_files(_KIND, key, files)
        timings = Timings(stages.seconds["derive"], stages.seconds["emit"])

    def files_of_set(name: str) -> dict[str, str]:
        entry = f"{key}-{name}"
        found = published_files(_KIND, entry)
        if found is None:
            found = set_files(derived(), name)
            publish_files(_KIND, entry, found)
        return found

    system = load_system(
        files,
        backend=backend,
        optimize=optimize,
        timings=timings,
        set_source=files_of_set,
    )
    return with_starts_of(system, model)


def _key(model: str, options: Mapping[str, object], freeze: str | Sequence[str]) -> str:
    stated = json.dumps([options, freeze] if freeze else options, sort_keys=True)
    return text_key({}, (model, stated, *_versions()))


def _versions() -> tuple[str, str, str]:
    """Return identities of the package, Python and SymPy."""
    try:
        sympy = version("sympy")
    except PackageNotFoundError:
        sympy = "none"
    return package_digest(), sys.version, sympy
