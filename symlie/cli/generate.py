"""``symlie generate``: write generated code to a folder, or check the committed folders."""

from __future__ import annotations

import difflib
import re
import shutil
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from symlie.cli.common import add, add_model, model_options
from symlie.cli.values import path
from symlie.contract.sets import CORE, IN_FOLDERS, SETS, chosen_sets
from symlie.errors import SymlieError
from symlie.utilities.paths import PACKAGE

SUMMARY = "Write the generated code of a model to a folder that runs without SymPy."
EXAMPLE = """symlie generate heavy_top -o group=SE3 --out top"""

COMMITTED: tuple[tuple[str, dict[str, object], tuple[str, ...]], ...] = (
    ("heavy_top", {"group": "SE3"}, ("newton", "ports")),
    ("heavy_top", {"group": "S3"}, ("newton", "ports", "cayley", "second_kind", "ambient")),
    ("free_rigid_body", {}, ("newton", "ports")),
    ("roll_up", {"segments": 4}, ("newton", "ports")),
)
"""Models, options and kernel sets of the generated folders in the repository."""

REPOSITORY = PACKAGE.parent
"""Root of the repository, if the package runs from it."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser, optional=True)
    parser.add_argument("--out", metavar="DIR", type=path, help="folder to write; default: generated/MODEL_OPTIONS")
    parser.add_argument("--all", action="store_true", help="write all folders of generated/ in the repository")
    parser.add_argument("--check", action="store_true", help="write nothing, and fail if a file would change")
    parser.add_argument(
        "--sets",
        metavar="SET,…",
        help=f"kernel sets to write, always with {CORE}, or all; default: {','.join((CORE, *IN_FOLDERS))}; available: "
        f"{', '.join((CORE, *SETS))}",
    )
    add(parser, "--freeze", "--fresh")
    parser.add_argument("--standalone", action="store_true", help=SUPPRESS)
    parser.set_defaults(backend="auto", optimize="default")


def run(arguments: Namespace) -> int:
    """Run the command."""
    if arguments.all == (arguments.model is not None):
        raise SymlieError("Name a model, or give --all.")
    if arguments.standalone:
        raise SymlieError("--standalone has been replaced: use 'symlie export MODEL --target c --out DIR'.")
    if arguments.all and any((arguments.out, arguments.options, arguments.sets, arguments.freeze)):
        raise SymlieError("--all cannot be combined with -o, --out, --sets or --freeze.")
    from symlie.publish.folders import write_files

    where, differences = generated_folder() if arguments.all else _folder(arguments), list[str]()
    kept = (
        (where / folder_name(model, options), _folder_files(model, options, sets)) for model, options, sets in COMMITTED
    )
    for folder, files in kept if arguments.all else [(where, _files(arguments))]:
        if arguments.check:
            differences += _differences(folder, files)
            continue
        if arguments.all:
            shutil.rmtree(folder, ignore_errors=True)
        print(write_files(files, folder))
    if differences:
        print("\n".join(differences))
        remedy = "run 'symlie generate --all'" if arguments.all else "run the command without --check"
        raise SymlieError(f"The files in {where} are not up to date; {remedy}.")
    if arguments.check:
        print(f"{where}: up to date")
    return 0


def _folder(arguments: Namespace) -> Path:
    """Return the output folder for one model."""
    if arguments.out:
        return Path(arguments.out)
    name = folder_name(arguments.model, model_options(arguments))
    if arguments.freeze:
        name = "_frozen-".join((name, re.sub(r"[^\w.-]+", "-", arguments.freeze)))
    return Path("generated", name)


def _files(arguments: Namespace) -> dict[str, str]:
    """Return the files for the folder of one model."""
    sets = chosen_sets(arguments.sets) if arguments.sets else IN_FOLDERS
    return _folder_files(arguments.model, model_options(arguments), sets, arguments.freeze)


def _folder_files(
    model: str, options: Mapping[str, object], sets: Sequence[str] | None, freeze: str = ""
) -> dict[str, str]:
    from symlie.models.registry import build_model
    from symlie.publish.folders import folder_files

    return folder_files(build_model(model, options).derive(freeze), sets)


def folder_name(model: str, options: Mapping[str, object]) -> str:
    """Return the folder name of a model: its name and its options that differ from the defaults."""
    from symlie.models.registry import open_model

    file = open_model(model)
    complete = file.complete(options)
    words = [file.path.stem]
    for name, value in sorted(complete.items()):
        if name not in file.defaults or value != file.defaults[name]:
            words.append(value if isinstance(value, str) else f"{name}{value}")
    return re.sub(r"[^\w.-]+", "-", "_".join(words))


def generated_folder() -> Path:
    """Return the folder ``generated`` in the working directory or next to the package, or raise `SymlieError`."""
    for folder in (Path("generated"), REPOSITORY / "generated"):
        if folder.is_dir():
            return folder
    raise SymlieError("No folder 'generated' exists here; change to the root of the repository.")


def _differences(folder: Path, files: Mapping[str, str]) -> Iterator[str]:
    """Yield unified diffs between a folder and its expected files, bytewise; compiled programs are ignored."""
    kinds = {Path(name).suffix for name in files}
    present = {p.name for p in folder.iterdir() if p.suffix in kinds} if folder.is_dir() else set()
    for name in sorted(present | set(files)):
        path = folder / name
        if name not in files:
            yield f"{path}: no longer generated"
        elif name not in present:
            yield f"{path}: missing"
        elif path.read_bytes() != files[name].encode():
            old = path.read_bytes().decode("utf-8", "replace").split("\n")
            yield from difflib.unified_diff(old, files[name].split("\n"), str(path), f"{path} (new)", lineterm="", n=1)
