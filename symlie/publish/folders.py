"""Complete folders of generated files, with sets of kernels, equations, certificate and checksums."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from symlie.compile.checksums import CHECKSUMS, unchanged_files, with_checksums
from symlie.contract.manifest import Manifest, read_manifest, text_of
from symlie.contract.sets import IN_FOLDERS, SETS
from symlie.errors import FormatError, ModelError
from symlie.publish.sets import generated_files, set_files

if TYPE_CHECKING:
    from symlie.derive.equations import Equations


def folder_files(equations: Equations, sets: Sequence[str] | None = IN_FOLDERS) -> dict[str, str]:
    """Return all files of a generated folder by name, with ``core`` and the named sets, or with all sets for None."""
    files, written = generated_files(equations), []
    for name in SETS if sets is None else sets:
        with contextlib.nullcontext() if sets else contextlib.suppress(ModelError):
            files |= set_files(equations, name)
            written.append(name)
    manifest = dataclasses.replace(read_manifest(files["manifest.json"]), sets=tuple(written))
    files["manifest.json"] = text_of(Manifest, manifest)
    return with_checksums(certified({**files, "equations.md": equations.markdown()}))


def certified(files: Mapping[str, str]) -> dict[str, str]:
    """Add a certificate of all coefficient functions that the generated files of a model define."""
    from symlie.certify.certificate import certificate_of_sources

    sources = [text for name, text in sorted(files.items()) if name.endswith((".c", ".h"))]
    return {**files, "certificate.json": certificate_of_sources(sources)}


def write_files(files: Mapping[str, str], folder: str | Path) -> Path:
    """Replace the generated files of a folder as a whole; raise `FormatError`, with the folder unchanged, if that
    fails."""
    if not str(folder):
        raise FormatError("The name of the folder to write is empty.")
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(f"The folder {folder} cannot be created: {error.strerror or error}.") from error
    written: dict[str, Path] = {}
    older = unchanged_files(folder) - set(files) if CHECKSUMS in files else set()
    try:
        for name, text in files.items():
            written[name] = folder / f".{uuid.uuid4().hex[:12]}-{name}"
            written[name].write_text(text, encoding="utf-8")
        for name, temporary in written.items():
            os.replace(temporary, folder / name)
        for name in sorted(older):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise FormatError(f"{folder / name} cannot be written: {error.strerror or error}.") from error
    finally:
        for temporary in written.values():
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
    return folder
