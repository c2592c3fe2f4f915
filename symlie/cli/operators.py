"""``symlie operators``: standalone source code of the operators of a group."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from symlie.cli.common import add
from symlie.cli.output import Progress, print_json, print_table
from symlie.cli.values import path

SUMMARY = "Write exp, log, Ad, T, T⁻¹ and derivatives of a group as source code that does not need symlie."
DETAILS = """

The output is a header, source and self-test in C99, or a NumPy module and its self-test, with a README. The self-test
compares with reference values computed with 50 digits. The functions are PREFIX_exp, PREFIX_log, PREFIX_adjoint,
PREFIX_tangent_operator, PREFIX_tangent_operator_inverse, PREFIX_tangent_operator_derivative and
PREFIX_tangent_operator_inverse_derivative."""
EXAMPLE = "symlie operators SE3 --target c --out se3"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "group",
        metavar="GROUP",
        type=path,
        help="SE3, SO3xR3, … as in 'symlie list', or FILE.py:NAME for a user-defined group",
    )
    parser.add_argument("--target", choices=("c", "numpy"), default="c", help="default: c")
    parser.add_argument("--out", metavar="DIR", type=path, help="folder to write; default: the prefix")
    parser.add_argument("--real", choices=("double", "float"), default="double", help="default: double")
    parser.add_argument("--prefix", metavar="NAME", help="prefix of all names; default: the group in lower case")
    add(parser, "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    arguments.result.update(group=arguments.group, target=arguments.target, real=arguments.real)
    from symlie.api import operator_files
    from symlie.models.groups import group_of
    from symlie.publish.folders import write_files

    group = group_of(arguments.group)
    prefix = arguments.prefix or group.name.lower()
    with Progress(f"{group}: reference values in 50 digits") as progress:
        files = operator_files(group, arguments.target, prefix=prefix, real=arguments.real, progress=progress)
    folder = write_files(files, arguments.out or Path(prefix))
    if arguments.json:
        arguments.result.update(prefix=prefix, folder=str(folder), files=list(files), status="ok")
        print_json(arguments.result)
        return 0
    print(f"{folder}:")
    print_table([(name, f"{len(text.encode())} bytes") for name, text in files.items()])
    return 0
