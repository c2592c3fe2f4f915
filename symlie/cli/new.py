"""``symlie new``: write a template of a model file."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from symlie.cli.values import path
from symlie.errors import ModelError, SymlieError

SUMMARY = "Write a commented model file that is ready to run."
EXAMPLE = """symlie new pendulum.py
  symlie new crane.py --kind mechanism"""

KINDS = {
    "body": "--t-end 2",
    "mechanism": "--t-end 2",
    "robot": "--t-end 1.5 --h 1e-3",
    "rod": "--t-end 0.5 --h 2e-3 --method generalized_alpha",
    "manifold": "--t-end 2",
}
"""Templates, with the arguments of a first run."""

_PLACEHOLDER = '"new_model"'
_PICTURE = '"new_model.png"'


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("file", metavar="FILE", type=path, help="Python file to write; an existing file is not changed")
    parser.add_argument(
        "--kind",
        choices=[*KINDS],
        default="body",
        help="content: a body, a mechanism of bodies and joints, a robot with controllers, a flexible rod, or "
        "a vector field on a manifold; default: body",
    )
    parser.add_argument("--name", help="name of the model; default: the file name")


def run(arguments: Namespace) -> int:
    """Run the command."""
    from symlie.utilities.paths import template_folder

    path = Path(arguments.file)
    name = arguments.name or path.stem
    if path.suffix != ".py":
        raise SymlieError(f"{path} must end in .py.")
    if not (name.isidentifier() and name.isascii()):
        raise ModelError(
            f"{name!r} cannot be the name of a model; use letters, digits and underscores: --name my_model."
        )
    text = (template_folder() / "new" / f"{arguments.kind}.py").read_text(encoding="utf-8")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text.replace(_PLACEHOLDER, f'"{name}"').replace(_PICTURE, f'"{name}.png"'))
    except FileExistsError:
        raise SymlieError(f"{path} exists already; choose another name.") from None
    print(f"{path}: written; next:\n  symlie run {path} {KINDS[arguments.kind]} --plot {path.with_suffix('.png')}")
    return 0
