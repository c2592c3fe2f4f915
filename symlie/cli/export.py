"""``symlie export``: self-contained C or a functional mock-up unit of a model with a method."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import get_args

from symlie.cli.common import START, add, add_model, system_of
from symlie.cli.output import print_json
from symlie.cli.steps import METHOD_HELP
from symlie.cli.values import number, path
from symlie.options import ExportKind, ExportPlatform, ExportReal, ExportStates, ExportTarget

SUMMARY = "Write a model with a method as self-contained C, or as a functional mock-up unit."
DETAILS = """

With --target c, the folder contains C99 that needs no other library than math.h, with a self-test and a README.
Functional mock-up units are for co-simulation, model exchange, or both. Parameters, initial values and inputs are those
of the arguments; programs can change parameters and inputs."""
EXAMPLE = """symlie export heavy_top -o group=SE3 --target c --h '2**-11' --out top
  symlie export heavy_top -o group=SE3 --target fmu2 --out top.fmu"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser)
    parser.add_argument(
        "--target",
        choices=get_args(ExportTarget),
        default="c",
        help="a folder of C (default), or a unit for FMI 2.0 or 3.0",
    )
    parser.add_argument(
        "--out", metavar="PATH", type=path, help="folder, or file of a unit; default: NAME_export, or NAME.fmu"
    )
    parser.add_argument(
        "--kind",
        choices=get_args(ExportKind),
        default="cs",
        help="kind of a unit: co-simulation (default), model exchange, or both",
    )
    parser.add_argument(
        "--states",
        choices=get_args(ExportStates),
        default="own",
        help="states in model exchange: configurations and velocities (default), or relative to a steady rotation from "
        "the start, for bodies that spin fast",
    )
    parser.add_argument(
        "--real", choices=get_args(ExportReal), default="double", help="type of all numbers of C (default: double)"
    )
    parser.add_argument(
        "--platform",
        action="append",
        choices=get_args(ExportPlatform),
        default=[],
        help="another system for which a unit contains a binary, compiled by ziglang; can be repeated",
    )
    parser.add_argument("--method", type=path, help=f"{METHOD_HELP}; default: as in 'symlie run'")
    add(parser, "--method-option")
    parser.add_argument(
        "--h",
        type=number,
        metavar="STEP",
        help="step size in s, such as 2**-11; default: 1e-3 in C, adaptive steps of units",
    )
    for name in ("rtol", "atol"):
        parser.add_argument(f"--{name}", type=number, metavar="TOL", help="tolerance of adaptive steps")
    add(parser, "--stabilize", "--redundant")
    parser.add_argument("--prefix", metavar="NAME", help="prefix of all names; default: the name of the model")
    add(parser, *START, "--freeze", "--fresh", "--json")
    parser.set_defaults(backend="auto", optimize="default")


def run(arguments: Namespace) -> int:
    """Run the command."""
    system = system_of(arguments)
    end = "_export" if arguments.target == "c" else ".fmu"
    out = system.export(
        arguments.target,
        arguments.out or f"{arguments.prefix or system.name}{end}",
        method=arguments.method,
        method_options=dict(arguments.method_options),
        h=arguments.h,
        rtol=arguments.rtol,
        atol=arguments.atol,
        stabilize=arguments.stabilize,
        prefix=arguments.prefix,
        kind=arguments.kind,
        real=arguments.real,
        platforms=arguments.platform,
        states=arguments.states,
    )
    if arguments.json:
        files = sorted(f.name for f in Path(out).iterdir()) if Path(out).is_dir() else [Path(out).name]
        print_json({"out": str(out), "files": files})
    else:
        print(out)
    return 0
