"""Generated files of models by statement: looked up before SymPy or the model is imported.

An entry is found in two steps. The model's source, its options and the versions lead to the list of further files that
the model was built from; with the contents of these they lead to the generated files. So a changed file is a new entry,
and entries never change.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import sys
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from symlie.compile.cache import publish_files, publish_text, published_files, published_text, text_key
from symlie.models.registry import build_model, model_path
from symlie.paths import package_digest
from symlie.runtime.identity import file_digest
from symlie.runtime.initial_values import Quantities
from symlie.runtime.loading import load_system
from symlie.runtime.system import System

_KIND = "models"


def cached_files(model: str, options: Mapping[str, Any]) -> tuple[dict[str, str], float]:
    """Generated files of a model by name, from the cache if they are there.

    Parameters
    ----------
    model
        Name of a ready-made model, or path of a model file.
    options
        Options of its ``build``; defaults may be left out.

    Returns
    -------
    files
        Text by name; the manifest records the complete options.
    derive_seconds
        Seconds spent on stating, deriving and emitting; 0 if the files were in the cache.

    Raises
    ------
    UnknownNameError, ModelError
        The model, an option or the statement is wrong.
    """
    files, seconds, _ = _generated(model, options)
    return files, seconds


def _generated(model: str, options: Mapping[str, Any]) -> tuple[dict[str, str], float, list[str]]:
    """Generated files, seconds, and the user's own files that the model was built from."""
    path = model_path(model)
    statement = _statement_key(path, options)
    dependencies = published_text(_KIND, f"{statement}.json")
    if dependencies is not None:
        own: list[str] = json.loads(dependencies)
        known = published_files(_KIND, _entry_key(statement, own))
        if known is not None:
            return known, 0.0, own
    start = time.perf_counter()
    built = build_model(model, options)
    # Contents are hashed before the derivation, which takes long enough for an edit.
    entry = _entry_key(statement, built.files)
    from symlie.api import generated_files

    files = generated_files(built.derive())
    publish_files(_KIND, entry, files)
    publish_text(_KIND, f"{statement}.json", json.dumps(built.files))
    return files, time.perf_counter() - start, list(built.files)


def system_of_model(
    model: str, options: Mapping[str, Any], *, backend: str = "auto", optimize: str = "default"
) -> System:
    """A system by model name or file, from the cache of generated files if they are there."""
    files, seconds, own = _generated(model, options)
    system = load_system(
        files,
        json.loads(files["manifest.json"]),
        backend=backend,
        optimize=optimize,
        derive_seconds=seconds,
        further_source=lambda kind: cached_further_files(model, options, files, kind),
    )
    sources = {file: file_digest(file) for file in own}
    return dataclasses.replace(
        system, sources=sources, quantity_source=functools.cache(lambda: _initial_quantities(model, options))
    )


def _initial_quantities(model: str, options: Mapping[str, Any]) -> Quantities:
    from symlie.api import initial_quantities

    return initial_quantities(build_model(model, options).model)


def cached_further_files(model: str, options: Mapping[str, Any], files: Mapping[str, str], kind: str) -> dict[str, str]:
    """Files that some runs need, of a model whose generated files are given; see `symlie.api.further_files`."""
    from symlie.api import further_files

    equations = build_model(model, options).derive()
    return further_files(equations, json.loads(files["manifest.json"])["interface_hash"], kind)


def _statement_key(path: Path, options: Mapping[str, Any]) -> str:
    try:
        sympy = version("sympy")
    except PackageNotFoundError:
        sympy = "none"
    stated = json.dumps(options, sort_keys=True, default=str)
    return text_key({}, (str(path), file_digest(path), stated, package_digest(), sys.version, sympy))


def _entry_key(statement: str, files: Sequence[str]) -> str:
    return text_key({}, [statement, *(part for file in files for part in (file, file_digest(file)))])
