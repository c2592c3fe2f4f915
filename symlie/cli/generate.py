"""``symlie generate``: write generated code into a folder, or check the committed folders."""

from __future__ import annotations

import difflib
import re
import shutil
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from symlie.cli.common import add_fresh, add_model, model_options
from symlie.cli.values import path
from symlie.errors import SymlieError
from symlie.paths import PACKAGE

SUMMARY = "Write the generated code of a model into a folder that runs without SymPy."
EXAMPLE = "symlie generate heavy_top -o group=SE3 --out top"

COMMITTED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("heavy_top", {"group": "S3xR3"}),
    ("heavy_top", {"group": "SE3"}),
)
"""Models and options whose generated folders are kept in the repository."""

REPOSITORY = PACKAGE.parent
"""Where the repository is, if the package runs from it."""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    add_model(parser, optional=True)
    parser.add_argument("--out", metavar="DIR", type=path, help="folder to write; default: generated/MODEL_OPTIONS")
    parser.add_argument("--all", action="store_true", help="write all folders that the repository keeps in generated/")
    parser.add_argument("--check", action="store_true", help="with --all: write nothing, fail if a file would change")
    add_fresh(parser)


def run(arguments: Namespace) -> int:
    """Run the command."""
    if arguments.all == (arguments.model is not None):
        raise SymlieError("Name a model, or give --all.")
    if arguments.all and (arguments.out or arguments.options):
        raise SymlieError("--all takes neither -o nor --out.")
    if arguments.check and not arguments.all:
        raise SymlieError("--check goes with --all.")
    from symlie.api import write_files

    if not arguments.all:
        options = model_options(arguments)
        folder = Path(arguments.out or Path("generated", folder_name(arguments.model, options)))
        print(write_files(_folder_files(arguments.model, options), folder))
        return 0
    parent = generated_folder()
    differences: list[str] = []
    for model, options in COMMITTED:
        files = _folder_files(model, options)
        folder = parent / folder_name(model, options)
        if arguments.check:
            differences += _differences(folder, files)
        else:
            shutil.rmtree(folder, ignore_errors=True)
            print(write_files(files, folder))
    if differences:
        print("\n".join(differences))
        raise SymlieError(f"The files in {parent} are not up to date; run 'symlie generate --all'.")
    if arguments.check:
        print(f"{parent}: up to date")
    return 0


def _folder_files(model: str, options: Mapping[str, Any]) -> dict[str, str]:
    from symlie.api import folder_files
    from symlie.models.registry import build_model

    return folder_files(build_model(model, options).derive())


def folder_name(model: str, options: Mapping[str, Any]) -> str:
    """Name of a model's folder: the model and its options that differ from the defaults."""
    from symlie.models.registry import open_model

    file = open_model(model)
    complete = file.complete(options)
    words = [file.path.stem]
    for name, value in sorted(complete.items()):
        if name not in file.defaults or value != file.defaults[name]:
            words.append(value if isinstance(value, str) else f"{name}{value}")
    return re.sub(r"[^\w.-]+", "-", "_".join(words))


def generated_folder() -> Path:
    """The repository's folder of generated code: ``generated`` here, or beside the package.

    Raises
    ------
    SymlieError
        There is none.
    """
    for folder in (Path("generated"), REPOSITORY / "generated"):
        if folder.is_dir():
            return folder
    raise SymlieError("There is no folder 'generated' here; go to the root of the repository.")


def _differences(folder: Path, files: Mapping[str, str]) -> Iterator[str]:
    """Unified differences between a folder and what it should hold, byte for byte."""
    present = {p.name for p in folder.iterdir()} if folder.is_dir() else set()
    for name in sorted(present | set(files)):
        path = folder / name
        if name not in files:
            yield f"{path}: not generated any more"
        elif name not in present:
            yield f"{path}: missing"
        elif path.read_bytes() != files[name].encode():
            old = path.read_bytes().decode("utf-8", "replace").split("\n")
            yield from difflib.unified_diff(old, files[name].split("\n"), str(path), f"{path} (new)", lineterm="", n=1)
