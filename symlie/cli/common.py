"""Arguments common to several commands, and the system that they define."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symlie.cli.values import node_quantity, number, option, path, quantity, smooth_table, table
from symlie.errors import SymlieError, UnknownNameError
from symlie.utilities.packages import require

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

PICTURES = (".png", ".pdf", ".svg")
"""File types of figures."""
PAGES = (".html",)
"""File types of views."""
RECORDINGS = (".nc", ".npz", ".csv")
"""File types of solutions."""

MODEL_HELP = "name from 'symlie list', or path of a Python file with build(**options)"
"""Help text for a model."""

_WRITERS = {".nc": "netCDF4", **dict.fromkeys(PICTURES, "matplotlib")}
"""Optional modules for writing these file types."""


def _repeated(dest: str, metavar: str, kind: Callable[[str], object], what: str) -> dict[str, Any]:
    """Return the options of an argument that may be repeated."""
    return {"dest": dest, "metavar": metavar, "type": kind, "action": "append", "default": [], "help": what}


SHARED: Mapping[str, Mapping[str, Any]] = {
    "-o": _repeated("options", "KEY=VALUE", option, "option of the model's build(); repeat for several"),
    "--set": _repeated(
        "parameters", "PARAM=VALUE", quantity, "parameter value, a number or JSON array; repeat for several"
    ),
    "--init": _repeated(
        "initial",
        "NODE.FIELD=JSON",
        node_quantity,
        "initial value of a field or quantity of a node, such as the angular velocity if momenta are states; "
        "NODE may be omitted if only one node has the field; joint coordinates and rates are set as pivot.angle=0.3; "
        "repeat for several",
    ),
    "--freeze": {
        "metavar": "PARAM,…",
        "default": "",
        "help": "parameters compiled as constants, for faster code: names separated by commas, or all; they cannot be "
        "changed later",
    },
    "--input": _repeated(
        "inputs",
        "NAME=JSON",
        table,
        'table of an input, such as u={"times": [0, 1], "values": [0, 5], "interpolation": "hold"}',
    ),
    "--table": _repeated(
        "tables",
        "NAME=JSON",
        smooth_table,
        'points that replace a smooth table of the model, such as angle={"points": [0, 1], "values": [0, 5]}',
    ),
    "--assemble": {
        "action": "store_true",
        "help": "change initial values as little as possible to satisfy the constraints",
    },
    "--backend": {"choices": ("auto", "c", "numpy"), "default": "auto", "help": "default: auto"},
    "--optimize": {
        "choices": ("default", "contract", "portable"),
        "default": "default",
        "help": "contract allows fused multiply-add, portable drops processor-specific instructions",
    },
    "--fresh": {"action": "store_true", "help": "derive and compile again, ignoring cached code"},
    "--method-option": _repeated(
        "method_options",
        "KEY=VALUE",
        option,
        "for rkmk tableaux: commutators=exact|auto|0|1|2|… (terms of dexp⁻¹), map=exp|cayley|second_kind; for "
        "symplectic_theta: theta=1/2; for it and rattlie: compose=triple_jump|suzuki|kahan_li; for generalized_alpha: "
        "rho=0.9, newton=full|modified; 'symlie list METHOD' prints all options of a method",
    ),
    "--stabilize": {
        "default": "none",
        "metavar": "HOW",
        "help": "none (default), baumgarte:ALPHA, projection, projection+velocity or velocity",
    },
    "--redundant": {
        "choices": ("error", "minimal_norm"),
        "default": "error",
        "help": "redundant constraint equations: an error (default), or multipliers of minimal norm",
    },
    "--multipliers": {
        "choices": ("stage", "index1"),
        "default": "stage",
        "help": "as computed by the method (default), or recomputed from the index-1 system",
    },
    "--checkpoint-seconds": {
        "type": number,
        "metavar": "S",
        "help": "time between checkpoints in s; default: 10",
    },
    "--trust": {
        "action": "store_true",
        "help": "allow code in the files to be executed; use it only for files from sources that you trust",
    },
    "--progress": {"action": "store_true", "help": "print progress as lines, also without a terminal"},
    "--json": {"action": "store_true", "help": "print one JSON object and nothing else"},
}
"""Arguments of several commands."""

MOST_COORDINATES = 8
"""Maximum number of joint coordinates that are printed after an assembly."""

START = ("--set", "--init", "--input", "--table", "--assemble")
"""Arguments for the data of a run: parameters, initial values, inputs."""

SYSTEM = (*START, "--freeze", "--backend", "--optimize", "--fresh")
"""Arguments that define a system for a model."""


def add(parser: ArgumentParser, *names: str) -> None:
    """Add arguments of `SHARED`."""
    for name in names:
        parser.add_argument(name, **SHARED[name])


def add_model(parser: ArgumentParser, *, optional: bool = False) -> None:
    """Add the arguments for a model and its options."""
    parser.add_argument("model", metavar="MODEL", type=path, nargs="?" if optional else None, help=MODEL_HELP)
    add(parser, "-o")


def checkpoint_seconds(arguments: Namespace) -> dict[str, Any]:
    """Return the keyword argument of `solve` and `resume` for checkpoints, if given."""
    given = arguments.checkpoint_seconds
    return {} if given is None else {"checkpoint_seconds": given}


def model_options(arguments: Namespace) -> dict[str, object]:
    """Return the options of the model."""
    return dict(arguments.options)


def describe(arguments: Namespace, **more: object) -> None:
    """Store the request in the result, so that error reports contain it."""
    arguments.result.update(model=arguments.model, options=model_options(arguments), **more, backend=arguments.backend)


def node_with(system: System, field: str) -> str:
    """Return the only node or array with a field or quantity of this name, or raise `UnknownNameError`."""
    layout = system.layout
    named = [n.name for n in layout.nodes if any(f.name == field for f in n.type.fields)]
    if not named and system.quantity_source is not None and any(n.is_array for n in layout.nodes):
        named = [node for node, quantity in system.quantity_source() if quantity == field]
    if len(named) == 1:
        return named[0]
    if named:
        raise UnknownNameError(f"Nodes {', '.join(named)} of '{layout.name}' have a field '{field}'; name one of them.")
    raise UnknownNameError(f"No node of '{layout.name}' has a field '{field}'.")


def system_of(arguments: Namespace, **options: object) -> System:
    """Return the system for the arguments of `add_model` and `SYSTEM`, and record the options used in
    ``arguments.result``."""
    from symlie.models.systems import system_of_model

    options = {**model_options(arguments), **options}
    code = {"backend": arguments.backend, "optimize": arguments.optimize, "freeze": arguments.freeze}
    system = system_of_model(arguments.model, options, **code)
    arguments.result.update(model=system.name, options=system.layout.options, backend=system.backend)
    if system.layout.frozen:
        arguments.result.update(constants=list(system.layout.frozen))
    system = system.with_redundant(getattr(arguments, "redundant", "error"))
    system = system.with_parameters(**dict(arguments.parameters))
    for node, field, value in arguments.initial:
        system = system.with_initial(node or node_with(system, field), **{field: value})
    for name, points in arguments.inputs:
        system = system.with_input(name, **points)
    for name, points in arguments.tables:
        system = system.with_table(name, **points)
    return _assembled(arguments, system) if arguments.assemble else system


def _assembled(arguments: Namespace, system: System) -> System:
    """Return the system with consistent initial values, and report changed nodes."""
    system = system.assembled(getattr(arguments, "t", 0.0))
    assert system.assembly is not None
    found = system.assembly
    parts = {"velocity_changes": found.velocity_changes, "completed": found.completed}
    values = {key: {name: rows.tolist() for name, rows in part.items()} for key, part in parts.items()}
    arguments.result.update(assembly=found.largest, **values, coordinates=found.coordinates)
    for what, sizes, unit in (
        ("moved", found.largest, "rad, m"),
        ("changed velocities of", found.largest_change, "rad/s, m/s"),
        ("completed velocities that were left out of", found.largest_completed, "rad/s, m/s"),
    ):
        if sizes:
            nodes = ", ".join(f"{name} by {size:.3g}" for name, size in sizes.items())
            print(f"symlie: Assembled; {what} {nodes} ({unit}).", file=sys.stderr)
    if found.coordinates:
        shown = [f"{name} = {value:.6g}" for name, value in [*found.coordinates.items()][:MOST_COORDINATES]]
        more = f" and {len(found.coordinates) - len(shown)} more" if len(shown) < len(found.coordinates) else ""
        print(f"symlie: Assembled; joints are at {', '.join(shown)}{more} (rad, m).", file=sys.stderr)
    return system


def check_writable(path: str | None, suffixes: Iterable[str]) -> None:
    """Raise an error before any work if a result file cannot be written."""
    if path is None:
        return
    file = Path(path)
    if file.suffix not in suffixes:
        raise SymlieError(f"{path} must end in {' or '.join(suffixes)}.")
    if not file.absolute().parent.is_dir():
        raise SymlieError(f"The folder {file.parent} does not exist, so {path} cannot be written.")
    if file.suffix in _WRITERS:
        require(f"Writing {path}", _WRITERS[file.suffix])
