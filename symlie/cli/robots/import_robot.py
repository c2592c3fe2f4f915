"""``symlie import``: write the model file of a robot from a URDF or MJCF file."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import get_args

from symlie.cli.common import add
from symlie.cli.output import print_json
from symlie.cli.values import path
from symlie.errors import SymlieError
from symlie.options import ImportCoordinates

SUMMARY = "Write the model file of a robot from a URDF or MJCF file."
EXAMPLE = """symlie import arm.urdf --out arm.py
  symlie import walker.xml --ignore tendons,actuators --limits --contacts"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("file", metavar="FILE", type=path, help="URDF or MJCF file")
    parser.add_argument(
        "--out",
        metavar="FILE.py",
        type=path,
        help="model file to write, which must not exist; default: the file's name",
    )
    parser.add_argument(
        "--coordinates",
        choices=get_args(ImportCoordinates),
        help="coordinates of joints, or poses of bodies; default: minimal, but bodies for large robots with loops",
    )
    parser.add_argument("--ignore", metavar="FEATURE,…", default="", help="features to skip, such as tendons")
    parser.add_argument("--limits", action="store_true", help="limits of joints become stops")
    parser.add_argument("--contacts", action="store_true", help="contacts between geometries become contacts")
    parser.add_argument("--dry-friction", action="store_true", help="friction of joints sticks exactly")
    parser.add_argument("--strict", action="store_true", help="skip no other features")
    parser.add_argument(
        "--floating", action="store_true", help="do not fix the first link of a URDF file to the ground"
    )
    parser.add_argument("--keyframe", metavar="NAME", help="initial state of the MJCF file")
    add(parser, "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    from symlie.importing.robot import from_mjcf, from_urdf
    from symlie.importing.xml_files import read_xml

    source = Path(arguments.file)
    options = {
        "coordinates": arguments.coordinates,
        "ignore": [word for word in arguments.ignore.split(",") if word],
        "strict": arguments.strict,
        "limits": arguments.limits,
        "contacts": arguments.contacts,
        "dry_friction": arguments.dry_friction,
    }
    if read_xml(source).tag == "robot":
        robot = from_urdf(source, floating=arguments.floating, **options)
    elif arguments.floating:
        raise SymlieError("--floating applies to URDF files; an MJCF file defines free joints.")
    else:
        robot = from_mjcf(source, **options)
    if arguments.keyframe:
        robot.initial(arguments.keyframe)
    out = Path(arguments.out or f"{robot.name}.py")
    robot.save(out)
    if arguments.json:
        skipped = {feature: list(parts) for feature, parts in robot.skipped.items()}
        inputs = {name: list(joints) for name, joints in robot.inputs.items()}
        print_json({"file": str(out), "joints": list(robot.joints), "inputs": inputs, "skipped": skipped})
    else:
        print(f"{out}: written; next:\n  symlie run {out} --t-end 1 --view {out.with_suffix('.html')}")
    return 0
