"""``symlie list``: models, methods and groups; one method; the methods for a model."""

from __future__ import annotations

import dataclasses
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from symlie.cli.common import MODEL_HELP, add, model_options
from symlie.cli.listing.joints import joint_kinds
from symlie.cli.listing.methods import show_choice, show_method
from symlie.cli.output import print_json, print_table
from symlie.cli.steps import METHOD_HELP
from symlie.cli.values import path
from symlie.errors import SymlieError

if TYPE_CHECKING:
    from symlie.groups.group import LieGroup
    from symlie.models.registry import ModelFile
    from symlie.runtime.methods.family import Method

SUMMARY = "List the ready-made models with their options, the methods, the joints and the groups."
DETAILS = """

With models, methods, joints or groups, only this part is listed. With METHOD, its order, source, options with values
and defaults, auxiliary integrator state and limitations are printed. With --for MODEL, the methods that support the
model are printed, and the default one with the reason for it."""
EXAMPLE = """symlie list
  symlie list joints
  symlie list generalized_alpha
  symlie list --for heavy_top -o group=SE3"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "method", metavar="PART", type=path, nargs="?", help=f"{', '.join(PARTS)}, or METHOD: {METHOD_HELP}"
    )
    parser.add_argument("--for", dest="model", metavar="MODEL", type=path, help=MODEL_HELP)
    add(parser, "-o", "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    if arguments.method and arguments.model:
        raise SymlieError("Name a method, or a model with --for, not both.")
    if arguments.options and not arguments.model:
        raise SymlieError("Options -o belong to a model; name it with --for MODEL.")
    if arguments.model:
        show_choice(arguments.model, model_options(arguments), as_json=arguments.json)
    elif arguments.method and arguments.method not in PARTS:
        show_method(arguments.method, as_json=arguments.json)
    else:
        _list_parts([arguments.method] if arguments.method else [*PARTS], as_json=arguments.json)
    return 0


def _list_parts(parts: Sequence[str], *, as_json: bool) -> None:
    if as_json:
        print_json({part: PARTS[part][0]() for part in parts})
        return
    for k, part in enumerate(parts):
        if k:
            print()
        PARTS[part][1]()


def _model_files() -> list[ModelFile]:
    from symlie.models.registry import model_names, open_model

    return [open_model(name) for name in model_names()]


def _models() -> list[dict[str, object]]:
    from symlie.models.registry import plain

    return [
        {"name": f.name, "summary": f.summary, "options": f.option_names,
         "defaults": {name: plain(value) for name, value in f.defaults.items()}, "choices": f.choices}
        for f in _model_files()
    ]  # fmt: skip


def _print_models() -> None:
    print("Models")
    for file in _model_files():
        print(f"  {file.name}: {file.summary}")
        print_table(
            (
                (f"-o {n}=…", _values(file.choices.get(n), file.defaults.get(n), is_required=n in file.required))
                for n in file.option_names
            ),
            indent="    ",
        )


def _known_methods() -> list[Method]:
    from symlie.runtime.methods.library import method, method_names

    return [method(name) for name in method_names()]


def _print_methods() -> None:
    print("Methods")
    print_table((m.name, f"order {m.order}", m.family.replace("_", "-")) for m in _known_methods())


def _known_groups() -> list[LieGroup]:
    from symlie.groups.standard import NAMED, group_from_name

    return [group_from_name(name) for name in (*NAMED, "R3", "SO3xR3", "SO3rvxR3")]


def _print_groups() -> None:
    from symlie.groups.spaces import NAMED as SPACES

    print("Groups (also R1, R2, … and direct products such as SO3xR3)")
    print_table((g.name, f"dimension {g.dimension}") for g in _known_groups())
    print("\nManifolds that a group acts on (models can define others)")
    print_table((s.name, f"of {s.group}") for s in SPACES.values())


def _print_joints() -> None:
    print("Joints (docs/joints.md shows their constraint equations)")
    print_table((k.name, k.summary, ", ".join(k.coordinates)) for k in joint_kinds())


PARTS: dict[str, tuple[Callable[[], Sequence[dict[str, object]]], Callable[[], None]]] = {
    "models": (_models, _print_models),
    "methods": (
        lambda: [{"name": m.name, "family": m.family, "order": m.order} for m in _known_methods()],
        _print_methods,
    ),
    "joints": (lambda: list(map(dataclasses.asdict, joint_kinds())), _print_joints),
    "groups": (lambda: [{"name": g.name, "dimension": g.dimension} for g in _known_groups()], _print_groups),
}
"""Parts that can be listed separately: functions for JSON and for text."""


def _values(choices: list[object] | None, default: object, *, is_required: bool) -> str:
    shown = f"default {default}" if default is not None else "required" if is_required else "optional"
    return f"{' | '.join(map(str, choices))} ({shown})" if choices else shown
